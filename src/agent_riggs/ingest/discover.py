"""Which transcripts there are, which of them belong to the project, and which have something new."""

from __future__ import annotations

import os
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache
from pathlib import Path
from typing import cast

from agent_riggs import paths
from agent_riggs.folders import is_text, possible
from agent_riggs.judge.redact import redact, redact_path
from agent_riggs.model import Head, Problem, Transcript
from agent_riggs.paths import Project
from agent_riggs.sources.base import ProjectSource, Source
from agent_riggs.store.ids import stable_id
from agent_riggs.store.transcripts import Known, TranscriptRow, storable

Items = Iterable[tuple[str, Transcript | Problem]]
Belongs = Callable[[str], bool]
"""Whether a recorded folder belongs to the project."""


@dataclass(slots=True)
class Look:
    """What there is, compared with what is known of it. No transcript was opened for it."""

    found: int = 0
    """Transcripts on disk, of whatever project."""
    same: dict[int, Transcript] = field(default_factory=dict)
    """This project's transcripts that did not change, by transcript id."""
    foreign: dict[str, int] = field(default_factory=dict)
    """Recorded folders of other projects' transcripts that did not change, with their number."""
    changed: list[tuple[Transcript, Known | None]] = field(default_factory=list)
    """Those that are new or changed, or whose project has to be asked for again; main ones first."""
    parents: list[Known] = field(default_factory=list)
    """What is known of the main transcripts of those that changed."""
    gone: list[Known] = field(default_factory=list)
    """Transcripts read before that are no longer there."""
    problems: list[tuple[str, Problem]] = field(default_factory=list)
    """(source, problem)"""

    @property
    def nothing_new(self) -> bool:
        """Whether everything is as it was."""
        return not (self.changed or self.gone or self.problems)

    @property
    def wanted(self) -> set[int]:
        """Ids of the transcripts of which more has to be known."""
        rows = (*(row for _, row in self.changed if row is not None), *self.parents, *self.gone)
        return {row.transcript_id for row in rows}


@dataclass(slots=True)
class Discovery:
    """What a look around found."""

    found: int = 0
    """Transcripts on disk, of whatever project."""
    ours: int = 0
    """Those of this project."""
    todo: list[tuple[Transcript, TranscriptRow]] = field(default_factory=list)
    """Those of this project with something new, oldest first."""
    present: dict[int, Transcript] = field(default_factory=dict)
    """This project's transcripts that are on disk, by transcript id."""
    remembered: list[TranscriptRow] = field(default_factory=list)
    """Rows of other projects' transcripts, new or changed: remembered to be skipped next time."""
    gone: list[TranscriptRow] = field(default_factory=list)
    """Transcripts read before that are no longer there."""
    problems: list[tuple[str, Problem]] = field(default_factory=list)
    """(source, problem)"""
    strange: int = 0
    """Transcripts in which not one record was of a known kind. One that may not be read is none of these."""
    folders: tuple[str, ...] = ()
    """Recorded folders of the transcripts that belong to other projects, most frequent first."""


def find_all(
    sources: Mapping[str, Source], environ: Mapping[str, str], home: Path
) -> Iterator[tuple[str, Transcript | Problem]]:
    """Everything every source finds, each transcript once."""
    for name, source in sources.items():
        seen: set[str] = set()
        for item in source.find(environ, home):
            if isinstance(item, Problem):
                yield name, item
            elif item.key not in seen:
                seen.add(item.key)
                yield name, item


def find_beside(
    sisters: Mapping[str, ProjectSource], project: Project, environ: Mapping[str, str]
) -> Iterator[tuple[str, Transcript | Problem]]:
    """What sister tools keep in the project's root, in its worktrees, and in the folders right inside them."""
    seen: set[tuple[str, str]] = set()
    roots = [str(project.root), *paths.worktrees(str(project.root))] if sisters else []
    for folder in dict.fromkeys(inner for root in roots for inner in (root, *_inside(root))):
        for name, sister in sisters.items():
            for item in sister.find_in(Path(folder), environ):
                key = item.key if isinstance(item, Transcript) else item.path
                if (name, key) not in seen:
                    seen.add((name, key))
                    yield name, item


