from __future__ import annotations

from pathlib import Path

import duckdb
import pytest

from agent_riggs.report.metrics import trend
from agent_riggs.store.periods import periods
from agent_riggs.store.rows import PeriodRow
from faces.build import DAY, MINUTE, START, Call, failed, fill, iso, write_store
from faces.run import run

WEEK = 7 * DAY // MINUTE
MONDAY = START - 6 * DAY - 9 * 60 * MINUTE
"""The week of the first of November 2026, a Sunday, began on the twenty-sixth of October."""


def row(calls: int, failures: int) -> PeriodRow:
    return PeriodRow(0, 1, calls, failures, 100 * failures / max(calls, 1), 0, 0, 0, 0, None, 0)


def test_weeks_begin_on_monday_and_count_what_was_met_before() -> None:
    calls = [
        failed("s1", 0, shape="a"),
        failed("s1", 1, shape="a"),
        Call("s1", minute=2, trust=0.7),
        failed("s2", WEEK, shape="a"),
        failed("s2", WEEK + 1, shape="b"),
        failed("s2", WEEK + 2, outcome="check_failed", shape="a"),
        Call("s3", "rejected", WEEK + 3, score=None, trust=None),
        Call("s4", minute=100 * WEEK),
        Call("s5", timed=False),
    ]
    decisions = [
        {"decision_id": n, "candidate_key": "k", "decision": state, "decided_at": iso(START + 7 * DAY), "fix": "x"}
        for n, state in enumerate(("superseded", "promoted"))
    ]
    with duckdb.connect() as conn:
        fill(conn, "app", calls, ratchet_decisions=decisions)
        first, second = periods(conn, "week", 10, START + 30 * DAY)
        assert [made.begins for made in periods(conn, "week", 1, START + 30 * DAY)] == [second.begins]
        assert [made.calls for made in periods(conn, "month", 10, START + 30 * DAY)] == [7]
    assert (first.begins, second.begins) == (MONDAY, MONDAY + 7 * DAY)
    assert (first.calls, first.failures, first.met_before, first.trust) == (3, 2, 0, 0.7)
    assert (second.sessions, second.calls, second.failures, second.met_before) == (2, 4, 2, 1)
    assert (second.checks_failed, second.rejected, second.promoted) == (1, 1, 1)
    assert second.per_hundred == pytest.approx(50.0)


@pytest.mark.parametrize(
    ("rows", "word"),
    [
        ([], "too few"),
        ([row(1000, 50)], "too few"),
        ([row(1000, 50), row(100, 0)], "too few"),
        ([row(1000, 50), row(1000, 30)], "5.0 in the earlier half, 3.0 in the later: better"),
        ([row(1000, 30), row(1000, 50)], "worse"),
        ([row(1000, 50), row(1000, 49)], "no difference beyond chance"),
        ([row(1000, 0), row(1000, 0)], "no difference beyond chance"),
        ([row(336, 27), row(984, 69)], "8.0 in the earlier half, 7.0 in the later: no difference beyond chance"),
    ],
)
def test_the_trend_in_words(rows: list[PeriodRow], word: str) -> None:
    assert word in trend(rows)


def test_metrics_on_the_command_line(tmp_path: Path) -> None:
    assert run(tmp_path, "metrics").out == "No calls: nothing was ingested yet.\n"
    write_store(tmp_path, [failed("s1"), Call("s2", minute=WEEK)])
    shown = run(tmp_path, "metrics")
    assert shown.out.splitlines()[0].split()[:2] == ["week", "sessions"]
    assert [line.split()[0] for line in shown.out.splitlines()[1:3]] == ["2026-10-26", "2026-11-02"]
    assert [made["failures"] for made in run(tmp_path, "metrics", "--json", "--by", "day").json] == [1, 0]
