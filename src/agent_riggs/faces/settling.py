"""After an ingest: decisions back into the store, and the recall index anew."""

from __future__ import annotations

import getpass
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from agent_riggs import atomic
from agent_riggs.deliver.hook import BRIEF, MAX_BRIEF
from agent_riggs.faces import here, render, text
from agent_riggs.faces.here import Here
from agent_riggs.paths import state_dir, store_path

if TYPE_CHECKING:
    from agent_riggs.learn.ledger import Ledger
    from agent_riggs.paths import Project


def ledger_of(at: Here, project: Project) -> Ledger:
    """Where the project's decisions are kept, and who decides."""
    from agent_riggs.learn.ledger import Ledger

    try:
        name = getpass.getuser()
    except (OSError, KeyError):
        name = "unknown"
    return Ledger(state_dir(project, at.environ), project.key, name)


@contextmanager
def naming_kept(path: Path) -> Iterator[None]:
    """Tell under what name a broken log was kept meanwhile."""
    from agent_riggs.learn.log import set_aside

    before = set_aside(path)
    try:
        yield
    finally:
        for kept in set_aside(path):
            if kept not in before:
                render.tell(f"the broken log is kept as {kept}", "yellow")


def settle(at: Here, project: Project, fresh: bool = True) -> None:
    """Bring store and index in line with the decision log, and tell what was not as it should be. A project about
    which nothing was ever decided here costs nothing, unless something new was read (``fresh``): a store may have come
    with decisions of others."""
    from agent_riggs.deliver import recall
    from agent_riggs.learn import log

    folder = state_dir(project, at.environ)
    known = any(os.path.lexists(folder / name) for name in (log.FILE_NAME, recall.FILE_NAME))
    if not known and not (fresh and store_path(project).exists()):
        return
    from agent_riggs import config
    from agent_riggs.learn.settle import settle as settled
    from agent_riggs.store import open_write

    hold_out = config.load(project.root).deliver.hold_out
    book = ledger_of(at, project)
    with naming_kept(book.log), open_write(store_path(project)) as store:
        done = settled(store.conn, book, now=at.now, hold_out=hold_out)
    if done.trouble:
        render.tell(f"warning: {done.trouble}", "yellow")
        render.hint(done.remedy)
    if done.ended:
        fixes = text.many(len(done.ended), "fix", "fixes")
        render.tell(f"{fixes} of your log not served: the store knows a later decision that ended it", "yellow")
    if done.restored:
        render.tell(f"{text.many(done.restored, 'decision')} restored from your log")
    if done.carried:
        render.tell(f"{text.many(len(done.carried), 'decision')} carried over to new keys: agent-riggs ratchet history")
    if done.foreign:
        render.hint(f"{text.many(done.foreign, 'decision')} in this store not made by you: agent-riggs ratchet list")


def advise(at: Here, project: Project) -> None:
    """Tell kibitzer what the project's trust advises, where the project has kibitzer."""
    from agent_riggs.deliver import kibitzer

    if not (project.root / kibitzer.FOLDER).is_dir():
        return
    from datetime import UTC, datetime

    from agent_riggs.report import recommendation
    from agent_riggs.store import averages, open_read

    with open_read(store_path(project)) as store:
        value = recommendation.payload(averages.latest(store.conn, recommendation.SUSTAINED))
    if value is not None:
        kibitzer.advise(project.root, value, datetime.fromtimestamp(at.now / 1_000_000, UTC).isoformat())


def hear(at: Here, project: Project) -> None:
    """What the hook said since the last time, into the store, and the words for the next session's start."""
    from agent_riggs.ingest import deliveries
    from agent_riggs.store import open_write
    from agent_riggs.store.transactions import transaction

    folder = state_dir(project, at.environ)
    if deliveries.has_spool(folder):
        from agent_riggs.sources import SOURCES

        with open_write(store_path(project)) as store, transaction(store.conn):
            deliveries.collect(store.conn, folder, SOURCES, at.now)
    write_brief(at, project)


def write_brief(at: Here, project: Project) -> None:
    """Renew the text for a session's start, where the hook was asked for one: it leaves the empty file."""
    path = state_dir(project, at.environ) / BRIEF
    if not path.is_file():
        return
    from agent_riggs.faces import served
    from agent_riggs.report import brief
    from agent_riggs.store import open_read

    with open_read(store_path(project)) as store:
        found = brief.brief(here.memory(at, project, store.conn), served.ratchets(at, project))
    with suppress(OSError):
        atomic.replace(path, "\n".join(brief.lines(found, MAX_BRIEF)).encode())
