"""Reading by workers: the same rows, and none lost when a worker dies."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_riggs.ingest import reading
from agent_riggs.ingest.reading import Job
from agent_riggs.ingest.rows import Origin
from agent_riggs.model import Transcript
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


@pytest.fixture(params=[0, reading.PORTION], ids=["one at a time", "together"])
def workers(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "WORTH_IT", 0)
    monkeypatch.setattr(reading, "PORTION", request.param)
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


def dying(portion: list[Job], now: int) -> Any:
    """A worker that is killed over one of the transcripts."""
    return os._exit(9) if any("s2" in job[0].key for job in portion) else _read_by_name(portion, now)


@pytest.mark.usefixtures("workers")
def test_a_worker_that_dies_costs_nothing(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "_read_by_name", dying)
    assert world.ingest(sources=MINE).calls == 40


@pytest.mark.usefixtures("workers")
def test_a_large_transcript_is_read_here(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "TOO_LARGE", 0)
    assert world.ingest(sources=MINE).calls == 40


ENDLESS = """
import os, sys, time
from pathlib import Path
from agent_riggs.ingest import reading
from agent_riggs.model import Transcript
from agent_riggs.sources import SOURCES

def slow(portion, now):
    time.sleep(0.2)
    return [[] for job in portion]

reading._read_by_name, reading.PORTION = slow, 0
os.sched_getaffinity = lambda _: {0, 1}
job = (Transcript("claude_code", "none", Path("none"), 1, ""), None, None)
for number, _ in enumerate(reading._by_workers([job] * 1000, SOURCES, 0)):
    if number == 3:
        os.kill(os.getpid(), 9)
"""


def test_workers_end_with_the_run_that_was_killed() -> None:
    """They hold its output open: whoever reads that sees its end only when the last of them is gone."""
    run = subprocess.run([sys.executable, "-c", ENDLESS], capture_output=True, timeout=20, check=False)
    assert run.returncode == -9, run.stderr.decode()


def job(size: int) -> Job:
    return (
        Transcript("claude_code", f"/t/{size}", f"/t/{size}", size, ""),
        None,
        Origin(1, "claude_code", "p", "/p", None),
    )


@given(st.lists(st.integers(0, reading.TOO_LARGE * 2) | st.integers(0, reading.PORTION // 3)))
def test_portions_are_the_jobs_in_their_order(sizes: list[int]) -> None:
    jobs = [job(size) for size in sizes]
    portions = list(reading._portions(jobs, MINE))
    assert [one for portion in portions for one in portion] == jobs
    for portion in portions:
        total = sum(one[0].size for one in portion)
        assert len(portion) == 1 or total < reading.PORTION
