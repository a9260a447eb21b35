"""Qwen Code chats: ``projects/<folder>/chats/<session>.jsonl`` below ``$QWEN_RUNTIME_DIR``, ``$QWEN_HOME`` or
``~/.qwen``, and chats in Gemini CLI's form below ``tmp``.

Measured on Qwen Code 0.15.10; modes, branches and background tasks are from documentation. Records look like Claude
Code's outside and like Gemini CLI's inside. A branch copies records with their ids; ``forkedFrom`` names the session
they came from. A shell command that failed has status ``success`` and a line ``Exit Code: N`` in its text, which the
judge reads.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from functools import partial
from pathlib import Path
from typing import Any, Final

from agent_riggs.model import Cursor, Event, Head, LateResult, Notice, Problem, Status, ToolCall, ToolResult, Transcript
from agent_riggs.paths import expand
from agent_riggs.sources import base, decode, gemini, ids, jsonl

name: Final = "qwen"

_TYPES: Final = frozenset({"user", "assistant", "tool_result", "system"})
_ANY_TIME: Final = 1 << 62
_PEEKED: Final = 40
_ENDED: Final[dict[str, Status]] = {"completed": "ok", "failed": "error", "cancelled": "interrupted", "killed": "error"}
_USER_SAID_NO: Final = ("User denied execution", "User rejected", "declined")


@dataclass(slots=True)
class State:
    """What is in force at one point of a chat."""

    session: str = ""
    cwd: str = ""
    mode: str | None = None
    version: str = ""
    model: str = ""
    started: int | None = None
    ended: int | None = None
    named: bool = False
    open: dict[str, str] = field(default_factory=dict)
    """Calls without a result: id to tool."""

    def dump(self) -> dict[str, Any]:
        """For the cursor."""
        return asdict(self)

    @property
    def told(self) -> Mapping[str, Any]:
        """For ``ReadEnd``."""
        versions = (self.version,) if self.version else ()
        return {"session_id": self.session, "versions": versions, "started": self.started, "ended": self.ended}


def places(environ: Mapping[str, str], home: Path) -> list[Path]:
    """The folders it looks in."""
    named = [environ.get(variable, "").strip() for variable in ("QWEN_RUNTIME_DIR", "QWEN_HOME")]
    return [expand(value, home) for value in named if value] or [home / ".qwen"]


def find(environ: Mapping[str, str], home: Path) -> Iterator[Transcript | Problem]:
    """Every chat of both forms."""
    seen: set[tuple[int, int]] = set()
    for root in places(environ, home):
        for found in base.walk(root / "projects", (".jsonl",), seen):
            if isinstance(found, Problem):
                yield found
            elif "chats" in found[0].parts[-3:-1]:
                yield base.transcript(name, *found, None, root)
        for item in gemini.transcripts(root / "tmp", seen, root):
            yield replace(item, source=name) if isinstance(item, Transcript) else item


def _is_old(transcript: Transcript) -> bool:
    """Whether a chat has Gemini's form: those are documents, or lie in ``tmp/<project>/chats``."""
    chats = next((p for p in transcript.path.parents if p.name == "chats"), None)
    return transcript.path.suffix == ".json" or (chats is not None and chats.parent.parent.name == "tmp")


def peek(transcript: Transcript) -> Head | Problem | None:
    """Whose chat it is."""
    if _is_old(transcript):
        return gemini.peek(transcript)
    state = _load(transcript.path.stem, {})
    for record in jsonl.first_records(transcript.path, jsonl.plain, _PEEKED):
        if isinstance(record, Problem):
            return record
        deque(step(state, record, _ANY_TIME, 0) or (), maxlen=0)
        if state.cwd:
            break
    return Head(state.session, state.cwd, state.started) if state.named else None


def read(transcript: Transcript, cursor: Cursor | None, now: int) -> Iterator[Event]:
    """Everything after ``cursor``; a chat in Gemini's form is read as a whole."""
    if not _is_old(transcript):
        form = jsonl.Format(partial(_load, transcript.path.stem), step, type_of)
        yield from jsonl.read(transcript, cursor, now, form)
        return
    for event in gemini.read(transcript, cursor, now):
        yield replace(event, agent=name) if isinstance(event, ToolCall) else event


def _load(named: str, saved: Mapping[str, Any]) -> State:
    known = {f.name for f in fields(State)}
    values: dict[str, Any] = {k: dict(v) if isinstance(v, dict) else v for k, v in saved.items() if k in known}
    return State(**values) if values else State(session=named)


def type_of(record: dict[str, Any]) -> str:
    """The type of a record, for the count of unknown ones."""
    return str(record.get("type"))


