"""Bringing a store to the current schema: new ones, our older ones, and those of the public 0.1 and 0.2."""

from __future__ import annotations

from contextlib import suppress
from typing import Final

from agent_riggs.driver import duckdb
from agent_riggs.errors import StoreTooNew
from agent_riggs.store import public
from agent_riggs.store.schema import schema_sql
from agent_riggs.store.transactions import transaction

SCHEMA_VERSION: Final = 2

CONTRACT_TABLES: Final = ("turns", "failure_stream", "ratchet_decisions", "session_summaries")


def version_of(conn: duckdb.DuckDBPyConnection) -> int | None:
    """The schema version of a store; ``0`` for one of the public package, ``None`` for an empty or foreign file."""
    with suppress(duckdb.CatalogException):
        row = conn.execute("SELECT value FROM riggs_meta WHERE key = 'schema_version'").fetchone()
        return int(row[0]) if row else 0
    tables = _tables(conn)
    return 0 if "turns" in tables and "failure_stream" in tables else None


def is_current(conn: duckdb.DuckDBPyConnection) -> bool:
    """Whether the store can be read as it is. A later version can: columns are only ever added."""
    version = version_of(conn)
    return version is not None and version >= SCHEMA_VERSION


def is_ours(conn: duckdb.DuckDBPyConnection) -> bool:
    """Whether the file is a store of ours (any release) or still empty."""
    return version_of(conn) is not None or not _tables(conn)


def migrate(conn: duckdb.DuckDBPyConnection, *, for_reading: bool = False) -> None:
    """Create or upgrade the schema in one transaction. Raises ``StoreTooNew`` when a later release wrote the store."""
    conn.execute("SET TimeZone = 'UTC'")
    version = version_of(conn)
    if version == SCHEMA_VERSION:
        return
    if version is not None and version > SCHEMA_VERSION:
        if for_reading:
            return
        raise StoreTooNew(
            f"the store has schema version {version}; this release knows {SCHEMA_VERSION}",
            hint="upgrade agent-riggs; reading commands still work",
        )
    with transaction(conn):
        if version == 0:
            public.take_over(conn)
        elif version is not None:
            public.add_columns(conn)
        conn.execute(schema_sql())
        conn.execute("INSERT OR REPLACE INTO riggs_meta VALUES ('schema_version', ?)", [str(SCHEMA_VERSION)])


def _tables(conn: duckdb.DuckDBPyConnection) -> set[str]:
    rows = conn.execute("SELECT table_name FROM duckdb_tables() WHERE NOT internal").fetchall()
    return {row[0] for row in rows}
