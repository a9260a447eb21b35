"""``sources`` and ``problems``: what was looked at, what was understood, what could not be read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agent_riggs.faces import here, render, text
from agent_riggs.faces.here import Here
from agent_riggs.faces.options import command, json_option, limit_option, pass_here
from agent_riggs.faces.render import Column

if TYPE_CHECKING:
    from agent_riggs.report.sources import SourceReport
    from agent_riggs.store.rows import ProblemRow


@command(
    "problems",
    ("agent-riggs problems", "agent-riggs problems --json | jq -r '.[].path' | sort -u"),
    "store.rows:ProblemRow",
)
@limit_option(50)
@json_option
@pass_here
def problems(at: Here, limit: int, as_json: bool) -> None:
    """What could not be read: which file, which line, why."""
    from agent_riggs.store import queries

    with here.reading(at) as conn:
        rows = queries.problems(conn, limit)
        none = here.nothing(conn, "problems", "No problems: everything that was found could be read.")
    if as_json:
        render.emit_json(rows)
        return
    if not rows:
        render.say(none)
        return
    titles = [Column("where", flexible=True), Column("why", flexible=True), Column("first met", drop=1)]
    render.table(titles, [[_place(row), row.reason, text.ago(row.seen_at, at.now)] for row in rows])


def _place(row: ProblemRow) -> str:
    return row.path if row.line is None else f"{row.path}:{row.line}"


@command(
    "sources",
    ("agent-riggs sources", "agent-riggs sources --json | jq '.[] | .unknown'"),
    "report.sources:SourceReport",
)
@json_option
@pass_here
def sources(at: Here, as_json: bool) -> None:
    """Where transcripts were looked for, and how many understood."""
    from agent_riggs.ingest.discover import folders_beside
    from agent_riggs.report.sources import report
    from agent_riggs.sources import SISTERS, SOURCES
    from agent_riggs.store import queries

    beside = folders_beside(SISTERS, here.project(at), at.environ)
    with here.reading(at) as conn:
        rows = report(SOURCES, queries.coverage(conn), at.environ, at.home, beside)
    if as_json:
        render.emit_json(rows)
        return
    for row in (row for row in rows if _is_there(row)):
        _show(row, at.now)
    _show_absent([row for row in rows if not _is_there(row)])


def _is_there(row: SourceReport) -> bool:
    """Whether there is anything to tell of a source but where it looked in vain."""
    return bool(row.found or row.transcripts or row.suspicious or any(place.exists for place in row.places))


def _show_absent(rows: list[SourceReport]) -> None:
    """The agents that never ran here, a line each."""
    if rows:
        render.say("not on this machine", "bold")
        render.fields([(f"  {row.source}", f"no {_folders(row)}") for row in rows])


def _folders(row: SourceReport) -> str:
    return " and no ".join(place.folder for place in row.places)


def _show(row: SourceReport, now: int) -> None:
    render.say(row.source, "bold")
    looked = ", ".join(place.folder + ("" if place.exists else " (does not exist)") for place in row.places)
    facts = [
        ("looked in", looked),
        (
            "found",
            f"{text.many(row.found, 'transcript')} on this machine; {row.transcripts:,} of this project in the memory",
        ),
        ("understood", _understood(row)),
        ("unknown", ", ".join(f"{name} {count:,}" for name, count in list(row.unknown.items())[:8])),
        ("versions", " ".join(row.versions)),
        ("homes", f"{', '.join(row.homes)}: more than one account?" if len(row.homes) > 1 else ""),
        ("calls", f"{row.calls:,}, {row.failures:,} of them failures" if row.calls else ""),
        ("last read", text.ago(row.last_read, now) if row.last_read else ""),
        ("suspicious", row.suspicious or ""),
    ]
    render.fields([(f"  {label}", value) for label, value in facts if value])


def _understood(row: SourceReport) -> str:
    if not row.lines:
        return ""
    lost = f", {row.not_understood:,} not" if row.not_understood else ""
    gone = f"; {row.gone:,} since deleted, their calls are kept" if row.gone else ""
    return f"{row.lines - row.not_understood:,} of {text.many(row.lines, 'line')}{lost}{gone}"
