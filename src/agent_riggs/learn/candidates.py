"""Candidates: what keeps failing, ranked by a lower bound of the calls that a promoted fix would have saved.

Counting is done in SQL over root sessions and days, never over raw occurrences. Fixes are mined for the leading
patterns only, from a bounded sample of each, so that the answer takes the same time over a million failures.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from math import log2, sqrt
from typing import Any, Final

from agent_riggs.config import Ratchet as Limits
from agent_riggs.deliver.recall import constraint_key, pattern_key
from agent_riggs.errors import Ambiguous, NotFound, nearest
from agent_riggs.judge import RULES_VERSION
from agent_riggs.learn import fixes
from agent_riggs.learn.evidence import Candidate, severity
from agent_riggs.learn.examples import examples, of_traces
from agent_riggs.learn.fixes import Mined, Trace
from agent_riggs.learn.looking import looked
from agent_riggs.learn.similar import grouped
from agent_riggs.learn.statistics import wilson_lower
from agent_riggs.learn.trigger import trigger_of
from agent_riggs.learn.waiting import Decided, is_open, lookback, undecided
from agent_riggs.store import mining, windows
from agent_riggs.store.mining import ALL_TIME, Connection, Total

LEADING: Final = 40
"""Patterns that are looked at closely."""
EVERYTHING: Final = 400
"""The same when everything is asked for."""
ROOTS: Final = 16
"""Root sessions sampled per pattern, the latest ones."""
ROOTS_OF_ONE: Final = 200
"""The same when one candidate is asked for."""
PER_ROOT: Final = 2
MOST_LOST: Final = 10.0
"""Calls that a session is taken to have lost at most: beyond them it did other work in between."""
ALONE: Final = 0.4
"""Worth of a promotion for which no fix is known yet: a human has to write it."""


@dataclass(frozen=True, slots=True)
class Span:
    """The stretch of time looked at, in microseconds, and how many root sessions it holds."""

    since: int
    until: int
    sessions: int


def span_of(conn: Connection, limits: Limits, now: int) -> Span:
    """The lookback: counted back from the project's last activity, never later than now."""
    mining.prepare(conn)
    since, until = lookback(conn, limits, now)
    return Span(since, until, mining.sessions_between(conn, since, until))


def find_candidates(
    conn: Connection,
    *,
    limits: Limits | None = None,
    now: int,
    decided: Decided | None = None,
    everything: bool = False,
) -> list[Candidate]:
    """Every candidate that is not decided yet, best first. ``now`` in microseconds since 1970 UTC.

    With ``everything`` also patterns of one session and those that are too rare by the configured limits.
    """
    limits = limits or Limits()
    span = span_of(conn, limits, now)
    patterns = find_pattern_candidates(conn, limits=limits, now=now, span=span, decided=decided, everything=everything)
    others = (
        *find_tool_candidates(conn, limits=limits, now=now, span=span),
        *_wider(conn, find_constraint_candidates(conn, limits=limits, now=now, span=span), span, decided or {}),
        *find_nudge_candidates(conn, limits=limits),
    )
    return sorted((*grouped(patterns), *(one for one in others if _open(one, decided or {}, now))), key=_rank)


def find_pattern_candidates(
    conn: Connection,
    *,
    limits: Limits | None = None,
    now: int,
    span: Span | None = None,
    decided: Decided | None = None,
    everything: bool = False,
) -> list[Candidate]:
    """Failure patterns by fingerprint that are not decided, with mined fixes, best first."""
    limits = limits or Limits()
    span = span or span_of(conn, limits, now)
    decided = decided or {}
    idle = looked(conn, span.since, span.until)
    most = EVERYTHING if everything else LEADING
    left_out = len(decided) + len(idle)
    least, sessions = (1, 1) if everything else (limits.min_frequency, 2)
    met = mining.patterns(
        conn, span.since, span.until, min_occurrences=least, min_sessions=sessions, limit=most + left_out
    )
    wanted = [one for one in met if one.sessions >= sessions and (everything or one.fingerprint not in idle)]
    found = undecided(wanted, decided, now)[:most]
    return sorted((_as_look(one, idle) for one in _with_evidence(conn, found, span, limits)), key=_rank)


