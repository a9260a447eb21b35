"""Failures that say that something is not there, with what was looked for. The table macros of ``views.sql`` must be
known to the connection: see ``mining.prepare``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from agent_riggs.driver import duckdb

Connection = duckdb.DuckDBPyConnection

SAMPLE: Final = 200
"""Latest failures of one fingerprint that are looked at."""


@dataclass(frozen=True, slots=True)
class Look:
    """One failure. Texts are empty where nothing is known."""

    fingerprint: str
    root: str
    failure_class: str
    shape: str
    excerpt: str
    input: str
    """The call's input as JSON."""


def missing(conn: Connection, since: int, until: int) -> list[tuple[str, str, str, str]]:
    """(fingerprint, class, tool, program) of every failure in which a file or a page was missing."""
    return conn.execute(
        """
        SELECT DISTINCT fingerprint, failure_class, tool_name, coalesce(program, '')
        FROM failures_between(?::BIGINT, ?::BIGINT)
        WHERE failure_class IN ('missing_file', 'http_error') AND fingerprint IS NOT NULL ORDER BY ALL
        """,
        [since, until],
    ).fetchall()


def looks(conn: Connection, fingerprints: Sequence[str], since: int, until: int) -> list[Look]:
    """The latest ``SAMPLE`` failures of each of these fingerprints."""
    rows = conn.execute(
        """
        WITH latest AS (
            SELECT failure_id, turn_id, fingerprint, root, failure_class, coalesce(shape, '') AS shape
            FROM failures_between($since::BIGINT, $until::BIGINT) WHERE list_contains($marks::VARCHAR[], fingerprint)
            QUALIFY row_number() OVER (PARTITION BY fingerprint ORDER BY moment DESC, failure_id) <= $most)
        SELECT l.fingerprint, l.root, l.failure_class, l.shape, coalesce(f.excerpt, ''),
               coalesce((t.metadata -> '$.input')::VARCHAR, '')
        FROM latest l JOIN failure_stream f USING (failure_id) LEFT JOIN turns t ON t.turn_id = l.turn_id
        ORDER BY l.fingerprint, l.failure_id
        """,
        {"marks": list(fingerprints), "since": since, "until": until, "most": SAMPLE},
    ).fetchall()
    return [Look(*row) for row in rows]
