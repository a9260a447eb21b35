"""The project's trust after its latest calls."""

from __future__ import annotations

from agent_riggs.driver import duckdb
from agent_riggs.judge.trust import Trust


def latest(conn: duckdb.DuckDBPyConnection, calls: int) -> list[Trust]:
    """The averages after each of the last ``calls`` calls, oldest first."""
    rows = conn.execute(
        "SELECT trust_1, trust_5, trust_15 FROM turns WHERE trust_1 IS NOT NULL AND order_at IS NOT NULL "
        "ORDER BY order_at DESC, session_id DESC, turn_number DESC LIMIT ?",
        [calls],
    ).fetchall()
    return [Trust(*row) for row in reversed(rows)]
