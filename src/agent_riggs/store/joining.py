"""Joining what sister tools recorded to the transcripts' calls, so that one event counts once.

What a turn says then follows from the set of calls and records alone, never from which was read first: each run
starts from what the transcripts alone say (``turns.held``), pairs, and writes what differs.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, Final

import msgspec

from agent_riggs.driver import duckdb
from agent_riggs.model import FAILURES
from agent_riggs.store import columns, sightings, turns
from agent_riggs.store.pairing import NEAR, RUNNING, Call, Note, Pairs, Timeline, modes, pair
from agent_riggs.store.sightings import SightingRow
from agent_riggs.store.turns import TurnRow

SISTERS: Final = ("kibitzer", "blq")

VERDICT: Final = (
    "tool_success",
    "outcome",
    "rule",
    "exit_code",
    "category",
    "failure_class",
    "program",
    "shape",
    "fingerprint",
    "secondary",
    "specific",
    "excerpt",
)
"""What a sister tool's record of a failure says better than a transcript that saw none."""

CHANGED: Final = ("mode", "mode_source", *VERDICT)
_UNSEEN: Final = frozenset({"ok", "masked", "unknown", "pending"})


Span = tuple[int, int, str]
"""First and last moment of a session, its id."""


@dataclass(frozen=True, slots=True)
class _Scope:
    """What is to be paired anew: whole sessions, and everything recorded while one of them ran."""

    sessions: tuple[str, ...]
    records: tuple[int, ...]
    """Runs, delegations and whatever was not paired yet."""


def settle(conn: duckdb.DuckDBPyConnection) -> None:
    """Pair what is new; call it inside a transaction, before turns are numbered."""
    if conn.execute("SELECT 1 FROM sightings LIMIT 1").fetchone() is None:
        return
    spans = _spans(conn)
    scope = _scope(conn, spans)
    if scope is None:
        return
    rows = _rows(conn, scope)
    calls = _calls(conn, scope)
    notes = {row.turn.turn_id: _note(row) for row in rows}
    pairs = pair([call for call, _ in calls], list(notes.values()))
    watched = _watched(conn)
    wanted = _wanted_turns(calls, rows, pairs, notes, watched)
    own = {row.turn.turn_id: turn for row in rows if (turn := _own(row, pairs, spans, watched)) is not None}
    _write_turns(conn, calls, wanted)
    _write_own(conn, rows, own)
    columns.update(
        conn,
        "sightings",
        "turn_id",
        {
            "turn_id": list(notes),
            "same_as": [pairs.get(note_id) for note_id in notes],
            "settled": [True] * len(notes),
        },
    )


def own_turns(conn: duckdb.DuckDBPyConnection) -> int:
    """How many turns stand on a sister tool's record alone."""
    row = conn.execute(
        "SELECT count(*) FROM turns WHERE provenance IN (SELECT unnest(?::VARCHAR[]))", [list(SISTERS)]
    ).fetchone()
    return int(row[0]) if row else 0


# --- what there is ------------------------------------------------------------------------------------------------


def _scope(conn: duckdb.DuckDBPyConnection, spans: Sequence[Span]) -> _Scope | None:
    fresh = conn.execute("SELECT turn_id, session_id FROM sightings WHERE NOT settled").fetchall()
    dirty = conn.execute("SELECT DISTINCT session_id FROM turns WHERE turn_number IS NULL").fetchall()
    if not fresh and not dirty:
        return None
    sessions, records = {row[1] for row in fresh} | {row[0] for row in dirty}, {row[0] for row in fresh}
    for together, during in _clusters(spans, _loose(conn)):
        if sessions & together or records & during:
            sessions |= together
            records |= during
    return _Scope(tuple(sorted(sessions)), tuple(sorted(records)))


def _loose(conn: duckdb.DuckDBPyConnection) -> list[tuple[int, int]]:
    """Records that time alone joins: (moment, id), each at every moment that it may have been."""
    rows = conn.execute(
        "SELECT unnest([epoch_us(timestamp), epoch_us(also_at)]) AS moment, turn_id FROM sightings "
        "WHERE kind IN ('run', 'delegate', 'generation')"
    ).fetchall()
    return sorted((moment, turn_id) for moment, turn_id in rows if moment is not None)


def _clusters(spans: Sequence[Span], loose: Sequence[tuple[int, int]]) -> list[tuple[set[str], set[int]]]:
    """Sessions that overlap in time, directly or through others, with the records made meanwhile."""
    found: list[tuple[set[str], set[int]]] = []
    stretches = [(first, last + RUNNING, session, 0) for first, last, session in spans]
    stretches += [(moment - NEAR, moment + NEAR, "", record) for moment, record in loose]
    end = 0
    for first, last, session, record in sorted(stretches) if loose else ():
        if not found or first > end:
            found.append((set(), set()))
            end = 0
        end = max(end, last)
        together, during = found[-1]
        if session:
            together.add(session)
        else:
            during.add(record)
    return found


