"""What an open store may reach: nothing but itself. A repository can ship one, with whatever it likes inside."""

from __future__ import annotations

from typing import Final

from agent_riggs.driver import duckdb
from agent_riggs.store import scratch

CLOSED: Final = {
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "python_enable_replacements": "false",
}
"""Left alone, DuckDB fetches extensions over the network, for instance when the file turns out to be SQLite's; and it
takes a variable of this program for a table that is missing."""


def builtins_first(conn: duckdb.DuckDBPyConnection) -> None:
    """Functions are DuckDB's own before they are the store's: a macro of its file named ``count`` is never run."""
    conn.execute(f"SET search_path = 'system.main,{_schema(conn)}'")


def store_first(conn: duckdb.DuckDBPyConnection) -> None:
    """For creating tables, which go where one looks first."""
    conn.execute(f"SET search_path = '{_schema(conn)}'")


def close(conn: duckdb.DuckDBPyConnection, *, writing: bool = False) -> None:
    """No files but the store's own, and in ``writing`` those that rows come from; to be called before anything of the
    store is read. Days and hours of a query are the same on every machine."""
    if writing:
        conn.execute("SET allowed_directories = ['{}']".format(scratch.folder().replace("'", "''")))
    conn.execute("SET enable_external_access = false; SET TimeZone = 'UTC'")
    builtins_first(conn)


def lock(conn: duckdb.DuckDBPyConnection) -> None:
    """No setting changes any more."""
    conn.execute("SET lock_configuration = true")


def _schema(conn: duckdb.DuckDBPyConnection) -> str:
    ((name,),) = conn.execute("SELECT database_name FROM system.main.duckdb_databases() WHERE NOT internal").fetchall()
    return '"{}".main'.format(name.replace('"', '""').replace("'", "''"))
