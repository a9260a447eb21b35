"""What is derived depends on the set of calls alone."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agent_riggs.judge import trust
from agent_riggs.store import derive, migrations, transcripts, turns
from agent_riggs.store.transcripts import TranscriptRow
from agent_riggs.store.turns import Copy, TurnRow
from builders.rows import SECOND, START, failed, turn

RULES = derive.TrustRules()


@pytest.fixture
def conn() -> Iterator[duckdb.DuckDBPyConnection]:
    with fresh() as conn:
        yield conn


def fresh() -> duckdb.DuckDBPyConnection:
    conn = duckdb.connect(":memory:")
    migrations.migrate(conn)
    return conn


def put(conn: duckdb.DuckDBPyConnection, *rows: TurnRow) -> None:
    turns.insert(conn, rows)
    derive.settle(conn, RULES)


def column(conn: duckdb.DuckDBPyConnection, what: str, table: str = "turns", order: str = "order_at") -> list[Any]:
    return [row[0] for row in conn.execute(f"SELECT {what} FROM {table} ORDER BY {order}").fetchall()]


def everything(conn: duckdb.DuckDBPyConnection) -> list[list[tuple[Any, ...]]]:
    return [
        conn.execute(f"SELECT {key}, hash(COLUMNS(*)) FROM {table} ORDER BY 1").fetchall()
        for table, key in (("turns", "turn_id"), ("failure_stream", "failure_id"), ("session_summaries", "session_id"))
    ]


def test_trust_is_the_moving_average_of_the_scores(conn: duckdb.DuckDBPyConnection) -> None:
    put(conn, turn(1), failed(2), failed(3), turn(4, outcome="rejected"), turn(5))
    now, expected = 0.4, []
    for score in (1.0, 0.2, 0.0, None, 1.0):
        now = now if score is None else 0.6 * now + 0.4 * score
        expected.append(pytest.approx(now))
    assert column(conn, "trust_1") == expected
    assert column(conn, "trust_score") == [1.0, 0.2, 0.0, None, 1.0]
    assert column(conn, "event_category") == ["success", "failure", "repeated_failure", "rejected", "success"]


def test_trust_at_failure_is_the_trust_before_it(conn: duckdb.DuckDBPyConnection) -> None:
    put(conn, turn(1), failed(2), failed(3))
    before = column(conn, "trust_1")[:2]
    assert column(conn, "trust_at_failure", "failure_stream", "occurred_at") == before


def test_a_success_of_the_same_program_ends_a_repetition(conn: duckdb.DuckDBPyConnection) -> None:
    put(conn, failed(1), turn(2, program="frob"), failed(3), turn(4, program="ls"), failed(5))
    assert column(conn, "event_category") == ["failure", "success", "failure", "success", "repeated_failure"]


def test_file_order_holds_whatever_the_clock_says(conn: duckdb.DuckDBPyConnection) -> None:
    put(
        conn,
        turn(1, timestamp=START + 50 * SECOND),
        turn(2, timestamp=START + 10 * SECOND),
        turn(3, timestamp=None),
        turn(4, timestamp=START + 60 * SECOND),
    )
    assert column(conn, "position", order="turn_number") == [1, 2, 3, 4]
    assert column(conn, "epoch_us(order_at)", order="turn_number") == [
        START + moment * SECOND for moment in (50, 50, 50, 60)
    ]


def test_subagent_calls_are_interleaved_by_time_and_counted_in_the_parent(conn: duckdb.DuckDBPyConnection) -> None:
    put(
        conn,
        turn(1),
        turn(5),
        turn(2, call_id="a2", transcript_id=2, agent_id="helper"),
        turn(3, call_id="a3", transcript_id=2, agent_id="helper"),
    )
    assert column(conn, "call_id", order="turn_number") == ["s1-1", "a2", "a3", "s1-5"]
    assert column(conn, "total_turns", "session_summaries", "1") == [4]


def fork(conn: duckdb.DuckDBPyConnection, *order: str) -> None:
    """Session ``two`` copies calls 1 and 2 of session ``one`` and goes on later; ingested in the given order."""
    known = {"one": 1, "two": 2}
    transcripts.save(
        conn,
        [
            TranscriptRow(ident, "claude_code", name, "", True, session_id=name, started_at=START, ended_at=None)
            for name, ident in known.items()
        ],
    )
    rows: dict[int, TurnRow] = {}
    for name in order:
        own = 3 if name == "one" else 9
        for number in (1, 2, own):
            shared = number < 3
            row = turn(
                number,
                session_id=name,
                call_id=f"shared-{number}" if shared else f"{name}-own",
                transcript_id=known[name],
            )
            if row.turn_id in rows:
                turns.add_copies(
                    conn, [Copy(r.turn_id, r.session_id, r.transcript_id, r.position) for r in (row, rows[row.turn_id])]
                )
                turns.replace(conn, [rows[row.turn_id]])
            else:
                rows[row.turn_id] = row
                turns.insert(conn, [row])
        derive.settle(conn, RULES)


@pytest.mark.parametrize("order", [("one", "two"), ("two", "one")])
def test_a_fork_owns_only_what_it_did_itself(conn: duckdb.DuckDBPyConnection, order: tuple[str, str]) -> None:
    fork(conn, *order)
    sessions = conn.execute(
        "SELECT session_id, total_turns, root_session_id FROM session_summaries ORDER BY 1"
    ).fetchall()
    assert sessions == [("one", 3, "one"), ("two", 1, "one")]
    assert column(conn, "turn_number", order="session_id, turn_number") == [1, 2, 3, 1]


def test_a_fork_gives_the_same_rows_in_either_order() -> None:
    with fresh() as first, fresh() as second:
        fork(first, "one", "two")
        fork(second, "two", "one")
        assert everything(first) == everything(second)


def test_a_failure_that_turns_out_to_be_none_leaves_the_stream(conn: duckdb.DuckDBPyConnection) -> None:
    put(conn, failed(1), turn(2))
    turns.replace(conn, [turn(1)])
    derive.settle(conn, RULES)
    assert column(conn, "failure_id", "failure_stream", "1") == []
    assert column(conn, "trust_score") == [1.0, 1.0]


def test_directly_inserted_failures_stay(conn: duckdb.DuckDBPyConnection) -> None:
    conn.execute("INSERT INTO failure_stream (failure_id, turn_id, session_id) VALUES (7, 7, 'x')")
    put(conn, failed(1))
    assert len(column(conn, "failure_id", "failure_stream", "1")) == 2


def test_mode_switches_count_changes_between_known_modes(conn: duckdb.DuckDBPyConnection) -> None:
    modes = ["plan", None, "plan", "default", None, "plan"]
    put(conn, *(turn(number, mode=mode) for number, mode in enumerate(modes)))
    row = conn.execute("SELECT modes_used, mode_switches FROM session_summaries").fetchone()
    assert row == (["plan", "default"], 2)


def test_other_weights_recompute_everything(conn: duckdb.DuckDBPyConnection) -> None:
    put(conn, turn(1), turn(2))
    derive.settle(conn, derive.TrustRules(weights=trust.Trust(1.0, 0.5, 0.5)), everything=True)
    assert column(conn, "trust_1") == [1.0, 1.0]


@st.composite
def grouped_calls(draw: st.DrawFn) -> list[list[TurnRow]]:
    """Calls of three sessions with odd clocks, cut into groups in an arbitrary order."""
    calls = []
    for number in range(draw(st.integers(1, 14))):
        session = draw(st.sampled_from(["a", "b", "c"]))
        clock = draw(st.one_of(st.none(), st.integers(0, 20)))
        kind = draw(st.sampled_from([turn, failed]))
        calls.append(
            kind(
                number,
                session_id=session,
                transcript_id=ord(session),
                call_id=f"{session}-{number}",
                timestamp=None if clock is None else START + clock * SECOND,
                mode=draw(st.sampled_from([None, "plan"])),
            )
        )
    shuffled = draw(st.permutations(calls))
    cuts = sorted(draw(st.lists(st.integers(0, len(calls)), max_size=3)))
    return [list(shuffled[a:b]) for a, b in zip([0, *cuts], [*cuts, len(calls)], strict=True)]


@settings(max_examples=20, deadline=None)
@given(grouped_calls())
def test_order_and_grouping_of_ingests_change_nothing(groups: list[list[TurnRow]]) -> None:
    with fresh() as once, fresh() as piecemeal:
        put(once, *(row for group in groups for row in group))
        for group in groups:
            put(piecemeal, *group)
        assert everything(once) == everything(piecemeal)


def test_a_success_that_nobody_could_have_seen_fail_gains_no_trust(conn: duckdb.DuckDBPyConnection) -> None:
    put(conn, failed(1), turn(2, program="frob", rule="unverified"), failed(3), turn(4, program="frob"))
    assert column(conn, "event_category") == ["failure", "ok", "repeated_failure", "success"]
    assert column(conn, "trust_score") == [0.2, None, 0.0, 1.0]