def _as_look(one: Candidate, idle: Collection[str]) -> Candidate:
    """What was nothing but a look is marked as such, and ranks behind everything."""
    if one.evidence.get("fingerprint") not in idle:
        return one
    return replace(one, tier=3, evidence={**one.evidence, "severity": "occasional", "look": True})


def find_constraint_candidates(
    conn: Connection, *, limits: Limits | None = None, now: int, span: Span | None = None
) -> list[Candidate]:
    """The contract's coarse keys, from ``failure_stream`` alone. One that covers fingerprints ranks behind them."""
    limits = limits or Limits()
    span = span or span_of(conn, limits, now)
    found = []
    totals = mining.constraints(conn, span.since, span.until, min_occurrences=limits.min_frequency)
    texts = mining.excerpts_of(conn, [turn for total in totals for turn in total.latest])
    for total in totals:
        evidence = {**_counts(total, limits), "category": total.category, "tool": total.tool, "mode": total.mode}
        shown = examples([(turn, texts.get(turn)) for turn in total.latest])
        evidence |= {"shapes": total.shapes, "examples": shown, "fix": None}
        found.append(
            Candidate(
                "constraint_promotion",
                constraint_key(total.category, total.tool, total.mode),
                evidence,
                score=_score(total.sessions, total.days, span, None),
                tier=1 if total.shapes else 0,
            )
        )
    return sorted(found, key=_rank)


def _wider(conn: Connection, found: list[Candidate], span: Span, decided: Decided) -> list[Candidate]:
    """Those that cover more than failures whose own fixes are served."""
    served = [key for key, (decision, _) in decided.items() if decision == "promoted"]
    more = {constraint_key(*one) for one in mining.beyond(conn, span.since, span.until, served)} if served else set()
    return [one for one in found if one.candidate_key in more] if served else found


def find_tool_candidates(
    conn: Connection, *, limits: Limits | None = None, now: int, span: Span | None = None
) -> list[Candidate]:
    """Shell commands that a structured tool replaces, where that tool works here often enough."""
    limits = limits or Limits()
    span = span or span_of(conn, limits, now)
    shortcuts = mining.shortcuts(conn, span.since, span.until, min_frequency=limits.min_frequency)
    if not shortcuts:
        return []
    rates = mining.success_rates(conn, span.since, span.until)
    found = []
    for one in shortcuts:
        structured = STRUCTURED.get(one.program.split(" ")[0])
        good, known = rates.get(structured or "", (0, 0))
        rate = good / known if known else 0.0
        if structured is None or one.sessions < limits.min_sessions or rate < limits.min_success_rate:
            continue
        evidence = {
            "success_rate": round(rate, 3),
            "frequency": one.frequency,
            "sessions": one.sessions,
            "tool": one.tool,
            "program": one.program,
            "replaced_by": structured,
            "first_seen": moment(one.first_seen),
            "last_seen": moment(one.last_seen),
            "fix": {
                "text": f"`{structured}` instead of `{one.program}`",
                "support": 0,
                "agreement": 0.0,
                "source": "mined",
            },
        }
        key = f"{one.tool}-{one.program}-to-{structured}"
        found.append(Candidate("tool_promotion", key, evidence, score=0.0, tier=1))
    return found


def find_nudge_candidates(conn: Connection, *, limits: Limits | None = None) -> list[Candidate]:
    """Plugins whose nudges were heeded more often than without a nudge. Gated on measured heed and lift in both
    arms, never on frequency."""
    limits = limits or Limits()
    found = []
    for plugin, sessions, nudges, heeded, controls, unprompted in mining.trials(conn):
        if min(nudges, controls) < limits.min_nudge_trials:
            continue
        rate, base = heeded / nudges, unprompted / controls
        if rate < limits.min_heed_rate or rate - base <= limits.min_heed_lift:
            continue
        evidence = {
            "plugin": plugin,
            "sessions": sessions,
            "nudges": nudges,
            "nudges_heeded": heeded,
            "heed_rate": round(rate, 3),
            "controls": controls,
            "controls_heeded": unprompted,
            "control_heed_rate": round(base, 3),
            "lift": round(rate - base, 3),
            "fix": {
                "text": f"use {plugin} for this: kibitzer no longer suggests it, it sends you there",
                "support": sessions,
                "agreement": round(rate, 3),
                "source": "mined",
            },
        }
        found.append(Candidate("nudged_tool_promotion", f"nudge-{plugin}", evidence, tier=1))
    return found


