from __future__ import annotations

from collections.abc import Iterator

import duckdb
import pytest

from agent_riggs.errors import UsageError
from agent_riggs.store import fence, queries
from agent_riggs.store.readonly import run_sql
from faces.build import DAY, MINUTE, START, Call, failed, fill, insert, iso, number, transcript


@pytest.fixture
def conn() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect(":memory:") as made:
        yield made


def test_an_empty_store_answers_everything(conn: duckdb.DuckDBPyConnection) -> None:
    fill(conn, "app")
    assert queries.trust(conn) is None
    assert queries.trust_history(conn, 5) == []
    assert queries.totals(conn).calls == 0
    assert queries.coverage(conn) == []
    assert queries.last_activity(conn, START) == START
    assert queries.failures(conn, 0, 10) == []
    assert queries.sessions(conn, 10) == []
    assert queries.trust_by(conn, "tool", 0, 10) == []
    assert queries.problems(conn, 10) == []
    assert queries.turn(conn, 1) is None
    assert queries.turn_ids(conn, "x") == []


def test_failures_count_root_sessions_and_rank_by_them(conn: duckdb.DuckDBPyConnection) -> None:
    burst = [failed("s1", minute, shape="burst") for minute in range(9)]
    spread = [failed(session, 50, shape="spread") for session in ("s1", "s2", "s3")]
    fork = [failed("fork", 60, shape="spread", root="s1")]
    fill(conn, "app", [*burst, *spread, *fork])
    found = queries.failures(conn, 0, 10)
    assert [(row.shape, row.sessions, row.times) for row in found] == [("spread", 3, 4), ("burst", 1, 9)]
    assert found[0].first_seen == START + 50 * MINUTE
    assert found[0].last_seen == START + 60 * MINUTE
    assert found[0].turn_id == number("fork", 12)


def test_failures_met_once_are_listed_only_on_request(conn: duckdb.DuckDBPyConnection) -> None:
    fill(conn, "app", [failed()])
    assert queries.failures(conn, 0, 10) == []
    assert len(queries.failures(conn, 0, 10, least=1)) == 1


def test_failures_can_be_narrowed(conn: duckdb.DuckDBPyConnection) -> None:
    calls = [
        failed("s1", 0),
        failed("s2", 2000),
        failed("s1", 0, tool="Read"),
        failed("s2", 0, tool="Read", agent="codex"),
    ]
    fill(conn, "app", calls)
    assert [row.tool for row in queries.failures(conn, 0, 10, tool="bash")] == ["Bash"]
    assert [row.times for row in queries.failures(conn, START + DAY, 10, least=1)] == [1]
    assert [row.agents for row in queries.failures(conn, 0, 10, least=1, agent="codex")] == [("codex",)]
    assert len(queries.failures(conn, 0, 1)) == 1


def test_failures_without_a_time_or_a_key_count_too(conn: duckdb.DuckDBPyConnection) -> None:
    rows = [
        {"failure_id": n, "turn_id": n, "session_id": f"s{n % 3}", "failure_category": "failure", "tool_name": "Bash",
         "mode": "implement"}
        for n in range(6)
    ]  # fmt: skip
    fill(conn, "app", failure_stream=rows)
    (row,) = queries.failures(conn, START, 10)
    assert (row.key, row.sessions, row.times, row.last_seen) == ("failure-Bash-implement", 3, 6, None)


def test_last_activity_ignores_the_future_and_sees_rows_of_others(conn: duckdb.DuckDBPyConnection) -> None:
    fill(conn, "app", [Call(minute=5), Call(minute=100_000)])
    assert queries.last_activity(conn, START + DAY) == START + 5 * MINUTE
    insert(conn, "failure_stream", [{"failure_id": 1, "occurred_at": iso(START + 7 * MINUTE)}])
    assert queries.last_activity(conn, START + DAY) == START + 7 * MINUTE


def test_trust_is_that_of_the_last_call(conn: duckdb.DuckDBPyConnection) -> None:
    fill(conn, "app", [Call(minute=9, trust=0.9), Call(session="s2", minute=3, trust=0.3)])
    found = queries.trust(conn)
    assert found is not None
    assert (found.now, found.at) == (0.9, START + 9 * MINUTE)


def test_history_runs_from_the_oldest_session(conn: duckdb.DuckDBPyConnection) -> None:
    fill(conn, "app", [Call(session=f"s{n}", minute=n, trust=n / 10) for n in range(5)])
    assert queries.trust_history(conn, 3) == [0.2, 0.3, 0.4]


def test_totals_tell_own_failures_from_refusals(conn: duckdb.DuckDBPyConnection) -> None:
    calls = [
        Call(),
        failed(),
        failed(specific=False),
        failed(outcome="check_failed"),
        failed(outcome="denied", specific=False),
    ]
    fill(conn, "app", calls)
    found = queries.totals(conn)
    assert (found.calls, found.failures, found.own_failures, found.own_unspecific) == (5, 4, 3, 1)
    assert (found.sessions, found.root_sessions) == (1, 1)


