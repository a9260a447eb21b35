"""``ingest``: read what the agents left on this machine."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import click

from agent_riggs.errors import RiggsError
from agent_riggs.faces import here, progress, render, settling, summaries
from agent_riggs.faces.here import Here
from agent_riggs.faces.options import command, json_option, pass_here
from agent_riggs.paths import Project, find_project, state_dir, store_path

if TYPE_CHECKING:
    from agent_riggs.ingest import Items, Summary


@command(
    "ingest",
    (
        "agent-riggs ingest",
        "agent-riggs ingest --all",
        "agent-riggs ingest --recorded-as /old/place/of/this/project",
        "agent-riggs ingest ~/from-the-server/projects --recorded-as /srv/app --host server",
    ),
)
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path), metavar="[PATH]...")
@click.option("--all", "everything", is_flag=True, help="Every project found on this machine, each into its own store.")
@click.option("--recorded-as", metavar="FOLDER", help="The folder under which the transcripts know this project.")
@click.option("--host", metavar="LABEL", help="Name of the machine the transcripts came from.")
@click.option("--quiet", is_flag=True, help="Say nothing unless something is wrong.")
@click.option("--no-wait", is_flag=True, help="Give up at once when another ingest of the project is running.")
@json_option
@pass_here
def ingest(
    at: Here,
    paths: Sequence[Path],
    everything: bool,
    recorded_as: str | None,
    host: str | None,
    quiet: bool,
    no_wait: bool,
    as_json: bool,
) -> int:
    """Read this project's transcripts: what is new, never twice.

    PATH names transcripts (or folders of them) to read instead of looking in the agents' own folders.

    With --json: an object with the counts that are shown; with --all a list of them.
    """
    if everything and (paths or recorded_as):
        raise click.UsageError("--all finds the transcripts by itself: it goes with neither PATH nor --recorded-as")
    if everything:
        return _ingest_all(at, host, quiet, no_wait, as_json)
    return _ingest_one(at, paths, recorded_as, host, quiet, no_wait, as_json)


def _ingest_one(
    at: Here,
    paths: Sequence[Path],
    recorded_as: str | None,
    host: str | None,
    quiet: bool,
    no_wait: bool,
    as_json: bool,
) -> int:
    from agent_riggs.faces.transcripts import named
    from agent_riggs.sources import SOURCES

    began = time.monotonic()
    items = named([at.start / path for path in paths], SOURCES) if paths else None
    summary = _read(
        at, here.project(at), items, host, quiet, no_wait, recorded_as=recorded_as, adopt=bool(paths), beside=not paths
    )
    looked = [] if paths else summaries.places(SOURCES, at.environ, at.home)
    if recorded_as:
        _tell_if_unrecorded(at, recorded_as)
    return summaries.show(summary, time.monotonic() - began, looked, quiet, as_json)


def _tell_if_unrecorded(at: Here, recorded_as: str) -> None:
    """Say so where no transcript of the project was recorded under the folder that was named."""
    from agent_riggs.paths import fold, normal, under
    from agent_riggs.store import open_read, queries

    with open_read(here.store_file(at)) as store:
        folders = queries.recorded_folders(store.conn)
    if not any(under(fold(normal(folder)), fold(normal(recorded_as))) for folder in folders):
        render.tell(f"no transcript was recorded under {recorded_as}", "yellow")


def _ingest_all(at: Here, host: str | None, quiet: bool, no_wait: bool, as_json: bool) -> int:
    from agent_riggs.faces.transcripts import by_project
    from agent_riggs.ingest.discover import find_all
    from agent_riggs.sources import SOURCES

    found = by_project(find_all(SOURCES, at.environ, at.home), SOURCES)
    done, worst = [], 0
    for root, items in found.projects.items():
        try:
            done.append(_read(at, find_project(root), items, host, quiet, no_wait))
        except RiggsError as error:
            render.error(f"{root}: {error.message}", error.hint)
            worst = max(worst, error.exit_code)
    summaries.show_all(done, found, summaries.places(SOURCES, at.environ, at.home), quiet, as_json)
    return worst


def _read(
    at: Here,
    project: Project,
    items: Items | None,
    host: str | None,
    quiet: bool,
    no_wait: bool,
    *,
    recorded_as: str | None = None,
    adopt: bool = False,
    beside: bool = True,
) -> Summary:
    """One project's ingest, and what follows from it. ``beside``: also the sister tools' records in its folder.

    Where nothing is found in a folder that had no memory, none is left there.
    """
    from agent_riggs import config
    from agent_riggs.deliver.ending import OWN_STORE
    from agent_riggs.ingest import LOCK_WAIT
    from agent_riggs.ingest import ingest as read
    from agent_riggs.sources import SISTERS, SOURCES
    from agent_riggs.store import discard_folder

    folder = store_path(project).parent
    was_there, kept = folder.exists(), state_dir(project, at.environ) / OWN_STORE
    with progress.bar(project.name, quiet) as shown:
        summary = read(
            project,
            sources=SOURCES,
            environ=at.environ,
            home=at.home,
            now=at.now,
            config=config.load(project.root),
            recorded_as=recorded_as,
            host=host,
            items=items,
            adopt=adopt,
            sisters=SISTERS if beside else {},
            progress=shown,
            lock_wait=0 if no_wait else LOCK_WAIT,
            kept=kept,
            take_over=not quiet,
        )
    if summary.is_nothing and not was_there:
        discard_folder(folder)
        kept.unlink(missing_ok=True)
        with suppress(OSError):
            kept.parent.rmdir()
    settling.settle(at, project, fresh=summary.read > 0 or summary.taken_over)
    settling.advise(at, project)
    settling.hear(at, project)
    return summary
