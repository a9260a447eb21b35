"""The DuckDB store: opening, locking, snapshots. The only package that imports duckdb for our own store.

DuckDB lets one process write OR many read. So a writer holds the file for milliseconds and waits its turn within a
bound, and a reader that meets a writer reads a copy of the last checkpoint instead of waiting.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeVar

from agent_riggs.driver import duckdb
from agent_riggs.errors import RiggsError, StoreBroken, StoreBusy
from agent_riggs.store import migrations

T = TypeVar("T")

Connection = duckdb.DuckDBPyConnection
"""What the functions of this package take; callers need not import duckdb."""

STORAGE: Final = {"storage_compatibility_version": "v1.0.0"}
"""Readable by DuckDB 1.1 and later. It sticks to the file: later plain writes by DuckDB 2 keep it readable."""

OFFLINE: Final = {"autoinstall_known_extensions": "false", "autoload_known_extensions": "false"}
"""Left alone, DuckDB fetches extensions over the network, for instance when the file turns out to be SQLite's."""

UNREADABLE: Final = (
    duckdb.IOException,
    duckdb.SerializationException,
    duckdb.InternalException,
    duckdb.FatalException,
)
"""What DuckDB raises on a damaged, cut or foreign file."""

NO_FILE: Final = "it is no file"
"""A folder, a pipe (which would be waited for without end), a link that leads nowhere."""

SNAPSHOT_AFTER: Final = 0.25
"""Seconds a reader waits for a writer before it reads a copy."""

README: Final = """This folder holds the memory of agent-riggs for this project.
store.duckdb is the store: `agent-riggs status` shows what is in it, docs/schema.md describes it.
Everything but your decisions can be rebuilt from the agents' transcripts with `agent-riggs ingest`, as long as the
agents keep them; your decisions are also kept in your user state folder. Nothing here is meant to be committed.
"""


@dataclass(frozen=True, slots=True)
class Store:
    """An open store."""

    path: Path
    conn: duckdb.DuckDBPyConnection
    snapshot: bool = False
    """Whether this is a copy of the last checkpoint, because a writer held the file. A copy made to read the store of
    an earlier release is none."""
    set_aside: Path | None = None
    """Where a broken or foreign file, or a damaged write-ahead log, that stood in the way was moved."""


def prepare_folder(folder: Path) -> None:
    """Create ``.riggs`` with what keeps it out of commits. Raises ``RiggsError`` when the folder cannot be written.

    A repository may ship it with links inside, or as a link: nothing is made where they lead.
    """
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if folder.is_symlink() and not (folder / "store.duckdb").is_file() and any(folder.iterdir()):
            raise RiggsError(f"{folder} is a link to a folder that holds other things", hint="remove the link")
        for name, text in ((".gitignore", "*\n"), ("README", README)):
            with suppress(FileExistsError), open(folder / name, "x", encoding="utf-8") as file:
                file.write(text)
    except OSError as error:
        raise RiggsError(
            f"cannot write {folder}: {error.strerror or error}",
            hint="check the folder's permissions and the free space",
        ) from error


def discard_folder(folder: Path) -> None:
    """Take away what ``prepare_folder`` and a store in which nothing is left behind. What else lies there stays."""
    for name in (".gitignore", "README", "ingest.lock", "store.duckdb", "store.duckdb.wal"):
        (folder / name).unlink(missing_ok=True)
    with suppress(OSError):
        folder.rmdir()


@contextmanager
def open_write(path: Path, *, wait: float = 10.0) -> Iterator[Store]:
    """The store, writable, created or migrated as needed. Hold it for milliseconds.

    Raises ``StoreBusy`` when another process still holds the file after ``wait`` seconds, ``StoreTooNew`` for a store
    of a later release. A file that is no store of ours is set aside under a new name, never deleted.
    """
    prepare_folder(path.parent)
    with _interruptible():
        conn, moved = _connect_or_set_aside(path, wait)
        try:
            with suppress(OSError):
                path.chmod(0o600)
            migrations.migrate(conn)
            yield Store(path, conn, set_aside=moved)
        except duckdb.Error as error:
            raise _explain(path, error) from error
        finally:
            conn.close()


@contextmanager
def open_read(path: Path, *, wait: float = 5.0) -> Iterator[Store]:
    """The store, read-only. Never needs the write lock: when a writer holds the file, a copy is read.

    A missing store is an empty one. Raises ``StoreBroken`` for a file that cannot be opened.
    """
    with _interruptible(), tempfile.TemporaryDirectory(prefix="agent-riggs-") as folder:
        copy = Path(folder) / "store.duckdb"
        conn, snapshot = _connect_for_reading(path, copy, wait)
        try:
            conn.execute("SET TimeZone = 'UTC'")  # days and hours of a query are the same on every machine
            yield Store(path, conn, snapshot=snapshot)
        except duckdb.Error as error:
            raise _explain(path, error) from error
        finally:
            conn.close()


@contextmanager
def _interruptible() -> Iterator[None]:
    """An interrupt during a query is an interrupt: DuckDB's client makes a ``RuntimeError`` of it."""
    try:
        yield
    except RuntimeError as error:
        if str(error) == "Query interrupted":
            raise KeyboardInterrupt from error
        raise


