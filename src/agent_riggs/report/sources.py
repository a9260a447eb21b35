"""Per source: where it looked, what it found, how much of it was understood, and whether that can be right."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Final

from agent_riggs.model import Problem
from agent_riggs.sources import SISTERS
from agent_riggs.sources.base import Source
from agent_riggs.store.rows import SourceCoverage, When

MANY_CALLS: Final = 300
"""Calls after which a source without a single failure is suspicious: real sessions fail in about 1 call of 25."""

LOST_SHARE: Final = 0.05
"""Share of lines not understood above which a format has probably changed."""


@dataclass(frozen=True, slots=True)
class Place:
    """A folder in which an agent keeps its files."""

    folder: str
    exists: bool


@dataclass(frozen=True, slots=True)
class SourceReport:
    """What ``agent-riggs sources`` shows about one source."""

    source: str
    places: tuple[Place, ...]
    found: int
    """Transcripts on this machine now, of whatever project."""
    transcripts: int
    """Transcripts of this project in the store."""
    read: int
    """Those of which at least one line was understood."""
    gone: int
    """Those since deleted; their calls are kept."""
    lines: int
    not_understood: int
    unknown: Mapping[str, int]
    versions: tuple[str, ...]
    homes: tuple[str, ...]
    """Folders the transcripts in the store were found in: more than one may mean more than one account."""
    calls: int
    failures: int
    last_read: When | None
    suspicious: str | None
    """Why the figures cannot be right, in one sentence."""


def looked_in(name: str, source: Source | None, environ: Mapping[str, str], home: Path) -> tuple[Path, ...]:
    """The folders in which a source looks for transcripts, whether they exist or not: what it tells itself, else what
    is known of the agent."""
    told = getattr(source, "places", None)
    return tuple(told(environ, home)) if told else ()


def report(
    sources: Mapping[str, Source],
    covered: list[SourceCoverage],
    environ: Mapping[str, str],
    home: Path,
    beside: Mapping[str, Sequence[Path]] = MappingProxyType({}),
) -> list[SourceReport]:
    """One row a source, known to this program or to the store, in order of name. ``beside``: the sister tools whose
    files were found in the project, with the folders they lie in."""
    by_name = {row.source: row for row in covered}
    rows = []
    for name in sorted({*sources, *by_name, *beside}):
        row = by_name.get(name)
        if name in beside or name in SISTERS:
            rows.append(replace(_row(name, beside.get(name, ()), len(beside.get(name, ())), row), suspicious=None))
        else:
            rows.append(_row(name, *_looked(name, sources.get(name), environ, home), row))
    return rows


def _looked(name: str, source: Source | None, environ: Mapping[str, str], home: Path) -> tuple[tuple[Path, ...], int]:
    """The folders a source looks into, and how many transcripts it finds there."""
    found = sum(not isinstance(item, Problem) for item in source.find(environ, home)) if source else 0
    return looked_in(name, source, environ, home), found


def _row(name: str, folders: Sequence[Path], found: int, row: SourceCoverage | None) -> SourceReport:
    return SourceReport(
        source=name,
        places=tuple(Place(str(folder), folder.is_dir()) for folder in folders),
        found=found,
        transcripts=row.transcripts if row else 0,
        read=row.read if row else 0,
        gone=row.gone if row else 0,
        lines=row.lines if row else 0,
        not_understood=row.not_understood if row else 0,
        unknown=row.unknown if row else {},
        versions=row.versions if row else (),
        homes=row.homes if row else (),
        calls=row.calls if row else 0,
        failures=row.failures if row else 0,
        last_read=row.last_read if row else None,
        suspicious=suspicion(row) if row else None,
    )


def suspicion(row: SourceCoverage) -> str | None:
    """Why a source's figures cannot be right; ``None`` when nothing speaks against them."""
    if row.lines and row.not_understood == row.lines:
        return "no line was understood: the format has changed, or these are other files"
    if row.calls >= MANY_CALLS and not row.failures:
        return f"not one failure in {row.calls:,} calls: outcomes are probably not recorded where we look"
    if row.lines and row.not_understood > row.lines * LOST_SHARE:
        return "many lines were not understood: the format may have changed"
    if row.lines and not row.calls:
        return "lines were read, but not one call in them"
    return None