STRUCTURED: Final[Mapping[str, str]] = {
    "cat": "Read",
    "head": "Read",
    "tail": "Read",
    "less": "Read",
    "more": "Read",
    "bat": "Read",
    "grep": "Grep",
    "egrep": "Grep",
    "rg": "Grep",
    "ag": "Grep",
    "find": "Glob",
    "fd": "Glob",
    "ls": "Glob",
    "sed": "Edit",
    "awk": "Edit",
    "echo": "Write",
    "tee": "Write",
    "curl": "WebFetch",
    "wget": "WebFetch",
}
"""Structured tool that serves what a shell program is used for."""


def find(conn: Connection, wanted: str, *, limits: Limits | None = None, now: int) -> Candidate:
    """The candidate of a key, or of a unique prefix of it or of its fingerprint, whatever its age and numbers.

    Raises ``NotFound`` with the nearest keys, ``Ambiguous`` with those that begin so.
    """
    limits = limits or Limits()
    mining.prepare(conn)
    fine = {pattern_key(category, tool, mark): mark for category, tool, mark in mining.keys(conn)}
    span = Span(*ALL_TIME, span_of(conn, limits, now).sessions)
    other = {
        one.candidate_key: one
        for one in (
            *find_constraint_candidates(conn, limits=replace(limits, min_frequency=1), now=now, span=span),
            *find_tool_candidates(conn, limits=limits, now=now, span=span),
            *find_nudge_candidates(conn, limits=limits),
        )
    }
    key = _pick(wanted, [*fine, *other], fine)
    if key in other:
        return other[key]
    (total,) = mining.totals(conn, [fine[key]]).values()
    (found,) = _with_evidence(conn, [total], span, limits, ROOTS_OF_ONE)
    return _as_look(found, looked(conn, *ALL_TIME))


def covered(conn: Connection, candidate: Candidate) -> list[Total]:
    """What else a coarse key would match: the fingerprints under its category and tool, most sessions first."""
    mining.prepare(conn)
    evidence = candidate.evidence
    found = mining.patterns(conn, *ALL_TIME, min_occurrences=1, min_sessions=1, limit=1_000_000)
    return [
        total
        for total in found
        if (total.category, total.tool) == (evidence.get("category"), evidence.get("tool"))
        and total.fingerprint != evidence.get("fingerprint")
    ]


def traces_of(conn: Connection, fingerprints: Sequence[str], span: Span, roots: int = ROOTS) -> list[Trace]:
    """The latest failures of these fingerprints, each followed to its recovery."""
    found = windows.windows(
        conn, fingerprints, span.since, span.until, roots=roots, per_root=PER_ROOT, ahead=fixes.AHEAD
    )
    return [fixes.trace(window) for window in found]


def moment(at: int | None) -> str | None:
    """A time as evidence holds it: ISO 8601, UTC."""
    if at is None:
        return None
    return datetime.fromtimestamp(at / 1_000_000, UTC).isoformat(timespec="seconds")


def _with_evidence(
    conn: Connection, totals: Sequence[Total], span: Span, limits: Limits, roots: int = ROOTS
) -> list[Candidate]:
    marks = [total.fingerprint for total in totals if total.fingerprint]
    by_mark: dict[str, list[Trace]] = {mark: [] for mark in marks}
    for one in traces_of(conn, marks, span, roots):
        by_mark[one.fingerprint].append(one)
    common = fixes.background(one for found in by_mark.values() for one in found)
    bare = [mark for mark, found in by_mark.items() if not found]
    shown = mining.excerpts(conn, bare, span.since, span.until) if bare else {}
    made = []
    for total in totals:
        mark = total.fingerprint or ""
        mined = fixes.mine(by_mark[mark], common if len(by_mark) > 3 else None)
        facts = {
            "trigger": {"words": list(trigger_of(by_mark[mark]))},
            "turns": [one.turn_id for one in by_mark[mark]],
            "examples": of_traces(by_mark[mark], mined.fix.text if mined.fix else "") or examples(shown.get(mark, [])),
        }
        made.append(_candidate(total, mined, facts, span, limits))
    return made


