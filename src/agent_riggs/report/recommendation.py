"""What the averages advise kibitzer: tighter or looser modes. Advice; nothing here switches a mode.

Rules and thresholds are those of the public agent-riggs 0.2.0, whose key in ``.kibitzer/state.json`` this is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Any, Final, Literal

from agent_riggs.judge.trust import Trust

LOW: Final = 0.3
"""Trust now below which modes should be tightened."""
MIDDLE: Final = 0.5
"""Trust of the session below which that should happen at once; baseline below which the project needs a look;
trust below which nothing should be allowed that was not before."""
HIGH: Final = 0.9
"""Trust now above which modes may be loosened, once it held for ``SUSTAINED`` calls."""
SUSTAINED: Final = 20
_SESSION_MARGIN: Final = 0.1

Action = Literal["auto_tighten", "tighten", "flag_project", "loosen"]


@dataclass(frozen=True, slots=True)
class Recommendation:
    """One piece of advice and why."""

    action: Action
    reason: str


def recommend(latest: Sequence[Trust]) -> Recommendation | None:
    """Advice from the averages after the latest calls, oldest first; ``None`` when nothing is to be done. The most
    urgent comes first."""
    if not latest:
        return None
    now, session, baseline = latest[-1]
    if now < LOW and session < MIDDLE:
        return Recommendation("auto_tighten", f"trust_1={now:.2f} < {LOW} and trust_5={session:.2f} < {MIDDLE}")
    if now < LOW:
        return Recommendation("tighten", f"trust_1={now:.2f} < {LOW}")
    if baseline < MIDDLE:
        return Recommendation("flag_project", f"trust_15={baseline:.2f} < {MIDDLE}: the project's setup needs a look")
    held = sum(1 for _ in takewhile(lambda trust: trust.now > HIGH, reversed(latest)))
    if held >= SUSTAINED and session > HIGH - _SESSION_MARGIN:
        return Recommendation("loosen", f"trust_1={now:.2f} and trust_5={session:.2f}, held for {held} calls")
    return None


def payload(latest: Sequence[Trust]) -> Mapping[str, Any] | None:
    """The value of the key, but for its time; ``None`` for a project without any call."""
    if not latest:
        return None
    now, session, baseline = latest[-1]
    advice = recommend(latest)
    allowed = min(now, session) >= MIDDLE
    relation = ">=" if allowed else "<"
    return {
        "recommendation": {"action": advice.action, "reason": advice.reason} if advice else None,
        "gate": {
            "allowed": allowed,
            "reason": f"the lower of trust_1={now:.2f} and trust_5={session:.2f} {relation} {MIDDLE}",
        },
        "trust": {
            "trust_1": round(now, 4),
            "trust_5": round(session, 4),
            "trust_15": round(baseline, 4),
            "state": "ok",
        },
    }
