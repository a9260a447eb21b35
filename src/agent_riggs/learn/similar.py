"""Near-duplicates: patterns of one class and program whose shapes say nearly the same are shown as one, and so is all
that only failed in an outage."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from agent_riggs.learn.evidence import Candidate

ALIKE: Final = 0.6
"""Share of common words from which two shapes are near-duplicates."""


def grouped(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Candidates with near-duplicates folded into the best of them, which lists their keys and counts for all."""
    leaders: list[Candidate] = []
    for one in sorted(candidates, key=lambda one: (one.tier, -one.score, one.candidate_key)):
        place = next((at for at, leader in enumerate(leaders) if alike(leader, one)), None)
        if place is None:
            leaders.append(one)
        else:
            leader = leaders[place]
            score = leader.score + one.score if leader.tier == one.tier and not one.outage else leader.score
            leaders[place] = replace(leader, score=score, similar=(*leader.similar, one.candidate_key))
    return leaders


def alike(one: Candidate, other: Candidate) -> bool:
    """Whether two patterns are near-duplicates. Their fixes must not contradict each other."""
    if one.candidate_type != "failure_pattern" or other.candidate_type != "failure_pattern":
        return False
    if one.outage or other.outage:
        return one.outage and other.outage
    if any(one.evidence.get(name) != other.evidence.get(name) for name in ("class", "tool", "program")):
        return False
    if one.fix and other.fix:
        if one.fix != other.fix:
            return False
        if one.evidence.get("program"):
            return True
    mine, theirs = _words(one), _words(other)
    both = len(mine | theirs)
    return bool(both) and len(mine & theirs) / both >= ALIKE


def _words(one: Candidate) -> frozenset[str]:
    return frozenset(str(one.evidence.get("shape") or "").lower().split())
