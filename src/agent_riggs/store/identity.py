"""Whether this user began the store, or took it over: it holds an id, and the user's state folder the same one."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import Final

from agent_riggs import atomic, folders
from agent_riggs.driver import duckdb
from agent_riggs.store import transcripts

ID: Final = "store_id"
BORN_WITH: Final = frozenset({"schema_version"})
"""Facts of a store into which nothing was ever read."""


def is_foreign(conn: duckdb.DuckDBPyConnection, kept: Path) -> bool:
    """Whether the store holds something, and the file ``kept`` does not say that it is the user's own. Stores of
    earlier releases have no id."""
    meta = transcripts.get_meta(conn)
    if _is_known(meta.get(ID), kept):
        return False
    return bool(meta.keys() - BORN_WITH) or conn.execute("SELECT 1 FROM turns LIMIT 1").fetchone() is not None


def make_own(conn: duckdb.DuckDBPyConnection, kept: Path) -> None:
    """From here on the store is this user's. Under which names a former owner's transcripts knew the project is
    forgotten: they would bring in sessions of other projects."""
    if _is_known(transcripts.get_meta(conn).get(ID), kept):
        return
    fresh = os.urandom(16).hex()
    transcripts.drop_meta(conn, "recorded_as")
    with suppress(OSError):  # where no state can be kept, the user is asked to look each time
        atomic.replace(kept, fresh.encode())
        transcripts.set_meta(conn, {ID: fresh})


def _is_known(store_id: str | None, kept: Path) -> bool:
    return store_id is not None and folders.small_file(os.fspath(kept), 64) == store_id.encode()
