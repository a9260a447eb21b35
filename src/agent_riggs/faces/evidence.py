"""A candidate in words: what keeps failing, how much it cost, what ended it, and how to decide."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from agent_riggs.faces import endings, render, text
from agent_riggs.learn.caution import caution

if TYPE_CHECKING:
    from agent_riggs.learn.evidence import Candidate
    from agent_riggs.learn.ledger import Decision
    from agent_riggs.store.mining import Total


def show(
    candidate: Candidate,
    number: int | None = None,
    covered: list[Total] | None = None,
    decided: Decision | None = None,
) -> None:
    """A block of lines about one candidate, and what was last decided about it."""
    mark = f"{number}. " if number else ""
    render.say(f"{mark}{headline(candidate)}", "bold")
    shown = [*facts(candidate, covered), ("decided", _decided(decided) if decided else "")]
    render.fields([(f"   {label}", value) for label, value in shown if value])


def _decided(one: Decision) -> str:
    """What was decided, when and why."""
    when = f" on {text.day(one.decided_at)}" if one.decided_at else ""
    if one.live:
        return f"promoted{when}: the agent is told: {one.fix or one.reason}"
    whose = "foreign, " if one.foreign else ""
    return f"{whose}{one.decision}{when}" + (f": {one.reason}" if one.reason else "")


def headline(candidate: Candidate) -> str:
    """What keeps failing, in one line."""
    evidence = candidate.evidence
    if candidate.candidate_type == "tool_promotion":
        return f"{evidence.get('program')} where {evidence.get('replaced_by')} would serve"
    if candidate.candidate_type == "nudged_tool_promotion":
        return f"nudges of {evidence.get('plugin')} are heeded"
    if candidate.candidate_type == "constraint_promotion":
        mode = f" in mode {evidence['mode']}" if evidence.get("mode") else ""
        return f"{evidence.get('tool') or 'any tool'}: any {str(evidence.get('category')).replace('_', ' ')}{mode}"
    program = f", {evidence['program']}" if evidence.get("program") else ""
    what = str(evidence.get("class") or evidence.get("category") or "failure").replace("_", " ")
    return f"{evidence.get('tool') or 'any tool'}{program}: {what}"


def facts(candidate: Candidate, covered: list[Total] | None = None) -> Iterator[tuple[str, str]]:
    """Label and value of everything that is known."""
    evidence = candidate.evidence
    yield "says", str(evidence.get("shape") or "")
    yield "outage", "nearly every call around it failed too: mend the surroundings" if candidate.outage else ""
    yield "a look", "each time something else was not there: no habit to mend" if evidence.get("look") else ""
    yield "seen", _seen(evidence)
    yield "cost", _cost(evidence)
    yield from _fix(evidence)
    for entry in _entries(evidence, "dead_ends"):
        yield "not this", f"{entry.get('text')}  ({text.many(int(entry.get('sessions', 0)), 'session')})"
    yield "covers", _covered(evidence, covered)
    yield "alike", _alike(candidate)
    for entry in _entries(evidence, "examples")[:1]:
        yield "example", f"{entry.get('excerpt', '')}  (agent-riggs explain {entry.get('turn_id')})"
    yield "key", candidate.candidate_key


def beware(candidate: Candidate, fix: str) -> None:
    """A word of caution about a fix that a human wrote; the mined one has its own beside it."""
    told = caution(fix, str(candidate.evidence.get("program") or ""))
    if told and fix != candidate.fix:
        render.tell(f"warning: {told}", "yellow")


def moment(candidate: Candidate) -> str:
    """When a promoted fix is told: what no failure belongs to is no answer to one."""
    fails = candidate.candidate_type in ("failure_pattern", "constraint_promotion")
    return "" if fails else " at the start of a session"


def commands(candidate: Candidate, decided: Decision | None = None) -> list[str]:
    """The exact commands that decide; of what is served, those that measure it and end it."""
    key = shlex.quote(candidate.candidate_key)
    if decided and decided.live:
        return [f"agent-riggs ratchet effect {key}", f"agent-riggs ratchet retire {key} --reason WHY"]
    return [
        f"agent-riggs ratchet promote {key}",
        f"agent-riggs ratchet reject {key} --reason WHY",
        f"agent-riggs ratchet snooze {key} --until 30d",
    ]


def _seen(evidence: Mapping[str, Any]) -> str:
    if "frequency" in evidence:
        return (
            f"{evidence['frequency']:,} times in {text.many(evidence.get('sessions', 0), 'session')}; "
            f"the structured tool succeeds in {evidence.get('success_rate', 0):.0%} of its calls"
        )
    if "nudges" in evidence:
        return (
            f"{evidence['nudges_heeded']} of {evidence['nudges']} nudges heeded, "
            f"{evidence['controls_heeded']} of {evidence['controls']} without one"
        )
    counts = (
        f"{text.many(evidence.get('occurrences', 0), 'time')} in "
        f"{text.many(evidence.get('sessions_affected', 0), 'session')} on {text.many(evidence.get('days', 0), 'day')}"
    )
    last = str(evidence["last_seen"])[:10] if evidence.get("last_seen") else "an unknown day"
    return f"{evidence.get('severity', '')}: {counts}, last on {last}"


def _cost(evidence: Mapping[str, Any]) -> str:
    recovery = evidence.get("recovery")
    if not isinstance(recovery, Mapping) or not recovery.get("sessions"):
        return ""
    ended, looked_at = recovery.get("recovered", 0), recovery["sessions"]
    sessions = text.many(looked_at, "session")
    if looked_at < evidence.get("sessions_affected", 0):
        sessions = f"the latest {sessions}"
    if not ended:
        return f"nothing ended it in {sessions}"
    calls = text.many(round(recovery.get("median_calls", 0)), "call")
    return f"{calls} until it ended (median); it ended in {ended} of {sessions}"


def ending(candidate: Candidate) -> str:
    """What ended it, in a few words; what to do instead where nothing failed; empty for a coarse key."""
    known = candidate.evidence.get("recovery")
    if not isinstance(known, Mapping):
        return candidate.fix
    if candidate.fix:
        share = share_of(candidate.evidence)
        return f"{_label(candidate.evidence)}: {candidate.fix}" + (f"  ({share})" if share else "")
    if known.get("sessions") and not known.get("recovered"):
        return "never ended"
    return endings.EDITS if known.get("edited") else "ended in no common way"


def _unknown(evidence: Mapping[str, Any]) -> str:
    """What is said where no fix was mined."""
    recovery = evidence.get("recovery")
    edited = recovery.get("edited", 0) if isinstance(recovery, Mapping) else 0
    if edited:
        return f"edits of files in {text.many(edited, 'session')}, no command: promote it with --fix TEXT"
    return "not known: promote it with --fix TEXT"


def _fix(evidence: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    fix = evidence.get("fix")
    if not isinstance(fix, Mapping) or not fix.get("text"):
        yield "ended by", _unknown(evidence)
        return
    share = share_of(evidence)
    yield _label(evidence), f"{fix['text']}  ({share})" if share else str(fix["text"])
    yield "beware", caution(str(fix["text"]), str(evidence.get("program") or ""))
    for other in _entries(evidence, "alternatives"):
        yield "or by", f"{other.get('text')}  ({share_of({**evidence, 'fix': other})})"


def _label(evidence: Mapping[str, Any]) -> str:
    """What a fix is: what ended it, and how surely; what a user said; or what would serve instead."""
    fix, recovery = evidence["fix"], evidence.get("recovery")
    if fix.get("source") == "user_said":
        return "user said"
    if not isinstance(recovery, Mapping):
        return "instead"
    return endings.label(int(fix.get("support", 0)), int(recovery.get("recovered", 0)))


def share_of(evidence: Mapping[str, Any]) -> str:
    """Of how many sessions a fix speaks; empty where it was counted over none."""
    fix, recovery = evidence.get("fix"), evidence.get("recovery")
    if not isinstance(fix, Mapping) or not isinstance(recovery, Mapping) or not fix.get("support"):
        return ""
    support = int(fix["support"])
    looked_at, ended = int(recovery.get("sessions", 0)), int(recovery.get("recovered", 0))
    if fix.get("source") == "user_said":
        return endings.share(support, looked_at, looked_at, looked_at)
    return endings.share(support, ended, looked_at, int(evidence.get("sessions_affected", 0)))


def _covered(evidence: Mapping[str, Any], covered: list[Total] | None) -> str:
    shapes = int(evidence.get("shapes", 1) or 0)
    if covered is None:
        return f"{shapes:,} different failures: too coarse for one fix" if shapes > 1 else ""
    if not covered:
        return "nothing but this failure"
    named = "; ".join(total.shape or total.failure_class or total.category for total in covered[:3])
    return f"{text.many(len(covered), 'other failure')} as well: {named}"


def _alike(candidate: Candidate) -> str:
    if not candidate.similar:
        return ""
    one, several = ("other failure of it", "other failures of it") if candidate.outage else ("near-duplicate", "")
    return f"{text.many(len(candidate.similar), one, several)}: {', '.join(candidate.similar[:3])}"


def _entries(evidence: Mapping[str, Any], name: str) -> list[Mapping[str, Any]]:
    found = evidence.get(name)
    return [entry for entry in found if isinstance(entry, Mapping)] if isinstance(found, list | tuple) else []
