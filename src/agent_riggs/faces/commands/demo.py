"""``demo``: the first look."""

from __future__ import annotations

import shlex
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import click

from agent_riggs import samples
from agent_riggs.faces import render, text
from agent_riggs.faces.commands import failures
from agent_riggs.faces.here import Here
from agent_riggs.faces.options import Count, command, pass_here

if TYPE_CHECKING:
    from agent_riggs.faces.tour import Stop
    from agent_riggs.ingest import Summary


@command("demo", ("agent-riggs demo", "agent-riggs demo --limit 10", "agent-riggs demo --keep ~/riggs-tour"))
@click.option("--limit", type=Count(), default=5, show_default=True, help="Failures to show for each project.")
@click.option(
    "--keep",
    type=click.Path(path_type=Path),
    metavar="FOLDER",
    help="Write the sample sessions and their project into a new folder instead, to try every command there.",
)
@pass_here
def demo(at: Here, limit: int, keep: Path | None) -> None:
    """A first look at what keeps failing, leaving nothing behind.

    Reads the agents' sessions on this machine into temporary stores and shows what failed again and again. Where no
    project's folder is still there, under the folders that the sessions name.

    On a machine without transcripts it reads invented sample sessions that come with agent-riggs.
    """
    from agent_riggs.faces.tour import tour, write_samples

    if keep is not None:
        _go_on(write_samples(at, keep))
        return
    with tempfile.TemporaryDirectory(prefix="agent-riggs-demo-") as folder:
        shown = [stop for stop, summary in tour(at, Path(folder), quiet=False) if _show(at, stop, summary, limit)]
    if any(stop.gone for stop in shown):
        render.hint("to keep it: in the project's new place, agent-riggs ingest --recorded-as OLD-FOLDER")
    elif shown:
        render.hint("to keep it, and to see the rest: agent-riggs ingest in a project's folder, or ingest --all")
    else:
        render.say("No failure came back in what was read.")


def _go_on(folder: Path) -> None:
    """How to work with the samples that were written into a folder, without touching anything outside of it."""
    project, sessions, state = (shlex.quote(str(folder / name)) for name in (samples.PROJECT, ".claude", "state"))
    render.say(f"The sample sessions are in {folder}. To work with them in this shell:")
    render.say()
    render.say(f"  export CLAUDE_CONFIG_DIR={sessions} AGENT_RIGGS_STATE_DIR={state}")
    render.say(f"  cd {project}")
    render.say("  agent-riggs ingest")
    render.say()
    render.hint("nothing is written outside of that folder: remove it when you have seen enough")


def _show(at: Here, stop: Stop, summary: Summary, limit: int) -> bool:
    from agent_riggs.paths import store_path
    from agent_riggs.report import endings
    from agent_riggs.store import open_read, queries

    with open_read(store_path(stop.project)) as store:
        since = queries.last_activity(store.conn, at.now) - 30 * queries.DAY
        rows = endings.failures(store.conn, since, at.now, limit)
    if not rows:
        return False
    render.say(f"{stop.project.name}  ({stop.where})", "bold")
    render.say(
        f"{text.many(summary.calls, 'call')} in {text.many(summary.sessions, 'session')}; what kept failing:", "dim"
    )
    failures.show_table(rows, at.now)
    render.say()
    return True
