"""Shares, differences and shifts, against values of textbooks and published tables."""

from __future__ import annotations

from math import inf

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_riggs.learn.statistics import _critical, difference, shift, wilson, wilson_lower


@pytest.mark.parametrize(
    ("hits", "trials", "z", "expected"),
    [(0, 0, 1.96, 0.0), (10, 10, 1.959964, 0.722467), (5, 10, 1.959964, 0.236593), (1, 2, 1.959964, 0.094531)],
)
def test_known_values(hits: int, trials: int, z: float, expected: float) -> None:
    assert wilson_lower(hits, trials, z) == pytest.approx(expected, abs=1e-6)


@given(st.integers(0, 500), st.integers(1, 500))
def test_it_is_a_share_below_the_plain_one_and_more_evidence_raises_it(hits: int, trials: int) -> None:
    hits = min(hits, trials)
    bound = wilson_lower(hits, trials)
    assert 0 <= bound <= hits / trials + 1e-12
    assert wilson_lower(10 * hits, 10 * trials) >= bound - 1e-12


@pytest.mark.parametrize(
    ("hits", "trials", "low", "high"),
    [(0, 10, 0.0, 0.277533), (5, 10, 0.236593, 0.763407), (10, 10, 0.722467, 1.0), (81, 263, 0.2553, 0.3662)],
)
def test_the_interval_of_a_share(hits: int, trials: int, low: float, high: float) -> None:
    assert wilson(hits, trials) == pytest.approx((low, high), abs=5e-5)


def test_no_trials_say_nothing_about_a_share() -> None:
    assert wilson(0, 0) == (0.0, 1.0)


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [((56, 70), (48, 80), (0.2, 0.0524, 0.3339)), ((9, 10), (3, 10), (0.6, 0.1705, 0.8090)),
     ((10, 10), (0, 20), (1.0, 0.6791, 1.0))],
)  # fmt: skip
def test_the_difference_of_two_shares_is_newcombe_s(
    first: tuple[int, int], second: tuple[int, int], expected: tuple[float, float, float]
) -> None:
    found, interval = difference(*first, *second)
    assert (found, *interval) == pytest.approx(expected, abs=5e-5)


def test_a_shift_by_hand() -> None:
    # 15 differences: -6 four times, -5 nine times, -4 twice. One of 56 orders is less than 2.5 %: the outermost ones.
    assert shift([1, 1, 1, 1, 2], [6, 7, 6]) == (-5.0, (-6, -4))
    # 16 differences, the middle two are 1; one of 70 orders is less than 2.5 %: the outermost ones.
    assert shift([3, 5, 6, 8], [1, 4, 5, 7]) == (1.0, (-4, 7))


def test_too_few_numbers_bound_no_shift() -> None:
    assert shift([1, 2, 3], [7, 8, 9]) == (-6.0, (-inf, inf))


@pytest.mark.parametrize(("few", "many", "rank"), [(5, 5, 3), (10, 10, 24), (3, 5, 1), (3, 4, 0), (20, 20, 128)])
def test_ranks_are_those_of_the_tables(few: int, many: int, rank: int) -> None:
    assert _critical(few, many) == rank


def test_the_approximation_joins_the_exact_count() -> None:
    assert _critical(20, 21) == pytest.approx(_critical(20, 20) * 21 / 20, abs=3)


NUMBERS = st.lists(st.integers(1, 30), min_size=1, max_size=40)


@given(NUMBERS, NUMBERS)
def test_a_shift_lies_in_its_interval_and_turns_its_sign_with_the_samples(mine: list[int], theirs: list[int]) -> None:
    found, (low, high) = shift(mine, theirs)
    assert low <= found <= high
    assert shift(theirs, mine) == (-found, (-high, -low))
    assert shift(sorted(mine), theirs) == (found, (low, high))


@given(st.integers(0, 60), st.integers(1, 60), st.integers(0, 60), st.integers(1, 60))
def test_a_difference_lies_in_its_interval(hits: int, trials: int, others: int, other_trials: int) -> None:
    found, (low, high) = difference(min(hits, trials), trials, min(others, other_trials), other_trials)
    assert -1 <= low <= found <= high <= 1
