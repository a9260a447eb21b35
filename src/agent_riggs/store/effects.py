"""What became of sessions before and after a promotion: which could have met the failure, which did, which were told.

Everything is asked for all ratchets at once and counted in SQL; only the calls to be looked at reach Python.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from agent_riggs.deliver.spool import HELD_OUT
from agent_riggs.driver import duckdb

Connection = duckdb.DuckDBPyConnection
ArmName = Literal["before", "told", "untold", "held_out"]
"""``before`` the promotion; after it ``told``, kept back on purpose (``held_out``), or neither (``untold``)."""


@dataclass(frozen=True, slots=True)
class Asked:
    """One promotion: what it is about, and when. Times are microseconds since 1970 UTC."""

    keys: tuple[str, ...]
    """Candidate keys that its deliveries have: several when the key was carried over to new rules."""
    marks: tuple[str, ...]
    """Fingerprints of the failure; empty where category, tool and mode, or tool and program, say what is meant."""
    tool: str
    before: int
    """Sessions are compared with those before this time, when nothing was promoted under the key yet."""
    since: int
    until: int
    category: str | None = None
    """Of a coarse key."""
    mode: str | None = None
    """Of a coarse key; ``None`` matches any."""
    program: str | None = None
    """Of a tool pattern: the shell program that a structured tool replaces."""


@dataclass(frozen=True, slots=True)
class Count:
    """One arm of one promotion. All are counts of root sessions but ``times``."""

    asked: int
    """Place of the promotion in what was asked."""
    arm: ArmName
    sessions: int
    """Those that could have met it: the tool was in use."""
    met: int
    times: int
    """How often it failed in them."""
    seen: int
    """Of those told: the text was found in a transcript."""
    sample: Sequence[int]
    """Turn ids of the first failure of each of the latest sessions that met it, latest first."""


def counts(conn: Connection, asked: Sequence[Asked], sample: int) -> list[Count]:
    """The arms of each promotion, those that hold a session. What has no time belongs to none.

    A session counts before and after a promotion with what it did then. ``sample`` bounds the turn ids of each arm.
    """
    if not asked:
        return []
    rows = conn.execute(_COUNTS, {**_parameters(asked), "held": HELD_OUT, "sample": sample}).fetchall()
    return [Count(*row) for row in rows]


def told(conn: Connection) -> dict[str, int]:
    """In how many sessions each candidate key was told: what may be worth measuring at all."""
    return dict(
        conn.execute(
            "SELECT candidate_key, count(DISTINCT session_id) FROM deliveries WHERE state = 'delivered' GROUP BY ALL"
        ).fetchall()
    )


def _parameters(asked: Sequence[Asked]) -> dict[str, Any]:
    fields = ("tool", "category", "mode", "program", "before", "since", "until")
    found: dict[str, Any] = {name: [getattr(one, name) for one in asked] for name in fields}
    for name in ("keys", "marks"):
        pairs = [(place, value) for place, one in enumerate(asked) for value in getattr(one, name)]
        found[name], found[f"{name}_of"] = [value for _, value in pairs], [place for place, _ in pairs]
    return found


_COUNTS: Final = """
WITH asked AS MATERIALIZED (
    SELECT unnest(range(len($tool::VARCHAR[]))) AS n, unnest($tool::VARCHAR[]) AS tool,
           unnest($category::VARCHAR[]) AS category, unnest($mode::VARCHAR[]) AS mode,
           unnest($program::VARCHAR[]) AS program, unnest($before::BIGINT[]) AS before,
           unnest($since::BIGINT[]) AS since, unnest($until::BIGINT[]) AS until),
marks AS (SELECT unnest($marks_of::BIGINT[]) AS n, unnest($marks::VARCHAR[]) AS fingerprint),
keys AS (SELECT unnest($keys_of::BIGINT[]) AS n, unnest($keys::VARCHAR[]) AS candidate_key),
spans AS MATERIALIZED (
    SELECT n, tool, 'before' AS era, -9223372036854775808 AS since, before AS until FROM asked
    UNION ALL SELECT n, tool, 'after', since, until FROM asked),
