"""Which record is which call: by mark and time, by what a call names, by intent; and the mode at a moment."""

from __future__ import annotations

from typing import Any

import pytest

from agent_riggs.store.pairing import Call, Note, Timeline, modes, pair

S = 1_000_000


def call(turn: int, start: float | None, end: float | None = None, **more: Any) -> Call:
    values: dict[str, Any] = {"session_id": "s", "tool": "Bash", "mark": 1, "outcome": "failed", "text": "make"}
    return Call(
        turn_id=turn,
        start=None if start is None else round(start * S),
        end=None if end is None else round(end * S),
        **(values | more),
    )


def note(key: int, at: float | None, **more: Any) -> Note:
    values: dict[str, Any] = {"session_id": "s", "kind": "call", "log": 1, "mark": 1, "position": key}
    return Note(note_id=key, at=None if at is None else round(at * S), **(values | more))


def test_equal_calls_are_told_apart_by_time() -> None:
    """kibitzer is never told of failures: of three equal calls it may have seen the last alone."""
    calls = [call(1, 10.1, 12.9), call(2, 20.1, 20.9), call(3, 30.1, 30.9)]
    assert pair(calls, [note(7, 30)]) == {7: 3}
    assert pair(calls, [note(7, 12), note(8, 20), note(9, 30)]) == {7: 1, 8: 2, 9: 3}


def test_calls_of_one_second_keep_their_order() -> None:
    calls = [call(n, 10 + n / 10, 10.05 + n / 10) for n in range(1, 4)]
    assert pair(calls, [note(n + 6, 10) for n in range(1, 4)]) == {7: 1, 8: 2, 9: 3}


def test_a_record_far_from_every_call_is_another_event() -> None:
    assert pair([call(1, 10, 11)], [note(7, 500)]) == {}


def test_without_times_order_is_all_there_is() -> None:
    assert pair([call(1, None), call(2, None)], [note(7, 50), note(8, 60)]) == {7: 1, 8: 2}
    assert pair([call(1, 10, 11)], [note(7, None)]) == {7: 1}


@pytest.mark.parametrize("more", [{"session_id": "other"}, {"mark": 2}, {"mark": None}])
def test_another_session_or_other_arguments_are_another_event(more: dict[str, Any]) -> None:
    assert pair([call(1, 10, 11)], [note(7, 11, **more)]) == {}


def test_the_order_of_the_records_says_nothing() -> None:
    calls = [call(1, 10.1, 12.9), call(2, 20.1, 20.9)]
    notes = [note(7, 12), note(8, 20), note(9, 21, kind="run", words=("make", "", "record"), session_id="blq")]
    whole = pair(calls, notes)
    assert whole == pair(calls, notes[::-1]) == {7: 1, 8: 2, 9: 2}


@pytest.mark.parametrize(
    ("text", "words", "same"),
    [
        ("blq run test", ("pytest -q", "test", ""), True),
        ("blq run test-all", ("pytest -q", "test", ""), False),
        ("cd x && blq exec 'sh -c \"exit 3\"'", ("sh -c 'exit 3'", "", ""), True),
        ("blq exec make", ("pytest", "", ""), False),
        ("make", ("make", "", "record"), True),
        ("make all", ("make", "", "record"), False),
        ("make", ("make", "", ""), False),
    ],
)
def test_a_run_is_the_call_that_names_it(text: str, words: tuple[str, str, str], same: bool) -> None:
    found = pair([call(1, 10, 12, text=text)], [note(7, 10.5, kind="run", words=words, session_id="blq")])
    assert found == ({7: 1} if same else {})


def test_one_call_may_have_made_many_runs_and_of_two_calls_the_later_is_taken() -> None:
    calls = [call(1, 10, 30, text="blq run a b"), call(2, 15, 30, text="blq run b", session_id="t")]
    runs = [note(7, 11, kind="run", words=("", "a", "")), note(8, 16, kind="run", words=("", "b", ""))]
    assert pair(calls, runs) == {7: 1, 8: 2}


def test_a_time_that_came_twice_is_tried_both_ways() -> None:
    run = note(7, 10, kind="run", words=("", "a", ""), also_at=3610 * S)
    assert pair([call(1, 3609, 3612, text="blq run a")], [run]) == {7: 1}


def test_a_delegation_is_told_by_its_intent_and_time() -> None:
    made = note(7, 100, kind="generation", mark=None, words=("count",))
    same = note(8, 150, kind="delegate", mark=None, words=("count",), session_id="blq")
    late = note(9, 400, kind="delegate", mark=None, words=("count",), session_id="blq")
    assert pair([], [made, same, late]) == {8: 7}
    asked = call(1, 90, 160, tool="mcp__lackpy__delegate", text="count", mark=None)
    assert pair([asked], [made, same, late]) == {7: 1, 8: 1}


def test_the_mode_is_that_before_what_a_call_caused_and_else_the_one_in_force() -> None:
    calls = [call(1, 5, 6), call(2, 10, 11), call(3, 20, 21), call(4, None)]
    notes = [
        note(7, 11, mode="implement", mode_after="explore"),
        note(8, 15, kind="mode_switch", mode="explore", mode_after="docs", mark=None),
    ]
    found = modes(calls, notes, {7: 2}, Timeline(notes))
    assert found == {1: "implement", 2: "implement", 3: "docs"}


def test_a_row_of_the_same_second_made_by_a_later_call_is_left_out() -> None:
    calls = [call(1, 10.2, 10.3), call(2, 10.6, 10.8)]
    notes = [note(7, 3, mode="a", mode_after="a"), note(8, 10, mode="a", mode_after="b")]
    assert modes(calls, notes, {8: 2}, Timeline(notes))[1] == "a"
