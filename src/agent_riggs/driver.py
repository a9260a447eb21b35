"""DuckDB without the part of its package that builds queries in Python, which takes longer to load than all the rest of
a command: 0.08 of 0.12 seconds. The core, ``_duckdb``, is the same library with the same names (1.4 to 2.0)."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import duckdb
else:
    try:
        import _duckdb as duckdb
    except ImportError:  # a release that calls its core by another name
        import duckdb

__all__ = ["duckdb"]
