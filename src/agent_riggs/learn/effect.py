"""Effect: what changed after a fix was promoted, and how sure that is. It informs; only a human acts upon it.

An episode is the first time in a root session that a ratchet's failure happens, with what came of it. Episodes before
the promotion are compared with those in which the fix was told; where some sessions were drawn to go without it,
with these, which is the only comparison that nothing else could explain.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from statistics import mean, median
from typing import Final, Literal

from agent_riggs.learn import fixes, statistics
from agent_riggs.learn.fixes import Trace
from agent_riggs.learn.followed import follows, is_plain
from agent_riggs.learn.promotions import MIN_TOLD, Promotion
from agent_riggs.store import effects, windows
from agent_riggs.store.effects import ArmName, Asked, Connection, Count
from agent_riggs.store.rows import When
from agent_riggs.store.windows import Window

MIN_OTHERS: Final = 3
"""Sessions they are compared with. Of much fewer than 5 and 3 none could differ beyond chance, whatever they show."""
LOOKED_AT: Final = 20
"""Episodes of an arm that are followed to their end, the latest ones."""
NEAR: Final = 8
"""Calls in which most failures end: the rest is read only of those that did not."""
WORTH: Final = 0.3
"""Less of an improvement is not worth an agent's attention: of the share that it was, or of all comparisons."""
OFTEN: Final = 15
"""Sessions in which it was told after which no sign of an improvement is taken for none."""
ALWAYS: Final = 2**62

_WHAT: Final = {"again": "failed again on the way", "sessions": "of the sessions met it"}
_THEN: Final = {"before": "before", "held_out": "when held out"}

Verdict = Literal["keep", "watch", "retire", "too early"]
What = Literal["calls", "again", "sessions"]
"""Calls to recovery; the share of episodes that failed again; the share of sessions that met it."""
Against = Literal["before", "held_out"]


@dataclass(frozen=True, slots=True)
class Episode:
    """What came of a failure, the first of its kind in a root session."""

    ended: bool
    calls: int
    """Calls from the failure to its recovery; the bound when there was none."""
    again: int
    """How often it failed the same way before it ended."""
    followed: bool = False
    """Whether the next calls did what the fix says."""


@dataclass(frozen=True, slots=True)
class Arm:
    """Sessions that had one thing in common. All are counts of root sessions but ``times``, ``calls`` and what is made
    of these."""

    name: ArmName
    sessions: int = 0
    """Those that could have met it: the tool was in use."""
    met: int = 0
    times: int = 0
    """How often it failed in them."""
    seen: int = 0
    """Of those told: a transcript shows that the model was given it."""
    looked_at: int = 0
    """Episodes that were followed to their end: the latest ones, without outages."""
    ended: int = 0
    again: int = 0
    """Those that failed the same way again before they ended."""
    followed: int | None = None
    """Those whose next calls did what the fix says; ``None`` where calls cannot tell."""
    followed_ended: int | None = None
    median_calls: float | None = None
    mean_calls: float | None = None
    calls: tuple[int, ...] = ()
    """Calls from failure to recovery of each, in order; 30 where there was none within so many."""


@dataclass(frozen=True, slots=True)
class Measure:
    """One change with its 95 % interval. Less than 0 is an improvement."""

    what: What
    against: Against
    was: float
    """Mean calls, or a share."""
    now: float
    change: float
    """For shares their difference. For calls, which a few sessions without a recovery would decide, how many more of
    all comparisons were lost than won: from -1, when each of those told took fewer, to 1."""
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Effect:
    """What is known of one promotion's effect."""

    candidate_key: str
    candidate_type: str
    state: str
    """promoted while it is served; retired or superseded since."""
    when: str
    fix: str
    since: When
    until: When | None
    before: Arm
    told: Arm
    untold: Arm
    held_out: Arm
    measure: Measure | None
    """What the verdict goes by; ``None`` while it is too early."""
    also: tuple[Measure, ...]
    """What else changed: told, and no reason for the verdict."""
    verdict: Verdict
    reason: str


# --- measuring


def _asked(one: Promotion) -> Asked:
    evidence, kind = one.decision.evidence, one.decision.candidate_type
    named = {name: str(value) for name, value in evidence.items() if name in ("category", "mode", "program") and value}
    wanted = {"constraint_promotion": ("category", "mode"), "tool_promotion": ("program",)}.get(kind, ())
    return Asked(
        keys=one.keys,
        marks=one.marks if kind == "failure_pattern" else (),
        tool=str(evidence.get("tool") or "unknown"),
        before=one.first,
        since=one.since,
        until=ALWAYS if one.until is None else one.until,
        **{name: named[name] for name in wanted if name in named},
    )


