"""What candidates and mined fixes ask of the store. Aggregates are made in SQL; only samples reach Python."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from agent_riggs.driver import duckdb
from agent_riggs.store.schema import macros

Connection = duckdb.DuckDBPyConnection

ALL_TIME: Final = (-(2**62), 2**62)


@dataclass(frozen=True, slots=True)
class Total:
    """How often one pattern failed. Times are microseconds since 1970 UTC."""

    category: str
    tool: str
    occurrences: int
    sessions: int
    """Root sessions."""
    days: int
    trust: float | None
    first_seen: int | None
    last_seen: int | None
    fingerprint: str | None = None
    failure_class: str | None = None
    program: str | None = None
    shape: str | None = None
    specific: bool = False
    outcome: str | None = None
    mode: str | None = None
    shapes: int = 1
    """Fingerprints that the key covers; 0 when none of its rows has one."""
    latest: tuple[int, ...] = ()
    """Turn ids of up to three of its latest failures, of different sessions or days."""


@dataclass(frozen=True, slots=True)
class Shortcut:
    """A shell program used where a structured tool would have served."""

    tool: str
    program: str
    frequency: int
    sessions: int
    first_seen: int | None
    last_seen: int | None


def prepare(conn: Connection) -> None:
    """Make what all questions are asked of, ``failures_between``, known to this connection. May be repeated."""
    _define(conn, "failures_between")


def _define(conn: Connection, *names: str) -> None:
    """Make table macros of ``views.sql`` known. Each takes a millisecond or more, so only those that are asked."""
    for name in names:
        conn.execute(macros()[name])


def last_activity(conn: Connection, now: int) -> int | None:
    """Time of the last call or failure that is not later than ``now``."""
    (found,) = conn.execute(
        """
        SELECT greatest(
            (SELECT max(epoch_us(timestamp)) FROM turns WHERE epoch_us(timestamp) <= ?),
            (SELECT max(epoch_us(occurred_at)) FROM failure_stream WHERE epoch_us(occurred_at) <= ?))
        """,
        [now, now],
    ).fetchone() or (None,)
    return None if found is None else int(found)


def sessions_between(conn: Connection, since: int, until: int) -> int:
    """Root sessions with a call or a failure in the span."""
    (found,) = conn.execute(
        """
        SELECT count(*) FROM (
            SELECT coalesce(root_session_id, session_id) AS root FROM turns
            WHERE timestamp IS NULL OR (epoch_us(timestamp) >= $1 AND epoch_us(timestamp) <= $2)
            UNION
            SELECT coalesce(root_session_id, session_id) FROM failure_stream
            WHERE occurred_at IS NULL OR (epoch_us(occurred_at) >= $1 AND epoch_us(occurred_at) <= $2))
        """,
        [since, until],
    ).fetchone() or (0,)
    return int(found)


_TOTALS: Final = """
SELECT category, tool, occurrences, sessions, days, trust, first_seen, last_seen, fingerprint, failure_class, program,
       shape, specific, outcome
