"""Which transcripts there are, which of them belong to the project, and which have something new."""

from __future__ import annotations

import os
from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, lru_cache
from pathlib import Path
from typing import cast

from agent_riggs import paths
from agent_riggs.judge.redact import redact
from agent_riggs.model import Head, Problem, Transcript
from agent_riggs.paths import Project
from agent_riggs.sources.base import ProjectSource, Source
from agent_riggs.store.ids import stable_id
from agent_riggs.store.transcripts import TranscriptRow


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
    seen: set[tuple[str, str]] = set()
    for name, source in sources.items():
        for item in source.find(environ, home):
            if isinstance(item, Problem) or (name, item.key) not in seen:
                if isinstance(item, Transcript):
                    seen.add((name, item.key))
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


def discover(
    items: Iterable[tuple[str, Transcript | Problem]],
    sources: Mapping[str, Source | ProjectSource],
    known: Iterable[TranscriptRow],
    project: Project,
    recorded_as: tuple[str, ...],
    adopt: bool = False,
) -> Discovery:
    """Sort what was found into what is to be read and what is not. Unchanged transcripts are not opened.

    A transcript that names no folder belongs to nobody, until it was read once with ``adopt``: because it was named.
    """
    result = Discovery()
    rows = {(row.source, row.key): row for row in known}
    by_key: dict[tuple[str, str], TranscriptRow] = {}
    transcripts: list[Transcript] = []
    for name, item in items:
        if isinstance(item, Problem):
            result.problems.append((name, item))
        else:
            transcripts.append(item)
    transcripts.sort(key=lambda t: (t.parent is not None, t.source, t.key))
    missing = _missing(rows, transcripts)
    foreign: dict[str, int] = {}
    root = redact(str(project.root))
    aliases = recorded_as if root == str(project.root) else (*recorded_as, root)
    ours = cache(lambda cwd: _belongs(cwd, project, aliases))
    for transcript in transcripts:
        row, strange = _row_for(transcript, rows, sources[transcript.source], missing, result)
        by_key[(transcript.source, transcript.key)] = row
        parent = by_key.get((transcript.source, str(transcript.parent))) if transcript.parent else None
        cwd = (parent.cwd if parent else "") or row.cwd
        mine = ours(cwd) if cwd else row.ours or bool(parent and parent.ours) or (adopt and not strange)
        changed = row.stamp != transcript.stamp or mine != row.ours
        result.ours += mine
        row.ours, row.gone = mine, False
        if mine:
            result.present[row.transcript_id] = transcript
        if mine and changed:
            result.todo.append((transcript, row))
        elif not mine:
            foreign[cwd] = foreign.get(cwd, 0) + 1
            if changed:
                row.stamp = "" if strange else transcript.stamp
                result.remembered.append(row)
    result.found = len(transcripts)
    result.gone = [row for row in missing.values() if not row.gone and not _still_there(row)]
    result.todo.sort(key=lambda pair: (pair[1].started_at or 0, pair[0].source, pair[0].key))
    result.folders = tuple(sorted((cwd for cwd in foreign if cwd), key=lambda cwd: (-foreign[cwd], cwd)))
    return result


@lru_cache(maxsize=65536)
def _peek(source: Hashable, transcript: Transcript) -> Head | Problem | None:
    """Remembered, because a run over many projects asks about the same transcripts for each of them."""
    return cast("Source", source).peek(transcript)


def _belongs(cwd: str, project: Project, recorded_as: tuple[str, ...]) -> bool:
    return paths.belongs(cwd, project) or any(paths.belongs(cwd, project, path) for path in recorded_as)


def _missing(
    rows: Mapping[tuple[str, str], TranscriptRow], transcripts: Iterable[Transcript]
) -> dict[tuple[str, str], TranscriptRow]:
    present = {(t.source, t.key) for t in transcripts}
    return {key: row for key, row in rows.items() if key not in present}


def _row_for(
    transcript: Transcript,
    rows: Mapping[tuple[str, str], TranscriptRow],
    source: Source | ProjectSource,
    missing: dict[tuple[str, str], TranscriptRow],
    result: Discovery,
) -> tuple[TranscriptRow, bool]:
    """The cursor of a transcript: the one we have, that of the same file before it moved, or a new one. And whether
    nothing in it was understood."""
    row = rows.get((transcript.source, transcript.key))
    if row is not None and (row.stamp == transcript.stamp or row.cwd):
        return row, False
    head = _peek(cast(Hashable, source), transcript)
    strange = isinstance(head, Problem)
    if isinstance(head, Problem):
        result.problems.append((transcript.source, head))
        result.strange += os.access(transcript.path, os.R_OK)
    known = head if isinstance(head, Head) else Head("", "")
    if row is None:
        row = _moved(transcript, missing) or TranscriptRow(
            transcript_id=stable_id(transcript.source, transcript.key),
            source=transcript.source,
            key=transcript.key,
            stamp="",
            ours=False,
            home=transcript.home,
        )
    row.cwd, row.session_id = redact(known.cwd) or row.cwd, redact(known.session_id) or row.session_id
    row.started_at = known.started if known.started is not None else row.started_at
    return row, strange


def _still_there(row: TranscriptRow) -> bool:
    """A transcript that was not looked for this time is not gone."""
    return Path(row.key.partition("#")[0]).exists()


def reopened(row: TranscriptRow) -> Transcript | None:
    """A transcript read before, as it would be found again; ``None`` when it is gone."""
    path = Path(row.key.partition("#")[0])
    return Transcript(row.source, row.key, path, 0, row.stamp, None, row.home) if path.exists() else None


def _moved(transcript: Transcript, missing: dict[tuple[str, str], TranscriptRow]) -> TranscriptRow | None:
    """The row of a file that vanished from one place and turned up, with the same inode and size, in another."""
    for place, row in missing.items():
        if place[0] == transcript.source and row.stamp and row.stamp == transcript.stamp:
            del missing[place]
            row.key, row.home, row.ours = transcript.key, transcript.home, False
            return row
    return None
