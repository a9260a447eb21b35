"""``failures``: what keeps going wrong, worst first."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from agent_riggs.faces import here, render, text
from agent_riggs.faces.here import Here, Listed
from agent_riggs.faces.options import command, days_option, json_option, limit_option, pass_here
from agent_riggs.faces.render import Column

if TYPE_CHECKING:
    from agent_riggs.store.rows import FailureRow

EVERYTHING = 1_000_000
"""Rows that ``--all`` lists at most."""


@command(
    "failures",
    (
        "agent-riggs failures",
        "agent-riggs failures --tool Bash --days 7",
        "agent-riggs failures --all --json | jq '.[] | select(.sessions > 3) | .shape'",
    ),
    "store.rows:FailureRow",
)
@limit_option(10)
@days_option
@click.option("--tool", help="Only failures of this tool, for example Bash.")
@click.option("--agent", help="Only failures of this agent, for example codex.")
@click.option("--all", "everything", is_flag=True, help="All of them, however old and even if met only once.")
@json_option
@pass_here
def failures(
    at: Here, limit: int, days: int, tool: str | None, agent: str | None, everything: bool, as_json: bool
) -> None:
    """What keeps failing, and what ended it; that of most sessions first.

    "calls lost" is the median number of calls from the failure to what ended it.
    """
    from agent_riggs.report.endings import with_endings
    from agent_riggs.store import queries

    with here.reading(at) as conn:
        since = 0 if everything else queries.last_activity(conn, at.now) - days * queries.DAY
        rows = queries.failures(conn, since, EVERYTHING if everything else limit, 1 if everything else 2, tool, agent)
        rows = with_endings(conn, rows, since, at.now)
    if as_json:
        render.emit_json(rows)
        return
    if not rows:
        render.say(_nothing(tool, agent, everything))
        if not everything and not (tool or agent):
            render.hint("those of one session alone, and older ones: agent-riggs failures --all")
        return
    show_table(rows, at.now)
    here.remember_rows(at, [Listed(row.turn_id, row.key) for row in rows])
    render.hint("one of them in full: agent-riggs explain NUMBER")


def _nothing(tool: str | None, agent: str | None, everything: bool) -> str:
    """What is said when no row is left, with the filters that left none."""
    of_tool = f" of tool {tool}" if tool else ""
    of_agent = f" of agent {agent}" if agent else ""
    return f"No failures{of_tool}{of_agent}." if everything else f"No failure{of_tool}{of_agent} came back."


def show_table(rows: list[FailureRow], now: int) -> None:
    """Numbered failures, one paragraph each."""
    titles = [
        Column("", right=True),
        Column("sessions", right=True),
        Column("times", right=True),
        Column("calls lost", right=True, drop=1),
        Column("last seen", drop=2),
        Column("key", drop=3),
        Column("what failed", flexible=True),
    ]
    several = len({agent for row in rows for agent in row.agents}) > 1
    render.table(titles, [_row(number, row, now, several) for number, row in enumerate(rows, 1)])


def _row(number: int, row: FailureRow, now: int, several: bool) -> list[render.Cell]:
    """One failure; where several agents are in the list, each says in which it was seen."""
    seen_in = [f"seen in {', '.join(row.agents)}"] if several else []
    return [
        str(number),
        f"{row.sessions:,}",
        f"{row.times:,}",
        "-" if row.cost is None else f"{row.cost:.0f}",
        text.ago(row.last_seen, now),
        row.key,
        (headline(row), *([row.shape] if row.shape else []), *ending(row), *seen_in),
    ]


def ending(row: FailureRow) -> list[str]:
    """What ended the failure, in a sentence; nothing when that is not known."""
    if row.ended_by and row.fix_source == "user_said":
        return [f"the user said: {row.ended_by}"]
    if row.ended_by:
        return [f"ended by: {row.ended_by}  ({_ended_in(row)})"]
    return ["never ended"] if row.unrecovered == 1 else []


def _ended_in(row: FailureRow) -> str:
    """In how many sessions; of how many, where a failure has more than were looked at."""
    sessions = text.many(row.ended_in or 0, "session")
    if row.looked_at is None or row.looked_at >= row.sessions:
        return sessions
    return f"{row.ended_in or 0:,} of the latest {text.many(row.looked_at, 'session')}"


def headline(row: FailureRow) -> str:
    """Tool, program and class in words: "Bash, git push: network"."""
    who = f"{row.tool}, {row.program}" if row.program else row.tool
    return f"{who}: {(row.failure_class or row.category).replace('_', ' ')}"
