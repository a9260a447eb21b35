"""What is kept between runs: the same answers, sooner, and never a reason to fail. Each test is a process of its own,
because that is what the module changes."""

from __future__ import annotations

import json
import marshal
import os
import subprocess
import sys
from binascii import crc32
from pathlib import Path
from typing import Any

import pytest

from agent_riggs.deliver import quick
from deliver import events
from deliver.events import FIX, Place, told

START = """
import sys
from agent_riggs.deliver import quick
held = quick.start(sys.argv[1])
"""
TRIES = r"""
import json, re, sys
found = []
tries = [(r"(?P<a>x+)(?P<b>y)?", 0), (r"[é-ü]+", re.I), (r"^\w+$", re.M | re.X), (r"(?i:ab)|\d{2,}", 0), (rb"[a-c]", 0)]
for pattern, flags in tries:
    made = re.compile(pattern, flags)
    text = "xxy ÉÜ 12 AB\nline" if isinstance(pattern, str) else b"abc"
    found.append([repr(made.findall(text)), made.groups, dict(made.groupindex), made.flags, repr(made.pattern)])
found += ["enum" in sys.modules, made.sub(b"-", b"abc").decode()]
"""
TELL = "held.save()\nprint(json.dumps([found, held.added]))"
CASES = {"first of all": START + TRIES + TELL, "after re": TRIES.split("found", 1)[0] + START + TRIES + TELL}
PATTERN = (r"(?P<a>x+)(?P<b>y)?", 0)


def run(code: str, *words: str) -> str:
    path = os.pathsep.join(p for p in sys.path if p)
    done = subprocess.run(
        [sys.executable, "-S", "-c", code, *words], capture_output=True, text=True, env={"PYTHONPATH": path}, check=True
    )
    return done.stdout


def tried(folder: Path, case: str = "first of all") -> tuple[list[Any], int]:
    """What the patterns found, and how many were compiled anew."""
    found, added = json.loads(run(CASES[case], str(folder)))
    return found, added


def kept(folder: Path) -> Path:
    (path,) = folder.glob(f"{quick.PREFIX}*")
    return path


@pytest.mark.parametrize("case", CASES)
def test_a_kept_pattern_is_the_same_pattern(tmp_path: Path, case: str) -> None:
    first, second = (tried(tmp_path, case) for _ in range(2))
    plain = json.loads(run(TRIES + "print(json.dumps(found))"))
    assert first[0] == plain
    assert second[0][:5] == plain[:5]
    assert first[1] > 0
    assert second[1] == 0


def test_re_and_its_enums_are_not_loaded_for_what_is_kept(tmp_path: Path) -> None:
    loaded = [tried(tmp_path)[0][-2] for _ in range(2)]
    assert loaded == [True, False]


def test_what_is_not_kept_brings_re(tmp_path: Path) -> None:
    tried(tmp_path)
    code = (
        START + "import re\nprint(re.escape('a.b'), re.sub(r'(b+)', r'<\\1>', 'abb'), sys.modules['re'].__file__ > '')"
    )
    assert run(code, str(tmp_path)) == "a\\.b a<bb> True\n"


def test_the_file_is_private_and_written_once(tmp_path: Path) -> None:
    tried(tmp_path)
    path = kept(tmp_path)
    assert path.stat().st_mode & 0o777 == 0o600
    before = path.stat().st_mtime_ns
    tried(tmp_path)
    assert path.stat().st_mtime_ns == before
    assert [p.name for p in tmp_path.iterdir()] == [path.name]


def sealed(value: object) -> bytes:
    body = marshal.dumps(value)
    return crc32(body).to_bytes(4, "big") + body


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"nonsense",
        sealed([1, 2]),
        sealed([1, 2, 3]),
        sealed(({PATTERN: (32, b"\x01\0\0\0\x02\0\0\0\x03\0\0\0", 2, {}, (None,))}, {})),
        sealed(({PATTERN: (32, b"\x01\0", 2, {}, (None,))}, {})),
        sealed(({PATTERN: ("x",)}, {})),
        sealed(({PATTERN: 7}, {})),
    ],
)
def test_a_damaged_file_changes_nothing(tmp_path: Path, content: bytes) -> None:
    sound, _ = tried(tmp_path)
    kept(tmp_path).write_bytes(content)
    assert tried(tmp_path)[0][:5] == sound[:5]


