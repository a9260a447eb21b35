"""Real sessions: counts of an independent reader, and what a reader's order must not change.

Needs the corpus beside the checkout; ``make corpus`` runs it.
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from agent_riggs.ingest import Summary, ingest
from agent_riggs.ingest.discover import find_all
from agent_riggs.model import Transcript
from agent_riggs.paths import Project, find_project, store_path
from agent_riggs.sources import SOURCES
from agent_riggs.store import open_read

CORPUS = Path(__file__).parents[2] / ".." / "shared" / "corpus"
NOW = 1_796_000_000_000_000
PROJECTS = ("teapot", "harbour", "atlas")

pytestmark = [pytest.mark.corpus]

Items = list[tuple[str, Transcript]]


def expected(agent: str, name: str) -> dict[str, Any]:
    counts = json.loads((CORPUS / "expected.json").read_text())[agent][name]
    assert isinstance(counts, dict)
    return counts


def found() -> Items:
    environ = {"CLAUDE_CONFIG_DIR": str(CORPUS / "claude-home")}
    sources = {"claude_code": SOURCES["claude_code"]}
    return [(name, item) for name, item in find_all(sources, environ, Path("/nowhere")) if isinstance(item, Transcript)]


def run(folder: Path, name: str, items: Items | None = None) -> tuple[Project, Summary]:
    project = find_project(folder)
    summary = ingest(
        project,
        sources={"claude_code": SOURCES["claude_code"]},
        environ={},
        home=Path("/nowhere"),
        now=NOW,
        recorded_as=expected("claude", name)["path"],
        items=found() if items is None else items,
    )
    return project, summary


def ask(project: Project, question: str) -> list[tuple[Any, ...]]:
    with open_read(store_path(project)) as store:
        return store.conn.execute(question).fetchall()


def content(project: Project) -> Iterator[list[tuple[Any, ...]]]:
    """Every byte of the three tables that a consumer reads; a transcript's own id does not depend on the order."""
    for table, key in (("turns", "turn_id"), ("failure_stream", "failure_id"), ("session_summaries", "session_id")):
        yield ask(project, f"SELECT {key}, COLUMNS(*)::VARCHAR FROM {table} ORDER BY 1")


@pytest.fixture(scope="module", params=PROJECTS)
def ingested(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Project, Summary]:
    name = request.param
    return (name, *run(tmp_path_factory.mktemp(name), name))


def near(value: int, wanted: int) -> bool:
    return abs(value - wanted) <= max(0.01 * wanted, 0)


def test_counts_are_those_of_the_independent_reader(ingested: tuple[str, Project, Summary]) -> None:
    name, project, summary = ingested
    wanted = expected("claude", name)
    own = "flag AND outcome NOT IN ('rejected', 'cancelled', 'interrupted', 'denied')"
    (counts,) = ask(
        project,
        f"""
        SELECT (SELECT count(*) FROM session_summaries), count(*), count(*) FILTER (flag), count(*) FILTER ({own}),
               count(*) FILTER (outcome = 'rejected'), count(*) FILTER (outcome = 'cancelled'),
               count(*) FILTER (ended_at IS NULL AND outcome = 'pending')
        FROM turns
        """,
    )
    names = ("sessions", "calls", "flagged", "own", "rejected", "cancelled", "without_result")
    seen = dict(zip(names, counts, strict=True))
    assert {key: value for key, value in seen.items() if not near(value, wanted[key])} == {}, (seen, wanted)
    assert summary.calls == seen["calls"]


def test_failures_have_specific_keys(ingested: tuple[str, Project, Summary]) -> None:
    """The calls' own failures. A check that reports problems names its cause as far as its report does: what the
    anonymizing took out of a report (the names of tests) no key can hold."""
    _, project, _ = ingested
    (row,) = ask(
        project,
        "SELECT count(*), count(*) FILTER (failure_class = 'other'), count(*) FILTER (specific) FROM failure_stream "
        "WHERE outcome = 'failed'",
    )
    total, other, specific = row
    assert other <= 0.10 * total
    assert specific >= 0.90 * total


def test_no_key_holds_what_belongs_to_one_machine(ingested: tuple[str, Project, Summary]) -> None:
    _, project, _ = ingested
    machine = r".*(/home/|/Users/|[A-Za-z]:[\\/]|[0-9a-f]{12}).*"
    bound = ask(project, f"SELECT DISTINCT shape FROM failure_stream WHERE shape SIMILAR TO '{machine}'")
    assert bound == []


def test_file_by_file_in_random_order_and_twice(tmp_path: Path) -> None:
    for name in PROJECTS:
        for way in ("a", "b"):
            (tmp_path / way / name).mkdir(parents=True)
        whole, _ = run(tmp_path / "a" / name, name)
        items = found()
        random.Random(7).shuffle(items)
        step = max(1, len(items) // 40)
        for at in range(0, len(items), step):
            pieces, _ = run(tmp_path / "b" / name, name, items[at : at + step])
        again, summary = run(tmp_path / "b" / name, name)
        assert summary.new_calls == summary.changed_calls == 0
        assert list(content(whole)) == list(content(pieces)) == list(content(again))


def test_killed_in_the_middle(tmp_path: Path) -> None:
    name = "harbour"
    for way in ("whole", "killed"):
        (tmp_path / way / name).mkdir(parents=True)
    whole, _ = run(tmp_path / "whole" / name, name)
    script = (
        "import sys; sys.path[:0] = sys.argv[3:]\n"
        "from pathlib import Path\n"
        "import corpus.test_claude_corpus as c\n"
        "c.run(Path(sys.argv[1]), sys.argv[2])\n"
    )
    for seconds in (0.6, 1.2, 1.8, 2.4):
        process = subprocess.Popen(
            [sys.executable, "-c", script, str(tmp_path / "killed" / name), name, *sys.path], env=dict(os.environ)
        )
        time.sleep(seconds)
        process.send_signal(signal.SIGKILL)
        process.wait()
    done, _ = run(tmp_path / "killed" / name, name)
    assert list(content(done)) == list(content(whole))
