"""Whether it is getting better, in one sentence over a list of periods."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from agent_riggs.learn.statistics import difference
from agent_riggs.store.rows import PeriodRow

LEAST_CALLS: Final = 200
"""Calls that each half must hold before the two are compared."""


def trend(rows: Sequence[PeriodRow]) -> str:
    """The later half of the periods against the earlier one, by failures in a hundred calls. Better or worse is only
    what chance alone would hardly make of them (95%)."""
    half = len(rows) // 2
    (had, before), (have, after) = _counts(rows[:half]), _counts(rows[half:])
    if min(before, after) < LEAST_CALLS:
        return "too few calls to say where it is going"
    earlier, later = 100 * had / before, 100 * have / after
    shown = f"failures in a hundred calls: {earlier:.1f} in the earlier half, {later:.1f} in the later"
    _, (low, high) = difference(have, after, had, before)
    if low <= 0 <= high:
        return f"{shown}: no difference beyond chance"
    return f"{shown}: {'better' if high < 0 else 'worse'}"


def _counts(rows: Sequence[PeriodRow]) -> tuple[int, int]:
    return sum(row.failures for row in rows), sum(row.calls for row in rows)