def test_a_flipped_bit_is_seen_before_code_is_run(tmp_path: Path) -> None:
    tried(tmp_path)
    data = bytearray(kept(tmp_path).read_bytes())
    data[len(data) // 2] ^= 1
    kept(tmp_path).write_bytes(data)
    assert tried(tmp_path)[1] > 0


def test_a_file_that_others_may_write_is_not_used(tmp_path: Path) -> None:
    tried(tmp_path)
    kept(tmp_path).chmod(0o666)
    assert tried(tmp_path)[1] > 0


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


SLOW = ("enum", "contextlib", "ast", "logging", "_hashlib", "pathlib", "signal", "shlex")
"""What takes longer to load than a look-up: ``contextlib`` comes with the real ``typing``, ``ast`` with ``inspect``."""


def test_advice_on_a_refused_edit_loads_nothing_slow_and_nothing_about_shell_lines(here: Place) -> None:
    refused = "<tool_use_error>String to replace not found in file.</tool_use_error>"
    event = events.claude_batch(("Edit", {"file_path": "a"}, refused), cwd=str(here.root))
    here.publish(events.ratchet(events.verdict(event)))
    code = (
        "import os, sys\nfrom agent_riggs.deliver import hook\n"
        "os._exit = lambda code: sys.stderr.write(' '.join(sys.modules))\nhook.main()"
    )
    paths = os.pathsep.join(p for p in sys.path if p)
    for number in range(2):
        body = json.dumps({**event, "session_id": f"s{number}"}).encode()
        environ = {**here.environ, "PYTHONPATH": paths}
        done = subprocess.run([sys.executable, "-S", "-c", code], input=body, capture_output=True, env=environ)
        assert FIX.encode() in done.stdout
    loaded = set(done.stderr.decode().split())
    assert "agent_riggs.judge.verdict" in loaded
    assert sorted(loaded.intersection(SLOW)) == []
    assert not [name for name in loaded if name.startswith(("agent_riggs.judge.known", "agent_riggs.judge.shell"))]


def test_inspect_comes_when_it_is_asked_for(tmp_path: Path) -> None:
    code = (
        "import sys\nfrom agent_riggs.deliver import quick\nquick.start(sys.argv[1])\nimport dataclasses, inspect\n"
        "first = len(sys.modules)\nprint('ast' in sys.modules, inspect.signature(len), inspect.isfunction(print))\n"
        "import inspect\nprint(inspect.__file__ is not None)"
    )
    assert run(code, str(tmp_path)).split("\n")[:2] == ["False (obj, /) False", "True"]


def test_classes_are_the_same_without_typing(tmp_path: Path) -> None:
    """``dataclasses`` asks ``typing`` what is a class variable; annotations are never evaluated."""
    code = (
        "import sys, json\nfrom agent_riggs.deliver import quick\nsys.argv[1:] and quick.start(sys.argv[1])\n"
        "from agent_riggs import model\nfrom agent_riggs.judge import diagnosis, outcome\nimport dataclasses\n"
        "names = [[k.__name__, [f.name for f in dataclasses.fields(k)]] for m in (model, diagnosis, outcome)"
        " for k in vars(m).values() if isinstance(k, type) and dataclasses.is_dataclass(k)]\n"
        "made = model.ToolResult('x', exit_code=1)\n"
        "print(json.dumps([names, repr(made), hash(made) == hash(model.ToolResult('x', exit_code=1))]))"
    )
    assert run(code) == run(code, str(tmp_path)) == run(code, str(tmp_path))


def test_typing_comes_when_more_than_annotations_is_asked_for(tmp_path: Path) -> None:
    code = (
        START + "from typing import Final, Any\nprint('contextlib' in sys.modules)\n"
        "from typing import NamedTuple\nclass Two(NamedTuple):\n    a: int\n    b: int = 2\nprint(Two(1))"
    )
    assert run(code, str(tmp_path)) == "False\nTwo(a=1, b=2)\n"
