"""What a large memory costs: one new session into 1,000,000 calls, the daily questions, and 50,000 files at rest.

``python -m benchmarks.million [--turns 1000000] [--files 50000] [--work FOLDER]``. Whole processes, median of three. A
floor is taken in turn with each: it tells how busy the machine was, and what is compared is processor time.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import statistics
import sys
import tempfile
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

from agent_riggs.paths import find_project, store_path
from agent_riggs.store import derive, open_write
from benchmarks.candidates_speed import make
from benchmarks.generate import Size, generate
from benchmarks.ingest import Run, run

LAST_CALL = datetime(2026, 9, 21, tzinfo=UTC)
"""In the past: what lies in the future is left out of everything that looks back from the last activity."""

FLOOR = """
import sys, click, duckdb
duckdb.connect(sys.argv[1], read_only=True).execute("SELECT count(*) FROM turns").fetchall()
"""
"""What no command of a Python program on DuckDB can be quicker than: its libraries, the store opened, one count."""

QUESTIONS = (["status"], ["brief"], ["failures"], ["ratchet", "candidates"], ["trust"], ["explain", "1"])


def main(arguments: Sequence[str] | None = None) -> int:
    """Make both archives, ask, print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--turns", type=int, default=1_000_000)
    parser.add_argument("--files", type=int, default=50_000)
    parser.add_argument("--work", type=Path, default=Path(tempfile.gettempdir()) / "agent-riggs-million")
    given = parser.parse_args(arguments)
    shutil.rmtree(given.work, ignore_errors=True)
    given.work.mkdir(parents=True)
    print(f"{'':44}{'seconds':>9}{'CPU':>7}{'floor':>7}{'times':>7}{'peak MB':>9}")
    many_calls(given.work / "calls", given.turns)
    many_files(given.work / "files", given.files)
    shutil.rmtree(given.work)
    return 0


def many_calls(work: Path, turns: int) -> None:
    """A store of that many calls: new sessions, then questions."""
    project, env = _project(work)
    path = store_path(find_project(project))
    make(path, turns // 20, turns, int(LAST_CALL.timestamp() * 1_000_000))
    with open_write(path) as store:
        derive.settle(store.conn, derive.TrustRules(), everything=True)
    new, floor = [], []
    for number in range(3):
        size = Size(1, 120, 0.1, LAST_CALL + timedelta(days=number + 1))
        generate(work / "home", str(project), size, seed=number)
        floor.append(_floor(path, project, env))
        new.append(_ours(["ingest", "--quiet"], project, env))
    _report(f"one new session into {turns:,} calls", new, floor)
    for words in QUESTIONS:
        _in_turn(" ".join(words), words, project, env)
    _in_turn("nothing new", ["ingest", "--quiet"], project, env)


def many_files(work: Path, files: int) -> None:
    """That many small transcripts: read once, then looked at again."""
    project, env = _project(work)
    folder = work / "home/.claude/projects" / re.sub(r"[^A-Za-z0-9]", "-", str(project))
    folder.mkdir(parents=True)
    for number in range(files):
        record = f'{{"type":"user","sessionId":"s{number}","cwd":"{project}","timestamp":"2026-11-01T00:00:00Z",'
        record += f'"uuid":"u{number}","message":{{"role":"user","content":"go"}}}}\n'
        (folder / f"s{number}.jsonl").write_text(record)
    cold = _ours(["ingest", "--quiet"], project, env)
    _report(f"{files:,} files, cold", [cold], [_floor(store_path(find_project(project)), project, env)])
    _in_turn(f"{files:,} files, unchanged", ["ingest", "--quiet"], project, env)


def _project(work: Path) -> tuple[Path, dict[str, str]]:
    project = work / "shop"
    project.mkdir(parents=True)
    (work / "home").mkdir()
    env = {"PATH": os.environ["PATH"], "HOME": str(work / "home"), "AGENT_RIGGS_STATE_DIR": str(work / "state")}
    return project, env


def _ours(words: Sequence[str], project: Path, env: dict[str, str]) -> Run:
    return run([sys.executable, "-m", "agent_riggs", *words], project, env)


def _floor(path: Path, project: Path, env: dict[str, str]) -> Run:
    return run([sys.executable, "-c", FLOOR, path], project, env)


def _in_turn(name: str, words: Sequence[str], project: Path, env: dict[str, str]) -> None:
    path = store_path(find_project(project))
    pairs = [(_ours(words, project, env), _floor(path, project, env)) for _ in range(3)]
    _report(name, [ours for ours, _ in pairs], [floor for _, floor in pairs])


def _report(name: str, runs: Sequence[Run], floors: Sequence[Run]) -> None:
    seconds, peak = statistics.median(one.seconds for one in runs), max(one.peak_mb for one in runs)
    cpu, floor = (statistics.median(one.cpu for one in group) for group in (runs, floors))
    print(f"{name:44}{seconds:9.2f}{cpu:7.2f}{floor:7.2f}{cpu / floor:7.1f}{peak:9.0f}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
