"""A look at what is on this machine, without leaving anything behind: stores in a temporary folder."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from agent_riggs import folders, samples
from agent_riggs.errors import RiggsError
from agent_riggs.faces import progress
from agent_riggs.faces.here import Here
from agent_riggs.faces.transcripts import Item, by_project
from agent_riggs.ingest import Summary, ingest
from agent_riggs.ingest.discover import find_all
from agent_riggs.paths import Project, find_project
from agent_riggs.sources import SOURCES


@dataclass(frozen=True, slots=True)
class Stop:
    """One project's transcripts."""

    project: Project
    """Its root lies in the temporary folder."""
    recorded_as: str
    items: Sequence[Item]
    invented: bool = False
    """Whether these are the sample sessions."""


def stops(at: Here, folder: Path) -> list[Stop]:
    """The projects of this machine, those with most transcripts first; the sample sessions where there are none."""
    found = by_project(find_all(SOURCES, at.environ, at.home), SOURCES)
    real = [_stop(root, items, folder / str(number)) for number, (root, items) in enumerate(found.projects.items())]
    return real or [_sample(at, folder)]


def _stop(root: Path, items: Sequence[Item], folder: Path) -> Stop:
    key = find_project(root).key
    return Stop(Project(root.name or "root", folder / (root.name or "root"), key), str(root), items)


def _sample(at: Here, folder: Path) -> Stop:
    home, root = folder / "home", folder / samples.PROJECT
    samples.write(home, root, until=at.now)
    items = list(find_all({"claude_code": SOURCES["claude_code"]}, {}, home))
    return Stop(Project(root.name, root, samples.PROJECT), str(root), items, invented=True)


def write_samples(at: Here, folder: Path) -> Path:
    """Write the sample sessions, ending now, and the folder of their project below a new folder; returns that folder.

    Raises ``RiggsError`` where there is something already, and inside another project, to which they would belong.
    """
    folder = (at.start / folder.expanduser()).resolve()
    root = folder / samples.PROJECT
    if folder.exists():
        raise RiggsError(f"{folder} is there already", "name a new folder")
    around = find_project(root).root
    if around != root:
        raise RiggsError(f"{folder} would belong to the project {around}", "name a folder outside of it")
    try:
        folders.make(str(root))
        samples.write(folder, root, until=at.now)
    except OSError as error:
        raise RiggsError(f"{folder}: {error.strerror or 'cannot be written'}") from error
    return folder


def read(at: Here, stop: Stop, quiet: bool) -> Summary:
    """Ingest one project into its temporary store."""
    with progress.bar(stop.project.name, quiet) as shown:
        return ingest(
            stop.project,
            sources=SOURCES,
            environ=at.environ,
            home=at.home,
            now=at.now,
            recorded_as=stop.recorded_as,
            items=stop.items,
            progress=shown,
        )


def tour(at: Here, folder: Path, quiet: bool) -> Iterator[tuple[Stop, Summary]]:
    """Every project, read; in order of transcripts."""
    for stop in stops(at, folder):
        yield stop, read(at, stop, quiet)
