"""The ratchets that are served, in the words of a brief."""

from __future__ import annotations

from agent_riggs.faces import settling
from agent_riggs.faces.here import Here
from agent_riggs.learn import ledger, log
from agent_riggs.learn.ledger import Decision
from agent_riggs.paths import Project
from agent_riggs.report.brief import Served


def ratchets(at: Here, project: Project) -> list[Served]:
    """What the decision log says is live; a store cannot add to it."""
    return [_served(one) for one in ledger.live(log.read(settling.ledger_of(at, project).log))]


def _served(one: Decision) -> Served:
    evidence = one.evidence
    program = f", {evidence['program']}" if evidence.get("program") else ""
    kind = str(evidence.get("class") or evidence.get("category") or "").replace("_", " ")
    sessions = evidence.get("sessions_affected")
    return Served(
        candidate_key=one.candidate_key,
        what=f"{evidence.get('tool') or 'any tool'}{program}" + (f": {kind}" if kind else ""),
        fix=one.fix or one.reason,
        sessions=sessions if isinstance(sessions, int) else 0,
    )
