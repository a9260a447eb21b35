"""Deriving what depends on more than one call: who owns a shared call, numbering, trust, failures, summaries.

Every function runs inside the caller's transaction. The outcome depends only on the set of stored calls: ingest in
any order and grouping and the derived columns come out the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby, pairwise
from typing import Final, NamedTuple, cast

import duckdb

from agent_riggs.judge import trust
from agent_riggs.model import Outcome
from agent_riggs.store import columns, turns

PAGE: Final = 50_000


@dataclass(frozen=True, slots=True)
class TrustRules:
    """What trust is computed with; all three come from the configuration."""

    start: trust.Trust = trust.START
    weights: trust.Trust = trust.WEIGHTS
    scores: Mapping[str, float] = field(default_factory=lambda: trust.SCORES)


class _Call(NamedTuple):
    """What the derivation reads of a call; ``old_*`` is what the store says so far."""

    turn_id: int
    session_id: str
    transcript_id: int
    position: int
    timestamp: int | None
    started: int | None
    outcome: Outcome
    tool: str
    program: str | None
    category: str | None
    fingerprint: str | None
    old_number: int | None
    old_order: int | None
    old_score: float | None
    old_event: str | None
    old_root: str | None


def settle(conn: duckdb.DuckDBPyConnection, rules: TrustRules, *, everything: bool = False) -> int:
    """Bring every derived column up to date; returns the number of sessions that had to be derived again."""
    sessions = _unsettled(conn, everything)
    if not sessions:
        return 0
    roots, moved = _settle_lineages(conn, sessions)
    sessions = sorted({*sessions, *roots, *moved})
    changed_from = _number(conn, sessions, roots, rules, everything)
    _refresh_failures(conn, sessions)
    if changed_from is not None:
        _walk_trust(conn, changed_from, rules)
        _summarize(conn, changed_from, rules.start.now)
    return len(sessions)


def _unsettled(conn: duckdb.DuckDBPyConnection, everything: bool) -> list[str]:
    where = "provenance <> 'public'" if everything else "turn_number IS NULL"
    rows = conn.execute(f"SELECT DISTINCT session_id FROM turns WHERE {where} ORDER BY 1").fetchall()
    return [row[0] for row in rows]


# --- lineages: forks and copied resumes -----------------------------------------------------------


def _settle_lineages(conn: duckdb.DuckDBPyConnection, sessions: Sequence[str]) -> tuple[dict[str, str], set[str]]:
    """Give each shared call to the session it was made in; returns the root of every session of a lineage, and the
    sessions that lost or gained a call."""
    copies = turns.copies_of(conn, sessions)
    if not copies:
        return {}, set()
    rank = _rank(conn, sorted({copy.session_id for copy in copies}))
    roots: dict[str, str] = {}
    owners: list[turns.Copy] = []
    for _, group in groupby(copies, key=lambda copy: copy.turn_id):
        shared = sorted(group, key=lambda copy: rank[copy.session_id])
        owners.append(shared[0])
        _join(roots, [copy.session_id for copy in shared])
    for session in roots:
        roots[session] = _find(roots, session)
    best: dict[str, str] = {}
    for session, root in sorted(roots.items(), key=lambda item: rank[item[0]]):
        best.setdefault(root, session)
    return {session: best[root] for session, root in roots.items()}, _take_over(conn, owners)


def _rank(conn: duckdb.DuckDBPyConnection, sessions: Sequence[str]) -> dict[str, tuple[int, bool, int, str]]:
    """Order of the sessions of a lineage: the original first.

    Copies keep the times of the records they copy, so the start says nothing; a background copy says that it is one,
    and of two others the one that went on first on its own is the original.
    """
    rows = conn.execute(
        """
        SELECT s.session_id,
               (SELECT epoch_us(min(t.started_at)) FROM transcripts t WHERE t.session_id = s.session_id),
               (SELECT bool_or(t.background) FROM transcripts t WHERE t.session_id = s.session_id),
               (SELECT epoch_us(max(t.ended_at)) FROM transcripts t WHERE t.session_id = s.session_id),
               (SELECT epoch_us(min(c.timestamp)) FROM turns c
                WHERE c.session_id = s.session_id AND c.turn_id NOT IN (SELECT turn_id FROM call_copies))
        FROM (SELECT unnest(?::VARCHAR[]) AS session_id) s
        """,
        [list(sessions)],
    ).fetchall()
    return {
        session: (started or 0, bool(background), own if own is not None else (ended or 0), session)
        for session, started, background, ended, own in rows
    }


def _find(roots: Mapping[str, str], session: str) -> str:
    while roots[session] != session:
        session = roots[session]
    return session


def _join(roots: dict[str, str], sessions: Sequence[str]) -> None:
    for session in sessions:
        roots.setdefault(session, session)
    for left, right in pairwise(sessions):
        roots[_find(roots, right)] = _find(roots, left)


def _take_over(conn: duckdb.DuckDBPyConnection, owners: Sequence[turns.Copy]) -> set[str]:
    relation = "(SELECT unnest(?::BIGINT[]) AS turn_id, unnest(?::VARCHAR[]) AS session_id, "
    relation += "unnest(?::BIGINT[]) AS transcript_id, unnest(?::BIGINT[]) AS position)"
    values = [
        [owner.turn_id for owner in owners],
        [owner.session_id for owner in owners],
        [owner.transcript_id for owner in owners],
        [owner.position for owner in owners],
    ]
    differs = "t.turn_id = o.turn_id AND (t.session_id, t.transcript_id, t.position) IS DISTINCT FROM "
    differs += "(o.session_id, o.transcript_id, o.position)"
    moved = conn.execute(
        f"SELECT t.session_id, o.session_id FROM turns t JOIN {relation} o ON {differs}", values
    ).fetchall()
    if moved:
        conn.execute(
            "UPDATE turns SET session_id = o.session_id, transcript_id = o.transcript_id, position = o.position, "
            f"turn_number = NULL FROM {relation} o WHERE turns.turn_id = o.turn_id AND turns.session_id IS DISTINCT "
            "FROM o.session_id",
            values,
        )
    return {session for pair in moved for session in pair}


# --- numbering and scores -------------------------------------------------------------------------


def _number(
    conn: duckdb.DuckDBPyConnection,
    sessions: Sequence[str],
    roots: Mapping[str, str],
    rules: TrustRules,
    everything: bool,
) -> int | None:
    """Number the calls of the given sessions and score them; returns the earliest moment at which anything changed."""
    changed: list[tuple[int, int, int, str, float | None, str]] = []
    earliest: int | None = None
    for at in range(0, len(sessions), 500):
        for session, calls in groupby(_calls_of(conn, sessions[at : at + 500]), key=lambda call: call.session_id):
            ordered = _in_order(list(calls))
            steps = (trust.Step(c.outcome, c.tool, c.program, c.category, c.fingerprint) for c, _ in ordered)
            root = roots.get(session, session)
            for number, ((call, order), event) in enumerate(zip(ordered, trust.categorize(steps), strict=True), 1):
                score = rules.scores.get(event)
                old = (call.old_number, call.old_order, call.old_score, call.old_event, call.old_root)
                if old != (number, order, score, event, root):
                    changed.append((call.turn_id, number, order, event, score, root))
                    earliest = _earlier(earliest, order, call.old_order)
                elif everything:
                    earliest = _earlier(earliest, order)
    if changed:
        names = ("turn_id", "turn_number", "order_at", "event_category", "trust_score", "root_session_id")
        values = (list(column) for column in zip(*changed, strict=True))
        columns.update(conn, "turns", "turn_id", dict(zip(names, values, strict=True)))
    return earliest


def _earlier(*moments: int | None) -> int | None:
    return min((moment for moment in moments if moment is not None), default=None)


def _calls_of(conn: duckdb.DuckDBPyConnection, sessions: Sequence[str]) -> Iterable[_Call]:
    rows = conn.execute(
        """
        SELECT c.turn_id, c.session_id, coalesce(c.transcript_id, 0), coalesce(c.position, 0), epoch_us(c.timestamp),
               epoch_us(t.started_at), c.outcome, c.tool_name, c.program, c.category, c.fingerprint,
               c.turn_number, epoch_us(c.order_at), c.trust_score, c.event_category, c.root_session_id
        FROM turns c LEFT JOIN transcripts t USING (transcript_id)
        WHERE c.session_id IN (SELECT unnest(?::VARCHAR[])) AND c.outcome IS NOT NULL
        ORDER BY c.session_id, t.started_at NULLS FIRST, c.transcript_id, c.position, c.turn_id
        """,
        [list(sessions)],
    ).fetchall()
    return map(_Call._make, rows)


def _in_order(calls: Sequence[_Call]) -> list[tuple[_Call, int]]:
    """The calls of one session in order, each with the time it is ordered by.

    Inside a transcript the file's order holds, whatever the clock says; times only interleave the transcripts of one
    session (subagents run beside the main thread). A call without a time takes that of the call before it.
    """
    placed: list[tuple[int, int, _Call]] = []
    for rank, (_, group) in enumerate(groupby(calls, key=lambda call: call.transcript_id)):
        members = list(group)
        clock = next((c.timestamp for c in members if c.timestamp is not None), None)
        clock = clock if clock is not None else (members[0].started or 0)
        for call in members:
            clock = max(clock, call.timestamp if call.timestamp is not None else clock)
            placed.append((clock, rank, call))
    placed.sort(key=lambda item: (item[0], item[1], item[2].position, item[2].turn_id))
    return [(call, clock) for clock, _, call in placed]


# --- failure_stream -------------------------------------------------------------------------------


def _refresh_failures(conn: duckdb.DuckDBPyConnection, sessions: Sequence[str]) -> None:
    mine = "SELECT turn_id FROM turns WHERE session_id IN (SELECT unnest(?::VARCHAR[]))"
    failing = "outcome IN ('failed', 'check_failed', 'denied')"
    conn.execute(
        f"DELETE FROM failure_stream WHERE turn_id IN ({mine} AND outcome IS NOT NULL AND NOT {failing})",
        [list(sessions)],
    )
    conn.execute(
        f"""
        INSERT OR REPLACE INTO failure_stream
            (failure_id, turn_id, session_id, project, occurred_at, failure_category, tool_name, mode,
             trust_at_failure, detail, root_session_id, agent, outcome, failure_class, program, shape, fingerprint,
             specific, excerpt)
        SELECT turn_id, turn_id, session_id, project, timestamp, category, tool_name, mode,
               (SELECT f.trust_at_failure FROM failure_stream f WHERE f.failure_id = turns.turn_id),
               json_object('class', failure_class, 'program', program, 'shape', shape, 'fingerprint', fingerprint,
                           'exit_code', exit_code, 'rule', rule),
               root_session_id, agent, outcome, failure_class, program, shape, fingerprint, specific, excerpt
        FROM turns WHERE {failing} AND session_id IN (SELECT unnest(?::VARCHAR[]))
        """,
        [list(sessions)],
    )


# --- trust ----------------------------------------------------------------------------------------


def _walk_trust(conn: duckdb.DuckDBPyConnection, changed_from: int, rules: TrustRules) -> None:
    """Recompute the averages from the first moment at which anything changed; calls before it are not touched."""
    state = _trust_before(conn, changed_from) or rules.start
    after: tuple[int, str, int] = (changed_from - 1, "", 0)
    while page := _trust_page(conn, after):
        after = page[-1][1:4]
        fresh = list(trust.walk((row[4] for row in page), state, rules.weights))
        before = [state, *(trust.Trust(*values) for values in fresh[:-1])]
        changes = [(row[0], *values) for row, values in zip(page, fresh, strict=True) if tuple(row[5:8]) != values]
        if changes:
            names = ("turn_id", "trust_1", "trust_5", "trust_15")
            values = (list(column) for column in zip(*changes, strict=True))
            columns.update(conn, "turns", "turn_id", dict(zip(names, values, strict=True)))
        failures = [(row[0], held.now) for row, held in zip(page, before, strict=True) if row[8]]
        if failures:
            ids, trusts = (list(column) for column in zip(*failures, strict=True))
            columns.update(conn, "failure_stream", "failure_id", {"failure_id": ids, "trust_at_failure": trusts})
        state = trust.Trust(*fresh[-1])


def _trust_before(conn: duckdb.DuckDBPyConnection, moment: int) -> trust.Trust | None:
    row = conn.execute(
        "SELECT trust_1, trust_5, trust_15 FROM turns WHERE order_at < make_timestamptz(?) "
        "ORDER BY order_at DESC, session_id DESC, turn_number DESC LIMIT 1",
        [moment],
    ).fetchone()
    return trust.Trust(*row) if row else None


_Page = list[tuple[int, int, str, int, float | None, float | None, float | None, float | None, bool]]


def _trust_page(conn: duckdb.DuckDBPyConnection, after: tuple[int, str, int]) -> _Page:
    rows = conn.execute(
        f"""
        SELECT turn_id, epoch_us(order_at), session_id, turn_number, trust_score, trust_1, trust_5, trust_15,
               outcome IN ('failed', 'check_failed', 'denied')
        FROM turns
        WHERE order_at >= make_timestamptz($moment) AND (order_at > make_timestamptz($moment)
              OR session_id > $session OR (session_id = $session AND turn_number > $number))
        ORDER BY order_at, session_id, turn_number LIMIT {PAGE}
        """,
        dict(zip(("moment", "session", "number"), after, strict=True)),
    ).fetchall()
    return cast("_Page", rows)


# --- session_summaries ----------------------------------------------------------------------------


def _summarize(conn: duckdb.DuckDBPyConnection, changed_from: int, start: float) -> None:
    """Rewrite the summaries of every session that has a call at or after the given moment."""
    conn.execute(
        """
        INSERT OR REPLACE INTO session_summaries
            (session_id, project, started_at, ended_at, duration, total_turns, total_failures, failure_rate,
             trust_start, trust_end, trust_delta, modes_used, mode_switches, computation_channel_fraction,
             structured_tool_fraction, agent, root_session_id, models, host)
        WITH touched AS (
            SELECT DISTINCT session_id FROM turns WHERE order_at >= make_timestamptz($moment)
        ), since AS (
            SELECT min(order_at) AS moment FROM turns WHERE session_id IN (FROM touched)
        ), numbered AS (
            SELECT *, coalesce(lag(trust_1) OVER (ORDER BY order_at, session_id, turn_number), (
                SELECT arg_max(trust_1, (order_at, session_id, turn_number)) FROM turns
                WHERE order_at < (SELECT moment FROM since)), $start) AS trust_before
            FROM turns WHERE order_at >= (SELECT moment FROM since)
        ), mine AS (
            SELECT * FROM numbered WHERE session_id IN (FROM touched)
        ), modes AS (
            SELECT session_id, list(mode ORDER BY first_use) AS used FROM (
                SELECT session_id, mode, min(turn_number) AS first_use FROM mine WHERE mode IS NOT NULL
                GROUP BY session_id, mode) GROUP BY session_id
        ), switches AS (
            SELECT session_id, count(*) FILTER (mode <> previous) AS number FROM (
                SELECT session_id, mode, lag(mode) OVER (PARTITION BY session_id ORDER BY turn_number) AS previous
                FROM mine WHERE mode IS NOT NULL) GROUP BY session_id
        ), models AS (
            SELECT session_id, list(model ORDER BY first_use) AS used FROM (
                SELECT session_id, model, min(turn_number) AS first_use FROM mine WHERE model IS NOT NULL
                GROUP BY session_id, model) GROUP BY session_id
        )
        SELECT session_id, min(project), min(timestamp), greatest(max(timestamp), max(ended_at)),
               greatest(0, epoch(greatest(max(timestamp), max(ended_at))) - epoch(min(timestamp))),
               count(*), count(*) FILTER (outcome IN ('failed', 'check_failed', 'denied')),
               count(*) FILTER (outcome IN ('failed', 'check_failed', 'denied')) / count(*),
               arg_min(trust_before, turn_number), arg_max(trust_1, turn_number),
               arg_max(trust_1, turn_number) - arg_min(trust_before, turn_number),
               coalesce(any_value(modes.used), []), coalesce(any_value(switches.number), 0),
               count(*) FILTER (tool_name = 'Bash') / count(*), count(*) FILTER (tool_name <> 'Bash') / count(*),
               min(agent), min(root_session_id), coalesce(any_value(models.used), []), min(host)
        FROM mine LEFT JOIN modes USING (session_id) LEFT JOIN switches USING (session_id)
        LEFT JOIN models USING (session_id)
        GROUP BY session_id
        """,
        {"moment": changed_from, "start": start},
    )
    conn.execute(
        "DELETE FROM session_summaries WHERE agent IS NOT NULL AND session_id NOT IN (SELECT session_id FROM turns)"
    )


def totals(conn: duckdb.DuckDBPyConnection) -> tuple[int, dict[str, int]]:
    """Number of sessions, and calls by outcome, of everything read from transcripts."""
    rows = conn.execute("SELECT outcome, count(*) FROM turns WHERE outcome IS NOT NULL GROUP BY 1 ORDER BY 2 DESC, 1")
    outcomes = dict(rows.fetchall())
    sessions = conn.execute("SELECT count(DISTINCT session_id) FROM turns WHERE outcome IS NOT NULL").fetchone()
    return int(sessions[0]) if sessions else 0, outcomes
