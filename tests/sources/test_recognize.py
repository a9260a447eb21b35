"""Files and folders given by name: the format is told by the content."""

from __future__ import annotations

import json
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

import reading
from agent_riggs.model import Problem, Transcript
from agent_riggs.sources import SOURCES, recognize

CLAUDE = {
    "type": "user",
    "uuid": "u1",
    "sessionId": "s",
    "cwd": "/srv/shop",
    "message": {"role": "user", "content": "x"},
}
CODEX = {"timestamp": "2026-05-04T09:00:00Z", "type": "session_meta", "payload": {"id": "i", "cwd": "/srv/shop"}}
COPILOT = {"type": "session.start", "data": {"sessionId": "s", "context": {"cwd": "/srv/shop"}}}
GEMINI = {"sessionId": "s", "startTime": "2026-05-04T09:00:00Z", "kind": "main"}
EXPORT = {"info": {"id": "ses_aaaaaaaa", "directory": "/srv/shop"}, "messages": []}
DOCUMENTS = {"opencode": EXPORT, "gemini": {"sessionId": "s", "messages": []}}
LINES = {"claude_code": CLAUDE, "codex": CODEX, "copilot": COPILOT, "gemini": GEMINI}


def names(path: Path) -> list[str]:
    return [name for name, item in recognize.named(path, SOURCES) if isinstance(item, Transcript)]


def problems(path: Path) -> list[str]:
    return [item.reason for _, item in recognize.named(path, SOURCES) if isinstance(item, Problem)]


@pytest.mark.parametrize("name", LINES)
@pytest.mark.parametrize("before", [[], ["", "broken {", "[]"]], ids=["clean", "damaged"])
def test_one_file_of_lines(tmp_path: Path, name: str, before: list[str]) -> None:
    assert names(reading.write_lines(tmp_path / "some.jsonl", [*before, LINES[name]])) == [name]


@pytest.mark.parametrize("name", DOCUMENTS)
def test_one_document(tmp_path: Path, name: str) -> None:
    path = tmp_path / "some.json"
    for indent in (None, 2):
        path.write_text(json.dumps(DOCUMENTS[name], indent=indent))
        assert names(path) == [name]


def test_a_kind_is_not_decided_by_the_first_line(tmp_path: Path) -> None:
    first = [{"type": "queue-operation", "sessionId": "s"}, {"type": "summary", "leafUuid": "u"}]
    assert names(reading.write_lines(tmp_path / "a.jsonl", [*first, CLAUDE])) == ["claude_code"]
    mixed = [{"x": 1}, {"type": "world_state", "payload": {}}, CODEX]
    assert names(reading.write_lines(tmp_path / "b.jsonl", mixed)) == ["codex"]


@pytest.mark.parametrize("text", ["", "\n\n", "plain words", "[]", "{}", '{"type": 5}', '{"messages": 3}\n' * 5])
@pytest.mark.parametrize("suffix", [".jsonl", ".json", ".txt", ".jsonl.zst"])
def test_a_stranger_is_a_problem(tmp_path: Path, text: str, suffix: str) -> None:
    path = tmp_path / f"some{suffix}"
    path.write_text(text)
    assert names(path) == []
    assert problems(path) == ["no known agent writes such a file"]


def test_a_compressed_rollout(tmp_path: Path) -> None:
    path = tmp_path / "rollout.jsonl.zst"
    path.write_bytes(reading.zstd(json.dumps(CODEX).encode() + b"\n"))
    assert names(path) == ["codex"]
    path.write_bytes(path.read_bytes()[:12])
    assert problems(path)


def test_databases(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "some.db")) as db:
        db.executescript(
            "CREATE TABLE session (id, time_updated); CREATE TABLE message (id); CREATE TABLE part (session_id);"
            "INSERT INTO session VALUES ('ses_aaaaaaaa', 5), ('ses_bbbbbbbb', 6)"
        )
    assert names(tmp_path / "some.db") == ["opencode", "opencode"]
    reading.write_lines(tmp_path / "ses_aaaaaaaa.json", [EXPORT])
    assert names(tmp_path) == ["opencode", "opencode"], "a session in the database counts once"
    with closing(sqlite3.connect(tmp_path / "other.db")) as db:
        db.execute("CREATE TABLE unrelated (x)")
    assert problems(tmp_path / "other.db") == ["no known agent writes such a file"]


def test_a_copied_tree_of_several_agents(tmp_path: Path) -> None:
    main = reading.write_lines(tmp_path / "a/projects/-srv-shop/s.jsonl", [CLAUDE])
    child = CLAUDE | {"isSidechain": True, "agentId": "x"}
    reading.write_lines(tmp_path / "a/projects/-srv-shop/s/subagents/agent-x.jsonl", [child])
    reading.write_lines(tmp_path / "a/projects/-srv-shop/s/subagents/agent-acompact-y.jsonl", [child])
    reading.write_lines(tmp_path / "b/rollout-x.jsonl", [CODEX])
    (tmp_path / "b/rollout-x.jsonl.zst").write_bytes(reading.zstd(json.dumps(CODEX).encode()))
    reading.write_lines(tmp_path / "c/readme.json", [{"name": "unrelated"}])
    found = [item for _, item in recognize.named(tmp_path, SOURCES) if isinstance(item, Transcript)]
    assert sorted(names(tmp_path)) == ["claude_code", "claude_code", "codex"]
    assert [t.parent for t in found if t.path.name == "agent-x.jsonl"] == [main]
    assert problems(tmp_path) == []


def test_a_folder_without_transcripts_is_a_problem(tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text("{}")
    assert problems(tmp_path) == ["no transcript of a known agent among 1 file"]


def test_samples_of_every_source_are_told_apart() -> None:
    for agent in ("codex", "copilot", "gemini"):
        files = [p for p in (reading.PAIRS / agent).rglob("*.json*") if ".expected." not in p.name]
        chats = [p for p in files if p.name != "projects.json"]
        assert {name for p in chats for name in names(p)} == {agent}
        assert all(names(p) for p in chats)


def test_an_unreadable_folder_loses_nothing_else(tmp_path: Path) -> None:
    reading.write_lines(tmp_path / "a.jsonl", [CODEX])
    (tmp_path / "gone.jsonl").symlink_to(tmp_path / "nowhere")
    shutil.copy(tmp_path / "a.jsonl", tmp_path / "b.jsonl")
    assert names(tmp_path) == ["codex", "codex"]