def measured(conn: Connection, found: Sequence[Promotion], *, closely: bool = False) -> list[Effect]:
    """The effect of each promotion, those told in most sessions first.

    Episodes are followed where there are enough to compare; ``closely`` follows those of every arm.
    """
    counts: list[dict[ArmName, Count]] = [{} for _ in found]
    for count in effects.counts(conn, [_asked(one) for one in found], LOOKED_AT):
        counts[count.asked][count.arm] = count
    wanted = {
        turn
        for one, arms in zip(found, counts, strict=True)
        for count in arms.values()
        if closely or (count.arm != "untold" and _counts_calls(one) and _enough(arms))
        for turn in count.sample
    }
    ends = _followed(conn, wanted)
    made = [effect_of(one, _arms(one, arms, ends)) for one, arms in zip(found, counts, strict=True)]
    return sorted(made, key=lambda one: (-one.told.sessions, -one.before.met, one.candidate_key))


def _counts_calls(one: Promotion) -> bool:
    """Whether calls to recovery are what it is to shorten: what is told after the failure cannot keep it from
    happening."""
    return one.decision.when == "after" and one.decision.candidate_type != "tool_promotion"


def _enough(arms: Mapping[ArmName, Count]) -> bool:
    return "told" in arms and arms["told"].met >= MIN_TOLD


Ends = Mapping[int, tuple[Trace, Window]]


def _followed(conn: Connection, turns: Collection[int]) -> Ends:
    """The failures of these turns, each followed to its end."""
    found: dict[int, tuple[Trace, Window]] = {}
    for ahead in (NEAR, fixes.AHEAD):
        for window in windows.windows_of(conn, sorted(turns), ahead=ahead):
            found[window.failure.turn_id] = fixes.trace(window), window
        turns = [turn for turn, (trace, window) in found.items() if not trace.recovered and len(window.later) >= NEAR]
    return found


def _arms(one: Promotion, counts: Mapping[ArmName, Count], ends: Ends) -> dict[ArmName, Arm]:
    fix = one.decision.fix
    found = {
        name: [_episode(*ends[turn], fix) for turn in count.sample if turn in ends and not ends[turn][0].outage]
        for name, count in counts.items()
    }
    tells = is_plain(fix) or any(episode.followed for episodes in found.values() for episode in episodes)
    return {name: arm_of(count, found[name], tells) for name, count in counts.items()}


def _episode(trace: Trace, window: Window, fix: str) -> Episode:
    later = [fixes.step_of(facts) for facts in window.later[: trace.calls]]
    again = sum(step.failed and step.fingerprint == window.fingerprint for step in later)
    return Episode(trace.recovered, trace.calls, again, follows(fix, trace, fixes.step_of(window.failure), later))


def arm_of(count: Count, episodes: Sequence[Episode], tells: bool = True) -> Arm:
    """An arm from its counts and the episodes that were followed; ``tells``: whether calls show who follows the fix."""
    calls = tuple(sorted(one.calls for one in episodes))
    return Arm(
        name=count.arm,
        sessions=count.sessions,
        met=count.met,
        times=count.times,
        seen=count.seen,
        looked_at=len(episodes),
        ended=sum(one.ended for one in episodes),
        again=sum(one.again > 0 for one in episodes),
        followed=sum(one.followed for one in episodes) if tells and episodes else None,
        followed_ended=sum(one.followed and one.ended for one in episodes) if tells and episodes else None,
        median_calls=float(median(calls)) if calls else None,
        mean_calls=round(mean(calls), 2) if calls else None,
        calls=calls,
    )


# --- what it comes to


def effect_of(one: Promotion, arms: Mapping[ArmName, Arm]) -> Effect:
    """The effect that these arms show."""
    before, told, untold, held = (arms.get(name) or Arm(name) for name in ("before", "told", "untold", "held_out"))
    early = _early(one, before, told, untold, held)
    measures = () if early else _measures(one, before, told, untold, held)
    verdict: tuple[Verdict, str] = _verdict(measures[0], told) if measures else ("too early", early)
    decision = one.decision
    return Effect(
        candidate_key=decision.candidate_key,
        candidate_type=decision.candidate_type,
        state=decision.state,
        when=decision.when,
        fix=decision.fix or decision.reason,
        since=one.since,
        until=one.until,
        before=before,
        told=told,
        untold=untold,
        held_out=held,
        measure=next(iter(measures), None),
        also=measures[1:],
        verdict=verdict[0],
        reason=verdict[1],
    )


