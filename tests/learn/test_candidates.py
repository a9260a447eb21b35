"""Candidates: root sessions and days count, not raw numbers; what is decided leaves the list."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import duckdb
import pytest

from agent_riggs.config import Ratchet as Limits
from agent_riggs.errors import Ambiguous, NotFound
from agent_riggs.learn import candidates, decisions, ledger
from agent_riggs.learn.evidence import Candidate
from agent_riggs.learn.ledger import Ledger
from agent_riggs.learn.replay import Replay, replay
from agent_riggs.store import mining
from builders.rows import SECOND
from learn.sessions import DAY, NOW, again, bash, broken, fails, record, store, tool

WRAP = fails("rtk frob run x.txt", "bad_option", "rtk", "no such sub-command")
FROB = bash("frob run x.txt")


@pytest.fixture
def conn() -> Iterator[duckdb.DuckDBPyConnection]:
    with store() as conn:
        yield conn


@pytest.fixture
def mine(tmp_path: Path) -> Ledger:
    return Ledger(tmp_path / "state", "shop-1", "me")


def found(conn: duckdb.DuckDBPyConnection, **more: object) -> list[Candidate]:
    return candidates.find_candidates(conn, now=NOW, **more)  # type: ignore[arg-type]


def patterns(conn: duckdb.DuckDBPyConnection, **more: object) -> list[Candidate]:
    return [one for one in found(conn, **more) if one.candidate_type == "failure_pattern"]


def listing(conn: duckdb.DuckDBPyConnection, mine: Ledger, now: int) -> list[Candidate]:
    decided = ledger.verdict_of(conn, mine.read())
    return candidates.find_candidates(conn, now=now, decided=decided)


def insert_failures(conn: duckdb.DuckDBPyConnection, count: int, sessions: int, mode: str | None = "implement") -> None:
    """As another program does: the contract's columns only."""
    for number in range(count):
        conn.execute(
            "INSERT INTO failure_stream (failure_id, turn_id, session_id, project, occurred_at, failure_category,"
            " tool_name, mode, trust_at_failure, detail) VALUES (?, ?, ?, 'shop', make_timestamptz(?), 'failure',"
            " 'Bash', ?, 0.3, NULL)",
            [number, number, f"k{number % sessions}", NOW - number, mode],
        )


def test_the_evidence_is_the_contracts(conn: duckdb.DuckDBPyConnection) -> None:
    again(conn, 4, WRAP, FROB)
    (one,) = patterns(conn)
    assert one.candidate_key == f"failure-Bash-any:{WRAP.fingerprint}"
    evidence = one.evidence
    assert (evidence["occurrences"], evidence["sessions_affected"], evidence["days"], evidence["shapes"]) == (
        4,
        4,
        4,
        1,
    )
    assert evidence["severity"] == "systemic"
    assert 0 < evidence["avg_trust"] < 1
    assert evidence["first_seen"] < evidence["last_seen"]
    assert evidence["first_seen"].endswith("+00:00")
    assert len(evidence["examples"]) == 3
    assert set(evidence["examples"][0]) == {"turn_id", "excerpt", "recovery_id"}
    assert evidence["fix"] | {"examples": []} == {
        "text": "the same command without `rtk`",
        "support": 4,
        "agreement": 1.0,
        "source": "mined",
        "examples": [],
    }
    recovery = {"sessions": 4, "recovered": 4, "unrecovered": 0.0, "median_calls": 1.0, "edited": 0, "outages": 0}
    assert evidence["recovery"] == recovery
    assert evidence["trigger"] == {"words": ["rtk", "frob", "run"]}


def test_the_constraint_key_is_kibitzers(conn: duckdb.DuckDBPyConnection) -> None:
    insert_failures(conn, 6, 3)
    (one,) = found(conn)
    assert (one.candidate_type, one.candidate_key) == ("constraint_promotion", "failure-Bash-implement")
    assert one.evidence["severity"] == "systemic"
    assert one.evidence["avg_trust"] == pytest.approx(0.3)
    assert one.evidence["occurrences"] == 6
    conn.execute("UPDATE failure_stream SET tool_name = NULL, mode = NULL")
    assert [one.candidate_key for one in found(conn)] == ["failure-unknown-any"]


