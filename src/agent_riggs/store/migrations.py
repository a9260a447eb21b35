"""Bringing a store to the current schema: new ones, our older ones, and those of the public 0.1 and 0.2."""

from __future__ import annotations

from importlib import resources
from typing import Final

import duckdb

from agent_riggs.errors import StoreTooNew

SCHEMA_VERSION: Final = 1

CONTRACT_TABLES: Final = ("turns", "failure_stream", "ratchet_decisions", "session_summaries")


def schema_sql() -> str:
    """The contract: the text of ``schema.sql``."""
    return resources.files("agent_riggs.store").joinpath("schema.sql").read_text(encoding="utf-8")


def version_of(conn: duckdb.DuckDBPyConnection) -> int | None:
    """The schema version of a store; ``0`` for one of the public package, ``None`` for an empty or foreign file."""
    tables = _tables(conn)
    if "riggs_meta" in tables:
        row = conn.execute("SELECT value FROM riggs_meta WHERE key = 'schema_version'").fetchone()
        return int(row[0]) if row else 0
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
    conn.execute("BEGIN")
    try:
        if version == 0:
            _from_public(conn)
        conn.execute(schema_sql())
        conn.execute("INSERT OR REPLACE INTO riggs_meta VALUES ('schema_version', ?)", [str(SCHEMA_VERSION)])
        conn.execute("COMMIT")
    except BaseException:
        conn.execute("ROLLBACK")
        raise


def _tables(conn: duckdb.DuckDBPyConnection) -> set[str]:
    rows = conn.execute("SELECT table_name FROM duckdb_tables() WHERE NOT internal").fetchall()
    return {row[0] for row in rows}


def _from_public(conn: duckdb.DuckDBPyConnection) -> None:
    """Take over the tables of the public 0.1 and 0.2: every row is kept, the columns that are ours are added."""
    wanted = _wanted_columns()
    for table in sorted(_tables(conn) & wanted.keys()):
        have = {row[0] for row in conn.execute(f"SELECT column_name FROM (DESCRIBE {table})").fetchall()}
        for column, kind in wanted[table]:
            if column not in have:
                conn.execute(f'ALTER TABLE {table} ADD COLUMN "{column}" {kind}')
    if "turns" in wanted:
        conn.execute("UPDATE turns SET provenance = 'public' WHERE provenance IS NULL AND call_id IS NULL")


def _wanted_columns() -> dict[str, list[tuple[str, str]]]:
    """Columns with types of every table, read off the schema itself in a scratch database."""
    with duckdb.connect(":memory:") as scratch:
        scratch.execute(schema_sql())
        rows = scratch.execute(
            "SELECT table_name, column_name, data_type FROM duckdb_columns() WHERE NOT internal ORDER BY column_index"
        ).fetchall()
    wanted: dict[str, list[tuple[str, str]]] = {}
    for table, column, kind in rows:
        wanted.setdefault(table, []).append((column, kind))
    return wanted
