"""What an ingest says when it is done."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from agent_riggs.errors import EXIT_ERROR, EXIT_OK
from agent_riggs.faces import render, text
from agent_riggs.faces.render import Column
from agent_riggs.model import FAILURES
from agent_riggs.paths import same, store_path

if TYPE_CHECKING:
    from agent_riggs.faces.transcripts import Everything
    from agent_riggs.ingest import Summary
    from agent_riggs.sources.base import Source


SHOWN: Final = 12
"""Folders of other projects that are named."""


def places(sources: Mapping[str, Source], environ: Mapping[str, str], home: Path) -> list[Path]:
    """The folders in which transcripts are looked for, each once."""
    from agent_riggs.report.sources import looked_in

    found = (place for name, source in sources.items() for place in looked_in(name, source, environ, home))
    return list(dict.fromkeys(found))


def _tell_places(looked: Sequence[Path]) -> None:
    for place in looked:
        if place.is_dir():
            render.tell(f"  looked in {place}")
    missing = [str(place) for place in looked if not place.is_dir()]
    if missing:
        render.tell(f"  {'these do' if len(missing) > 1 else 'this does'} not exist: {', '.join(missing)}")


def show(summary: Summary, seconds: float, looked: Sequence[Path], quiet: bool, as_json: bool) -> int:
    """Say what was read, and loudly when nothing was or nothing was understood. Returns the exit code."""
    if as_json:
        render.emit_json({**_counts(summary), "seconds": round(seconds, 3)})
    elif summary.is_nothing and not quiet:
        left = "the memory is as it was" if store_path(summary.project).exists() else "nothing was written"
        render.say(f"{summary.project.name}: nothing to read, {left}")
    elif not quiet:
        _show_counts(summary, seconds)
    if summary.set_aside:
        render.tell(f"the old store could not be used; it is kept as {summary.set_aside}", "yellow")
    if summary.taken_over:
        folder = store_path(summary.project).parent
        render.tell(
            f"the memory in {folder} was begun elsewhere or by an earlier release, and counts as yours from now on",
            "yellow",
        )
        render.hint(f"if it is not yours: move {folder} away and run agent-riggs ingest again")
    if _is_blind(summary):
        render.error(_nothing_understood(summary), "please report this: agent-riggs problems shows what was met")
        return EXIT_ERROR
    if not summary.ours:
        _nothing_found(summary, looked)
    if summary.problems and not quiet:
        render.hint("what could not be read: agent-riggs problems")
    elif summary.ours and not quiet and not as_json:
        render.hint("what keeps failing: agent-riggs failures")
    return EXIT_OK


def _show_counts(summary: Summary, seconds: float) -> None:
    shown = [
        f"{text.many(summary.new_calls, 'new call')} from {text.many(summary.read, 'transcript')} "
        f"in {text.seconds(seconds)}",
        *([f"{summary.changed_calls:,} known ones completed"] if summary.changed_calls else []),
        *([f"{text.many(summary.warmups, 'warm-up')} left out"] if summary.warmups else []),
        text.many(summary.problems, "problem"),
    ]
    render.say(f"{summary.project.name}: read {', '.join(shown)}")
    render.fields(
        [
            ("memory", f"{text.many(summary.calls, 'call')} in {text.many(summary.sessions, 'session')}"),
            ("outcomes", _outcomes(summary.outcomes)),
            *([("not understood", _unknown(summary))] if summary.lines > summary.understood else []),
        ]
    )


def _outcomes(outcomes: Mapping[str, int]) -> str:
    ranked = sorted(outcomes.items(), key=lambda item: (-item[1], item[0]))
    return ", ".join(f"{count:,} {name.replace('_', ' ')}" for name, count in ranked if count) or "none"


def _unknown(summary: Summary) -> str:
    share = f"{summary.lines - summary.understood:,} of {text.many(summary.lines, 'line')}"
    return f"{share} ({_types(summary.unknown)})" if summary.unknown else share


def _types(unknown: Mapping[str, int]) -> str:
    ranked = sorted(unknown.items(), key=lambda item: (-item[1], item[0]))
    more = f", and {len(ranked) - 5} more types" if len(ranked) > 5 else ""
    return ", ".join(f"{name} {count:,}" for name, count in ranked[:5]) + more


def _is_blind(summary: Summary) -> bool:
    """Whether there were transcripts and nothing at all was understood: not a line, or not even whose they are."""
    if summary.lines:
        return not summary.understood
    return bool(summary.strange and not summary.ours and not summary.other_folders)


def _nothing_understood(summary: Summary) -> str:
    met = f", in {text.many(summary.lines, 'line')}" if summary.lines else ""
    types = f": met {_types(summary.unknown)}" if summary.unknown else ""
    return f"{text.many(summary.read or summary.found, 'transcript')} found and none understood{met}{types}"


def _nothing_found(summary: Summary, looked: Sequence[Path]) -> None:
    from agent_riggs.faces.transcripts import distinct

    project = summary.project
    render.tell(f"no transcript belongs to {project.root} (project key {project.key})", "yellow")
    _tell_places(looked)
    if not summary.found:
        return
    if not summary.other_folders:
        render.tell(f"  {text.many(summary.found, 'transcript')} there, of no known folder")
        render.hint("to read one into this project all the same, name it: agent-riggs ingest PATH")
        return
    folders = list(dict.fromkeys(distinct(summary.other_folders).values()))
    likely = [folder for folder in folders if _last(folder) == project.name.casefold()]
    which = f"; {len(likely):,} of them of this name" if len(likely) not in (0, len(folders)) else ""
    others = text.many(len(folders), "other folder")
    render.tell(f"  {text.many(summary.found, 'transcript')} there, of {others}{which}:")
    _tell_folders(likely or folders)
    if likely and not same(likely[0], str(project.root)):
        render.hint(f"if this is the same project: agent-riggs ingest --recorded-as {_quoted(likely[0])}")
    elif not likely:
        render.hint("if one of them is this project's former folder: agent-riggs ingest --recorded-as FOLDER")


def _quoted(folder: str) -> str:
    """A folder for a shell, its backslashes as they are."""
    return shlex.quote(folder) if "'" in folder else f"'{folder}'"


def _tell_folders(folders: Sequence[str]) -> None:
    for folder in folders[:SHOWN]:
        render.tell(f"    {folder}")
    if len(folders) > SHOWN:
        render.tell(f"    and {len(folders) - SHOWN:,} more")


def _last(folder: str) -> str:
    return folder.replace("\\", "/").rstrip("/").rpartition("/")[2].casefold()


def show_all(done: Sequence[Summary], found: Everything, looked: Sequence[Path], quiet: bool, as_json: bool) -> None:
    """One row a project."""
    if as_json:
        render.emit_json([_counts(summary) for summary in done])
        return
    if not done:
        gone = "no transcript here is of a folder that is still there"
        render.tell(gone if found.lost else "no project of this machine has transcripts", "yellow")
        _tell_places(looked)
    elif not quiet:
        titles = [Column("project", flexible=True, style="cyan"), *(_number(name) for name in _HEADS)]
        render.table(titles, [_row(summary) for summary in done])
    if found.lost and not quiet:
        count = sum(map(len, found.lost.values()))
        belong = "belongs" if count == 1 else "belong"
        folders = text.many(len(found.lost), "folder that no longer exists", "folders that no longer exist")
        render.hint(
            f"{text.many(count, 'transcript')} {belong} to {folders}: "
            "in the project's new place, agent-riggs ingest --recorded-as OLD-FOLDER"
        )


_HEADS = ("new calls", "calls", "sessions", "failures", "problems")


def _number(title: str) -> Column:
    return Column(title, right=True, drop={"new calls": 1, "sessions": 2}.get(title, 0))


def _row(summary: Summary) -> list[str]:
    counts = (summary.new_calls, summary.calls, summary.sessions, _failures(summary), summary.problems)
    return [str(summary.project.root), *(f"{count:,}" for count in counts)]


def _failures(summary: Summary) -> int:
    return sum(count for outcome, count in summary.outcomes.items() if outcome in FAILURES)


def _counts(summary: Summary) -> dict[str, Any]:
    return {
        "project": summary.project.name,
        "root": str(summary.project.root),
        "key": summary.project.key,
        "transcripts_found": summary.found,
        "transcripts_of_project": summary.ours,
        "transcripts_read": summary.read,
        "lines": summary.lines,
        "lines_understood": summary.understood,
        "unknown": summary.unknown,
        "new_calls": summary.new_calls,
        "changed_calls": summary.changed_calls,
        "warmups": summary.warmups,
        "problems": summary.problems,
        "sessions": summary.sessions,
        "calls": summary.calls,
        "outcomes": summary.outcomes,
    }
