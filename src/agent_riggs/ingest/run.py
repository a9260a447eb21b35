"""One run that found something new: reading, merging, deriving.

Facts go in by the batch, each batch one transaction together with the cursors of the transcripts it finished, so a run
killed at any point is completed by the next one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from agent_riggs.config import Config
from agent_riggs.ingest.batch import Batch
from agent_riggs.ingest.discover import Discovery, reopened
from agent_riggs.ingest.held import Held
from agent_riggs.ingest.memory import Memory, is_open
from agent_riggs.ingest.reading import Item, readings
from agent_riggs.ingest.rows import Origin
from agent_riggs.ingest.summary import Tally
from agent_riggs.judge import trust
from agent_riggs.model import Cursor, LateResult, Notice, Problem, ReadEnd, Sighting, Transcript, Trial
from agent_riggs.paths import Project, belongs
from agent_riggs.sources.base import ProjectSource, Source
from agent_riggs.store import derive, documents, joining, sightings, transcripts, turns
from agent_riggs.store.transactions import transaction
from agent_riggs.store.transcripts import Known, TranscriptRow, storable
from agent_riggs.store.turns import TurnRow

Progress = Callable[[int, int], None]
"""Called with (bytes read so far, bytes to read)."""


class Run:
    """One ingest of one project, holding its lock."""

    def __init__(
        self,
        path: Path,
        project: Project,
        sources: Mapping[str, Source | ProjectSource],
        config: Config,
        now: int,
        host: str | None,
        progress: Progress | None,
        memory: Memory,
        tally: Tally,
    ) -> None:
        self.path, self.project, self.sources, self.config, self.now = path, project, sources, config, now
        self.host, self.progress, self.memory = host, progress, memory
        self.tally = tally
        self.rows = {row.transcript_id: row for row in memory.rows}
        """Of the transcripts that are new or changed."""
        self.known: dict[int, Known | TranscriptRow] = {row.transcript_id: row for row in memory.known}
        """Of all."""
        self.read: set[str] = set()
        self.unreadable: set[str] = set()
        """Paths of transcripts that were read to their end, and of files and folders that could not be read at all."""

    def run(self, found: Discovery, told: Iterable[Trial | Problem]) -> Tally:
        self._take_up(row for _, row in found.todo)
        with Held(self.path, self.config.store.wait_seconds) as self.store:
            self._remember(found)
            if found.todo:
                self._read_all(found.todo)
                self._read_again(found.present)
            self._add_trials(told)
            self._finish()
        return self.tally

    def _take_up(self, rows: Iterable[TranscriptRow]) -> None:
        self.rows |= {row.transcript_id: row for row in rows}
        self.known |= self.rows

    def _remember(self, found: Discovery) -> None:
        """Other projects' transcripts, vanished ones and problems met while looking around."""
        for row in found.gone:
            row.gone = True
        self.unreadable.update(storable(problem.path) for _, problem in found.problems if problem.line is None)
        if not (found.remembered or found.gone or found.problems):
            return
        with transaction(conn := self.store.conn):
            transcripts.save(conn, [*found.remembered, *found.gone])
            for source in dict.fromkeys(name for name, _ in found.problems):
                met = [problem for name, problem in found.problems if name == source]
                self.tally.problems += transcripts.add_problems(conn, source, met, self.now)

    def _read_all(self, todo: Iterable[tuple[Transcript, TranscriptRow]]) -> None:
        batch = Batch(self.project, self.known, self.now)
        jobs = [(found, _cursor(row), batch.origin(row, self._recorded_path(row), self.host)) for found, row in todo]
        total, done = sum(transcript.size for transcript, _, _ in jobs), 0
        self.store.let_go()
        for (transcript, _, origin), items in readings(jobs, self.sources, self.now):
            for item in items:
                self._take(batch, item, transcript, origin)
                if batch.full:
                    self._write(batch)
                    self.store.let_go()
            done += transcript.size
            if self.progress:
                self.progress(done, total)
        self._write(batch)

    def _take(self, batch: Batch, item: Item, transcript: Transcript, origin: Origin) -> None:
        match item:
            case TurnRow():
                batch.add_call(item)
            case LateResult():
                batch.add_result(item, origin)
            case Notice():
                batch.add_notice(item, origin)
            case Sighting():
                batch.add_sighting(item, origin)
            case Problem():
                batch.problems.append((transcript.source, item))
                if item.line is None:
                    self.unreadable.add(storable(item.path))
            case ReadEnd():
                batch.finish(self.rows[origin.transcript_id], transcript, item)
                self.read.add(storable(transcript.key))

    def _recorded_path(self, row: TranscriptRow) -> str:
        """The folder under which the transcript knows the project."""
        named = (alias for alias in self.memory.aliases if belongs(row.cwd, self.project, alias))
        return next(named, str(self.project.root))

    def _read_again(self, present: Mapping[int, Transcript]) -> None:
        """Transcripts that held a result before its call was known, now that the call has been read."""
        conn = self.store.conn
        waiting = set(turns.found_loose(conn)) & self.known.keys()
        if not waiting:
            return
        self._take_up(transcripts.load(conn, waiting - self.rows.keys()))
        again: list[tuple[Transcript, TranscriptRow]] = []
        for row in (self.rows[transcript_id] for transcript_id in sorted(waiting)):
            transcript = present.get(row.transcript_id) or reopened(row)
            if transcript is not None:
                row.head = ""
                again.append((transcript, row))
        turns.drop_loose(conn, [row.transcript_id for _, row in again])
        self._read_all(again)

    def _write(self, batch: Batch) -> None:
        if batch.empty:
            return
        with transaction(conn := self.store.conn):
            batch.write(conn, self.tally)
        batch.clear()

    def _add_trials(self, found: Iterable[Trial | Problem]) -> None:
        """kibitzer's trials of nudges: one file for all projects, of which this project's sessions are kept."""
        met = list(found)
        if not met:
            return
        with transaction(conn := self.store.conn):
            sightings.save_trials(conn, [one for one in met if isinstance(one, Trial)])
            problems = [one for one in met if isinstance(one, Problem)]
            self.tally.problems += transcripts.add_problems(conn, "kibitzer", problems, self.now)

    def _is_mended(self, path: str) -> bool:
        """Whether a file or folder that could not be read can be by now."""
        return (path in self.read or is_open(path)) and path not in self.unreadable

    def _finish(self) -> None:
        """Derive what depends on more than one call, and note what this run knew."""
        settings = self.config.trust
        start = trust.Trust(*(settings.initial_trust,) * 3)
        rules = derive.TrustRules(start, trust.Trust(*settings.weights), settings.scores)
        conn = self.store.conn
        transcripts.drop_mended(conn, self._is_mended)
        before = joining.own_turns(conn)
        derive.settle(conn, rules, everything=self.memory.other_trust_rules)
        self.tally.new_calls += max(0, joining.own_turns(conn) - before)
        transcripts.set_meta(conn, self.memory.noted(self.now))
        self.tally.totals(conn)


def _cursor(row: TranscriptRow) -> Cursor | None:
    return Cursor(row.byte_offset, row.line, row.head, documents.mapping(row.state)) if row.head else None
