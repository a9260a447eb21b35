"""The ratchets that are served, in the words of a brief."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from agent_riggs.deliver.advice import plain
from agent_riggs.faces import here, render, settling
from agent_riggs.faces.evidence import share_of
from agent_riggs.faces.here import Here
from agent_riggs.learn import ledger
from agent_riggs.learn.ledger import Decision
from agent_riggs.paths import Project
from agent_riggs.report.brief import Served

MAX_WHAT: Final = 160
"""Characters that say what failed."""


def ratchets(at: Here, project: Project) -> list[Served]:
    """What the decision log says is live; a store cannot add to it."""
    return [served(one) for one in ledger.live(settling.ledger_of(at, project).read())]


def by_fingerprint(at: Here) -> dict[str, str]:
    """The fix that is served for each fingerprint."""
    live = ledger.live(settling.ledger_of(at, here.project(at)).read())
    return {str(one.evidence["fingerprint"]): one.fix or one.reason for one in live if one.evidence.get("fingerprint")}


def tell_unheard(at: Here) -> None:
    """Say so where fixes are served and no agent has the hook that tells them."""
    if not ledger.live(settling.ledger_of(at, here.project(at)).read()):
        return
    from agent_riggs.report.delivery import is_heard
    from agent_riggs.report.health import Surroundings
    from agent_riggs.sources import SOURCES

    if not is_heard(Surroundings(here.project(at), SOURCES, at.environ, at.home, at.now)):
        render.tell("no agent here has the hook yet, so no agent is told: agent-riggs install --agent NAME", "yellow")


def served(one: Decision) -> Served:
    """A decision as a brief tells it."""
    evidence = one.evidence
    program = f", {evidence['program']}" if evidence.get("program") else ""
    kind = str(evidence.get("class") or evidence.get("category") or "").replace("_", " ")
    sessions, fix = evidence.get("sessions_affected"), evidence.get("fix")
    mined = isinstance(fix, Mapping) and fix.get("source") == "mined"
    what = f"{evidence.get('tool') or 'any tool'}{program}" + (f": {kind}" if kind else "")
    return Served(
        candidate_key=one.candidate_key,
        what=plain(what)[:MAX_WHAT],
        fix=plain(one.fix or one.reason),
        sessions=sessions if isinstance(sessions, int) else 0,
        ended=share_of(evidence) if mined else "",
    )
