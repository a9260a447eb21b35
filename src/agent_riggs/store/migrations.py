"""Bringing a store to the current schema: new ones, our older ones, and those of the public 0.1 and 0.2."""

from __future__ import annotations

import re
from contextlib import suppress
from typing import Final

from agent_riggs.driver import duckdb
from agent_riggs.errors import StoreTooNew
from agent_riggs.store import fence, public
from agent_riggs.store.schema import column_types, holds, schema_sql
from agent_riggs.store.transactions import transaction

SCHEMA_VERSION: Final = 2

_NUMBER: Final = re.compile("[0-9]{1,9}")
_MISFITS: Final = (
    duckdb.BinderException,
    duckdb.CatalogException,
    duckdb.ConstraintException,
    duckdb.ConversionException,
    duckdb.ParserException,
    duckdb.DependencyException,
)
"""What DuckDB raises where tables are not as any release of ours made them."""


def version_of(conn: duckdb.DuckDBPyConnection) -> int | None:
    """The schema version of a store; ``0`` for one of the public package, ``None`` for an empty or foreign file."""
    found = tables(conn)
    if "riggs_meta" in found:
        with suppress(duckdb.Error):  # of other columns
            row = conn.execute("SELECT value FROM riggs_meta WHERE key = 'schema_version'").fetchone()
            if row:
                return int(row[0]) if _NUMBER.fullmatch(str(row[0])) else None
    return 0 if "turns" in found and "failure_stream" in found else None


def is_current(conn: duckdb.DuckDBPyConnection) -> bool:
    """Whether the store can be read as it is. A later version can: columns are only ever added."""
    version = version_of(conn)
    return version is not None and version >= SCHEMA_VERSION and is_whole(conn)


def is_ours(conn: duckdb.DuckDBPyConnection) -> bool:
    """Whether the file is a store of an earlier release, or still empty."""
    version = version_of(conn)
    return version < SCHEMA_VERSION if version is not None else not tables(conn)


def is_whole(conn: duckdb.DuckDBPyConnection) -> bool:
    """Whether every table of the schema is there, as a table and not as a view, with its columns."""
    found = tables(conn)
    return all(table in found and holds(found[table], table) for table in column_types())


def migrate(conn: duckdb.DuckDBPyConnection, *, for_reading: bool = False) -> bool:
    """Create or upgrade the schema in one transaction. Returns whether the file is a store of this schema now; if not,
    it is as it was. Raises ``StoreTooNew`` when a later release wrote the store."""
    conn.execute("SET TimeZone = 'UTC'")
    fence.builtins_first(conn)
    version = version_of(conn)
    if version is None and tables(conn):
        return False
    if version is not None and version >= SCHEMA_VERSION:
        if version > SCHEMA_VERSION and is_whole(conn) and not for_reading:
            raise StoreTooNew(
                f"the store has schema version {version}; this release knows {SCHEMA_VERSION}",
                hint="upgrade agent-riggs; reading commands still work",
            )
        return is_whole(conn)
    try:
        _upgrade(conn, version)
    except _MISFITS:
        return False
    return True


def _upgrade(conn: duckdb.DuckDBPyConnection, version: int | None) -> None:
    fence.store_first(conn)
    try:
        with transaction(conn):
            if version == 0:
                public.take_over(conn)
            elif version is not None:
                public.add_columns(conn)
            conn.execute(schema_sql())
            conn.execute("INSERT OR REPLACE INTO riggs_meta VALUES ('schema_version', ?)", [str(SCHEMA_VERSION)])
            if not is_whole(conn):
                raise duckdb.CatalogException("columns are missing")
    finally:
        fence.builtins_first(conn)


def tables(conn: duckdb.DuckDBPyConnection) -> dict[str, str]:
    """The tables of the file, each with the statement that makes it. Views are none: what they do is not ours."""
    rows = conn.execute(
        "SELECT table_name, sql FROM system.main.duckdb_tables() WHERE NOT internal AND schema_name = 'main'"
    ).fetchall()
    return dict(rows)
