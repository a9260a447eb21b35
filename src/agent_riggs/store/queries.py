"""The questions behind status, failures, sessions, trust, problems and explain. Read only; rows are frozen.

Every function takes an open DuckDB connection. Times are microseconds since 1970 in UTC (``When``).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final, Literal

from agent_riggs.driver import duckdb
from agent_riggs.store import documents
from agent_riggs.store.rows import (
    FailureRow,
    ProblemRow,
    SessionRow,
    SourceCoverage,
    Totals,
    Trust,
    TrustShare,
    TurnDetail,
    When,
)

Connection = duckdb.DuckDBPyConnection

DAY: Final = 86_400_000_000
"""Microseconds in a day."""


def trust(conn: Connection) -> Trust | None:
    """Trust after the last call that was scored; ``None`` when none was."""
    row = conn.execute(
        """
        SELECT trust_1, trust_5, trust_15, epoch_us(order_at) FROM turns WHERE trust_1 IS NOT NULL
        ORDER BY order_at DESC NULLS LAST, session_id DESC, transcript_id DESC, position DESC LIMIT 1
        """
    ).fetchone()
    return Trust(*row) if row else None


def trust_history(conn: Connection, points: int) -> list[float]:
    """Trust at the end of the last sessions, oldest first: what the sparkline shows."""
    rows = conn.execute(
        """
        SELECT trust_end FROM session_summaries WHERE trust_end IS NOT NULL
        ORDER BY ended_at DESC NULLS LAST, session_id LIMIT ?
        """,
        [points],
    ).fetchall()
    return [value for (value,) in reversed(rows)]


def totals(conn: Connection) -> Totals:
    """Counts over the whole store."""
    row = conn.execute(
        """
        SELECT (SELECT count(*) FROM session_summaries),
               (SELECT count(DISTINCT coalesce(root_session_id, session_id)) FROM session_summaries),
               (SELECT count(*) FROM turns),
               count(*),
               count(*) FILTER (outcome IN ('failed', 'check_failed')),
               count(*) FILTER (outcome IN ('failed', 'check_failed') AND specific IS NOT TRUE),
               (SELECT count(*) FROM problems)
        FROM failure_stream
        """
    ).fetchone()
    assert row is not None
    return Totals(*row)


def is_empty(conn: Connection) -> bool:
    """Whether the store holds neither a call nor a failure: nothing was ingested, or nothing was found."""
    row = conn.execute("SELECT NOT EXISTS (FROM turns) AND NOT EXISTS (FROM failure_stream)").fetchone()
    return bool(row and row[0])


def recorded_folders(conn: Connection) -> list[str]:
    """The folders under which the project's transcripts know it."""
    rows = conn.execute("SELECT DISTINCT cwd FROM transcripts WHERE ours AND cwd <> '' ORDER BY cwd").fetchall()
    return [cwd for (cwd,) in rows]


def understood(conn: Connection) -> tuple[int, int, int, int]:
    """Over all sources: transcripts of this project, those of which a line was understood, lines, those not understood.
    What ``coverage`` says by source, without what only it needs."""
    row = conn.execute(
        """
        SELECT count(*), count(*) FILTER (understood > 0), coalesce(sum(lines), 0)::BIGINT,
               coalesce(sum(lines - understood), 0)::BIGINT
        FROM transcripts WHERE ours
        """
    ).fetchone()
    assert row is not None
    return row