def _connect_for_reading(path: Path, copy: Path, wait: float) -> tuple[duckdb.DuckDBPyConnection, bool]:
    if not os.path.lexists(path):
        conn = duckdb.connect(":memory:", config={**OFFLINE})
        migrations.migrate(conn)
        return conn, False
    if not path.is_file():
        raise _no_store(path, NO_FILE)
    try:
        conn = _retry(
            lambda: duckdb.connect(str(path), read_only=True, config={**OFFLINE}), path, min(wait, SNAPSHOT_AFTER)
        )
    except StoreBusy:
        held = True
    except duckdb.Error as error:
        raise _explain(path, error, opening=True) from error
    else:
        if migrations.is_current(conn):
            return conn, False
        held, ours = False, migrations.is_ours(conn)
        conn.close()
        if not ours:
            raise _no_store(path, "it is another program's database")
    try:
        return _retry(lambda: _copy_and_open(path, copy), path, wait, also=(duckdb.Error, OSError)), held
    except (duckdb.Error, OSError) as error:
        raise _explain(path, error, opening=True) from error


def _copy_and_open(path: Path, copy: Path) -> duckdb.DuckDBPyConnection:
    shutil.copyfile(path, copy)
    copy.with_name(copy.name + ".wal").unlink(missing_ok=True)
    conn = duckdb.connect(str(copy), config={**OFFLINE})
    with ExitStack() as undo:
        undo.callback(conn.close)
        migrations.migrate(conn, for_reading=True)
        undo.pop_all()
    return conn


def _connect_or_set_aside(path: Path, wait: float) -> tuple[duckdb.DuckDBPyConnection, Path | None]:
    def connect() -> duckdb.DuckDBPyConnection:
        return duckdb.connect(str(path), config={**STORAGE, **OFFLINE})

    if os.path.lexists(path) and not path.is_file():
        moved = set_aside(path)
        return _retry(connect, path, wait), moved
    try:
        conn = _retry(connect, path, wait)
        if migrations.is_ours(conn):
            return conn, None
        conn.close()
    except duckdb.Error as error:
        if not isinstance(_explain(path, error, opening=True), StoreBroken) or not path.exists():
            raise _explain(path, error, opening=True) from error
        wal = path.with_name(path.name + ".wal")
        if "WAL" in str(error) and wal.exists():
            moved = _free_name(wal)
            os.replace(wal, moved)
            return _retry(connect, path, wait), moved
    moved = set_aside(path)
    return _retry(connect, path, wait), moved


def _free_name(path: Path) -> Path:
    number = 1
    while os.path.lexists(target := path.with_name(f"{path.stem}.broken-{number}{path.suffix}")):
        number += 1
    return target


def set_aside(path: Path) -> Path:
    """Move a store and its write-ahead log out of the way under the first free name; returns that name."""
    target = _free_name(path)
    wal = path.with_name(path.name + ".wal")
    if wal.exists():
        os.replace(wal, target.with_name(target.name + ".wal"))
    os.replace(path, target)
    return target


def _retry(attempt: Callable[[], T], path: Path, wait: float, also: tuple[type[Exception], ...] = ()) -> T:
    deadline = time.monotonic() + wait
    pause = 0.005
    while True:
        try:
            return attempt()
        except (duckdb.Error, OSError) as error:
            if not (_is_lock(error) or isinstance(error, also)):
                raise
            if time.monotonic() + pause > deadline:
                if not _is_lock(error):
                    raise
                raise StoreBusy(
                    f"the store {path} is held by another process",
                    hint="try again in a moment; `agent-riggs doctor` shows who holds it",
                ) from error
        time.sleep(pause)
        pause = min(pause * 2, 0.1)


def _is_lock(error: BaseException) -> bool:
    text = str(error)
    return "lock on file" in text or "being used by another process" in text


def _no_store(path: Path, why: str) -> StoreBroken:
    return StoreBroken(
        f"{path} cannot be opened: {why}",
        hint="run `agent-riggs ingest`: the file is set aside and the store rebuilt from the transcripts",
    )


def _explain(path: Path, error: BaseException, *, opening: bool = False) -> RiggsError:
    """A driver error as one line with a guess at the cause. ``opening``: whatever else it is, the file is no good."""
    text = str(error).splitlines()[0] if str(error) else type(error).__name__
    if _is_lock(error):
        return StoreBusy(f"the store {path} is held by another process", hint="try again in a moment")
    if "Permission denied" in text or "Read-only file system" in text or "read-only mode" in text:
        return RiggsError(f"cannot write {path}: {text}", hint="check the folder's permissions")
    if "No space left" in text or "could not write" in text.lower():
        return RiggsError(f"cannot write {path}: {text}", hint="free some disk space; the store is intact")
    if opening and "Extension" in text:
        return _no_store(path, "it is another program's database")
    if opening or isinstance(error, UNREADABLE):
        return _no_store(path, text)
    return RiggsError(f"the store {path} answered: {text}", hint="run `agent-riggs doctor`")