def folders_beside(
    sisters: Mapping[str, ProjectSource], project: Project, environ: Mapping[str, str]
) -> dict[str, list[Path]]:
    """For each sister tool that the project has, the folders its files lie in."""
    found: dict[str, list[Path]] = {}
    for name, item in find_beside(sisters, project, environ):
        if isinstance(item, Transcript):
            found.setdefault(name, []).append(item.path.parent)
    return found


def _inside(root: str) -> list[str]:
    try:
        return sorted(entry.path for entry in os.scandir(root) if entry.is_dir(follow_symlinks=False))
    except OSError:
        return []


def look(
    items: Sequence[tuple[str, Transcript | Problem]], known: Iterable[Known], belongs: Belongs, adopt: bool = False
) -> Look:
    """Sort what was found into what is as it was and what has to be looked at."""
    result = Look()
    rows = {(row.source, row.key): row for row in known}
    for name, item in items:
        if isinstance(item, Problem) or not is_text(item.key):
            result.problems.append((name, _nameable(item)))
            continue
        result.found += 1
        row = rows.get(_place(item.source, item.key, rows))
        above = rows.get(_place(item.source, str(item.parent), rows)) if item.parent is not None else None
        if row is None or row.stamp != item.stamp or row.gone or (item.parent and not (above and above.cwd)):
            result.changed.append((item, row))
            continue
        cwd = above.cwd if above else row.cwd
        mine = belongs(cwd) if cwd else row.ours or adopt
        if mine != row.ours:
            result.changed.append((item, row))
        elif mine:
            result.same[row.transcript_id] = item
        else:
            result.foreign[cwd] = result.foreign.get(cwd, 0) + 1
    met = len(result.same) + sum(result.foreign.values())
    missing = _missing(rows, items) if met < len(rows) else {}
    result.changed.sort(key=lambda pair: (pair[0].parent is not None, pair[0].source, pair[0].key))
    result.changed = _with_moved(result.changed, missing)
    above_them = {_place(item.source, str(item.parent), rows) for item, _ in result.changed if item.parent}
    result.parents = [rows[place] for place in sorted(above_them & rows.keys())]
    result.gone = [row for row in missing.values() if not row.gone and not _still_there(row.key)]
    return result


def _place(source: str, key: str, rows: Mapping[tuple[str, str], Known]) -> tuple[str, str]:
    """Under what the rows have a transcript of that key. Most keys are stored as they are, which is asked first."""
    return (source, key) if (source, key) in rows else (source, storable(key))


def _nameable(item: Transcript | Problem) -> Problem:
    """A problem whose path is text: a name in other bytes is one in itself."""
    found = item if isinstance(item, Problem) else Problem(item.key, "its name is no UTF-8")
    return replace(found, path=found.path.encode("utf-8", "backslashreplace").decode())


def _missing(
    rows: Mapping[tuple[str, str], Known], items: Iterable[tuple[str, Transcript | Problem]]
) -> dict[tuple[str, str], Known]:
    present = {_place(item.source, item.key, rows) for _, item in items if isinstance(item, Transcript)}
    return {place: row for place, row in rows.items() if place not in present}


def _with_moved(
    changed: list[tuple[Transcript, Known | None]], missing: dict[tuple[str, str], Known]
) -> list[tuple[Transcript, Known | None]]:
    """With what is known of files that vanished from one place and turned up, with the same inode and size, in
    another; those are not missing."""
    lost = {(row.source, row.stamp): row for row in reversed(missing.values()) if row.stamp}
    found: list[tuple[Transcript, Known | None]] = []
    for item, row in changed:
        row = row or lost.pop((item.source, item.stamp), None)
        if row is not None:
            missing.pop((row.source, row.key), None)
        found.append((item, row))
    return found


def _still_there(key: str) -> bool:
    """A transcript that was not looked for this time is not gone; nor one whose name is not stored as it is."""
    return "[redacted" in key or os.path.exists(key.partition("#")[0])