def coverage(conn: Connection) -> list[SourceCoverage]:
    """Per source how many of its transcripts and lines were understood, by source name."""
    rows = conn.execute(
        """
        SELECT source,
               count(*) FILTER (ours),
               count(*) FILTER (ours AND understood > 0),
               count(*) FILTER (ours IS NOT TRUE),
               count(*) FILTER (ours AND gone),
               coalesce(sum(lines) FILTER (ours), 0)::BIGINT,
               coalesce(sum(lines - understood) FILTER (ours), 0)::BIGINT,
               list(unknown::VARCHAR) FILTER (ours AND unknown IS NOT NULL AND unknown::VARCHAR <> '{}'),
               list(DISTINCT versions) FILTER (ours AND versions <> ''),
               list_sort(list(DISTINCT home) FILTER (ours AND home <> '')),
               coalesce(sum(warmups) FILTER (ours), 0)::BIGINT,
               epoch_us(max(read_at))
        FROM transcripts GROUP BY source ORDER BY source
        """
    ).fetchall()
    counts = {
        source: (calls, failures)
        for source, calls, failures in conn.execute(
            "SELECT source, count(*), count(*) FILTER (tool_success = false) FROM turns GROUP BY source"
        ).fetchall()
    }
    found = [
        (*row[:7], _sum(row[7]), _versions(row[8]), tuple(row[9] or ()), row[10], *counts.get(row[0], (0, 0)), row[11])
        for row in rows
    ]
    return [SourceCoverage(*values) for values in found]


def _sum(texts: list[str] | None) -> dict[str, int]:
    out: dict[str, int] = {}
    for text in texts or ():
        for name, count in documents.counts(text).items():
            out[name] = out.get(name, 0) + count
    return dict(sorted(out.items(), key=lambda item: (-item[1], item[0])))


def _versions(values: list[str] | None) -> tuple[str, ...]:
    return tuple(sorted({word for value in values or () for word in value.split()}, key=_version_order))


def _version_order(version: str) -> tuple[tuple[int, int, str], ...]:
    return tuple((0, int(part), "") if part.isdecimal() else (1, 0, part) for part in version.split("."))


def last_activity(conn: Connection, now: When) -> When:
    """Time of the last call that is not in the future: windows are counted back from here, so that a project
    picked up after a pause still knows. ``now`` for an empty store."""
    row = conn.execute(
        """
        SELECT max(moment) FROM (
            SELECT epoch_us(max(timestamp)) AS moment FROM turns WHERE epoch_us(timestamp) <= $now
            UNION ALL
            SELECT epoch_us(max(occurred_at)) FROM failure_stream WHERE epoch_us(occurred_at) <= $now
        )
        """,
        {"now": now},
    ).fetchone()
    return now if row is None or row[0] is None else row[0]


_FAILURES: Final = """
    WITH met AS NOT MATERIALIZED (
        SELECT coalesce(fingerprint, failure_category || '-' || coalesce(tool_name, 'unknown') || '-'
                        || coalesce(mode, 'any')) AS key,
               failure_category AS category, failure_class, coalesce(tool_name, 'unknown') AS tool, program, shape,
               coalesce(root_session_id, session_id) AS root, epoch_us(occurred_at) AS moment, turn_id, failure_id,
               agent
        FROM failure_stream
        WHERE coalesce(epoch_us(occurred_at), $since) >= $since
          AND ($tool IS NULL OR lower(tool_name) = lower($tool))
          AND ($agent IS NULL OR agent = $agent)
          AND ($class IS NULL OR failure_class = $class)
    ),
    foremost AS (
        SELECT key, count(DISTINCT root) AS sessions, count(*) AS times, min(moment) AS first_seen,
               max(moment) AS last_seen
        FROM met GROUP BY key HAVING count(*) >= $least
        ORDER BY sessions DESC, times DESC, last_seen DESC NULLS LAST, key LIMIT $limit
    ),
    ranked AS (
        SELECT met.*, row_number() OVER (ORDER BY moment NULLS FIRST, failure_id) AS rank
        FROM met SEMI JOIN foremost USING (key)
    ),
    told AS (
        SELECT key, arg_max(category, rank) AS category, arg_max(failure_class, rank) AS failure_class,
               arg_max(tool, rank) AS tool, arg_max(program, rank) AS program, arg_max(shape, rank) AS shape,
               arg_max(turn_id, rank) AS turn_id, list_sort(list(DISTINCT agent) FILTER (agent IS NOT NULL)) AS agents
        FROM ranked GROUP BY key
    )
    SELECT key, category, failure_class, tool, program, shape, sessions, times, first_seen, last_seen, turn_id, agents
    FROM foremost JOIN told USING (key)
    ORDER BY sessions DESC, times DESC, last_seen DESC NULLS LAST, key
"""
"""First which failures are to be shown, by counting alone; then the latest words of those: half the time of both at
once."""


