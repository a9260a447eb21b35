"""Whether it is getting better, in one sentence over a list of periods."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from agent_riggs.store.rows import PeriodRow

LEAST_CALLS: Final = 200
"""Calls that each half must hold before the two are compared."""

CHANGE: Final = 0.1
"""Relative change below which a rate is called unchanged."""


def trend(rows: Sequence[PeriodRow]) -> str:
    """The later half of the periods against the earlier one, by failures in a hundred calls."""
    half = len(rows) // 2
    before, after = _rate(rows[:half]), _rate(rows[half:])
    if before is None or after is None:
        return "too few calls to say where it is going"
    shown = f"failures in a hundred calls: {before:.1f} in the earlier half, {after:.1f} in the later"
    if before == after or abs(after - before) < CHANGE * max(before, after):
        return f"{shown}: no clear change"
    return f"{shown}: {'better' if after < before else 'worse'}"


def _rate(rows: Sequence[PeriodRow]) -> float | None:
    calls = sum(row.calls for row in rows)
    return 100 * sum(row.failures for row in rows) / calls if calls >= LEAST_CALLS else None