def _early(one: Promotion, before: Arm, told: Arm, untold: Arm, held: Arm) -> str:
    """What is missing for a comparison; empty when there is enough."""
    reached, said = told.sessions, "sessions that were told"
    if one.decision.candidate_type == "tool_promotion":
        reached, said = untold.sessions, "sessions since"
    elif _counts_calls(one):
        reached = told.looked_at if told.met >= MIN_TOLD else told.met
    others = _size(one, _other(one, before, held))
    if reached < MIN_TOLD:
        return f"{reached} of {MIN_TOLD} {said}"
    return f"{others} of {MIN_OTHERS} sessions to compare with" if others < MIN_OTHERS else ""


def _size(one: Promotion, arm: Arm) -> int:
    return arm.looked_at if _counts_calls(one) else arm.sessions


def _other(one: Promotion, before: Arm, held: Arm) -> Arm:
    """What those told are compared with: those held out, once they are enough."""
    drawn, earlier = _size(one, held), _size(one, before)
    return held if drawn >= MIN_TOLD or drawn > earlier < MIN_OTHERS else before


def _measures(one: Promotion, before: Arm, told: Arm, untold: Arm, held: Arm) -> tuple[Measure, ...]:
    """What changed, first that by which it is judged.

    Sessions that met it: those told against those held out; else all since the promotion against all before it,
    because who of these would have been told is not known.
    """
    other = _other(one, before, held)
    if not _counts_calls(one) and other is held:
        return (_shares("sessions", (told.met, told.sessions), (held.met, held.sessions), "held_out"),)
    since = tuple(sum(getattr(arm, name) for arm in (told, untold, held)) for name in ("met", "sessions"))
    rates = [_shares("sessions", since, (before.met, before.sessions), "before")] if before.sessions else []
    if not _counts_calls(one):
        return tuple(rates)
    against: Against = "held_out" if other is held else "before"
    won, (least, most) = statistics.below(told.calls, other.calls)
    means = other.mean_calls or 0.0, told.mean_calls or 0.0
    calls = Measure("calls", against, *means, 1 - 2 * won, 1 - 2 * most, 1 - 2 * least)
    return calls, _shares("again", (told.again, told.looked_at), (other.again, other.looked_at), against), *rates


def _shares(what: What, mine: tuple[int, ...], theirs: tuple[int, ...], against: Against) -> Measure:
    change, (low, high) = statistics.difference(mine[0], mine[1], theirs[0], theirs[1])
    return Measure(what, against, theirs[0] / theirs[1], mine[0] / mine[1], change, low, high)


def _verdict(measure: Measure, told: Arm) -> tuple[Verdict, str]:
    """Keep what surely helps, retire what surely does not help enough, or was told often and helps no more than
    chance; else watch."""
    text = in_words(measure)
    if told.sessions and not told.seen:
        return "watch", f"{text}; but no transcript shows that the model was given it: agent-riggs doctor"
    if measure.high < 0:
        return "keep", text
    worth = WORTH * (1 if measure.what == "calls" else measure.was)
    if measure.low > -worth or (told.sessions >= OFTEN and measure.change >= 0):
        return "retire", f"{text}{_why(measure, told)}"
    return "watch", f"{text}; it could be chance"


def _why(measure: Measure, told: Arm) -> str:
    """Why a fix does not help: there is nothing to save, it was not taken, or it was taken and is wrong."""
    if measure.what == "calls" and measure.was < 2:
        return "; the next call mostly ended it anyway, so only advice before the call could save more"
    if told.followed is None:
        return ""
    count = f"followed in {told.followed} of {told.looked_at}"
    if 2 * told.followed < told.looked_at:
        return f"; {count}: told and not taken, so say it in other words, or retire it"
    return f"; {count}: taken, and no help"


def in_words(measure: Measure) -> str:
    """The change with its interval, in a few words."""
    if measure.what == "calls":
        won, least, most = (f"{50 * (1 - change):.0f}" for change in (measure.change, measure.high, measure.low))
        return f"fewer calls than {_THEN[measure.against]} in {won}% of pairs (95%: {least} to {most}%)"
    span = f"{100 * measure.low:+.0f} to {100 * measure.high:+.0f} points"
    return f"{measure.now:.0%} {_WHAT[measure.what]}, {measure.was:.0%} {_THEN[measure.against]} (95%: {span})"
