"""Examples of a failure: where to look it up, what it printed, and the call that ended it in the same session."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from agent_riggs.learn.evidence import one_line
from agent_riggs.learn.fixes import Trace

MOST: Final = 3


def examples(pairs: Sequence[tuple[int | None, str | None]]) -> list[dict[str, Any]]:
    """Up to three examples of failures that were not followed."""
    return [_example(turn_id, excerpt, None) for turn_id, excerpt in pairs[:MOST]]


def of_traces(traces: Sequence[Trace], fix: str) -> list[dict[str, Any]]:
    """Up to three, of different root sessions: those that the fix ended before others, the latest first."""

    def place(one: Trace) -> tuple[bool, int, int]:
        return not _ended_so(one, fix), -(one.at or 0), one.turn_id

    of_root: dict[str, Trace] = {}
    for one in sorted(traces, key=place):
        of_root.setdefault(one.root, one)
    return [_example(one.turn_id, one.excerpt, one.recovery) for one in [*of_root.values()][:MOST]]


def _ended_so(one: Trace, fix: str) -> bool:
    return any(change.text == fix for change in one.changes) or fix in one.said


def _example(turn_id: int | None, excerpt: str | None, recovery: int | None) -> dict[str, Any]:
    return {"turn_id": turn_id, "excerpt": one_line(excerpt or "", 400), "recovery_id": recovery}
