"""Driving the real kibitzer and blq, as a user's shell and Claude Code's hooks do, with a note of what happened."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import claude

REASON = "permissionDecisionReason"


@dataclass
class Told:
    """What one event must become: agent, tool, outcome, category, mode, and the second it happened in."""

    agent: str
    tool: str
    outcome: str
    category: str | None
    mode: str | None
    at: float


@dataclass
class Driver:
    """One project with both tools, its transcripts, and the events so far."""

    bin: Path
    root: Path
    home: Path
    zone: str
    told: list[Told] = field(default_factory=list)
    records: list[Any] = field(default_factory=list)
    calls: int = 0
    mode: str = "free"

    @property
    def environ(self) -> dict[str, str]:
        inner = {k: v for k, v in os.environ.items() if k not in ("CLAUDECODE", "VIRTUAL_ENV", "PYTHONPATH")}
        path = f"{self.bin}{os.pathsep}{os.environ['PATH']}"
        return inner | {"HOME": str(self.home), "TZ": self.zone, "PATH": path}

    def run(self, *words: str, feed: str = "") -> str:
        done = subprocess.run(
            words, cwd=self.root, env=self.environ, input=feed, capture_output=True, text=True, timeout=120
        )
        return done.stdout + done.stderr

    def set_up(self) -> None:
        self.root.mkdir(parents=True)
        self.home.mkdir(exist_ok=True)
        self.run("git", "init", "-q", ".")
        self.run("kibitzer", "init")
        config = self.root / ".kibitzer/config.toml"
        config.write_text(config.read_text().replace("context7 = true", "context7 = false"))
        self.run("blq", "init")
        assert (self.root / ".bird/blq.duckdb").is_file()

    def note(self, agent: str, tool: str, outcome: str, category: str | None, mode: str | None) -> None:
        self.told.append(Told(agent, tool, outcome, category, mode, time.time()))

    # --- kibitzer -------------------------------------------------------------------------------------------------

    def hook(self, which: str, session: str, tool: str, given: Mapping[str, Any], result: object = None) -> str:
        payload = {"session_id": session, "tool_name": tool, "tool_input": given, "cwd": str(self.root)}
        payload |= {} if result is None else {"tool_result": result}
        module = f"kibitzer.hooks.{which}_tool_use"
        return self.run(str(self.bin / "python"), "-m", module, feed=json.dumps(payload))

    def switch(self, mode: str) -> None:
        self.run("kibitzer", "mode", mode)
        self.note("kibitzer", "ChangeToolMode", "ok", None, self.mode)
        self.mode = mode

    def failing(self, session: str, command: str, *, transcript: bool, heard: bool = True) -> None:
        """A shell call that fails. ``heard``: kibitzer's hook is told, and told that it failed."""
        given, began = {"command": command}, time.time()
        if heard:
            self.hook("post", session, "Bash", given, {"exitCode": 127})
        self.note("claude_code" if transcript else "kibitzer", "Bash", "failed", "failure", self.mode)
        if transcript:
            self.call("Bash", given, f"Exit code 127\nbash: line 1: {command}: command not found", began, error=True)

    def refused(self, session: str, path: str, *, transcript: bool, category: str = "path_denial") -> None:
        given, began = {"file_path": path, "old_string": "a", "new_string": "b"}, time.time()
        answer = json.loads(self.hook("pre", session, "Edit", given))
        reason = answer["hookSpecificOutput"][REASON]
        self.note("claude_code" if transcript else "kibitzer", "Edit", "denied", category, self.mode)
        if transcript:
            self.call("Edit", given, reason, began, error=True)

    # --- blq ------------------------------------------------------------------------------------------------------

    def blq(self, command: str, outcome: str, category: str | None, *, transcript: bool, limit: int = 0) -> None:
        began = time.time()
        self.note("claude_code" if transcript else "blq", "Bash", outcome, category, self.mode if transcript else None)
        limits = ("--timeout", str(limit)) if limit else ()
        text = self.run("blq", "exec", *limits, command)
        if transcript:
            given = {"command": f'cd {self.root} && blq exec "{command}"'}
            self.call("Bash", given, f"Exit code 3\n{text}", began, error=True)

    def killed(self) -> None:
        """A run whose whole process group is killed before it ends."""
        self.note("blq", "Bash", "failed", "failure", None)
        live = self.root / ".bird/live"
        before = set(live.glob("*/meta.json"))
        process = subprocess.Popen(
            ("blq", "exec", "sleep 300"), cwd=self.root, env=self.environ, start_new_session=True,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        until = time.monotonic() + 60
        while set(live.glob("*/meta.json")) <= before and time.monotonic() < until:
            time.sleep(0.1)
        time.sleep(1)
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()

    # --- transcript -----------------------------------------------------------------------------------------------

    def call(self, tool: str, given: Mapping[str, Any], text: str, began: float, *, error: bool) -> None:
        self.calls += 1
        ended = time.time()
        self.records += [
            claude.call(self.calls, tool, dict(given), timestamp=_iso(began)),
            claude.result(self.calls, text, error, timestamp=_iso(ended)),
        ]

    def write(self, name: str) -> None:
        claude.write(self.home, *self.records, name=name, session_id=name, cwd=str(self.root))


def _iso(moment: float) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(moment)) + f".{int(moment % 1 * 1000):03d}Z"