def _candidate(total: Total, mined: Mined, facts: Mapping[str, Any], span: Span, limits: Limits) -> Candidate:
    mark = total.fingerprint or ""
    evidence = {
        **_counts(total, limits),
        "category": total.category,
        "tool": total.tool,
        "class": total.failure_class,
        "program": total.program,
        "shape": total.shape,
        "fingerprint": mark,
        "specific": total.specific,
        "shapes": 1,
        "rules_version": RULES_VERSION,
        **facts,
        **mined.payload(),
    }
    sampled = mined.sessions + mined.outages
    plain = total.sessions * mined.sessions / sampled if sampled else total.sessions
    counted = plain + (1 if mined.outages else 0)
    loop = total.outcome == "check_failed" and mined.fix is None
    return Candidate(
        "failure_pattern",
        pattern_key(total.category, total.tool, mark),
        evidence,
        score=_score(min(counted, total.sessions), total.days, span, mined),
        tier=2 if loop else 0,
    )


def _counts(total: Total, limits: Limits) -> dict[str, Any]:
    return {
        "occurrences": total.occurrences,
        "sessions_affected": total.sessions,
        "avg_trust": None if total.trust is None else round(total.trust, 3),
        "severity": severity(total.occurrences, total.sessions, limits),
        "first_seen": moment(total.first_seen),
        "last_seen": moment(total.last_seen),
        "days": total.days,
    }


def _score(sessions: float, days: int, span: Span, mined: Mined | None) -> float:
    """Lower bound of the calls saved: sessions that will meet it again, times what each of them lost.

    Sessions and days count together (their geometric mean), so that one bad day is no habit. What a session lost is
    the failed call and those to its recovery, at most ten; one that never recovered lost its own call, its further
    tries, and as much again for what it then went without. Calls count by their logarithm: the later ones are ever
    more often other work. A fix is worth the more, the more of the recovered sessions used it.
    """
    habit = min(sessions, sqrt(sessions * max(days, 1)))
    expected = wilson_lower(habit, max(span.sessions, sessions)) * max(span.sessions, sessions)
    if mined is None or not mined.sessions:
        return expected * ALONE
    never = min(MOST_LOST, 2 * (1 + mined.attempts))
    lost = (1 - mined.unrecovered) * min(mined.cost, MOST_LOST) + mined.unrecovered * never
    worth = ALONE
    if mined.fix is not None:
        worth = 0.5 + 0.5 * wilson_lower(mined.fix.support, max(mined.recovered, mined.fix.support))
    return expected * (1 + log2(1.0 + lost) / 2) * worth


def _rank(one: Candidate) -> tuple[int, float, str]:
    return one.tier, -round(one.score, 9), one.candidate_key


def _open(one: Candidate, decided: Decided, now: int) -> bool:
    last = one.evidence.get("last_seen")
    seen = datetime.fromisoformat(last).timestamp() * 1_000_000 if isinstance(last, str) else None
    return is_open(one.candidate_key, None if seen is None else int(seen), decided, now)


def _pick(wanted: str, keys: Sequence[str], fine: Mapping[str, str]) -> str:
    if wanted in keys:
        return wanted
    begun = [key for key in keys if wanted and (key.startswith(wanted) or fine.get(key, "").startswith(wanted))]
    if not begun:
        near = nearest(wanted, keys)
        raise NotFound(f"no candidate {wanted}", near, None if near else "see: agent-riggs ratchet candidates --all")
    if len(begun) > 1:
        raise Ambiguous(f"{wanted} begins {len(begun)} keys", sorted(begun))
    return begun[0]
