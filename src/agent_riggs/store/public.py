"""Stores of the public agent-riggs 0.1 and 0.2: brought under this schema in place, with every row kept.

Measured on a store that 0.2.0 wrote: tables of the same names, stricter columns (NOT NULL almost everywhere),
``session_summaries.duration`` as INTERVAL, ``decided_at`` as TIMESTAMP, and any number of promoted rows per key.
"""

from __future__ import annotations

from typing import Final

from agent_riggs.driver import duckdb
from agent_riggs.store.schema import column_types

CONTRACT_TABLES: Final = ("failure_stream", "nudge_trials", "ratchet_decisions", "session_summaries", "turns")


def take_over(conn: duckdb.DuckDBPyConnection) -> None:
    """Add the columns that are ours, loosen those that were stricter, leave one promoted row per key.

    Call it inside the migration's transaction, before the schema itself is run.
    """
    tables = add_columns(conn)
    _loosen(conn, tables)
    if "session_summaries" in tables:
        _seconds(conn)
    if "ratchet_decisions" in tables:
        _last_word(conn)
    conn.execute("UPDATE turns SET provenance = 'public' WHERE provenance IS NULL AND call_id IS NULL")


def add_columns(conn: duckdb.DuckDBPyConnection) -> set[str]:
    """Add the columns that tables of an earlier schema lack; returns the tables there are."""
    tables = {row[0] for row in conn.execute("SELECT table_name FROM duckdb_tables() WHERE NOT internal").fetchall()}
    for table in sorted(tables & column_types().keys()):
        _add_columns(conn, table)
    return tables


def _add_columns(conn: duckdb.DuckDBPyConnection, table: str) -> None:
    have = {row[0] for row in conn.execute(f"SELECT column_name FROM (DESCRIBE {table})").fetchall()}
    for column, kind in column_types()[table].items():
        if column not in have:
            conn.execute(f'ALTER TABLE {table} ADD COLUMN "{column}" {kind}')


def _loosen(conn: duckdb.DuckDBPyConnection, tables: set[str]) -> None:
    """A call without a usable time, or not yet numbered, is a row too."""
    rows = conn.execute(
        """
        SELECT c.table_name, c.column_name FROM duckdb_columns() c
        WHERE NOT c.internal AND NOT c.is_nullable AND NOT EXISTS (
            SELECT 1 FROM duckdb_constraints() k
            WHERE k.table_name = c.table_name AND k.constraint_type = 'PRIMARY KEY'
              AND list_contains(k.constraint_column_names, c.column_name))
        ORDER BY ALL
        """
    ).fetchall()
    for table, column in rows:
        if table in CONTRACT_TABLES and table in tables:
            conn.execute(f'ALTER TABLE {table} ALTER COLUMN "{column}" DROP NOT NULL')


def _seconds(conn: duckdb.DuckDBPyConnection) -> None:
    kind = conn.execute(
        "SELECT data_type FROM duckdb_columns() WHERE table_name = 'session_summaries' AND column_name = 'duration'"
    ).fetchone()
    if kind == ("INTERVAL",):
        conn.execute("ALTER TABLE session_summaries ALTER COLUMN duration TYPE DOUBLE USING epoch(duration)")


def _last_word(conn: duckdb.DuckDBPyConnection) -> None:
    """At most one promoted row per key: a later promotion superseded it, any other later decision ended it.

    Nothing is removed, and the last decision about each key stays as it was.
    """
    conn.execute(
        """
        UPDATE ratchet_decisions SET decision = later.became FROM (
            SELECT decision_id, CASE following WHEN 'promoted' THEN 'superseded' ELSE 'retired' END AS became FROM (
                SELECT decision_id, decision, lead(decision) OVER (
                    PARTITION BY candidate_key ORDER BY decided_at, decision_id) AS following
                FROM ratchet_decisions)
            WHERE decision = 'promoted' AND following IS NOT NULL) AS later
        WHERE ratchet_decisions.decision_id = later.decision_id
        """
    )
