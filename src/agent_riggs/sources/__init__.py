"""The table of sources. One module per agent or sister tool; others join through the entry-point group."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Final

from agent_riggs.model import Problem
from agent_riggs.sources import blq, claude_code, cline, codex, copilot, gemini, goose, kibitzer, opencode, qwen
from agent_riggs.sources.base import ProjectSource, Source

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP: Final = "agent_riggs.sources"
"""Entry-point group: each entry names a module with ``name``, ``find``, ``peek`` and ``read``."""

BUILT_IN: Final[tuple[Source, ...]] = (claude_code, codex, gemini, opencode, copilot, goose, qwen, cline)

SISTERS: Final[dict[str, ProjectSource]] = {kibitzer.name: kibitzer, blq.name: blq}
"""Sister tools, whose records lie in the project's folder. What they tell is joined to the transcripts' calls."""

_NEEDED: Final = ("name", "find", "peek", "read")
_BROKEN: Final = (ImportError, AttributeError, NameError, SyntaxError, TypeError, ValueError, OSError)


def load(ours: Iterable[Source], extra: Iterable[EntryPoint]) -> Iterator[Source | Problem]:
    """Our own modules, then those of other packages' entry points; one that cannot be used is a problem."""
    taken: set[str] = set()
    for source in ours:
        taken.add(source.name)
        yield source
    for entry in sorted(extra, key=lambda entry: entry.name):
        place = f"entry point {entry.name} = {entry.value}"
        try:
            other = entry.load()
        except _BROKEN as error:
            yield Problem(place, f"source cannot be loaded: {type(error).__name__}: {error}"[:300])
            continue
        missing = [part for part in _NEEDED if not hasattr(other, part)]
        if missing or other.name in taken:
            yield Problem(place, f"source lacks {', '.join(missing)}" if missing else f"{other.name} is taken already")
            continue
        taken.add(other.name)
        yield other


def declared(folders: Sequence[str]) -> Iterable[EntryPoint]:
    """The entry points of the packages installed in these folders of the import path. Hardly ever is there one, and to
    see that takes no ``importlib.metadata``, which is slow to load."""
    if not any(_may_declare(folder or os.curdir) for folder in folders):
        return ()
    from importlib.metadata import entry_points

    return entry_points(group=GROUP)


def _may_declare(folder: str) -> bool:
    """Whether a package in the folder speaks of our group; of an archive nobody knows without looking into it."""
    try:
        names = [name for name in os.listdir(folder) if name.endswith((".dist-info", ".egg-info"))]
    except NotADirectoryError:
        return True
    except OSError:
        return False
    return any(_mentions_group(os.path.join(folder, name, "entry_points.txt")) for name in names)


def _mentions_group(path: str) -> bool:
    try:
        with open(path, "rb") as file:
            return GROUP.encode() in file.read()
    except OSError:
        return False


_loaded: Final = tuple(load(BUILT_IN, declared(sys.path)))

SOURCES: Final[dict[str, Source]] = {item.name: item for item in _loaded if not isinstance(item, Problem)}
"""Every source by name, ours first."""

BROKEN: Final[tuple[Problem, ...]] = tuple(item for item in _loaded if isinstance(item, Problem))
"""Sources of other packages that cannot be used."""
