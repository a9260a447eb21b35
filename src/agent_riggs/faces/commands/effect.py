"""``ratchet effect``: whether the fixes that were promoted helped."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import click

from agent_riggs.faces import completing, here, render, text
from agent_riggs.faces.here import Here
from agent_riggs.faces.options import command, json_option, pass_here
from agent_riggs.faces.render import Column

if TYPE_CHECKING:
    from agent_riggs.learn.effect import Arm, Effect

NONE = "Nothing was promoted yet: there is no effect to measure."
UNCONTROLLED = (
    "before and after is no controlled comparison: whatever else changed meanwhile counts as well. With hold_out = 0.1 "
    "under [deliver] in .riggs/config.toml a tenth of the sessions goes without the fix, and is compared with"
)
MEANING = {
    "met": "share of the sessions that used the tool",
    "calls": "median from failure to recovery, at most 30",
}
PAIRS = "pairs: each session that was told with each of the others, a tie counting half"
_NAMES = {"before": "before", "told": "told", "untold": "not told", "held_out": "held out"}


@command(
    "effect",
    ("agent-riggs ratchet effect", "agent-riggs ratchet effect 1", "agent-riggs ratchet effect --json"),
    "learn.effect:Effect",
)
@click.argument("key", required=False, shell_complete=completing.keys)
@json_option
@pass_here
def effect(at: Here, key: str | None, as_json: bool) -> None:
    """Whether the fixes that were promoted helped.

    Sessions before the promotion are compared with those that were told the fix: how many met the failure, and how many
    calls it took to recover. With KEY the evidence in full. The verdict is a suggestion; nothing is done about it.
    """
    from agent_riggs.faces import deciding
    from agent_riggs.learn import ledger
    from agent_riggs.learn.effect import measured
    from agent_riggs.learn.promotions import promotions

    log = deciding.read_log(at)
    found = promotions(log)
    if key is not None:
        wanted = deciding.find_decision(at, key, [one.decision for one in found], "promoted fix").candidate_key
        found = [one for one in found if one.decision.candidate_key == wanted]
    with here.reading(at) as conn:
        effects = measured(conn, found, closely=key is not None)
        foreign = [] if effects else ledger.foreign(conn, log)
    if as_json:
        render.emit_json(effects)
    elif not effects:
        render.say(NONE)
        if any(one.state == "promoted" for one in foreign):
            render.hint(deciding.FOREIGN)
    elif key is not None:
        _show(at, effects[0])
    else:
        _table(at, effects)


def _table(at: Here, effects: Sequence[Effect]) -> None:
    titles = [
        Column("", right=True),
        Column("told", right=True),
        Column("met before", right=True, drop=2),
        Column("met since", right=True, drop=2),
        Column("calls before", right=True, drop=1),
        Column("calls told", right=True, drop=1),
        Column("verdict"),
        Column("key, fix and why", flexible=True),
    ]
    here.remember_rows(at, [here.Listed(None, one.candidate_key) for one in effects])
    shown = render.table(titles, [_row(number, one) for number, one in enumerate(effects, 1)])
    words = {"met since": "met", "calls told": "calls"}
    render.explain(MEANING, [words.get(title, "") for title in shown])
    if any(one.measure and one.measure.what == "calls" for one in effects):
        render.hint(PAIRS)
    for one in effects:
        if one.verdict == "retire" and one.state == "promoted":
            render.hint(_retire(one))
    if any(one.measure and one.measure.against == "before" for one in effects):
        render.hint(UNCONTROLLED)


def _row(number: int, one: Effect) -> list[render.Cell]:
    since = (one.told, one.untold, one.held_out)
    return [
        str(number),
        f"{one.told.sessions:,}",
        text.percent(one.before.met, one.before.sessions),
        text.percent(sum(arm.met for arm in since), sum(arm.sessions for arm in since)),
        _number(one.before.median_calls),
        _number(one.told.median_calls),
        one.verdict,
        (one.candidate_key, one.fix, *one.reason.split("; ")),
    ]


def _number(calls: float | None) -> str:
    return "-" if calls is None else f"{calls:.3g}"


def _show(at: Here, one: Effect) -> None:
    render.say(one.fix, "bold")
    render.fields([(f"   {label}", value) for label, value in _facts(one, at.now) if value])
    if one.measure and one.measure.what == "calls":
        render.hint(PAIRS)
    if one.measure and one.measure.against == "before":
        render.hint(UNCONTROLLED)
    if one.verdict == "retire" and one.state == "promoted":
        render.hint(_retire(one))


def _facts(one: Effect, now: int) -> Iterator[tuple[str, str]]:
    """Label and value of everything that is known."""
    from agent_riggs.learn.effect import in_words

    yield "verdict", f"{one.verdict}: {one.reason}"
    yield "promoted", _served(one, now)
    for arm in (one.before, one.told, one.untold, one.held_out):
        yield _NAMES[arm.name], " ".join(_sentences(arm))
    for measure in one.also:
        yield "also", in_words(measure)
    yield "key", one.candidate_key


def _served(one: Effect, now: int) -> str:
    told = {"after": "after the failure", "before": "before the call"}.get(one.when, "before the call and after it")
    until = f"; {one.state} {text.ago(one.until, now)}" if one.until else ""
    return f"{text.ago(one.since, now)}, to be told {told}{until}"


def _sentences(arm: Arm) -> Iterator[str]:
    """What became of the sessions of an arm."""
    if not arm.sessions:
        return
    times = f", {text.many(arm.times, 'time')} in all" if arm.met else ""
    yield f"{arm.met or 'none'} of {text.many(arm.sessions, 'session')} met it{times}."
    if arm.name == "told":
        yield f"A transcript shows the text in {arm.seen:,}."
    if arm.looked_at:
        latest = f"the latest {arm.looked_at}" if arm.looked_at < arm.met else f"{arm.looked_at}"
        mean = f", {_number(arm.mean_calls)} on average" if arm.mean_calls != arm.median_calls else ""
        calls = f"{_number(arm.median_calls)} {'call' if arm.median_calls == 1 else 'calls'} (median{mean})"
        yield f"{arm.ended} of {latest} recovered, after {calls}; {arm.again or 'none'} failed again on the way."
    if arm.followed is not None:
        anyway = "" if arm.name == "told" else " anyway"
        yield f"{arm.followed} did what the fix says{anyway}, {arm.followed_ended} of these recovered."


def _retire(one: Effect) -> str:
    return f"to retire it: agent-riggs ratchet retire {shlex.quote(one.candidate_key)} --reason WHY"
