"""Deriving what depends on more than one call: who owns a shared call, numbering, trust, failures, summaries.

The outcome depends only on the set of stored calls: in any order and grouping of ingests the derived columns come out
the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Final, NamedTuple, cast

from agent_riggs.driver import duckdb
from agent_riggs.judge import trust
from agent_riggs.model import Outcome
from agent_riggs.store import columns, joining, lineages
from agent_riggs.store.transactions import transaction

PAGE: Final = 50_000
"""Calls in one step of the walk along the averages."""

CHUNK: Final = 200
"""Sessions in one step of numbering and summing up."""


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
    rule: str | None
    old_number: int | None
    old_order: int | None
    old_score: float | None
    old_event: str | None
    old_root: str | None


def settle(conn: duckdb.DuckDBPyConnection, rules: TrustRules, *, everything: bool = False) -> int:
    """Bring every derived column up to date; returns the number of sessions that had to be derived again.

    Works in steps, each a transaction of its own, so that memory stays bounded. A step leaves a mark of what is still
    to do (calls without a number, ``derive_from`` in ``riggs_meta``): killed anywhere, the next run completes it.
    """
    with transaction(conn):
        roots = lineages.settle(conn, _unsettled(conn, everything))
        joining.settle(conn)
        sessions = _unsettled(conn, everything)
    since = _pending_since(conn)
    for at in range(0, len(sessions), CHUNK):
        with transaction(conn):
            chunk = sessions[at : at + CHUNK]
            since = _earlier(since, _number(conn, chunk, roots, rules, everything))
            _refresh_failures(conn, chunk)
            _set_pending_since(conn, since)
    if since is not None:
        _walk_trust(conn, since, rules)
        _summarize(conn, since)
        with transaction(conn):
            _set_pending_since(conn, None)
    with transaction(conn):
        _summarize_idle(conn)
    return len(sessions)


def _unsettled(conn: duckdb.DuckDBPyConnection, everything: bool) -> list[str]:
    where = "outcome IS NOT NULL" if everything else "turn_number IS NULL"
    rows = conn.execute(f"SELECT DISTINCT session_id FROM turns WHERE {where} ORDER BY 1").fetchall()
    return [row[0] for row in rows]


def _pending_since(conn: duckdb.DuckDBPyConnection) -> int | None:
    row = conn.execute("SELECT value FROM riggs_meta WHERE key = 'derive_from'").fetchone()
    return int(row[0]) if row else None


def _set_pending_since(conn: duckdb.DuckDBPyConnection, moment: int | None) -> None:
    if moment is None:
        conn.execute("DELETE FROM riggs_meta WHERE key = 'derive_from'")
    else:
        conn.execute("INSERT OR REPLACE INTO riggs_meta VALUES ('derive_from', ?)", [str(moment)])


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
    for session, calls in groupby(_calls_of(conn, sessions), key=lambda call: call.session_id):
        ordered = _in_order(list(calls))
        steps = (trust.Step(c.outcome, c.tool, c.program, c.category, c.fingerprint, c.rule) for c, _ in ordered)
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
               c.rule, c.turn_number, epoch_us(c.order_at), c.trust_score, c.event_category, c.root_session_id
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


def _walk_trust(conn: duckdb.DuckDBPyConnection, since: int, rules: TrustRules) -> None:
    """Recompute the averages from the first moment at which anything changed; calls before it are not touched."""
    state = _trust_before(conn, since) or rules.start
    after: tuple[int, str, int] = (since - 1, "", 0)
    while page := _trust_page(conn, after):
        after = page[-1][1:4]
        fresh = list(trust.walk((row[4] for row in page), state, rules.weights))
        before = [state.now, *(values[0] for values in fresh[:-1])]
        with transaction(conn):
            changes = [(row[0], *values) for row, values in zip(page, fresh, strict=True) if row[5:8] != values]
            _write(conn, "turns", ("turn_id", "trust_1", "trust_5", "trust_15"), changes)
            failures = [(row[0], held) for row, held in zip(page, before, strict=True) if row[8]]
            _write(conn, "failure_stream", ("failure_id", "trust_at_failure"), failures)
            firsts = [(row[2], held) for row, held in zip(page, before, strict=True) if row[3] == 1]
            _write(conn, "session_summaries", ("session_id", "trust_start"), firsts, insert=True)
        state = trust.Trust(*fresh[-1])


def _write(
    conn: duckdb.DuckDBPyConnection,
    table: str,
    names: Sequence[str],
    rows: Sequence[tuple[object, ...]],
    insert: bool = False,
) -> None:
    """Overwrite columns of rows found by the first one; with ``insert`` rows that are missing are made first."""
    if not rows:
        return
    values = dict(zip(names, (list(column) for column in zip(*rows, strict=True)), strict=True))
    if insert:
        columns.insert(conn, table, {names[0]: values[names[0]]}, "OR IGNORE")
    columns.update(conn, table, names[0], values)


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


def _summarize(conn: duckdb.DuckDBPyConnection, since: int) -> None:
    """Rewrite the summaries of every session that has a call at or after the given moment."""
    rows = conn.execute(
        "SELECT DISTINCT session_id FROM turns WHERE order_at >= make_timestamptz(?) ORDER BY 1", [since]
    ).fetchall()
    for at in range(0, len(rows), CHUNK):
        with transaction(conn):
            conn.execute(_SUMMARY, [[row[0] for row in rows[at : at + CHUNK]]])


def _summarize_idle(conn: duckdb.DuckDBPyConnection) -> None:
    """Sessions without a call have a summary too: with their times, and nothing else to tell."""
    conn.execute(
        """
        DELETE FROM session_summaries WHERE agent IS NOT NULL AND total_turns > 0
            AND session_id NOT IN (SELECT session_id FROM turns WHERE session_id IS NOT NULL)
        """
    )
    conn.execute(
        """
        INSERT OR REPLACE INTO session_summaries
            (session_id, project, started_at, ended_at, duration, total_turns, total_failures, failure_rate,
             modes_used, mode_switches, agent, root_session_id, models)
        SELECT session_id, (SELECT min(project) FROM turns WHERE outcome IS NOT NULL), fresh.started_at, fresh.ended_at,
               greatest(0, epoch(fresh.ended_at) - epoch(fresh.started_at)), 0, 0, 0, [], 0, source, session_id, []
        FROM (SELECT session_id, min(started_at) AS started_at, max(ended_at) AS ended_at, min(source) AS source
              FROM transcripts WHERE ours AND session_id <> '' GROUP BY session_id) fresh
        LEFT JOIN session_summaries told USING (session_id)
        WHERE told.session_id IS NULL OR (told.total_turns = 0
            AND (told.started_at, told.ended_at) IS DISTINCT FROM (fresh.started_at, fresh.ended_at))
        """
    )


_SUMMARY: Final = """
    WITH mine AS (
        SELECT * FROM turns WHERE session_id IN (SELECT unnest(?::VARCHAR[])) AND order_at IS NOT NULL
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
    ), counted AS (
        SELECT session_id, min(project) AS project, min(timestamp) AS started_at,
               greatest(max(timestamp), max(ended_at)) AS ended_at, count(*) AS calls,
               count(*) FILTER (outcome IN ('failed', 'check_failed', 'denied')) AS failures,
               arg_max(trust_1, turn_number) AS trust_end,
               count(*) FILTER (tool_name = 'Bash') / count(*) AS shell,
               count(*) FILTER (tool_name <> 'Bash') / count(*) AS structured,
               coalesce(min(agent) FILTER (provenance = 'transcript'), min(agent)) AS agent,
               min(root_session_id) AS root, min(host) AS host
        FROM mine GROUP BY session_id
    )
    UPDATE session_summaries SET
        project = fresh.project, started_at = fresh.started_at, ended_at = fresh.ended_at,
        duration = greatest(0, epoch(fresh.ended_at) - epoch(fresh.started_at)),
        total_turns = calls, total_failures = failures, failure_rate = failures / calls,
        trust_end = fresh.trust_end, trust_delta = fresh.trust_end - trust_start,
        modes_used = modes, mode_switches = number, computation_channel_fraction = shell,
        structured_tool_fraction = structured, agent = fresh.agent, root_session_id = root,
        models = fresh.models, host = fresh.host
    FROM (SELECT counted.*, coalesce(modes.used, []) AS modes, coalesce(switches.number, 0) AS number,
                 coalesce(models.used, []) AS models
          FROM counted LEFT JOIN modes USING (session_id) LEFT JOIN switches USING (session_id)
          LEFT JOIN models USING (session_id)) fresh
    WHERE session_summaries.session_id = fresh.session_id
"""
