"""A user's own SQL over the store, without a way to change it or to reach anything else."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from agent_riggs.driver import duckdb
from agent_riggs.errors import UsageError

_READS: Final = frozenset({duckdb.StatementType.SELECT, duckdb.StatementType.EXPLAIN})


_TIME: Final = "TIMESTAMP WITH TIME ZONE"
_ISO: Final = "replace(strftime(make_timestamp(epoch_us({})), '%Y-%m-%dT%H:%M:%S.%fZ'), '.000000Z', 'Z')"


def run_sql(conn: duckdb.DuckDBPyConnection, query: str) -> tuple[tuple[str, ...], Iterator[tuple[Any, ...]]]:
    """Column names and rows of one reading statement. That it reaches no file, network or extension is settled where
    the store is opened (``fence``).

    ``UsageError`` for anything that is not one reading statement, or that DuckDB does not understand.
    """
    try:
        statements = conn.extract_statements(query)
        if len(statements) != 1 or statements[0].type not in _READS:
            raise UsageError("only one SELECT, FROM, DESCRIBE, SUMMARIZE or EXPLAIN at a time: the store is read-only")
        names, text = _with_plain_times(conn, query)
        cursor = conn.execute(text)
    except duckdb.Error as error:
        raise UsageError(_first(error), 'tables and columns: agent-riggs sql "SHOW ALL TABLES"') from error
    return names or tuple(column[0] for column in cursor.description or ()), _rows(cursor)


def _with_plain_times(conn: duckdb.DuckDBPyConnection, query: str) -> tuple[tuple[str, ...], str]:
    """The query with every time written out as ISO 8601 in UTC, and its own column names; unchanged (and no names)
    where it yields none. DuckDB before 2.0 hands out times with a zone only where pytz is installed."""
    text = query.strip().rstrip(";")
    try:
        columns = conn.execute(f"DESCRIBE {text}").fetchall()
    except duckdb.Error:
        return (), query
    if not any(kind == _TIME for _, kind, *_ in columns):
        return (), query
    names = [f"c{number}" for number in range(len(columns))]
    shown = [_ISO.format(name) if column[1] == _TIME else name for name, column in zip(names, columns, strict=True)]
    return (
        tuple(column[0] for column in columns),
        f"SELECT {', '.join(shown)} FROM ({text}\n) AS answer({', '.join(names)})",
    )


def _rows(cursor: duckdb.DuckDBPyConnection) -> Iterator[tuple[Any, ...]]:
    try:
        while batch := cursor.fetchmany(1000):
            yield from batch
    except duckdb.Error as error:
        raise UsageError(_first(error)) from error


def _first(error: duckdb.Error) -> str:
    """DuckDB's message without its drawing of the query."""
    return " ".join(str(error).split("\n\n")[0].split())
