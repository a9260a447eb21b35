"""``ratchet review``: candidate by candidate, one key each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import click

from agent_riggs.faces import evidence, here, render, text
from agent_riggs.faces.here import Here
from agent_riggs.faces.options import command, pass_here

if TYPE_CHECKING:
    from agent_riggs.learn.evidence import Candidate

KEYS = "[p]romote  [e]dit fix  [r]eject  [s]nooze  [n]ext  [w]hy  [q]uit"


@command("review", ("agent-riggs ratchet review", "agent-riggs ratchet review --all"))
@click.option("--all", "everything", is_flag=True, help="The rare candidates too.")
@click.option("--i-am-human", is_flag=True, help="Decide although an agent's variables are set here.")
@pass_here
def review(at: Here, everything: bool, i_am_human: bool) -> None:
    """Walk through the candidates, one key each.

    p promotes with the fix that is shown, e lets you write it first, r rejects for good, s snoozes for 30 days, n goes
    on, w shows what the failure looked like, q ends.
    """
    from agent_riggs.faces import deciding
    from agent_riggs.faces.served import tell_unheard

    deciding.require_human(at, i_am_human)
    with here.reading(at) as conn:
        found = deciding.open_candidates(at, conn, everything)
        none = here.nothing(conn, "candidates", deciding.NONE)
        decided = deciding.standing(at, conn)
        failures = deciding.failures_in(found) if everything else deciding.waiting(at, conn)
    if not found:
        render.say(none)
    for candidate, place in zip(found, places(found, failures), strict=True):
        evidence.show(candidate, decided=decided.get(candidate.candidate_key))
        _history(at, candidate)
        if not _decide(at, candidate, place):
            break
    tell_unheard(at)


def places(found: Sequence[Candidate], failures: int) -> Iterator[str]:
    """Where in the review each candidate stands. Failures are counted as ``status`` counts them, the near-duplicates
    that are shown with one too; what is no failure of its own is counted on behind them."""
    total = failures + sum(one.candidate_type != "failure_pattern" for one in found)
    done = 0
    for one in found:
        failing = one.candidate_type == "failure_pattern"
        done = done if failing else max(done, failures)
        first, done = done + 1, done + 1 + len(one.similar)
        number = f"{first} to {done}" if one.similar else f"{first}"
        alike = f"failures {number} of {failures}, alike" if one.similar else f"failure {number} of {failures}"
        yield alike if failing else f"{number} of {total}, no failure of its own"


def _history(at: Here, candidate: Candidate) -> None:
    """The replay's line and what to beware of. The store is closed again before the human thinks: an open reader
    would keep every writer out."""
    from agent_riggs.faces import deciding
    from agent_riggs.learn.replay import replay

    with here.reading(at) as conn:
        told = replay(conn, candidate).line()
    render.paragraph(told, "   ")
    for warning in deciding.warnings(at, candidate):
        render.tell(f"   warning: {warning}", "yellow")


def _decide(at: Here, candidate: Candidate, place: str) -> bool:
    """Ask until the candidate is decided or left; ``False`` ends the review."""
    while True:
        render.tell(f"   {place}:  {KEYS}", "dim")
        key = click.getchar().lower()
        if key in {"q", "\x03", "\x04", ""}:
            return False
        if key == "n":
            return True
        if key == "w":
            _why(candidate)
        elif key in "pers" and _act(at, candidate, key):
            return True


def _act(at: Here, candidate: Candidate, key: str) -> bool:
    """Carry out one key; ``False`` when the human took it back."""
    from agent_riggs.faces import deciding

    if key == "s":
        made = deciding.snooze(at, candidate, at.now + 30 * deciding.DAY, "")
        render.say(f"   snoozed until {text.day(made.until or at.now)}")
        return True
    if key == "r":
        reason = _ask("why not")
        if reason:
            deciding.reject(at, candidate, reason)
            render.say("   rejected")
        return bool(reason)
    fix = candidate.fix if key == "p" else (click.edit(candidate.fix) or "").strip()
    fix = fix or _ask("fix")
    if fix:
        evidence.beware(candidate, fix)
        deciding.promote(at, candidate, fix, "", "after")
        render.say(f"   promoted; the agent will be told{evidence.moment(candidate)}: {fix}")
    return bool(fix)


def _ask(question: str) -> str:
    return str(click.prompt(f"   {question}", default="", show_default=False, err=True)).strip()


def _why(candidate: Candidate) -> None:
    """The examples, as they came back, each wording once, and where to see what came next up to what ended it."""
    shown: set[str] = set()
    for example in candidate.evidence.get("examples") or []:
        excerpt = str(example.get("excerpt", ""))
        if excerpt not in shown:
            render.block(excerpt, "   | ")
            ended = (
                f"; what ended it: agent-riggs explain {example['recovery_id']}" if example.get("recovery_id") else ""
            )
            render.tell(f"   agent-riggs explain {example.get('turn_id')}{ended}", "dim")
        shown.add(excerpt)
