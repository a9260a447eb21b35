"""Shares with their intervals, standard library only: the same answer for the same numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from math import sqrt
from typing import Final

Z: Final = 1.2815515655446004
"""One-sided 90 %: a ranking asks for caution, not for proof."""
Z95: Final = 1.959963984540054
"""Two-sided 95 %."""

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


def below(mine: Sequence[int], theirs: Sequence[int]) -> tuple[float, Interval]:
    """How often one of the first numbers is less than one of the second, with its 95 % interval.

    The share of all pairs, a tie counting half: Mann and Whitney's statistic. The interval is a score interval for it
    (Newcombe 2006, Statistics in Medicine 25, part 2, method 5), which needs no shape of the numbers and holds for few
    of them. 0.5 is no difference. Both need at least one number.
    """
    one, other = len(mine), len(theirs)
    counts = Counter(theirs).items()
    half_pairs = sum(
        times * often * (2 if number < against else number == against)
        for number, times in Counter(mine).items()
        for against, often in counts
    )
    share = half_pairs / (2 * one * other)
    more = (one + other) / 2 - 1

    def spread(true: float) -> float:
        near = 1 + more * ((1 - true) / (2 - true) + true / (1 + true))
        return Z95 * sqrt(true * (1 - true) * near / (one * other))

    return share, (_end(share, 0.0, spread), _end(share, 1.0, spread))


def _end(share: float, limit: float, spread: Callable[[float], float]) -> float:
    """The share towards a limit from which the one found is just as far as chance may take it: by bisection."""
    inside, outside = share, limit
    for _ in range(50):
        middle = (inside + outside) / 2
        inside, outside = (middle, outside) if abs(middle - share) < spread(middle) else (inside, middle)
    return outside
