"""OpenCode sessions: ``opencode.db`` (SQLite), the older tree of JSON files, and exported documents.

Measured on exports of OpenCode 1.2 and on the database, events and exports of 1.18.33; the older tree is from
documentation. ``$OPENCODE_DB`` names the database; else both lie in ``$XDG_DATA_HOME/opencode`` or
``~/.local/share/opencode``. A session found in a database is not read from the tree again. Exports are read when
they are given by name. Calls are known by their part id, since call ids repeat.
"""

from __future__ import annotations

import hashlib
import os
import sqlite3
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from agent_riggs.model import Cursor, Event, Head, Problem, ReadEnd, ToolCall, Transcript
from agent_riggs.paths import agent_homes, expand
from agent_riggs.sources import base, decode, documents, sqlite
from agent_riggs.sources.opencode_parts import AGENT, Message, Session, call_of, message_of, session_id, session_of

name: Final = AGENT

_SETTLED: Final = 3 * 86_400_000
"""Milliseconds after which a session no longer changes unless its own time of change does."""
_ANY_TIME: Final = 1 << 62
_DEEPEST: Final = 20
_PARTS: Final = frozenset(
    {"tool", "text", "reasoning", "step-start", "step-finish", "patch", "subtask", "file", "snapshot", "agent"}
    | {"retry", "compaction"}
)

Item = tuple[Message, str, int, Mapping[str, Any]]
"""A message, a part's id, its place in the message, the part."""


def places(environ: Mapping[str, str], home: Path) -> list[Path]:
    """The folder it looks in, with the database's own when that is named."""
    named = environ.get("OPENCODE_DB", "").strip()
    return [*([expand(named, home).parent] if named else []), *agent_homes(name, environ, home)]


def find(environ: Mapping[str, str], home: Path) -> Iterator[Transcript | Problem]:
    """Every session of every database, then those of the tree that no database has."""
    root = agent_homes(name, environ, home)[0]
    named = environ.get("OPENCODE_DB", "").strip()
    databases = [expand(named, home)] if named else sorted(root.glob("opencode*.db"))
    known: set[str] = set()
    for path in databases:
        for item in in_database(path):
            if isinstance(item, Transcript):
                known.add(item.key.rpartition("#")[2])
            yield item
    yield from in_tree(root / "storage", known)


def in_database(path: Path) -> Iterator[Transcript | Problem]:
    """The sessions of one database."""
    if not path.is_file():
        return
    try:
        with sqlite.opened(path) as connection:
            rows = connection.execute("SELECT id, time_updated FROM session ORDER BY id").fetchall()
            counts = dict(connection.execute("SELECT session_id, count(*) FROM part GROUP BY session_id").fetchall())
    except (sqlite3.Error, OSError) as error:
        yield Problem(str(path), f"cannot be read: {error}")
        return
    whole, latest = sqlite.stamp(path), max((t for _, t in rows if isinstance(t, int)), default=0)
    for session, updated in rows:
        recent = not isinstance(updated, int) or updated > latest - _SETTLED
        stamp = f"{updated}:{counts.get(session, 0)}" + (f":{whole}" if recent else "")
        yield Transcript(name, f"{path}#{session}", path, counts.get(session, 0), stamp, None, str(path.parent))


def in_tree(storage: Path, known: set[str]) -> Iterator[Transcript | Problem]:
    """The sessions of the older tree, ``session/<project>/<session>.json``, without those in ``known``."""
    for found in base.walk(storage / "session", (".json",), set()):
        if isinstance(found, Problem):
            yield found
        elif found[0].stem not in known:
            path, info = found
            yield Transcript(
                name,
                str(path),
                path,
                info.st_size,
                _tree_stamp(storage, path.stem, info.st_mtime_ns),
                None,
                str(storage),
            )


def _tree_stamp(storage: Path, session: str, own: int) -> str:
    """Changes with the session, its messages, and the parts that come or go."""
    seen = hashlib.sha256(str(own).encode())
    for message in sorted((storage / "message" / session).glob("*.json")):
        for path in (message, storage / "part" / message.stem):
            try:
                seen.update(os.fsencode(f"{path.name}:{path.stat().st_mtime_ns}"))
            except OSError:
                continue
    return seen.hexdigest()[:32]


def peek(transcript: Transcript) -> Head | Problem | None:
    """Whose session it is."""
    try:
        session = _session(transcript, _ANY_TIME)
    except (sqlite3.Error, OSError) as error:
        return Problem(str(transcript.path), f"cannot be read: {error}")
    return (
        session
        if session is None or isinstance(session, Problem)
        else Head(session.root, session.directory, session.started)
    )


def read(transcript: Transcript, cursor: Cursor | None, now: int) -> Iterator[Event]:
    """Every call of the session in its present state; a session is read as a whole each time."""
    unknown: Counter[str] = Counter()
    count, calls = 0, 0
    session: Session | Problem | None = None
    try:
        session = _session(transcript, now)
        if isinstance(session, Problem):
            yield session
        for item in _items(transcript, session, now) if isinstance(session, Session) else ():
            if isinstance(item, Problem):
                yield item
                continue
            count += 1
            call = _call(item, session, now, unknown)
            if call is not None:
                calls += 1
                yield call
    except (sqlite3.Error, OSError) as error:
        yield Problem(str(transcript.path), f"cannot be read: {error}")
    known = session if isinstance(session, Session) else Session("", "", "", "", None, None)
    yield ReadEnd(
        Cursor(count, count),
        count,
        count - sum(unknown.values()),
        dict(unknown),
        versions=(known.version,) if known.version else (),
        session_id=known.root,
        started=known.started,
        ended=known.ended,
    )