@pytest.mark.parametrize(
    ("count", "sessions", "severity"), [(5, 1, "occasional"), (10, 1, "frequent"), (5, 3, "systemic"), (4, 4, None)]
)
def test_severity_and_the_least_frequency(
    conn: duckdb.DuckDBPyConnection, count: int, sessions: int, severity: str | None
) -> None:
    insert_failures(conn, count, sessions)
    assert [one.evidence["severity"] for one in found(conn)] == ([severity] if severity else [])


def test_a_burst_in_one_session_is_one_observation(conn: duckdb.DuckDBPyConnection) -> None:
    burst = fails("grind x", "other", "grind", "burst")
    record(conn, "burst", *[burst] * 40)
    again(conn, 3, WRAP, FROB)
    assert [one.evidence["shape"] for one in patterns(conn)] == ["no such sub-command"]
    everything = patterns(conn, everything=True)
    assert [one.evidence["shape"] for one in everything] == ["no such sub-command", "burst"]


def test_sessions_and_days_outrank_raw_numbers(conn: duckdb.DuckDBPyConnection) -> None:
    noisy = fails("grind x", "other", "grind", "noisy")
    for number in range(2):
        record(conn, f"n{number}", *[noisy] * 20, bash("grind --ok x"), day=3)
    again(conn, 6, WRAP, FROB)
    assert [one.evidence["shape"] for one in patterns(conn)] == ["no such sub-command", "noisy"]


def test_forks_and_subagents_count_as_their_root(conn: duckdb.DuckDBPyConnection) -> None:
    again(conn, 3, WRAP, FROB)
    conn.execute("UPDATE failure_stream SET root_session_id = 's0'")
    assert patterns(conn) == []


def test_a_coarse_key_never_outranks_the_pattern_it_covers(conn: duckdb.DuckDBPyConnection) -> None:
    again(conn, 3, WRAP, FROB)
    for number in range(12):
        record(conn, f"x{number}", fails(f"p{number} x", "other", f"p{number}", f"shape {number}"), day=number)
    kinds = [one.candidate_type for one in found(conn)]
    assert kinds == ["failure_pattern", "constraint_promotion"]
    coarse = found(conn)[1]
    assert coarse.evidence["shapes"] == 13
    assert len(coarse.evidence["examples"]) == 3
    assert coarse.evidence["examples"][0]["excerpt"].startswith("p11: shape")
    assert len(candidates.covered(conn, coarse)) == 13


def test_red_green_loops_come_last_unless_a_command_mends_them(conn: duckdb.DuckDBPyConnection) -> None:
    edit = tool("Edit", {"file_path": "/home/me/shop/a.py"})
    test = fails("bun test", "test_failed", "bun", "tests failed", outcome="check_failed", category="check_failed")
    lint = fails("bun run lint", "lint_failed", "bun", "lint failed", outcome="check_failed", category="check_failed")
    for number in range(9):
        record(conn, f"t{number}", test, edit, bash("bun test"), lint, bash("bun run lint:fix"), day=number)
    again(conn, 2, WRAP, FROB)
    shapes = [one.evidence.get("shape") for one in found(conn) if one.candidate_type == "failure_pattern"]
    assert shapes == ["lint failed", "no such sub-command", "tests failed"]
    assert found(conn)[-1].evidence.get("shape") == "tests failed"


@pytest.mark.parametrize("outcome", ["rejected", "cancelled", "interrupted", "benign", "masked", "unknown", "pending"])
def test_what_is_no_failure_never_counts(conn: duckdb.DuckDBPyConnection, outcome: str) -> None:
    again(conn, 6, replace(WRAP, outcome=outcome))
    assert found(conn, everything=True) == []


def test_an_outage_is_one_event(conn: duckdb.DuckDBPyConnection) -> None:
    down = [fails(f"{name} x", "environment", name, f"{name} is down") for name in ("frob", "make", "npm", "go", "git")]
    for number in range(4):
        record(conn, f"d{number}", *down, *down, day=1)
    again(conn, 3, WRAP, FROB)
    best, outage = patterns(conn)
    assert best.evidence["shape"] == "no such sub-command"
    assert outage.score < best.score / 2
    assert (outage.outage, len(outage.similar)) == (True, len(down) - 1)


