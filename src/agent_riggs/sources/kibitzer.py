"""kibitzer: the event log in ``<project>/.kibitzer/store.sqlite``.

Measured on kibitzer 0.9.0. A row has no call id, no output and no exit code. Its hook takes no notice of what Claude
Code sends, so ``success = 1`` says nothing; failures it was told of, refusals of its guards and lackpy's generations
are evidence. What it knows better than any transcript is its mode: a row's is the one *after* the switch that the
call caused, so a call ran under the mode of the row before it. Times are UTC without saying so.
"""

from __future__ import annotations

import hashlib
import sqlite3
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from agent_riggs.model import Cursor, Event, Head, Problem, ReadEnd, Sighting, SightingKind, ToolCall, Transcript
from agent_riggs.model import ToolResult as Result
from agent_riggs.sources import base, decode, sqlite

name: Final = "kibitzer"

SWITCH: Final = "ChangeToolMode"
TRANSITION: Final = "ModeTransition"
"""Tool names of a switch somebody asked for, and of one that kibitzer's controller made by itself."""

_FILE: Final = Path(".kibitzer", "store.sqlite")
_KINDS: Final[Mapping[str, SightingKind]] = {
    "tool_call": "call",
    "denial": "denial",
    "floor_block": "floor_block",
    "generation": "generation",
    "mode_switch": "mode_switch",
    "floor_error": "event",
    "nudge_suppressed": "event",
    "shell_command": "event",
    "error": "event",
}
_CATEGORIES: Final[Mapping[str, str]] = {
    "denial": "path_denial",
    "floor_block": "denied",
    "generation": "generation",
}
_COLUMNS: Final = ("id", "timestamp", "session_id", "event_type", "tool_name", "tool_input", "success", "mode", "data")
_CUT: Final = 500
_ENDS: Final = ("", '"}', "}", '"]}', "]}")


class Row(NamedTuple):
    """One row of ``events``, its texts made safe."""

    id: int
    timestamp: str
    session: str
    type: str
    tool: str
    input: str
    success: bool | None
    mode: str
    data: Mapping[str, Any]


def find_in(folder: Path, environ: Mapping[str, str]) -> Iterator[Transcript | Problem]:
    """The event log of a folder that kibitzer's hooks run in; it looks no further up."""
    path = folder / _FILE
    try:
        if path.is_file():
            size = path.stat().st_size
            yield Transcript(name, str(path), path, size, sqlite.stamp(path), None, str(path.parent))
    except OSError as error:
        yield base.unreadable(path, error)


def peek(transcript: Transcript) -> Head | Problem | None:
    """The project is the folder around ``.kibitzer``."""
    try:
        with sqlite.opened(transcript.path) as connection:
            first = next(_rows(connection, 0, 1), None)
    except (sqlite3.Error, OSError) as error:
        return Problem(str(transcript.path), f"cannot be read: {error}")
    started = decode.time_of(first.timestamp, 1 << 60) if first else None
    return Head("", str(transcript.path.parent.parent), started)


def read(transcript: Transcript, cursor: Cursor | None, now: int) -> Iterator[Event]:
    """Every event after the last one read."""
    try:
        with sqlite.opened(transcript.path) as connection:
            start = _resume(connection, cursor)
            mode = _mode_before(connection, start.offset)
            rows = list(_rows(connection, start.offset))
    except (sqlite3.Error, OSError) as error:
        yield Problem(str(transcript.path), f"cannot be read: {error}")
        yield ReadEnd(cursor or Cursor(), unsettled=True)
        return
    sessions = _sessions(rows)
    cwd = str(transcript.path.parent.parent)
    unknown: Counter[str] = Counter()
    for row, session in zip(rows, sessions, strict=True):
        before = mode or (decode.str_of(row.data.get("previous")) if row.type == "mode_switch" else row.mode)
        mode = row.mode or mode
        if row.type not in _KINDS:
            unknown[f"event/{row.type[:80]}"] += 1
            continue
        yield _sighting(row, session, before, cwd, now)
        if row.mode and before and row.mode != before and row.type != "mode_switch":
            yield _transition(row, session, before, cwd, now)
    times = [at for row in rows if (at := decode.time_of(row.timestamp, now)) is not None]
    yield ReadEnd(
        _cursor(start, rows),
        len(rows),
        len(rows) - sum(unknown.values()),
        dict(unknown),
        started=min(times, default=None),
        ended=max(times, default=None),
    )


# --- rows ---------------------------------------------------------------------------------------------------------


def _rows(connection: sqlite3.Connection, after: int, limit: int = -1) -> Iterator[Row]:
    columns = ", ".join(_COLUMNS)
    found = connection.execute(f"SELECT {columns} FROM events WHERE id > ? ORDER BY id LIMIT ?", (after, limit))
    for key, at, session, kind, tool, given, success, mode, data in found:
        if not isinstance(key, int):
            continue
        yield Row(
            key,
            decode.str_of(at),
            decode.str_of(session).strip(),
            decode.str_of(kind),
            decode.str_of(tool).strip(),
            decode.scrub(decode.str_of(given)),
            bool(success) if isinstance(success, int) else None,
            decode.str_of(mode).strip(),
            _object(decode.str_of(data)),
        )


