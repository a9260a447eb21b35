"""A user's own SQL over the store, without a way to change it or to reach anything else."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import duckdb

from agent_riggs.errors import UsageError

_READS: Final = frozenset({duckdb.StatementType.SELECT, duckdb.StatementType.EXPLAIN})


def run_sql(conn: duckdb.DuckDBPyConnection, query: str) -> tuple[tuple[str, ...], Iterator[tuple[Any, ...]]]:
    """Column names and rows of one reading statement, with no access to files, networks or extensions.

    ``UsageError`` for anything that is not one reading statement, or that DuckDB does not understand.
    """
    conn.execute("SET enable_external_access = false")
    conn.execute("SET lock_configuration = true")
    try:
        statements = conn.extract_statements(query)
        if len(statements) != 1 or statements[0].type not in _READS:
            raise UsageError("only one SELECT, FROM, DESCRIBE, SUMMARIZE or EXPLAIN at a time: the store is read-only")
        cursor = conn.execute(statements[0])
    except duckdb.Error as error:
        raise UsageError(_first(error), 'tables and columns: agent-riggs sql "SHOW ALL TABLES"') from error
    return tuple(column[0] for column in cursor.description or ()), _rows(cursor)


def _rows(cursor: duckdb.DuckDBPyConnection) -> Iterator[tuple[Any, ...]]:
    try:
        while batch := cursor.fetchmany(1000):
            yield from batch
    except duckdb.Error as error:
        raise UsageError(_first(error)) from error


def _first(error: duckdb.Error) -> str:
    """DuckDB's message without its drawing of the query."""
    return " ".join(str(error).split("\n\n")[0].split())
