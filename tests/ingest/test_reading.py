"""Reading by workers: the same rows, and none lost when a worker dies."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from agent_riggs.ingest import reading
from agent_riggs.ingest.reading import Job
from agent_riggs.sources import SOURCES
from ingest.test_ingest import World, failing, passing

MINE = {"claude_code": SOURCES["claude_code"]}


@pytest.fixture
def world(tmp_path: Path) -> World:
    world = World(tmp_path)
    for session in range(4):
        world.write(
            *(part for n in range(5) for part in (*passing(session * 20 + n), *failing(session * 20 + n + 10))),
            name=f"s{session}",
        )
    return world


@pytest.fixture
def workers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "WORTH_IT", 0)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1})


@pytest.mark.usefixtures("workers")
def test_workers_change_nothing(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    used: list[int] = []
    real = reading._by_workers

    def watched(jobs: Any, sources: Any, now: int) -> Any:
        used.append(len(jobs))
        return real(jobs, sources, now)

    monkeypatch.setattr(reading, "_by_workers", watched)
    world.ingest(sources=MINE)
    by_workers = world.content()
    assert used == [4]
    world.forget()
    monkeypatch.setattr(reading, "WORTH_IT", 1 << 60)
    world.ingest(sources=MINE)
    assert used == [4]
    assert world.content() == by_workers


_read_by_name = reading._read_by_name


def dying(job: Job, now: int) -> Any:
    """A worker that is killed over one of the transcripts."""
    return os._exit(9) if "s2" in job[0].key else _read_by_name(job, now)


@pytest.mark.usefixtures("workers")
def test_a_worker_that_dies_costs_nothing(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "_read_by_name", dying)
    assert world.ingest(sources=MINE).calls == 40


@pytest.mark.usefixtures("workers")
def test_a_large_transcript_is_read_here(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "TOO_LARGE", 0)
    assert world.ingest(sources=MINE).calls == 40
