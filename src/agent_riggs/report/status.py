"""The state of a project's memory in one value: trust, coverage, what is waiting."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Final, Literal

from agent_riggs.config import Ratchet
from agent_riggs.learn.waiting import Decided, waiting
from agent_riggs.store import queries, transcripts
from agent_riggs.store.rows import Totals, Trust, When

Direction = Literal["rising", "falling", "steady"]

STEP: Final = 0.03
"""Two averages closer than this are called steady: a single success moves ``trust_1`` by more."""

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
    """Failures that keep coming back and are not decided."""
    to_keep: int
    """Served fixes that surely help, as far as that was measured."""
    to_retire: int
    """Those that surely do not."""
    log_trouble: str
    """What is wrong with the decision log; empty when nothing is."""
    store_version: str | None

    @property
    def measured(self) -> str:
        """What the measured effects suggest, in words; empty when they suggest nothing."""
        keep, retire = self.to_keep, self.to_retire
        helps = [f"{keep} {'helps' if keep == 1 else 'help'}"] if keep else []
        not_ = [f"{retire} {'does' if retire == 1 else 'do'} not{'' if keep else ' help'}"] if retire else []
        found = ", ".join(helps + not_)
        return f"of the served fixes {found}: agent-riggs ratchet effect" if found else ""


def status(
    conn: queries.Connection,
    project: str,
    limits: Ratchet,
    now: When,
    decided: Decided,
    verdicts: Collection[str] = (),
    log_trouble: str = "",
) -> Status:
    """The state of the store behind ``conn``; ``limits`` and what was ``decided`` say what waits for a decision,
    ``verdicts`` are those on the effect of what is served."""
    found, read, lines, not_understood = queries.understood(conn)
    meta = transcripts.get_meta(conn)
    trust = queries.trust(conn)
    return Status(
        project=project,
        trust=trust,
        direction=direction(trust.session, trust.baseline) if trust else None,
        history=tuple(queries.trust_history(conn, POINTS)),
        totals=queries.totals(conn),
        transcripts=found,
        transcripts_read=read,
        lines=lines,
        lines_not_understood=not_understood,
        last_ingest=last_ingest(meta),
        waiting=waiting(conn, limits, now, decided),
        to_keep=sum(verdict == "keep" for verdict in verdicts),
        to_retire=sum(verdict == "retire" for verdict in verdicts),
        log_trouble=log_trouble,
        store_version=meta.get("schema_version"),
    )


def last_ingest(meta: Mapping[str, str]) -> When | None:
    """When the project was last ingested, whether or not there was anything new."""
    text = meta.get("last_ingest", "")
    return int(text) if text.isdecimal() else None


def direction(now: float, before: float) -> Direction:
    """Where an average is going, seen from a slower one."""
    if abs(now - before) < STEP:
        return "steady"
    return "rising" if now > before else "falling"
