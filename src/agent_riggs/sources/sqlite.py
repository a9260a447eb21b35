"""Reading another program's SQLite file without a trace: nothing is written, locked for long, or left beside it."""

from __future__ import annotations

import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Final
from urllib.parse import quote

_WAIT: Final = 2.0
"""Seconds to wait for a writer of a database that has no write-ahead log."""


@contextmanager
def opened(path: Path) -> Iterator[sqlite3.Connection]:
    """A read-only connection; raises ``sqlite3.Error`` or ``OSError``.

    A write-ahead log in use is read through the shared memory file beside it. Without a log nobody is writing, and
    the file is opened as immutable, since SQLite would otherwise create both files to look at it. A log without its
    shared memory file (a copied folder, a crash) is read from a private copy.
    """
    with closing(sqlite3.connect(_address(path), uri=True, timeout=_WAIT)) as connection:
        connection.execute("PRAGMA query_only = 1")
        connection.text_factory = lambda data: data.decode("utf-8", "replace")
        yield connection


def _address(path: Path) -> str:
    log, memory = path.with_name(path.name + "-wal"), path.with_name(path.name + "-shm")
    if not log.exists() or not log.stat().st_size:
        return f"{_uri(path)}?mode=ro&immutable=1"
    if memory.exists():
        return f"{_uri(path)}?mode=ro"
    info, length = path.stat(), log.stat()
    return f"{_uri(Path(_copied(path, log, (info.st_mtime_ns, length.st_mtime_ns, length.st_size)).name) / 'copy.db')}"


def _uri(path: Path) -> str:
    return "file:" + quote(str(path.absolute()).replace("\\", "/"))


@lru_cache(maxsize=1)
def _copied(path: Path, log: Path, stamp: tuple[int, int, int]) -> tempfile.TemporaryDirectory[str]:
    """A folder with a copy of a database and its log, kept while the next reads ask for the same state of it."""
    folder = tempfile.TemporaryDirectory(prefix="agent-riggs-")
    shutil.copyfile(path, Path(folder.name) / "copy.db")
    shutil.copyfile(log, Path(folder.name) / "copy.db-wal")
    return folder


def stamp(path: Path) -> str:
    """Changes whenever the database or its log changes."""
    parts = []
    for file in (path, path.with_name(path.name + "-wal")):
        try:
            info = file.stat()
            parts.append(f"{info.st_ino}:{info.st_size}:{info.st_mtime_ns}")
        except OSError:
            parts.append("-")
    return "/".join(parts)
