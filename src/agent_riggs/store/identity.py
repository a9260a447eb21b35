"""Whether this user began the store, or took it over: it holds an id, and the user's state folder the same one."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import Final

from agent_riggs import atomic, folders
from agent_riggs.driver import duckdb

ID: Final = "store_id"
BORN_WITH: Final = frozenset({"schema_version"})
"""Facts of a store into which nothing was ever read."""


def is_foreign(conn: duckdb.DuckDBPyConnection, kept: Path) -> bool:
    """Whether the store holds something, and the file ``kept`` does not say that it is the user's own. Stores of
    earlier releases have no id."""
    if _is_known(conn, kept):
        return False
    facts = {row[0] for row in conn.execute("SELECT key FROM riggs_meta").fetchall()}
    return bool(facts - BORN_WITH) or conn.execute("SELECT 1 FROM turns LIMIT 1").fetchone() is not None


def make_own(conn: duckdb.DuckDBPyConnection, kept: Path) -> None:
    """From here on the store is this user's. Under which names a former owner's transcripts knew the project is
    forgotten: they would bring in sessions of other projects."""
    if _is_known(conn, kept):
        return
    fresh = os.urandom(16).hex()
    conn.execute("DELETE FROM riggs_meta WHERE key = 'recorded_as'")
    with suppress(OSError):  # where no state can be kept, the user is asked to look each time
        atomic.replace(kept, fresh.encode())
        conn.execute("INSERT OR REPLACE INTO riggs_meta VALUES (?, ?)", [ID, fresh])


def _is_known(conn: duckdb.DuckDBPyConnection, kept: Path) -> bool:
    row = conn.execute("SELECT value FROM riggs_meta WHERE key = ?", [ID]).fetchone()
    return row is not None and folders.small_file(os.fspath(kept), 64) == str(row[0]).encode()