def test_near_duplicates_are_one_entry(conn: duckdb.DuckDBPyConnection) -> None:
    other = fails("rtk frob run y.txt", "bad_option", "rtk", "no such sub-command here")
    again(conn, 4, WRAP, FROB)
    again(conn, 3, other, bash("frob run y.txt"), first=8)
    (one,) = patterns(conn)
    assert one.evidence["fingerprint"] == WRAP.fingerprint
    assert one.similar == (f"failure-Bash-any:{other.fingerprint}",)


def test_different_fixes_are_not_duplicates(conn: duckdb.DuckDBPyConnection) -> None:
    other = fails("rtk frob run y.txt", "bad_option", "rtk", "no such sub-command here")
    again(conn, 4, WRAP, FROB)
    again(conn, 3, other, bash("rtk frob --go run y.txt"), first=8)
    assert len(patterns(conn)) == 2


def test_the_lookback_counts_from_the_last_activity(conn: duckdb.DuckDBPyConnection) -> None:
    again(conn, 4, WRAP, FROB)
    year = 365 * DAY
    assert len(candidates.find_pattern_candidates(conn, now=NOW + year)) == 1, "a pause forgets nothing"
    record(conn, "later", FROB, day=60)
    assert candidates.find_pattern_candidates(conn, now=NOW + year) == []
    assert candidates.find(conn, WRAP.fingerprint or "", now=NOW + year).fix, "an old one can still be promoted"


def test_a_future_time_moves_nothing(conn: duckdb.DuckDBPyConnection) -> None:
    again(conn, 4, WRAP, FROB)
    record(conn, "wrong clock", FROB, day=30_000)
    assert len(patterns(conn)) == 1


def test_tool_candidates_need_a_tool_that_works_here(conn: duckdb.DuckDBPyConnection) -> None:
    shortcut = bash("cat a.txt", program="cat")
    again(conn, 5, shortcut, tool("Read", {"file_path": "/a"}))
    conn.execute("UPDATE turns SET event_category = 'suboptimal' WHERE program = 'cat'")
    (one,) = [one for one in found(conn) if one.candidate_type == "tool_promotion"]
    assert one.candidate_key == "Bash-cat-to-Read"
    assert (one.evidence["success_rate"], one.evidence["frequency"], one.evidence["sessions"]) == (1.0, 5, 5)
    conn.execute("UPDATE turns SET tool_success = FALSE WHERE tool_name = 'Read'")
    assert [one for one in found(conn) if one.candidate_type == "tool_promotion"] == []


@pytest.mark.parametrize(
    ("nudges", "heeded", "controls", "unprompted", "expected"),
    [(8, 6, 8, 1, True), (8, 6, 0, 0, False), (4, 4, 8, 0, False), (8, 1, 8, 0, False), (8, 3, 8, 4, False)],
)
def test_nudges_are_gated_on_heed_and_lift_in_both_arms(
    conn: duckdb.DuckDBPyConnection, nudges: int, heeded: int, controls: int, unprompted: int, expected: bool
) -> None:
    for number in range(nudges + controls):
        arm, place, good = ("nudge", number, heeded) if number < nudges else ("control", number - nudges, unprompted)
        conn.execute(
            "INSERT INTO nudge_trials (trial_id, plugin, arm, heed, session_id) VALUES (?, 'blq', ?, ?, ?)",
            [number, arm, place < good, f"s{number}"],
        )
    assert [one.candidate_key for one in candidates.find_nudge_candidates(conn)] == (["nudge-blq"] if expected else [])


def test_decided_keys_leave_the_list(conn: duckdb.DuckDBPyConnection, mine: Ledger) -> None:
    again(conn, 4, WRAP, FROB)
    (one,) = [one for one in listing(conn, mine, NOW) if one.candidate_type == "failure_pattern"]
    decisions.reject(conn, mine, one, reason="noise", now=NOW)
    assert listing(conn, mine, NOW + 400 * DAY) == []
    decisions.promote(conn, mine, one, fix="x", now=NOW)
    assert listing(conn, mine, NOW) == []


def test_a_snoozed_one_returns_at_its_date(conn: duckdb.DuckDBPyConnection, mine: Ledger) -> None:
    again(conn, 4, WRAP, FROB)
    (one,) = listing(conn, mine, NOW)
    decisions.snooze(conn, mine, one, until=NOW + DAY, now=NOW)
    assert listing(conn, mine, NOW + DAY - SECOND) == []
    assert [back.candidate_key for back in listing(conn, mine, NOW + DAY)] == [one.candidate_key]


