"""Mined fixes: what ended a failure, read off the later calls of the same session and agent. No model is called.

A recovery is the first later success of the same intent within ``AHEAD`` calls. What changed is described in words
that hold on any machine and counted over root sessions. A suggestion is never adopted by itself.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import median
from typing import Any, Final

from agent_riggs.deliver.recall import call_words
from agent_riggs.learn.change import AGAIN, OTHER, Change
from agent_riggs.learn.changes import changes, tried
from agent_riggs.learn.evidence import Fix, one_line
from agent_riggs.learn.intent import attempt, recovers
from agent_riggs.learn.statistics import wilson_lower
from agent_riggs.learn.steps import EDITS, Step, commands, subject, subjects
from agent_riggs.store.windows import TurnFacts, Window

AHEAD: Final = 30
"""Calls after a failure in which a recovery is looked for."""
SAID_WITHIN: Final = 3
"""Calls after a failure in which a human's words on a rejected call akin to it are taken to be about it."""
MIN_SUPPORT: Final = 2
"""Root sessions that must have recovered the same way before it is suggested."""
MIN_AGREEMENT: Final = 0.3
_WEIGHT: Final = {"call": 1.0, "enabler": 1.0, "goal": 0.97, "step": 0.9, "again": 0.5, "vague": 0.0}
_MENDS: Final = re.compile(
    r"(?:^|[\s:_/`-])(?:fix|write|format|fmt|update|apply|generate|gen|codegen|install|sync|migrate|build|restore)\b",
    re.I,
)
_TRANSIENT: Final = frozenset({"network", "timeout", "conflict", "service", "killed", "http_error", "mcp_error"})


@dataclass(frozen=True, slots=True)
class Trace:
    """What became of one failure."""

    fingerprint: str
    root: str
    """Root session."""
    at: int | None
    turn_id: int
    recovered: bool = False
    calls: int = 0
    """Calls from the failure to its recovery; the bound when there was none."""
    recovery: int | None = None
    """Turn id of the recovering call."""
    changes: tuple[Change, ...] = ()
    dead_ends: tuple[str, ...] = ()
    said: tuple[str, ...] = ()
    """The human's words on rejections just after it."""
    attempts: int = 0
    """Later tries of the same intent that failed too."""
    excerpt: str = ""
    """Redacted excerpt of what the failure printed: evidence, never a fix."""
    words: tuple[str, ...] = ()
    """The failed shell command as a trigger sees it; empty for other tools."""
    edited: bool = False
    """Files were edited before the recovery: what ended it was work on them, not a way to call."""
    outage: bool = False
    """Nearly every call around it failed, of many programs: one event, not a pattern."""


@dataclass(frozen=True, slots=True)
class Mined:
    """What the traces of one failure pattern say, counted over root sessions."""

    sessions: int
    recovered: int
    cost: float
    """Median calls from failure to recovery, over recovered sessions; the bound when none recovered."""
    fix: Fix | None = None
    alternatives: tuple[Fix, ...] = ()
    dead_ends: tuple[tuple[str, int], ...] = ()
    """What was tried and failed again, with the number of root sessions."""
    outages: int = 0
    """Root sessions that only met it in an outage."""
    edited: int = 0
    """Recovered root sessions in which files were edited first and nothing else was different."""
    attempts: float = 0.0
    """Mean number of tries that failed again, over sessions that never recovered."""

    @property
    def unrecovered(self) -> float:
        """Share of root sessions that never recovered."""
        return 1 - self.recovered / self.sessions if self.sessions else 0.0

    def payload(self) -> dict[str, Any]:
        """The part of the evidence that is about recoveries."""
        return {
            "fix": self.fix.payload() if self.fix else None,
            "alternatives": [fix.payload() for fix in self.alternatives],
            "recovery": {
                "sessions": self.sessions,
                "recovered": self.recovered,
                "unrecovered": round(self.unrecovered, 3),
                "median_calls": self.cost,
                "edited": self.edited,
                "outages": self.outages,
            },
            "dead_ends": [{"text": text, "sessions": count} for text, count in self.dead_ends],
        }


