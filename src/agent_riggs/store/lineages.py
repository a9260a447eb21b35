"""Lineages: sessions that share calls because one was forked, or resumed by copying, from another.

A shared call belongs to the session it was made in, and all sessions of a lineage count as one root session.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby, pairwise

from agent_riggs.driver import duckdb
from agent_riggs.store import turns


def settle(conn: duckdb.DuckDBPyConnection, sessions: Sequence[str]) -> dict[str, str]:
    """Give each shared call to the session it was made in; returns the root of every session of a lineage.

    Sessions that lose or gain a call, or get another root, are marked as unsettled.
    """
    copies = turns.copies_of(conn, sessions)
    if not copies:
        return {}
    rank = _rank(conn, sorted({copy.session_id for copy in copies}))
    parents: dict[str, str] = {}
    owners: list[turns.Copy] = []
    for _, group in groupby(copies, key=lambda copy: copy.turn_id):
        shared = sorted(group, key=lambda copy: rank[copy.session_id])
        owners.append(shared[0])
        _join(parents, [copy.session_id for copy in shared])
    first: dict[str, str] = {}
    for session in sorted(parents, key=lambda session: rank[session]):
        first.setdefault(_find(parents, session), session)
    roots = {session: first[_find(parents, session)] for session in parents}
    _take_over(conn, owners)
    conn.execute(
        "UPDATE turns SET turn_number = NULL FROM (SELECT unnest(?::VARCHAR[]) AS session_id, "
        "unnest(?::VARCHAR[]) AS root) lineage "
        "WHERE turns.session_id = lineage.session_id AND root_session_id IS DISTINCT FROM lineage.root",
        [list(roots), list(roots.values())],
    )
    return roots


def _rank(conn: duckdb.DuckDBPyConnection, sessions: Sequence[str]) -> dict[str, tuple[int, bool, int, str]]:
    """Order of the sessions of a lineage: the original first.

    Copies keep the times of the records they copy, so the start says nothing; a background copy says that it is one,
    and of two others the one that went on first on its own is the original.
    """
    rows = conn.execute(
        """
        SELECT s.session_id,
               (SELECT epoch_us(min(t.started_at)) FROM transcripts t WHERE t.session_id = s.session_id),
               (SELECT bool_or(t.background) FROM transcripts t WHERE t.session_id = s.session_id),
               (SELECT epoch_us(max(t.ended_at)) FROM transcripts t WHERE t.session_id = s.session_id),
               (SELECT epoch_us(min(c.timestamp)) FROM turns c
                WHERE c.session_id = s.session_id AND c.turn_id NOT IN (SELECT turn_id FROM call_copies))
        FROM (SELECT unnest(?::VARCHAR[]) AS session_id) s
        """,
        [list(sessions)],
    ).fetchall()
    return {
        session: (started or 0, bool(background), own if own is not None else (ended or 0), session)
        for session, started, background, ended, own in rows
    }


def _find(roots: Mapping[str, str], session: str) -> str:
    while roots[session] != session:
        session = roots[session]
    return session


def _join(roots: dict[str, str], sessions: Sequence[str]) -> None:
    for session in sessions:
        roots.setdefault(session, session)
    for left, right in pairwise(sessions):
        roots[_find(roots, right)] = _find(roots, left)


def _take_over(conn: duckdb.DuckDBPyConnection, owners: Sequence[turns.Copy]) -> None:
    relation = "(SELECT unnest(?::BIGINT[]) AS turn_id, unnest(?::VARCHAR[]) AS session_id, "
    relation += "unnest(?::BIGINT[]) AS transcript_id, unnest(?::BIGINT[]) AS position)"
    values = [
        [owner.turn_id for owner in owners],
        [owner.session_id for owner in owners],
        [owner.transcript_id for owner in owners],
        [owner.position for owner in owners],
    ]
    rows = conn.execute(
        f"SELECT t.session_id, o.session_id FROM turns t JOIN {relation} o USING (turn_id) "
        "WHERE t.session_id <> o.session_id",
        values,
    ).fetchall()
    if rows:
        conn.execute(
            "UPDATE turns SET session_id = o.session_id, transcript_id = o.transcript_id, position = o.position "
            f"FROM {relation} o WHERE turns.turn_id = o.turn_id AND turns.session_id <> o.session_id",
            values,
        )
        conn.execute(
            "UPDATE turns SET turn_number = NULL WHERE session_id IN (SELECT unnest(?::VARCHAR[]))",
            [sorted({session for row in rows for session in row})],
        )
