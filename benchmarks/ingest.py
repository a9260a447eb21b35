"""Ingest against its peers: the same files, in turn, in one run; figures are ratios.

``python benchmarks/ingest.py [--sessions 300] [--calls 120] [--work FOLDER]``. Peers are installed from PyPI into
environments of their own below the work folder; nothing of them is kept in this repository.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from benchmarks.generate import Size, generate

HERE = Path(__file__).parent

STARTER = """
import resource, subprocess, sys, time
start = time.perf_counter()
code = subprocess.call(sys.argv[2:])
seconds, used = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
with open(sys.argv[1], "w") as told:
    print(seconds, used.ru_utime + used.ru_stime, used.ru_maxrss, file=told)
sys.exit(code)
"""


@dataclass(frozen=True)
class Run:
    seconds: float
    cpu: float
    """Seconds of processor time, its own and the system's for it: what a busy machine changes least."""
    peak_mb: float
    output: str


def run(command: Sequence[str | Path], cwd: Path, env: Mapping[str, str]) -> Run:
    """One whole process: wall time, processor time and its own peak memory.

    Between it and us stands a small process, because a child's peak begins at what its parent held.
    """
    with tempfile.TemporaryDirectory() as folder:
        told = Path(folder) / "told"
        process = subprocess.run(
            [sys.executable, "-I", "-S", "-c", STARTER, str(told), *map(str, command)],
            cwd=cwd,
            env=dict(env),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=False,
        )
        output = process.stdout.decode(errors="replace")
        if process.returncode:
            raise SystemExit(f"{command[0]} ended with {process.returncode}:\n{output[-2000:]}")
        seconds, cpu, peak = map(float, told.read_text().split())
    return Run(seconds, cpu, peak / (1024 * 1024 if sys.platform == "darwin" else 1024), output)


def _seconds(one: Run) -> float:
    return one.seconds


def environment(work: Path, name: str, *packages: str) -> Path:
    """A virtual environment with the given packages; returns its bin folder."""
    folder = work / "env" / name
    if not (folder / "done").exists():
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        subprocess.run([folder / "bin/pip", "install", "--quiet", *packages], check=True)
        (folder / "done").touch()
    return folder / "bin"


def bench(work: Path, size: Size, with_peers: bool) -> None:
    home, project = work / "home", work / "shop"
    shutil.rmtree(home, ignore_errors=True)
    shutil.rmtree(project, ignore_errors=True)
    project.mkdir(parents=True)
    truth = generate(home, str(project), size)
    megabytes = truth["bytes"] / 1e6
    print(f"{megabytes:.0f} MB, {truth['sessions']} sessions, {truth['calls']} calls, {truth['failures']} failures\n")
    env = {"PATH": os.environ["PATH"], "HOME": str(home), "AGENT_RIGGS_STATE_DIR": str(work / "state")}
    ours = [sys.executable, "-m", "agent_riggs", "ingest", "--quiet"]
    rows: list[tuple[str, float, float, float]] = []

    def report(name: str, result: Run, share: float = 1.0) -> float:
        rows.append((name, result.seconds, megabytes * share / result.seconds, result.peak_mb))
        return result.seconds

    run(["cat", *sorted(home.rglob("*.jsonl"))], project, env)
    floor_bin = environment(work, "floor", "msgspec", "numpy", "duckdb")
    floor = report(
        "35-line pipeline", run([floor_bin / "python", HERE / "floor.py", home, work / "floor.duckdb"], work, env)
    )
    (work / "floor.duckdb").unlink()
    cold = report("agent-riggs, cold", run(ours, project, env))
    again = report("agent-riggs, unchanged", sorted((run(ours, project, env) for _ in range(3)), key=_seconds)[1])
    store = (project / ".riggs/store.duckdb").stat().st_size
    one = Size(1, size.calls, size.failures, datetime(2026, 11, 1, tzinfo=UTC))
    generate(home, str(project), one, seed=99)
    report("agent-riggs, one new session", run(ours, project, env))
    ratios = [("35-line pipeline", cold / floor)]
    if with_peers:
        peers(work, home, project, env, megabytes, rows, ratios, cold)
    print(f"{'':32}{'seconds':>9}{'MB/s':>9}{'peak MB':>9}")
    for name, seconds, speed, peak in rows:
        print(f"{name:32}{seconds:9.2f}{speed:9.1f}{peak:9.0f}")
    print(
        f"\nstore: {store / 1e6:.1f} MB, {store / truth['calls']:.0f} bytes per call, "
        f"1/{truth['bytes'] / store:.0f} of the transcripts; unchanged re-run {again:.2f} s"
    )
    for name, ratio in ratios:
        print(
            f"cold against {name}: {ratio:.2f} x its time"
            if ratio >= 1
            else f"cold against {name}: {1 / ratio:.0f} x as fast"
        )


def peers(
    work: Path,
    home: Path,
    project: Path,
    env: Mapping[str, str],
    megabytes: float,
    rows: list[tuple[str, float, float, float]],
    ratios: list[tuple[str, float]],
    cold: float,
) -> None:
    """agentsview over everything; the public agent-riggs over a twentieth, because it takes minutes."""
    view = environment(work, "agentsview", "agentsview==0.46.1") / "agentsview"
    view_env = {**env, "CLAUDE_PROJECTS_DIR": str(home / ".claude/projects"), "AGENTSVIEW_NO_DAEMON": "1"}
    view_env["AGENTSVIEW_DATA_DIR"] = str(work / "agentsview")
    shutil.rmtree(work / "agentsview", ignore_errors=True)
    result = run([view, "sync", "--full"], project, view_env)
    rows.append(("agentsview 0.46.1, cold", result.seconds, megabytes / result.seconds, result.peak_mb))
    ratios.append(("agentsview 0.46.1", cold / result.seconds))

    public = environment(work, "public", "agent-riggs==0.2.0") / "agent-riggs"
    small_home, small = work / "small-home", work / "small-shop"
    shutil.rmtree(small_home, ignore_errors=True)
    shutil.rmtree(small, ignore_errors=True)
    small.mkdir()
    source = sorted((home / ".claude/projects").rglob("*.jsonl"))[::20]
    target = small_home / ".claude/projects" / source[0].parent.name.replace("shop", "small-shop")
    target.mkdir(parents=True)
    size = 0
    for path in source:
        data = path.read_bytes().replace(str(project).encode(), str(small).encode())
        (target / path.name).write_bytes(data)
        size += len(data)
    shutil.rmtree(work / "public-state", ignore_errors=True)
    small_env = {**env, "HOME": str(small_home), "AGENT_RIGGS_STATE_DIR": str(work / "public-state")}
    run([public, "init"], small, small_env)
    result = run([public, "ingest"], small, small_env)
    speed = size / 1e6 / result.seconds
    rows.append(("public agent-riggs 0.2.0, 1/20", result.seconds, speed, result.peak_mb))
    ratios.append(("public agent-riggs 0.2.0 (per MB)", cold / megabytes * speed))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sessions", type=int, default=300)
    parser.add_argument("--calls", type=int, default=120)
    parser.add_argument("--no-peers", action="store_true")
    parser.add_argument("--work", type=Path, default=Path(tempfile.gettempdir()) / "agent-riggs-bench")
    args = parser.parse_args()
    size = Size(args.sessions, args.calls, 0.1, datetime(2026, 3, 2, 8, 0, tzinfo=UTC))
    bench(args.work, size, not args.no_peers)


if __name__ == "__main__":
    main()
