"""The few lines that an agent may be given at the start of a session.

Nothing in them comes from a tool's output: counts, and the fixes that a human confirmed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from agent_riggs.report.status import Direction, Status

BUDGET: Final = 1500
"""Characters: a page of advice is not read."""


_AGAINST: Final[Mapping[Direction, str]] = {
    "rising": "rising against the baseline",
    "falling": "falling against the baseline",
    "steady": "steady at the baseline",
}
"""The words of ``status`` for the same number."""


@dataclass(frozen=True, slots=True)
class Served:
    """A fix that is served."""

    candidate_key: str
    what: str
    """What failed, in a few words: tool, program and class, never its output."""
    fix: str
    sessions: int
    """Root sessions that met it before it was promoted."""
    ended: str = ""
    """In how many of them the fix was what ended it; empty where it was never mined."""


@dataclass(frozen=True, slots=True)
class Brief:
    """What ``agent-riggs brief`` shows."""

    project: str
    trust: float | None
    """The session average."""
    direction: Direction | None
    ratchets: tuple[Served, ...]
    """Those of most sessions first."""
    waiting: int
    """Failures that keep coming back and wait for a human's decision."""
    measured: str
    """What the measured effects of the fixes suggest; empty when nothing."""


def brief(status: Status, ratchets: Sequence[Served]) -> Brief:
    """The brief of a project."""
    return Brief(
        project=status.project,
        trust=status.trust.session if status.trust else None,
        direction=status.direction,
        ratchets=tuple(sorted(ratchets, key=lambda one: (-one.sessions, one.candidate_key))),
        waiting=status.waiting,
        measured=status.measured,
    )


def lines(found: Brief, budget: int = BUDGET) -> list[str]:
    """The brief as text of at most ``budget`` characters, line ends included. Empty when there is nothing to say."""
    head = _head(found)
    tail = [*_waiting(found), *([found.measured] if found.measured else [])]
    shown: list[str] = []
    for number, one in enumerate(found.ratchets):
        line = line_of(one)
        left = len(found.ratchets) - number - 1
        rest = [*head, *shown, line, *([_more(left)] if left else []), *tail]
        if sum(len(text) + 1 for text in rest) > budget:
            shown.append(_more(left + 1))
            break
        shown.append(line)
    out = [*head, *shown, *tail]
    while sum(len(text) + 1 for text in out) > budget:
        out.pop()
    return out


def line_of(one: Served) -> str:
    """What a brief says about one fix."""
    return f"- {one.what}: {one.fix}" + (f" (ended it in {one.ended})" if one.ended else "")


def _head(found: Brief) -> list[str]:
    trust = ""
    if found.trust is not None and found.direction is not None:
        trust = f"session trust {found.trust:.2f}, {_AGAINST[found.direction]}"
    if found.ratchets:
        told = "What fails here again and again, and the fix that the user confirmed"
        return [f"{told} ({trust}):" if trust else f"{told}:"]
    return [f"{found.project}: {trust}"] if trust else []


def _more(count: int) -> str:
    return f"- and {count} more: agent-riggs ratchet list"


def _waiting(found: Brief) -> list[str]:
    if not found.waiting:
        return []
    what = "failure that keeps" if found.waiting == 1 else "failures that keep"
    return [f"{found.waiting} {what} coming back and wait for the user's decision: agent-riggs ratchet review"]
