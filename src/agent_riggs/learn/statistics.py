"""Closed forms, standard library only."""

from __future__ import annotations

from math import sqrt

Z: float = 1.2815515655446004
"""One-sided 90 %: a ranking asks for caution, not for proof."""


def wilson_lower(hits: float, trials: float, z: float = Z) -> float:
    """Lower bound of a share by Wilson's score interval (Wilson 1927); 0 for no trials.

    ``hits`` of ``trials``; both may be fractions of an observation. Returns a share between 0 and 1.
    """
    if trials <= 0:
        return 0.0
    share = min(max(hits / trials, 0.0), 1.0)
    middle = share + z * z / (2 * trials)
    spread = z * sqrt(share * (1 - share) / trials + z * z / (4 * trials * trials))
    return max(0.0, (middle - spread) / (1 + z * z / trials))
