from __future__ import annotations

import duckdb

from agent_riggs.report.endings import with_endings
from agent_riggs.store import queries
from faces.build import Call, failed, fill


def test_endings_are_counted_over_sessions_and_missing_ones_stay_unknown() -> None:
    calls = []
    for session in ("s1", "s2", "s3"):
        calls += [
            failed(session, 1, program="rtk bun", shape="a", input={"command": "rtk bun test"}),
            failed(session, 2, tool="Skill", program=None, shape="b", input={"skill": "x"}),
            Call(session, "ok", 3, program="bun", input={"command": "bun test"}),
        ]
    with duckdb.connect() as conn:
        fill(conn, "app", calls)
        rows = queries.failures(conn, 0, 10)
        found = {row.shape: row for row in with_endings(conn, rows, 0, 2**60)}
    assert (found["a"].cost, found["a"].ended_in, found["a"].unrecovered) == (2.0, 3, 0.0)
    assert (found["b"].cost, found["b"].ended_by, found["b"].unrecovered) == (None, None, 1.0)


def test_rows_that_others_inserted_have_no_ending() -> None:
    rows = [{"failure_id": n, "turn_id": n, "session_id": f"s{n}", "failure_category": "failure"} for n in range(3)]
    with duckdb.connect() as conn:
        fill(conn, "app", failure_stream=rows)
        found = queries.failures(conn, 0, 10)
        assert with_endings(conn, found, 0, 2**60) == found
