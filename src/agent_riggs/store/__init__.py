"""The DuckDB store: opening, locking, snapshots. The only package that imports duckdb for our own store.

DuckDB lets one process write OR many read. So a writer holds the file for milliseconds and waits its turn within a
bound, and a reader that meets a writer reads a copy of the last checkpoint instead of waiting.
"""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeVar

from agent_riggs import regular
from agent_riggs.driver import duckdb
from agent_riggs.errors import RiggsError, StoreBroken, StoreBusy
from agent_riggs.store import fence, files, migrations, scratch
from agent_riggs.store.files import discard_folder, prepare_folder

__all__ = ["Connection", "Store", "discard_folder", "open_read", "open_write", "prepare_folder"]

T = TypeVar("T")

Connection = duckdb.DuckDBPyConnection
"""What the functions of this package take; callers need not import duckdb."""

STORAGE: Final = {"storage_compatibility_version": "v1.0.0"}
"""Readable by DuckDB 1.1 and later. It sticks to the file: later plain writes by DuckDB 2 keep it readable."""

UNREADABLE: Final = (
    duckdb.IOException,
    duckdb.SerializationException,
    duckdb.InternalException,
    duckdb.FatalException,
)
"""What DuckDB raises on a damaged, cut or foreign file."""

NOT_OURS: Final = "it is no store of agent-riggs"

NO_FILE: Final = "it is no file"
"""A folder, a pipe (which would be waited for without end), a link."""

SNAPSHOT_AFTER: Final = 0.25
"""Seconds a reader waits for a writer before it reads a copy."""


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
            files.keep_private(path)
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
    with _interruptible(), ExitStack() as undo:
        conn, snapshot = _connect_for_reading(path, wait, undo)
        undo.callback(conn.close)
        try:
            fence.lock(conn)
            yield Store(path, conn, snapshot=snapshot)
        except duckdb.Error as error:
            raise _explain(path, error) from error


@contextmanager
def _interruptible() -> Iterator[None]:
    """An interrupt during a query is an interrupt: DuckDB's client makes a ``RuntimeError`` of it."""
    try:
        yield
    except RuntimeError as error:
        if str(error) == "Query interrupted":
            raise KeyboardInterrupt from error
        raise


def _connect_for_reading(path: Path, wait: float, undo: ExitStack) -> tuple[duckdb.DuckDBPyConnection, bool]:
    regular.refuse_link(path.parent)
    for stray in files.strays(path):
        raise _no_store(stray, NO_FILE)
    if not os.path.lexists(path):
        return _open(":memory:"), False
    try:
        conn = _retry(lambda: _connect(path, read_only=True), path, min(wait, SNAPSHOT_AFTER))
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
            raise _no_store(path, NOT_OURS)
    copy = Path(undo.enter_context(scratch.place("store.duckdb")))
    try:
        return _retry(lambda: _copy_and_open(path, copy), path, wait, also=(duckdb.Error, OSError)), held
    except (duckdb.Error, OSError) as error:
        raise _explain(path, error, opening=True) from error


def _copy_and_open(path: Path, copy: Path) -> duckdb.DuckDBPyConnection:
    shutil.copyfile(path, copy)
    copy.with_name(copy.name + ".wal").unlink(missing_ok=True)
    return _open(copy, for_reading=True, named=path)


def _connect(path: Path | str, *, read_only: bool = False) -> duckdb.DuckDBPyConnection:
    """A connection that reaches nothing but the store; nothing of it has been looked at."""
    settings = fence.CLOSED if read_only else {**STORAGE, **fence.CLOSED}
    conn = duckdb.connect(str(path), read_only=read_only, config=dict(settings))
    with ExitStack() as undo:
        undo.callback(conn.close)
        fence.close(conn, writing=not read_only)
        undo.pop_all()
    return conn


def _open(path: Path | str, *, for_reading: bool = False, named: Path | None = None) -> duckdb.DuckDBPyConnection:
    """A store of this schema. ``StoreBroken`` where the file is none and cannot be made one."""
    conn = _connect(path)
    with ExitStack() as undo:
        undo.callback(conn.close)
        if not migrations.migrate(conn, for_reading=for_reading):
            raise _no_store(named or Path(path), NOT_OURS)
        undo.pop_all()
    return conn


def _connect_or_set_aside(path: Path, wait: float) -> tuple[duckdb.DuckDBPyConnection, Path | None]:
    def opened() -> duckdb.DuckDBPyConnection:
        return _retry(lambda: _open(path), path, wait)

    moved = [files.set_aside(stray) for stray in files.strays(path) if os.path.lexists(stray)]
    try:
        return opened(), next(iter(moved), None)
    except StoreBroken:
        moved = [files.set_aside(path)]
    except duckdb.Error as error:
        explained = _explain(path, error, opening=True)
        log = path.with_name(path.name + ".wal")
        if not isinstance(explained, StoreBroken) or not path.exists():
            raise explained from error
        moved = [files.set_aside(log if "WAL" in str(error) and log.exists() else path)]
    return opened(), moved[0]


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
        return _no_store(path, NOT_OURS)
    if opening or isinstance(error, UNREADABLE):
        return _no_store(path, text)
    return RiggsError(f"the store {path} answered: {text}", hint="run `agent-riggs doctor`")
