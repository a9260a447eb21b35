"""The SQL behind effects, on rows that other producers write and on none."""

from __future__ import annotations

from collections.abc import Iterator

import duckdb
import pytest

from agent_riggs.store import effects
from agent_riggs.store.effects import Asked, Count
from builders.rows import SECOND, START
from learn.sessions import DAY, bash, fails, record, store

WRONG = fails("npm run x", "bad_option", "npm", "no such script")


@pytest.fixture
def conn() -> Iterator[duckdb.DuckDBPyConnection]:
    with store() as conn:
        yield conn


def asked(**more: object) -> Asked:
    noon = START + DAY // 2
    values = {"keys": ("k",), "marks": (WRONG.fingerprint,), "tool": "Bash", "before": noon, "since": noon}
    return Asked(**({**values, "until": 2**62} | more))  # type: ignore[arg-type]


def told(conn: duckdb.DuckDBPyConnection, session: str, at: int, state: str = "delivered", reason: str = "") -> None:
    conn.execute(
        "INSERT INTO deliveries (delivery_id, told_at, session_id, candidate_key, state, reason) "
        "VALUES (hash(?) >> 2, make_timestamptz(?), ?, 'k', ?, ?)",
        [f"{session}{at}{state}", at, session, state, reason],
    )


def test_an_empty_store_holds_no_arm(conn: duckdb.DuckDBPyConnection) -> None:
    assert effects.counts(conn, [asked()], 5) == []
    assert effects.counts(conn, [], 5) == []


def test_each_promotion_has_its_own_arms(conn: duckdb.DuckDBPyConnection) -> None:
    record(conn, "a", WRONG, bash("ls"))
    record(conn, "b", bash("ls"), day=1)
    later = START + 3 * DAY
    found = effects.counts(conn, [asked(), asked(before=later, since=later)], 5)
    assert [(one.asked, one.arm, one.sessions, one.met) for one in found] == [
        (0, "before", 1, 1),
        (0, "untold", 1, 0),
        (1, "before", 2, 1),
    ]


def test_the_sample_is_the_latest_sessions_first_failures(conn: duckdb.DuckDBPyConnection) -> None:
    for day in range(4):
        record(conn, f"s{day}", bash("ls"), WRONG, WRONG, day=day)
    (_, after) = effects.counts(conn, [asked()], 2)
    first = conn.execute("SELECT turn_id FROM turns WHERE turn_number = 2 ORDER BY timestamp DESC").fetchall()
    assert list(after.sample) == [row[0] for row in first[:2]]
    assert (after.met, after.times) == (3, 6)


def test_rows_without_a_call_or_a_tool_or_a_time(conn: duckdb.DuckDBPyConnection) -> None:
    rows = [(1, "x", START), (2, "y", START + DAY), (3, "z", None)]
    for number, session, at in rows:
        conn.execute(
            "INSERT INTO failure_stream (failure_id, session_id, occurred_at, failure_category) "
            "VALUES (?, ?, make_timestamptz(?::BIGINT), 'failure')",
            [number, session, at],
        )
    wanted = asked(marks=(), tool="unknown", category="failure")
    assert effects.counts(conn, [wanted], 5) == [
        Count(0, "before", 1, 1, 1, 0, []),
        Count(0, "untold", 1, 1, 1, 0, []),
    ]


def test_one_word_to_the_model_makes_a_session_told(conn: duckdb.DuckDBPyConnection) -> None:
    for name in ("both", "held", "other"):
        record(conn, name, WRONG, day=1)
    moment = START + DAY + SECOND
    told(conn, "both", moment, "withheld", "held out")
    told(conn, "both", moment + 1)
    told(conn, "held", moment, "withheld", "held out")
    told(conn, "other", moment, "withheld", "told often enough")
    told(conn, "nobody", moment)
    found = {one.arm: (one.sessions, one.met, one.seen) for one in effects.counts(conn, [asked()], 5)}
    assert found == {"told": (1, 1, 0), "held_out": (1, 1, 0), "untold": (1, 1, 0)}
    assert effects.told(conn) == {"k": 2}


def test_a_mode_counts_that_mode_and_none_any(conn: duckdb.DuckDBPyConnection) -> None:
    for day, mode in enumerate(("plan", "auto", None)):
        record(conn, f"s{day}", fails("npm run x", mode=mode), day=day)
    coarse = asked(marks=(), category="failure", before=START + 9 * DAY, since=START + 9 * DAY)
    plan = asked(marks=(), category="failure", mode="plan", before=START + 9 * DAY, since=START + 9 * DAY)
    assert [one.met for one in effects.counts(conn, [coarse, plan], 5)] == [3, 1]
