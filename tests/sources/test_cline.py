"""The Cline source: results that name no call, mode and folder in the prose, as its documentation describes them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import reading
from agent_riggs.model import Head, ReadEnd, Transcript
from agent_riggs.sources import SOURCES, cline, recognize
from agent_riggs.sources.check import check_source

TASK = "1777885200000"
START = 1777885200000000


def text(value: str) -> dict[str, str]:
    return {"type": "text", "text": value}


def details(mode: str = "ACT MODE", cwd: str = "/srv/shop") -> dict[str, str]:
    where = f"# Current Working Directory ({cwd}) Files\na.txt\n"
    return text(f"<environment_details>\n{where}\n# Current Mode\n{mode}\n</environment_details>")


def use(key: str, tool: str, **given: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": key, "name": tool, "input": given}


MESSAGES: list[dict[str, Any]] = [
    {"role": "user", "content": [text("<task>go</task>"), details()]},
    {"role": "assistant", "content": [text("so"), use("toolu_cline0001", "execute_command", command="npm test")]},
    {
        "role": "user",
        "content": [
            text("[execute_command for 'npm test'] Result:"),
            text("Command executed.\nOutput:\n1 failing"),
            details("PLAN MODE"),
        ],
    },
    {"role": "assistant", "content": [use("1", "read_file", path="x"), use("2", "write_to_file", path="y")]},
    {
        "role": "user",
        "content": [
            text(
                "[read_file for 'x'] Result:\n"
                "The tool execution failed with the following error:\n<error>no file</error>"
            ),
            text(
                "[write_to_file for 'y'] Result:\nThe user denied this operation.\n"
                "<feedback>\nuse another name\n</feedback>"
            ),
            details("<slug>code</slug>"),
        ],
    },
    {"role": "assistant", "content": [use("3", "list_files", path="."), use("4", "list_files", path="b")]},
    {
        "role": "user",
        "content": [
            {"type": "tool_result", "tool_use_id": "4", "content": [text("b.txt")], "is_error": True},
            {"type": "tool_result", "tool_use_id": "3", "content": "a.txt"},
        ],
    },
    {"role": "assistant", "content": [use("5", "attempt_completion"), {"type": "hologram"}]},
    {"role": "narrator", "content": 5},
]
WANTED = [
    ("execute_command", "act", None, None, "Command executed.\nOutput:\n1 failing"),
    ("read_file", "plan", "error", True, "The tool execution failed with the following error:\n<error>no file</error>"),
    (
        "write_to_file",
        "plan",
        "rejected",
        None,
        "The user denied this operation.\n<feedback>\nuse another name\n</feedback>",
    ),
    ("list_files", "code", None, None, "a.txt"),
    ("list_files", "code", "error", True, "b.txt"),
    ("attempt_completion", "code", "pending", None, ""),
]


def task(home: Path, root: str = ".cline/data", messages: Any = MESSAGES) -> Path:
    path = home / root / "tasks" / TASK / "api_conversation_history.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(messages))
    requests = [{"say": "api_req_started", "ts": int(TASK) + i * 1000} for i in range(1, 4)]
    (path.parent / "ui_messages.json").write_text(json.dumps([{"say": "text", "ts": int(TASK)}, *requests]))
    return path


def test_a_task(tmp_path: Path) -> None:
    found = reading.read(cline, task(tmp_path))
    calls = sorted(found.calls.values(), key=lambda c: c.position)
    assert [
        (c.tool, c.mode, c.result.status, c.result.flag, c.result.text)
        if c.result
        else (c.tool, c.mode, "pending", None, "")
        for c in calls
    ] == WANTED
    assert [c.result.user_said for c in calls if c.result and c.result.user_said] == ["use another name"]
    assert {c.cwd for c in calls} == {"/srv/shop"}
    assert [c.timestamp for c in calls][:2] == [START + 1_000_000, START + 2_000_000]
    assert found.end.unknown == {"hologram": 1, "message/narrator": 1}
    assert calls[0].call_id == "toolu_cline0001"
    assert calls[1].call_id == f"{TASK}/1"


def test_it_holds_to_the_rules_of_a_source(tmp_path: Path) -> None:
    task(tmp_path)
    assert len(check_source(cline, {}, tmp_path)) == 1


@pytest.mark.parametrize(
    "root",
    [
        ".config/Code/User/globalStorage/saoudrizwan.claude-dev",
        ".config/VSCodium/User/globalStorage/rooveterinaryinc.roo-cline",
        "Library/Application Support/Code/User/globalStorage/saoudrizwan.claude-dev",
        ".vscode-server/data/User/globalStorage/saoudrizwan.claude-dev",
        ".cline/data",
    ],
)
def test_where_it_looks(tmp_path: Path, root: str) -> None:
    task(tmp_path, root)
    (found,) = list(cline.find({}, tmp_path))
    assert isinstance(found, Transcript)
    assert cline.peek(found) == Head(TASK, "/srv/shop", START)


def test_homes_follow_the_variables(tmp_path: Path) -> None:
    task(tmp_path, "a")
    assert len(list(cline.find({"CLINE_DATA_DIR": str(tmp_path / "a")}, tmp_path))) == 1
    task(tmp_path, "b/data")
    assert len(list(cline.find({"CLINE_DIR": str(tmp_path / "b")}, tmp_path))) == 1


def test_given_by_name(tmp_path: Path) -> None:
    assert [name for name, _ in recognize.named(task(tmp_path), SOURCES)] == ["cline"]


@pytest.mark.parametrize("content", ["", "[]", "{}", '"x"', "[1, null, {}]", '[{"role": "user", "content": null}]'])
def test_a_history_without_calls(tmp_path: Path, content: str) -> None:
    path = task(tmp_path)
    path.write_text(content)
    cline.peek(reading.transcript(cline, path))
    assert not reading.read(cline, path).calls


def session(home: Path, messages: list[Any], **facts: Any) -> Path:
    """A session of Cline's command line, release 3."""
    folder = home / ".cline/data/sessions/s1"
    folder.mkdir(parents=True, exist_ok=True)
    about = {"cwd": "/srv/shop", "started_at": "2026-05-04T09:00:00Z", "ended_at": "2026-05-04T09:01:00Z"}
    (folder / "s1.json").write_text(json.dumps(about | facts))
    document = {"sessionId": "s1", "origin": {"version": "3.0.65"}, "messages": messages}
    path = folder / "s1.messages.json"
    path.write_text(json.dumps(document))
    return path


