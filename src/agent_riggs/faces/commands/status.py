"""``status``: one look at the state of the memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agent_riggs.faces import averages, here, render, text
from agent_riggs.faces.here import Here
from agent_riggs.faces.options import command, json_option, pass_here

if TYPE_CHECKING:
    from agent_riggs.report.status import Status


@command(
    "status",
    ("agent-riggs status", "agent-riggs status --json | jq .trust.now"),
    "report.status:Status",
    many_rows=False,
)
@json_option
@pass_here
def status(at: Here, as_json: bool) -> None:
    """Trust, coverage, what is waiting: one look at the memory."""
    from agent_riggs.faces.served import tell_unheard

    with here.reading(at) as conn:
        found = here.memory(at, here.project(at), conn)
    if as_json:
        render.emit_json(found)
        return
    render.say(found.project, "bold")
    render.fields([*_trust(found), *_memory(found, at.now)])
    tell_unheard(at)
    if found.totals.failures:
        render.hint("what keeps failing: agent-riggs failures")


def _trust(found: Status) -> list[tuple[str, str]]:
    if found.trust is None:
        return [("trust", "unknown until a call was scored")]
    now, session, baseline = averages.in_words(found.trust)
    return [("trust now", now), ("session", session), ("baseline", baseline), *_history(found)]


def _history(found: Status) -> list[tuple[str, str]]:
    if len(found.history) < 2:
        return []
    line = text.sparkline(list(found.history), render.is_plain())
    low, high = min(found.history), max(found.history)
    return [("by session", f"{line}  at the end of the last {len(found.history)}, {low:.2f} to {high:.2f}")]


def _memory(found: Status, now: int) -> list[tuple[str, str]]:
    totals = found.totals
    rows = [
        (
            "memory",
            f"{text.many(totals.calls, 'call')} in {text.many(totals.root_sessions, 'session')}, "
            f"{text.many(totals.failures, 'failure')}",
        ),
        ("last ingest", text.ago(found.last_ingest, now) if found.last_ingest else "never"),
        ("transcripts", _coverage(found)),
    ]
    if totals.own_failures:
        rows.append(("cause unknown", _unspecific(totals.own_unspecific, totals.own_failures)))
    if found.waiting:
        patterns = text.many(found.waiting, "failure that keeps", "failures that keep")
        rows.append(("to decide", f"{patterns} coming back: agent-riggs ratchet candidates"))
    if found.measured:
        rows.append(("effect", found.measured))
    if found.log_trouble:
        rows.append(("decisions", f"{found.log_trouble}: agent-riggs doctor"))
    if totals.problems:
        rows.append(("not readable", f"{text.many(totals.problems, 'problem')}: agent-riggs problems"))
    return rows


def _coverage(found: Status) -> str:
    read = f"{found.transcripts_read:,} of {text.many(found.transcripts, 'transcript')} understood"
    if not found.lines_not_understood:
        return read
    return (
        f"{read}; {found.lines_not_understood:,} of {text.many(found.lines, 'line')} not understood: "
        "agent-riggs sources"
    )


def _unspecific(part: int, whole: int) -> str:
    return f"{text.percent(part, whole)} of own failures have a key that names no cause ({part:,} of {whole:,})"