def step(state: State, record: dict[str, Any], now: int, position: int) -> Iterator[Event] | None:
    """Events of one record; ``None`` when its type is unknown."""
    kind = str(record.get("type"))
    if kind not in _TYPES:
        return None
    when = decode.time_of(record.get("timestamp"), now)
    if when is not None:
        state.started = when if state.started is None else state.started
        state.ended = when
    own = decode.id_of(record.get("sessionId"))
    if own and not state.named:
        state.session, state.named = own, True
    state.cwd = decode.str_of(record.get("cwd")) or state.cwd
    state.version = decode.str_of(record.get("version")) or state.version
    state.model = decode.str_of(record.get("model")) or state.model
    if kind == "system":
        return _system(state, record, when, position)
    return _parts(state, record, kind, when, position)


def _origin(state: State, record: Mapping[str, Any]) -> str:
    """The session a record was first written in."""
    forked = record.get("forkedFrom")
    return (decode.id_of(forked.get("sessionId")) if isinstance(forked, dict) else "") or state.session


def _parts(state: State, record: Mapping[str, Any], kind: str, when: int | None, position: int) -> Iterator[Event]:
    content = record.get("message")
    parts = content.get("parts") if isinstance(content, dict) else None
    for index, part in enumerate(parts if isinstance(parts, list) else ()):
        asked, answer = (part.get("functionCall"), part.get("functionResponse")) if isinstance(part, dict) else (0, 0)
        if isinstance(asked, dict):
            yield _call(state, record, asked, when, position + index)
        elif isinstance(answer, dict) and kind == "tool_result":
            yield _late(state, record, answer, when, position + index)
    if kind == "tool_result" and not isinstance(parts, list):
        yield _late(state, record, {}, when, position)


def _key(state: State, record: Mapping[str, Any], raw: object, position: int) -> str:
    own = decode.id_of(raw)
    return ids.scoped(_origin(state, record), own or decode.id_of(record.get("uuid")) or str(position))


def _call(
    state: State, record: Mapping[str, Any], asked: Mapping[str, Any], when: int | None, position: int
) -> ToolCall:
    key = _key(state, record, asked.get("id"), position)
    state.open[key] = decode.str_of(asked.get("name")) or "unknown"
    return ToolCall(
        agent=name,
        session_id=_origin(state, record),
        call_id=key,
        tool=state.open[key],
        input=decode.input_of(asked.get("args")),
        position=position,
        timestamp=when,
        cwd=state.cwd,
        agent_id=decode.id_of(record.get("agentId")),
        mode=state.mode,
        mode_source="recorded" if state.mode else None,
        model=state.model,
        version=state.version,
        branch=decode.str_of(record.get("gitBranch")),
    )


def _late(
    state: State, record: Mapping[str, Any], answer: Mapping[str, Any], when: int | None, position: int
) -> LateResult:
    told = record.get("toolCallResult")
    told = told if isinstance(told, dict) else {}
    response = answer.get("response")
    response = response if isinstance(response, dict) else {}
    text = decode.text_of(response.get("error")) or decode.text_of(response.get("output"))
    text = text or decode.text_of(told.get("error")) or decode.text_of(told.get("resultDisplay"))
    key = _key(state, record, told.get("callId") or answer.get("id"), position)
    state.open.pop(key, None)
    failed = told.get("status") == "error" or ("status" not in told and bool(response.get("error")))
    status: Status | None = "error" if failed else None
    if told.get("status") == "cancelled":
        status = "rejected" if any(word in text[:400] for word in _USER_SAID_NO) else "interrupted"
    return LateResult(
        name, _origin(state, record), key, ToolResult(text, failed, status, None, when, position=position)
    )


def _system(state: State, record: Mapping[str, Any], when: int | None, position: int) -> Iterator[Event]:
    """The mode in force, and the end of background tasks; where the facts lie in the record depends on the release."""
    subtype = str(record.get("subtype"))
    inner = next((record[k] for k in ("systemPayload", "payload", "data") if isinstance(record.get(k), dict)), record)
    if subtype == "session_approval_mode":
        state.mode = decode.str_of(inner.get("mode"))[:60] or state.mode
    task = inner.get("backgroundTask")
    if subtype == "notification" and isinstance(task, dict):
        status = _ENDED.get(str(task.get("status")))
        owner = decode.id_of(task.get("toolUseId"))
        key = ids.scoped(_origin(state, record), owner) if owner else ""
        if status is not None:
            own = decode.id_of(task.get("taskId"))
            yield Notice(name, state.session, status, own, key, None, "", when, position)
