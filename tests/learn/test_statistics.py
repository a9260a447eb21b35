"""Shares, differences and shifts, against values of textbooks and published tables."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_riggs.learn.statistics import below, difference, wilson, wilson_lower


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


def test_how_often_one_number_is_below_another_by_hand() -> None:
    # 4 x 3 pairs: 1 is below all three, 2 below two and equal to one, 5 above all twice: (3 + 2.5) of 12.
    found, (low, high) = below([1, 2, 5, 5], [2, 3, 4])
    assert found == pytest.approx(5.5 / 12)
    assert low < found < high


@pytest.mark.parametrize(("mine", "theirs"), [([1, 1, 2, 7], [3, 3, 9]), ([1] * 5, [6] * 3), ([4] * 9, [4] * 6)])
def test_the_interval_ends_where_chance_may_just_reach(mine: list[int], theirs: list[int]) -> None:
    """Newcombe's equation, written out as in the paper."""
    found, ends = below(mine, theirs)
    m, n = len(mine), len(theirs)
    for end in ends:
        near, far = (1 - end) / (2 - end), end / (1 + end)
        variance = end * (1 - end) * (1 + ((m + n) / 2 - 1) * (near + far)) / (m * n)
        assert end in (0.0, 1.0) or (end - found) ** 2 == pytest.approx(1.959964**2 * variance, rel=1e-4)


@pytest.mark.parametrize(("few", "many", "sure"), [(3, 5, True), (3, 4, True), (2, 5, False), (1, 9, False)])
def test_how_few_can_differ_beyond_chance(few: int, many: int, sure: bool) -> None:
    found, (low, high) = below([1] * many, [6] * few)
    assert (found, high) == (1.0, 1.0)
    assert (low > 0.5) is sure


def test_the_interval_holds_the_truth_as_often_as_it_says() -> None:
    draw = Random(7)
    truth = sum((one < two) + (one == two) / 2 for one in range(1, 7) for two in range(2, 9)) / 42
    held = 0
    for _ in range(1000):
        mine, theirs = ([draw.randint(*ends) for _ in range(9)] for ends in ((1, 6), (2, 8)))
        low, high = below(mine, theirs)[1]
        held += low <= truth <= high
    assert held >= 930


NUMBERS = st.lists(st.integers(1, 30), min_size=1, max_size=40)


@given(NUMBERS, NUMBERS)
def test_the_share_lies_in_its_interval_and_is_turned_round_with_the_samples(
    mine: list[int], theirs: list[int]
) -> None:
    found, (low, high) = below(mine, theirs)
    assert 0 <= low <= found <= high <= 1
    turned, (other_low, other_high) = below(theirs, mine)
    assert (1 - turned, 1 - other_high, 1 - other_low) == pytest.approx((found, low, high), abs=1e-9)
    assert below(sorted(mine), theirs) == (found, (low, high))


@given(st.integers(0, 60), st.integers(1, 60), st.integers(0, 60), st.integers(1, 60))
def test_a_difference_lies_in_its_interval(hits: int, trials: int, others: int, other_trials: int) -> None:
    found, (low, high) = difference(min(hits, trials), trials, min(others, other_trials), other_trials)
    assert -1 <= low <= found <= high <= 1
