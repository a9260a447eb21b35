"""What waits for a decision is counted in one way, wherever it is counted."""

from __future__ import annotations

import duckdb

from agent_riggs.config import Ratchet
from agent_riggs.learn.candidates import LEADING, find_candidates
from agent_riggs.learn.evidence import Candidate
from agent_riggs.learn.ledger import verdict_of
from agent_riggs.learn.log import Log
from agent_riggs.learn.waiting import earlier, waiting
from faces.build import DAY, MINUTE, START, Call, failed, fill, iso


def test_what_waits_is_what_is_repeated_and_not_decided() -> None:
    calls = [failed(f"s{n}", n, shape=shape) for n in range(5) for shape in ("a", "b", "c", "d")]
    calls += [failed("s1", n, shape="burst") for n in range(20)]
    keys = {shape: f"failure-Bash-any:{failed(shape=shape).fingerprint}" for shape in "abcd"}

    def decided(number: int, shape: str, decision: str, at: int, until: int | None = None) -> dict[str, object]:
        return {"decision_id": number, "candidate_key": keys[shape], "decision": decision, "decided_at": iso(at),
                "snoozed_until": until and iso(until)}  # fmt: skip

    rows = [
        decided(1, "a", "rejected", START),
        decided(2, "b", "snoozed", START, START + 10 * DAY),
        decided(3, "c", "retired", START),
        decided(4, "d", "retired", START + 2 * MINUTE),
    ]
    with duckdb.connect() as conn:
        fill(conn, "app", calls, ratchet_decisions=rows)
        verdicts = verdict_of(conn, Log())
        assert waiting(conn, Ratchet(), START + DAY, verdicts) == 2
        assert waiting(conn, Ratchet(), START + 11 * DAY, verdicts) == 3
        assert waiting(conn, Ratchet(min_frequency=1000), START + DAY, verdicts) == 2
        assert waiting(conn, Ratchet(), START + DAY, {}) == 4


def test_what_fell_out_of_the_lookback_is_counted() -> None:
    calls = [failed(f"s{n}", n, shape="long ago") for n in range(3)]
    calls += [failed(f"t{n}", 60 * 1440 + n, shape="of late") for n in range(3)]
    with duckdb.connect() as conn:
        fill(conn, "app", calls)
        now = START + 61 * DAY
        assert (waiting(conn, Ratchet(), now, {}), earlier(conn, Ratchet(), now, {})) == (1, 1)
        assert earlier(conn, Ratchet(lookback_days=90), now, {}) == 0


def test_a_wider_key_of_nothing_but_served_failures_is_no_candidate() -> None:
    calls = [failed(f"s{n}", n, shape=shape) for n in range(4) for shape in ("a", "b")]
    keys = [f"failure-Bash-any:{failed(shape=shape).fingerprint}" for shape in "ab"]

    def kinds(*promoted: str) -> set[str]:
        decided = dict.fromkeys(promoted, ("promoted", START))
        return {one.candidate_type for one in find_candidates(conn, now=START + DAY, decided=decided)}

    with duckdb.connect() as conn:
        fill(conn, "app", calls)
        assert kinds(keys[0]) == {"failure_pattern", "constraint_promotion"}
        assert kinds(*keys) == set()


def patterns_of(conn: duckdb.DuckDBPyConnection, **more: object) -> list[Candidate]:
    found = find_candidates(conn, now=START + DAY, **more)  # type: ignore[arg-type]
    return [one for one in found if one.candidate_type == "failure_pattern"]


def test_the_count_is_that_of_the_list_near_duplicates_included() -> None:
    shapes = ("cannot open the file here", "cannot open the file there", "quite another thing")
    calls = [failed(f"s{n}", n, shape=shape) for n in range(3) for shape in shapes]
    calls += [failed("s1", 9, shape="met in one session alone")]
    with duckdb.connect() as conn:
        fill(conn, "app", calls)
        found = patterns_of(conn)
        assert waiting(conn, Ratchet(), START + DAY, {}) == 3
    assert sorted(1 + len(one.similar) for one in found) == [1, 2]


def test_what_was_decided_takes_no_place_among_the_leading() -> None:
    number = LEADING + 3
    pairs = ((f"s{n}", failed(f"s{n}", n, shape=f"w{k}", program=f"p{k}")) for n in range(2) for k in range(number))
    calls = [one for session, failure in pairs for one in (failure, Call(session), Call(session))]
    with duckdb.connect() as conn:
        fill(conn, "app", calls)
        leading = patterns_of(conn)
        assert (len(leading), waiting(conn, Ratchet(), START + DAY, {})) == (LEADING, number)
        decided = {one.candidate_key: ("rejected", START) for one in leading}
        left = patterns_of(conn, decided=decided)
        assert len(left) == waiting(conn, Ratchet(), START + DAY, decided) == 3
    assert not {one.candidate_key for one in left} & decided.keys()
