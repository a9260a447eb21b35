"""Which transcripts a command is about: those that were named, or all of this machine by project."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from agent_riggs.errors import NotFound
from agent_riggs.model import Head, Problem, Transcript
from agent_riggs.paths import fold, normal, project_of, same
from agent_riggs.sources import recognize
from agent_riggs.sources.base import Source

Item = tuple[str, Transcript | Problem]


@dataclass(slots=True)
class Everything:
    """All transcripts of this machine."""

    projects: dict[Path, list[Item]] = field(default_factory=dict)
    """By root of the project they belong to, where its folder still exists; most transcripts first."""
    lost: dict[str, list[Item]] = field(default_factory=dict)
    """By working folder that no longer exists, its worktrees with it; most transcripts first."""
    problems: list[Problem] = field(default_factory=list)


def by_project(items: Iterable[Item], sources: Mapping[str, Source]) -> Everything:
    """Sort transcripts by project. A subagent's transcript goes where its main one goes."""
    found = Everything()
    cwds: dict[tuple[str, str], str] = {}
    root_of = cache(project_of)
    later: list[tuple[str, Transcript]] = []
    for name, item in items:
        if isinstance(item, Problem):
            found.problems.append(item)
        elif item.parent is not None:
            later.append((name, item))
        else:
            cwds[name, item.key] = _cwd(sources[name], item)
            _add(found, name, item, cwds[name, item.key], root_of(cwds[name, item.key]))
    for name, item in later:
        cwd = cwds.get((name, str(item.parent))) or _cwd(sources[name], item)
        _add(found, name, item, cwd, root_of(cwd))
    found.projects = dict(sorted(found.projects.items(), key=lambda pair: (-len(pair[1]), pair[0])))
    found.lost = _gathered(found.lost)
    return found


def distinct(recorded: Iterable[str]) -> dict[str, str]:
    """For each recorded folder the first of them that names the same project: of another spelling, or its worktree."""
    first: dict[str, str] = {}
    whole = {folder: folder if same(folder, fold(folder)) else fold(folder) for folder in recorded}
    return {folder: first.setdefault(normal(one), one) for folder, one in whole.items()}


def _gathered(lost: Mapping[str, list[Item]]) -> dict[str, list[Item]]:
    found: dict[str, list[Item]] = {}
    for folder, one in distinct(sorted(lost)).items():
        found.setdefault(one, []).extend(lost[folder])
    return dict(sorted(found.items(), key=lambda pair: (-len(pair[1]), pair[0])))


def _cwd(source: Source, item: Transcript) -> str:
    head = source.peek(item)
    return head.cwd if isinstance(head, Head) else ""


def _add(found: Everything, name: str, item: Transcript, cwd: str, root: Path | None) -> None:
    if root is not None:
        found.projects.setdefault(root, []).append((name, item))
    elif cwd:
        found.lost.setdefault(cwd, []).append((name, item))


def named(paths: Iterable[Path], sources: Mapping[str, Source]) -> list[Item]:
    """The transcripts that the user named: files, or folders with everything inside. ``NotFound`` for a path that
    does not exist and a folder without any; a file that no source knows is a problem."""
    found: list[Item] = []
    for path in paths:
        if not path.exists():
            raise NotFound(f"there is no {path}")
        inside = list(recognize.named(path, sources))
        problems = [item for _, item in inside if isinstance(item, Problem)]
        if path.is_dir() and len(problems) == len(inside):
            raise NotFound(f"nothing to read in {path}: {'; '.join(one.reason for one in problems[-3:])}")
        found.extend(inside)
    return found
