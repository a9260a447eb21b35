"""Failures with the calls around them: what fix mining and the measuring of effects read."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, overload

import msgspec

from agent_riggs.driver import duckdb

Connection = duckdb.DuckDBPyConnection


@dataclass(frozen=True, slots=True)
class TurnFacts:
    """One row of ``turns`` as fix mining reads it."""

    turn_id: int
    tool: str
    outcome: str
    input: dict[str, Any]
    failure_class: str | None
    program: str | None
    fingerprint: str | None
    user_said: str
    cwd: str
    root: str
    number: int


@dataclass(frozen=True, slots=True)
class Window:
    """One failure with the calls around it that the same agent made in the same session, in order."""

    fingerprint: str
    root_session: str
    at: int | None
    failure: TurnFacts
    before: Sequence[TurnFacts]
    later: Sequence[TurnFacts]
    excerpt: str = ""


class _Calls(Sequence[TurnFacts]):
    """Rows made into facts when they are looked at: a window is mostly read up to its recovery only."""

    __slots__ = ("rows",)

    def __init__(self, rows: Sequence[tuple[Any, ...]]) -> None:
        self.rows = rows

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[TurnFacts]:
        return map(_facts, self.rows)

    @overload
    def __getitem__(self, place: int) -> TurnFacts: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[TurnFacts]: ...
    def __getitem__(self, place: int | slice) -> TurnFacts | Sequence[TurnFacts]:
        return _Calls(self.rows[place]) if isinstance(place, slice) else _facts(self.rows[place])


def windows(
    conn: Connection,
    fingerprints: Sequence[str],
    since: int,
    until: int,
    *,
    roots: int,
    per_root: int,
    ahead: int,
    behind: int = 5,
) -> Iterator[Window]:
    """Failures of these fingerprints with the calls around them.

    At most ``per_root`` failures of each of the latest ``roots`` root sessions; ``ahead`` and ``behind`` count
    calls of the same session and agent; where other agents of the session ran in between, at most three times as
    many of the session's calls are looked through. Failures that no call in ``turns`` belongs to are left out.
    """
    if not fingerprints:
        return
    picked = {"marks": list(fingerprints), "since": since, "until": until, "roots": roots, "per_root": per_root}
    yield from _windows(conn, _PICKED, {**picked, "ahead": ahead, "behind": behind})


def windows_of(conn: Connection, turn_ids: Sequence[int], *, ahead: int, behind: int = 5) -> Iterator[Window]:
    """The same for these failures."""
    if turn_ids:
        yield from _windows(conn, _NAMED, {"turns": list(turn_ids), "ahead": ahead, "behind": behind})


def _windows(conn: Connection, picked: str, parameters: Mapping[str, Any]) -> Iterator[Window]:
    group: list[tuple[Any, ...]] = []
    for row in conn.execute(f"WITH picked AS ({picked}),{_AROUND}", dict(parameters)).fetchall():
        if group and group[0][0] != row[0]:
            yield from _window(group)
            group = []
        group.append(row)
    if group:
        yield from _window(group)


_PICKED: Final = """
    SELECT failure_id, turn_id, fingerprint, root, moment FROM (
        SELECT *, dense_rank() OVER (PARTITION BY fingerprint ORDER BY latest DESC, root) AS place FROM (
            SELECT failure_id, turn_id, fingerprint, root, moment,
                   max(moment) OVER (PARTITION BY fingerprint, root) AS latest,
                   row_number() OVER (PARTITION BY fingerprint, root ORDER BY moment, failure_id) AS nth
            FROM failures_between($since::BIGINT, $until::BIGINT) WHERE list_contains($marks::VARCHAR[], fingerprint))
        WHERE nth <= $per_root)
    WHERE place <= $roots
"""
_NAMED: Final = """
    SELECT failure_id, turn_id, coalesce(fingerprint, '') AS fingerprint,
           coalesce(root_session_id, session_id, '') AS root, epoch_us(occurred_at) AS moment
    FROM failure_stream WHERE turn_id IN (SELECT unnest($turns::BIGINT[]))
"""
_AROUND: Final = """
anchor AS (
    SELECT p.failure_id, p.fingerprint, p.root, p.moment, t.turn_id, t.session_id, coalesce(t.agent_id, '') AS agent_id,
           t.turn_number
    FROM picked p JOIN turns t ON t.turn_id = p.turn_id WHERE t.turn_number IS NOT NULL),
around AS (
    SELECT a.failure_id, a.fingerprint, a.root, a.moment, a.turn_id AS anchor_id, t.turn_id, t.turn_number,
           t.turn_number - a.turn_number AS distance,
           row_number() OVER (PARTITION BY a.failure_id, t.turn_number > a.turn_number ORDER BY t.turn_number) AS ahead,
           row_number() OVER (PARTITION BY a.failure_id, t.turn_number < a.turn_number ORDER BY t.turn_number DESC)
               AS behind
    FROM anchor a JOIN turns t
      ON t.session_id = a.session_id AND coalesce(t.agent_id, '') = a.agent_id
     AND t.turn_number BETWEEN a.turn_number - 3 * $behind AND a.turn_number + 3 * $ahead),
near AS (
    SELECT * FROM around
    WHERE distance = 0 OR (distance > 0 AND ahead <= $ahead) OR (distance < 0 AND behind <= $behind))
SELECT n.failure_id, n.fingerprint, n.root, n.moment, n.distance, t.turn_id, t.tool_name, t.outcome,
       (t.metadata -> '$.input')::VARCHAR, t.failure_class, t.program, t.fingerprint, t.user_said, t.cwd,
       t.project_path, t.turn_number, CASE WHEN n.distance = 0 THEN t.excerpt END
FROM near n JOIN turns t ON t.turn_id = n.turn_id
ORDER BY n.fingerprint, n.moment NULLS FIRST, n.failure_id, n.distance
"""


def _window(group: Sequence[tuple[Any, ...]]) -> Iterator[Window]:
    anchor = next((row for row in group if row[4] == 0), None)
    if anchor is None:
        return
    yield Window(
        fingerprint=anchor[1],
        root_session=anchor[2],
        at=anchor[3],
        failure=_facts(anchor),
        before=_Calls([row for row in group if row[4] < 0]),
        later=_Calls([row for row in group if row[4] > 0]),
        excerpt=anchor[16] or "",
    )


def _facts(row: tuple[Any, ...]) -> TurnFacts:
    _, _, _, _, _, turn_id, tool, outcome, given, kind, program, mark, said, cwd, root, number, _ = row
    return TurnFacts(
        turn_id=turn_id,
        tool=tool or "unknown",
        outcome=outcome or "unknown",
        input=_object(given),
        failure_class=kind,
        program=program,
        fingerprint=mark,
        user_said=said or "",
        cwd=cwd or "",
        root=root or "",
        number=number or 0,
    )


def _object(text: str | None) -> dict[str, Any]:
    try:
        value = _decoded(text) if text else {}
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _decoded(text: str) -> object:
    """JSON, by the quick decoder; the other one knows half characters and numbers without bound as well."""
    try:
        return msgspec.json.decode(text)
    except msgspec.MsgspecError:
        return json.loads(text)
