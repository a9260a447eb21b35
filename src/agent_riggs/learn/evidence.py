"""What a candidate is and what its evidence holds: see ``docs/schema.md``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from agent_riggs.config import Ratchet as Limits

CandidateType = Literal["constraint_promotion", "failure_pattern", "tool_promotion", "nudged_tool_promotion"]
FixSource = Literal["mined", "user_said", "human"]

SURE_SESSIONS: Final = 3
SURE_SHARE: Final = 0.7
"""From how many root sessions, and from which share of those that recovered, a mined fix is sure. What later sessions
say of such fixes: ``docs/evaluation.md``."""
MAX_FIX: Final = 600
"""Characters of a fix text: what a hook may say in one line."""


@dataclass(frozen=True, slots=True)
class Fix:
    """A suggested fix: a text, and how far the sessions bear it out."""

    text: str
    support: int = 0
    """Root sessions that recovered this way (for ``user_said``: in which the human said it)."""
    agreement: float = 0.0
    """Share of the recovered root sessions that used it, 0 to 1."""
    source: FixSource = "mined"
    examples: tuple[int, ...] = ()
    """Turn ids of recovering calls, at most three."""

    def payload(self) -> dict[str, Any]:
        """The ``fix`` object of the evidence."""
        return {
            "text": self.text,
            "support": self.support,
            "agreement": round(self.agreement, 3),
            "source": self.source,
            "examples": list(self.examples),
        }


@dataclass(frozen=True, slots=True)
class Candidate:
    """A derived pattern with its evidence. Nothing about it is decided."""

    candidate_type: CandidateType
    candidate_key: str
    evidence: Mapping[str, Any] = field(default_factory=dict)
    score: float = 0.0
    """Lower bound of the calls that a promotion would have saved in the lookback."""
    tier: int = 0
    """Rank before the score: 0 patterns, 1 coarse keys that cover finer ones, 2 red-green loops, 3 mere looks."""
    similar: tuple[str, ...] = ()
    """Keys of near-duplicates that are shown together with this one."""

    @property
    def fix(self) -> str:
        """Text of the suggested fix; empty when none was found."""
        found = self.evidence.get("fix")
        return str(found.get("text", "")) if isinstance(found, Mapping) else ""

    @property
    def outage(self) -> bool:
        """Whether it was only met while nearly every call around it failed as well."""
        found = self.evidence.get("recovery")
        return isinstance(found, Mapping) and bool(found.get("outages")) and not found.get("sessions")


def is_sure(support: int, recovered: int) -> bool:
    """Whether what ended a failure in ``support`` of ``recovered`` root sessions is likely to end it again."""
    return support >= SURE_SESSIONS and support >= SURE_SHARE * recovered


def severity(occurrences: int, sessions: int, limits: Limits) -> str:
    """``systemic`` from ``min_sessions`` on, ``frequent`` from twice ``min_frequency`` on, else ``occasional``."""
    if sessions >= limits.min_sessions:
        return "systemic"
    return "frequent" if occurrences >= 2 * limits.min_frequency else "occasional"


def occasion(evidence: Mapping[str, Any]) -> str:
    """When a fix applies, for readers that see no more of it: ``after a failed `git push` (conflict)``. Nothing that
    a tool printed is repeated; empty where the evidence does not say."""
    tool, program = evidence.get("tool"), evidence.get("program")
    kind = str(evidence.get("class") or "").replace("_", " ")
    name = f"`{program}`" if program else f"{tool} call" if tool else ""
    return f"after a failed {name}" + (f" ({kind})" if kind not in ("", "other", "vcs") else "") if name else ""


def one_line(text: str, limit: int = MAX_FIX) -> str:
    """``text`` as one printable line of at most ``limit`` characters: what may be stored and shown as a fix."""
    whole = text.encode("utf-8", "replace").decode("utf-8")
    plain = "".join(letter if letter.isprintable() else " " for letter in whole)
    line = " ".join(plain.split())
    return line if len(line) <= limit else line[: limit - 1].rstrip() + "…"


_TEXTS: Final = {"shape": 400} | dict.fromkeys(
    ("category", "tool", "class", "program", "mode", "fingerprint", "severity", "first_seen", "last_seen"), 80
)
_COUNTS: Final = ("sessions_affected", "occurrences")


def clean(text: str, limit: int = MAX_FIX) -> str:
    """A text that somebody else wrote, as it may be kept, shown and served."""
    from agent_riggs.judge.redact import redact

    return one_line(redact(text[: 8 * MAX_FIX]), limit)


def of_others(evidence: Mapping[str, Any]) -> dict[str, Any]:
    """What may be kept of evidence that somebody else wrote: what the failure is and how often it happened, no text
    that nobody was shown."""
    texts = {name: clean(str(evidence[name]), limit) for name, limit in _TEXTS.items() if evidence.get(name)}
    numbers = {name: evidence.get(name) for name in _COUNTS}
    return texts | {name: n for name, n in numbers.items() if isinstance(n, int) and 0 <= n < 2**31}
