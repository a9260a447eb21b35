"""Ingest cursors and problems: what was read, how far, and what could not be."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Final, NamedTuple

from agent_riggs.driver import duckdb
from agent_riggs.model import Problem
from agent_riggs.store import columns
from agent_riggs.store.ids import stable_id


@dataclass(slots=True)
class TranscriptRow:
    """One row of ``transcripts``. Times are microseconds since 1970 UTC; ``state`` and ``unknown`` are JSON text."""

    transcript_id: int
    source: str
    key: str
    stamp: str
    ours: bool
    gone: bool = False
    byte_offset: int = 0
    line: int = 0
    head: str = ""
    state: str = "{}"
    cwd: str = ""
    session_id: str = ""
    started_at: int | None = None
    ended_at: int | None = None
    background: bool = False
    home: str = ""
    lines: int = 0
    understood: int = 0
    unknown: str = "{}"
    warmups: int = 0
    versions: str = ""
    read_at: int | None = None


class Known(NamedTuple):
    """What decides whether a transcript has to be looked at again."""

    transcript_id: int
    source: str
    key: str
    stamp: str
    ours: bool
    gone: bool
    cwd: str
    started_at: int | None


_NAMES: Final = tuple(field.name for field in fields(TranscriptRow))
_TIMES: Final = frozenset({"started_at", "ended_at", "read_at"})
_SELECT: Final = ", ".join(f'epoch_us("{name}")' if name in _TIMES else f'"{name}"' for name in _NAMES)


def storable(path: str) -> str:
    """A path as it may be stored: itself, or where a secret stands in it without that, told apart by a hash."""
    from agent_riggs.judge.redact import redact_path

    clean = redact_path(path)
    return path if clean == path else f"{clean}~{stable_id(path):016x}"


def known(conn: duckdb.DuckDBPyConnection) -> list[Known]:
    """Every transcript ever met, in a stable order."""
    rows = conn.execute(
        "SELECT transcript_id, source, key, stamp, ours, coalesce(gone, false), cwd, epoch_us(started_at) "
        "FROM transcripts ORDER BY transcript_id"
    ).fetchall()
    return [Known._make(row) for row in rows]


def load(conn: duckdb.DuckDBPyConnection, transcript_ids: Collection[int]) -> list[TranscriptRow]:
    """The whole rows of these transcripts, in a stable order."""
    if not transcript_ids:
        return []
    rows = conn.execute(
        f"SELECT {_SELECT} FROM transcripts WHERE transcript_id IN (SELECT unnest(?::BIGINT[])) ORDER BY transcript_id",
        [list(transcript_ids)],
    ).fetchall()
    return [TranscriptRow(*row) for row in rows]


def save(conn: duckdb.DuckDBPyConnection, rows: Sequence[TranscriptRow]) -> None:
    """Insert or overwrite cursors."""
    columns.insert_rows(conn, "transcripts", _NAMES, rows, "OR REPLACE")


def add_problems(conn: duckdb.DuckDBPyConnection, source: str, problems: Iterable[Problem], now: int) -> int:
    """Record problems, each once however often it is met; returns how many were new."""
    from agent_riggs.judge.redact import redact

    unique = {stable_id(p.path, str(p.line), p.reason): p for p in problems}
    known = conn.execute(
        "SELECT count(*) FROM problems WHERE problem_id IN (SELECT unnest(?::BIGINT[]))", [list(unique)]
    ).fetchall()
    columns.insert(
        conn,
        "problems",
        {
            "problem_id": list(unique),
            "seen_at": [now] * len(unique),
            "source": [source] * len(unique),
            "path": [storable(p.path) for p in unique.values()],
            "line": [p.line for p in unique.values()],
            "reason": [redact(p.reason) for p in unique.values()],
        },
        "OR IGNORE",
    )
    return len(unique) - int(known[0][0])


def drop_mended(conn: duckdb.DuckDBPyConnection, is_mended: Callable[[str], bool]) -> None:
    """Forget problems of whole files and folders that can be read by now. Those of single lines stay: what the line
    held is lost."""
    met = conn.execute("SELECT problem_id, path FROM problems WHERE line IS NULL ORDER BY problem_id").fetchall()
    gone = [problem_id for problem_id, path in met if is_mended(path)]
    if gone:
        conn.execute("DELETE FROM problems WHERE problem_id IN (SELECT unnest(?::BIGINT[]))", [gone])


def get_meta(conn: duckdb.DuckDBPyConnection) -> dict[str, str]:
    """The facts the store keeps about itself."""
    return dict(conn.execute("SELECT key, value FROM riggs_meta ORDER BY key").fetchall())


def set_meta(conn: duckdb.DuckDBPyConnection, values: Mapping[str, str]) -> None:
    """Insert or overwrite such facts."""
    columns.insert(conn, "riggs_meta", {"key": list(values), "value": list(values.values())}, "OR REPLACE")


def drop_meta(conn: duckdb.DuckDBPyConnection, key: str) -> None:
    """Forget such a fact."""
    conn.execute("DELETE FROM riggs_meta WHERE key = ?", [key])
