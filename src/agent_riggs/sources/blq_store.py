"""blq's database (``.bird/blq.duckdb``), read from a private copy.

Measured on blq-cli 1.2.2: whoever holds the file, even as a reader, makes ``blq run`` give up after a few seconds,
before it runs anything. Copying takes no lock and waits for none. Times are local, without their zone.
"""

from __future__ import annotations

import base64
import binascii
import shutil
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, Final

from agent_riggs.driver import duckdb

_TRIES: Final = 5
_PAUSE: Final = 0.05
"""Seconds between two attempts to copy a file that is being written."""
_LONGEST: Final = 65_536
"""Bytes of an output that are looked at, from its end."""
_MOST_EVENTS: Final = 60

RUN: Final = (
    "id",
    "timestamp",
    "duration_ms",
    "cwd",
    "cmd",
    "pid",
    "exit_code",
    "hostname",
    "source_name",
    "source_type",
    "git_branch",
)
"""Columns of ``invocations`` and ``attempts`` that are read, as far as they are there."""

Row = Mapping[str, Any]
Connection = duckdb.DuckDBPyConnection
Error = duckdb.Error


class InUse(Exception):
    """The database was written all the while it was being copied."""


@contextmanager
def opened(path: Path) -> Iterator[Connection]:
    """A connection to a copy. Raises ``OSError``, ``duckdb.Error``, or ``InUse`` when no whole copy could be had."""
    with tempfile.TemporaryDirectory(prefix="agent-riggs-") as folder:
        copy = Path(folder) / "copy.duckdb"
        _copy(path, copy)
        with closing(_connect(copy)) as connection:
            yield connection


def _connect(copy: Path) -> Connection:
    """Nothing in a foreign file may reach out; a log of another DuckDB release is left aside when it cannot be read."""
    safe: dict[str, Any] = {"enable_external_access": False, "autoload_known_extensions": False}
    try:
        return duckdb.connect(str(copy), config=safe)
    except duckdb.Error:
        log = copy.with_name(copy.name + ".wal")
        if not log.exists():
            raise
        log.unlink()
        return duckdb.connect(str(copy), config=safe)


def _copy(path: Path, copy: Path) -> None:
    """Database and log, both of one moment: neither may change while they are copied."""
    log = path.with_name(path.name + ".wal")
    for _ in range(_TRIES):
        before = stamp(path)
        shutil.copyfile(path, copy)
        target = copy.with_name(copy.name + ".wal")
        target.unlink(missing_ok=True)
        try:
            shutil.copyfile(log, target)
        except FileNotFoundError:
            target.unlink(missing_ok=True)
        if stamp(path) == before:
            return
        time.sleep(_PAUSE)
    raise InUse


def stamp(path: Path) -> str:
    """Changes whenever the database, its log or the list of running commands does."""
    parts = []
    for file in (path, path.with_name(path.name + ".wal"), path.parent / "live"):
        try:
            info = file.stat()
            parts.append(f"{info.st_ino}:{info.st_size}:{info.st_mtime_ns}")
        except OSError:
            parts.append("-")
    return "/".join(parts)


def rows(connection: Connection, table: str, wanted: tuple[str, ...], clause: str = "") -> list[dict[str, Any]]:
    """All rows of a table in the order they were written; columns (or the table) that are missing give ``None``."""
    have = _columns(connection, table)
    if not have:
        return []
    columns = ", ".join(f'"{name}"' if name in have else f'NULL AS "{name}"' for name in wanted)
    found = connection.execute(f"SELECT {columns} FROM {table} {clause} ORDER BY rowid").fetchall()
    return [dict(zip(wanted, row, strict=True)) for row in found]


def _columns(connection: Connection, table: str) -> set[str]:
    found = connection.execute(
        "SELECT column_name FROM duckdb_columns() WHERE NOT internal AND table_name = ?", [table]
    ).fetchall()
    return {row[0] for row in found}


def text_of(connection: Connection, path: Path, run: str) -> str:
    """What a run printed where it was kept, else the diagnostics parsed from it, errors first."""
    return _output(connection, path, run) or _diagnostics(connection, run)


def _output(connection: Connection, path: Path, run: str) -> str:
    if not {"storage_ref", "invocation_id"} <= _columns(connection, "outputs"):
        return ""
    found = connection.execute(
        "SELECT storage_ref FROM outputs WHERE invocation_id::VARCHAR = ? ORDER BY rowid", [run]
    ).fetchall()
    return "\n".join(filter(None, (_stored(path, str(row[0] or "")) for row in found)))


def _stored(path: Path, place: str) -> str:
    """An output inside its row, or in blq's own folder of outputs."""
    kind, _, rest = place.partition(":")
    try:
        if kind == "data":
            data = base64.b64decode(rest.partition(",")[2])
        elif kind == "file":
            root = (path.parent / "blobs").resolve()
            file = next(f.resolve() for f in (root / "content" / rest, root / rest, path.parent / rest) if f.is_file())
            if root not in file.parents:
                return ""
            with file.open("rb") as stream:
                stream.seek(max(0, file.stat().st_size - _LONGEST))
                data = stream.read()
        else:
            return ""
    except (OSError, ValueError, binascii.Error, StopIteration):
        return ""
    return data[-_LONGEST:].decode("utf-8", "replace")


def _diagnostics(connection: Connection, run: str) -> str:
    if not {"severity", "message", "invocation_id"} <= _columns(connection, "events"):
        return ""
    content = "log_content" if "log_content" in _columns(connection, "events") else "NULL"
    found = connection.execute(
        f"SELECT coalesce(nullif({content}, ''), message) FROM events WHERE invocation_id::VARCHAR = ? "
        f"ORDER BY severity <> 'error', severity <> 'warning', event_index LIMIT {_MOST_EVENTS}",
        [run],
    ).fetchall()
    return "\n".join(str(row[0]) for row in found if row[0])
