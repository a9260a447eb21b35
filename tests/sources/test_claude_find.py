"""Finding Claude Code's transcripts and telling whose they are."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

import claude
import reading
from agent_riggs.model import Head, Problem, ReadEnd, Transcript
from agent_riggs.sources import claude_code

OTHER = "9b1d7c22-0000-4000-8000-00000000beef"


def found(home: Path, **environ: str) -> dict[str, Transcript]:
    items = list(claude_code.find(environ, home))
    assert all(isinstance(item, Transcript) for item in items), items
    return {str(t.path.relative_to(home)): t for t in items if isinstance(t, Transcript)}


def test_the_default_homes(tmp_path: Path) -> None:
    claude.write(tmp_path, claude.call(1))
    reading.write_lines(tmp_path / ".config/claude/projects/-a/x.jsonl", claude.session(claude.call(2)))
    items = found(tmp_path)
    assert [t.home for t in items.values()] == [str(tmp_path / ".claude"), str(tmp_path / ".config/claude")]


def test_no_home_at_all_is_no_problem(tmp_path: Path) -> None:
    assert list(claude_code.find({}, tmp_path)) == []
    assert list(claude_code.find({"CLAUDE_CONFIG_DIR": "/nonexistent/claude,"}, tmp_path)) == []


def test_a_configured_home_stands_alone_and_may_be_a_list(tmp_path: Path) -> None:
    claude.write(tmp_path, claude.call(1))
    for folder in ("work/projects/-a", "private/projects/-b"):
        reading.write_lines(tmp_path / folder / "x.jsonl", claude.session(claude.call(2)))
    several = f"{tmp_path / 'work'},{tmp_path / 'private/projects'}"
    assert list(found(tmp_path, CLAUDE_CONFIG_DIR=several)) == [
        "work/projects/-a/x.jsonl",
        "private/projects/-b/x.jsonl",
    ]


def test_a_copied_folder_of_transcripts_under_another_name(tmp_path: Path) -> None:
    reading.write_lines(tmp_path / "from-laptop/-a/x.jsonl", claude.session(claude.call(1)))
    assert list(found(tmp_path, CLAUDE_CONFIG_DIR=str(tmp_path / "from-laptop"))) == ["from-laptop/-a/x.jsonl"]


def test_what_lies_beside_the_transcripts_is_left_alone(tmp_path: Path) -> None:
    claude.write(tmp_path, claude.call(1))
    base = claude.place(tmp_path).parent
    others = [
        tmp_path / ".claude/history.jsonl",
        tmp_path / ".claude/transcripts/ses_1.jsonl",
        base / claude.SESSION / "tool-results/big.jsonl",
        base / claude.SESSION / "subagents/journal.jsonl",
        base / claude.SESSION / "subagents/agent-acompact-12ab.jsonl",
        base / "agent-aside_question-12ab.jsonl",
        base / "memory/notes.jsonl",
        base / "sessions-index.json",
    ]
    for path in others:
        reading.write_lines(path, [{"display": "x", "timestamp": 1}])
    assert list(found(tmp_path)) == [f".claude/projects/-srv-shop/{claude.SESSION}.jsonl"]


def test_subagents_of_every_layout_have_their_sessions_main_file_as_parent(tmp_path: Path) -> None:
    main = claude.write(tmp_path, claude.call(1))
    base = main.parent
    layouts = [
        base / claude.SESSION / "subagents/agent-aa11.jsonl",
        base / claude.SESSION / "subagents/workflows/wf1/agent-bb22.jsonl",
        base / "agent-cc33.jsonl",
        tmp_path / ".claude/projects/-elsewhere" / claude.SESSION / "subagents/agent-dd44.jsonl",
    ]
    for path in layouts:
        reading.write_lines(path, claude.session(claude.call(2), isSidechain=True))
    items = found(tmp_path)
    assert items[str(main.relative_to(tmp_path))].parent is None
    assert [items[str(path.relative_to(tmp_path))].parent for path in layouts] == [main] * 4


def test_a_subagent_without_its_sessions_main_file_has_no_parent(tmp_path: Path) -> None:
    path = claude.place(tmp_path).parent / OTHER / "subagents/agent-aa11.jsonl"
    reading.write_lines(path, claude.session(claude.call(1), session_id=...))
    (item,) = found(tmp_path).values()
    assert item.parent is None
    assert claude_code.peek(item) == Head(OTHER, claude.CWD, claude.at(0))
    (call,) = claude.read(path).calls.values()
    assert (call.session_id, call.agent_id) == (OTHER, "aa11")


def test_each_real_file_once_however_many_ways_lead_there(tmp_path: Path) -> None:
    main = claude.write(tmp_path, claude.call(1))
    (tmp_path / ".config/claude").mkdir(parents=True)
    (tmp_path / ".config/claude/projects").symlink_to(tmp_path / ".claude/projects")
    (main.parent / "loop").symlink_to(main.parent.parent)
    (main.parent.parent / "-srv-link").symlink_to(main.parent)
    assert len(found(tmp_path)) == 1


def test_a_folder_filed_one_level_too_deep_is_found(tmp_path: Path) -> None:
    claude.write(tmp_path, claude.call(1), folder="backup/-srv-shop")
    assert len(found(tmp_path)) == 1


@pytest.mark.parametrize("folder", ["-srv-shop", "C--Users-dev-shop", "-", "x" * 200 + "-1f3a", "C--Users-d-v---e-"])
def test_the_folder_is_read_from_the_records_never_from_the_name(tmp_path: Path, folder: str) -> None:
    path = claude.write(tmp_path, claude.call(1), folder=folder, cwd="/srv/my shop_ü")
    assert claude_code.peek(reading.transcript(claude_code, path)) == Head(
        claude.SESSION, "/srv/my shop_ü", claude.at(0)
    )


def test_the_head_is_not_decided_by_the_first_lines(tmp_path: Path) -> None:
    early = [
        {"type": "queue-operation", "operation": "enqueue", "content": "x"},
        {"type": "file-history-snapshot", "messageId": "m", "sessionId": ...},
        {"type": "summary", "summary": "s", "leafUuid": "l", "sessionId": ...},
        claude.record("system", cwd=None),
        {"type": "permission-mode", "permissionMode": "plan"},
    ]
    path = claude.write(tmp_path, "[" * 100_000, "{broken", "null", *early, claude.prompt("hello"))
    assert claude_code.peek(reading.transcript(claude_code, path)) == Head(claude.SESSION, claude.CWD, claude.at(6))


@pytest.mark.parametrize(
    ("value", "session"), [(17, "17"), ("", claude.SESSION), (..., claude.SESSION), ("abc", "abc")]
)
def test_odd_session_ids(tmp_path: Path, value: Any, session: str) -> None:
    path = claude.write(tmp_path, claude.call(1), session_id=value)
    head = claude_code.peek(reading.transcript(claude_code, path))
    assert isinstance(head, Head)
    assert head.session_id == session
    whole = claude.read(path)
    assert (whole.end.session_id, [c.session_id for c in whole.calls.values()]) == (session, [session])


@pytest.mark.parametrize("data", [b"", b"\n\n  \n", b"\r\n"])
def test_an_empty_file_is_no_transcript_and_no_noise(tmp_path: Path, data: bytes) -> None:
    whole = claude.read_bytes(tmp_path, data)
    assert claude_code.peek(reading.transcript(claude_code, claude.place(tmp_path))) is None
    assert (whole.calls, whole.problems, whole.end.lines) == ({}, (), 0)


def test_a_file_of_bookkeeping_alone_is_a_session_without_calls(tmp_path: Path) -> None:
    whole = claude.read_records(tmp_path, {"type": "summary", "summary": "s"}, {"type": "last-prompt"})
    assert isinstance(claude_code.peek(reading.transcript(claude_code, claude.place(tmp_path))), Head)
    assert (whole.calls, whole.problems, whole.end.understood, whole.end.unknown) == ({}, (), 2, {})


def test_a_file_without_one_known_record_is_a_loud_problem(tmp_path: Path) -> None:
    path = claude.write(tmp_path, {"type": "turn.v9", "sessionId": "s"}, {"type": ["odd"]})
    head = claude_code.peek(reading.transcript(claude_code, path))
    assert isinstance(head, Problem)
    assert "turn.v9" in head.reason
    whole = claude.read(path)
    assert (whole.end.understood, dict(whole.end.unknown)) == (0, {"turn.v9": 1, "none": 1})


def test_an_unreadable_file_is_one_problem_and_stays_where_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = claude.write(tmp_path, claude.call(1))
    cursor = claude.read(path).end.cursor
    real = os.stat(path)

    def refuse(*_: Any, **__: Any) -> Any:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr("builtins.open", refuse)
    item = Transcript("claude_code", str(path), path, real.st_size, "")
    problem = Problem(str(path), "cannot be read: Permission denied")
    assert claude_code.peek(item) == problem
    assert list(claude_code.read(item, cursor, reading.NOW)) == [problem, ReadEnd(cursor)]
