"""The OpenCode source: database, older tree and export; never both twice, never a trace left."""

from __future__ import annotations

import json
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import reading
from agent_riggs.model import Head, Problem, ReadEnd, ToolCall, Transcript
from agent_riggs.sources import opencode
from agent_riggs.sources.check import Reading, check_source, read_all

SESSION, CHILD = "ses_aaaaaaaaaaaa", "ses_bbbbbbbbbbbb"
START = 1777885200000


def part(number: int, tool: str = "bash", message: str = "msg_1", **state: Any) -> dict[str, Any]:
    times = {"start": START + number, "end": START + number + 5}
    given = {"input": {"command": "ls"}, "time": times, **state}
    return {"id": f"prt_{number:010d}", "messageID": message, "type": "tool", "tool": tool, "state": given}


PARTS = [
    part(1, status="completed", output="a\n", metadata={"exit": 0}),
    part(2, status="completed", output="1 failing", metadata={"exit": 1}),
    part(3, "read", status="error", error="Error: File not found: /srv/shop/x"),
    part(4, status="error", error="Tool execution aborted"),
    part(5, status="error", error="The user rejected permission to use this specific tool call."),
    part(
        6,
        status="error",
        error="The user rejected permission to use this specific tool call with the following feedback: use make",
    ),
    part(
        7, status="error", error="The user has specified a rule which prevents you from using this specific tool call."
    ),
    part(8, "invalid", status="completed", input={"tool": "nope", "error": "x"}, output="The arguments are invalid"),
    part(
        9,
        status="completed",
        output="x\n<bash_metadata>\nbash tool terminated command after exceeding timeout 5 ms\n</bash_metadata>",
        metadata={"exit": None},
    ),
    part(10, status="running"),
    {"id": "prt_text000001", "messageID": "msg_1", "type": "text", "text": "tool"},
    {"id": "prt_new0000001", "messageID": "msg_1", "type": "hologram"},
]
WANTED = [
    ("bash", None, 0, None),
    ("bash", None, 1, None),
    ("read", "error", None, True),
    ("bash", "interrupted", None, True),
    ("bash", "rejected", None, True),
    ("bash", "rejected", None, True),
    ("bash", "denied", None, True),
    ("nope", "error", None, True),
    ("bash", "error", None, True),
    ("bash", "pending", None, None),
]


def info(session: str = SESSION, parent: str | None = None) -> dict[str, Any]:
    times = {"created": START, "updated": START + 1000}
    found = {"id": session, "directory": "/srv/shop", "version": "1.2.0", "time": times}
    return found | ({"parentID": parent} if parent else {})


def message(key: str = "msg_1", mode: str = "build") -> dict[str, Any]:
    path = {"cwd": "/srv/shop/sub", "root": "/srv/shop"}
    return {"id": key, "role": "assistant", "mode": mode, "modelID": "m", "path": path, "time": {"created": START}}


def database(path: Path, *sessions: tuple[str, str | None], parts: list[dict[str, Any]] = PARTS) -> sqlite3.Connection:
    path.parent.mkdir(parents=True, exist_ok=True)
    db = sqlite3.connect(path)
    db.executescript(
        "PRAGMA journal_mode = WAL; CREATE TABLE session (id TEXT PRIMARY KEY, parent_id TEXT, directory TEXT,"
        " version TEXT, time_created INTEGER, time_updated INTEGER);"
        "CREATE TABLE message (id TEXT PRIMARY KEY, session_id TEXT, time_created INTEGER, data TEXT);"
        "CREATE TABLE part (id TEXT PRIMARY KEY, message_id TEXT, session_id TEXT, data TEXT);"
    )
    for session, parent in sessions or ((SESSION, None),):
        own = session[-1]
        db.execute("INSERT INTO session VALUES (?, ?, '/srv/shop', '1.18.0', ?, ?)", (session, parent, START, START))
        db.execute("INSERT INTO message VALUES (?, ?, ?, ?)", (f"msg_{own}", session, START, json.dumps(message())))
        for item in parts:
            row = (item["id"] + ("" if own == "a" else own), f"msg_{own}", session, json.dumps(item))
            db.execute("INSERT INTO part VALUES (?, ?, ?, ?)", row)
    db.commit()
    return db


