"""Which fixes were served, and when, read off the log."""

from __future__ import annotations

from pathlib import Path

from agent_riggs.learn import log as logs
from agent_riggs.learn.log import Entry, Log
from agent_riggs.learn.promotions import Promotion, promotions


def entry(at: int, decision: str = "promoted", key: str = "k", **more: object) -> Entry:
    values = {"candidate_type": "failure_pattern", "reason": "", "evidence": {"fingerprint": f"f-{key}"}} | more
    return Entry(at=at, decision=decision, candidate_key=key, **values)  # type: ignore[arg-type]


def found(*entries: Entry) -> list[Promotion]:
    log = Log()
    for one in entries:
        log = Log((*log.entries, logs.chain(one, log)))
    return promotions(log)


def spans(*entries: Entry) -> list[tuple[int, int, int | None, str]]:
    return [(one.first, one.since, one.until, one.decision.state) for one in found(*entries)]


def test_a_promotion_lasts_until_it_is_ended() -> None:
    assert spans(entry(5)) == [(5, 5, None, "promoted")]
    assert spans(entry(5), entry(9, "retired")) == [(5, 5, 9, "retired")]
    assert spans(entry(5), entry(9, "snoozed"), entry(11, "rejected")) == [(5, 5, 9, "retired")]


def test_a_new_fix_is_served_since_then_and_compared_with_the_time_before_the_first() -> None:
    assert spans(entry(5), entry(9)) == [(5, 9, None, "promoted")]
    assert spans(entry(5), entry(7, "retired"), entry(9)) == [(5, 9, None, "promoted")]


def test_what_was_never_promoted_is_none() -> None:
    assert found(entry(5, "rejected"), entry(6, "snoozed", "other")) == []
    assert found(entry(5, candidate_type="nudged_tool_promotion")) == []


def test_a_key_that_was_carried_over_is_the_same_promotion() -> None:
    first = logs.chain(entry(5, key="old"), Log())
    (one,) = found(entry(5, key="old"), entry(9, key="new", carried_from=first.hash))
    assert (one.keys, one.marks, one.since, one.until) == (("old", "new"), ("f-old", "f-new"), 5, None)
    ended = found(entry(5, key="old"), entry(9, key="new", carried_from=first.hash), entry(11, "retired", "new"))
    assert [(one.since, one.until) for one in ended] == [(5, 11)]


def test_a_missing_log_has_none(tmp_path: Path) -> None:
    assert promotions(logs.read(tmp_path / "decisions.jsonl", "shop-1")) == []
