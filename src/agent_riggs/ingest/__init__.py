"""From transcripts to the store: find, read, judge, merge, derive; again and again, with nothing counted twice.

One run at a time per project. Facts go in by the batch, each batch one transaction together with the cursors of the
transcripts it finished, so a run killed at any point is completed by the next one.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager
from dataclasses import replace
from itertools import chain
from pathlib import Path
from types import MappingProxyType
from typing import Final

import filelock

from agent_riggs.config import Config
from agent_riggs.errors import StoreBusy
from agent_riggs.ingest.batch import Batch
from agent_riggs.ingest.discover import Discovery, discover, find_all, find_beside, reopened
from agent_riggs.ingest.reading import Item, readings
from agent_riggs.ingest.rows import Origin
from agent_riggs.ingest.summary import Summary, Tally
from agent_riggs.judge import RULES_VERSION, trust
from agent_riggs.judge.redact import redact
from agent_riggs.model import Cursor, LateResult, Notice, Problem, ReadEnd, Sighting, Transcript, Trial
from agent_riggs.paths import Project, belongs, store_path
from agent_riggs.sources import trials
from agent_riggs.sources.base import ProjectSource, Source
from agent_riggs.store import Store, derive, joining, open_write, prepare_folder, sightings, transcripts, turns
from agent_riggs.store.transactions import transaction
from agent_riggs.store.transcripts import TranscriptRow
from agent_riggs.store.turns import TurnRow

__all__ = ["Progress", "Summary", "ingest"]

Progress = Callable[[int, int], None]
"""Called with (bytes read so far, bytes to read)."""

LOCK_WAIT: Final = 60.0
"""Seconds to wait for another ingest of the same project."""

Items = Iterable[tuple[str, Transcript | Problem]]


def ingest(
    project: Project,
    *,
    sources: Mapping[str, Source],
    environ: Mapping[str, str],
    home: Path,
    now: int,
    config: Config | None = None,
    recorded_as: str | None = None,
    host: str | None = None,
    items: Items | None = None,
    adopt: bool = False,
    sisters: Mapping[str, ProjectSource] = MappingProxyType({}),
    progress: Progress | None = None,
    lock_wait: float = LOCK_WAIT,
) -> Summary:
    """Read what is new of one project into its store. ``now`` is in microseconds since 1970 UTC.

    ``items`` replaces the sources' own search (for files given by name, or found once for many projects);
    ``adopt`` takes those among them that name no folder as this project's;
    ``sisters`` are looked for in the project's folder beside it.
    Raises ``StoreBusy`` when another ingest holds the project for longer than ``lock_wait`` seconds.
    """
    path = store_path(project)
    prepare_folder(path.parent)
    try:
        with filelock.FileLock(path.with_name("ingest.lock"), timeout=lock_wait):
            run = _Run(project, {**sources, **sisters}, config or Config(), now, redact(host or "") or None, progress)
            found = items if items is not None else find_all(sources, environ, home)
            run.trials = trials.read(home, now) if sisters else ()
            return run.run(path, chain(found, find_beside(sisters, project, environ)), recorded_as, adopt)
    except filelock.Timeout as error:
        raise StoreBusy("another ingest of this project is running") from error


class _Run:
    """One ingest of one project, holding its lock."""

    def __init__(
        self,
        project: Project,
        sources: Mapping[str, Source | ProjectSource],
        config: Config,
        now: int,
        host: str | None,
        progress: Progress | None,
    ) -> None:
        self.project, self.sources, self.config, self.now, self.host = project, sources, config, now, host
        self.progress = progress
        self.tally = Tally()
        self.trials: Iterable[Trial | Problem] = ()
        self.read: set[str] = set()
        self.unreadable: set[str] = set()
        """Paths of transcripts that were read to their end, and of files and folders that could not be read at all."""

    def run(self, path: Path, items: Items, recorded_as: str | None, adopt: bool) -> Summary:
        self.path = path
        with self._open() as store:
            self.tally.set_aside = store.set_aside
            meta = transcripts.get_meta(store.conn)
            known = transcripts.load(store.conn)
        aliases = tuple(dict.fromkeys([*meta.get("recorded_as", "").split("\n"), redact(recorded_as or "")]))
        aliases = tuple(alias for alias in aliases if alias)
        if meta.get("rules_version", str(RULES_VERSION)) != str(RULES_VERSION):
            known = [replace(row, stamp="", head="") for row in known]
        self.rows = {row.transcript_id: row for row in known}
        found = discover(items, self.sources, known, self.project, aliases, adopt)
        self.rows |= {row.transcript_id: row for _, row in found.todo}
        self.aliases = aliases
        self._remember(found)
        self._read_all(found.todo)
        if found.todo:
            self._read_again(found.present)
        self._add_trials(self.trials)
        self._finish(meta, aliases)
        return self.tally.summary(self.project, found)

    def _open(self) -> AbstractContextManager[Store]:
        return open_write(self.path, wait=self.config.store.wait_seconds)

    def _remember(self, found: Discovery) -> None:
        """Other projects' transcripts, vanished ones and problems met while looking around."""
        for row in found.gone:
            row.gone = True
        self.unreadable.update(problem.path for _, problem in found.problems if problem.line is None)
        if not (found.remembered or found.gone or found.problems):
            return
        with self._open() as store, transaction(store.conn):
            transcripts.save(store.conn, [*found.remembered, *found.gone])
            for source in dict.fromkeys(name for name, _ in found.problems):
                met = [problem for name, problem in found.problems if name == source]
                self.tally.problems += transcripts.add_problems(store.conn, source, met, self.now)

    def _read_all(self, todo: Iterable[tuple[Transcript, TranscriptRow]]) -> None:
        batch = Batch(self.project, self.rows, self.now)
        jobs = [(found, _cursor(row), batch.origin(row, self._recorded_path(row), self.host)) for found, row in todo]
        total, done = sum(transcript.size for transcript, _, _ in jobs), 0
        for (transcript, _, origin), items in readings(jobs, self.sources, self.now):
            for item in items:
                self._take(batch, item, transcript, origin)
                if batch.full:
                    self._write(batch)
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
                    self.unreadable.add(item.path)
            case ReadEnd():
                batch.finish(self.rows[origin.transcript_id], transcript, item)
                self.read.add(transcript.key)

    def _recorded_path(self, row: TranscriptRow) -> str:
        """The folder under which the transcript knows the project."""
        named = (alias for alias in self.aliases if belongs(row.cwd, self.project, alias))
        return next(named, str(self.project.root))

    def _read_again(self, present: Mapping[int, Transcript]) -> None:
        """Transcripts that held a result before its call was known, now that the call has been read."""
        with self._open() as store:
            waiting = set(turns.found_loose(store.conn))
        if not waiting:
            return
        again: list[tuple[Transcript, TranscriptRow]] = []
        for row in (self.rows[transcript_id] for transcript_id in sorted(waiting & self.rows.keys())):
            transcript = present.get(row.transcript_id) or reopened(row)
            if transcript is not None:
                row.head = ""
                again.append((transcript, row))
        with self._open() as store:
            turns.drop_loose(store.conn, [row.transcript_id for _, row in again])
        self._read_all(again)

    def _write(self, batch: Batch) -> None:
        if batch.empty:
            return
        with self._open() as store, transaction(store.conn):
            batch.write(store.conn, self.tally)
        batch.clear()

    def _add_trials(self, found: Iterable[Trial | Problem]) -> None:
        """kibitzer's trials of nudges: one file for all projects, of which this project's sessions are kept."""
        met = list(found)
        if not met:
            return
        with self._open() as store, transaction(store.conn):
            sightings.save_trials(store.conn, [one for one in met if isinstance(one, Trial)])
            problems = [one for one in met if isinstance(one, Problem)]
            self.tally.problems += transcripts.add_problems(store.conn, "kibitzer", problems, self.now)

    def _is_mended(self, path: str) -> bool:
        """Whether a file or folder that could not be read can be by now."""
        opens = path in self.read or (os.path.isdir(path) and os.access(path, os.R_OK | os.X_OK))
        return opens and path not in self.unreadable

    def _finish(self, meta: Mapping[str, str], aliases: tuple[str, ...]) -> None:
        """Derive what depends on more than one call, and note what this run knew."""
        settings = self.config.trust
        initial = settings.initial_trust
        rules = derive.TrustRules(
            trust.Trust(initial, initial, initial), trust.Trust(*settings.weights), settings.scores
        )
        noted = repr((rules.start, rules.weights, sorted(rules.scores.items())))
        with self._open() as store:
            transcripts.drop_mended(store.conn, self._is_mended)
            before = joining.own_turns(store.conn)
            derive.settle(store.conn, rules, everything=meta.get("trust_rules", noted) != noted)
            self.tally.new_calls += max(0, joining.own_turns(store.conn) - before)
            transcripts.set_meta(
                store.conn,
                {
                    "rules_version": str(RULES_VERSION),
                    "trust_rules": noted,
                    "recorded_as": "\n".join(aliases),
                    "last_ingest": str(self.now),
                },
            )
            self.tally.totals(store.conn)


def _cursor(row: TranscriptRow) -> Cursor | None:
    return Cursor(row.byte_offset, row.line, row.head, json.loads(row.state)) if row.head else None
