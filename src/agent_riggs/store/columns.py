"""Writing many rows at once: one statement a batch, one list a column, or a file of JSON lines.

Measured with DuckDB 2.0 on 50,000 rows of 25 columns: 0.6 s by the column in batches of 5,000, more than ten minutes
row by row; on 9,000 rows of 37 columns: 0.18 s by the column, 0.1 s through a file.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping, Sequence
from typing import Any, Final

from agent_riggs.driver import duckdb
from agent_riggs.store.schema import column_types

BATCH: Final = 5000


_PASSED: Final = {"TIMESTAMPTZ": "BIGINT", "JSON": "VARCHAR"}
"""Types that values are passed as: times are microseconds, JSON is text."""

_TAKEN: Final = {"TIMESTAMPTZ": 'make_timestamptz("{}") AS "{}"', "JSON": '"{}"::JSON AS "{}"'}


def _passed(table: str, columns: Sequence[str]) -> dict[str, str]:
    types = column_types()[table]
    return {column: _PASSED.get(types[column], types[column]) for column in columns}


def _taken(table: str, columns: Sequence[str]) -> str:
    """The columns as they are stored, from those that were passed."""
    types = column_types()[table]
    return ", ".join(_TAKEN.get(types[column], '"{}"').format(column, column) for column in columns)


def _relation(table: str, columns: Sequence[str]) -> str:
    """A subquery that turns one list parameter a column into rows."""
    inner = ", ".join(f'unnest(?::{kind}[]) AS "{column}"' for column, kind in _passed(table, columns).items())
    return f"(SELECT {_taken(table, columns)} FROM (SELECT {inner}))"


def _batches(columns: Mapping[str, Sequence[Any]]) -> list[list[Sequence[Any]]]:
    length = len(next(iter(columns.values()), ()))
    return [[values[at : at + BATCH] for values in columns.values()] for at in range(0, length, BATCH)]


def insert(conn: duckdb.DuckDBPyConnection, table: str, columns: Mapping[str, Sequence[Any]], verb: str = "") -> None:
    """Insert rows given column by column. ``verb`` may be ``OR REPLACE`` or ``OR IGNORE``."""
    names = list(columns)
    quoted = ", ".join(f'"{name}"' for name in names)
    statement = f"INSERT {verb} INTO {table} ({quoted}) SELECT {quoted} FROM {_relation(table, names)}"
    for values in _batches(columns):
        conn.execute(statement, values)


def insert_lines(conn: duckdb.DuckDBPyConnection, table: str, names: Sequence[str], lines: bytes) -> None:
    """Insert rows given as lines of JSON objects, through a file: half the cost of ``insert`` for wide rows."""
    if not lines:
        return
    kinds = ", ".join(f"\"{name}\": '{kind}'" for name, kind in _passed(table, names).items())
    quoted = ", ".join(f'"{name}"' for name in names)
    with tempfile.TemporaryDirectory(prefix="agent-riggs-") as folder:
        path = os.path.join(folder, "rows.json")
        with open(path, "xb") as file:
            file.write(lines)
        conn.execute(
            f"INSERT INTO {table} ({quoted}) SELECT {_taken(table, names)} "
            f"FROM read_json(?, format = 'newline_delimited', columns = {{{kinds}}})",
            [path],
        )


def update(conn: duckdb.DuckDBPyConnection, table: str, key: str, columns: Mapping[str, Sequence[Any]]) -> None:
    """Overwrite columns of existing rows, found by ``key`` (one of ``columns``)."""
    names = [name for name in columns if name != key]
    assignments = ", ".join(f'"{name}" = fresh."{name}"' for name in names)
    statement = (
        f"UPDATE {table} SET {assignments} FROM {_relation(table, list(columns))} AS fresh "
        f'WHERE {table}."{key}" = fresh."{key}"'
    )
    for values in _batches(columns):
        conn.execute(statement, values)