def _object(text: str) -> Mapping[str, Any]:
    value = decode.loads(text.encode("utf-8", "replace")) if text else None
    return value if isinstance(value, dict) else {}


def _mode_before(connection: sqlite3.Connection, start: int) -> str:
    found = connection.execute(
        "SELECT mode FROM events WHERE id <= ? AND mode <> '' ORDER BY id DESC LIMIT 1", (start,)
    ).fetchone()
    return decode.str_of(found[0]) if found else ""


def _sessions(rows: Sequence[Row]) -> list[str]:
    """The session of each row. A mode switch carries that of the call before it, whatever session that was in: it
    belongs to the next row's."""
    found: list[str] = []
    following = ""
    for row in reversed(rows):
        if row.type == "mode_switch":
            session = following or row.session
        else:
            session = row.session
            following = session or following
        found.append(session or f"{name}-{row.timestamp[:10]}")
    return found[::-1]


# --- where to go on -----------------------------------------------------------------------------------------------


def _mark(row: Row) -> str:
    return hashlib.sha256(repr((row.id, row.timestamp, row.type, row.session, row.input)).encode()).hexdigest()[:16]


def _resume(connection: sqlite3.Connection, cursor: Cursor | None) -> Cursor:
    """The cursor while the last row read still stands there; else it is another log under the same name."""
    if cursor is not None and cursor.offset > 0:
        row = next(_rows(connection, cursor.offset - 1, 1), None)
        if row is not None and row.id == cursor.offset and _mark(row) == cursor.head:
            return cursor
    return Cursor()


def _cursor(start: Cursor, rows: Sequence[Row]) -> Cursor:
    """After the last row whose session is known; mode switches at the end wait for the row that follows them."""
    settled = len(rows)
    while settled and rows[settled - 1].type == "mode_switch":
        settled -= 1
    if not settled:
        return start
    last = rows[settled - 1]
    return Cursor(last.id, start.line + settled, _mark(last))


# --- events -------------------------------------------------------------------------------------------------------


def _sighting(row: Row, session: str, mode: str, cwd: str, now: int) -> Sighting:
    kind = _KINDS[row.type]
    at = decode.time_of(row.timestamp, now)
    tool, given, result = _told(row, kind, at)
    call = ToolCall(
        agent=name,
        session_id=session,
        call_id=f"{row.session}:{row.timestamp}:{row.id}",
        tool=tool or "unknown",
        input=given,
        position=2 * row.id,
        timestamp=at,
        cwd=cwd,
        mode=mode or None,
        mode_source="kibitzer" if mode else None,
        model=decode.str_of(row.data.get("model")) if kind == "generation" else "",
        result=result,
    )
    believed = kind not in ("call", "event") or (kind == "call" and row.success is False)
    category = _CATEGORIES.get(kind)
    return Sighting(call, kind, believed, row.input if kind != "generation" else "", category, row.mode or None)


def _told(row: Row, kind: SightingKind, at: int | None) -> tuple[str, Mapping[str, Any], Result | None]:
    """Tool, arguments and result as far as the row has them."""
    if kind == "mode_switch":
        given = {"mode": row.mode, "previous": row.data.get("previous"), "reason": row.data.get("reason")}
        return SWITCH, given, Result("", flag=False, timestamp=at)
    if kind == "generation":
        given = {key: row.data[key] for key in ("intent", "program", "interpreter") if row.data.get(key)}
        mode = decode.str_of(row.data.get("failure_mode"))
        return "lackpy", given, Result(mode.replace("_", " "), flag=row.success is False, timestamp=at)
    if kind == "denial":
        reason = decode.str_of(row.data.get("reason"))
        return row.tool, _arguments(row.input), Result(reason, flag=True, status="denied", timestamp=at)
    if kind == "floor_block":
        words = f"[kibitzer floor] Write to '{row.data.get('path')}' blocked by safety-floor rule "
        text = f"{words}'{row.data.get('rule')}'"
        return row.tool, _arguments(row.input), Result(text, flag=True, status="denied", timestamp=at)
    known = kind == "call" and row.success is not None
    return row.tool, _arguments(row.input), Result("", flag=not row.success, timestamp=at) if known else None


def _arguments(text: str) -> Mapping[str, Any]:
    """The arguments; of those cut at 500 characters what can be had by closing the text."""
    for end in _ENDS if len(text) >= _CUT else _ENDS[:1]:
        value = _object(text.rstrip("\\") + end if end else text)
        if value:
            return value
    return {}


def _transition(row: Row, session: str, before: str, cwd: str, now: int) -> Sighting:
    """A switch that the controller made at this row: no row of its own tells of it."""
    at = decode.time_of(row.timestamp, now)
    call = ToolCall(
        agent=name,
        session_id=session,
        call_id=f"{row.session}:{row.timestamp}:{row.id}:switch",
        tool=TRANSITION,
        input={"mode": row.mode, "previous": before},
        position=2 * row.id + 1,
        timestamp=at,
        cwd=cwd,
        mode=before,
        mode_source="kibitzer",
        result=Result("", flag=False, timestamp=at),
    )
    return Sighting(call, "transition", mode_after=row.mode)
