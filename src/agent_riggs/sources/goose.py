"""Goose sessions: ``sessions.db`` (SQLite), and the older ``<session>.jsonl`` beside it.

From documentation (schema versions 14 and 15): no genuine file was seen. ``$GOOSE_PATH_ROOT/data/sessions``, else
``$XDG_DATA_HOME/goose/sessions`` or ``~/.local/share/goose/sessions``, and Windows' roaming folder. A call failed when
its result's status is ``error`` or its content is marked ``isError``.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from agent_riggs.model import Cursor, Event, Head, Problem, ReadEnd, Status, ToolCall, ToolResult, Transcript
from agent_riggs.paths import expand, xdg
from agent_riggs.sources import base, decode, documents, sqlite

name: Final = "goose"

_ANY_TIME: Final = 1 << 62
_DEEPEST: Final = 20
_BLOCKS: Final = frozenset(
    {"toolRequest", "toolResponse", "text", "image", "thinking", "redactedThinking", "toolConfirmationRequest"}
    | {"frontendToolRequest", "summarizationRequested", "contextLengthExceeded", "systemNotification"}
)
_DECLINED: Final = "The user has declined to run this tool"
_CHAT_ONLY: Final = "Let the user know the tool call was skipped"


@dataclass(slots=True)
class _Session:
    id: str
    root: str
    cwd: str
    mode: str = ""
    started: int | None = None
    calls: dict[str, ToolCall] = field(default_factory=dict)
    results: dict[str, ToolResult] = field(default_factory=dict)
    unknown: Counter[str] = field(default_factory=Counter)
    messages: int = 0
    ended: int | None = None


def find(environ: Mapping[str, str], home: Path) -> Iterator[Transcript | Problem]:
    """Every session of the database, then older ones in files of their own."""
    seen: set[tuple[int, int]] = set()
    for folder in places(environ, home):
        known: set[str] = set()
        for item in in_database(folder / "sessions.db"):
            known.add(item.key.rpartition("#")[2] if isinstance(item, Transcript) else "")
            yield item
        for found in base.walk(folder, (".jsonl",), seen):
            if isinstance(found, Problem):
                yield found
            elif found[0].stem not in known:
                yield base.transcript(name, *found, None, folder)


def places(environ: Mapping[str, str], home: Path) -> list[Path]:
    """The folders it looks in."""
    root, roaming = environ.get("GOOSE_PATH_ROOT", "").strip(), environ.get("APPDATA", "").strip()
    if root:
        return [expand(root, home) / "data/sessions"]
    found = [xdg(environ, "XDG_DATA_HOME", home) / "goose/sessions"]
    return [*found, Path(roaming) / "Block/goose/data/sessions"] if roaming else found


def in_database(path: Path) -> Iterator[Transcript | Problem]:
    """The sessions of one database."""
    if not path.is_file():
        return
    try:
        with sqlite.opened(path) as connection:
            rows = connection.execute(
                "SELECT s.id, s.updated_at, (SELECT count(*) FROM messages m WHERE m.session_id = s.id)"
                " FROM sessions s ORDER BY s.id"
            ).fetchall()
    except (sqlite3.Error, OSError) as error:
        yield Problem(str(path), f"cannot be read: {error}")
        return
    for session, updated, count in rows:
        yield Transcript(name, f"{path}#{session}", path, count, f"{updated}:{count}", None, str(path.parent))


def peek(transcript: Transcript) -> Head | Problem | None:
    """Whose session it is."""
    try:
        session = _session(transcript, _ANY_TIME)
    except (sqlite3.Error, OSError) as error:
        return Problem(str(transcript.path), f"cannot be read: {error}")
    return Head(session.root, session.cwd, session.started) if session is not None else None


def read(transcript: Transcript, cursor: Cursor | None, now: int) -> Iterator[Event]:
    """Every call of the session in its present state; a session is read as a whole each time."""
    session: _Session | None = None
    try:
        session = _session(transcript, now)
        for item in _messages(transcript, session) if session is not None else ():
            if isinstance(item, Problem):
                yield item
            elif session is not None:
                _take(session, *item, now)
    except (sqlite3.Error, OSError) as error:
        yield Problem(str(transcript.path), f"cannot be read: {error}")
    told = session or _Session("", "", "")
    for key, call in told.calls.items():
        yield replace(call, result=told.results.get(key))
    yield ReadEnd(
        Cursor(told.messages, told.messages),
        told.messages,
        told.messages,
        dict(told.unknown),
        session_id=told.root,
        started=told.started,
        ended=told.ended,
    )


def _session(transcript: Transcript, now: int) -> _Session | None:
    if not transcript.key.startswith(f"{transcript.path}#"):
        for item in documents.records(transcript.path):
            if isinstance(item, Problem):
                continue
            first = item[2]
            if "working_dir" not in first:
                return None
            return _Session(transcript.path.stem, transcript.path.stem, decode.str_of(first["working_dir"]))
        return None
    own = transcript.key.rpartition("#")[2]
    with sqlite.opened(transcript.path) as connection:
        connection.row_factory = sqlite3.Row
        row = connection.execute("SELECT * FROM sessions WHERE id = ?", (own,)).fetchone()
        if row is None:
            return None
        fields = dict(row)
        root, parent = own, fields.get("parent_session_id")
        for _ in range(_DEEPEST):
            if not isinstance(parent, str) or not parent:
                break
            root = parent
            above = connection.execute("SELECT * FROM sessions WHERE id = ?", (parent,)).fetchone()
            parent = dict(above).get("parent_session_id") if above is not None else None
    mode, started = decode.str_of(fields.get("goose_mode")), decode.time_of(fields.get("created_at"), now)
    return _Session(own, root, decode.str_of(fields.get("working_dir")), mode, started)


def _messages(transcript: Transcript, session: _Session) -> Iterator[tuple[int, object, object] | Problem]:
    """(position, time, content) of every message."""
    if not transcript.key.startswith(f"{transcript.path}#"):
        for item in documents.records(transcript.path):
            if isinstance(item, Problem):
                yield item
            elif "working_dir" not in item[2]:
                yield item[0], item[2].get("created"), item[2].get("content")
        return
    with sqlite.opened(transcript.path) as connection:
        rows = connection.execute(
            "SELECT id, created_timestamp, content_json FROM messages WHERE session_id = ? ORDER BY id", (session.id,)
        )
        for number, (key, created, content) in enumerate(rows):
            raw = content.encode("utf-8", "replace") if isinstance(content, str) else b""
            value = decode.loads(raw) if raw else None
            if isinstance(value, list):
                yield (number + 1) * 1000, created, value
            else:
                yield Problem(str(transcript.path), f"message {key} is no JSON list")


def _take(session: _Session, position: int, created: object, content: object, now: int) -> None:
    """The requests and responses in one message."""
    session.messages += 1
    when = decode.time_of(created, now)
    session.started = session.started if session.started is not None else when
    session.ended = when or session.ended
    for index, block in enumerate(content if isinstance(content, list) else ()):
        kind = str(block.get("type")) if isinstance(block, dict) else type(block).__name__
        if kind not in _BLOCKS:
            session.unknown[kind[:80]] += 1
            continue
        key = f"{session.id}/{decode.id_of(block.get('id')) or position + index}"
        if kind == "toolRequest" and key not in session.calls:
            session.calls[key] = _call(session, key, block, position + index, when)
            if _status(block.get("toolCall")) == "error":
                session.results[key] = _result(block["toolCall"], when)
        elif kind == "toolResponse":
            session.results.setdefault(key, _result(block.get("toolResult"), when))


def _call(session: _Session, key: str, block: Mapping[str, Any], position: int, when: int | None) -> ToolCall:
    asked = block.get("toolCall")
    value = asked.get("value") if isinstance(asked, dict) else None
    value = value if isinstance(value, dict) else {}
    return ToolCall(
        agent=name,
        session_id=session.root,
        call_id=key,
        tool=decode.str_of(value.get("name")) or "unknown",
        input=decode.input_of(value.get("arguments")),
        position=position,
        timestamp=when,
        cwd=session.cwd,
        agent_id=session.id if session.root != session.id else "",
        mode=session.mode or None,
        mode_source="recorded" if session.mode else None,
    )


def _status(outcome: object) -> str:
    return decode.str_of(outcome.get("status")) if isinstance(outcome, dict) else ""


def _result(outcome: object, when: int | None) -> ToolResult:
    """A result; a call that could not be understood has one in its request already."""
    fields = outcome if isinstance(outcome, dict) else {}
    value = fields.get("value")
    text = decode.text_of(value) or decode.text_of(fields.get("error"))
    marked = decode.flag_of(value.get("isError")) if isinstance(value, dict) else None
    failed = fields.get("status") == "error" or marked is True
    status: Status | None = "error" if failed else None
    if text.startswith(_DECLINED):
        status = "rejected"
    elif text.startswith(_CHAT_ONLY):
        status = "denied"
    return ToolResult(documents.kept(text), failed, status, None, when)
