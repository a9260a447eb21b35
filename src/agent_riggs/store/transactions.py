"""All or nothing."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from agent_riggs.driver import duckdb


@contextmanager
def transaction(conn: duckdb.DuckDBPyConnection) -> Iterator[None]:
    """One transaction; rolled back when anything goes wrong inside."""
    conn.execute("BEGIN")
    whole = False
    try:
        yield
        whole = True
    finally:
        conn.execute("COMMIT" if whole else "ROLLBACK")
