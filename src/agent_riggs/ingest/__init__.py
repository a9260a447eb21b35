"""From transcripts to the store: find, read, judge, merge, derive; again and again, with nothing counted twice.

One run at a time per project. What is there is compared with what is known first. Where nothing is new that is all, and
what reads and judges is not even loaded.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import chain
from pathlib import Path
from types import MappingProxyType
from typing import Final

import filelock

from agent_riggs import regular
from agent_riggs.config import Config
from agent_riggs.errors import RiggsError, StoreBusy
from agent_riggs.ingest import memory as remembering
from agent_riggs.ingest.discover import Items, discover, find_all, find_beside, look, whose
from agent_riggs.ingest.summary import Summary, Tally
from agent_riggs.judge.redact import redact
from agent_riggs.paths import Project, store_path
from agent_riggs.sources import trials
from agent_riggs.sources.base import ProjectSource, Source
from agent_riggs.store import Store, identity, open_write, prepare_folder

__all__ = ["Items", "Progress", "Summary", "ingest"]

Progress = Callable[[int, int], None]
"""Called with (bytes read so far, bytes to read)."""

LOCK_WAIT: Final = 60.0
"""Seconds to wait for another ingest of the same project."""


def ingest(
    project: Project,
    *,
    sources: Mapping[str, Source],
    environ: Mapping[str, str],
    home: Path,
    now: int,
    config: Config | None = None,
    recorded_as: str | None = None,
    host: str | None = None,
    items: Items | None = None,
    adopt: bool = False,
    sisters: Mapping[str, ProjectSource] = MappingProxyType({}),
    progress: Progress | None = None,
    lock_wait: float = LOCK_WAIT,
    kept: Path | None = None,
    take_over: bool = True,
) -> Summary:
    """Read what is new of one project into its store. ``now`` is in microseconds since 1970 UTC.

    ``items`` replaces the sources' own search (for files given by name, or found once for many projects);
    ``adopt`` takes those among them that name no folder as this project's;
    ``sisters`` are looked for in the project's folder beside it.
    ``kept`` is the file that tells which store is this user's; another's is taken over, or without ``take_over``
    refused. Raises ``StoreBusy`` when another ingest holds the project for longer than ``lock_wait`` seconds.
    """
    path, config = store_path(project), config or Config()
    prepare_folder(path.parent)
    lock = path.with_name("ingest.lock")
    regular.refuse_other(lock)
    try:
        with filelock.FileLock(lock, timeout=lock_wait):
            found = items if items is not None else find_all(sources, environ, home)
            listed = list(chain(found, find_beside(sisters, project, environ)))
            told = list(trials.read(home, now)) if sisters else []
            with open_write(path, wait=config.store.wait_seconds) as store:
                tally = Tally(set_aside=store.set_aside)
                tally.taken_over = kept is not None and _taken_over(store, kept, take_over)
                memory = remembering.remembered(store.conn, config.trust, recorded_as or "")
                belongs = whose(project, memory.aliases)
                seen = look(listed, memory.known, belongs, adopt)
                if seen.nothing_new and not told and remembering.stays(store.conn, memory, now):
                    tally.totals(store.conn)
                    return tally.summary(project, discover(seen, {}, (), belongs))
                remembering.take_up(store.conn, memory, seen.wanted)
            from agent_riggs.ingest.run import Run

            everything: dict[str, Source | ProjectSource] = {**sources, **sisters}
            todo = discover(seen, everything, memory.rows, belongs, adopt)
            run = Run(path, project, everything, config, now, redact(host or "") or None, progress, memory, tally)
            return run.run(todo, told).summary(project, todo)
    except filelock.Timeout as error:
        raise StoreBusy("another ingest of this project is running") from error


def _taken_over(store: Store, kept: Path, allowed: bool) -> bool:
    """Make the store this user's; returns whether it held what somebody else, or an earlier release, had put there."""
    foreign = identity.is_foreign(store.conn, kept)
    if foreign and not allowed:
        raise RiggsError(
            f"the store {store.path} was begun elsewhere or by an earlier release", hint="run `agent-riggs ingest` once"
        )
    identity.make_own(store.conn, kept)
    return foreign