def failures(
    conn: Connection,
    since: When,
    limit: int,
    least: int = 2,
    tool: str | None = None,
    agent: str | None = None,
    failure_class: str | None = None,
) -> list[FailureRow]:
    """Failures met at least ``least`` times since then, those of most root sessions first."""
    asked = {"since": since, "limit": limit, "least": least, "tool": tool, "agent": agent, "class": failure_class}
    rows = conn.execute(_FAILURES, asked).fetchall()
    return [FailureRow(*values) for values in ((*row[:11], tuple(row[11] or ())) for row in rows)]


def sessions(conn: Connection, limit: int, agent: str | None = None) -> list[SessionRow]:
    """Sessions, latest first."""
    rows = conn.execute(
        """
        SELECT session_id, coalesce(root_session_id, session_id), coalesce(agent, 'unknown'), host,
               epoch_us(started_at), epoch_us(ended_at), duration, coalesce(total_turns, 0),
               coalesce(total_failures, 0), trust_start, trust_end, trust_delta, modes_used, models
        FROM session_summaries WHERE $agent IS NULL OR agent = $agent
        ORDER BY ended_at DESC NULLS LAST, session_id LIMIT $limit
        """,
        {"agent": agent, "limit": limit},
    ).fetchall()
    found = [(*row[:12], tuple(row[12] or ()), tuple(row[13] or ())) for row in rows]
    return [SessionRow(*values) for values in found]


Named = Literal["tool", "agent", "class"]
_NAMED: Final[Mapping[Named, str]] = {
    "tool": "SELECT tool_name FROM turns UNION SELECT tool_name FROM failure_stream",
    "agent": "SELECT agent FROM session_summaries UNION SELECT agent FROM failure_stream",
    "class": "SELECT failure_class FROM failure_stream",
}


def names(conn: Connection, of: Named) -> list[str]:
    """The tools, agents or classes of failures that the store knows, by name."""
    found = conn.execute(f"SELECT DISTINCT * FROM ({_NAMED[of]}) AS known(name) WHERE name <> '' ORDER BY 1").fetchall()
    return [name for (name,) in found]


By = Literal["tool", "model", "session"]
_BY: Final[Mapping[By, str]] = {"tool": "tool_name", "model": "model", "session": "session_id"}


def trust_by(conn: Connection, by: By, since: When, limit: int) -> list[TrustShare]:
    """Calls, failures and mean score per tool, model or session; those with most calls first."""
    rows = conn.execute(
        f"""
        SELECT coalesce({_BY[by]}, 'unknown'), count(*), count(*) FILTER (outcome = 'failed'),
               count(*) FILTER (outcome = 'check_failed'), count(*) FILTER (outcome = 'denied'),
               avg(trust_score), epoch_us(max(order_at))
        FROM turns WHERE coalesce(epoch_us(order_at), $since) >= $since
        GROUP BY 1 ORDER BY count(*) DESC, 1 LIMIT $limit
        """,
        {"since": since, "limit": limit},
    ).fetchall()
    return [TrustShare(*row) for row in rows]


def problems(conn: Connection, limit: int) -> list[ProblemRow]:
    """Inputs that could not be read, latest first."""
    rows = conn.execute(
        """
        SELECT path, line, reason, coalesce(source, 'unknown'), epoch_us(seen_at) FROM problems
        ORDER BY seen_at DESC NULLS LAST, path, line NULLS FIRST, reason LIMIT ?
        """,
        [limit],
    ).fetchall()
    return [ProblemRow(*row) for row in rows]