def tree(storage: Path, session: str = SESSION, parent: str | None = None) -> None:
    reading.write_lines(storage / f"session/prj/{session}.json", [info(session, parent)])
    reading.write_lines(storage / f"message/{session}/msg_1.json", [message()])
    for item in PARTS:
        reading.write_lines(storage / f"part/msg_1/{item['id']}.json", [item])


def export(path: Path) -> Path:
    return reading.write_lines(path, [{"info": info(), "messages": [{"info": message(), "parts": PARTS}]}])


def place(home: Path) -> Path:
    return home / ".local/share/opencode"


def found(home: Path, **environ: str) -> list[Transcript]:
    items = list(opencode.find(environ, home))
    assert not [i for i in items if isinstance(i, Problem)]
    return [i for i in items if isinstance(i, Transcript)]


def read(home: Path) -> Reading:
    (transcript,) = found(home)
    return read_all(opencode, transcript, reading.NOW)


def outcome(call: ToolCall) -> tuple[str, str | None, int | None, bool | None]:
    result = call.result
    return (call.tool, result.status, result.exit_code, result.flag) if result else (call.tool, "pending", None, None)


def check_calls(result: Reading) -> None:
    calls = sorted(result.calls.values(), key=lambda c: c.position)
    assert [outcome(c) for c in calls] == WANTED
    assert {c.mode for c in calls} == {"build"}
    assert {c.cwd for c in calls} == {"/srv/shop/sub"}
    assert [c.result.user_said for c in calls if c.result and c.result.user_said] == ["use make"]
    assert result.end.unknown == {"part/hologram": 1}
    assert calls[0].timestamp == (START + 1) * 1000


def test_a_database(tmp_path: Path) -> None:
    database(place(tmp_path) / "opencode.db").close()
    check_calls(read(tmp_path))
    (transcript,) = found(tmp_path)
    assert opencode.peek(transcript) == Head(SESSION, "/srv/shop", START * 1000)
    check_source(opencode, {}, tmp_path)


def test_the_older_tree(tmp_path: Path) -> None:
    tree(place(tmp_path) / "storage")
    check_calls(read(tmp_path))
    check_source(opencode, {}, tmp_path)


def test_an_export(tmp_path: Path) -> None:
    path = export(tmp_path / f"{SESSION}.json")
    check_calls(reading.read(opencode, path))
    assert opencode.peek(reading.transcript(opencode, path)) == Head(SESSION, "/srv/shop", START * 1000)


def test_one_session_in_all_three_forms_has_one_set_of_calls(tmp_path: Path) -> None:
    database(place(tmp_path) / "opencode.db").close()
    tree(place(tmp_path) / "storage")
    assert len(found(tmp_path)) == 1, "a session in the database is not read from the tree"
    exported = reading.read(opencode, export(tmp_path / "x.json"))
    assert exported.calls.keys() == read(tmp_path).calls.keys()


def test_a_session_only_the_tree_has_is_read_beside_the_database(tmp_path: Path) -> None:
    database(place(tmp_path) / "opencode.db").close()
    tree(place(tmp_path) / "storage", CHILD)
    assert len(found(tmp_path)) == 2


def listing(folder: Path) -> list[str]:
    return sorted(p.name for p in folder.iterdir())


def test_a_live_log_is_read_and_nothing_is_left(tmp_path: Path) -> None:
    with closing(database(place(tmp_path) / "opencode.db")) as writer:
        before = listing(place(tmp_path))
        assert "opencode.db-wal" in before
        check_calls(read(tmp_path))
        late = part(99, status="completed", output="late", metadata={"exit": 0})
        stamp = found(tmp_path)[0].stamp
        writer.execute("INSERT INTO part VALUES ('prt_9999999999', 'msg_a', ?, ?)", (SESSION, json.dumps(late)))
        writer.commit()
        assert found(tmp_path)[0].stamp != stamp
        assert "prt_9999999999" in read(tmp_path).calls
        assert listing(place(tmp_path)) == before
    assert listing(place(tmp_path)) == ["opencode.db"]
    check_calls_after = read(tmp_path)
    assert len(check_calls_after.calls) == len(WANTED) + 1
    assert listing(place(tmp_path)) == ["opencode.db"], "no side files beside a database that is closed"


