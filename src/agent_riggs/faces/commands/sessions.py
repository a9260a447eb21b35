"""``sessions`` and ``trust``: how single sessions, tools and models did."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from agent_riggs.faces import averages, filters, here, render, text
from agent_riggs.faces.here import Here
from agent_riggs.faces.options import command, days_option, json_option, limit_option, pass_here
from agent_riggs.faces.render import Column

if TYPE_CHECKING:
    from agent_riggs.store.queries import By
    from agent_riggs.store.rows import SessionRow, Trust, TrustShare


@command(
    "sessions",
    ("agent-riggs sessions", "agent-riggs sessions --agent codex --limit 50"),
    "store.rows:SessionRow",
)
@limit_option(20)
@filters.agent_option("sessions")
@json_option
@pass_here
def sessions(at: Here, limit: int, agent: str | None, as_json: bool) -> None:
    """The sessions that were read, latest first."""
    from agent_riggs.store import queries

    with here.reading(at) as conn:
        rows = queries.sessions(conn, limit, agent)
        none = here.nothing(conn, "sessions", "No sessions.")
        meant = [] if rows else filters.meant(conn, [("agent", agent)])
    if as_json:
        render.emit_json(rows)
    elif rows:
        _show_sessions(rows, at.now)
    else:
        render.say(none)
    filters.tell(meant)


def _show_sessions(rows: list[SessionRow], now: int) -> None:
    agents = {row.agent for row in rows}
    titles = [
        Column("session", style="cyan"),
        *([Column("agent", drop=2)] if len(agents) > 1 else []),
        Column("started", drop=1),
        Column("lasted", right=True, drop=5),
        Column("calls", right=True),
        Column("failures", right=True),
        Column("trust", right=True, drop=3),
        Column("change", right=True, drop=4),
    ]
    shown = render.table(titles, [_session(row, now, len(agents) > 1) for row in rows])
    if len(agents) == 1:
        render.hint(f"all of them by {agents.pop()}")
    told = {"trust": '"now" after the last call', "change": "since the first"}
    render.explain(told, shown)


def _session(row: SessionRow, now: int, several: bool) -> list[str]:
    """One session; its agent is told where the list has several."""
    return [
        row.session_id,
        *([row.agent] if several else []),
        text.ago(row.started_at, now),
        text.seconds(row.duration) if row.duration is not None else "-",
        f"{row.calls:,}",
        f"{row.failures:,}",
        _score(row.trust_end),
        f"{row.trust_delta:+.2f}" if row.trust_delta is not None else "-",
    ]


def _score(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"


@command("trust", ("agent-riggs trust", "agent-riggs trust --by tool --days 7"), "store.rows:TrustShare")
@click.option("--by", type=click.Choice(["tool", "model", "session"]), help="Compare tools, models or sessions.")
@days_option
@limit_option(20)
@json_option
@pass_here
def trust(at: Here, by: By | None, days: int, limit: int, as_json: bool) -> None:
    """How far the agents can be trusted, by tool, model, session.

    Three averages, from what just happened to what is usual here. Every call scores between 0 and 1 (a failure 0.2, the
    same failure again 0, a success 1, or 0.7 in a shell where a tool of the agent's would do). "now" follows the last
    few calls, "session" the last dozens, "baseline" the last hundred and more. Without --by, --json prints an object
    with now, session, baseline, at; null when no call was scored.
    """
    from agent_riggs.store import queries

    with here.reading(at) as conn:
        if by is None:
            none = here.nothing(conn, "trust", "No call was scored yet.")
            show_trust(queries.trust(conn), at.now, as_json, none)
            return
        since = queries.last_activity(conn, at.now) - days * queries.DAY
        rows = queries.trust_by(conn, by, since, limit)
        none = here.nothing(conn, "calls", "No calls.")
    if as_json:
        render.emit_json(rows)
    elif rows:
        _show_shares(rows, by, at.now)
    else:
        render.say(none)


def show_trust(found: Trust | None, now: int, as_json: bool, none: str) -> None:
    """The three averages with their direction."""
    if as_json:
        render.emit_json(found)
    elif found is None:
        render.say(none)
    else:
        shown = zip(("now", "session", "baseline"), averages.in_words(found), strict=True)
        render.fields([*shown, ("last call", text.ago(found.at, now))])
        render.hint("where it comes from: agent-riggs trust --by tool")


def _show_shares(rows: list[TrustShare], by: str, now: int) -> None:
    titles = [
        Column(by, flexible=by != "session", style="cyan"),
        Column("calls", right=True),
        Column("failed", right=True),
        Column("checks failed", right=True, drop=3),
        Column("refused", right=True, drop=4),
        Column("mean score", right=True),
        Column("missing to 1", picture=True, drop=2, style="yellow"),
        Column("last used", drop=1),
    ]
    missing = render.bars([0.0 if row.score is None else max(1.0 - row.score, 0.0) for row in rows])
    render.table(titles, [_share(row, drawn, now) for row, drawn in zip(rows, missing, strict=True)])
    render.hint("mean score: a success scores 1, or 0.7 in a shell where a tool of the agent's would do,")
    render.hint("a failure 0.2, the same failure again 0")


def _share(row: TrustShare, missing: str, now: int) -> list[str]:
    counts = [f"{count:,}" for count in (row.calls, row.failed, row.check_failed, row.denied)]
    return [row.name, *counts, _score(row.score), missing, text.ago(row.last_seen, now)]
