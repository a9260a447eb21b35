"""A look at what is on this machine, without leaving anything behind: stores in a temporary folder."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from agent_riggs import folders, samples
from agent_riggs.errors import RiggsError
from agent_riggs.faces import progress, text
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
    where: str
    """The folder, and whether it is gone; or that they are invented, and why they are shown."""
    gone: bool = False


def stops(at: Here, folder: Path) -> list[Stop]:
    """The projects of this machine, those with most transcripts first. Where none of them is still there, those whose
    folders are gone; the sample sessions where no transcript names a folder."""
    items = list(find_all(SOURCES, at.environ, at.home))
    found = by_project(items, SOURCES)
    real = [_stop(root, items, folder / str(number)) for number, (root, items) in enumerate(found.projects.items())]
    gone = [_gone(cwd, items, folder / str(number)) for number, (cwd, items) in enumerate(found.lost.items())]
    return real or gone or [_sample(at, folder, len(items))]


def _stop(root: Path, items: Sequence[Item], folder: Path) -> Stop:
    key = find_project(root).key
    return Stop(Project(root.name or "root", folder / (root.name or "root"), key), str(root), items, str(root))


def _gone(cwd: str, items: Sequence[Item], folder: Path) -> Stop:
    name = cwd.replace("\\", "/").rstrip("/").rpartition("/")[2] or "root"
    return Stop(Project(name, folder / name, name), cwd, items, f"{cwd}, no longer there", gone=True)


def _sample(at: Here, folder: Path, transcripts: int) -> Stop:
    home, root = folder / "home", folder / samples.PROJECT
    samples.write(home, root, until=at.now)
    items = list(find_all({"claude_code": SOURCES["claude_code"]}, {}, home))
    why = (
        f"none of {text.many(transcripts, 'transcript')} here names its folder"
        if transcripts
        else "this machine has no transcripts"
    )
    return Stop(Project(root.name, root, samples.PROJECT), str(root), items, f"sample sessions, invented: {why}")


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
