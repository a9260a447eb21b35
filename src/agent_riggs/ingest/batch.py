"""A batch of calls on their way into the store: collected, merged with what is there, written in one transaction."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from agent_riggs.ingest import rows as making
from agent_riggs.ingest.rows import Origin
from agent_riggs.ingest.summary import Tally
from agent_riggs.judge.redact import redact
from agent_riggs.model import LateResult, Notice, Problem, ReadEnd, Sighting, Transcript
from agent_riggs.paths import Project
from agent_riggs.store import Connection, documents, joining, sightings, transcripts, turns
from agent_riggs.store.sightings import SightingRow
from agent_riggs.store.transcripts import Known, TranscriptRow
from agent_riggs.store.turns import Copy, TurnRow

FULL: Final = 9000
"""Calls, and transcripts, in a batch: enough to write by the column, few enough to stay small in memory."""


@dataclass(slots=True)
class Batch:
    """Calls, results and finished transcripts not yet written."""

    project: Project
    known: Mapping[int, Known | TranscriptRow]
    """Every transcript by id: tells which of two readings owns a call."""
    now: int
    calls: dict[int, TurnRow] = field(default_factory=dict)
    seen: dict[int, SightingRow] = field(default_factory=dict)
    copies: list[Copy] = field(default_factory=list)
    results: list[tuple[LateResult, int]] = field(default_factory=list)
    notices: list[tuple[Notice, int]] = field(default_factory=list)
    problems: list[tuple[str, Problem]] = field(default_factory=list)
    ends: list[tuple[TranscriptRow, ReadEnd]] = field(default_factory=list)

    @property
    def full(self) -> bool:
        return len(self.calls) + len(self.seen) + len(self.results) + len(self.notices) + len(self.ends) >= FULL

    @property
    def empty(self) -> bool:
        return not (self.calls or self.seen or self.results or self.notices or self.problems or self.ends)

    def clear(self) -> None:
        for part in (self.calls, self.seen, self.copies, self.results, self.notices, self.problems, self.ends):
            part.clear()

    def origin(self, row: TranscriptRow, path: str, host: str | None) -> Origin:
        """What the rows of one transcript have in common."""
        provenance = row.source if row.source in joining.SISTERS else "transcript"
        return Origin(row.transcript_id, row.source, self.project.name, path, host, provenance)

    def add_result(self, late: LateResult, origin: Origin) -> None:
        turn_id = making.turn_id_of(late.agent, late.call_id)
        if turn_id in self.calls:
            self.add_call(making.with_result(self.calls[turn_id], late.result))
        else:
            self.results.append((late, origin.transcript_id))

    def add_notice(self, notice: Notice, origin: Origin) -> None:
        if notice.task_id:
            notice = replace(notice, task_id=redact(notice.task_id))
        self.notices.append((notice, origin.transcript_id))

    def add_sighting(self, seen: Sighting, origin: Origin) -> None:
        row = making.sighting_of(seen, origin)
        if row is not None:
            self.seen[row.turn.turn_id] = row

    def finish(self, row: TranscriptRow, transcript: Transcript, end: ReadEnd) -> None:
        """The transcript has been read to its end: its cursor is written with this batch."""
        fresh = row.byte_offset == 0 or not row.head
        row.stamp = "" if end.unsettled else transcript.stamp
        row.head, row.ours, row.read_at = end.cursor.head, True, self.now
        row.byte_offset, row.line = end.cursor.offset, end.cursor.line
        row.state = json.dumps(end.cursor.state, separators=(",", ":"))
        row.session_id = end.session_id or row.session_id
        row.started_at = end.started if row.started_at is None else row.started_at
        row.ended_at = end.ended if end.ended is not None else row.ended_at
        row.background = row.background or end.background
        row.versions = " ".join(sorted({*row.versions.split(), *end.versions}))
        row.lines = end.lines + (0 if fresh else row.lines)
        row.understood = end.understood + (0 if fresh else row.understood)
        row.warmups = end.warmups + (0 if fresh else row.warmups)
        unknown = {} if fresh else documents.counts(row.unknown)
        for kind, count in end.unknown.items():
            unknown[kind] = unknown.get(kind, 0) + count
        row.unknown = json.dumps(unknown, separators=(",", ":"), sort_keys=True)
        self.ends.append((row, end))

    def add_call(self, row: TurnRow) -> None:
        """Add a reading of a call; a second one is merged, and noted when it stands in another session."""
        there = self.calls.get(row.turn_id)
        self.calls[row.turn_id] = row if there is None else self._merge(there, row)

    def _merge(self, left: TurnRow, right: TurnRow) -> TurnRow:
        if left.session_id != right.session_id:
            self.copies += [Copy(r.turn_id, r.session_id, r.transcript_id, r.position) for r in (left, right)]
        return making.merge(left, right, self._rank)

    def _rank(self, transcript_id: int) -> tuple[int, int]:
        row = self.known.get(transcript_id)
        return (row.started_at or 0 if row else 0, transcript_id)

    # --- writing ---------------------------------------------------------------------------------

    def write(self, conn: Connection, tally: Tally) -> None:
        """Merge with what the store holds and write, inside the caller's transaction."""
        tasks = self._task_calls(conn)
        waiting = [making.turn_id_of(late.agent, late.call_id) for late, _ in self.results]
        stored = turns.fetch(conn, {*self.calls, *waiting, *tasks.values()})
        for turn_id, row in list(self.calls.items()):
            if turn_id in stored:
                self.calls[turn_id] = self._merge(stored[turn_id], row)
        loose = self._settle_results(stored) + self._settle_notices(stored, tasks)
        fresh = [row for turn_id, row in self.calls.items() if turn_id not in stored]
        changed = [row for turn_id, row in self.calls.items() if turn_id in stored and row != stored[turn_id]]
        turns.insert(conn, fresh)
        turns.replace(conn, changed)
        turns.add_copies(conn, self.copies)
        turns.add_loose(conn, loose)
        there = sightings.fetch(conn, self.seen)
        sightings.save(conn, [row for turn_id, row in self.seen.items() if row != there.get(turn_id)])
        transcripts.save(conn, [row for row, _ in self.ends])
        for source in dict.fromkeys(name for name, _ in self.problems):
            met = [problem for name, problem in self.problems if name == source]
            tally.problems += transcripts.add_problems(conn, source, met, self.now)
        self._count(tally, len(fresh), len(changed))

    def _settle_results(self, stored: Mapping[int, TurnRow]) -> list[tuple[int, str, str, int]]:
        loose: list[tuple[int, str, str, int]] = []
        for late, transcript_id in self.results:
            turn_id = making.turn_id_of(late.agent, late.call_id)
            row = self.calls.get(turn_id) or stored.get(turn_id)
            if row is None:
                loose.append((turn_id, redact(late.call_id), "", transcript_id))
            else:
                self.calls[turn_id] = making.merge(row, making.with_result(row, late.result), self._rank)
        return loose

    def _task_calls(self, conn: Connection) -> dict[tuple[str, str], int]:
        """Turn ids of the calls that the notices speak of, by (agent, task id)."""
        wanted: dict[str, set[str]] = {}
        for notice, _ in self.notices:
            if notice.task_id:
                wanted.setdefault(notice.agent, set()).add(notice.task_id)
        found = {
            (agent, task): turn_id
            for agent, task_ids in wanted.items()
            for task, turn_id in turns.by_task(conn, agent, task_ids).items()
        }
        here = {(row.agent, row.task_id): row.turn_id for row in self.calls.values() if row.task_id}
        return found | {key: turn_id for key, turn_id in here.items() if key[1] is not None}

    def _settle_notices(
        self, stored: Mapping[int, TurnRow], tasks: Mapping[tuple[str, str], int]
    ) -> list[tuple[int, str, str, int]]:
        """The first notice of a task decides; of several the one that says most comes first."""
        loose: list[tuple[int, str, str, int]] = []
        ordered = sorted(self.notices, key=lambda pair: (-len(pair[0].text), pair[0].timestamp or 0, pair[0].position))
        for notice, transcript_id in ordered:
            turn_id = tasks.get((notice.agent, notice.task_id)) if notice.task_id else None
            if turn_id is None and notice.call_id:
                turn_id = making.turn_id_of(notice.agent, notice.call_id)
            row = self.calls.get(turn_id or 0) or stored.get(turn_id or 0)
            if row is None:
                loose.append((turn_id or 0, redact(notice.call_id), notice.task_id, transcript_id))
            else:
                self.calls[row.turn_id] = making.with_notice(row, notice)
        return loose

    def _count(self, tally: Tally, fresh: int, changed: int) -> None:
        tally.new_calls += fresh
        tally.changed_calls += changed
        tally.read += len(self.ends)
        for _, end in self.ends:
            tally.lines += end.lines
            tally.understood += end.understood
            tally.warmups += end.warmups
            tally.unknown.update(end.unknown)
