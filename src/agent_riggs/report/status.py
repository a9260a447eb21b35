"""The state of a project's memory in one value: trust, coverage, what is waiting."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

from agent_riggs.config import Ratchet
from agent_riggs.deliver.recall import pattern_key
from agent_riggs.store import mining, queries, transcripts
from agent_riggs.store.rows import LastDecision, Totals, Trust, When

Direction = Literal["rising", "falling", "steady"]

STEP: Final = 0.03
"""Two averages closer than this are called steady: a single success moves ``trust_1`` by more."""

_MANY_PATTERNS: Final = 1000

POINTS: Final = 20
"""Sessions shown in the sparkline."""


@dataclass(frozen=True, slots=True)
class Status:
    """What ``agent-riggs status`` shows."""

    project: str
    trust: Trust | None
    """``None`` until a call was scored."""
    direction: Direction | None
    """Where trust is going: the session's average against the baseline."""
    history: tuple[float, ...]
    """Trust at the end of the last sessions, oldest first."""
    totals: Totals
    transcripts: int
    """Transcripts of this project that were found."""
    transcripts_read: int
    """Those of which at least one line was understood."""
    lines: int
    lines_not_understood: int
    last_ingest: When | None
    waiting: int
    """Failure patterns that keep coming back and are not decided."""
    store_version: str | None


def status(conn: queries.Connection, project: str, limits: Ratchet, now: When) -> Status:
    """The state of the store behind ``conn``; ``limits`` say when a pattern waits for a decision."""
    covered = queries.coverage(conn)
    meta = transcripts.get_meta(conn)
    trust = queries.trust(conn)
    return Status(
        project=project,
        trust=trust,
        direction=direction(trust.session, trust.baseline) if trust else None,
        history=tuple(queries.trust_history(conn, POINTS)),
        totals=queries.totals(conn),
        transcripts=sum(source.transcripts for source in covered),
        transcripts_read=sum(source.read for source in covered),
        lines=sum(source.lines for source in covered),
        lines_not_understood=sum(source.not_understood for source in covered),
        last_ingest=last_ingest(meta),
        waiting=waiting(conn, limits, now),
        store_version=meta.get("schema_version"),
    )


def waiting(conn: queries.Connection, limits: Ratchet, now: When) -> int:
    """Failure patterns that are frequent enough for a candidate and were not decided; near-duplicates count each."""
    mining.prepare(conn)
    until = queries.last_activity(conn, now)
    since = until - limits.lookback_days * queries.DAY
    found = mining.patterns(
        conn, since, until, min_occurrences=limits.min_frequency, min_sessions=2, limit=_MANY_PATTERNS
    )
    last = queries.last_decisions(conn)
    return sum(total.sessions >= 2 and _is_open(total, last, now) for total in found)


def _is_open(total: mining.Total, last: Mapping[str, LastDecision], now: When) -> bool:
    row = last.get(pattern_key(total.category, total.tool, total.fingerprint or ""))
    if row is None:
        return True
    if row.decision == "snoozed":
        return now >= (row.until or 0)
    return row.decision in ("retired", "superseded") and (total.last_seen or 0) > (row.decided_at or 0)


def last_ingest(meta: Mapping[str, str]) -> When | None:
    """When the project was last ingested, whether or not there was anything new."""
    text = meta.get("last_ingest", "")
    return int(text) if text.isdecimal() else None


def direction(now: float, before: float) -> Direction:
    """Where an average is going, seen from a slower one."""
    if abs(now - before) < STEP:
        return "steady"
    return "rising" if now > before else "falling"