def _rows(conn: duckdb.DuckDBPyConnection, scope: _Scope) -> list[SightingRow]:
    return sightings.select(
        conn,
        "session_id IN (SELECT unnest(?::VARCHAR[])) OR turn_id IN (SELECT unnest(?::BIGINT[]))",
        [list(scope.sessions), list(scope.records)],
    )


def _calls(conn: duckdb.DuckDBPyConnection, scope: _Scope) -> list[tuple[Call, TurnRow]]:
    """Transcripts' calls in the order of their sessions, as the transcripts alone tell them."""
    found = conn.execute(
        """
        SELECT c.turn_id FROM turns c LEFT JOIN transcripts t USING (transcript_id)
        WHERE c.provenance = 'transcript' AND c.session_id IN (SELECT unnest(?::VARCHAR[]))
        ORDER BY c.session_id, c.timestamp NULLS FIRST, t.started_at NULLS FIRST, c.transcript_id, c.position, c.turn_id
        """,
        [list(scope.sessions)],
    ).fetchall()
    rows = turns.fetch(conn, (row[0] for row in found))
    return [(_call(rows[turn_id]), rows[turn_id]) for (turn_id,) in found]


def _call(row: TurnRow) -> Call:
    given = json.loads(row.metadata).get("input") or {}
    text = given.get("command") if row.tool_name == "Bash" else None
    return Call(
        row.turn_id,
        row.session_id,
        row.tool_name,
        row.input_mark,
        row.timestamp,
        row.ended_at,
        row.outcome,
        text if isinstance(text, str) else "\n".join(_texts(given)),
    )