def _call(item: Item, session: Session | Problem | None, now: int, unknown: Counter[str]) -> ToolCall | None:
    message, own_id, number, part = item
    kind = str(part.get("type"))
    if kind not in _PARTS:
        unknown[f"part/{kind[:80]}"] += 1
    assert isinstance(session, Session)
    return call_of(part, number, own_id, message, session, now)


def _session(transcript: Transcript, now: int) -> Session | Problem | None:
    """The session itself; ``None`` when the file is no session's."""
    if _in_database(transcript):
        return _database_session(transcript, now)
    document = documents.load(transcript.path)
    if isinstance(document, Problem):
        return document
    info = document.get("info", document) if isinstance(document, dict) else None
    if not isinstance(info, dict) or not ("messages" in document or "directory" in info):
        return None
    return session_of(info, transcript.path.stem, _root_in_tree(transcript, info), now)


def _in_database(transcript: Transcript) -> bool:
    return transcript.key.startswith(f"{transcript.path}#")


def _database_session(transcript: Transcript, now: int) -> Session | None:
    own = transcript.key.rpartition("#")[2]
    with sqlite.opened(transcript.path) as connection:
        columns = "id, parent_id, directory, version, time_created, time_updated"
        row = connection.execute(f"SELECT {columns} FROM session WHERE id = ?", (own,)).fetchone()
        if row is None:
            return None
        root, parent = own, row[1]
        for _ in range(_DEEPEST):
            if not parent:
                break
            root = parent
            above = connection.execute("SELECT parent_id FROM session WHERE id = ?", (parent,)).fetchone()
            parent = above[0] if above else None
    info = {"id": own, "directory": row[2], "version": row[3], "time": {"created": row[4], "updated": row[5]}}
    return session_of(info, own, "" if root == own else str(root), now)


def _root_in_tree(transcript: Transcript, info: Mapping[str, Any]) -> str:
    """The first of a session's parents, as far as their files are there."""
    parent = session_id(info.get("parentID"))
    for _ in range(_DEEPEST):
        above = documents.load(transcript.path.with_name(f"{parent}.json")) if parent else None
        above = above.get("info", above) if isinstance(above, dict) else None
        higher = session_id(above.get("parentID")) if isinstance(above, dict) else ""
        if not higher:
            break
        parent = higher
    return parent


def _items(transcript: Transcript, session: Session, now: int) -> Iterator[Item | Problem]:
    if _in_database(transcript):
        return _database_items(transcript, session, now)
    if transcript.path.parent.parent.name == "session" and (transcript.path.parents[2] / "message").is_dir():
        return _tree_items(transcript.path.parents[2], session, now)
    return _export_items(transcript.path, now)


def _database_items(transcript: Transcript, session: Session, now: int) -> Iterator[Item | Problem]:
    place = str(transcript.path)
    with sqlite.opened(transcript.path) as connection:
        messages: dict[str, Message] = {}
        rows = connection.execute(
            "SELECT id, data FROM message WHERE session_id = ? ORDER BY time_created, id", (session.id,)
        )
        for index, (key, data) in enumerate(rows):
            info = _object(data)
            messages[key] = message_of(info or {}, index + 1, now)
            if info is None:
                yield Problem(place, f"message {key} is no JSON object")
        numbers: Counter[str] = Counter()
        rows = connection.execute(
            "SELECT id, message_id, data FROM part WHERE session_id = ? ORDER BY id", (session.id,)
        )
        for key, owner, data in rows:
            part = _object(data)
            numbers[owner] += 1
            if part is None:
                yield Problem(place, f"part {key} is no JSON object")
            else:
                yield messages.get(owner, Message(0)), str(key), numbers[owner], part


def _object(data: object) -> dict[str, Any] | None:
    raw = data.encode("utf-8", "replace") if isinstance(data, str) else data if isinstance(data, bytes) else b""
    value = decode.loads(raw) if raw else None
    return value if isinstance(value, dict) else None


def _tree_items(storage: Path, session: Session, now: int) -> Iterator[Item | Problem]:
    for index, path in enumerate(sorted((storage / "message" / session.id).glob("*.json"))):
        info = documents.load(path)
        if not isinstance(info, dict):
            yield info if isinstance(info, Problem) else Problem(str(path), "no message")
            info = {}
        message = message_of(info, index + 1, now)
        for number, place in enumerate(sorted((storage / "part" / path.stem).glob("*.json"))):
            part = documents.load(place)
            if isinstance(part, dict):
                yield message, place.stem, number + 1, part
            else:
                yield part if isinstance(part, Problem) else Problem(str(place), "no part")


def _export_items(path: Path, now: int) -> Iterator[Item | Problem]:
    document = documents.load(path)
    messages = document.get("messages") if isinstance(document, dict) else None
    for index, entry in enumerate(messages if isinstance(messages, list) else ()):
        entry = entry if isinstance(entry, dict) else {}
        info, parts = entry.get("info"), entry.get("parts")
        message = message_of(info if isinstance(info, dict) else {}, index + 1, now)
        for number, part in enumerate(parts if isinstance(parts, list) else ()):
            if isinstance(part, dict):
                yield message, decode.id_of(part.get("id")), number + 1, part
