"""After an ingest: decisions restored, keys carried over to new rules, the index anew with fresh numbers."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest

from agent_riggs.deliver import recall
from agent_riggs.learn import candidates, carry, decisions, ledger
from agent_riggs.learn.ledger import Ledger
from agent_riggs.learn.settle import Settled, settle
from agent_riggs.store import verdicts
from learn.sessions import NOW, again, bash, fails, record, store

WRAP = fails("rtk frob run x.txt", "bad_option", "rtk", "no such sub-command")
FROB = bash("frob run x.txt")
NEW = "f00000000000000aa"


@pytest.fixture
def conn() -> Iterator[duckdb.DuckDBPyConnection]:
    with store() as conn:
        again(conn, 4, WRAP, FROB)
        yield conn


@pytest.fixture
def mine(tmp_path: Path) -> Ledger:
    return Ledger(tmp_path / "state", "shop-1", "me")


def promote(conn: duckdb.DuckDBPyConnection, mine: Ledger) -> str:
    one = candidates.find(conn, WRAP.fingerprint or "", now=NOW)
    return decisions.promote(conn, mine, one, fix="without `rtk`", now=NOW).candidate_key


def rejudge(conn: duckdb.DuckDBPyConnection, monkeypatch: pytest.MonkeyPatch, where: str = "TRUE") -> None:
    """As if a later release had judged the stored calls anew."""
    for table in ("turns", "failure_stream"):
        conn.execute(
            f"UPDATE {table} SET fingerprint = ?, shape = 'new shape' WHERE fingerprint IS NOT NULL AND {where}", [NEW]
        )
    conn.execute("UPDATE turns SET rules_version = 99")
    monkeypatch.setattr(carry, "RULES_VERSION", 99)


def test_nothing_decided_is_nothing_done(conn: duckdb.DuckDBPyConnection, mine: Ledger) -> None:
    assert settle(conn, mine, now=NOW) == Settled()
    assert not mine.folder.exists()


def test_the_index_says_in_how_many_sessions_a_ratchet_is_kept_back(
    conn: duckdb.DuckDBPyConnection, mine: Ledger
) -> None:
    promote(conn, mine)
    settle(conn, mine, now=NOW, hold_out=0.2)
    assert [one.hold_out for one in recall.load(mine.index, mine.project)] == [0.2]
    mine.index.write_bytes(mine.index.read_bytes().replace(b'"hold_out":0.2', b'"hold_out":0.0'))
    assert recall.load(mine.index, mine.project) == ()


def test_the_index_gets_the_numbers_of_today(conn: duckdb.DuckDBPyConnection, mine: Ledger) -> None:
    promote(conn, mine)
    assert settle(conn, mine, now=NOW).live == 1
    before = recall.load(mine.index, mine.project)[0]
    record(conn, "new", WRAP, FROB, day=9)
    settle(conn, mine, now=NOW)
    after = recall.load(mine.index, mine.project)[0]
    assert (before.sessions, after.sessions) == (4, 5)
    assert after.last_seen is not None
    assert before.last_seen is not None
    assert after.last_seen > before.last_seen


def test_a_new_store_gets_the_decisions_back(conn: duckdb.DuckDBPyConnection, mine: Ledger) -> None:
    key = promote(conn, mine)
    with store() as fresh:
        done = settle(fresh, mine, now=NOW)
        assert (done.restored, done.live, done.foreign) == (1, 1, 0)
        assert [row.candidate_key for row in verdicts.rows(fresh)] == [key]


def test_a_decision_goes_over_to_the_new_key(
    conn: duckdb.DuckDBPyConnection, mine: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = promote(conn, mine)
    rejudge(conn, monkeypatch)
    new = f"failure-Bash-any:{NEW}"
    assert settle(conn, mine, now=NOW + 1).carried == ((old, new),)
    assert [(row.candidate_key, row.decision) for row in verdicts.rows(conn)] == [
        (old, "superseded"),
        (new, "promoted"),
    ]
    (live,) = ledger.live(mine.read())
    assert (live.candidate_key, live.fix, live.decided_by, live.evidence["shape"]) == (
        new,
        "without `rtk`",
        "me",
        "new shape",
    )
    assert [ratchet.fingerprint for ratchet in recall.load(mine.index, mine.project)] == [NEW]
    assert settle(conn, mine, now=NOW + 2).carried == (), "once is enough"
    with store() as fresh:
        decisions.restore(fresh, mine.read())
        assert [row.decision for row in verdicts.rows(fresh)] == ["superseded", "promoted"]


def test_a_rejection_is_carried_too(
    conn: duckdb.DuckDBPyConnection, mine: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = candidates.find(conn, WRAP.fingerprint or "", now=NOW)
    decisions.reject(conn, mine, one, reason="noise", now=NOW)
    rejudge(conn, monkeypatch)
    settle(conn, mine, now=NOW + 1)
    known = ledger.verdict_of(conn, mine.read())
    assert known[f"failure-Bash-any:{NEW}"][0] == "rejected"


def test_a_split_pattern_is_not_carried(
    conn: duckdb.DuckDBPyConnection, mine: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    promote(conn, mine)
    rejudge(conn, monkeypatch, "session_id IN ('s0', 's1')")
    assert settle(conn, mine, now=NOW + 1).carried == ()


def test_before_the_calls_are_judged_anew_nothing_moves(
    conn: duckdb.DuckDBPyConnection, mine: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    promote(conn, mine)
    monkeypatch.setattr(carry, "RULES_VERSION", 99)
    assert settle(conn, mine, now=NOW + 1).carried == ()
