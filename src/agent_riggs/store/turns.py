"""Rows of ``turns`` as Python values: reading, inserting and replacing them by the batch."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Final

import msgspec

from agent_riggs.driver import duckdb
from agent_riggs.store import columns


class TurnRow(msgspec.Struct, gc=False):
    """The columns of ``turns`` that state facts. What depends on other calls is derived afterwards (``derive.py``).

    Times are microseconds since 1970 UTC; ``metadata`` is JSON text.
    """

    turn_id: int
    session_id: str
    project: str
    timestamp: int | None
    tool_name: str
    tool_success: bool | None
    mode: str | None
    metadata: str
    source: str
    outcome: str
    rule: str
    agent: str
    call_id: str
    agent_id: str | None
    exit_code: int | None
    flag: bool | None
    category: str | None
    failure_class: str | None
    program: str | None
    shape: str | None
    fingerprint: str | None
    secondary: str | None
    specific: bool
    excerpt: str | None
    user_said: str | None
    task_id: str | None
    mode_source: str | None
    model: str | None
    cwd: str | None
    project_path: str | None
    host: str | None
    provenance: str
    ended_at: int | None
    transcript_id: int
    position: int
    rules_version: int
    input_mark: int | None = None


NAMES: Final = TurnRow.__struct_fields__
_TIMES: Final = frozenset({"timestamp", "ended_at"})
SELECT: Final = ", ".join(f'epoch_us("{name}")' if name in _TIMES else f'"{name}"' for name in NAMES)


_VALUES: Final = attrgetter(*NAMES)


def by_column(rows: Sequence[TurnRow]) -> dict[str, list[object]]:
    """The values of the rows, one list a column."""
    values = zip(*map(_VALUES, rows), strict=True) if rows else ([] for _ in NAMES)
    return {name: list(column) for name, column in zip(NAMES, values, strict=True)}


def fetch(conn: duckdb.DuckDBPyConnection, turn_ids: Iterable[int]) -> dict[int, TurnRow]:
    """The stored rows among ``turn_ids``, as their own transcripts tell them."""
    rows = conn.execute(
        f"SELECT {SELECT}, held FROM turns WHERE turn_id IN (SELECT unnest(?::BIGINT[]))", [list(turn_ids)]
    ).fetchall()
    return {row[0]: _own(TurnRow(*row[:-1]), row[-1]) for row in rows}


def _own(row: TurnRow, held: str | None) -> TurnRow:
    """Without what sister tools' records changed."""
    return msgspec.structs.replace(row, **json.loads(held)) if held else row


def by_task(conn: duckdb.DuckDBPyConnection, agent: str, task_ids: Iterable[str]) -> dict[str, int]:
    """Turn ids of the calls that started the given background tasks."""
    rows = conn.execute(
        "SELECT task_id, min(turn_id) FROM turns WHERE agent = ? AND task_id IN (SELECT unnest(?::VARCHAR[])) "
        "GROUP BY task_id",
        [agent, list(task_ids)],
    ).fetchall()
    return dict(rows)


def insert(conn: duckdb.DuckDBPyConnection, rows: Sequence[TurnRow]) -> None:
    """Store new calls. They stay unsettled (``turn_number`` is NULL) until their sessions are derived."""
    columns.insert_rows(conn, "turns", NAMES, rows)


def replace(conn: duckdb.DuckDBPyConnection, rows: Sequence[TurnRow]) -> None:
    """Overwrite stored calls and mark them unsettled."""
    blank: list[object] = [None] * len(rows)
    columns.update(conn, "turns", "turn_id", by_column(rows) | {"turn_number": blank, "held": blank})


# --- calls seen in more than one session ----------------------------------------------------------


@dataclass(frozen=True, slots=True, order=True)
class Copy:
    """A call as it stands in one of several sessions."""

    turn_id: int
    session_id: str
    transcript_id: int
    position: int