_TURN: Final = """
    SELECT t.turn_id, t.call_id, t.session_id, coalesce(t.root_session_id, t.session_id), t.turn_number, t.agent,
           t.agent_id, epoch_us(t.timestamp), t.tool_name, t.mode, t.model, t.metadata::VARCHAR, t.outcome, t.rule,
           t.flag, t.exit_code, f.failure_category, t.failure_class, t.program, t.shape, t.fingerprint, t.specific,
           t.excerpt, t.user_said, t.trust_score, f.trust_at_failure, t.trust_1, t.rules_version, s.key,
           epoch_us(t.order_at), t.transcript_id, t.position
    FROM (SELECT * FROM turns WHERE turn_id = $id) t
    LEFT JOIN (SELECT * FROM failure_stream WHERE failure_id = $id) f ON true
    LEFT JOIN transcripts s ON s.transcript_id = t.transcript_id
"""

_TRUST_BEFORE: Final = """
    SELECT trust_1 FROM turns
    WHERE trust_1 IS NOT NULL AND order_at <= make_timestamptz($at)
      AND (order_at, session_id, transcript_id, position)
          < (make_timestamptz($at), $session, $transcript, $position)
    ORDER BY order_at DESC, session_id DESC, transcript_id DESC, position DESC LIMIT 1
"""
"""With the call's own place as values: asked inside the other question it is a join of all calls with all."""


def turn(conn: Connection, turn_id: int) -> TurnDetail | None:
    """One call by its id."""
    row = conn.execute(_TURN, {"id": turn_id}).fetchone()
    if row is None:
        return None
    *told, order_at, transcript, position = row
    if told[25] is None:
        place = {"at": order_at, "session": row[2], "transcript": transcript, "position": position}
        before = conn.execute(_TRUST_BEFORE, place).fetchone()
        told[25] = before[0] if before else None
    told[11] = documents.mapping(told[11]) if told[11] else None
    return TurnDetail(*told)


def turn_ids(conn: Connection, call_id: str, limit: int = 10) -> list[tuple[int, str]]:
    """Ids of the calls whose call id is, or else begins with, this text, with the call id; the exact one alone."""
    rows = conn.execute(
        """
        SELECT turn_id, call_id FROM turns WHERE starts_with(call_id, $id) OR ends_with(call_id, ':' || $id)
        ORDER BY call_id <> $id, call_id LIMIT $limit
        """,
        {"id": call_id, "limit": limit},
    ).fetchall()
    return [rows[0]] if rows and rows[0][1] == call_id else rows


def latest_failure(conn: Connection, key: str) -> int | None:
    """The latest call that failed with this fingerprint, or with the only one that begins so."""
    row = conn.execute(
        """
        SELECT arg_max(turn_id, (coalesce(epoch_us(occurred_at), 0), failure_id)) FROM failure_stream
        WHERE starts_with(fingerprint, ?) HAVING min(fingerprint) = max(fingerprint)
        """,
        [key],
    ).fetchone()
    return row[0] if row else None


def keys_beginning(conn: Connection, text: str, limit: int) -> list[str]:
    """Fingerprints and decided keys that begin so, those of most failures first: for a shell's completion. The keys of
    failures are told in full where what is typed can be no fingerprint's beginning."""
    rows = conn.execute(
        """
        SELECT key FROM (
            SELECT fingerprint AS key, count(*) AS times FROM failure_stream WHERE fingerprint IS NOT NULL GROUP BY 1
            UNION ALL
            SELECT max(failure_category) || '-' || coalesce(max(tool_name), 'unknown') || '-any:' || fingerprint,
                   count(*)
            FROM failure_stream WHERE fingerprint IS NOT NULL AND $whole GROUP BY fingerprint
            UNION ALL
            SELECT candidate_key, count(*) FROM ratchet_decisions GROUP BY 1
        )
        WHERE starts_with(key, $text) GROUP BY key ORDER BY max(times) DESC, key LIMIT $limit
        """,
        {"text": text, "limit": limit, "whole": not re.fullmatch("f?[0-9a-f]*", text)},
    ).fetchall()
    return [key for (key,) in rows]
