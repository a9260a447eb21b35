"""``brief`` and ``metrics``: the memory in a few lines, and over time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from agent_riggs.faces import here, render, text
from agent_riggs.faces.here import Here
from agent_riggs.faces.options import Count, command, json_option, pass_here
from agent_riggs.faces.render import Column

if TYPE_CHECKING:
    from agent_riggs.store.periods import By
    from agent_riggs.store.rows import PeriodRow


@command("brief", ("agent-riggs brief", "agent-riggs brief --budget 600"), "report.brief:Brief", many_rows=False)
@click.option("--budget", type=Count(80), default=1500, show_default=True, help="At most this many characters.")
@json_option
@pass_here
def brief(at: Here, budget: int, as_json: bool) -> None:
    """The memory in a few lines, for the start of a session.

    Trust, the fixes that are served, and how many failures wait for a decision. Says nothing when there is nothing to
    say.
    """
    from agent_riggs.faces import served
    from agent_riggs.report import brief as briefs

    project = here.project(at)
    with here.reading(at) as conn:
        found = briefs.brief(here.memory(at, project, conn), served.ratchets(at, project))
    if as_json:
        render.emit_json(found)
        return
    for line in briefs.lines(found, budget):
        render.say(line)


@command("metrics", ("agent-riggs metrics", "agent-riggs metrics --by month --limit 6"), "store.rows:PeriodRow")
@click.option("--by", type=click.Choice(["day", "week", "month"]), default="week", show_default=True, help="Period.")
@click.option("--limit", type=Count(), default=12, show_default=True, help="The last so many with a call in them.")
@json_option
@pass_here
def metrics(at: Here, by: By, limit: int, as_json: bool) -> None:
    """Is it getting better? Failures and trust by week.

    "met before" counts the failures that an earlier session had met already: what a served fix could have spared.
    """
    from agent_riggs.report.metrics import trend
    from agent_riggs.store.periods import periods

    with here.reading(at) as conn:
        rows = periods(conn, by, limit, at.now)
        none = here.nothing(conn, "calls", "No calls.")
    if as_json:
        render.emit_json(rows)
        return
    if not rows:
        render.say(none)
        return
    titles = [
        Column(by),
        Column("sessions", right=True, drop=3),
        Column("calls", right=True),
        Column("failures", right=True),
        Column("in 100 calls", right=True),
        Column("", picture=True, drop=1, style="yellow"),
        Column("met before", right=True),
        Column("checks failed", right=True, drop=5),
        Column("rejected", right=True, drop=4),
        Column("baseline", right=True),
        Column("promoted", right=True, drop=2),
    ]
    drawn = render.bars([row.per_hundred for row in rows])
    render.table(titles, [_row(row, by, one) for row, one in zip(rows, drawn, strict=True)])
    render.say(trend(rows))
    render.hint(
        "met before: failures that an earlier session had met; baseline: the slowest average of trust, at its end"
    )


def _row(row: PeriodRow, by: str, drawn: str) -> list[str]:
    counts = (row.met_before, row.checks_failed, row.rejected)
    return [
        text.day(row.begins)[: 7 if by == "month" else 10],
        f"{row.sessions:,}",
        f"{row.calls:,}",
        f"{row.failures:,}",
        f"{row.per_hundred:.1f}",
        drawn,
        *(f"{count:,}" for count in counts),
        "-" if row.trust is None else f"{row.trust:.2f}",
        f"{row.promoted:,}",
    ]
