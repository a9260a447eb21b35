"""What the hook said and what it kept back: rows of ``deliveries``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from agent_riggs.driver import duckdb
from agent_riggs.store import columns
from agent_riggs.store.ids import stable_id


@dataclass(frozen=True, slots=True)
class Delivery:
    """One wish of the hook to say something. Times are microseconds since 1970 UTC."""

    delivery_id: int
    told_at: int
    agent: str
    session_id: str
    call_id: str
    candidate_key: str
    fingerprint: str
    moment: str
    """``after`` or ``before`` the call."""
    state: str
    """``delivered`` or ``withheld``."""
    reason: str
    """Why it was withheld."""


_NAMES: Final = tuple(Delivery.__dataclass_fields__)


def delivery_id(session: str, nonce: str) -> int:
    """Identity of a delivery, however often its line is read."""
    return stable_id(session, nonce)


def add(conn: duckdb.DuckDBPyConnection, rows: Sequence[Delivery]) -> int:
    """Add what is not there yet, and link each to the failure it was about. Returns the number added."""
    before = _count(conn)
    columns.insert(conn, "deliveries", {name: [getattr(row, name) for row in rows] for name in _NAMES}, "OR IGNORE")
    conn.execute(
        """
        UPDATE deliveries SET turn_id = found.turn_id
        FROM (
            SELECT d.delivery_id, arg_max(t.turn_id, t.timestamp) AS turn_id
            FROM deliveries d
            JOIN turns t ON t.session_id = d.session_id AND t.fingerprint = d.fingerprint
            WHERE d.turn_id IS NULL AND d.moment = 'after' AND d.fingerprint <> ''
              AND t.timestamp <= d.told_at + INTERVAL 5 SECOND
            GROUP BY d.delivery_id
        ) AS found
        WHERE deliveries.delivery_id = found.delivery_id
        """
    )
    return _count(conn) - before


def unproven(conn: duckdb.DuckDBPyConnection, since: int) -> list[tuple[int, str, str, str, str]]:
    """(id, agent, session, key, fingerprint of the ratchet's reference) of what was delivered since a time and has
    not been found in a transcript yet."""
    rows = conn.execute(
        """
        SELECT delivery_id, agent, session_id, candidate_key, coalesce(fingerprint, '')
        FROM deliveries
        WHERE state = 'delivered' AND seen_at IS NULL AND told_at >= make_timestamptz(?)
        ORDER BY told_at, delivery_id
        """,
        [since],
    ).fetchall()
    return [(int(row[0]), row[1], row[2], row[3], row[4]) for row in rows]


def transcripts_of(conn: duckdb.DuckDBPyConnection, sessions: Iterable[str]) -> list[tuple[str, str, str]]:
    """(session, source, key) of the transcripts of these sessions that are still there."""
    return [
        (row[0], row[1], row[2])
        for row in conn.execute(
            "SELECT session_id, source, key FROM transcripts WHERE NOT gone AND list_contains(?, session_id) "
            "ORDER BY session_id, key",
            [sorted(set(sessions))],
        ).fetchall()
    ]


def prove(conn: duckdb.DuckDBPyConnection, seen: Mapping[int, float | None], now: int) -> None:
    """Note that the model was given these texts, with how long the hook took where the agent says so (ms)."""
    for number, took in seen.items():
        conn.execute(
            "UPDATE deliveries SET seen_at = make_timestamptz(?), took_ms = ? WHERE delivery_id = ?",
            [now, took, number],
        )


@dataclass(frozen=True, slots=True)
class Proof:
    """How far delivery to one agent is proven."""

    agent: str
    delivered: int
    withheld: int
    seen: int
    """Of those delivered: found in a transcript."""
    last: int | None
    last_seen: int | None
    slowest: float | None
    """Milliseconds, as the agent measured the hook."""
    awaited: int
    """Of those delivered: no transcript of the session was read since, so there is none to look in."""


def proofs(conn: duckdb.DuckDBPyConnection) -> list[Proof]:
    """One row per agent that was ever told something, by name."""
    rows = conn.execute(
        """
        SELECT agent, count(*) FILTER (state = 'delivered'), count(*) FILTER (state = 'withheld'),
               count(seen_at), epoch_us(max(told_at) FILTER (state = 'delivered')),
               epoch_us(max(told_at) FILTER (seen_at IS NOT NULL)), max(took_ms),
               count(*) FILTER (state = 'delivered' AND seen_at IS NULL AND (r.last IS NULL OR r.last <= told_at))
        FROM deliveries
        LEFT JOIN (SELECT session_id, max(read_at) AS last FROM transcripts GROUP BY session_id) AS r USING (session_id)
        GROUP BY agent ORDER BY agent
        """
    ).fetchall()
    return [Proof(*row) for row in rows]


def versions(conn: duckdb.DuckDBPyConnection) -> dict[str, str]:
    """The client versions in each source's newest transcript, space separated."""
    rows = conn.execute(
        "SELECT source, arg_max(versions, coalesce(ended_at, read_at, make_timestamptz(0))) FROM transcripts "
        "WHERE ours AND versions <> '' GROUP BY source"
    ).fetchall()
    return {row[0]: row[1] for row in rows}


def last_session(conn: duckdb.DuckDBPyConnection) -> dict[str, int]:
    """When each source's sessions of this project last ended (microseconds)."""
    rows = conn.execute(
        "SELECT source, epoch_us(max(ended_at)) FROM transcripts WHERE ours AND ended_at IS NOT NULL GROUP BY source"
    ).fetchall()
    return {row[0]: int(row[1]) for row in rows}


@dataclass(frozen=True, slots=True)
class Failed:
    """One failure as far as the store can tell it again."""

    agent: str
    tool: str
    input: str
    """JSON text of the digested arguments."""
    excerpt: str
    exit_code: int | None


def failures(conn: duckdb.DuckDBPyConnection, fingerprint: str, limit: int = 3) -> list[Failed]:
    """The latest failures of a fingerprint that have an excerpt."""
    rows = conn.execute(
        """
        SELECT agent, coalesce(metadata ->> '$.tool', tool_name), coalesce((metadata -> '$.input')::VARCHAR, '{}'),
               excerpt, exit_code
        FROM turns WHERE fingerprint = ? AND excerpt <> '' ORDER BY timestamp DESC, turn_id LIMIT ?
        """,
        [fingerprint, limit],
    ).fetchall()
    return [Failed(*row) for row in rows]


def _count(conn: duckdb.DuckDBPyConnection) -> int:
    row = conn.execute("SELECT count(*) FROM deliveries").fetchone()
    return int(row[0]) if row else 0
