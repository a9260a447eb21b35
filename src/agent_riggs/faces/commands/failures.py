"""``failures``: what keeps going wrong, worst first."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import click

from agent_riggs.faces import endings, filters, here, render, text
from agent_riggs.faces.here import Here, Listed
from agent_riggs.faces.options import command, days_option, json_option, limit_option, pass_here
from agent_riggs.faces.render import Column

if TYPE_CHECKING:
    from agent_riggs.store.queries import Named
    from agent_riggs.store.rows import FailureRow

EVERYTHING = 1_000_000
"""Rows that ``--all`` lists at most."""

OLDER = "those of one session alone, and older ones: agent-riggs failures --all"


@command(
    "failures",
    (
        "agent-riggs failures",
        "agent-riggs failures --tool Bash --days 7",
        "agent-riggs failures --class 'module missing'",
        "agent-riggs failures --all --json | jq '.[] | select(.sessions > 3) | .shape'",
    ),
    "store.rows:FailureRow",
)
@limit_option(10)
@days_option
@filters.tool_option
@filters.class_option
@filters.agent_option("failures")
@click.option("--all", "everything", is_flag=True, help="All of them, however old and even if met only once.")
@json_option
@pass_here
def failures(
    at: Here,
    limit: int,
    days: int,
    tool: str | None,
    failure_class: str | None,
    agent: str | None,
    everything: bool,
    as_json: bool,
) -> None:
    """What keeps failing, and what ended it; that of most sessions first.

    What only looked for something that is not there, each time something else, comes last. "calls lost" is the median
    number of calls from the failure to what ended it. "ended by" is sure: at least 3 sessions, and 70% of those in
    which it ended. "often" and "sometimes ended by" are not: half of them or more, and fewer.
    """
    from agent_riggs.faces import served
    from agent_riggs.report.endings import failures as with_endings
    from agent_riggs.store import queries

    told = served.by_fingerprint(at)
    with here.reading(at) as conn:
        since = 0 if everything else queries.last_activity(conn, at.now) - days * queries.DAY
        most, least = (EVERYTHING, 1) if everything else (limit, 2)
        rows = with_endings(conn, since, at.now, most, least, tool, agent, failure_class)
        rows = [replace(row, told=told.get(row.key)) for row in rows] if told else rows
        none = here.nothing(conn, "failures", _nothing(tool, failure_class, agent, everything))
        asked: list[tuple[Named, str | None]] = [("tool", tool), ("class", failure_class), ("agent", agent)]
        meant = [] if rows else filters.meant(conn, asked)
        older = not (rows or everything or any(value for _, value in asked) or queries.is_empty(conn))
    if as_json:
        render.emit_json(rows)
    elif rows:
        shown = show_table(rows, at.now)
        here.remember_rows(at, [Listed(row.turn_id, row.key) for row in rows])
        render.explain({"calls lost": "from the failure to what ended it (median)"}, shown)
        render.hint("one of them in full: agent-riggs explain NUMBER")
    else:
        render.say(none)
    filters.tell([*meant, *([OLDER] if older else [])])


def _nothing(tool: str | None, failure_class: str | None, agent: str | None, everything: bool) -> str:
    """What is said when no row is left, with the filters that left none."""
    of_tool = f" of tool {tool}" if tool else ""
    of_class = f" of class {failure_class.replace('_', ' ')}" if failure_class else ""
    of_agent = f" of agent {agent}" if agent else ""
    only = f"{of_tool}{of_class}{of_agent}"
    return f"No failures{only}." if everything else f"No failure{only} came back."


def show_table(rows: list[FailureRow], now: int) -> list[str]:
    """Numbered failures, one paragraph each. Returns the heads of the columns that had room."""
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
    return render.table(titles, [_row(number, row, now, several) for number, row in enumerate(rows, 1)])


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
        (headline(row), *([row.shape] if row.shape else []), *ending(row), *seen_in, *_look(row), *_told(row)),
    ]


def _look(row: FailureRow) -> list[str]:
    return ["a look: each time something else was not there"] if row.look else []


def _told(row: FailureRow) -> list[str]:
    return [f"promoted: the agent is told: {row.told}"] if row.told else []


def ending(row: FailureRow) -> list[str]:
    """What ended the failure, in a sentence; nothing when that is not known."""
    if row.ended_by and row.fix_source == "user_said":
        return [f"the user said: {row.ended_by}  ({row.ended_in or 0:,} of {text.many(row.looked_at or 0, 'session')})"]
    if row.ended_by:
        support, ended = row.ended_in or 0, row.ended or 0
        share = endings.share(support, ended, row.looked_at or ended, row.sessions)
        return [f"{endings.label(support, ended)}: {row.ended_by}  ({share})"]
    if row.edited:
        return [f"{endings.EDITS}  ({row.edited:,} of {text.many(row.ended or row.edited, 'session')})"]
    return ["never ended"] if row.unrecovered == 1 else []


def headline(row: FailureRow) -> str:
    """Tool, program and class in words: "Bash, git push: network"."""
    who = f"{row.tool}, {row.program}" if row.program else row.tool
    return f"{who}: {(row.failure_class or row.category).replace('_', ' ')}"
