"""Where and when a command runs: the folder, the environment, the home folder, one reading of the clock."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from agent_riggs import atomic

if TYPE_CHECKING:
    from agent_riggs.learn.log import Log
    from agent_riggs.paths import Project
    from agent_riggs.report.status import Status
    from agent_riggs.store.queries import Connection

LISTED = "listed.json"
"""Name of the file in the state folder that remembers the rows a command just listed."""


@dataclass(frozen=True, slots=True)
class Here:
    """What a command knows about its surroundings."""

    start: Path
    environ: Mapping[str, str]
    home: Path
    now: int
    """Microseconds since 1970 UTC, read once per command."""


def here(start: Path | None = None) -> Here:
    """The surroundings of this process. Raises ``RiggsError`` where no home folder is known, or the current folder was
    deleted."""
    from agent_riggs.errors import RiggsError
    from agent_riggs.paths import home_dir

    try:
        folder = (start or Path.cwd()).absolute()
    except FileNotFoundError as error:
        raise RiggsError(
            "the current folder no longer exists", "go to another one, or name it: agent-riggs -C FOLDER ..."
        ) from error
    return Here(folder, dict(os.environ), home_dir(os.environ), time.time_ns() // 1000)


def version() -> str:
    """The installed package's version."""
    from importlib import metadata

    try:
        return metadata.version("agent-riggs")
    except metadata.PackageNotFoundError:
        return "0 (not installed)"


def project(at: Here) -> Project:
    """The project the command is about."""
    from agent_riggs.paths import find_project

    return find_project(at.start)


def store_file(at: Here) -> Path:
    """Where the project's store is, whether or not it exists."""
    from agent_riggs.paths import store_path

    return store_path(project(at))


def state(at: Here) -> Path:
    """The project's folder under the user's state folder, whether or not it exists."""
    from agent_riggs.paths import state_dir

    return state_dir(project(at), at.environ)


@contextmanager
def reading(at: Here) -> Iterator[Connection]:
    """The project's store, read-only. A missing store is an empty memory; a busy one is read from a copy."""
    from agent_riggs.deliver.ending import OWN_STORE
    from agent_riggs.faces import render
    from agent_riggs.store import identity, open_read, queries

    path = store_file(at)
    with open_read(path) as store:
        if store.snapshot:
            render.tell("the store is being written: this is what it held a moment ago", "dim")
        if queries.is_empty(store.conn):
            root = project(at).root
            render.hint(f"nothing is known of {root}: agent-riggs ingest reads its sessions, or says where it looked")
        elif identity.is_foreign(store.conn, state(at) / OWN_STORE):
            render.hint(f"this memory was begun elsewhere or by an earlier release: it came with {path.parent}")
        yield store.conn


def memory(at: Here, about: Project, conn: Connection) -> Status:
    """The state of a project's memory, as every command shows it."""
    from agent_riggs import config
    from agent_riggs.learn import ledger
    from agent_riggs.paths import state_dir
    from agent_riggs.report.status import status

    book = ledger.Ledger(state_dir(about, at.environ), about.key)
    mine = book.read()
    decided = ledger.verdict_of(conn, mine)
    trouble, _ = ledger.trouble(conn, mine, book.log)
    limits = config.load(about.root).ratchet
    return status(conn, about.name, limits, at.now, decided, _verdicts(conn, mine), trouble)


def _verdicts(conn: Connection, mine: Log) -> list[str]:
    """The verdicts on what is served. What measures them is loaded only where something was told often enough."""
    from agent_riggs.learn.promotions import told_enough

    found = told_enough(conn, mine)
    if not found:
        return []
    from agent_riggs.learn.effect import measured

    return [one.verdict for one in measured(conn, found)]


def nothing(conn: Connection, what: str, otherwise: str) -> str:
    """The sentence in the place of an empty table: no ``what`` because nothing was ingested, or else ``otherwise``."""
    from agent_riggs.store import queries

    return f"No {what}: nothing was ingested yet." if queries.is_empty(conn) else otherwise


@dataclass(frozen=True, slots=True)
class Listed:
    """A row that was shown under a number, and what it stands for."""

    turn_id: int | None = None
    key: str = ""
    """A candidate key or fingerprint."""


def remember_rows(at: Here, rows: Sequence[Listed]) -> None:
    """Keep what the numbers of the table just shown stand for. A state folder that cannot be written is no matter."""
    document = json.dumps([[row.turn_id, row.key] for row in rows])
    with suppress(OSError):
        atomic.replace(state(at) / LISTED, document.encode())


def listed_row(at: Here, word: str) -> Listed | None:
    """What row ``word`` of the table just shown stands for; ``None`` when it is no such number."""
    if not (word.isascii() and word.isdecimal() and len(word) < 6 and int(word)):
        return None
    try:
        rows = json.loads((state(at) / LISTED).read_text(encoding="utf-8"))
        turn_id, key = rows[int(word) - 1]
    except (OSError, ValueError, LookupError, TypeError):
        return None
    return Listed(turn_id if isinstance(turn_id, int) else None, str(key))