def _texts(value: object) -> Iterable[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for inner in value.values():
            yield from _texts(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _texts(inner)


def _note(row: SightingRow) -> Note:
    turn = row.turn
    given = json.loads(turn.metadata).get("input") or {} if row.kind in ("run", "delegate", "generation") else {}
    names = ("command", "name", "via") if row.kind == "run" else ("intent",)
    return Note(
        turn.turn_id,
        turn.session_id,
        row.kind,
        turn.timestamp,
        turn.position,
        turn.transcript_id,
        turn.input_mark,
        turn.mode,
        row.mode_after,
        row.also_at,
        tuple(str(given.get(name) or "") for name in names) if given else (),
    )


class _Watched:
    """The sessions that kibitzer watched, and its modes over time."""

    def __init__(self, rows: Sequence[tuple[Any, ...]]) -> None:
        notes = [
            Note(note_id, session, kind, at, position, log, mode=mode, mode_after=after)
            for note_id, session, kind, at, position, log, mode, after in rows
        ]
        by_log = {log: list(group) for log, group in groupby(notes, key=lambda note: note.log)}
        self.timelines = {log: Timeline(group) for log, group in by_log.items()}
        self.log_of = {note.session_id: note.log for note in reversed(notes)}

    def timeline(self, session: str) -> Timeline | None:
        log = self.log_of.get(session)
        return self.timelines[log] if log is not None else None


def _watched(conn: duckdb.DuckDBPyConnection) -> _Watched:
    return _Watched(
        conn.execute(
            "SELECT turn_id, session_id, kind, epoch_us(timestamp), position, transcript_id, mode, mode_after "
            "FROM sightings WHERE source = 'kibitzer' ORDER BY transcript_id, position, turn_id"
        ).fetchall()
    )


# --- what follows -------------------------------------------------------------------------------------------------


def _wanted_turns(
    calls: Sequence[tuple[Call, TurnRow]],
    rows: Sequence[SightingRow],
    pairs: Pairs,
    notes: Mapping[int, Note],
    watched: _Watched,
) -> dict[int, TurnRow]:
    """Each transcript's call with what its sister tools' records change."""
    told: dict[int, list[SightingRow]] = {}
    for seen in rows:
        if seen.turn.turn_id in pairs:
            told.setdefault(pairs[seen.turn.turn_id], []).append(seen)
    wanted: dict[int, TurnRow] = {}
    for session, group in groupby(calls, key=lambda pair: pair[0].session_id):
        members = list(group)
        timeline = watched.timeline(session)
        mine = [note for note in notes.values() if note.session_id == session] if timeline else []
        known = modes([call for call, _ in members], mine, pairs, timeline) if timeline else {}
        for call, row in members:
            mode = known.get(call.turn_id)
            changed = msgspec.structs.replace(row, mode=mode, mode_source="kibitzer") if mode else row
            wanted[row.turn_id] = _better(changed, told.get(row.turn_id, ()))
    return wanted


def _better(row: TurnRow, told: Sequence[SightingRow]) -> TurnRow:
    """The verdict, where a sister tool's record knows it better."""
    for seen in sorted(told, key=lambda seen: (seen.turn.timestamp or 0, seen.turn.turn_id)):
        if not seen.evidence or seen.turn.outcome not in FAILURES:
            continue
        if seen.kind in ("denial", "floor_block"):
            return msgspec.structs.replace(row, outcome="denied", tool_success=False, category=seen.turn.category)
        if seen.kind in ("run", "generation", "delegate") and row.outcome in _UNSEEN:
            return msgspec.structs.replace(row, **{name: getattr(seen.turn, name) for name in VERDICT})
    return row


def _spans(conn: duckdb.DuckDBPyConnection) -> list[Span]:
    rows = conn.execute(
        """
        SELECT epoch_us(min(timestamp)), epoch_us(max(greatest(timestamp, ended_at))), session_id FROM turns
        WHERE provenance = 'transcript' AND timestamp IS NOT NULL GROUP BY session_id ORDER BY 1, 3
        """
    ).fetchall()
    return [(first, last, session) for first, last, session in rows]


def _own(row: SightingRow, pairs: Pairs, spans: Sequence[Span], watched: _Watched) -> TurnRow | None:
    """The turn a record becomes when no transcript holds the event. A run belongs to the session it fell into; of
    several at once to the one begun last."""
    if row.turn.turn_id in pairs or not row.evidence:
        return None
    at = row.turn.timestamp
    if row.kind not in ("run", "delegate") or at is None:
        return row.turn
    around = [session for first, last, session in spans if first <= at <= last]
    if not around:
        return row.turn
    timeline = watched.timeline(around[-1])
    mode = timeline.at(at) if timeline else None
    return msgspec.structs.replace(row.turn, session_id=around[-1], mode=mode, mode_source="kibitzer" if mode else None)


# --- writing ------------------------------------------------------------------------------------------------------


def _write_turns(
    conn: duckdb.DuckDBPyConnection, calls: Sequence[tuple[Call, TurnRow]], wanted: Mapping[int, TurnRow]
) -> None:
    """Write what differs from what the store says now, and keep what the transcript alone says."""
    now = _present(conn, list(wanted))
    values: dict[str, list[object]] = {name: [] for name in ("turn_id", "held", "turn_number", *CHANGED)}
    for _, row in calls:
        new = wanted[row.turn_id]
        fresh = tuple(getattr(new, name) for name in CHANGED)
        alone = tuple(getattr(row, name) for name in CHANGED)
        held = {name: old for name, old, there in zip(CHANGED, alone, fresh, strict=True) if old != there}
        if now.get(row.turn_id) != fresh:
            for name, value in zip(CHANGED, fresh, strict=True):
                values[name].append(value)
            values["turn_id"].append(row.turn_id)
            values["held"].append(json.dumps(held, separators=(",", ":")) if held else None)
            values["turn_number"].append(None)
    columns.update(conn, "turns", "turn_id", values)


def _present(conn: duckdb.DuckDBPyConnection, turn_ids: Sequence[int]) -> dict[int, tuple[object, ...]]:
    names = ", ".join(CHANGED)
    rows = conn.execute(
        f"SELECT turn_id, {names} FROM turns WHERE turn_id IN (SELECT unnest(?::BIGINT[]))", [list(turn_ids)]
    ).fetchall()
    return {row[0]: row[1:] for row in rows}


def _write_own(conn: duckdb.DuckDBPyConnection, rows: Sequence[SightingRow], own: Mapping[int, TurnRow]) -> None:
    """Turns of records that stand alone: new ones, changed ones, and those that have found their call."""
    there = turns.fetch(conn, (row.turn.turn_id for row in rows))
    left = [turn_id for turn_id in there if turn_id not in own or own[turn_id].session_id != there[turn_id].session_id]
    _forget(conn, left, [there[turn_id].session_id for turn_id in left])
    turns.insert(conn, [row for turn_id, row in own.items() if turn_id not in there or turn_id in left])
    turns.replace(
        conn,
        [row for turn_id, row in own.items() if turn_id in there and turn_id not in left and row != there[turn_id]],
    )


def _forget(conn: duckdb.DuckDBPyConnection, turn_ids: Sequence[int], sessions: Sequence[str]) -> None:
    """Remove turns; what comes after them is numbered and averaged anew."""
    if not turn_ids:
        return
    earliest = conn.execute(
        "SELECT epoch_us(min(order_at)) FROM turns WHERE turn_id IN (SELECT unnest(?::BIGINT[]))", [list(turn_ids)]
    ).fetchone()
    for table in ("failure_stream", "turns"):
        conn.execute(f"DELETE FROM {table} WHERE turn_id IN (SELECT unnest(?::BIGINT[]))", [list(turn_ids)])
    conn.execute(
        "UPDATE turns SET turn_number = NULL WHERE session_id IN (SELECT unnest(?::VARCHAR[]))",
        [sorted(set(sessions))],
    )
    if earliest and earliest[0] is not None:
        conn.execute(
            "INSERT INTO riggs_meta VALUES ('derive_from', ?) ON CONFLICT (key) DO UPDATE "
            "SET value = least(value::BIGINT, excluded.value::BIGINT)::VARCHAR",
            [str(earliest[0])],
        )
