"""The lower bound of a share, against values worked out with the textbook formula."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_riggs.learn.statistics import wilson_lower


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
