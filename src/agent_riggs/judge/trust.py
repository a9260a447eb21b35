"""Trust: what each call scores, and three moving averages over the project's calls.

``trust_n <- (1 - a_n) * trust_n + a_n * score`` with one weight per window (an EWMA). A call whose outcome says
nothing about trust has no score and leaves the averages as they were. Everything here is a pure function of the
sequence of calls; the caller brings the calls in time order.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, NamedTuple

from agent_riggs.calls import UNVERIFIED, Outcome


class Trust(NamedTuple):
    """The three averages, each between 0 and 1."""

    now: float
    """``trust_1``"""
    session: float
    """``trust_5``"""
    baseline: float
    """``trust_15``"""


START: Final = Trust(0.4, 0.4, 0.4)
"""A project nobody has seen: trust accrues."""

WEIGHTS: Final = Trust(0.4, 0.08, 0.02)

SCORES: Final[Mapping[str, float]] = MappingProxyType(
    {
        "success": 1.0,
        "mode_switch_agent": 0.8,
        "suboptimal": 0.7,
        "mode_switch_controller": 0.3,
        "failure": 0.2,
        "path_denial": 0.1,
        "denied": 0.1,
        "repeated_failure": 0.0,
    }
)
"""Score by event category. A category that is not listed has no score."""

STRUCTURED_TOOLS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "cat": "Read",
        "head": "Read",
        "tail": "Read",
        "less": "Read",
        "more": "Read",
        "type": "Read",
        "Get-Content": "Read",
        "grep": "Grep",
        "rg": "Grep",
        "ag": "Grep",
        "ack": "Grep",
        "Select-String": "Grep",
        "find": "Glob",
        "fd": "Glob",
    }
)
"""Programs whose whole job a structured tool does better: a success through them is suboptimal."""

MODE_SWITCH_TOOLS: Final = frozenset({"EnterPlanMode", "ExitPlanMode", "ChangeToolMode"})

CONTROLLER_SWITCH: Final = "ModeTransition"
"""Tool name of a switch that kibitzer's controller made by itself, after failures or too long a search."""


def event_category(outcome: Outcome, tool: str, program: str | None, category: str | None, *, repeated: bool) -> str:
    """The value of ``turns.event_category``; ``repeated`` says that the same failure came before without a success."""
    if outcome == "ok":
        if tool.rpartition("__")[2] in MODE_SWITCH_TOOLS:
            return "mode_switch_agent"
        if tool == CONTROLLER_SWITCH:
            return "mode_switch_controller"
        return "suboptimal" if program in STRUCTURED_TOOLS else "success"
    if outcome == "failed":
        return "repeated_failure" if repeated else "failure"
    if outcome == "denied" and category == "path_denial":
        return "path_denial"
    return outcome


@dataclass(frozen=True, slots=True)
class Step:
    """One call as the session sees it: enough to tell a repeated failure from a first one."""

    outcome: Outcome
    tool: str
    program: str | None
    category: str | None
    fingerprint: str | None
    rule: str | None = None


def categorize(steps: Iterable[Step]) -> Iterator[str]:
    """Event categories of one session's calls, in call order.

    A failure is repeated when the same fingerprint failed before in this session and nothing of the same tool and
    program has succeeded since. A success that nobody could have seen fail proves nothing: it keeps its outcome's name.
    """
    failing: dict[tuple[str, str | None], set[str]] = {}
    for step in steps:
        if step.rule == UNVERIFIED:
            yield step.outcome
            continue
        intent = (step.tool, step.program)
        repeated = False
        if step.outcome == "failed" and step.fingerprint:
            seen = failing.setdefault(intent, set())
            repeated = step.fingerprint in seen
            seen.add(step.fingerprint)
        elif step.outcome == "ok":
            failing.pop(intent, None)
        yield event_category(step.outcome, step.tool, step.program, step.category, repeated=repeated)


def walk(
    scores: Iterable[float | None], start: Trust = START, weights: Trust = WEIGHTS
) -> Iterator[tuple[float, float, float]]:
    """The three averages after each call. ``scores`` in time order; ``None`` leaves the averages unchanged."""
    now, session, baseline = start
    a, b, c = weights
    for score in scores:
        if score is not None:
            now += a * (score - now)
            session += b * (score - session)
            baseline += c * (score - baseline)
        yield now, session, baseline
