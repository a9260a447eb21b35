"""The effect of a promotion, from sessions before it and after it, told and not told."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agent_riggs.learn import decisions, effect
from agent_riggs.learn.effect import Arm, Episode, Measure, arm_of, in_words
from agent_riggs.store import derive, turns
from agent_riggs.store.effects import Count
from builders.rows import SECOND, START
from learn.served import AT_ONCE, ELSE, HELD, RIGHT, SLOWLY, TOLD, WRONG, Loop
from learn.sessions import DAY, bash, fails, rows_of, tool

READ = tool("Read", {"file_path": "/home/me/shop/x"})


@pytest.fixture
def loop(tmp_path: Path) -> Loop:
    return Loop(tmp_path / "state")


# --- the loop as a whole


def test_a_fix_after_which_sessions_recover_at_once_is_to_be_kept(loop: Loop) -> None:
    loop.session(*SLOWLY, count=3)
    loop.promote()
    loop.session(*AT_ONCE, count=5, **TOLD)
    found = loop.effect()
    assert found.verdict == "keep"
    assert found.reason == "fewer calls than before in 100% of pairs (95%: 57 to 100%)"
    assert found.measure is not None
    assert (found.measure.change, found.measure.was, found.measure.now) == (-1.0, 6.0, 1.0)
    assert (round(found.measure.low, 2), round(found.measure.high, 2)) == (-1.0, -0.13)
    before, told = found.before, found.told
    assert (before.sessions, before.met, before.times, before.ended, before.again) == (3, 3, 9, 3, 3)
    assert (before.median_calls, told.median_calls, told.mean_calls) == (6.0, 1.0, 1.0)
    assert (told.sessions, told.seen, told.times, told.again) == (5, 5, 5, 0)
    assert (told.followed, told.followed_ended) == (5, 5)


def test_a_fix_after_which_nothing_is_better_is_to_be_retired_as_wrong(loop: Loop) -> None:
    loop.session(*SLOWLY, count=3)
    loop.promote()
    loop.session(WRONG, bash("pnpm run y"), WRONG, ELSE, ELSE, WRONG, RIGHT, count=effect.OFTEN, **TOLD)
    found = loop.effect()
    assert found.verdict == "retire"
    assert found.reason.startswith("fewer calls than before in 50% of pairs (95%: ")
    assert found.reason.endswith("; followed in 15 of 15: taken, and no help")


def test_one_that_nobody_follows_is_to_be_said_otherwise(loop: Loop) -> None:
    loop.session(*SLOWLY[:-1], bash("npm run x --force"), count=3)
    loop.promote()
    loop.session(*SLOWLY[:-1], bash("npm run x --force"), count=effect.OFTEN, **TOLD)
    found = loop.effect()
    assert found.verdict == "retire"
    assert "followed in 0 of 15: told and not taken" in found.reason


def test_worse_is_to_be_retired_soon_and_where_nothing_was_to_be_saved_that_is_said(loop: Loop) -> None:
    loop.session(*AT_ONCE, count=4)
    loop.promote()
    loop.session(*SLOWLY, count=5, **TOLD)
    found = loop.effect()
    assert found.verdict == "retire"
    assert found.reason.startswith("fewer calls than before in 0% of pairs")
    assert "the next call mostly ended it anyway" in found.reason


def test_what_may_be_chance_is_to_be_watched(loop: Loop) -> None:
    for calls in (2, 9, 5):
        loop.session(WRONG, *[ELSE] * (calls - 1), RIGHT)
    loop.promote()
    for calls in (3, 8, 5, 6, 2):
        loop.session(WRONG, *[ELSE] * (calls - 1), RIGHT, **TOLD)
    found = loop.effect()
    assert found.verdict == "watch"
    assert found.measure is not None
    assert found.measure.low < 0 < found.measure.high


def test_little_evidence_is_said_to_be_too_little(loop: Loop) -> None:
    loop.session(*SLOWLY, count=3)
    loop.promote()
    loop.session(*AT_ONCE, count=4, **TOLD)
    assert (loop.effect().verdict, loop.effect().reason) == ("too early", "4 of 5 sessions that were told")
    assert loop.effect().measure is None


def test_there_must_be_something_to_compare_with(loop: Loop) -> None:
    loop.session(*SLOWLY, count=2)
    loop.promote()
    loop.session(*AT_ONCE, count=6, **TOLD)
    assert loop.effect().reason == "2 of 3 sessions to compare with"


def test_told_often_and_no_sign_of_help_is_enough() -> None:
    measure = Measure("calls", "before", 6.0, 6.0, 0.0, -0.5, 0.5)
    told = Arm("told", sessions=effect.OFTEN, seen=1)
    assert effect._verdict(measure, told)[0] == "retire"
    assert effect._verdict(measure, replace(told, sessions=effect.OFTEN - 1))[0] == "watch"
    assert effect._verdict(replace(measure, change=-0.1), told)[0] == "watch"


@pytest.mark.parametrize(
    ("what", "was", "low", "high", "verdict"),
    [
        ("calls", 6.0, -0.9, -0.01, "keep"),
        ("calls", 6.0, -0.9, 0.01, "watch"),
        ("calls", 6.0, -0.31, 0.2, "watch"),
        ("calls", 6.0, -0.29, 0.2, "retire"),
        ("sessions", 0.2, -0.07, 0.1, "watch"),
        ("sessions", 0.2, -0.05, 0.1, "retire"),
    ],
)
def test_the_interval_decides(what: effect.What, was: float, low: float, high: float, verdict: str) -> None:
    measure = Measure(what, "before", was, was, (low + high) / 2, low, high)
    assert effect._verdict(measure, Arm("told", sessions=6, seen=6))[0] == verdict


def test_what_no_transcript_shows_is_no_reason_to_retire(loop: Loop) -> None:
    loop.session(*SLOWLY, count=3)
    loop.promote()
    loop.session(*SLOWLY, count=5, seen=False)
    found = loop.effect()
    assert found.verdict == "watch"
    assert "agent-riggs doctor" in found.reason


# --- arms


def test_sessions_drawn_to_go_without_are_what_it_is_compared_with(loop: Loop) -> None:
    loop.session(*AT_ONCE, count=3)
    loop.promote()
    loop.session(*AT_ONCE, count=5, **TOLD)
    loop.session(*SLOWLY, count=4, **HELD)
    first = loop.effect().measure
    assert first is not None
    assert (first.against, first.was, first.now, first.change) == ("before", 1.0, 1.0, 0.0)
    loop.session(*SLOWLY, **HELD)
    found = loop.effect()
    assert (found.told.met, found.held_out.met, found.untold.met) == (5, 5, 0)
    assert found.measure is not None
    assert (found.measure.against, found.measure.was, found.measure.change) == ("held_out", 6.0, -1.0)
    assert found.verdict == "keep"
    assert [one.against for one in found.also] == ["held_out", "before"]


def test_sessions_without_the_hook_are_an_arm_of_their_own(loop: Loop) -> None:
    loop.session(*SLOWLY, count=3)
    loop.promote()
    loop.session(*AT_ONCE, count=2)
    loop.session(ELSE, count=4)
    found = loop.effect()
    assert (found.untold.met, found.untold.sessions, found.told.met) == (2, 6, 0)
    assert found.before.sessions == 3


def test_a_session_that_saw_both_times_counts_in_both_with_what_it_did_then(loop: Loop) -> None:
    loop.session(*SLOWLY, count=2)
    loop.promote()
    loop.session(*AT_ONCE)
    for table in ("turns", "failure_stream", "session_summaries"):
        loop.conn.execute(f"UPDATE {table} SET root_session_id = 's1' WHERE session_id = 's2'")
    found = loop.effect()
    assert (found.before.sessions, found.before.met, found.before.times) == (2, 2, 6)
    assert (found.untold.sessions, found.untold.met, found.untold.times) == (1, 1, 1)


def test_forks_and_subagents_count_as_the_session_they_came_from(loop: Loop) -> None:
    loop.session(*SLOWLY, count=3)
    loop.promote()
    loop.session(*AT_ONCE, count=2, **TOLD)
    for table in ("turns", "failure_stream", "session_summaries"):
        loop.conn.execute(f"UPDATE {table} SET root_session_id = 's3' WHERE session_id = 's4'")
    found = loop.effect()
    assert (found.told.sessions, found.told.met, found.told.times) == (1, 1, 2)


def test_an_outage_says_nothing_about_a_fix(loop: Loop) -> None:
    loop.session(*SLOWLY, count=3)
    broken = [fails(f"{name} x", "network", name, "no route") for name in ("curl", "git", "ssh", "rsync", "dig")]
    loop.session(WRONG, *broken)
    loop.promote()
    found = loop.effect()
    assert (found.before.met, found.before.looked_at) == (4, 3)


def test_foreign_and_unread_deliveries_are_no_telling(loop: Loop) -> None:
    loop.session(*SLOWLY, count=3)
    loop.promote()
    loop.session(*AT_ONCE, count=2, **TOLD)
    loop.say("elsewhere", loop.morning)
    loop.say("s4", loop.morning, candidate_key="failure-Bash-any:f0000000000000000")
    loop.say("s0", loop.morning - 4 * 86_400_000_000)
    assert loop.effect().told.sessions == 2
    loop.ledger.log.unlink()
    assert loop.effects() == []


def test_what_was_withheld_for_another_reason_is_not_held_out(loop: Loop) -> None:
    loop.session(*SLOWLY, count=3)
    loop.promote()
    loop.session(*AT_ONCE, **HELD)
    loop.conn.execute("UPDATE deliveries SET reason = 'told for this call'")
    assert (loop.effect().held_out.met, loop.effect().untold.met) == (0, 1)


# --- other ratchets


def test_what_is_told_before_the_call_is_judged_by_the_sessions_that_met_it(loop: Loop) -> None:
    loop.session(*SLOWLY, count=12)
    loop.promote(when="before")
    loop.session(RIGHT, count=10, **TOLD)
    found = loop.effect()
    assert (found.told.sessions, found.told.met) == (10, 0)
    assert found.measure is not None
    assert (found.measure.what, found.measure.change, found.measure.was) == ("sessions", -1.0, 1.0)
    assert found.verdict == "keep"
    assert found.reason.startswith("0% of the sessions met it, 100% before (95%: ")


def test_before_the_call_those_told_are_compared_with_those_held_out(loop: Loop) -> None:
    loop.session(*SLOWLY, count=3)
    loop.promote(when="before")
    loop.session(RIGHT, count=12, **TOLD, moment="before")
    loop.session(*AT_ONCE, count=6, **HELD, moment="before")
    found = loop.effect()
    assert found.measure is not None
    assert (found.measure.against, found.measure.change, found.verdict) == ("held_out", -1.0, "keep")


def test_a_coarse_key_counts_every_failure_of_its_category_and_tool(loop: Loop) -> None:
    loop.session(*SLOWLY, count=3)
    loop.session(fails("git push", "vcs", "git", "rejected"), bash("git push -f"), count=2)
    loop.session(WRONG, ELSE, count=2)
    loop.promote(wanted="failure-Bash-any")
    assert (loop.effect().before.met, loop.effect().before.sessions) == (7, 7)


def test_a_tool_pattern_counts_the_sessions_that_still_use_the_program(loop: Loop) -> None:
    for _ in range(10):
        loop.session(bash("cat x", program="cat"), READ)
    loop.conn.execute("UPDATE turns SET event_category = 'suboptimal' WHERE program = 'cat'")
    loop.promote(wanted="Bash-cat-to-Read")
    loop.session(bash("ls"), READ, count=10)
    found = loop.effect()
    assert (found.before.met, found.untold.met, found.untold.sessions) == (10, 0, 10)
    assert (found.verdict, found.told.sessions) == ("keep", 0)


# --- time


def test_a_retired_fix_is_measured_while_it_was_served(loop: Loop) -> None:
    loop.session(*SLOWLY, count=3)
    loop.promote()
    loop.session(*AT_ONCE, count=5, **TOLD)
    decisions.retire(loop.conn, loop.ledger, loop.key, reason="done", now=loop.morning)
    loop.session(*SLOWLY, count=4)
    found = loop.effect()
    assert (found.state, found.told.met, found.untold.met, found.verdict) == ("retired", 5, 0, "keep")
    assert found.until is not None


def test_a_second_fix_is_compared_with_the_time_before_the_first(loop: Loop) -> None:
    loop.session(*SLOWLY, count=3)
    loop.promote("think again")
    loop.session(*SLOWLY, count=5, **TOLD)
    loop.promote()
    loop.session(*AT_ONCE, count=5, **TOLD)
    found = loop.effect()
    assert (found.before.met, found.told.met, found.fix) == (3, 5, "use `pnpm`")


# --- properties


CALLS = st.lists(st.integers(1, 30), min_size=1, max_size=30)


@given(CALLS, st.integers(0, 10))
def test_an_arm_counts_its_episodes_in_any_order(calls: list[int], extra: int) -> None:
    episodes = [Episode(call < 30, call, call % 3, call % 2 == 0) for call in calls]
    count = Count(0, "told", len(calls) + extra, len(calls), sum(calls), 0, [])
    arm = arm_of(count, episodes)
    assert arm == arm_of(count, episodes[::-1])
    assert arm.looked_at == len(calls) >= max(arm.ended, arm.again, arm.followed or 0)
    assert min(calls) <= (arm.median_calls or 0) <= max(calls)


@settings(max_examples=8)
@given(st.permutations(range(8)))
def test_neither_the_order_of_sessions_nor_hearing_them_again_changes_anything(order: list[int]) -> None:
    with TemporaryDirectory() as folder:
        first, other = Loop(Path(folder) / "one"), Loop(Path(folder) / "other")
        for loop, days in ((first, range(8)), (other, order)):
            for day in days:
                turns.insert(loop.conn, rows_of(f"s{day}", *(SLOWLY if day < 3 else AT_ONCE), day=day))
            derive.settle(loop.conn, derive.TrustRules())
            loop.days = 3
            loop.promote()
        for day in (*range(3, 8), 5, 3):
            first.say(f"s{day}", START + day * DAY + 2 * SECOND)
        for day in [day for day in order if day > 2]:
            other.say(f"s{day}", START + day * DAY + 2 * SECOND)
        assert first.effect() == other.effect()
        assert first.effect().verdict == "keep"


@settings(max_examples=8)
@given(st.integers(0, 4), st.integers(0, 4))
def test_a_session_without_the_failure_never_raises_the_rate(met: int, more: int) -> None:
    with TemporaryDirectory() as folder:
        loop = Loop(Path(folder))
        loop.session(*AT_ONCE, count=3)
        loop.promote()
        loop.session(*AT_ONCE, count=met)
        first = loop.effect().untold
        loop.session(ELSE, count=more)
        second = loop.effect().untold
    assert (first.met, second.met) == (met, met)
    assert second.sessions == first.sessions + more


# --- words


@pytest.mark.parametrize(
    ("measure", "said"),
    [
        (Measure("calls", "before", 6.4, 2.125, -0.48, -0.76, -0.04),
         "fewer calls than before in 74% of pairs (95%: 52 to 88%)"),
        (Measure("calls", "held_out", 1, 30, 1, 0.5, 1),
         "fewer calls than when held out in 0% of pairs (95%: 0 to 25%)"),
        (Measure("again", "before", 0.3, 0.05, -0.25, -0.5, 0.051),
         "5% failed again on the way, 30% before (95%: -50 to +5 points)"),
        (Measure("sessions", "held_out", 0.3, 0.4, 0.1, 0.02, 0.2),
         "40% of the sessions met it, 30% when held out (95%: +2 to +20 points)"),
    ],
)  # fmt: skip
def test_a_change_in_words(measure: Measure, said: str) -> None:
    assert in_words(measure) == said


def test_nothing_promoted_is_nothing_measured(loop: Loop) -> None:
    assert loop.effects() == []