def add_copies(conn: duckdb.DuckDBPyConnection, copies: Sequence[Copy]) -> None:
    """Remember where shared calls stand; of two places in one session the first in order is kept."""
    first: dict[tuple[int, str], Copy] = {}
    for copy in sorted(copies):
        first.setdefault((copy.turn_id, copy.session_id), copy)
    kept = list(first.values())
    columns.insert(
        conn,
        "call_copies",
        {
            "turn_id": [copy.turn_id for copy in kept],
            "session_id": [copy.session_id for copy in kept],
            "transcript_id": [copy.transcript_id for copy in kept],
            "position": [copy.position for copy in kept],
        },
        "OR IGNORE",
    )


def copies_of(conn: duckdb.DuckDBPyConnection, session_ids: Iterable[str]) -> list[Copy]:
    """Every copy of every call in the lineages that the given sessions belong to (closed over shared calls)."""
    rows = conn.execute(
        """
        WITH RECURSIVE lineage(session_id) AS (
            SELECT unnest(?::VARCHAR[])
            UNION
            SELECT other.session_id
            FROM lineage JOIN call_copies mine USING (session_id) JOIN call_copies other USING (turn_id)
        )
        SELECT turn_id, session_id, transcript_id, position FROM call_copies
        WHERE session_id IN (SELECT session_id FROM lineage) ORDER BY ALL
        """,
        [list(session_ids)],
    ).fetchall()
    return [Copy(*row) for row in rows]


# --- results that arrived before their call -------------------------------------------------------


def add_loose(conn: duckdb.DuckDBPyConnection, rows: Sequence[tuple[int, str, str, int]]) -> None:
    """Remember (turn id, call id, task id, transcript id) of results whose call is not known yet."""
    if rows:
        turn_ids, call_ids, task_ids, transcript_ids = (list(column) for column in zip(*sorted(set(rows)), strict=True))
        columns.insert(
            conn,
            "loose_results",
            {"turn_id": turn_ids, "call_id": call_ids, "task_id": task_ids, "transcript_id": transcript_ids},
            "OR IGNORE",
        )


def found_loose(conn: duckdb.DuckDBPyConnection) -> list[int]:
    """Transcripts that hold a result whose call has since been read."""
    rows = conn.execute(
        """
        SELECT DISTINCT loose.transcript_id FROM loose_results loose
        WHERE (loose.task_id = '' AND loose.turn_id IN (SELECT turn_id FROM turns))
           OR (loose.task_id <> '' AND loose.task_id IN (SELECT task_id FROM turns WHERE task_id IS NOT NULL))
        ORDER BY 1
        """
    ).fetchall()
    return [row[0] for row in rows]


def drop_loose(conn: duckdb.DuckDBPyConnection, transcript_ids: Iterable[int]) -> None:
    """Forget what waited in the given transcripts: they are being read again."""
    conn.execute(
        "DELETE FROM loose_results WHERE transcript_id IN (SELECT unnest(?::BIGINT[]))", [list(transcript_ids)]
    )


def totals(conn: duckdb.DuckDBPyConnection) -> tuple[int, dict[str, int]]:
    """Number of sessions, and calls by outcome, of everything read from transcripts."""
    rows = conn.execute("SELECT outcome, count(*) FROM turns WHERE outcome IS NOT NULL GROUP BY 1 ORDER BY 2 DESC, 1")
    outcomes = dict(rows.fetchall())
    sessions = conn.execute("SELECT count(*) FROM session_summaries WHERE agent IS NOT NULL").fetchone()
    return int(sessions[0]) if sessions else 0, outcomes


def has_unsettled(conn: duckdb.DuckDBPyConnection) -> bool:
    """Whether a call waits for its number: one that another program added."""
    row = conn.execute("SELECT 1 FROM turns WHERE turn_number IS NULL AND outcome IS NOT NULL LIMIT 1").fetchone()
    return row is not None
