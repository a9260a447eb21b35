"""From a call and its verdict to a row of ``turns``, and how two readings of one call become one row.

Merging is commutative and associative: it compares what the readings say, never which came first. So files may be
read in any order, twice, or by two runs, and the rows come out equal.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Final

import msgspec

from agent_riggs.judge import RULES_VERSION, digest, judge
from agent_riggs.judge.redact import redact, redact_value
from agent_riggs.model import FAILURES, SUCCESSES, Notice, ReadEnd, Sighting, ToolCall, ToolResult, Verdict
from agent_riggs.store.ids import stable_id
from agent_riggs.store.sightings import SightingRow
from agent_riggs.store.turns import TurnRow

VERDICT: Final = (
    "tool_success",
    "outcome",
    "rule",
    "exit_code",
    "flag",
    "category",
    "failure_class",
    "program",
    "shape",
    "fingerprint",
    "secondary",
    "specific",
    "excerpt",
    "user_said",
    "task_id",
    "ended_at",
    "rules_version",
)
"""Columns that come from the reading that knows the result."""


@dataclass(frozen=True, slots=True)
class Origin:
    """What every row of one transcript has in common."""

    transcript_id: int
    source: str
    project: str
    project_path: str
    host: str | None
    provenance: str = "transcript"


STATE_LIMIT: Final = 4096
"""Characters of a text in a reader's memory."""

NAME_LIMIT: Final = 80
"""Characters of a version or of a record type not known."""

MARKED: Final = 500
"""Characters of a call's arguments that kibitzer 0.9.0 keeps, as ``json.dumps`` writes them (measured)."""


_encoded: Final = json.JSONEncoder(default=str).encode


def mark_of(tool: str, text: str) -> int:
    """What tells two calls of a session apart for a sister tool: the raw tool name and the arguments' first text."""
    return stable_id(tool, text[:MARKED])


def arguments(given: Mapping[str, Any]) -> str:
    """The first characters of the arguments as JSON. Long texts are cut beforehand: escaping only lengthens them."""
    cut = {name: value[:MARKED] if isinstance(value, str) else value for name, value in given.items()}
    try:
        return _encoded(cut)[:MARKED]
    except (ValueError, RecursionError):
        return ""


@lru_cache(maxsize=4096)
def clean(text: str) -> str | None:
    """A short text as it may be stored: redacted; ``None`` when empty."""
    return redact(text) or None


def turn_id_of(agent: str, call_id: str) -> int:
    """Identity of a call, whichever transcript it was read from."""
    return stable_id(agent, call_id)


def rows_of(calls: Sequence[ToolCall], origin: Origin) -> list[TurnRow | None]:
    """The rows of calls; ``None`` for a cache warm-up, which is no call.

    Step by step for all of them rather than call by call: a processor's caches hold the code and the tables of one step
    but not of all, and that makes a quarter of the time.
    """
    verdicts = [judge(call) for call in calls]
    metadata = [_metadata(call, verdict) for call, verdict in zip(calls, verdicts, strict=True)]
    marks = [mark_of(call.tool, arguments(call.input)) for call in calls]
    ids = [redact(call.call_id) for call in calls]
    return [
        None if verdict.outcome == "warmup" else _row(origin, call, verdict, facts, mark, call_id)
        for call, verdict, facts, mark, call_id in zip(calls, verdicts, metadata, marks, ids, strict=True)
    ]


def _row(origin: Origin, call: ToolCall, verdict: Verdict, metadata: str, mark: int, call_id: str) -> TurnRow:
    result = call.result
    return TurnRow(
        turn_id=turn_id_of(call.agent, call.call_id),
        session_id=redact(call.session_id),
        project=origin.project,
        timestamp=call.timestamp,
        tool_name=clean(verdict.tool) or "unknown",
        mode=clean(call.mode or ""),
        metadata=metadata,
        source=origin.source,
        agent=call.agent,
        call_id=call_id,
        agent_id=clean(call.agent_id),
        mode_source=call.mode_source,
        model=clean(call.model),
        cwd=clean(call.cwd),
        project_path=clean(origin.project_path),
        host=origin.host,
        provenance=origin.provenance,
        ended_at=result.timestamp if result else None,
        transcript_id=origin.transcript_id,
        position=call.position,
        input_mark=mark,
        **_judged(verdict, result),
    )