def test_a_copied_log_without_its_memory_file_counts(tmp_path: Path) -> None:
    with closing(database(tmp_path / "live/opencode.db")):
        place(tmp_path).mkdir(parents=True)
        for suffix in ("", "-wal"):
            shutil.copy(tmp_path / f"live/opencode.db{suffix}", place(tmp_path) / f"opencode.db{suffix}")
    check_calls(read(tmp_path))
    assert listing(place(tmp_path)) == ["opencode.db", "opencode.db-wal"]


def test_subagents_belong_to_the_first_session(tmp_path: Path) -> None:
    grandchild = "ses_cccccccccccc"
    database(place(tmp_path) / "opencode.db", (SESSION, None), (CHILD, SESSION), (grandchild, CHILD)).close()
    roots = {}
    for transcript in found(tmp_path):
        for call in read_all(opencode, transcript, reading.NOW).calls.values():
            roots[call.agent_id] = call.session_id
    assert roots == {"": SESSION, CHILD: SESSION, grandchild: SESSION}


def test_blacked_out_ids_make_no_two_calls_one(tmp_path: Path) -> None:
    parts = [{**p, "id": "REDACTED"} for p in PARTS]
    document = {
        "info": info() | {"id": "REDACTED", "parentID": "REDACTED"},
        "messages": [{"parts": parts}, {"parts": parts}],
    }
    path = reading.write_lines(tmp_path / "ses_stem.json", [document])
    result = reading.read(opencode, path)
    assert len(result.calls) == 2 * len(WANTED)
    assert {c.session_id for c in result.calls.values()} == {"ses_stem"}


def test_where_databases_are_looked_for(tmp_path: Path) -> None:
    database(tmp_path / "data/opencode/opencode-dev.db").close()
    assert len(found(tmp_path, XDG_DATA_HOME=str(tmp_path / "data"))) == 1
    assert len(found(tmp_path, OPENCODE_DB=str(tmp_path / "data/opencode/opencode-dev.db"))) == 1
    assert found(tmp_path) == []


@pytest.mark.parametrize("content", [b"", b"garbage" * 100, b"SQLite format 3\0" + b"\xff" * 5000])
def test_a_file_that_is_no_database_is_one_problem(tmp_path: Path, content: bytes) -> None:
    place(tmp_path).mkdir(parents=True)
    (place(tmp_path) / "opencode.db").write_bytes(content)
    (problem,) = list(opencode.find({}, tmp_path))
    assert isinstance(problem, Problem)


def test_damaged_rows_cost_themselves_only(tmp_path: Path) -> None:
    with closing(database(place(tmp_path) / "opencode.db")) as writer:
        writer.execute("UPDATE part SET data = '{broken' WHERE id = 'prt_0000000001'")
        writer.execute("UPDATE part SET data = x'fffe00' WHERE id = 'prt_0000000002'")
        writer.execute("UPDATE message SET data = NULL")
        writer.commit()
        result = read(tmp_path)
    assert len(result.calls) == len(WANTED) - 2
    assert len(result.problems) == 3


JUNK = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8) | st.sampled_from(["tool", "error", "completed"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=6,
)
KEYS = st.sampled_from(
    ["info", "messages", "parts", "type", "tool", "state", "status", "input", "time", "id", "metadata"]
)
NODE = st.recursive(
    JUNK, lambda inner: st.dictionaries(KEYS, inner, max_size=6) | st.lists(inner, max_size=3), max_leaves=9
)


@settings(max_examples=150, deadline=None)
@given(document=NODE, parts=st.lists(st.dictionaries(KEYS, NODE, max_size=6), max_size=4))
def test_no_document_breaks_a_reading(
    tmp_path_factory: pytest.TempPathFactory, document: Any, parts: list[Any]
) -> None:
    folder = tmp_path_factory.mktemp("junk")
    for content in (document, {"info": info(), "messages": [{"info": document, "parts": parts}]}):
        transcript = reading.transcript(opencode, reading.write_lines(folder / "x.json", [content]))
        opencode.peek(transcript)
        assert isinstance(list(opencode.read(transcript, None, reading.NOW))[-1], ReadEnd)
