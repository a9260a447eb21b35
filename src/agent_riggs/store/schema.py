"""The contract's text, and the types that stand in it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Final

_TABLE: Final = re.compile(r"CREATE TABLE IF NOT EXISTS (\w+) \((.*?)\n\);", re.DOTALL)
_COLUMN: Final = re.compile(r"^    ([a-z]\w*) ([A-Z]+(?:\[\])?)", re.MULTILINE)
_MACRO: Final = re.compile(r"^CREATE OR REPLACE TEMP MACRO (\w+)", re.MULTILINE)
_HELD: Final = re.compile(r'[(,] ?"?(\w+)"? ([A-Z]+(?:\[\])?)')
_COMPUTED: Final = "GENERATED ALWAYS"
_NUMBER, _TEXT, _TIME = "a number", "a text", "a time"
_ALIKE: Final = {
    "BIGINT": _NUMBER,
    "INTEGER": _NUMBER,
    "DOUBLE": _NUMBER,
    "FLOAT": _NUMBER,
    "VARCHAR": _TEXT,
    "JSON": _TEXT,
    "TIMESTAMP": _TIME,
    "TIMESTAMPTZ": _TIME,
}
"""Types that serve for one another: stores of the public package were written with others here and there."""


@cache
def schema_sql() -> str:
    """The text of ``schema.sql``."""
    return _text("schema.sql")


@cache
def macros() -> Mapping[str, str]:
    """The statements of ``views.sql``, each by the name of the table macro that it makes."""
    return {name: statement for statement in _text("views.sql").split(";\n") for name in _MACRO.findall(statement)}


def _text(name: str) -> str:
    return Path(__file__).with_name(name).read_text(encoding="utf-8")


@cache
def column_types() -> Mapping[str, Mapping[str, str]]:
    """Type of every column of every table: ``{table: {column: type}}``."""
    return {table: dict(_COLUMN.findall(body)) for table, body in _TABLE.findall(schema_sql())}


def holds(statement: str, table: str) -> bool:
    """Whether a table made by this statement, as DuckDB spells it, has all columns of ``table``, as stored ones."""
    have = {name: _ALIKE.get(kind, kind) for name, kind in _HELD.findall(statement)}
    wanted = {name: _ALIKE.get(kind, kind) for name, kind in column_types()[table].items()}
    return wanted.items() <= have.items() and _COMPUTED not in statement
