"""``ratchet``: from what keeps failing to a fix that is served, by a human's decision."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import click

from agent_riggs.faces import completing, evidence, here, render, text
from agent_riggs.faces.commands import decide, effect, review
from agent_riggs.faces.here import Here
from agent_riggs.faces.options import Count, Group, command, json_option, pass_here
from agent_riggs.faces.render import Column

if TYPE_CHECKING:
    from agent_riggs.faces.deciding import DecisionRow
    from agent_riggs.learn.evidence import Candidate
    from agent_riggs.learn.ledger import Decision

TOP = 3
"""Candidates shown unless all are asked for: more proposals are not read."""


@click.group("ratchet", cls=Group, short_help="Decide which fix the agent is told when a failure returns.")
def ratchet() -> None:
    """Decide which fix the agent is told when a failure returns.

    What keeps failing is a candidate until you decide: promote it with a fix, reject it, or snooze it. A promoted one
    is a ratchet: the agent is told its fix when it fails that way again, as long as you do not retire it. Nothing is
    ever promoted by itself.

    KEY is the number of a row just listed, a candidate's key, its fingerprint, or the beginning of either.
    """


ratchet.examples = (
    "agent-riggs ratchet review                       # candidate by candidate, one key each",
    "agent-riggs ratchet candidates                   # or list them, and decide by number:",
    "agent-riggs ratchet promote 1 --fix 'use uv run'",
)


@command(
    "candidates",
    ("agent-riggs ratchet candidates", "agent-riggs ratchet candidates --all --json | jq '.[].candidate_key'"),
    "learn.evidence:Candidate",
)
@click.option("--limit", type=Count(), help="A table of so many, instead of the first three in full.")
@click.option("--all", "everything", is_flag=True, help="All of them, the rare ones too.")
@json_option
@pass_here
def candidates(at: Here, limit: int | None, everything: bool, as_json: bool) -> None:
    """What waits for a decision, worst first.

    Failures, ranked by a lower bound of the calls that a fix would have saved; behind them wider keys, which cover
    many failures, and suggestions. Shows the first three.
    """
    from agent_riggs.faces import deciding

    with here.reading(at) as conn:
        found = deciding.open_candidates(at, conn, everything)
        waiting = deciding.waiting(at, conn)
        none = here.nothing(conn, "candidates", deciding.NONE)
        decided = deciding.standing(at, conn)
        older = deciding.fell_out(at, conn) if waiting < TOP and not as_json else ""
    shown = found[: limit or (len(found) if everything else TOP)]
    if as_json:
        render.emit_json(shown)
        return
    deciding.remember(at, shown)
    if older:
        render.hint(older)
    if not shown:
        render.say(none)
        return
    _show_candidates(shown, decided, in_full=not (limit or everything))
    if len(shown) < len(found):
        render.hint(f"{_counted(found, waiting)}: agent-riggs ratchet candidates --limit {len(found)}")
    render.hint("one by one, a key each: agent-riggs ratchet review")


def _counted(found: Sequence[Candidate], waiting: int) -> str:
    """How much there is, in the words of ``status``."""
    others = sum(one.candidate_type != "failure_pattern" for one in found)
    failures = text.many(waiting, "failure that keeps", "failures that keep") + " coming back"
    return f"{failures}, {text.many(others, 'wider key or suggestion', 'wider keys and suggestions')}"


def _show_candidates(shown: Sequence[Candidate], decided: Mapping[str, Decision], in_full: bool) -> None:
    if not in_full:
        titles = [
            Column("", right=True),
            Column("sessions", right=True),
            Column("times", right=True),
            Column("key", drop=1),
            Column("what", flexible=True),
        ]
        render.table(titles, [_row(number, one) for number, one in enumerate(shown, 1)])
    else:
        for number, one in enumerate(shown, 1):
            evidence.show(one, number, decided=decided.get(one.candidate_key))
            render.say(f"   {evidence.commands(one)[0]}")
            render.say()


def _row(number: int, one: Candidate) -> list[render.Cell]:
    known = one.evidence
    times = known.get("occurrences") or known.get("frequency") or known.get("nudges") or 0
    lines = tuple(
        line for line in (evidence.headline(one), str(known.get("shape") or ""), evidence.ending(one)) if line
    )
    sessions = known.get("sessions_affected") or known.get("sessions") or 0
    return [str(number), f"{sessions:,}", f"{times:,}", one.candidate_key, lines]


@command(
    "show",
    ("agent-riggs ratchet show 1", "agent-riggs ratchet show f924658a0c889bec6"),
    "learn.evidence:Candidate",
    many_rows=False,
)
@click.argument("key", shell_complete=completing.keys)
@json_option
@pass_here
def show(at: Here, key: str, as_json: bool) -> None:
    """One candidate with all its evidence."""
    from agent_riggs.faces import deciding
    from agent_riggs.learn.candidates import covered
    from agent_riggs.learn.replay import replay as replay_of

    with here.reading(at) as conn:
        found = deciding.find_candidate(at, conn, key)
        if as_json:
            render.emit_json(found)
            return
        coarse = found.candidate_type == "constraint_promotion"
        decided = deciding.standing(at, conn).get(found.candidate_key)
        evidence.show(found, covered=covered(conn, found) if coarse else None, decided=decided)
        render.paragraph(replay_of(conn, found).line(), "   ")
    render.say()
    for line in evidence.commands(found, decided):
        render.say(f"   {line}")


@command(
    "replay",
    ("agent-riggs ratchet replay 1", "agent-riggs ratchet replay 1 --fix 'run it without rtk' --json"),
    "learn.replay:Replay",
    many_rows=False,
)
@click.argument("key", shell_complete=completing.keys)
@click.option("--fix", metavar="TEXT", help="Compare with this fix instead of the mined one.")
@json_option
@pass_here
def replay(at: Here, key: str, fix: str | None, as_json: bool) -> None:
    """What a fix would have done in past sessions.

    How often it would have been told, and how often it was what ended the failure.
    """
    from agent_riggs.faces import deciding
    from agent_riggs.learn.replay import replay as replay_of

    with here.reading(at) as conn:
        found = deciding.find_candidate(at, conn, key)
        made = replay_of(conn, found, fix)
    if as_json:
        render.emit_json(made)
        return
    render.say(evidence.headline(found), "bold")
    render.say(f"   {made.line()}")


@command(
    "list",
    ("agent-riggs ratchet list", "agent-riggs ratchet list --json | jq '.[].fix'"),
    "faces.deciding:DecisionRow",
)
@json_option
@pass_here
def list_(at: Here, as_json: bool) -> None:
    """Which fixes the agent is told.

    Foreign ones, which the store holds but which were not decided here, are listed and not told: see "agent-riggs
    ratchet adopt". Neither are lost ones, decided here and gone from your log.
    """
    from agent_riggs.faces import deciding
    from agent_riggs.faces.served import tell_unheard
    from agent_riggs.learn import ledger
    from agent_riggs.learn.effect import measured
    from agent_riggs.learn.promotions import told_enough

    with here.reading(at) as conn:
        log = deciding.read_log(at)
        foreign = [one for one in ledger.foreign(conn, log) if one.state == "promoted"]
        verdicts = {one.candidate_key: one.verdict for one in measured(conn, told_enough(conn, log))}
    served = [deciding.row_of(one, verdicts.get(one.candidate_key, "")) for one in ledger.live(log)]
    rows = [*served, *map(deciding.row_of, foreign)]
    if as_json:
        render.emit_json(rows)
        return
    _show_decisions(at, rows, "No ratchet is served yet.")
    if foreign:
        render.hint(deciding.FOREIGN)
    tell_unheard(at)


@command(
    "history",
    ("agent-riggs ratchet history", "agent-riggs ratchet history --json"),
    "faces.deciding:DecisionRow",
)
@json_option
@pass_here
def history(at: Here, as_json: bool) -> None:
    """Every decision, newest first."""
    from agent_riggs.faces import deciding
    from agent_riggs.learn import ledger

    with here.reading(at) as conn:
        rows = [deciding.row_of(one) for one in ledger.history(conn, deciding.read_log(at))]
    if as_json:
        render.emit_json(rows)
        return
    _show_decisions(at, rows, "Nothing was decided yet.")


def _show_decisions(at: Here, rows: Sequence[DecisionRow], none: str) -> None:
    if not rows:
        render.say(none)
        return
    effects = any(row.effect for row in rows)
    titles = [
        Column("", right=True),
        Column("decided", drop=1),
        Column("by", drop=2),
        Column("state"),
        *([Column("effect", drop=3)] if effects else []),
        Column("key and fix", flexible=True),
    ]
    here.remember_rows(at, [here.Listed(None, row.candidate_key) for row in rows])
    render.table(titles, [_decision(number, row, at.now, effects) for number, row in enumerate(rows, 1)])


def _decision(number: int, row: DecisionRow, now: int, effects: bool) -> list[render.Cell]:
    until = f" until {text.day(row.until)}" if row.until else ""
    changed = row.state if row.state == row.decision else f"{row.decision}, {row.state}"
    state = "lost" if row.lost else "foreign" if row.foreign else changed
    return [
        str(number),
        text.ago(row.decided_at, now),
        row.decided_by,
        state + until,
        *([row.effect or "-"] if effects else []),
        tuple(line for line in (text.cut(row.candidate_key, 300), row.fix or row.reason) if line),
    ]


for _member in (
    candidates,
    review.review,
    show,
    replay,
    decide.promote,
    decide.reject,
    decide.snooze,
    list_,
    effect.effect,
    history,
    decide.retire,
    decide.adopt,
):
    ratchet.add_command(_member)
