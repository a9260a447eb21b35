"""The Qwen Code source, as documentation and the producer's source describe its records."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import reading
from agent_riggs.model import Head, ReadEnd, Transcript
from agent_riggs.sources import SOURCES, qwen, recognize
from agent_riggs.sources.check import check_source

SESSION = "0d0d0d0d-1111-4222-8333-444444444444"


def record(kind: str, number: int = 0, **more: Any) -> dict[str, Any]:
    base = {"uuid": f"u{number}", "sessionId": SESSION, "timestamp": f"2026-05-04T09:00:{number:02d}Z", "type": kind}
    return base | {"cwd": "/srv/shop", "version": "0.9.0", "gitBranch": "main"} | more


def asked(number: int, key: str, tool: str = "run_shell_command", **given: Any) -> dict[str, Any]:
    parts = [{"text": "so"}, {"functionCall": {"id": key, "name": tool, "args": given}}]
    return record("assistant", number, model="q-1", message={"role": "model", "parts": parts})


def answered(number: int, key: str, status: str | None = "success", **response: Any) -> dict[str, Any]:
    parts = [{"functionResponse": {"id": key, "name": "x", "response": response}}]
    told = {"toolCallResult": {"callId": key, "status": status}} if status else {}
    return record("tool_result", number, message={"role": "user", "parts": parts}, **told)


def mode(number: int, value: str) -> dict[str, Any]:
    return record("system", number, subtype="session_approval_mode", systemPayload={"mode": value})


def chat(home: Path, *records: object, name: str = SESSION) -> Path:
    return reading.write_lines(home / ".qwen/projects/-srv-shop/chats" / f"{name}.jsonl", records)


RECORDS = [
    record("user", 0, message={"role": "user", "parts": [{"text": "go"}]}),
    asked(1, "call_qwen0001", command="npm test"),
    answered(2, "call_qwen0001", output="Output: 1 failing\nExit Code: 1"),
    mode(3, "plan"),
    asked(4, "call_qwen0002", "read_file", path="x"),
    answered(5, "call_qwen0002", "error", error="File not found: x"),
    asked(6, "call_qwen0003", command="rm -rf x"),
    answered(7, "call_qwen0003", "cancelled", error="[Operation Cancelled] Reason: User denied execution."),
    asked(8, "call_qwen0004", command="sleep 9"),
    answered(9, "call_qwen0004", "cancelled", error="[Operation Cancelled] User cancelled tool execution."),
    asked(10, "call_qwen0005", command="make &"),
    record(
        "system",
        11,
        subtype="notification",
        systemPayload={"backgroundTask": {"taskId": "t1", "status": "failed", "toolUseId": "call_qwen0005"}},
    ),
    answered(12, "call_qwen0006", None, error="no status beside it"),
    record("hologram", 13),
]


def test_a_chat(tmp_path: Path) -> None:
    found = reading.read(qwen, chat(tmp_path, *RECORDS))
    told = [(c.tool, c.mode, c.result.status if c.result else "pending") for c in found.calls.values()]
    assert told == [
        ("run_shell_command", None, None),
        ("read_file", "plan", "error"),
        ("run_shell_command", "plan", "rejected"),
        ("run_shell_command", "plan", "interrupted"),
        ("run_shell_command", "plan", "pending"),
    ]
    assert [(n.task_id, n.call_id, n.status) for n in found.notices] == [("t1", "call_qwen0005", "error")]
    assert found.end.unknown == {"hologram": 1}
    assert found.end.versions == ("0.9.0",)
    first = found.calls["call_qwen0001"]
    assert (first.cwd, first.branch, first.model, first.timestamp) == ("/srv/shop", "main", "q-1", 1777885201000000)


def test_it_holds_to_the_rules_of_a_source(tmp_path: Path) -> None:
    chat(tmp_path, *RECORDS)
    assert len(check_source(qwen, {}, tmp_path)) == 1


def test_a_branch_repeats_calls_under_the_name_of_their_origin(tmp_path: Path) -> None:
    forked = asked(1, "7") | {"sessionId": "branch", "forkedFrom": {"sessionId": SESSION, "messageUuid": "u1"}}
    own = asked(2, "8") | {"sessionId": "branch"}
    calls = reading.read(qwen, chat(tmp_path, own, forked, name="branch")).calls
    assert {key: call.session_id for key, call in calls.items()} == {f"{SESSION}/7": SESSION, "branch/8": "branch"}


def test_a_chat_in_geminis_form_is_qwens_own(tmp_path: Path) -> None:
    shutil.copytree(reading.PAIRS / "gemini", tmp_path / ".qwen", ignore=shutil.ignore_patterns("*.expected.json"))
    found = check_source(qwen, {}, tmp_path)
    assert len(found) == 3
    assert {call.agent for result in found for call in result.calls.values()} == {"qwen"}


def test_where_it_looks(tmp_path: Path) -> None:
    chat(tmp_path / "x", RECORDS[0])
    for variable in ("QWEN_RUNTIME_DIR", "QWEN_HOME"):
        (found,) = list(qwen.find({variable: str(tmp_path / "x/.qwen")}, tmp_path))
        assert isinstance(found, Transcript)
        assert qwen.peek(found) == Head(SESSION, "/srv/shop", 1777885200000000)
    assert list(qwen.find({}, tmp_path)) == []


def test_given_by_name(tmp_path: Path) -> None:
    assert [name for name, _ in recognize.named(chat(tmp_path, *RECORDS), SOURCES)] == ["qwen"]


JUNK = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8) | st.just("success"),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=6,
)
KEYS = st.sampled_from(
    ["parts", "functionCall", "functionResponse", "id", "name", "args", "response", "status", "mode", "backgroundTask"]
)
NODE = st.recursive(JUNK, lambda n: st.dictionaries(KEYS, n, max_size=5) | st.lists(n, max_size=3), max_leaves=8)


@settings(max_examples=100, deadline=None)
@given(nodes=st.lists(NODE, max_size=5))
def test_no_record_breaks_a_reading(tmp_path_factory: pytest.TempPathFactory, nodes: list[Any]) -> None:
    kinds = ("assistant", "tool_result", "system", "user")
    fields = ("message", "toolCallResult", "systemPayload", "forkedFrom")
    records = [record(k, 1, **dict.fromkeys(fields, node), subtype="notification") for node in nodes for k in kinds]
    path = reading.write_lines(tmp_path_factory.mktemp("junk") / "c.jsonl", [json.dumps(r) for r in records])
    transcript = reading.transcript(qwen, path)
    qwen.peek(transcript)
    assert isinstance(list(qwen.read(transcript, None, reading.NOW))[-1], ReadEnd)
