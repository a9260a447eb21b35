"""``sessions`` and ``trust``: how single sessions, tools and models did."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from agent_riggs.faces import here, render, text
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
@click.option("--agent", help="Only sessions of this agent, for example claude_code.")
@json_option
@pass_here
def sessions(at: Here, limit: int, agent: str | None, as_json: bool) -> None:
    """The sessions that were read, latest first."""
    from agent_riggs.store import queries

    with here.reading(at) as conn:
        rows = queries.sessions(conn, limit, agent)
    if as_json:
        render.emit_json(rows)
        return
    _show_sessions(rows, at.now)


def _show_sessions(rows: list[SessionRow], now: int) -> None:
    if not rows:
        render.say("No sessions.")
        return
    titles = [
        Column("session", flexible=False, style="cyan"),
        Column("agent", drop=1),
        Column("started", drop=3),
        Column("lasted", right=True, drop=4),
        Column("calls", right=True),
        Column("failures", right=True),
        Column("trust", right=True),
        Column("change", right=True, drop=2),
    ]
    render.table(titles, [_session(row, now) for row in rows])


def _session(row: SessionRow, now: int) -> list[str]:
    return [
        row.session_id,
        row.agent,
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

    Three averages, from what just happened to what is usual here. Every call scores between 0 and 1 (a failure 0.2,
    the same failure again 0). "now" follows the last few calls, "session" the last dozens, "baseline" the last
    hundred and more. Without --by, --json prints an object with now, session, baseline, at; null when no call was
    scored.
    """
    from agent_riggs.store import queries

    with here.reading(at) as conn:
        if by is None:
            show_trust(queries.trust(conn), at.now, as_json)
            return
        since = queries.last_activity(conn, at.now) - days * queries.DAY
        rows = queries.trust_by(conn, by, since, limit)
    if as_json:
        render.emit_json(rows)
        return
    _show_shares(rows, by, at.now)


def show_trust(found: Trust | None, now: int, as_json: bool) -> None:
    """The three averages with their direction."""
    from agent_riggs.report.status import direction

    if as_json:
        render.emit_json(found)
    elif found is None:
        render.say("No call was scored yet.")
    else:
        render.fields(
            [
                ("now", f"{found.now:.2f}  {direction(found.now, found.session)}"),
                ("session", f"{found.session:.2f}  {direction(found.session, found.baseline)}"),
                ("baseline", f"{found.baseline:.2f}"),
                ("last call", text.ago(found.at, now)),
            ]
        )
        render.hint("where it comes from: agent-riggs trust --by tool")


def _show_shares(rows: list[TrustShare], by: str, now: int) -> None:
    if not rows:
        render.say("No calls.")
        return
    titles = [
        Column(by, flexible=by != "session", style="cyan"),
        Column("calls", right=True),
        Column("failed", right=True),
        Column("checks failed", right=True, drop=2),
        Column("refused", right=True, drop=3),
        Column("mean score", right=True),
        Column("last used", drop=1),
    ]
    render.table(titles, [_share(row, now) for row in rows])


def _share(row: TrustShare, now: int) -> list[str]:
    counts = [f"{count:,}" for count in (row.calls, row.failed, row.check_failed, row.denied)]
    return [row.name, *counts, _score(row.score), text.ago(row.last_seen, now)]
