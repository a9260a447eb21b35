"""Reading promoted ratchets from a store, for programs of others: kibitzer's interface and one look-up more.

A drop-in for ``kibitzer.ratchet.RatchetConsumer`` (0.9.0). It reads what the contract fixes and nothing else, so it
serves every promoted row of the file it is pointed at, whoever wrote it: name a store you trust. Our own hook does
not use it; it reads the recall index, which holds only decisions made on this machine.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

from agent_riggs.deliver import recall
from agent_riggs.model import Verdict
from agent_riggs.store.promoted import promoted

ENVIRONMENT = "RIGGS_RATCHET_DB"


@dataclass(frozen=True, slots=True)
class PromotedRatchet:
    """One promoted row."""

    candidate_key: str
    candidate_type: str
    evidence: Mapping[str, Any] = field(default_factory=dict)
    reason: str | None = None

    @property
    def trust(self) -> float:
        """What rows of one key are ordered by: ``avg_trust``, else ``success_rate``, else 0."""
        value = self.evidence.get("avg_trust", self.evidence.get("success_rate"))
        try:
            return float(value)
        except (TypeError, ValueError):
            return 0.0

    @property
    def severity(self) -> str | None:
        """systemic, frequent or occasional."""
        value = self.evidence.get("severity")
        return value if isinstance(value, str) else None

    @property
    def fix(self) -> str:
        """The fix text: the structured one, else the reason, which carries it."""
        found = self.evidence.get("fix")
        text = found.get("text") if isinstance(found, Mapping) else None
        return text if isinstance(text, str) and text else self.reason or ""

    def coaching_message(self) -> str:
        """One line: the pattern, how often it was met, the fix."""
        told = [f"known repeat failure {self.candidate_key}"]
        if self.severity:
            told.append(f"severity {self.severity}")
        if self.evidence.get("occurrences") is not None:
            sessions = self.evidence.get("sessions_affected", "?")
            told.append(f"{self.evidence['occurrences']} times in {sessions} sessions")
        ending = f" What worked: {self.fix}" if self.fix else ""
        return f"agent-riggs: {', '.join(told)}.{ending}"


class RatchetConsumer:
    """The promoted ratchets of one store, held in memory; the file is closed again."""

    def __init__(self, promoted: Iterable[PromotedRatchet]) -> None:
        self._by_key: dict[str, list[PromotedRatchet]] = {}
        self._by_fingerprint: dict[str, list[PromotedRatchet]] = {}
        for ratchet in sorted(promoted, key=lambda one: -one.trust):
            self._by_key.setdefault(ratchet.candidate_key, []).append(ratchet)
            mark = ratchet.evidence.get("fingerprint")
            if isinstance(mark, str) and mark:
                self._by_fingerprint.setdefault(mark, []).append(ratchet)

    @classmethod
    def from_db(cls, path: str | Path) -> Self | None:
        """The promoted ratchets of a store; ``None`` when there is no usable one, empty when nothing is promoted."""
        rows = promoted(Path(path))
        return None if rows is None else cls(PromotedRatchet(*row) for row in rows)

    @classmethod
    def from_env(cls, var: str = ENVIRONMENT) -> Self | None:
        """As ``from_db``, for the store that an environment variable names; ``None`` when it is not set."""
        path = os.environ.get(var)
        return cls.from_db(path) if path else None

    @staticmethod
    def constraint_key(category: str, tool: str | None = None, mode: str | None = None) -> str:
        """The key of a constraint ratchet."""
        return recall.constraint_key(category, tool, mode)

    def match(self, *, category: str, tool: str | None = None, mode: str | None = None) -> list[PromotedRatchet]:
        """Ratchets of exactly this category, tool and mode, highest trust first."""
        return self.match_key(self.constraint_key(category, tool, mode))

    def match_key(self, candidate_key: str) -> list[PromotedRatchet]:
        """Ratchets of a key, compared whole, highest trust first."""
        return list(self._by_key.get(candidate_key, ()))

    def match_failure(self, verdict: Verdict, mode: str | None = None) -> PromotedRatchet | None:
        """The ratchet for a judged failure: its fingerprint first (class, tool, program and shape compared), then
        the constraint key with the live mode, then the one for any mode."""
        ours = (verdict.failure_class, verdict.tool, verdict.program, verdict.shape)
        for ratchet in self._by_fingerprint.get(verdict.fingerprint or "", ()):
            theirs = (ratchet.evidence.get(name) for name in ("class", "tool", "program", "shape"))
            if [value or None for value in theirs] == [value or None for value in ours]:
                return ratchet
        if verdict.category is None:
            return None
        for live in dict.fromkeys((mode or None, None)):
            found = self.suggest(category=verdict.category, tool=verdict.tool, mode=live)
            if found is not None:
                return found
        return None

    def suggest(self, *, category: str, tool: str | None = None, mode: str | None = None) -> PromotedRatchet | None:
        """The best of ``match``, or ``None``."""
        return next(iter(self.match(category=category, tool=tool, mode=mode)), None)

    def coaching_for_failure(self, *, tool: str | None, mode: str | None, category: str = "failure") -> str | None:
        """The message for a failure just seen, or ``None``."""
        found = self.suggest(category=category, tool=tool, mode=mode)
        return found.coaching_message() if found else None

    def __len__(self) -> int:
        return sum(len(ratchets) for ratchets in self._by_key.values())
