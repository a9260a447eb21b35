"""The SQL of ``ratchet_decisions``: reading its rows, adding one, rewriting one's decision. Called by
``learn.decisions`` alone, which decides."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from agent_riggs.driver import duckdb
from agent_riggs.store.transactions import transaction

__all__ = [
    "Connection",
    "Row",
    "attempt",
    "insert",
    "put",
    "replace",
    "rows",
    "set_decision",
    "supersede",
    "transaction",
]

Connection = duckdb.DuckDBPyConnection


@dataclass(frozen=True, slots=True)
class Row:
    """One row of ``ratchet_decisions``. Times are microseconds since 1970 UTC."""

    decision_id: int
    decided_at: int | None
    candidate_type: str
    candidate_key: str
    decision: str
    reason: str = ""
    evidence: Mapping[str, Any] = field(default_factory=dict)
    config_change: Mapping[str, Any] | None = None
    fix: str = ""
    decided_by: str = ""
    until: int | None = None
    previous: str = ""
    hash: str = ""
    """Empty for a row that was never in a decision log."""


def rows(conn: Connection) -> list[Row]:
    """Every row, oldest first. Rows of other producers may lack what their columns allow to be NULL."""
    found = conn.execute(
        """
        SELECT decision_id, epoch_us(decided_at), candidate_type, candidate_key, decision, reason,
               evidence::VARCHAR, config_change::VARCHAR, fix, decided_by, epoch_us(snoozed_until), previous_hash, hash
        FROM ratchet_decisions ORDER BY decided_at NULLS FIRST, decision_id
        """
    ).fetchall()
    return [_row(values) for values in found]


def insert(conn: Connection, row: Row) -> None:
    """Add a row."""
    conn.execute(
        """
        INSERT INTO ratchet_decisions (decision_id, decided_at, candidate_type, candidate_key, decision, reason,
            evidence, config_change, fix, decided_by, snoozed_until, previous_hash, hash)
        VALUES (?, make_timestamptz(?::BIGINT), ?, ?, ?, ?, ?::JSON, ?::JSON, ?, ?, make_timestamptz(?::BIGINT), ?, ?)
        """,
        [row.decision_id, row.decided_at, *_values(row)],
    )


def set_decision(conn: Connection, decision_id: int, decision: str) -> None:
    """Rewrite what a row says was decided: a retired or superseded row is no longer served."""
    conn.execute("UPDATE ratchet_decisions SET decision = ? WHERE decision_id = ?", [decision, decision_id])


def supersede(conn: Connection, candidate_key: str, decision: str) -> int:
    """Rewrite every promoted row of a key, whoever wrote it; returns how many there were."""
    (count,) = conn.execute(
        "SELECT count(*) FROM ratchet_decisions WHERE candidate_key = ? AND decision = 'promoted'", [candidate_key]
    ).fetchone() or (0,)
    conn.execute(
        "UPDATE ratchet_decisions SET decision = ? WHERE candidate_key = ? AND decision = 'promoted'",
        [decision, candidate_key],
    )
    return int(count)


def replace(conn: Connection, row: Row) -> None:
    """Write a row over the one with its id."""
    conn.execute("DELETE FROM ratchet_decisions WHERE decision_id = ?", [row.decision_id])
    insert(conn, row)


def attempt(conn: Connection, write: Callable[[], None]) -> str:
    """Write in one transaction; why the disk or the lock did not let us, in a line, empty when it is done."""
    try:
        with transaction(conn):
            write()
    except (duckdb.OperationalError, duckdb.FatalException, duckdb.InternalError) as error:
        return str(error).partition("\n")[0]
    return ""


def put(conn: Connection, row: Row) -> None:
    """Add a row, or write it over the one with its id, which keeps its time."""
    known = conn.execute("SELECT 1 FROM ratchet_decisions WHERE decision_id = ?", [row.decision_id]).fetchone()
    if not known:
        insert(conn, row)
        return
    conn.execute(
        """
        UPDATE ratchet_decisions
        SET candidate_type = ?, candidate_key = ?, decision = ?, reason = ?, evidence = ?::JSON,
            config_change = ?::JSON, fix = ?, decided_by = ?, snoozed_until = make_timestamptz(?::BIGINT),
            previous_hash = ?, hash = ?
        WHERE decision_id = ?
        """,
        [*_values(row), row.decision_id],
    )


def _values(row: Row) -> list[Any]:
    """What a row holds beside its id and time."""
    return [
        row.candidate_type,
        row.candidate_key,
        row.decision,
        row.reason or None,
        json.dumps(dict(row.evidence)),
        None if row.config_change is None else json.dumps(dict(row.config_change)),
        row.fix or None,
        row.decided_by or None,
        row.until,
        row.previous or None,
        row.hash or None,
    ]


def _row(values: tuple[Any, ...]) -> Row:
    ident, at, kind, key, decision, reason, evidence, change, fix, by, until, previous, own = values
    return Row(
        decision_id=ident,
        decided_at=at,
        candidate_type=kind or "",
        candidate_key=key or "",
        decision=decision or "",
        reason=reason or "",
        evidence=_object(evidence) or {},
        config_change=_object(change),
        fix=fix or "",
        decided_by=by or "",
        until=until,
        previous=previous or "",
        hash=own or "",
    )


def _object(text: str | None) -> dict[str, Any] | None:
    """A JSON object, or ``None`` for anything else: rows of others hold what they hold."""
    try:
        value = json.loads(text) if text else None
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None