def sighting_of(seen: Sighting, origin: Origin) -> SightingRow | None:
    """The row of a sister tool's record."""
    (row,) = rows_of([seen.call], origin)
    if row is None:
        return None
    row.input_mark = mark_of(seen.call.tool, seen.mark) if seen.mark else None
    if row.outcome in FAILURES and seen.category:
        row.category = seen.category
    return SightingRow(row, seen.kind, seen.evidence, clean(seen.mode_after or ""), seen.also_at)


def end_of(end: ReadEnd) -> ReadEnd:
    """The end of a reading as it may be stored."""
    unknown: Counter[str] = Counter()
    for kind, count in end.unknown.items():
        unknown[redact(kind)[:NAME_LIMIT]] += count
    return replace(
        end,
        cursor=replace(end.cursor, state=redact_value(dict(end.cursor.state), STATE_LIMIT)),
        session_id=redact(end.session_id),
        versions=tuple(redact(version)[:NAME_LIMIT] for version in end.versions),
        unknown=unknown,
    )


def _metadata(call: ToolCall, verdict: Verdict) -> str:
    facts: dict[str, Any] = {"input": digest(call.tool, call.input)}
    if call.tool != verdict.tool:
        facts["tool"] = clean(call.tool)
    if call.branch:
        facts["branch"] = clean(call.branch)
    if call.version:
        facts["version"] = clean(call.version)
    return msgspec.json.encode(facts, enc_hook=str).decode()


def _judged(verdict: Verdict, result: ToolResult | None) -> dict[str, Any]:
    success = True if verdict.outcome in SUCCESSES else False if verdict.outcome in FAILURES else None
    return {
        "tool_success": success,
        "outcome": verdict.outcome,
        "rule": verdict.rule,
        "exit_code": verdict.exit_code,
        "flag": result.flag if result else None,
        "category": verdict.category,
        "failure_class": verdict.failure_class,
        "program": verdict.program,
        "shape": verdict.shape,
        "fingerprint": verdict.fingerprint,
        "secondary": " ".join(verdict.secondary) or None,
        "specific": verdict.specific,
        "excerpt": verdict.excerpt or None,
        "user_said": clean(result.user_said) if result and result.user_said else None,
        "task_id": clean(result.task_id) if result and result.task_id else None,
        "rules_version": RULES_VERSION,
    }


def call_of(row: TurnRow) -> ToolCall:
    """The call as the store knows it: judged again it gives the verdict of the original."""
    facts = json.loads(row.metadata)
    return ToolCall(
        agent=row.agent,
        session_id=row.session_id,
        call_id=row.call_id,
        tool=facts.get("tool") or row.tool_name,
        input=facts.get("input") or {},
        position=row.position,
        timestamp=row.timestamp,
        cwd=row.cwd or "",
        agent_id=row.agent_id or "",
        mode=row.mode,
        model=row.model or "",
        version=facts.get("version") or "",
        branch=facts.get("branch") or "",
    )


def with_result(row: TurnRow, result: ToolResult) -> TurnRow:
    """The row once a result of its call is known."""
    judged = _judged(judge(replace(call_of(row), result=result)), result)
    judged["task_id"] = judged["task_id"] or row.task_id
    if judged["outcome"] == "warmup":
        judged["outcome"] = "cancelled"
    return msgspec.structs.replace(row, ended_at=result.timestamp, **judged)


def with_notice(row: TurnRow, notice: Notice) -> TurnRow:
    """The row once its background task has told how it ended; unchanged when the outcome was known already."""
    if row.outcome != "pending" or notice.status == "running":
        return row
    result = ToolResult(
        text=notice.text, status=notice.status, exit_code=notice.exit_code, timestamp=notice.timestamp, flag=row.flag
    )
    return with_result(row, result)


def merge(left: TurnRow, right: TurnRow, rank: Callable[[int], tuple[int, int]]) -> TurnRow:
    """One row from two readings of a call. ``rank`` orders transcripts (by start, then id)."""
    owner, _ = sorted((left, right), key=lambda row: (*rank(row.transcript_id), row.position))
    judged, _ = sorted((left, right), key=_certainty)
    return msgspec.structs.replace(owner, **{name: getattr(judged, name) for name in VERDICT})


def _certainty(row: TurnRow) -> tuple[Any, ...]:
    late = row.ended_at if row.ended_at is not None else 1 << 62
    return (
        row.outcome == "pending",
        -row.rules_version,
        late,
        row.outcome,
        row.rule,
        not row.user_said,
        row.excerpt or "",
    )
