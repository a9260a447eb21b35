"""The contract's text, and the types that stand in it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import Final

_TABLE: Final = re.compile(r"CREATE TABLE IF NOT EXISTS (\w+) \((.*?)\n\);", re.DOTALL)
_COLUMN: Final = re.compile(r"^    ([a-z]\w*) ([A-Z]+(?:\[\])?)", re.MULTILINE)


@cache
def schema_sql() -> str:
    """The text of ``schema.sql``."""
    return resources.files("agent_riggs.store").joinpath("schema.sql").read_text(encoding="utf-8")


@cache
def column_types() -> Mapping[str, Mapping[str, str]]:
    """Type of every column of every table: ``{table: {column: type}}``."""
    return {table: dict(_COLUMN.findall(body)) for table, body in _TABLE.findall(schema_sql())}
