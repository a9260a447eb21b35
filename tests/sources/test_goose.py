"""The Goose source: its database and its older files, as its documentation describes them."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import reading
from agent_riggs.model import Head, Problem, ReadEnd, Transcript
from agent_riggs.sources import SOURCES, goose, recognize
from agent_riggs.sources.check import Reading, check_source, read_all

CREATED = 1777885200


def request(key: str, tool: str = "developer__shell", **given: Any) -> dict[str, Any]:
    return {
        "type": "toolRequest",
        "id": key,
        "toolCall": {"status": "success", "value": {"name": tool, "arguments": given}},
    }


def response(key: str, **result: Any) -> dict[str, Any]:
    return {"type": "toolResponse", "id": key, "toolResult": result}


def text(value: str) -> list[dict[str, str]]:
    return [{"type": "text", "text": value}]


MESSAGES: list[list[Any]] = [
    text("please"),
    [request("1", command="ls"), request("2", command="false"), request("3", "files__read", path="x"), request("4")],
    [
        response("1", status="success", value={"content": text("a")}),
        response("2", status="success", value={"content": text("boom"), "isError": True}),
        response("3", status="error", error="no such file"),
        response("4", status="success", value={"content": text("The user has declined to run this tool. Stop.")}),
    ],
    [{"type": "toolRequest", "id": "5", "toolCall": {"status": "error", "error": "bad arguments"}}, request("6")],
    [{"type": "hologram"}, 7],
]
WANTED = [
    ("developer__shell", None, False, "a"),
    ("developer__shell", "error", True, "boom"),
    ("files__read", "error", True, "no such file"),
    ("developer__shell", "rejected", False, "The user has declined to run this tool. Stop."),
    ("unknown", "error", True, "bad arguments"),
    ("developer__shell", "pending", None, ""),
]


def folder(home: Path) -> Path:
    return home / ".local/share/goose/sessions"


def database(home: Path, *sessions: tuple[str, str | None]) -> Path:
    path = folder(home) / "sessions.db"
    path.parent.mkdir(parents=True)
    with sqlite3.connect(path) as db:
        db.executescript(
            "CREATE TABLE sessions (id, working_dir, created_at, updated_at, goose_mode, parent_session_id);"
            "CREATE TABLE messages (id INTEGER PRIMARY KEY, session_id, role, content_json, created_timestamp)"
        )
        for session, parent in sessions:
            row = (session, "/srv/shop", "2026-05-04 09:00:00", "2026-05-04 09:01:00", "approve", parent)
            db.execute("INSERT INTO sessions VALUES (?, ?, ?, ?, ?, ?)", row)
            for content in MESSAGES:
                db.execute(
                    "INSERT INTO messages (session_id, content_json, created_timestamp) VALUES (?, ?, ?)",
                    (session, json.dumps(content), CREATED),
                )
    db.close()
    return path


def file(home: Path, name: str = "20260504_090000") -> Path:
    head = {"working_dir": "/srv/shop", "description": "x"}
    rows = [{"role": "user", "created": CREATED, "content": content} for content in MESSAGES]
    return reading.write_lines(folder(home) / f"{name}.jsonl", [head, *rows])


def found(home: Path, **environ: str) -> list[Transcript]:
    return [t for t in goose.find(environ, home) if isinstance(t, Transcript)]


def check_calls(result: Reading) -> None:
    calls = sorted(result.calls.values(), key=lambda c: c.position)
    told = [
        (c.tool, c.result.status, c.result.flag, c.result.text) if c.result else (c.tool, "pending", None, "")
        for c in calls
    ]
    assert told == WANTED
    assert {(c.cwd, c.timestamp) for c in calls} == {("/srv/shop", CREATED * 1_000_000)}
    assert result.end.unknown == {"hologram": 1, "int": 1}


def test_a_database(tmp_path: Path) -> None:
    database(tmp_path, ("s1", None))
    (transcript,) = found(tmp_path)
    result = read_all(goose, transcript, reading.NOW)
    check_calls(result)
    assert {c.mode for c in result.calls.values()} == {"approve"}
    assert goose.peek(transcript) == Head("s1", "/srv/shop", CREATED * 1_000_000)
    check_source(goose, {}, tmp_path)


def test_an_older_file(tmp_path: Path) -> None:
    path = file(tmp_path)
    check_calls(reading.read(goose, path))
    check_source(goose, {}, tmp_path)


def test_a_session_in_the_database_is_not_read_from_its_file(tmp_path: Path) -> None:
    database(tmp_path, ("20260504_090000", None))
    file(tmp_path)
    file(tmp_path, "other")
    assert [t.path.suffix for t in found(tmp_path)] == [".db", ".jsonl"]


def test_subagents_belong_to_the_first_session(tmp_path: Path) -> None:
    database(tmp_path, ("s1", None), ("s2", "s1"), ("s3", "s2"))
    calls = [c for t in found(tmp_path) for c in read_all(goose, t, reading.NOW).calls.values()]
    assert {(c.agent_id, c.session_id) for c in calls} == {("", "s1"), ("s2", "s1"), ("s3", "s1")}
    assert len({c.call_id for c in calls}) == 3 * len(WANTED)


def test_where_it_looks(tmp_path: Path) -> None:
    database(tmp_path / "data-home", ("s1", None))
    (tmp_path / "root/data").mkdir(parents=True)
    (tmp_path / "data-home/.local/share/goose/sessions").rename(tmp_path / "root/data/sessions")
    assert len(found(tmp_path, GOOSE_PATH_ROOT=str(tmp_path / "root"))) == 1
    assert found(tmp_path) == []


def test_given_by_name(tmp_path: Path) -> None:
    assert [n for n, _ in recognize.named(database(tmp_path, ("s1", None), ("s2", None)), SOURCES)] == [
        "goose",
        "goose",
    ]
    assert [n for n, _ in recognize.named(file(tmp_path), SOURCES)] == ["goose"]


@pytest.mark.parametrize("content", [b"", b"garbage" * 100, b"SQLite format 3\0" + b"\xff" * 5000])
def test_a_file_that_is_no_database_is_one_problem(tmp_path: Path, content: bytes) -> None:
    folder(tmp_path).mkdir(parents=True)
    (folder(tmp_path) / "sessions.db").write_bytes(content)
    (problem,) = list(goose.find({}, tmp_path))
    assert isinstance(problem, Problem)


JUNK = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8) | st.sampled_from(["toolRequest", "toolResponse"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=6,
)
KEYS = st.sampled_from(
    ["type", "id", "toolCall", "toolResult", "status", "value", "content", "created", "working_dir", "name"]
)
RECORD = st.dictionaries(KEYS, JUNK | st.lists(st.dictionaries(KEYS, JUNK, max_size=5), max_size=3), max_size=6)


@settings(max_examples=100, deadline=None)
@given(records=st.lists(RECORD, max_size=6))
def test_no_record_breaks_a_reading(tmp_path_factory: pytest.TempPathFactory, records: list[Any]) -> None:
    path = tmp_path_factory.mktemp("junk") / "s.jsonl"
    transcript = reading.transcript(goose, reading.write_lines(path, [{"working_dir": 5}, *records]))
    goose.peek(transcript)
    assert isinstance(list(goose.read(transcript, None, reading.NOW))[-1], ReadEnd)
