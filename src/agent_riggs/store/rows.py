"""Rows that the questions in ``queries`` answer with. Field by field they are what ``--json`` prints: a change here is
a change of the documented output. Times are microseconds since 1970 in UTC (``When``).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

When = int
"""A time in microseconds since 1970 UTC; printed as ISO 8601."""

Id = int
"""An id of up to 63 bits; printed as text in JSON, because many readers round numbers above 2^53."""


@dataclass(frozen=True, slots=True)
class Trust:
    """The three trust averages after the project's last call that had a score."""

    now: float
    session: float
    baseline: float
    at: When | None


@dataclass(frozen=True, slots=True)
class Totals:
    """What the store holds, in counts."""

    sessions: int
    root_sessions: int
    calls: int
    failures: int
    own_failures: int
    """Failed and check_failed calls that were read from transcripts: refusals are nobody's fault."""
    own_unspecific: int
    """Those whose key names no cause."""
    problems: int


@dataclass(frozen=True, slots=True)
class SourceCoverage:
    """How much of one source's transcripts was understood."""

    source: str
    transcripts: int
    """Transcripts of this project that were found."""
    read: int
    """Those of which at least one line was understood."""
    elsewhere: int
    """Transcripts known to belong to other projects."""
    gone: int
    """Transcripts since deleted; their calls are kept."""
    lines: int
    not_understood: int
    unknown: Mapping[str, int]
    """Record types nobody knows, with counts."""
    versions: tuple[str, ...]
    homes: tuple[str, ...]
    """Folders of the agent that the transcripts were found in: more than one may mean more than one account."""
    warmups: int
    calls: int
    failures: int
    last_read: When | None


@dataclass(frozen=True, slots=True)
class FailureRow:
    """One failure that was met, over every time it was met."""

    key: str
    """The fingerprint; for rows without one the constraint key."""
    category: str
    failure_class: str | None
    tool: str
    program: str | None
    shape: str | None
    sessions: int
    """Root sessions: forks and subagents count as the session they came from."""
    times: int
    first_seen: When | None
    last_seen: When | None
    turn_id: Id
    """The latest call that failed this way."""
    agents: tuple[str, ...]
    cost: float | None = None
    """Median calls from the failure to what ended it; ``None`` when it was not looked for or never ended."""
    unrecovered: float | None = None
    """Share of root sessions, 0 to 1, in which nothing ended it."""
    ended_by: str | None = None
    """What ended it most convincingly."""
    ended_in: int | None = None
    """Root sessions in which that ended it."""
    fix_source: str | None = None
    """``mined`` from later calls, or ``user_said``: a human's own words."""
    looked_at: int | None = None
    """Root sessions, the latest ones, in which an ending was looked for."""
    ended: int | None = None
    """Root sessions, of these, in which something ended it."""
    edited: int | None = None
    """Root sessions, of these, in which files were edited first and nothing else was different."""
    told: str | None = None
    """The promoted fix that agents are told when it happens."""
    look: bool = False
    """Whether it is no habit: a listing of what is not there, a page that does not exist, each time another."""


@dataclass(frozen=True, slots=True)
class SessionRow:
    """One session that made at least one call."""

    session_id: str
    root_session_id: str
    agent: str
    host: str | None
    started_at: When | None
    ended_at: When | None
    duration: float | None
    """Seconds."""
    calls: int
    failures: int
    trust_start: float | None
    trust_end: float | None
    trust_delta: float | None
    modes: tuple[str, ...]
    models: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TrustShare:
    """What one tool, model or session did for trust."""

    name: str
    calls: int
    failed: int
    check_failed: int
    denied: int
    score: float | None
    """Mean score of the calls that have one, 0 to 1."""
    last_seen: When | None


@dataclass(frozen=True, slots=True)
class ProblemRow:
    """An input that could not be read."""

    path: str
    line: int | None
    reason: str
    source: str
    seen_at: When | None


@dataclass(frozen=True, slots=True)
class LaterCall:
    """A call that came after a failure."""

    turn_id: Id
    tool: str
    input: Any
    outcome: str
    ended_it: bool
    """Whether it is what ended the failure: the first later success of the same intent."""


@dataclass(frozen=True, slots=True)
class TurnDetail:
    """One call with everything that was found out about it."""

    turn_id: Id
    call_id: str | None
    session_id: str
    root_session_id: str
    turn_number: int | None
    agent: str | None
    agent_id: str | None
    called_at: When | None
    tool: str | None
    mode: str | None
    model: str | None
    metadata: Any
    outcome: str | None
    rule: str | None
    flag: bool | None
    exit_code: int | None
    category: str | None
    """Only for failures."""
    failure_class: str | None
    program: str | None
    shape: str | None
    fingerprint: str | None
    specific: bool | None
    excerpt: str | None
    user_said: str | None
    trust_score: float | None
    trust_before: float | None
    trust_after: float | None
    rules_version: int | None
    transcript: str | None
    later: tuple[LaterCall, ...] = ()
    """Only for failures: the next calls of the same agent in the session, up to the one that ended it."""


@dataclass(frozen=True, slots=True)
class PeriodRow:
    """One day, week or month of a project."""

    begins: When
    sessions: int
    """Root sessions with a call in it."""
    calls: int
    failures: int
    """Calls that failed by themselves: no failed checks, no refusals."""
    per_hundred: float
    """Failures in a hundred calls."""
    met_before: int
    """Failures that an earlier root session had met already: what a served fix could have spared."""
    checks_failed: int
    refused: int
    rejected: int
    """Calls to which the human said no."""
    trust: float | None
    """The baseline after the last call of the period that was scored."""
    promoted: int
    """Keys promoted in it, each once."""
