"""Closed forms and exact counts, standard library only. All of them give the same answer for the same numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from math import comb, floor, inf, sqrt
from typing import Final

Z: Final = 1.2815515655446004
"""One-sided 90 %: a ranking asks for caution, not for proof."""
Z95: Final = 1.959963984540054
"""Two-sided 95 %."""
_EXACT: Final = 400
"""Pairs of observations up to which ranks are counted rather than approximated."""

Interval = tuple[float, float]


def wilson_lower(hits: float, trials: float, z: float = Z) -> float:
    """Lower bound of a share by Wilson's score interval; 0 for no trials."""
    return wilson(hits, trials, z)[0]


def wilson(hits: float, trials: float, z: float = Z95) -> Interval:
    """Wilson's score interval of a share (Wilson 1927), between 0 and 1; all of it for no trials.

    ``hits`` of ``trials``; both may be fractions of an observation.
    """
    if trials <= 0:
        return 0.0, 1.0
    share = min(max(hits / trials, 0.0), 1.0)
    middle = share + z * z / (2 * trials)
    spread = z * sqrt(share * (1 - share) / trials + z * z / (4 * trials * trials))
    scale = 1 + z * z / trials
    return max(0.0, min(share, (middle - spread) / scale)), min(1.0, max(share, (middle + spread) / scale))


def difference(hits: int, trials: int, other_hits: int, other_trials: int) -> tuple[float, Interval]:
    """How much greater the first share is than the second, with its 95 % interval.

    The score interval without correction for continuity (Newcombe 1998, Statistics in Medicine 17, method 10). Both
    need trials.
    """
    mine, theirs = hits / trials, other_hits / other_trials
    (low, high), (other_low, other_high) = wilson(hits, trials), wilson(other_hits, other_trials)
    less = sqrt((mine - low) ** 2 + (other_high - theirs) ** 2)
    more = sqrt((high - mine) ** 2 + (theirs - other_low) ** 2)
    return mine - theirs, (mine - theirs - less, mine - theirs + more)


def shift(mine: Sequence[int], theirs: Sequence[int]) -> tuple[float, Interval]:
    """By how much the first numbers lie above the second, with its 95 % interval.

    The Hodges-Lehmann estimate, which is the median of all pairwise differences, with the interval that inverts the
    rank-sum test (Hollander and Wolfe 1973, section 4.3). No shape is assumed; ties only widen it (Noether 1967).
    Ranks are counted exactly for few pairs, else approximated by the normal distribution. With so few numbers that
    nothing could be significant the interval is infinite. Both need at least one number.
    """
    pairs = len(mine) * len(theirs)
    counts: Counter[int] = Counter()
    others = Counter(theirs).items()
    for one, times in Counter(mine).items():
        for other, often in others:
            counts[one - other] += times * often
    ordered = sorted(counts.items())
    estimate = (_nth(ordered, (pairs + 1) // 2) + _nth(ordered, pairs // 2 + 1)) / 2
    rank = _critical(*sorted((len(mine), len(theirs))))
    if rank < 1:
        return estimate, (-inf, inf)
    return estimate, (_nth(ordered, rank), _nth(ordered, pairs + 1 - rank))


def _nth(ordered: Sequence[tuple[int, int]], place: int) -> int:
    """The number at a place, from 1, of numbers in order with how often each stands there."""
    for number, times in ordered:
        place -= times
        if place <= 0:
            return number
    return ordered[-1][0]


@cache
def _critical(few: int, many: int) -> int:
    """The largest rank k such that fewer than k pairs are in favor in at most 2.5 % of all orders; 0 for none."""
    if few * many > _EXACT:
        return floor(few * many / 2 - Z95 * sqrt(few * many * (few + many + 1) / 12))
    total = comb(few + many, few)
    reached = 0
    for rank, orders in enumerate(_orders(few, many)):
        reached += orders
        if reached > 0.025 * total:
            return rank
    return few * many


def _orders(few: int, many: int) -> Iterator[int]:
    """In how many orders of two samples 0, 1, 2 ... pairs are in favor: the coefficients of the Gaussian binomial
    (Mann and Whitney 1947)."""
    counts = [1] + [0] * (few * many)
    for size in range(1, few + 1):
        for place in range(len(counts) - 1, many + size - 1, -1):
            counts[place] -= counts[place - many - size]
        for place in range(size, len(counts)):
            counts[place] += counts[place - size]
    yield from counts
