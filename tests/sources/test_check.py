"""The conformance check: the documented example passes, and each kind of fault is named."""

from __future__ import annotations

import importlib.util
import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

import reading
from agent_riggs.model import Cursor, Event, Head, Problem, ReadEnd, ToolCall, Transcript
from agent_riggs.testing import SourceFault, check_source

PAGE = Path(__file__).parents[2] / "docs/sources.md"
LINES = [
    {"event": "start", "folder": "/srv/shop"},
    {"event": "call", "id": 1, "tool": "shell", "input": {"command": "make"}, "at": "2026-05-04T09:00:00Z"},
    {"event": "result", "id": 1, "output": "no rule", "exit": 2, "at": "2026-05-04T09:00:01Z"},
    {"event": "thought"},
    {"event": "call", "id": 2, "tool": "read", "input": None, "at": 0},
]


def example() -> str:
    (code,) = re.findall(r"```python\n(\"\"\"Tinker.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    return str(code)


@pytest.fixture
def tinker(tmp_path: Path) -> Iterator[ModuleType]:
    """The documented example as a module."""
    path = tmp_path / "tinker_source.py"
    path.write_text(example())
    spec = importlib.util.spec_from_file_location("tinker_source", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["tinker_source"] = module
    spec.loader.exec_module(module)
    yield module
    del sys.modules["tinker_source"]


@pytest.fixture
def samples(home: Path) -> Path:
    reading.write_lines(home / ".tinker/s1.jsonl", LINES)
    return home


def test_the_documented_source_holds_and_is_short(tinker: Any, samples: Path) -> None:
    (found,) = check_source(tinker, {}, samples)
    assert [(c.tool, c.cwd, c.result.exit_code if c.result else None) for c in found.calls.values()] == [
        ("shell", "/srv/shop", 2),
        ("read", "/srv/shop", None),
    ]
    assert found.end.unknown == {"thought": 1}
    assert len(example().splitlines()) < 100


def changed(tinker: Any, **parts: Any) -> Any:
    """The example with some of its functions replaced."""
    whole = {"name": tinker.name, "find": tinker.find, "peek": tinker.peek, "read": tinker.read}
    return SimpleNamespace(**whole | parts)


def check(source: Any, samples: Path) -> None:
    check_source(source, {}, samples)


def test_a_missing_end_is_a_fault(tinker: Any, samples: Path) -> None:
    def read(*given: Any) -> Iterator[Event]:
        return (e for e in tinker.read(*given) if not isinstance(e, ReadEnd))

    with pytest.raises(SourceFault, match="exactly one ReadEnd"):
        check(changed(tinker, read=read), samples)


def test_a_search_that_changes_its_mind_is_a_fault(tinker: Any, samples: Path) -> None:
    count = iter(range(9))

    def find(environ: Mapping[str, str], home: Path) -> Iterator[Transcript | Problem]:
        for item in tinker.find(environ, home):
            yield replace(item, stamp=str(next(count)))

    with pytest.raises(SourceFault, match="something else the second time"):
        check(changed(tinker, find=find), samples)


def test_writing_into_the_agents_folder_is_a_fault(tinker: Any, samples: Path) -> None:
    def peek(transcript: Transcript) -> Head | Problem | None:
        (samples / "trace.txt").write_text("x")
        found: Head | Problem | None = tinker.peek(transcript)
        return found

    with pytest.raises(SourceFault, match="wrote into"):
        check(changed(tinker, peek=peek), samples)


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"agent": "other"}, "names another agent"),
        ({"call_id": ""}, "lacks its id"),
        ({"tool": ""}, "lacks its id, session or tool"),
        ({"mode": "plan"}, "a mode without its origin"),
        ({"timestamp": 5}, "before 2015"),
    ],
)
def test_a_malformed_call_is_a_fault(tinker: Any, samples: Path, change: dict[str, Any], fault: str) -> None:
    def read(*given: Any) -> Iterator[Event]:
        return (replace(e, **change) if isinstance(e, ToolCall) else e for e in tinker.read(*given))

    with pytest.raises(SourceFault, match=fault):
        check(changed(tinker, read=read), samples)


@pytest.mark.parametrize(
    ("state", "fault"), [({"text": "x" * 500}, "holds a text of 500"), ({"path": Path("x")}, "is not JSON")]
)
def test_a_cursor_with_text_is_a_fault(tinker: Any, samples: Path, state: dict[str, Any], fault: str) -> None:
    def read(*given: Any) -> Iterator[Event]:
        for event in tinker.read(*given):
            yield replace(event, cursor=Cursor(state=state)) if isinstance(event, ReadEnd) else event

    with pytest.raises(SourceFault, match=fault):
        check(changed(tinker, read=read), samples)


def test_losing_calls_to_a_cursor_is_a_fault(tinker: Any, samples: Path) -> None:
    def read(transcript: Transcript, cursor: Cursor | None, now: int) -> Iterator[Event]:
        if cursor is not None:
            return iter([ReadEnd(cursor)])
        events: Iterator[Event] = tinker.read(transcript, cursor, now)
        return events

    with pytest.raises(SourceFault, match="read in two steps"):
        check(changed(tinker, read=read), samples)


def test_losing_calls_to_damage_is_a_fault(tinker: Any, samples: Path) -> None:
    def read(transcript: Transcript, cursor: Cursor | None, now: int) -> Iterator[Event]:
        events = list(tinker.read(transcript, cursor, now))
        return iter(events[-1:] if any(isinstance(e, Problem) for e in events) else events)

    with pytest.raises(SourceFault, match="calls lost"):
        check(changed(tinker, read=read), samples)


def test_two_transcripts_with_one_key_are_a_fault(tinker: Any, samples: Path) -> None:
    def find(environ: Mapping[str, str], home: Path) -> Iterator[Transcript | Problem]:
        for item in tinker.find(environ, home):
            yield from (item, item)

    with pytest.raises(SourceFault, match="one key to two"):
        check(changed(tinker, find=find), samples)


def test_every_source_of_the_table_is_in_the_page() -> None:
    from agent_riggs.sources import BUILT_IN

    page = PAGE.read_text(encoding="utf-8")
    agents = [source.name for source in BUILT_IN if source.name not in ("kibitzer", "blq")]
    assert [name for name in agents if f"| `{name}` |" not in page] == []
