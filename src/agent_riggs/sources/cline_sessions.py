"""Cline's own sessions from release 3 of its command line on: ``data/sessions/<id>/<id>.messages.json``.

Measured on 3.0.65. The session's facts (folder, model, times) lie in ``<id>.json`` beside the messages. A call of
``run_commands`` holds several commands, each with a result of its own; it is told as one call per command. A command
that failed is no error of the call: ``success`` is false and the code stands at the head of its result.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from agent_riggs.model import Event, Head, Problem, ReadEnd, Status, ToolCall, ToolResult, Transcript
from agent_riggs.sources import decode, documents, ids

SUFFIX: Final = ".messages.json"
_CODE: Final = re.compile(r"\A\[?Command exited with code (-?\d{1,10})\]?\n?")
_MODE: Final = re.compile(r"<user_input mode=\"(\w{1,40})\">")
_REJECTED: Final = re.compile(r"(?i)\A[^\n]{0,80}\b(?:user (?:denied|rejected|declined)|denied by (?:the )?user)")


@dataclass(slots=True)
class _Session:
    agent: str
    id: str
    cwd: str
    version: str
    started: int | None
    ended: int | None
    mode: str = ""
    calls: dict[str, ToolCall] = field(default_factory=dict)
    unknown: Counter[str] = field(default_factory=Counter)


def peek(transcript: Transcript) -> Head | Problem | None:
    """Whose session it is."""
    document = documents.load(transcript.path)
    if not isinstance(document, dict) or not isinstance(document.get("messages"), list):
        return document if isinstance(document, Problem) else None
    session = _session(transcript, document, 1 << 62)
    return Head(session.id, session.cwd, session.started)


def read(transcript: Transcript, now: int) -> Iterator[Event]:
    """Every call of the session in its present state."""
    document = documents.load(transcript.path)
    if isinstance(document, Problem):
        yield document
    known = document if isinstance(document, dict) else {}
    session = _session(transcript, known, now)
    messages = known.get("messages")
    messages = messages if isinstance(messages, list) else []
    for index, message in enumerate(messages):
        _message(session, message, index + 1, now)
    yield from session.calls.values()
    yield ReadEnd(
        documents.cursor(transcript.path, len(messages)),
        len(messages),
        len(messages),
        dict(session.unknown),
        versions=(session.version,) if session.version else (),
        session_id=session.id,
        started=session.started,
        ended=session.ended,
    )


def _session(transcript: Transcript, document: Mapping[str, Any], now: int) -> _Session:
    own = decode.id_of(document.get("sessionId")) or transcript.path.name.removesuffix(SUFFIX)
    facts = documents.load(transcript.path.with_name(transcript.path.name.replace(SUFFIX, ".json")))
    facts = facts if isinstance(facts, dict) else {}
    origin = document.get("origin")
    return _Session(
        transcript.source,
        own,
        decode.str_of(facts.get("cwd")) or decode.str_of(facts.get("workspace_root")),
        decode.str_of(origin.get("version")) if isinstance(origin, dict) else "",
        decode.time_of(facts.get("started_at"), now),
        decode.time_of(facts.get("ended_at"), now) or decode.time_of(document.get("updated_at"), now),
    )


def _message(session: _Session, message: object, number: int, now: int) -> None:
    role = message.get("role") if isinstance(message, dict) else None
    if not isinstance(message, dict) or role not in ("user", "assistant"):
        session.unknown[f"message/{role}"[:80]] += 1
        return
    content, when = message.get("content"), decode.time_of(message.get("ts"), now)
    model = message.get("modelInfo")
    named = decode.str_of(model.get("id")) if isinstance(model, dict) else ""
    for index, block in enumerate(content if isinstance(content, list) else ()):
        kind = str(block.get("type")) if isinstance(block, dict) else type(block).__name__
        if kind == "tool_use":
            _calls(session, block, number * 1000 + index * 20, when, named)
        elif kind == "tool_result":
            _results(session, block, when)
        elif kind == "text" and role == "user":
            mode = _MODE.search(decode.str_of(block.get("text"))[:2000])
            session.mode = mode[1] if mode else session.mode
        elif kind not in ("text", "image", "thinking", "redacted_thinking", "reasoning", "file"):
            session.unknown[kind[:80]] += 1


def _calls(session: _Session, block: Mapping[str, Any], position: int, when: int | None, model: str) -> None:
    raw = decode.id_of(block.get("id"))
    key = ids.scoped(session.id, raw) if raw else f"{session.id}/{position}"
    tool, given = decode.str_of(block.get("name")) or "unknown", decode.input_of(block.get("input"))
    commands = given.get("commands") if tool == "run_commands" else None
    inputs: list[Mapping[str, Any]] = [given]
    if isinstance(commands, list) and commands:
        inputs = [c if isinstance(c, dict) else {"command": str(c)} for c in commands[:20]]
    for index, one in enumerate(inputs):
        own = key if index == 0 else f"{key}.{index}"
        session.calls.setdefault(
            own,
            ToolCall(
                agent=session.agent,
                session_id=session.id,
                call_id=own,
                tool=tool,
                input=one,
                position=position + index,
                timestamp=when,
                cwd=session.cwd,
                mode=session.mode or None,
                mode_source="recorded" if session.mode else None,
                model=model,
                version=session.version,
            ),
        )


def _results(session: _Session, block: Mapping[str, Any], when: int | None) -> None:
    """A result; of one with a list of answers each belongs to its command, or all of them to the one call."""
    key = ids.scoped(session.id, decode.id_of(block.get("tool_use_id")))
    content, flag = block.get("content"), decode.flag_of(block.get("is_error"))
    parts = [p for p in content if isinstance(p, dict) and "success" in p] if isinstance(content, list) else []
    split = f"{key}.1" in session.calls
    answers = [[p] for p in parts] if split and parts else [parts]
    for index, group in enumerate(answers):
        own = key if index == 0 else f"{key}.{index}"
        call = session.calls.get(own)
        if call is not None and call.result is None:
            result = _answer(group, flag, when) if group else _plain(content, flag, when)
            session.calls[own] = replace(call, result=result)


def _answer(parts: list[dict[str, Any]], flag: bool | None, when: int | None) -> ToolResult:
    """The result of one command, or of one call that asked for several things."""
    texts, code, failed = [], None, False
    for part in parts:
        text, error = decode.text_of(part.get("result")), decode.str_of(part.get("error"))
        found = _CODE.match(text) or _CODE.match(error)
        code = int(found[1]) if found else code
        text = _CODE.sub("", text)
        failed = failed or part.get("success") is False
        texts.append(text or ("" if _CODE.match(error) else error))
    told = "\n".join(t for t in texts if t)
    status: Status | None = "error" if failed and code is None else None
    if code is None and not failed and len(parts) == 1:
        code = 0 if "query" in parts[0] else None
    return ToolResult(documents.kept(told), True if flag or status else flag, status, code, when)


def _plain(content: object, flag: bool | None, when: int | None) -> ToolResult:
    text = decode.text_of(content)
    inner = decode.loads(text.encode("utf-8", "replace")) if text.startswith('{"error"') else None
    if isinstance(inner, dict):
        text = decode.str_of(inner.get("error")) or text
    status: Status | None = "rejected" if _REJECTED.match(text) else "error" if flag else None
    return ToolResult(documents.kept(text), flag, status, None, when)
