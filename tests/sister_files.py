"""Builders of what kibitzer and blq write, in the shapes of kibitzer 0.9.0 and blq-cli 1.2.2."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import duckdb

import claude

EVENTS = """
CREATE TABLE IF NOT EXISTS events (id INTEGER PRIMARY KEY AUTOINCREMENT, timestamp TEXT, session_id TEXT,
    event_type TEXT NOT NULL, tool_name TEXT, tool_input TEXT, success INTEGER, mode TEXT, data TEXT,
    source TEXT DEFAULT 'agent')
"""
NAMES = ("timestamp", "session_id", "event_type", "tool_name", "tool_input", "success", "mode", "data")


@dataclass(frozen=True)
class Event:
    """One row of kibitzer's log, ``second`` seconds after the start of the builders' Claude Code sessions."""

    second: float
    kind: str = "tool_call"
    tool: str | None = "Bash"
    given: Mapping[str, Any] | None = None
    success: int | None = 1
    mode: str | None = "implement"
    session: str | None = "one"
    data: Mapping[str, Any] | None = None

    def row(self) -> tuple[Any, ...]:
        text = None if self.given is None else json.dumps(self.given)[:500]
        data = None if self.data is None else json.dumps(self.data)
        at = (claude.START + timedelta(seconds=self.second)).strftime("%Y-%m-%d %H:%M:%S")
        return at, self.session, self.kind, self.tool, text, self.success, self.mode, data


def denied(second: float, path: str, mode: str = "implement", **more: Any) -> Event:
    reason = f"Path '{path}' is not writable in the current mode (writable: ['src/']). Use the ChangeToolMode tool."
    return Event(second, "denial", "Edit", {"file_path": path}, None, mode, data={"reason": reason}, **more)


def switched(second: float, new: str, previous: str, session: str | None = "one") -> Event:
    return Event(second, "mode_switch", None, None, None, new, session, {"previous": previous, "reason": "cli"})


def generated(second: float, intent: str, success: int, failure: str | None = None, session: str = "one") -> Event:
    data = {"intent": intent, "program": "x = 1", "model": "m", "success": bool(success), "failure_mode": failure}
    return Event(second, "generation", None, None, success, None, session, data)


def kibitzer(root: Path, *events: Event) -> Path:
    """Append rows to the log of a project."""
    path = root / ".kibitzer" / "store.sqlite"
    path.parent.mkdir(parents=True, exist_ok=True)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(EVENTS)
        marks = ", ".join("?" * len(NAMES))
        connection.executemany(
            f"INSERT INTO events ({', '.join(NAMES)}) VALUES ({marks})", [event.row() for event in events]
        )
    return path


# --- blq ----------------------------------------------------------------------------------------------------------

TABLES = """
CREATE TABLE IF NOT EXISTS invocations (id UUID, timestamp TIMESTAMP, duration_ms BIGINT, cwd VARCHAR, cmd VARCHAR,
    pid INTEGER, exit_code INTEGER, hostname VARCHAR, source_name VARCHAR, source_type VARCHAR, git_branch VARCHAR);
CREATE TABLE IF NOT EXISTS attempts (id UUID, timestamp TIMESTAMP, cwd VARCHAR, cmd VARCHAR, pid INTEGER,
    hostname VARCHAR, source_name VARCHAR, source_type VARCHAR, git_branch VARCHAR);
CREATE TABLE IF NOT EXISTS outcomes (attempt_id UUID, completed_at TIMESTAMP, duration_ms BIGINT, exit_code INTEGER,
    signal INTEGER, timeout BOOLEAN);
CREATE TABLE IF NOT EXISTS events (id UUID, invocation_id UUID, event_index INTEGER, severity VARCHAR,
    message VARCHAR, log_content VARCHAR);
CREATE TABLE IF NOT EXISTS outputs (id UUID, invocation_id UUID, stream VARCHAR, storage_type VARCHAR,
    storage_ref VARCHAR);
"""


@dataclass(frozen=True)
class Run:
    """One run, started at a local time; ``code`` ``None`` for one that has not ended."""

    number: int
    local: datetime
    command: str = "pytest -q"
    code: int | None = 1
    name: str = "test"
    kind: str = "run"
    seconds: float = 1.0
    says: tuple[str, ...] = ()
    prints: str = ""
    pid: int | None = None

    @property
    def id(self) -> UUID:
        return UUID(int=(self.number << 96) + 0x4000 * (1 << 64) + self.number)


def local(second: float, hours: float = 0) -> datetime:
    """A naive local time, ``second`` seconds after the start of the builders' sessions, ``hours`` east of UTC."""
    return (claude.START + timedelta(seconds=second, hours=hours)).replace(tzinfo=None)


def blq(root: Path, *runs: Run, folder: str = ".bird") -> Path:
    """Add runs to the database of a project, in the order they ended."""
    path = root / folder / "blq.duckdb"
    path.parent.mkdir(parents=True, exist_ok=True)
    with closing(duckdb.connect(str(path))) as connection:
        connection.execute(TABLES)
        for run in runs:
            _write(connection, run, str(root))
    return path


def _write(connection: duckdb.DuckDBPyConnection, run: Run, cwd: str) -> None:
    shared = [run.command, run.pid, None, run.name, run.kind, "main"]
    if run.kind in ("run", "exec"):
        connection.execute("DELETE FROM attempts WHERE id = ?", [run.id])
        connection.execute("INSERT INTO attempts VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", [run.id, run.local, cwd, *shared])
    if run.code is None:
        return
    length = round(run.seconds * 1000)
    connection.execute(
        "INSERT INTO invocations VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        [run.id, run.local, length, cwd, *shared[:2], run.code, *shared[2:]],
    )
    if run.kind in ("run", "exec"):
        late = run.code == -1
        code, ended = None if late else run.code, run.local + timedelta(seconds=run.seconds)
        connection.execute("INSERT INTO outcomes VALUES (?, ?, ?, ?, NULL, ?)", [run.id, ended, length, code, late])
    for index, message in enumerate(run.says):
        connection.execute("INSERT INTO events VALUES (?, ?, ?, 'error', ?, NULL)", [run.id, run.id, index, message])
    if run.prints:
        import base64

        place = "data:application/octet-stream;base64," + base64.b64encode(run.prints.encode()).decode()
        connection.execute("INSERT INTO outputs VALUES (?, ?, 'combined', 'inline', ?)", [run.id, run.id, place])


def trials(home: Path, rows: Iterable[Mapping[str, Any]]) -> Path:
    """kibitzer's file of nudge trials."""
    path = home / ".kibitzer" / "nudge_trials.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def trial(plugin: str, arm: str, heed: bool, session: str, second: float) -> dict[str, Any]:
    at = (claude.START + timedelta(seconds=second)).astimezone(UTC).timestamp()
    return {
        "plugin": plugin, "arm": arm, "heed": heed, "turns_to_heed": 2 if heed else None, "session": session, "ts": at
    }  # fmt: skip
