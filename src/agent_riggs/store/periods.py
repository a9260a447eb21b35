"""A project by day, week or month: is it getting better?"""

from __future__ import annotations

from typing import Final, Literal

from agent_riggs.driver import duckdb
from agent_riggs.store.rows import PeriodRow, When

By = Literal["day", "week", "month"]

_PERIODS: Final = """
    WITH calls AS (
        SELECT epoch_us(date_trunc($by, make_timestamp(epoch_us(timestamp)))) AS begins,
               coalesce(root_session_id, session_id) AS root, outcome, trust_15, order_at, session_id, position
        FROM turns WHERE timestamp IS NOT NULL AND epoch_us(timestamp) <= $now
    ),
    first_met AS (
        SELECT fingerprint, arg_min(coalesce(root_session_id, session_id), (occurred_at, failure_id)) AS root
        FROM failure_stream WHERE outcome = 'failed' AND fingerprint IS NOT NULL GROUP BY fingerprint
    ),
    again AS (
        SELECT epoch_us(date_trunc($by, make_timestamp(epoch_us(f.occurred_at)))) AS begins, count(*) AS times
        FROM failure_stream f JOIN first_met m USING (fingerprint)
        WHERE f.outcome = 'failed' AND coalesce(f.root_session_id, f.session_id) <> m.root GROUP BY 1
    ),
    promoted AS (
        SELECT epoch_us(date_trunc($by, make_timestamp(epoch_us(decided_at)))) AS begins,
               count(DISTINCT candidate_key) AS keys
        FROM ratchet_decisions WHERE decision IN ('promoted', 'superseded', 'retired') AND fix IS NOT NULL GROUP BY 1
    ),
    counted AS (
        SELECT begins, count(DISTINCT root) AS sessions, count(*) AS calls,
               count(*) FILTER (outcome = 'failed') AS failed, count(*) FILTER (outcome = 'check_failed') AS checks,
               count(*) FILTER (outcome = 'denied') AS refused, count(*) FILTER (outcome = 'rejected') AS rejected,
               arg_max(trust_15, (order_at, session_id, position)) FILTER (trust_15 IS NOT NULL) AS trust
        FROM calls GROUP BY begins ORDER BY begins DESC LIMIT $limit
    )
    SELECT c.begins, c.sessions, c.calls, c.failed, 100.0 * c.failed / c.calls, coalesce(a.times, 0), c.checks,
           c.refused, c.rejected, c.trust, coalesce(p.keys, 0)
    FROM counted c LEFT JOIN again a USING (begins) LEFT JOIN promoted p USING (begins)
    ORDER BY c.begins
"""


def periods(conn: duckdb.DuckDBPyConnection, by: By, limit: int, now: When) -> list[PeriodRow]:
    """The last ``limit`` periods in which a call was made, oldest first; weeks begin on Monday, UTC."""
    rows = conn.execute(_PERIODS, {"by": by, "limit": limit, "now": now}).fetchall()
    return [PeriodRow(*row) for row in rows]
