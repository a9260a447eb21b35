"""Stores of the public 0.1 and 0.2 are brought under the schema with every row kept."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pytest

from agent_riggs.store import derive, open_write, turns
from builders.rows import failed

SCHEMA = (
    "CREATE TABLE turns (turn_id BIGINT PRIMARY KEY, session_id VARCHAR NOT NULL, project VARCHAR NOT NULL,"
    " turn_number INTEGER NOT NULL, timestamp TIMESTAMPTZ NOT NULL, tool_name VARCHAR, tool_success BOOLEAN,"
    " mode VARCHAR, trust_score DOUBLE, trust_1 DOUBLE, trust_5 DOUBLE, trust_15 DOUBLE, event_category VARCHAR,"
    " metadata JSON)",
    "CREATE TABLE failure_stream (failure_id BIGINT PRIMARY KEY, turn_id BIGINT, session_id VARCHAR NOT NULL,"
    " project VARCHAR NOT NULL, occurred_at TIMESTAMPTZ NOT NULL, failure_category VARCHAR NOT NULL,"
    " tool_name VARCHAR, mode VARCHAR, trust_at_failure DOUBLE, detail JSON)",
    "CREATE TABLE session_summaries (session_id VARCHAR PRIMARY KEY, project VARCHAR NOT NULL, started_at TIMESTAMPTZ,"
    " ended_at TIMESTAMPTZ, duration INTERVAL, total_turns INTEGER)",
    "CREATE TABLE ratchet_decisions (decision_id BIGINT PRIMARY KEY, decided_at TIMESTAMP NOT NULL,"
    " candidate_type VARCHAR NOT NULL, candidate_key VARCHAR NOT NULL, decision VARCHAR NOT NULL, reason VARCHAR,"
    " evidence JSON, config_change JSON)",
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / ".riggs" / "store.duckdb"
    path.parent.mkdir()
    with duckdb.connect(str(path)) as conn:
        for statement in SCHEMA:
            conn.execute(statement)
        conn.execute(
            "INSERT INTO turns VALUES (1, 's', 'shop', 1, now(), 'Bash', true, NULL, 1, 1, 1, 1, 'success', '{}')"
        )
        conn.execute("INSERT INTO failure_stream VALUES (5, 1, 's', 'shop', now(), 'failure', 'Bash', NULL, 0.2, NULL)")
        conn.execute("INSERT INTO session_summaries VALUES ('old', 'shop', now(), now(), INTERVAL 90 SECOND, 3)")
    return path


def decide(path: Path, *decisions: tuple[int, str, str]) -> None:
    with duckdb.connect(str(path)) as conn:
        for number, key, decision in decisions:
            conn.execute(
                "INSERT INTO ratchet_decisions"
                " VALUES (?, make_timestamp(?), 'constraint_promotion', ?, ?, 'why', '{}', NULL)",
                [number, number * 1_000_000, key, decision],
            )


def states(path: Path) -> list[tuple[int, str]]:
    with open_write(path) as store:
        return store.conn.execute("SELECT decision_id, decision FROM ratchet_decisions ORDER BY 1").fetchall()


def test_an_ingest_goes_on_where_the_columns_were_stricter(path: Path) -> None:
    with open_write(path) as store:
        turns.insert(store.conn, [failed(1), failed(2, timestamp=None)])
        derive.settle(store.conn, derive.TrustRules())
        assert store.conn.execute("SELECT count(*) FROM turns").fetchone() == (3,)
        assert store.conn.execute("SELECT count(*) FROM failure_stream").fetchone() == (3,)
        found = store.conn.execute("SELECT duration FROM session_summaries WHERE session_id = 'old'").fetchone()
        assert found == (90.0,)


@pytest.mark.parametrize(
    ("decisions", "expected"),
    [
        (["promoted"], ["promoted"]),
        (["promoted", "promoted"], ["superseded", "promoted"]),
        (["promoted", "rejected"], ["retired", "rejected"]),
        (["rejected", "promoted"], ["rejected", "promoted"]),
        (["promoted", "promoted", "rejected"], ["superseded", "retired", "rejected"]),
    ],
)
def test_the_last_word_about_a_key_holds(path: Path, decisions: list[str], expected: list[str]) -> None:
    decide(path, *((number, "k", decision) for number, decision in enumerate(decisions)), (50, "other", "promoted"))
    assert [decision for _, decision in states(path)] == [*expected, "promoted"]


def test_a_second_opening_changes_nothing(path: Path) -> None:
    decide(path, (1, "k", "promoted"), (2, "k", "promoted"))
    assert states(path) == states(path) == [(1, "superseded"), (2, "promoted")]
