"""What bash completes, asked of bash itself."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from agent_riggs.faces.bash import joined
from faces.build import Call, failed, write_store

KEY = f"failure-Bash-any:{failed().fingerprint}"

ASK = """
eval "$(agent-riggs completion bash)"
COMP_WORDS=("$@")
COMP_CWORD=$(($# - 1))
_agent_riggs_completion agent-riggs
printf '%s\n' "${COMPREPLY[@]}"
"""


def complete(folder: Path, line: str) -> list[str]:
    """What bash offers for the line, which it takes apart as it always does."""
    program = folder / "bin" / "agent-riggs"
    program.parent.mkdir(exist_ok=True)
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m agent_riggs "$@"\n')
    program.chmod(0o755)
    words = re.findall(r"[^\s:=]+|[:=]+", line) + ([""] if line.endswith(" ") else [])
    done = subprocess.run(
        ["bash", "--norc", "-c", ASK, "bash", *words],
        cwd=folder,
        env={
            **os.environ,
            "PATH": f"{program.parent}{os.pathsep}{os.environ['PATH']}",
            "PYTHONPATH": os.pathsep.join(sys.path),
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr == ""
    return done.stdout.split()


@pytest.fixture
def app(tmp_path: Path) -> Path:
    write_store(tmp_path, [failed("s1"), failed("s2"), Call("s4", tool="Read", agent="codex"), Call("s3", tool="a\nb")])
    return tmp_path


def test_bash_completes_commands_options_and_what_the_store_knows(app: Path) -> None:
    assert complete(app, "agent-riggs fail") == ["failures"]
    assert complete(app, "agent-riggs failures --li") == ["--limit"]
    assert complete(app, "agent-riggs failures --tool ") == ["Bash", "Read"]
    assert complete(app, "agent-riggs failures --tool=ba") == ["Bash"]
    assert complete(app, "agent-riggs failures --class mod") == ["module_missing"]
    assert complete(app, "agent-riggs sessions --agent c") == ["claude_code", "codex"]


def test_bash_completes_fingerprints_and_whole_keys(app: Path) -> None:
    fingerprint = KEY.partition(":")[2]
    assert complete(app, "agent-riggs ratchet show ") == [fingerprint]
    assert complete(app, f"agent-riggs ratchet show {fingerprint[:4]}") == [fingerprint]
    assert complete(app, "agent-riggs ratchet promote f") == [fingerprint]
    assert complete(app, "agent-riggs ratchet promote fail") == [KEY]
    for typed in ("", "f"):
        told = complete(app, f"agent-riggs ratchet promote failure-Bash-any:{typed}")
        assert told == [fingerprint], "bash has what stands before the colon already"


ATTACKS = [
    "zfail;touch PWN;#",
    "z$(touch PWN)",
    "z`touch PWN`",
    "z a",
    "z\x1b[2J",
    "z\u202egnp",
    "z\nb",
    "z|z",
    "z'",
    "-z",
]


def test_what_a_shell_would_read_more_into_than_letters_is_not_offered(tmp_path: Path) -> None:
    calls = [Call(f"x{n}", tool=bad, agent=bad) for n, bad in enumerate(ATTACKS)]
    decided = [{"decision_id": n, "candidate_key": bad} for n, bad in enumerate(["zero-Bash-any", *ATTACKS])]
    write_store(tmp_path, [failed("s1"), *calls], ratchet_decisions=decided)
    assert complete(tmp_path, "agent-riggs ratchet adopt z") == ["zero-Bash-any"]
    assert complete(tmp_path, "agent-riggs failures --tool=") == ["Bash"]
    assert complete(tmp_path, "agent-riggs sessions --agent=") == ["claude_code"]


def test_a_shell_is_offered_nothing_where_there_is_no_store(tmp_path: Path) -> None:
    assert complete(tmp_path, "agent-riggs ratchet show ") == []
    assert not (tmp_path / ".riggs").exists()


def test_pieces_are_put_together_again() -> None:
    assert joined(["show", "a", ":", "b"]) == ["show", "a:b"]
    assert joined(["show", "a", ":"]) == ["show", "a:"]
    assert joined(["--tool", "=", "B"]) == ["--tool", "B"]
    assert joined(["--tool", "="]) == ["--tool", ""]
    assert joined([":"]) == [":"]
    assert joined([""]) == [""]