def step_of(facts: TurnFacts) -> Step:
    """A row of the store as a step."""
    return Step(
        turn_id=facts.turn_id,
        tool=facts.tool,
        outcome=facts.outcome,
        input=facts.input,
        failure_class=facts.failure_class,
        program=facts.program,
        fingerprint=facts.fingerprint,
        user_said=facts.user_said,
        cwd=facts.cwd,
        root=facts.root,
        number=facts.number,
    )


def trace(window: Window) -> Trace:
    """Follow one failure to its recovery."""
    failure = replace(step_of(window.failure), told=window.excerpt)
    between: list[Step] = []
    dead: list[str] = []
    said: list[str] = []
    wanted = subject(failure) if failure.command else None
    base = Trace(
        window.fingerprint,
        window.root_session,
        window.at,
        failure.turn_id,
        excerpt=window.excerpt,
        words=call_words(wanted) if wanted else (),
        outage=in_outage(window),
    )
    for place, facts in enumerate(window.later[:AHEAD], 1):
        step = step_of(facts)
        if recovers(failure, step, between):
            found = _described(failure, between, step)
            edited = any(one.ok and one.tool in EDITS for one in between)
            return _with(base, recovered=True, calls=place, step=step, found=found, dead=dead, said=said, edited=edited)
        if step.failed and _tries(failure, step):
            dead.append(tried(failure, step).text)
        if step.outcome == "rejected" and step.user_said and place <= SAID_WITHIN and _akin(failure, step):
            said.append(one_line(step.user_said))
        between.append(step)
    return _with(base, recovered=False, calls=AHEAD, step=None, found=(), dead=dead, said=said)


def _with(
    base: Trace,
    *,
    recovered: bool,
    calls: int,
    step: Step | None,
    found: tuple[Change, ...],
    dead: Sequence[str],
    said: Sequence[str],
    edited: bool = False,
) -> Trace:
    return Trace(
        base.fingerprint,
        base.root,
        base.at,
        base.turn_id,
        recovered,
        calls,
        step.turn_id if step else None,
        found,
        tuple(text for text in dict.fromkeys(dead) if text != OTHER.text),
        tuple(dict.fromkeys(said)),
        len(dead),
        base.excerpt,
        base.words,
        edited,
        base.outage,
    )


def _tries(failure: Step, step: Step) -> bool:
    if failure.tool != step.tool:
        return False
    return attempt(failure, step) is not None if step.command else bool(step.target) and step.target == failure.target


def _akin(failure: Step, step: Step) -> bool:
    """Whether two calls run the same program, or are about the same file."""
    if not failure.command:
        return failure.tool == step.tool or bool(set(failure.targets) & set(step.targets))
    mine = {command.program for command in subjects(failure)}
    return bool(mine & {command.program for command in commands(step)})


def _described(failure: Step, between: Sequence[Step], recovery: Step) -> tuple[Change, ...]:
    """The changes that may be a fix. A check that passes once the code was edited has none: only a command that
    mends (``lint --fix``, ``install``, ``generate``) counts there."""
    found = changes(failure, between, recovery)
    if failure.outcome == "check_failed":
        return tuple(
            change for change in found if change.kind in ("call", "step", "enabler") and _MENDS.search(change.text)
        )
    edited = any(step.ok and step.tool in EDITS for step in between)
    if AGAIN in found and (edited or failure.failure_class not in _TRANSIENT):
        return tuple(change for change in found if change != AGAIN)
    return found


def in_outage(window: Window) -> bool:
    """Whether nearly every call around failed, of several programs: the surroundings are broken, not this call.

    Checks alone make none: all of them fail together while work is unfinished. An exit code that is an answer says
    nothing about the surroundings.
    """
    near = [*window.before, window.failure, *window.later[:5]]
    ran = [facts for facts in near if facts.outcome in ("ok", "failed", "check_failed", "denied", "masked")]
    failed = [facts for facts in ran if facts.outcome in ("failed", "denied", "check_failed")]
    kinds = {(facts.tool, facts.program) for facts in failed}
    own = {(facts.tool, facts.program) for facts in failed if facts.outcome != "check_failed"}
    return len(failed) >= 5 and len(failed) >= 0.8 * len(ran) and len(kinds) >= 4 and len(own) >= 2


