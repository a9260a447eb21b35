"""What a human has on the desk when deciding: open candidates, and all there is to know about one of them."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from agent_riggs.config import Ratchet as Limits
from agent_riggs.learn import candidates
from agent_riggs.learn import log as logs
from agent_riggs.learn.evidence import Candidate
from agent_riggs.learn.ledger import Decision, Ledger, history, live, verdict_of
from agent_riggs.learn.replay import Replay, replay
from agent_riggs.store.mining import Connection, Total

MAX_LIVE: Final = 20
"""Live ratchets from which a promotion warns: many true rules together can hurt."""


@dataclass(frozen=True, slots=True)
class View:
    """One candidate with everything that bears on the decision."""

    candidate: Candidate
    replay: Replay
    covers: tuple[Total, ...]
    """What else a coarse key would match; empty for a pattern."""
    concerns: tuple[str, ...]
    """Warnings, each one sentence."""
    decisions: tuple[Decision, ...]
    """What was decided about the key before, newest first."""
    command: str
    """What to type to promote it."""


def listing(
    conn: Connection, ledger: Ledger, *, limits: Limits | None = None, now: int, everything: bool = False
) -> list[Candidate]:
    """Open candidates, best first; ``everything`` includes rare ones. ``now`` in microseconds since 1970 UTC."""
    decided = verdict_of(conn, logs.read(ledger.log))
    return candidates.find_candidates(conn, limits=limits, now=now, decided=decided, everything=everything)


def look(conn: Connection, ledger: Ledger, wanted: str, *, limits: Limits | None = None, now: int) -> View:
    """Everything about the candidate of a key, prefix or fingerprint. Raises ``NotFound`` or ``Ambiguous``."""
    log = logs.read(ledger.log)
    one = candidates.find(conn, wanted, limits=limits, now=now)
    coarse = one.candidate_type == "constraint_promotion"
    return View(
        candidate=one,
        replay=replay(conn, one),
        covers=tuple(candidates.covered(conn, one)) if coarse else (),
        concerns=concerns(live(log), one),
        decisions=tuple(found for found in history(conn, log) if found.candidate_key == one.candidate_key),
        command=command(one),
    )


def concerns(standing: Sequence[Decision], one: Candidate, max_live: int = MAX_LIVE) -> tuple[str, ...]:
    """Why a promotion deserves a second thought: live ratchets that overlap, and too many of them."""
    found = [_overlap(other, one) for other in standing]
    told = [text for text in found if text]
    others = [other for other in standing if other.candidate_key != one.candidate_key]
    if len(others) >= max_live:
        told.append(f"{len(others)} ratchets are live already; more of them help less: retire what no longer happens")
    return tuple(told)


def command(one: Candidate) -> str:
    """The exact command that promotes a candidate."""
    name = str(one.evidence.get("fingerprint") or one.candidate_key)
    fix = f" --fix {shlex.quote(one.fix)}" if one.fix else ' --fix "..."'
    return f"agent-riggs ratchet promote {shlex.quote(name)}{fix}"


def _overlap(other: Decision, one: Candidate) -> str:
    if other.candidate_key == one.candidate_key:
        return f"{one.candidate_key} is live already; promoting it again replaces its fix"
    mine, theirs = one.evidence, other.evidence
    same_tool = mine.get("tool") == theirs.get("tool") and mine.get("category") == theirs.get("category")
    if same_tool and "constraint_promotion" in (one.candidate_type, other.candidate_type):
        return f"it overlaps with the live ratchet {other.candidate_key}, which matches the same tool and category"
    alike = all(mine.get(name) == theirs.get(name) for name in ("class", "tool", "program"))
    if alike and mine.get("class"):
        return f"it overlaps with the live ratchet {other.candidate_key}: same class, tool and program"
    return ""
