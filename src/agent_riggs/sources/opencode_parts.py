"""What OpenCode's session, message and part objects say, wherever they were stored."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from agent_riggs.model import Status, ToolCall, ToolResult
from agent_riggs.sources import decode

AGENT: Final = "opencode"

PART_ID: Final = re.compile(r"\Aprt_\w{8,}\Z")
"""A usable part id. Exports may come with ids blacked out; those name no call."""

_SESSION_ID: Final = re.compile(r"\Ases_\w{6,}\Z")

_FEEDBACK: Final = re.compile(r"with the following feedback: (.*)\Z", re.DOTALL)
_REJECTED: Final = "The user rejected permission to use this"
_DENIED: Final = "The user has specified a rule which prevents you from using this"
_ABORTED: Final = "Tool execution aborted"
_METADATA: Final = re.compile(r"<(?:bash|shell)_metadata>(.{0,2000}?)</(?:bash|shell)_metadata>", re.DOTALL)
"""What OpenCode adds below the output of a command it ended; ``shell`` from some release up to 1.18 on."""
_TAIL: Final = 4000


@dataclass(frozen=True, slots=True)
class Session:
    """A session, with the one that started it when it is a subagent's."""

    id: str
    root: str
    """The first session of the chain of parents; the session itself when it has none."""
    directory: str
    version: str
    started: int | None
    ended: int | None


@dataclass(frozen=True, slots=True)
class Message:
    """What the parts of one message have in common."""

    index: int
    cwd: str = ""
    mode: str = ""
    model: str = ""
    created: int | None = None


def session_of(info: Mapping[str, Any], fallback: str, root: str, now: int) -> Session:
    """A session from its document. ``root`` is its parent as far as known; ``fallback`` names it when nothing does."""
    own = session_id(info.get("id")) or fallback
    times = info.get("time")
    times = times if isinstance(times, dict) else {}
    return Session(
        own,
        root or session_id(info.get("parentID")) or own,
        decode.str_of(info.get("directory")),
        decode.str_of(info.get("version")),
        decode.time_of(times.get("created"), now),
        decode.time_of(times.get("updated"), now),
    )


def session_id(value: object) -> str:
    """A session's id; empty for one that was blacked out."""
    return value if isinstance(value, str) and _SESSION_ID.match(value) else ""


def message_of(info: Mapping[str, Any], index: int, now: int) -> Message:
    """A message from its document. The mode is the agent in force: plan, build, or a subagent's name."""
    path, times, model = info.get("path"), info.get("time"), info.get("model")
    named = model.get("modelID") if isinstance(model, dict) else None
    return Message(
        index,
        decode.str_of(path.get("cwd")) if isinstance(path, dict) else "",
        decode.str_of(info.get("mode")) or decode.str_of(info.get("agent")),
        decode.str_of(info.get("modelID")) or decode.str_of(named),
        decode.time_of(times.get("created"), now) if isinstance(times, dict) else None,
    )


def call_of(
    part: Mapping[str, Any], number: int, own_id: str, message: Message, session: Session, now: int
) -> ToolCall | None:
    """The call in a part of type ``tool``; ``number`` is the part's place in its message, ``own_id`` the part's id."""
    if part.get("type") != "tool":
        return None
    state = part.get("state")
    state = state if isinstance(state, dict) else {}
    tool, given = decode.str_of(part.get("tool")) or "unknown", decode.input_of(state.get("input"))
    invalid = tool == "invalid"
    if invalid and isinstance(given.get("tool"), str) and given["tool"]:
        tool = given["tool"]
    times = state.get("time")
    times = times if isinstance(times, dict) else {}
    key = own_id if PART_ID.match(own_id) else f"{session.id}/{message.index}.{number}"
    return ToolCall(
        agent=AGENT,
        session_id=session.root,
        call_id=key,
        tool=tool,
        input=given,
        position=message.index * 1000 + number,
        timestamp=decode.time_of(times.get("start"), now) or message.created,
        cwd=message.cwd or session.directory,
        agent_id=session.id if session.root != session.id else "",
        mode=message.mode or None,
        mode_source="recorded" if message.mode else None,
        model=message.model,
        version=session.version,
        result=_result(state, invalid, decode.time_of(times.get("end"), now)),
    )


def _result(state: Mapping[str, Any], invalid: bool, when: int | None) -> ToolResult | None:
    """The result of a call that has ended. A shell command that failed is ``completed``, with its code beside it."""
    if state.get("status") == "error":
        text = decode.text_of(state.get("error"))
        status, said = _stopped(text)
        return ToolResult(text, True, status or "error", None, when, user_said=said)
    if state.get("status") != "completed":
        return None
    text, metadata = decode.text_of(state.get("output")), state.get("metadata")
    code = metadata.get("exit") if isinstance(metadata, dict) else None
    code = code if isinstance(code, int) and not isinstance(code, bool) and abs(code) < 1 << 33 else None
    if invalid:
        return ToolResult(text, True, "error", None, when)
    note = _METADATA.search(text[-_TAIL:]) if code is None else None
    status = _ended_by(note[1]) if note else None
    return ToolResult(text, True if status == "error" else None, status, code, when)


def _stopped(text: str) -> tuple[Status | None, str]:
    """Who stopped a call, by OpenCode's own fixed texts, and the human's words."""
    text = text.removeprefix("Error: ")
    if text.startswith(_REJECTED):
        said = _FEEDBACK.search(text)
        return "rejected", said[1].strip() if said else ""
    if text.startswith(_DENIED):
        return "denied", ""
    return ("interrupted" if text.startswith(_ABORTED) else None), ""


def _ended_by(note: str) -> Status | None:
    if "exceeding timeout" in note:
        return "error"
    return "interrupted" if "aborted" in note.lower() else None