def discover(
    seen: Look,
    sources: Mapping[str, Source | ProjectSource],
    rows: Iterable[TranscriptRow],
    belongs: Belongs,
    adopt: bool = False,
) -> Discovery:
    """Whose transcripts those are that changed, and which of them are to be read. ``rows``: the rows of what is
    ``wanted``.

    A transcript that names no folder belongs to nobody, until it was read once with ``adopt``: because it was named.
    """
    result = Discovery(seen.found, len(seen.same), present=dict(seen.same), problems=list(seen.problems))
    by_id = {row.transcript_id: row for row in rows}
    by_key = {(row.source, row.key): row for row in by_id.values()}
    foreign = dict(seen.foreign)
    for transcript, known in seen.changed:
        stored = by_id[known.transcript_id] if known else None
        row, strange = _row_for(transcript, stored, sources[transcript.source], result)
        key = storable(transcript.key)
        by_key[(transcript.source, key)] = row
        parent = by_key.get((transcript.source, storable(str(transcript.parent)))) if transcript.parent else None
        cwd = (parent.cwd if parent else "") or row.cwd
        mine = belongs(cwd) if cwd else row.ours or bool(parent and parent.ours) or (adopt and not strange)
        was = (row.stamp, row.ours, row.gone, row.key)
        row.ours, row.gone, row.key = mine, False, key
        changed = was != (transcript.stamp, mine, False, key)
        result.ours += mine
        if mine:
            result.present[row.transcript_id] = transcript
        if mine and changed:
            result.todo.append((transcript, row))
        elif not mine:
            foreign[cwd] = foreign.get(cwd, 0) + 1
            if changed:
                row.stamp = "" if strange else transcript.stamp
                result.remembered.append(row)
    result.gone = [by_id[row.transcript_id] for row in seen.gone]
    result.todo.sort(key=lambda pair: (pair[1].started_at or 0, pair[0].source, pair[0].key))
    result.folders = tuple(sorted((cwd for cwd in foreign if cwd), key=lambda cwd: (-foreign[cwd], cwd)))
    return result


@lru_cache(maxsize=65536)
def _peek(source: Hashable, transcript: Transcript) -> Head | Problem | None:
    """Remembered, because a run over many projects asks about the same transcripts for each of them."""
    return cast("Source", source).peek(transcript)


def whose(project: Project, recorded_as: tuple[str, ...]) -> Belongs:
    """Whether a recorded folder belongs to the project, which may be known under further names."""
    root = redact(str(project.root))
    aliases = recorded_as if root == str(project.root) else (*recorded_as, root)

    @cache
    def belongs(cwd: str) -> bool:
        return paths.belongs(cwd, project) or any(paths.belongs(cwd, project, path) for path in aliases)

    return belongs


def _row_for(
    transcript: Transcript, row: TranscriptRow | None, source: Source | ProjectSource, result: Discovery
) -> tuple[TranscriptRow, bool]:
    """The cursor of a transcript: the one we have, or a new one. And whether nothing in it was understood."""
    key = storable(transcript.key)
    moved = row is not None and row.key != key
    if row is not None and not moved and (row.stamp == transcript.stamp or row.cwd):
        return row, False
    head = _peek(cast(Hashable, source), transcript)
    strange = isinstance(head, Problem)
    if isinstance(head, Problem):
        result.problems.append((transcript.source, head))
        result.strange += os.access(transcript.file, os.R_OK)
    known = head if isinstance(head, Head) else Head("", "")
    if row is None:
        row = TranscriptRow(
            transcript_id=stable_id(transcript.source, transcript.key),
            source=transcript.source,
            key=key,
            stamp="",
            ours=False,
            home=redact_path(transcript.home),
        )
    if moved:
        row.home = redact_path(transcript.home)
    if possible(known.cwd):
        row.cwd = redact(known.cwd)
    row.session_id = redact(known.session_id) or row.session_id
    row.started_at = known.started if known.started is not None else row.started_at
    return row, strange


def reopened(row: TranscriptRow) -> Transcript | None:
    """A transcript read before, as it would be found again; ``None`` when it is gone."""
    path = row.key.partition("#")[0]
    return Transcript(row.source, row.key, path, 0, row.stamp, None, row.home) if os.path.exists(path) else None