def test_a_retired_one_returns_only_with_new_occurrences(conn: duckdb.DuckDBPyConnection, mine: Ledger) -> None:
    again(conn, 4, WRAP, FROB)
    (one,) = listing(conn, mine, NOW)
    decisions.promote(conn, mine, one, fix="x", now=NOW)
    decisions.retire(conn, mine, one.candidate_key, reason="gone", now=NOW)
    assert listing(conn, mine, NOW) == []
    record(conn, "new", WRAP, FROB, day=21)
    back = listing(conn, mine, NOW + 5 * DAY)
    assert [one.candidate_key for one in back if one.candidate_type == "failure_pattern"] == [one.candidate_key]


def test_a_key_is_found_by_prefix_and_fingerprint(conn: duckdb.DuckDBPyConnection) -> None:
    other = broken("Edit", {"file_path": "/a"}, "text_not_found")
    again(conn, 3, WRAP, FROB, other)
    mark = WRAP.fingerprint or ""
    for wanted in (f"failure-Bash-any:{mark}", mark, mark[:8]):
        assert candidates.find(conn, wanted, now=NOW).evidence["fingerprint"] == mark
    assert candidates.find(conn, "failure-Bash-any", now=NOW).candidate_type == "constraint_promotion"
    with pytest.raises(Ambiguous):
        candidates.find(conn, "failure-", now=NOW)
    with pytest.raises(NotFound) as caught:
        candidates.find(conn, f"failure-Bash-any:{mark[:-1]}0", now=NOW)
    assert caught.value.nearest


def test_replay_tells_what_would_have_happened(conn: duckdb.DuckDBPyConnection) -> None:
    again(conn, 4, WRAP, bash("echo hm"), bash("echo hm"), FROB)
    again(conn, 1, WRAP, bash("rtk frob --plain run x.txt"), first=8)
    again(conn, 1, WRAP, first=9)
    again(conn, 1, bash("rtk frob run other.txt"), first=12)
    one = candidates.find(conn, WRAP.fingerprint or "", now=NOW)
    told = replay(conn, one)
    assert (told.fired, told.sessions, told.agreed, told.otherwise, told.never, told.saved) == (6, 6, 4, 1, 1, 8)
    assert (told.early, told.early_wrong) == (7, 1)
    assert told.line() == (
        "would have fired 6 times in 6 sessions: 4 recovered this way, 1 another way, 1 never; at most 8 calls saved,"
        " each time taken at once; before the call it would have spoken 7 times, 1 of them wrongly"
    )
    own = replay(conn, one, "ask the team")
    assert (own.comparable, own.agreed) == (False, 0)
    assert "cannot be compared" in own.line()


def test_replaying_a_coarse_key_shows_how_much_it_lumps(conn: duckdb.DuckDBPyConnection) -> None:
    again(conn, 3, WRAP, FROB)
    again(conn, 3, fails("make x", "other", "make", "no rule"), bash("make y x"), first=8)
    coarse = candidates.find(conn, "failure-Bash-any", now=NOW)
    assert replay(conn, coarse).fired == 6
    assert sorted(total.shape or "" for total in candidates.covered(conn, coarse)) == ["no rule", "no such sub-command"]


def test_limits_are_the_configured_ones(conn: duckdb.DuckDBPyConnection) -> None:
    insert_failures(conn, 4, 2)
    assert found(conn) == []
    (one,) = found(conn, limits=Limits(min_frequency=4, min_sessions=2))
    assert one.evidence["severity"] == "systemic"


def test_all_of_it_works_on_an_empty_store(conn: duckdb.DuckDBPyConnection) -> None:
    assert found(conn, everything=True) == []
    mining.prepare(conn)
    assert mining.keys(conn) == []
    with pytest.raises(NotFound):
        candidates.find(conn, "x", now=NOW)


def test_a_replay_without_a_fix_or_a_failure_says_so() -> None:
    assert Replay(4, 3, 0, 3, 1, 0, named=False).line() == (
        "would have fired 4 times in 3 sessions: 3 recovered, 1 never; there is no fix to compare with yet"
    )
    assert Replay(0, 0, 0, 0, 0, 0).line().startswith("nothing to replay")