happened AS (
    SELECT n, f.turn_id, coalesce(f.root_session_id, f.session_id, '') AS root, epoch_us(f.occurred_at) AS moment
    FROM failure_stream f JOIN marks USING (fingerprint)
    UNION ALL
    SELECT n, f.turn_id, coalesce(f.root_session_id, f.session_id, ''), epoch_us(f.occurred_at)
    FROM failure_stream f JOIN asked a
      ON a.category = f.failure_category AND a.tool = coalesce(f.tool_name, 'unknown')
     AND (a.mode IS NULL OR a.mode = f.mode)
    UNION ALL
    SELECT n, t.turn_id, coalesce(t.root_session_id, t.session_id, ''), epoch_us(t.timestamp)
    FROM turns t JOIN asked a ON a.program = t.program AND a.tool = t.tool_name
    WHERE t.event_category = 'suboptimal'),
met AS MATERIALIZED (
    SELECT h.n, s.era, h.root, count(*) AS times, min(h.moment) AS moment,
           arg_min(h.turn_id, (h.moment, h.turn_id)) AS turn_id
    FROM happened h JOIN spans s ON s.n = h.n AND h.moment >= s.since AND h.moment < s.until
    GROUP BY ALL),
used AS MATERIALIZED (
    SELECT tool_name AS tool, coalesce(root_session_id, session_id, '') AS root, epoch_us(min(timestamp)) AS first,
           epoch_us(max(timestamp)) AS last
    FROM turns WHERE tool_name IN (SELECT tool FROM asked) AND timestamp IS NOT NULL GROUP BY ALL),
could AS (
    SELECT s.n, s.era, count(*) AS sessions FROM spans s
    JOIN used u ON u.tool = s.tool AND u.first < s.until AND u.last >= s.since GROUP BY ALL
    UNION ALL
    SELECT m.n, m.era, count(*) FROM met m JOIN asked a USING (n)
    ANTI JOIN used u ON u.tool = a.tool AND u.root = m.root GROUP BY ALL),
spoken AS MATERIALIZED (
    SELECT k.n, coalesce(s.root_session_id, d.session_id) AS root, bool_or(d.state = 'delivered') AS told,
           bool_or(d.seen_at IS NOT NULL) AS seen
    FROM deliveries d JOIN keys k USING (candidate_key) JOIN asked a USING (n)
    LEFT JOIN session_summaries s ON s.session_id = d.session_id
    WHERE (d.state = 'delivered' OR d.reason = $held)
      AND epoch_us(d.told_at) >= a.since AND epoch_us(d.told_at) < a.until
    GROUP BY ALL),
arms AS (
    SELECT n, CASE WHEN m.era = 'before' THEN 'before' WHEN s.told THEN 'told' WHEN s.told IS NULL THEN 'untold'
                   ELSE 'held_out' END AS arm, m.times, m.moment, m.turn_id
    FROM met m LEFT JOIN spoken s USING (n, root)),
ran AS (
    SELECT s.n, if(s.told, 'told', 'held_out') AS arm, count(*) AS sessions,
           count(*) FILTER (s.told AND s.seen) AS seen
    FROM spoken s JOIN asked a USING (n)
    SEMI JOIN (SELECT tool, root FROM used UNION ALL SELECT tool, root FROM met JOIN asked USING (n)) AS read
      ON read.tool = a.tool AND read.root = s.root
    GROUP BY ALL),
sizes AS (
    SELECT n, arm, sessions, seen FROM ran
    UNION ALL
    SELECT n, if(era = 'before', era, 'untold'), sessions, 0 FROM could
    UNION ALL
    SELECT n, 'untold', -sessions, 0 FROM ran),
found AS (
    SELECT n, arm, count(*) AS met, sum(times)::BIGINT AS times,
           list(turn_id ORDER BY moment DESC, turn_id) FILTER (turn_id IS NOT NULL)[1:$sample] AS sample
    FROM arms GROUP BY n, arm)
SELECT n, arm, greatest(sum(sessions), any_value(met), 0)::BIGINT AS sessions, coalesce(any_value(met), 0),
       coalesce(any_value(times), 0), sum(seen)::BIGINT, coalesce(any_value(sample), [])
FROM sizes LEFT JOIN found USING (n, arm) GROUP BY n, arm HAVING sum(sessions) > 0 OR any_value(met) > 0
ORDER BY n, arm
"""
