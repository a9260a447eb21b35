"""Transcripts of any size for benchmarks: Claude Code sessions with realistic record sizes, and the true counts.

Sizes follow what real archives show: a tool result of some hundred bytes at the median, a long tail up to 100 KB, the
result written twice (for the model and as ``toolUseResult``), bookkeeping records between. Deterministic by seed.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

NOUNS = [
    "invoice",
    "basket",
    "voucher",
    "tariff",
    "parcel",
    "ledger",
    "customer",
    "route",
    "depot",
    "label",
    "stock",
    "refund",
]
VERBS = ["load", "check", "merge", "split", "render", "price", "route", "close", "index", "sign"]

COMMANDS = [
    ("make {n}", "make: *** No rule to make target '{n}'.  Stop.", 2),
    ("pytest -q tests/test_{n}.py", "E   AssertionError: assert {i} == 7\n1 failed, {i} passed in 0.{i}s", 1),
    ("npm run {v}:{n}", 'npm error Missing script: "{v}:{n}"', 1),
    ("git push origin {v}-{n}", "error: failed to push some refs to 'origin'\nhint: Updates were rejected", 1),
    ("python scripts/{v}.py", "Traceback (most recent call last):\nModuleNotFoundError: No module named '{n}'", 1),
    ("cargo check -p {n}", "error[E0432]: unresolved import `crate::{v}`\n --> src/{n}.rs:{i}:5", 101),
    ("{v}ctl status", "/bin/bash: line 1: {v}ctl: command not found", 127),
]
EDIT_ERRORS = [
    "<tool_use_error>String to replace not found in file.\nString: {v}_{n}({i})</tool_use_error>",
    "<tool_use_error>File has not been read yet. Read it first before writing to it.</tool_use_error>",
]


@dataclass(frozen=True)
class Size:
    sessions: int
    calls: int
    failures: float
    start: datetime


class Writer:
    """Writes one session after the other with one stream of random numbers."""

    def __init__(self, seed: int, project: str) -> None:
        self.random = random.Random(seed)
        self.project = project
        words = [f"{v} {n}" for v in VERBS for n in NOUNS]
        self.prose = " ".join(self.random.choice(words) for _ in range(40_000))

    def text(self, median: float, spread: float = 1.2) -> str:
        length = int(min(95_000, median * math.exp(self.random.gauss(0, spread))))
        at = self.random.randrange(len(self.prose) - min(length, 90_000) - 1)
        cut = self.prose[at : at + length]
        return "\n".join(cut[i : i + 90] for i in range(0, len(cut), 90))

    def call(self, failures: float) -> tuple[str, dict[str, Any], str, bool]:
        """(tool, input, result text, failed)"""
        pick = self.random.random()
        words = {"n": self.random.choice(NOUNS), "v": self.random.choice(VERBS), "i": self.random.randrange(2, 90)}
        failed = self.random.random() < failures
        path = f"{self.project}/src/{words['n']}/{words['v']}.py"
        if pick < 0.45:
            command, error, code = self.random.choice(COMMANDS)
            text = f"Exit code {code}\n{self.text(60)}\n{error.format(**words)}" if failed else self.text(500)
            return "Bash", {"command": command.format(**words), "description": self.text(30, 0.3)}, text, failed
        if pick < 0.75:
            text = "File does not exist." if failed else self.text(3000)
            return "Read", {"file_path": path}, text, failed
        if pick < 0.92:
            text = self.random.choice(EDIT_ERRORS).format(**words) if failed else f"The file {path} has been updated."
            given = {"file_path": path, "old_string": self.text(200), "new_string": self.text(220)}
            return "Edit", given, text, failed
        return "Grep", {"pattern": words["n"], "path": "src"}, self.text(300), False

    def session(self, number: int, size: Size) -> Iterator[dict[str, Any]]:
        """The records of one session."""
        identity = f"{self.random.getrandbits(32):08x}-0000-4000-8000-{number:012d}"
        clock = size.start + timedelta(minutes=number * 20)
        envelope: dict[str, Any] = {"isSidechain": False, "userType": "external", "cwd": self.project}
        envelope |= {"sessionId": identity, "version": "2.1.90", "gitBranch": "main"}
        parent = None
        for record in self.records(size):
            clock += timedelta(seconds=self.random.expovariate(0.4))
            uuid = f"{self.random.getrandbits(128):032x}"
            stamp = clock.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.") + f"{clock.microsecond // 1000:03d}Z"
            yield {"parentUuid": parent, **envelope, **record, "uuid": uuid, "timestamp": stamp}
            parent = uuid

    def records(self, size: Size) -> Iterator[dict[str, Any]]:
        yield {"type": "user", "permissionMode": "default", "message": {"role": "user", "content": self.text(300, 1)}}
        for _ in range(size.calls):
            tool, given, text, failed = self.call(size.failures)
            identity = f"toolu_01{self.random.getrandbits(120):030x}"[:30]
            usage = {"input_tokens": 9, "cache_read_input_tokens": 90_000, "output_tokens": 400}
            message: dict[str, Any] = {"model": "claude-opus-4-5", "id": f"msg_{identity[-20:]}", "role": "assistant"}
            if self.random.random() < 0.4:
                block = {"type": "thinking", "thinking": self.text(900, 1), "signature": self.text(400, 0.5)}
                yield {"type": "assistant", "message": {**message, "content": [block], "usage": usage}}
            use = {"type": "tool_use", "id": identity, "name": tool, "input": given}
            yield {"type": "assistant", "message": {**message, "content": [use], "usage": usage}}
            if self.random.random() < 0.3:
                yield {"type": "progress", "data": {"type": "hook_progress", "hookEvent": "PostToolUse"}}
            block = {"tool_use_id": identity, "type": "tool_result", "content": text}
            if failed:
                block["is_error"] = True
            detail: Any = f"Error: {text}" if failed else {"stdout": text, "stderr": "", "interrupted": False}
            if tool == "Edit" and not failed:
                detail = {"filePath": given["file_path"], "originalFile": self.text(6000), "structuredPatch": []}
            yield {"type": "user", "message": {"role": "user", "content": [block]}, "toolUseResult": detail}


def generate(home: Path, project: str, size: Size, seed: int = 7) -> dict[str, int]:
    """Write the sessions under ``home/.claude``; returns sessions, calls, failures and bytes."""
    folder = home / ".claude" / "projects" / re.sub(r"[^A-Za-z0-9]", "-", project)
    folder.mkdir(parents=True, exist_ok=True)
    writer = Writer(seed, project)
    truth = {"sessions": size.sessions, "calls": size.sessions * size.calls, "failures": 0, "bytes": 0}
    for number in range(size.sessions):
        records = list(writer.session(number, size))
        truth["failures"] += sum(isinstance(r.get("toolUseResult"), str) for r in records)
        data = "".join(json.dumps(r, separators=(",", ":")) + "\n" for r in records).encode()
        (folder / f"{records[0]['sessionId']}.jsonl").write_bytes(data)
        truth["bytes"] += len(data)
    return truth


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("home", type=Path)
    parser.add_argument("project")
    parser.add_argument("--sessions", type=int, default=100)
    parser.add_argument("--calls", type=int, default=120)
    parser.add_argument("--failures", type=float, default=0.1)
    parser.add_argument("--seed", type=int, default=7)
    args = parser.parse_args()
    size = Size(args.sessions, args.calls, args.failures, datetime(2026, 3, 2, 8, 0, tzinfo=UTC))
    print(json.dumps(generate(args.home, args.project, size, args.seed)))


if __name__ == "__main__":
    main()
