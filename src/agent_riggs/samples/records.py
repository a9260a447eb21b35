"""The records of a Claude Code transcript, as version 2.1 of the agent writes them, from a session told in steps."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

MODEL = "claude-sonnet-4-5"


@dataclass(frozen=True, slots=True)
class Prompt:
    """What the human typed."""

    text: str


@dataclass(frozen=True, slots=True)
class Call:
    """One tool call and what came back."""

    tool: str
    input: Mapping[str, Any]
    text: str
    error: bool = False
    detail: Any = None
    """``toolUseResult``; made from the text when it is ``None``."""
    seconds: int = 4
    task: str = ""
    """Background task the command went on as."""
    agent: tuple[Step, ...] = ()
    """What the subagent did, for a call that started one."""


@dataclass(frozen=True, slots=True)
class Together:
    """Calls made at once: all requests stand before the first result."""

    calls: tuple[Call, ...]


@dataclass(frozen=True, slots=True)
class TaskEnded:
    """The notice that a background task has ended."""

    task: str
    status: str
    summary: str


@dataclass(frozen=True, slots=True)
class Damaged:
    """A line that no reader can understand."""

    text: str


Step = Prompt | Call | Together | TaskEnded | Damaged


@dataclass(frozen=True, slots=True)
class Session:
    """One session: when it ran and what happened."""

    name: str
    days_ago: float
    """How long before the last session's end it began."""
    steps: tuple[Step, ...]
    mode: str = "default"
    version: str = "2.1.219"
    branch: str = "main"


@dataclass(slots=True)
class _Writer:
    """The thread of records of one transcript file: each names the one before it, and time goes on."""

    session: Session
    session_id: str
    cwd: str
    clock: datetime
    agent_id: str = ""
    count: int = 0
    last: str | None = None
    records: list[bytes] = field(default_factory=list)
    agents: list[tuple[str, list[bytes]]] = field(default_factory=list)


def lines(session: Session, cwd: str, until: int) -> Iterator[tuple[str, list[bytes]]]:
    """The transcript files of one session: path below the project's transcript folder, and its lines."""
    end = datetime.fromtimestamp(until / 1_000_000, UTC)
    session_id = _uuid("session", session.name)
    writer = _Writer(session, session_id, cwd, end - timedelta(days=session.days_ago))
    _bare(writer, {"type": "file-history-snapshot", "messageId": _uuid("snapshot", session.name), "snapshot": {}})
    _write(writer, session.steps)
    yield f"{session_id}.jsonl", writer.records
    for agent_id, records in writer.agents:
        yield f"{session_id}/subagents/agent-{agent_id}.jsonl", records


def _write(writer: _Writer, steps: tuple[Step, ...]) -> None:
    for step in steps:
        if isinstance(step, Prompt):
            extra = {} if writer.agent_id else {"permissionMode": writer.session.mode, "promptSource": "typed"}
            _record(writer, "user", {"role": "user", "content": step.text}, 20, extra)
        elif isinstance(step, Call):
            _result(writer, step, *_request(writer, step))
        elif isinstance(step, Together):
            asked = [(call, _request(writer, call)) for call in step.calls]
            for call, request in asked:
                _result(writer, call, *request)
        elif isinstance(step, TaskEnded):
            _notice(writer, step)
        else:
            writer.records.append(step.text.encode())


def _request(writer: _Writer, call: Call) -> tuple[str, str]:
    """Write the request; returns the call's id and the record's uuid."""
    call_id = "toolu_01" + _digest("call", writer.session.name, writer.agent_id, writer.count)[:22]
    block = {"type": "tool_use", "id": call_id, "name": call.tool, "input": call.input}
    message = {
        "id": "msg_01" + _digest("message", writer.session.name, writer.agent_id, writer.count)[:22],
        "type": "message",
        "role": "assistant",
        "model": MODEL,
        "content": [block],
        "stop_reason": None,
        "usage": {"input_tokens": 9, "output_tokens": 120 + writer.count % 7},
    }
    return call_id, _record(writer, "assistant", message, 3)


def _result(writer: _Writer, call: Call, call_id: str, asked_by: str) -> None:
    if call.agent:
        _subagent(writer, call, call_id)
    block: dict[str, Any] = {"tool_use_id": call_id, "type": "tool_result", "content": call.text}
    if call.error:
        block["is_error"] = True
    detail = call.detail
    if detail is None:
        detail = f"Error: {call.text}" if call.error else _plain_detail(call)
    extra = {"toolUseResult": detail, "sourceToolAssistantUUID": asked_by}
    _record(writer, "user", {"role": "user", "content": [block]}, call.seconds, extra)


def _plain_detail(call: Call) -> dict[str, Any]:
    if call.tool != "Bash":
        return {}
    found: dict[str, Any] = {"stdout": call.text, "stderr": "", "interrupted": False, "isImage": False}
    return {**found, "stdout": "", "backgroundTaskId": call.task} if call.task else found


def _subagent(writer: _Writer, call: Call, call_id: str) -> None:
    agent_id = _digest("agent", call_id)[:8]
    inner = _Writer(writer.session, writer.session_id, writer.cwd, writer.clock, agent_id)
    _write(inner, call.agent)
    writer.clock = inner.clock
    writer.agents.append((agent_id, inner.records))


def _notice(writer: _Writer, step: TaskEnded) -> None:
    writer.clock += timedelta(seconds=30)
    content = (
        f"<task-notification>\n<task-id>{step.task}</task-id>\n<status>{step.status}</status>\n"
        f"<summary>{step.summary}</summary>\n</task-notification>"
    )
    _bare(writer, {"type": "queue-operation", "operation": "enqueue", "content": content}, timed=True)


def _record(
    writer: _Writer, kind: str, message: Mapping[str, Any], seconds: int, extra: Mapping[str, Any] | None = None
) -> str:
    """Write one record in its envelope; returns its uuid."""
    writer.clock += timedelta(seconds=seconds)
    uuid = _uuid("record", writer.session.name, writer.agent_id, writer.count)
    envelope: dict[str, Any] = {
        "parentUuid": writer.last,
        "isSidechain": bool(writer.agent_id),
        **({"agentId": writer.agent_id} if writer.agent_id else {}),
        "userType": "external",
        "cwd": writer.cwd,
        "sessionId": writer.session_id,
        "version": writer.session.version,
        "gitBranch": writer.session.branch,
        "type": kind,
        "message": message,
        "uuid": uuid,
        "timestamp": _time(writer.clock),
        **(extra or {}),
    }
    writer.records.append(_json(envelope))
    writer.count += 1
    writer.last = uuid
    return uuid


def _bare(writer: _Writer, record: dict[str, Any], timed: bool = False) -> None:
    """Write a record that has no envelope."""
    if timed:
        record = {**record, "timestamp": _time(writer.clock), "sessionId": writer.session_id}
    writer.records.append(_json(record))


def _json(record: Mapping[str, Any]) -> bytes:
    return json.dumps(record, ensure_ascii=False, separators=(",", ":")).encode()


def _time(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%dT%H:%M:%S.000Z")


def _digest(*parts: object) -> str:
    return hashlib.sha256("\x1f".join(map(str, parts)).encode()).hexdigest()


def _uuid(*parts: object) -> str:
    text = _digest(*parts)
    return f"{text[:8]}-{text[8:12]}-4{text[13:16]}-a{text[17:20]}-{text[20:32]}"
