"""What ended the failures of a list, or one of them: mined from the later calls of the same sessions, never decided."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from agent_riggs.learn import candidates, fixes
from agent_riggs.learn.candidates import Span
from agent_riggs.learn.looking import looked
from agent_riggs.store import mining, queries, windows
from agent_riggs.store.queries import Connection
from agent_riggs.store.rows import FailureRow, LaterCall, When

LOOKED_AT: Final = 40
"""Failures of a list, from the top, whose endings are looked for."""


def failures(
    conn: Connection,
    since: When,
    until: When,
    limit: int,
    least: int = 2,
    tool: str | None = None,
    agent: str | None = None,
    failure_class: str | None = None,
) -> list[FailureRow]:
    """What keeps failing, with what ended it: that of most root sessions first, mere looks last."""
    mining.prepare(conn)
    idle = looked(conn, since, until)
    found = queries.failures(conn, since, limit + len(idle), least, tool, agent, failure_class)
    marked = [replace(row, look=row.key in idle) for row in found]
    return with_endings(conn, sorted(marked, key=lambda row: row.look)[:limit], since, until)


def with_endings(conn: Connection, rows: Sequence[FailureRow], since: When, until: When) -> list[FailureRow]:
    """The same rows with cost and ending filled in, for the first ``LOOKED_AT`` of them."""
    mining.prepare(conn)
    keys = [row.key for row in rows[:LOOKED_AT]]
    traces = candidates.traces_of(conn, keys, Span(since, until, 0))
    common = fixes.background(traces) if len(keys) > 3 else None
    found = {key: fixes.mine([trace for trace in traces if trace.fingerprint == key], common) for key in keys}
    return [_ended(row, found[row.key]) if row.key in found else row for row in rows]


def later(conn: Connection, turn_id: int) -> tuple[LaterCall, ...]:
    """What came after a failure, up to the call that ended it; all that was looked through where none did."""
    for window in windows.windows_of(conn, [turn_id], ahead=fixes.AHEAD):
        found = fixes.trace(window)
        return tuple(
            LaterCall(one.turn_id, one.tool, one.input, one.outcome, one.turn_id == found.recovery)
            for one in window.later[: found.calls]
        )
    return ()


def _ended(row: FailureRow, mined: fixes.Mined) -> FailureRow:
    if not mined.sessions:
        return row
    return replace(
        row,
        cost=mined.cost if mined.recovered else None,
        unrecovered=round(mined.unrecovered, 3),
        ended_by=mined.fix.text if mined.fix else None,
        ended_in=mined.fix.support if mined.fix else None,
        fix_source=mined.fix.source if mined.fix else None,
        looked_at=mined.sessions,
        ended=mined.recovered,
        edited=mined.edited,
    )
