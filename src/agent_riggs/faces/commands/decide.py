"""The commands by which a human decides: promote, reject, snooze, retire, adopt."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from agent_riggs.errors import UsageError
from agent_riggs.faces import completing, evidence, here, render
from agent_riggs.faces.here import Here
from agent_riggs.faces.options import Body, command, pass_here

if TYPE_CHECKING:
    from agent_riggs.learn.evidence import Candidate
    from agent_riggs.learn.log import Entry
    from agent_riggs.store.queries import Connection


def human_option(body: Body) -> Body:
    """``--i-am-human``: for a human in an agent's terminal."""
    return click.option("--i-am-human", is_flag=True, help="Decide although an agent's variables are set here.")(body)


key_argument = click.argument("key", shell_complete=completing.keys)


@command(
    "promote",
    (
        "agent-riggs ratchet promote 1",
        "agent-riggs ratchet promote f924658a0c889bec6 --fix 'run it without rtk' --reason 'rtk has no bun'",
    ),
)
@key_argument
@click.option("--fix", metavar="TEXT", help="What the agent is told when it fails this way again.")
@click.option("--edit", is_flag=True, help="Write the fix in your editor.")
@click.option("--reason", metavar="TEXT", help="Why; kept with the decision.")
@click.option(
    "--when",
    type=click.Choice(["after", "before", "both"]),
    default="after",
    show_default=True,
    help="Advise after the failure, or before a call that begins like those that failed.",
)
@human_option
@pass_here
def promote(at: Here, key: str, fix: str | None, edit: bool, reason: str | None, when: str, i_am_human: bool) -> None:
    """From now on the agent is told a fix when it fails this way.

    Without --fix the mined fix is shown and confirmed first. With --fix and --reason nothing is asked.
    """
    from agent_riggs.faces import deciding
    from agent_riggs.faces.served import tell_unheard
    from agent_riggs.learn.replay import replay

    deciding.require_human(at, i_am_human)
    with here.reading(at) as conn:
        found = deciding.find_candidate(at, conn, key)
        told = replay(conn, found, fix).line()
    if fix is None or reason is None:
        evidence.show(found)
        render.paragraph(told, "   ")
    for warning in deciding.warnings(at, found):
        render.tell(f"warning: {warning}", "yellow")
    text = fix if fix is not None else _fix(found, edit)
    evidence.beware(found, text)
    made = deciding.promote(at, found, text, reason or "", when)
    render.say(f"promoted {made.candidate_key}")
    render.say(f"the agent will be told{evidence.moment(found)}: {made.fix}")
    render.hint(f"to take it back: agent-riggs ratchet retire {shlex.quote(made.candidate_key)} --reason WHY")
    tell_unheard(at)


def _fix(candidate: Candidate, edit: bool) -> str:
    """The fix text: from the editor, or the mined one once the human said yes, or typed."""
    if edit:
        text = click.edit(candidate.fix) or ""
    elif candidate.fix and click.confirm(f"promote with this fix: {render.one_line(candidate.fix)}?", err=True):
        text = candidate.fix
    else:
        text = click.prompt("fix", default="", show_default=False, err=True)
    if not text.strip():
        raise UsageError("nothing was promoted: there is no fix to serve", "give one with --fix TEXT")
    return text.strip()


def _no_longer(served: bool) -> str:
    return "; its fix is served no longer" if served else ""


@command("reject", ("agent-riggs ratchet reject 2 --reason 'a test that is meant to fail'",))
@key_argument
@click.option("--reason", metavar="TEXT", required=True, help="Why; kept with the decision.")
@human_option
@pass_here
def reject(at: Here, key: str, reason: str, i_am_human: bool) -> None:
    """Never propose a candidate again."""
    from agent_riggs.faces import deciding

    deciding.require_human(at, i_am_human)
    with here.reading(at) as conn:
        found = deciding.find_candidate(at, conn, key)
    served = deciding.is_served(at, found.candidate_key)
    render.say(f"rejected {deciding.reject(at, found, reason).candidate_key}{_no_longer(served)}")


@command("snooze", ("agent-riggs ratchet snooze 2 --until 30d", "agent-riggs ratchet snooze 2 --until 2027-01-31"))
@key_argument
@click.option("--until", metavar="WHEN", required=True, help="30d, 2w, or a date: when it is proposed again.")
@click.option("--reason", metavar="TEXT", default="", help="Why; kept with the decision.")
@human_option
@pass_here
def snooze(at: Here, key: str, until: str, reason: str, i_am_human: bool) -> None:
    """Put a candidate off until a date."""
    from agent_riggs.faces import deciding, text

    deciding.require_human(at, i_am_human)
    date = deciding.parse_until(until, at.now)
    with here.reading(at) as conn:
        found = deciding.find_candidate(at, conn, key)
    served = deciding.is_served(at, found.candidate_key)
    made = deciding.snooze(at, found, date, reason)
    render.say(f"snoozed {made.candidate_key} until {text.day(date)}{_no_longer(served)}")


@command("retire", ("agent-riggs ratchet retire f924658a0c889bec6 --reason 'fixed upstream'",))
@key_argument
@click.option("--reason", metavar="TEXT", required=True, help="Why; kept with the decision.")
@human_option
@pass_here
def retire(at: Here, key: str, reason: str, i_am_human: bool) -> None:
    """From now on the agent is not told this fix any more."""
    from agent_riggs.faces import deciding
    from agent_riggs.learn import ledger

    deciding.require_human(at, i_am_human)
    with here.reading(at) as conn:
        log = deciding.read_log(at)
        promoted = [one for one in ledger.history(conn, log) if one.state == "promoted"]
    wanted = deciding.find_decision(at, key, promoted, "live ratchet").candidate_key
    made = deciding.retire(at, wanted, reason)
    render.say(f"retired {made.candidate_key}")


@command("adopt", ("agent-riggs ratchet adopt failure-Bash-implement",))
@key_argument
@human_option
@pass_here
def adopt(at: Here, key: str, i_am_human: bool) -> None:
    """Make a foreign decision your own, after reading it.

    A decision that the store holds and your own log does not is never served until you adopt it. Every text that the
    agent would be told is shown first, as it would be told; of the rest of it nothing is kept.
    """
    from agent_riggs.faces import deciding
    from agent_riggs.learn import decisions, ledger

    deciding.require_human(at, i_am_human)
    book = deciding.ledger_of(at)
    with here.reading(at) as conn:
        log = deciding.read_log(at)
        found = deciding.find_decision(at, key, ledger.foreign(conn, log), "foreign decision")
        entry = decisions.adoption(conn, book, log, found.decision_id, now=at.now)
        shown = [("key", entry.candidate_key), ("decision", entry.decision), *_told(conn, entry)]
    render.fields(shown)
    if not click.confirm("make this decision yours?", err=True):
        render.say("nothing was adopted: it stays foreign and is not served")
        return
    made = deciding.decide(
        at, lambda conn, book: decisions.adopt(conn, book, found.decision_id, now=at.now, shown_as=entry)
    )
    render.say(f"adopted {made.candidate_key}")


def _told(conn: Connection, entry: Entry) -> Iterator[tuple[str, str]]:
    """Every text of a decision that an agent will be told, word for word."""
    from agent_riggs.faces import served
    from agent_riggs.learn import ledger, publish
    from agent_riggs.report.brief import line_of

    if entry.decision == "promoted":
        one = ledger.shown(entry, entry.decision)
        yield "tells the agent", publish.told(conn, one)
        yield "in a brief", line_of(served.served(one))
    yield "kibitzer tells" if entry.decision == "promoted" else "reason", entry.reason