FROM pattern_totals(?::BIGINT, ?::BIGINT, ?::VARCHAR[])
"""


def patterns(
    conn: Connection, since: int, until: int, *, min_occurrences: int, min_sessions: int, limit: int
) -> list[Total]:
    """Fingerprints with enough occurrences or root sessions, those of most sessions and days first."""
    _define(conn, "leading_patterns", "pattern_totals")
    least = min(min_occurrences, min_sessions)
    leading = conn.execute(
        """
        SELECT fingerprint FROM leading_patterns(?::BIGINT, ?::BIGINT) WHERE occurrences >= ?
        ORDER BY sessions DESC, occurrences DESC, fingerprint LIMIT ?
        """,
        [since, until, least, 3 * limit],
    ).fetchall()
    rows = conn.execute(
        f"""
        {_TOTALS} WHERE occurrences >= ? OR sessions >= ?
        ORDER BY sqrt(sessions * greatest(days, 1)) DESC, sessions DESC, occurrences DESC, fingerprint LIMIT ?
        """,
        [since, until, [row[0] for row in leading], min_occurrences, min_sessions, limit],
    ).fetchall()
    return [Total(*row) for row in rows]


def repeated(conn: Connection, since: int, until: int) -> list[tuple[str, str, str, int | None]]:
    """(category, tool, fingerprint, last seen) of what failed in more than one root session. To know that it was more
    than one takes no counting: over a million failures an eighth of the time of ``patterns``."""
    return conn.execute(
        """
        SELECT max(failure_category), max(tool_name), fingerprint, max(moment)
        FROM failures_between(?::BIGINT, ?::BIGINT) WHERE fingerprint IS NOT NULL
        GROUP BY fingerprint HAVING min(root) <> max(root) ORDER BY fingerprint
        """,
        [since, until],
    ).fetchall()


def totals(conn: Connection, fingerprints: Sequence[str]) -> dict[str, Total]:
    """What the store holds of these fingerprints over all time."""
    if not fingerprints:
        return {}
    _define(conn, "failures_between", "pattern_totals")
    rows = conn.execute(_TOTALS, [*ALL_TIME, list(fingerprints)]).fetchall()
    return {row[8]: Total(*row) for row in rows}


def constraints(conn: Connection, since: int, until: int, *, min_occurrences: int) -> list[Total]:
    """Contract keys with enough occurrences, most root sessions first."""
    _define(conn, "constraint_totals")
    rows = conn.execute(
        """
        SELECT category, tool, occurrences, sessions, days, trust, first_seen, last_seen, mode, shapes, latest
        FROM constraint_totals(?::BIGINT, ?::BIGINT) WHERE occurrences >= ?
        ORDER BY sessions DESC, occurrences DESC, category, tool, mode NULLS FIRST
        """,
        [since, until, min_occurrences],
    ).fetchall()
    return [replace(Total(*row[:8]), mode=row[8], shapes=row[9], latest=tuple(row[10] or ())) for row in rows]


def beyond(conn: Connection, since: int, until: int, served: Sequence[str]) -> list[tuple[str, str | None, str | None]]:
    """(category, tool, mode) of the contract keys with a failure that none of these pattern keys is about."""
    return conn.execute(
        """
        SELECT DISTINCT category, tool, mode FROM (
            SELECT DISTINCT failure_category AS category, tool_name AS tool, mode, fingerprint
            FROM failures_between(?::BIGINT, ?::BIGINT) WHERE failure_category IS NOT NULL)
        WHERE fingerprint IS NULL
           OR NOT list_contains(?::VARCHAR[], category || '-' || coalesce(tool, 'unknown') || '-any:' || fingerprint)
        """,
        [since, until, list(served)],
    ).fetchall()


def keys(conn: Connection) -> list[tuple[str, str, str]]:
    """(category, tool, fingerprint) of every fingerprint the store holds, for finding a key by its prefix."""
    return conn.execute(
        """
        SELECT max(failure_category), max(tool_name), fingerprint FROM failures_between(?::BIGINT, ?::BIGINT)
        WHERE fingerprint IS NOT NULL AND failure_category IS NOT NULL GROUP BY fingerprint ORDER BY ALL
        """,
        [*ALL_TIME],
    ).fetchall()


def shortcuts(conn: Connection, since: int, until: int, *, min_frequency: int) -> list[Shortcut]:
    """Shell programs used often where a structured tool would have served."""
    _define(conn, "shortcut_totals")
    rows = conn.execute(
        """
        SELECT tool, program, frequency, sessions, first_seen, last_seen
        FROM shortcut_totals(?::BIGINT, ?::BIGINT) WHERE frequency >= ? ORDER BY sessions DESC, frequency DESC, program
        """,
        [since, until, min_frequency],
    ).fetchall()
    return [Shortcut(*row) for row in rows]


def success_rates(conn: Connection, since: int, until: int) -> dict[str, tuple[int, int]]:
    """Per tool (successes, calls whose success is known) in the span."""
    rows = conn.execute(
        """
        SELECT tool_name, count(*) FILTER (WHERE tool_success), count(*) FILTER (WHERE tool_success IS NOT NULL)
        FROM turns WHERE timestamp IS NULL OR (epoch_us(timestamp) >= ? AND epoch_us(timestamp) <= ?)
        GROUP BY tool_name ORDER BY tool_name
        """,
        [since, until],
    ).fetchall()
    return {tool or "unknown": (good, known) for tool, good, known in rows}


def trials(conn: Connection) -> list[tuple[str, int, int, int, int, int]]:
    """Nudge trials per plugin: (plugin, sessions, nudges, nudges heeded, controls, controls heeded)."""
    tables = conn.execute("SELECT 1 FROM duckdb_tables() WHERE table_name = 'nudge_trials'").fetchone()
    if not tables:
        return []
    return conn.execute(
        """
        SELECT plugin, count(DISTINCT session_id),
               count(*) FILTER (WHERE arm = 'nudge'), count(*) FILTER (WHERE arm = 'nudge' AND heed),
               count(*) FILTER (WHERE arm = 'control'), count(*) FILTER (WHERE arm = 'control' AND heed)
        FROM nudge_trials GROUP BY plugin ORDER BY plugin
        """
    ).fetchall()


def commands_with(conn: Connection, tool: str, word: str) -> list[tuple[str, bool]]:
    """(shell line, whether it plainly succeeded) of every call of a tool whose line holds a word."""
    rows = conn.execute(
        """
        SELECT metadata ->> '$.input.command', outcome = 'ok' FROM turns
        WHERE tool_name = ? AND contains(metadata::VARCHAR, ?) ORDER BY order_at, turn_id
        """,
        [tool, word],
    ).fetchall()
    return [(line, bool(ok)) for line, ok in rows if line]


def fingerprints_of(conn: Connection, turn_ids: Sequence[int], rules_version: int) -> list[str]:
    """The fingerprints of these calls, as far as they failed and were judged by this version of the rules."""
    rows = conn.execute(
        """
        SELECT fingerprint FROM turns WHERE turn_id IN (SELECT unnest(?::BIGINT[]))
        AND fingerprint IS NOT NULL AND rules_version = ? AND tool_success IS FALSE ORDER BY turn_id
        """,
        [list(turn_ids), rules_version],
    ).fetchall()
    return [row[0] for row in rows]


def excerpts(
    conn: Connection, fingerprints: Sequence[str], since: int, until: int
) -> dict[str, list[tuple[int | None, str | None]]]:
    """Per fingerprint up to three failures of different root sessions, the latest first: (turn id, excerpt)."""
    rows = conn.execute(
        """
        SELECT fingerprint, turn_id, excerpt FROM (
            SELECT f.fingerprint, f.turn_id, s.excerpt, f.root, f.moment,
                   row_number() OVER (PARTITION BY f.fingerprint, f.root ORDER BY f.moment DESC, f.failure_id) AS nth
            FROM failures_between($2::BIGINT, $3::BIGINT) f JOIN failure_stream s USING (failure_id)
            WHERE list_contains($1::VARCHAR[], f.fingerprint))
        WHERE nth = 1
        QUALIFY row_number() OVER (PARTITION BY fingerprint ORDER BY moment DESC, turn_id) <= 3
        ORDER BY fingerprint, moment DESC, turn_id
        """,
        [list(fingerprints), since, until],
    ).fetchall()
    found: dict[str, list[tuple[int | None, str | None]]] = {}
    for fingerprint, turn_id, excerpt in rows:
        found.setdefault(fingerprint, []).append((turn_id, excerpt))
    return found


def excerpts_of(conn: Connection, turn_ids: Sequence[int]) -> dict[int, str]:
    """The redacted excerpts of these failures; those without one are left out."""
    rows = conn.execute(
        """
        SELECT turn_id, excerpt FROM failure_stream
        WHERE turn_id IN (SELECT unnest(?::BIGINT[])) AND excerpt IS NOT NULL
        """,
        [list(turn_ids)],
    ).fetchall()
    return dict(rows)
