"""Patterns kept between runs: the same answers, sooner, and never a reason to fail. Each test is a process of its own,
because that is what the module changes."""

from __future__ import annotations

import json
import marshal
import os
import subprocess
import sys
from pathlib import Path

import pytest

from agent_riggs.deliver import quick
from deliver import events
from deliver.events import FIX, Place, told

TRIES = r"""
import json, re, sys
from agent_riggs.deliver import quick
held = quick.start(sys.argv[1])
found = []
tries = [(r"(?P<a>x+)(?P<b>y)?", 0), (r"[é-ü]+", re.I), (r"^\w+$", re.M | re.X), (r"(?i:ab)|\d{2,}", 0), (rb"[a-c]", 0)]
for pattern, flags in tries:
    made = re.compile(pattern, flags)
    text = "xxy ÉÜ 12 AB\nline" if isinstance(pattern, str) else b"abc"
    found.append([repr(made.findall(text)), made.groups, dict(made.groupindex), made.flags, repr(made.pattern)])
held.save()
print(json.dumps([found, held.added, made.sub(b"-", b"abc").decode()]))
"""


def run(code: str, *words: str) -> str:
    path = os.pathsep.join(p for p in sys.path if p)
    done = subprocess.run(
        [sys.executable, "-c", code, *words], capture_output=True, text=True, env={"PYTHONPATH": path}, check=True
    )
    return done.stdout


def kept(folder: Path) -> Path:
    (path,) = folder.glob(f"{quick.PREFIX}*")
    return path


def test_a_kept_pattern_is_the_same_pattern(tmp_path: Path) -> None:
    first, second = (json.loads(run(TRIES, str(tmp_path))) for _ in range(2))
    assert first[0] == second[0]
    assert first[1] > 0
    assert second[1] == 0
    plain = json.loads(
        run(TRIES.replace("held = quick.start(sys.argv[1])", "held = quick.Patterns('')"), str(tmp_path))
    )
    assert plain[0] == first[0]


def test_the_file_is_private_and_written_once(tmp_path: Path) -> None:
    run(TRIES, str(tmp_path))
    path = kept(tmp_path)
    assert path.stat().st_mode & 0o777 == 0o600
    before = path.stat().st_mtime_ns
    run(TRIES, str(tmp_path))
    assert path.stat().st_mtime_ns == before
    assert [p.name for p in tmp_path.iterdir()] == [path.name]


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"nonsense",
        marshal.dumps([1, 2]),
        marshal.dumps({("(?P<a>x+)(?P<b>y)?", 0): (32, [1, 2, 3], 2, {}, (None,))}),
        marshal.dumps({("(?P<a>x+)(?P<b>y)?", 0): ("x",)}),
        marshal.dumps({("(?P<a>x+)(?P<b>y)?", 0): (32, [-1, 2**40], 2, {}, (None,))}),
    ],
)
def test_a_damaged_file_changes_nothing(tmp_path: Path, content: bytes) -> None:
    sound = json.loads(run(TRIES, str(tmp_path)))
    kept(tmp_path).write_bytes(content)
    assert json.loads(run(TRIES, str(tmp_path)))[0] == sound[0]


def test_a_file_that_others_may_write_is_not_used(tmp_path: Path) -> None:
    run(TRIES, str(tmp_path))
    kept(tmp_path).chmod(0o666)
    assert json.loads(run(TRIES, str(tmp_path)))[1] > 0


def test_the_hook_s_second_answer_needs_no_compiling(here: Place) -> None:
    here.publish(events.ratchet(events.verdict(events.claude_failure())))

    def ask(call: str) -> str:
        return told(
            json.loads(here.run(json.dumps(events.claude_failure(call=call, cwd=str(here.root))).encode()).stdout)
        )

    first = ask("t1")
    before = kept(here.state_home).stat().st_mtime_ns
    (here.state / "spool").rename(here.state / "old")
    assert ask("t2") == first
    assert FIX in first
    assert kept(here.state_home).stat().st_mtime_ns == before


def test_inspect_comes_when_it_is_asked_for(tmp_path: Path) -> None:
    code = (
        "import sys\nfrom agent_riggs.deliver import quick\nquick.start(sys.argv[1])\nimport dataclasses, inspect\n"
        "first = len(sys.modules)\nprint('ast' in sys.modules, inspect.signature(len), inspect.isfunction(print))\n"
        "import inspect\nprint(inspect.__file__ is not None)"
    )
    assert run(code, str(tmp_path)).split("\n")[:2] == ["False (obj, /) False", "True"]