def said(*blocks: Any, role: str = "assistant") -> dict[str, Any]:
    return {"role": role, "content": list(blocks), "ts": int(TASK), "modelInfo": {"id": "m-1"}}


def result(key: str, content: Any, **more: Any) -> dict[str, Any]:
    return said({"type": "tool_result", "tool_use_id": key, "content": content, **more}, role="user")


def ran(output: str, code: int) -> dict[str, Any]:
    if not code:
        return {"query": "x", "result": output, "success": True}
    failed = f"Command exited with code {code}"
    return {"query": "x", "result": f"[{failed}]\n{output}", "error": failed, "success": False}


SESSION = [
    said(text('<user_input mode="plan">go</user_input>'), role="user"),
    said(use("call_cline0001", "run_commands", commands=["make", {"command": "git", "args": ["push"]}, "ls"])),
    result("call_cline0001", [ran("no rule", 2), ran("fatal: no", 128), ran("a", 0)]),
    said(use("call_cline0002", "read_files", files=[{"path": "a"}, {"path": "b"}])),
    result(
        "call_cline0002",
        [
            {"query": "a", "result": "text", "success": True},
            {"query": "b", "result": "", "error": "Error reading file: ENOENT", "success": False},
        ],
    ),
    said(use("call_cline0003", "nope")),
    result("call_cline0003", '{"error":"Tool call nope was rejected before execution: unavailable"}', is_error=True),
    said(use("call_cline0004", "editor", path="x")),
    result("call_cline0004", "The user denied this call", is_error=True),
    said(use("call_cline0005", "run_commands", commands=["sleep 9"]), {"type": "hologram"}),
]


def test_a_session_of_the_command_line(tmp_path: Path) -> None:
    path = session(tmp_path, SESSION)
    (found,) = list(cline.find({}, tmp_path))
    assert isinstance(found, Transcript)
    assert cline.peek(found) == Head("s1", "/srv/shop", START)
    read = reading.read(cline, path)
    assert [
        (c.tool, c.result.status, c.result.exit_code, c.result.text) if c.result else (c.tool, "pending", None, "")
        for c in read.calls.values()
    ] == [
        ("run_commands", None, 2, "no rule"),
        ("run_commands", None, 128, "fatal: no"),
        ("run_commands", None, 0, "a"),
        ("read_files", "error", None, "text\nError reading file: ENOENT"),
        ("nope", "error", None, "Tool call nope was rejected before execution: unavailable"),
        ("editor", "rejected", None, "The user denied this call"),
        ("run_commands", "pending", None, ""),
    ]
    assert {c.mode for c in read.calls.values()} == {"plan"}
    assert {(c.cwd, c.model, c.version) for c in read.calls.values()} == {("/srv/shop", "m-1", "3.0.65")}
    assert [c.call_id for c in read.calls.values()][:3] == ["call_cline0001", "call_cline0001.1", "call_cline0001.2"]
    assert read.end.unknown == {"hologram": 1}
    assert [name for name, _ in recognize.named(path, SOURCES)] == ["cline"]


def test_a_session_holds_to_the_rules_of_a_source(tmp_path: Path) -> None:
    session(tmp_path, SESSION)
    assert len(check_source(cline, {}, tmp_path)) == 1


JUNK = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.text(max_size=8)
    | st.sampled_from(["tool_use", "tool_result", "text"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=6,
)
KEYS = st.sampled_from(["role", "content", "type", "id", "name", "input", "text", "tool_use_id", "is_error", "ts"])
ROLE = st.sampled_from(["user", "assistant"])
BLOCKS = st.lists(st.dictionaries(KEYS, JUNK, max_size=6) | JUNK, max_size=4)


@settings(max_examples=100, deadline=None)
@given(messages=st.lists(st.fixed_dictionaries({"role": ROLE, "content": BLOCKS | JUNK}) | JUNK, max_size=6))
def test_no_message_breaks_a_reading(tmp_path_factory: pytest.TempPathFactory, messages: list[Any]) -> None:
    folder = tmp_path_factory.mktemp("junk")
    for path in (task(folder, messages=messages), session(folder, messages)):
        transcript = reading.transcript(cline, path)
        cline.peek(transcript)
        assert isinstance(list(cline.read(transcript, None, reading.NOW))[-1], ReadEnd)
