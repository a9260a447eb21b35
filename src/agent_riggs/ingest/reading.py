"""Reading and judging transcripts, on every core where that pays.

Reading and judging is most of an ingest and touches nothing but the transcript, so it is handed to worker processes
when there is much to read. What comes back is taken in the order of the transcripts: the store sees no difference.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from itertools import islice
from typing import Final

from agent_riggs.ingest import rows as making
from agent_riggs.ingest.rows import Origin
from agent_riggs.model import Cursor, Event, ReadEnd, ToolCall, Transcript
from agent_riggs.sources import SOURCES
from agent_riggs.sources.base import ProjectSource, Source
from agent_riggs.store.turns import TurnRow

WORTH_IT: Final = 24_000_000
"""Bytes to read from which workers are started: less is read sooner than they are."""
TOO_LARGE: Final = 32_000_000
"""A transcript of more bytes is read here, call by call: a worker would hold all of it."""
TOGETHER: Final = 100
"""Events that are judged together; of a large transcript one by one."""
OPENING: Final = 20_000
"""What opening a transcript costs, in bytes that could be read meanwhile."""
PORTION: Final = 1_000_000
"""Bytes that a worker is handed at a time, about: small transcripts go together."""
AHEAD: Final = 32_000_000
"""Bytes that workers may be ahead, about: they go on while what they read is written."""
MAX_WORKERS: Final = 4

Item = Event | TurnRow
"""What a reading yields: a source's events, the calls among them made into rows."""

Job = tuple[Transcript, Cursor | None, Origin]


def readings(
    jobs: Sequence[Job], sources: Mapping[str, Source | ProjectSource], now: int
) -> Iterator[tuple[Job, Iterator[Item]]]:
    """The reading of every transcript, in the given order."""
    done = 0
    if _pays(jobs, sources):
        for job, items in _by_workers(jobs, sources, now):
            yield job, items
            done += 1
    for job in jobs[done:]:
        yield job, _read(sources[job[0].source], job, now)


def _pays(jobs: Sequence[Job], sources: Mapping[str, Source | ProjectSource]) -> bool:
    """Workers are forked, so that they start at once and need no import of the caller's script: on Linux only, and
    only from a process without threads."""
    fork = "fork" in multiprocessing.get_all_start_methods() and os.uname().sysname == "Linux"
    return (
        fork
        and threading.active_count() == 1
        and len(os.sched_getaffinity(0)) > 1
        and sum(_weight(job) for job in jobs if _portable(job, sources)) >= WORTH_IT
    )


def _portable(job: Job, sources: Mapping[str, Source | ProjectSource]) -> bool:
    """Whether a worker may read it: not too large, and of a source in the table (sister tools' are not)."""
    name = job[0].source
    return job[0].size <= TOO_LARGE and sources[name] is SOURCES.get(name)


def _weight(job: Job) -> int:
    return job[0].size + OPENING


def _portions(jobs: Sequence[Job], sources: Mapping[str, Source | ProjectSource]) -> Iterator[list[Job]]:
    """The jobs in their order, those together that one worker is to be handed at a time; others are alone."""
    portion: list[Job] = []
    size = 0
    for job in jobs:
        portable = _portable(job, sources)
        if portion and (size + _weight(job) > PORTION or not portable):
            yield portion
            portion, size = [], 0
        portion.append(job)
        size += _weight(job) if portable else PORTION
    if portion:
        yield portion


def _by_workers(
    jobs: Sequence[Job], sources: Mapping[str, Source | ProjectSource], now: int
) -> Iterator[tuple[Job, Iterator[Item]]]:
    """Readings made by workers a little ahead of the caller; ends early when a worker dies."""
    count = min(len(os.sched_getaffinity(0)), MAX_WORKERS)
    context = multiprocessing.get_context("fork")
    pool = ProcessPoolExecutor(count, mp_context=context, initializer=_begin_work)
    waiting: deque[tuple[list[Job], Future[list[list[Item]]] | None]] = deque()
    portions = _portions(jobs, sources)
    ahead = 0
    try:
        while True:
            while ahead < AHEAD or len(waiting) <= count:
                portion = next(portions, [])
                if not portion:
                    break
                ahead += sum(map(_weight, portion))
                portable = _portable(portion[0], sources)
                waiting.append((portion, pool.submit(_read_by_name, portion, now) if portable else None))
            if not waiting:
                return
            portion, future = waiting.popleft()
            ahead -= sum(map(_weight, portion))
            if future is None:
                yield from ((job, _read(sources[job[0].source], job, now)) for job in portion)
            else:
                yield from ((job, iter(items)) for job, items in zip(portion, future.result(), strict=True))
    except BrokenProcessPool:
        return
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def _begin_work() -> None:
    """An interrupt is the main process's to handle; and a worker whose main process was killed ends with it, for it
    would wait for work for ever, and keep what reads the output of the command waiting too."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _read_by_name(portion: list[Job], now: int) -> list[list[Item]]:
    return [list(_read(SOURCES[job[0].source], job, now)) for job in portion]


def _read(source: Source | ProjectSource, job: Job, now: int) -> Iterator[Item]:
    transcript, cursor, origin = job
    events = source.read(transcript, cursor, now)
    together = 1 if transcript.size > TOO_LARGE else TOGETHER
    while some := list(islice(events, together)):
        rows = iter(making.rows_of([event for event in some if isinstance(event, ToolCall)], origin))
        for event in some:
            if not isinstance(event, ToolCall):
                yield making.end_of(event) if isinstance(event, ReadEnd) else event
            elif (row := next(rows)) is not None:
                yield row
