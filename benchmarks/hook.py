"""What an agent waits for: the hook as a whole process, beside the floor a Python program on this machine cannot go
below. Median of 30 runs of each, taken in turn so that all meet the same machine.

    python -m benchmarks.hook            a table
    python -m benchmarks.hook --runs 5   quicker
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from agent_riggs import folders
from agent_riggs.deliver import hook, hosts, recall
from agent_riggs.deliver.recall import Ratchet
from agent_riggs.judge import judge
from agent_riggs.learn.needles import needle_of

FLOOR = (
    "import json, sys; event = json.load(sys.stdin); index = json.load(open(sys.argv[1]));"
    "print(json.dumps({'additionalContext': index.get(event['tool_name'], '')}))"
)
"""Reads JSON, looks something up in a JSON file, writes JSON; started with -I -S. Imports nothing else."""


def failure(tool: str = "Bash", **given: str) -> dict[str, Any]:
    """A failure as Claude Code tells it."""
    return {
        "session_id": "s",
        "hook_event_name": "PostToolUseFailure",
        "tool_name": tool,
        "tool_input": given,
        "tool_use_id": "t",
        "error": "Exit code 1\nnpm error Missing script: build"
        if tool == "Bash"
        else "File does not exist. Note: your current working directory is /w.",
        "is_interrupt": False,
    }


SHELL = failure(command="cd web && CI=1 npm run build 2>&1 | tail -20")
READ = failure("Read", file_path="/w/none.txt")
UNKNOWN = {**failure(command="ls -la nowhere"), "error": "Exit code 2\nls: cannot access 'nowhere'"}
FINE = {"hook_event_name": "PostToolBatch", "tool_calls": [{"tool_name": "Bash", "tool_response": "ok"}]}


def ratchet(payload: dict[str, Any]) -> Ratchet:
    """What would have been promoted for this failure."""
    event = hosts.read(payload, {})
    assert event is not None
    call = hook.to_tool_call(event, event.calls[0])
    found = judge(call)
    key = recall.pattern_key(found.category or "", found.tool, found.fingerprint or "")
    names = ("tool", "failure_class", "program", "shape", "fingerprint")
    needle = needle_of([call], found.fingerprint or "")
    parts = {name: getattr(found, name) for name in names}
    return Ratchet(key=key, type="failure_pattern", fix="use pnpm", sessions=7, needle=needle, **parts)


def other(number: int) -> Ratchet:
    """A ratchet about something else."""
    print_ = f"f{number:016x}"
    return Ratchet(
        key=recall.pattern_key("failure", "Bash", print_),
        type="failure_pattern",
        fix=f"the fix number {number}, in about as many words as a human writes down for it, and where it was found",
        tool="Bash",
        failure_class="missing_file",
        program=f"tool{number}",
        shape=f"cannot open quarry {number}",
        fingerprint=print_,
        sessions=5,
        needle="quarry",
    )


class Bench:
    """A project with an index, and the ways to call the hook in it."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "project"
        (self.root / ".riggs").mkdir(parents=True)
        self.environ = {"AGENT_RIGGS_STATE_DIR": str(folder / "state"), "HOME": str(folder), "PATH": os.defpath}
        self.key = folders.key_of(str(self.root.resolve()))
        self.index = folder / "state" / self.key / recall.FILE_NAME
        self.small = folder / "floor.json"
        self.small.write_text('{"Bash": "use pnpm"}', encoding="utf-8")

    def publish(self, *ratchets: Ratchet) -> None:
        recall.publish(self.index, self.key, ratchets)

    def floor(self) -> Callable[[], float]:
        words = [sys.executable, "-I", "-S", "-c", FLOOR, str(self.small)]
        return lambda: self.timed(words, SHELL)

    def hook(self, payload: dict[str, Any]) -> Callable[[], float]:
        program = str(Path(sys.executable).parent / "riggs-hook")
        return lambda: self.timed([program], payload)

    def timed(self, words: list[str], payload: dict[str, Any]) -> float:
        """Milliseconds of one run. Each is a session of its own, so that every run has to speak."""
        body = {"cwd": str(self.root), **payload, "session_id": os.urandom(8).hex()}
        data = json.dumps(body).encode()
        began = time.perf_counter()
        done = subprocess.run(words, input=data, stdout=subprocess.PIPE, env=self.environ, cwd=self.root)
        took = (time.perf_counter() - began) * 1000
        assert done.returncode == 0
        self.said = done.stdout
        return took


def medians(cases: dict[str, Callable[[], float]], runs: int) -> dict[str, float]:
    """Median milliseconds of each, run in turn."""
    times: dict[str, list[float]] = {name: [] for name in cases}
    for _ in range(runs + 2):
        for name, call in cases.items():
            times[name].append(call())
    return {name: statistics.median(found[2:]) for name, found in times.items()}


def show(title: str, found: dict[str, float]) -> None:
    print(f"\n{title}")
    floor = found["floor"]
    for name, took in found.items():
        print(f"  {name:<52} {took:7.1f} ms  {took / floor:5.2f} x floor")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--runs", type=int, default=30)
    runs = parser.parse_args().runs
    with tempfile.TemporaryDirectory() as name:
        measure(Bench(Path(name)), runs)


def measure(bench: Bench, runs: int) -> None:
    silent = {"floor": bench.floor(), "success": bench.hook(FINE), "failure, no index": bench.hook(SHELL)}
    show("No ratchets", medians(silent, runs))
    bench.publish(ratchet(READ))
    show("Nothing about this tool", medians({"floor": bench.floor(), "failed shell line": bench.hook(SHELL)}, runs))
    for count in (1, 1000):
        bench.publish(ratchet(SHELL), ratchet(READ), *map(other, range(count - 1)))
        cases = {
            "floor": bench.floor(),
            "success": bench.hook(FINE),
            "a failure nobody knows, told apart by its words": bench.hook(UNKNOWN),
            "a failure nobody knows, judged": bench.hook({**UNKNOWN, "error": "Exit code 2\nls: quarry: build"}),
            "advice on a failed shell line": bench.hook(SHELL),
            "advice on a failed read": bench.hook(READ),
        }
        show(f"{count + 1:,} ratchets", medians(cases, runs))
        assert b"use pnpm" in bench.said
    locked(bench, runs)
    bench.index.write_bytes(b"\0" * 100_000)
    show("A broken index", medians({"floor": bench.floor(), "failed shell line": bench.hook(SHELL)}, runs))
    bench.publish(ratchet(SHELL))
    at_once(bench)


def locked(bench: Bench, runs: int) -> None:
    """The hook opens no store, so a writer cannot hold it up."""
    from agent_riggs.store import open_write

    with ExitStack() as held:
        held.enter_context(open_write(bench.root / ".riggs" / "store.duckdb"))
        cases = {"floor": bench.floor(), "advice on a failed shell line": bench.hook(SHELL)}
        show("The store held by a writer", medians(cases, runs))


def at_once(bench: Bench) -> None:
    """Ten hooks of one session at the same moment."""
    body = json.dumps({**SHELL, "cwd": str(bench.root), "session_id": "ten"}).encode()
    program = str(Path(sys.executable).parent / "riggs-hook")
    began = time.perf_counter()
    running = [
        subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=bench.environ) for _ in range(10)
    ]
    said = [process.communicate(body)[0] for process in running]
    took = (time.perf_counter() - began) * 1000
    print(f"\nTen at once: {took:.0f} ms for all, {sum(map(bool, said))} of them spoke")


if __name__ == "__main__":
    main()
