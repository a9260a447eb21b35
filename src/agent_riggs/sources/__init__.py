"""The table of sources. One module per agent or sister tool; others join through the entry-point group."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from importlib.metadata import EntryPoint, entry_points
from typing import Final

from agent_riggs.model import Problem
from agent_riggs.sources import blq, claude_code, cline, codex, copilot, gemini, goose, kibitzer, opencode, qwen
from agent_riggs.sources.base import ProjectSource, Source

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


_loaded: Final = tuple(load(BUILT_IN, entry_points(group=GROUP)))

SOURCES: Final[dict[str, Source]] = {item.name: item for item in _loaded if not isinstance(item, Problem)}
"""Every source by name, ours first."""

BROKEN: Final[tuple[Problem, ...]] = tuple(item for item in _loaded if isinstance(item, Problem))
"""Sources of other packages that cannot be used."""