def test_coverage_sums_unknown_types_and_orders_versions(conn: duckdb.DuckDBPyConnection) -> None:
    rows = [
        transcript("/t/1", understood=90, unknown='{"odd": 4, "new": 6}', versions="2.1.9 2.1.38", home="/b"),
        transcript("/t/2", understood=99, unknown='{"odd": 1}', versions="2.1.10", gone=True, home="/a"),
        transcript("/t/3", understood=0, ours=True),
        transcript("/t/4", ours=False),
    ]
    fill(conn, "app", [Call(), failed()], transcripts=rows)
    (found,) = queries.coverage(conn)
    assert (found.transcripts, found.read, found.elsewhere, found.gone) == (3, 2, 1, 1)
    assert (found.lines, found.not_understood) == (300, 111)
    assert queries.understood(conn) == (found.transcripts, found.read, found.lines, found.not_understood)
    assert list(found.unknown.items()) == [("new", 6), ("odd", 5)]
    assert found.homes == ("/a", "/b")
    assert found.versions == ("2.1.9", "2.1.10", "2.1.38")
    assert (found.calls, found.failures, found.last_read) == (2, 1, START + DAY)


def test_trust_by_compares_tools(conn: duckdb.DuckDBPyConnection) -> None:
    calls = [Call(), Call(outcome="rejected", score=None), failed(), Call(tool="Read", minute=3)]
    fill(conn, "app", calls)
    bash, read = queries.trust_by(conn, "tool", 0, 10)
    assert (bash.name, bash.calls, bash.failed, bash.score) == ("Bash", 3, 1, pytest.approx(0.6))
    assert (read.name, read.score, read.last_seen) == ("Read", 1.0, START + 3 * MINUTE)
    assert [row.name for row in queries.trust_by(conn, "session", 0, 10)] == ["s1"]
    assert [row.name for row in queries.trust_by(conn, "model", 0, 1)] == ["model-a"]


def test_a_call_is_found_whole_with_the_trust_before_it(conn: duckdb.DuckDBPyConnection) -> None:
    calls = [Call(trust=0.8), failed("s2", 1, trust=0.6), Call(minute=2, trust=0.7, call_id="claude:toolu_zz")]
    fill(conn, "app", calls, transcripts=[transcript("/t/2", transcript_id=number("s2"))])
    found = queries.turn(conn, number("s2", 1))
    assert found is not None
    assert (found.trust_before, found.trust_after) == (0.9, 0.6)
    assert (found.category, found.transcript) == ("failure", "/t/2")
    assert found.metadata == {"input": {"command": "ls"}}
    last = queries.turn(conn, number("s1", 2))
    assert last is not None
    assert (last.trust_before, last.category, last.transcript) == (0.6, None, None)


def test_call_ids_may_be_cut_short(conn: duckdb.DuckDBPyConnection) -> None:
    fill(conn, "app", [Call(call_id="toolu_1"), Call(call_id="toolu_12"), Call(call_id="s9:call_7")])
    assert queries.turn_ids(conn, "toolu_1") == [(number("s1", 0), "toolu_1")]
    assert len(queries.turn_ids(conn, "toolu")) == 2
    assert queries.turn_ids(conn, "call_7") == [(number("s1", 2), "s9:call_7")]


@pytest.mark.parametrize(
    "query",
    [
        "CREATE TABLE x (a INT)",
        "DELETE FROM turns RETURNING *",
        "COPY turns TO '/tmp/out.csv'",
        "SELECT 1; SELECT 2",
        "ATTACH '/tmp/other.db'",
        "SET enable_external_access = true",
        "SELECT * FROM read_csv('/etc/hostname')",
        "SELECT * FROM glob('/*')",
        "SELECT nothing FROM turns",
        "SELEC 1",
        "",
    ],
)
def test_sql_reads_the_store_and_nothing_else(conn: duckdb.DuckDBPyConnection, query: str) -> None:
    fill(conn, "app", [Call()])
    fence.close(conn)
    fence.lock(conn)
    with pytest.raises(UsageError):
        list(run_sql(conn, query)[1])


def test_sql_answers_with_names_and_rows(conn: duckdb.DuckDBPyConnection) -> None:
    fill(conn, "app", [Call(), failed()])
    names, rows = run_sql(conn, "SELECT outcome, count(*) AS n FROM turns GROUP BY 1 ORDER BY 1")
    assert names == ("outcome", "n")
    assert list(rows) == [("failed", 1), ("ok", 1)]


def test_sql_writes_times_out_whatever_the_version(conn: duckdb.DuckDBPyConnection) -> None:
    fill(conn, "app", [Call(), Call(minute=1, timed=False)])
    names, rows = run_sql(conn, "SELECT turn_number, timestamp, timestamp AS t FROM turns ORDER BY 1 -- by number ;")
    assert names == ("turn_number", "timestamp", "t")
    assert list(rows) == [(1, "2026-11-01T09:00:00Z", "2026-11-01T09:00:00Z"), (2, None, None)]


def test_sql_keeps_order_limits_and_doubled_names(conn: duckdb.DuckDBPyConnection) -> None:
    fill(conn, "app", [Call(minute=n) for n in range(5)])
    names, rows = run_sql(conn, "SELECT turn_number AS a, timestamp, 7 AS a FROM turns ORDER BY position DESC LIMIT 2;")
    assert names == ("a", "timestamp", "a")
    assert [row[0] for row in rows] == [5, 4]