def background(traces: Iterable[Trace]) -> dict[str, float]:
    """How common each step is before any recovery: a step that always stands there explains nothing."""
    total = 0
    seen: Counter[str] = Counter()
    for one in traces:
        if one.recovered:
            total += 1
            seen.update({change.text for change in one.changes if change.kind == "step"})
    return {text: count / total for text, count in seen.items()} if total else {}


def mine(traces: Sequence[Trace], common: Mapping[str, float] | None = None) -> Mined:
    """What these traces of one pattern say. Deterministic: ties go to the text that sorts first."""
    roots: dict[str, list[Trace]] = {}
    for one in traces:
        roots.setdefault(one.root, []).append(one)
    plain = {root: [one for one in found if not one.outage] for root, found in roots.items()}
    counted = {root: found for root, found in plain.items() if found}
    recovered = {root: [one for one in found if one.recovered] for root, found in counted.items()}
    recovered = {root: found for root, found in recovered.items() if found}
    costs = [min(one.calls for one in found) for found in recovered.values()]
    lost = [max(one.attempts for one in found) for root, found in counted.items() if root not in recovered]
    fixes = _ranked(recovered, common or {})
    chosen = next((fix for fix in fixes if fix.support >= MIN_SUPPORT and fix.agreement >= MIN_AGREEMENT), None)
    spoken = _said(counted)
    if spoken is not None and (spoken.support > chosen.support if chosen else spoken.agreement >= MIN_AGREEMENT):
        chosen, fixes = spoken, [*([chosen] if chosen else []), *fixes]
    others = tuple(
        fix
        for fix in dict.fromkeys(fixes)
        if fix.support >= MIN_SUPPORT and not (chosen and chosen.text.startswith(fix.text))
    )[:2]
    return Mined(
        sessions=len(counted),
        recovered=len(recovered),
        cost=float(median(costs)) if costs else float(AHEAD),
        fix=chosen,
        alternatives=others,
        dead_ends=_dead_ends(counted, chosen),
        outages=len(roots) - len(counted),
        edited=sum(any(one.edited and not one.changes for one in found) for found in recovered.values()),
        attempts=sum(lost) / len(lost) if lost else 0.0,
    )


def _ranked(recovered: Mapping[str, Sequence[Trace]], common: Mapping[str, float]) -> list[Fix]:
    """Every change as a fix, the best-borne-out first."""
    support: Counter[Change] = Counter()
    shown: dict[Change, list[int]] = {}
    for root in sorted(recovered):
        met = dict.fromkeys(change for one in recovered[root] for change in one.changes)
        support.update(met.keys())
        for change in met:
            turn = next(one.recovery for one in recovered[root] if change in one.changes)
            shown.setdefault(change, []).append(turn or 0)
    total = len(recovered)

    def weight(change: Change) -> float:
        share = support[change] / total
        usual = common.get(change.text, 0.0) if change.kind == "step" else 0.0
        lift = 1.0 if share > 1.5 * usual or usual < 0.05 else 0.3
        return wilson_lower(support[change], total) * _WEIGHT[change.kind] * lift

    ranked = sorted(
        (change for change in support if weight(change) > 0), key=lambda change: (-weight(change), change.text)
    )
    return [
        Fix(change.text, support[change], support[change] / total, "mined", tuple(shown[change][:3]))
        for change in ranked
    ]


def _said(roots: Mapping[str, Sequence[Trace]]) -> Fix | None:
    """What humans said most often after this failure, counted over root sessions."""
    said: Counter[str] = Counter()
    for found in roots.values():
        said.update({text for one in found for text in one.said})
    if not said:
        return None
    text, support = min(said.items(), key=lambda item: (-item[1], item[0]))
    return Fix(text, support, support / len(roots), "user_said")


def _dead_ends(roots: Mapping[str, Sequence[Trace]], fix: Fix | None) -> tuple[tuple[str, int], ...]:
    met: Counter[str] = Counter()
    for found in roots.values():
        met.update({text for one in found for text in one.dead_ends})
    if fix is not None:
        met.pop(fix.text, None)
    return tuple(sorted(((t, n) for t, n in met.items() if n >= MIN_SUPPORT), key=lambda item: (-item[1], item[0]))[:3])
