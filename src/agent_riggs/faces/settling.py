"""After an ingest: decisions back into the store, and the recall index anew."""

from __future__ import annotations

import getpass
from typing import TYPE_CHECKING

from agent_riggs.faces import render, text
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


def settle(at: Here, project: Project) -> None:
    """Bring store and index in line with the decision log, and tell what was not as it should be. A project about
    which nothing was ever decided costs nothing."""
    from agent_riggs.deliver import recall
    from agent_riggs.learn import log

    folder = state_dir(project, at.environ)
    if not any((folder / name).exists() for name in (log.FILE_NAME, recall.FILE_NAME)):
        return
    from agent_riggs.learn.settle import settle as settled
    from agent_riggs.store import open_write

    with open_write(store_path(project)) as store:
        done = settled(store.conn, ledger_of(at, project), now=at.now)
    if done.broken:
        render.tell(f"warning: {done.broken}", "yellow")
    if done.restored:
        render.tell(f"{text.many(done.restored, 'decision')} restored from your log")
    if done.carried:
        render.tell(f"{text.many(len(done.carried), 'decision')} carried over to new keys: agent-riggs ratchet history")
    if done.foreign:
        render.hint(f"{text.many(done.foreign, 'decision')} in this store not made by you: agent-riggs ratchet list")
