"""Stores for the tests of what is shown: a few calls in, a store file out, without reading any transcript."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

import duckdb

from agent_riggs.deliver.ending import OWN_STORE
from agent_riggs.judge import RULES_VERSION
from agent_riggs.paths import find_project, state_dir
from agent_riggs.store import identity
from agent_riggs.store.migrations import SCHEMA_VERSION
from agent_riggs.store.schema import schema_sql

START = int(datetime(2026, 11, 1, 9, tzinfo=UTC).timestamp()) * 1_000_000
MINUTE = 60_000_000
DAY = 1440 * MINUTE


def number(*parts: object) -> int:
    """A stable id."""
    return int.from_bytes(sha256(repr(parts).encode()).digest()[:7], "big")


@dataclass(frozen=True)
class Call:
    """One call of a session, by default a shell command that worked."""

    session: str = "s1"
    outcome: str = "ok"
    minute: int = 0
    tool: str = "Bash"
    failure_class: str | None = None
    program: str | None = None
    shape: str | None = None
    specific: bool = True
    agent: str = "claude_code"
    root: str | None = None
    trust: float | None = 0.5
    score: float | None = 1.0
    excerpt: str | None = None
    user_said: str | None = None
    model: str | None = "model-a"
    rule: str = "no_complaint"
    input: Mapping[str, Any] = field(default_factory=lambda: {"command": "ls"})
    call_id: str = ""
    timed: bool = True

    @property
    def failed(self) -> bool:
        return self.outcome in {"failed", "check_failed", "denied"}

    @property
    def fingerprint(self) -> str | None:
        if not self.failed:
            return None
        return "f" + sha256(repr((self.failure_class, self.tool, self.program, self.shape)).encode()).hexdigest()[:16]


def failed(session: str = "s1", minute: int = 0, **more: Any) -> Call:
    """A call that failed for want of a module."""
    values: dict[str, Any] = {
        "failure_class": "module_missing",
        "program": "python",
        "shape": "ModuleNotFoundError: No module named 'yaml'",
        "excerpt": "Traceback (most recent call last):\nModuleNotFoundError: No module named 'yaml'",
        "rule": "exit_code",
        "score": 0.2,
        "outcome": "failed",
    }
    return Call(session=session, minute=minute, **(values | more))


def write_store(root: Path, calls: Sequence[Call] = (), **tables: Sequence[Mapping[str, Any]]) -> Path:
    """A store in the project at ``root``, the user's own; ``tables`` holds further rows by table name, times as ISO
    text."""
    path = root / ".riggs" / "store.duckdb"
    path.parent.mkdir(parents=True, exist_ok=True)
    with duckdb.connect(str(path)) as conn:
        fill(conn, root.name, calls, **tables)
        identity.make_own(conn, state_dir(find_project(root), os.environ) / OWN_STORE)
    return path


def fill(
    conn: duckdb.DuckDBPyConnection, project: str, calls: Sequence[Call] = (), **tables: Sequence[Mapping[str, Any]]
) -> None:
    """The same in an open database."""
    conn.execute("SET TimeZone = 'UTC'")
    conn.execute("BEGIN")
    conn.execute(_tables())
    insert(conn, "riggs_meta", [{"key": "schema_version", "value": str(SCHEMA_VERSION)}])
    seen: dict[str, int] = {}
    for place, call in enumerate(calls):
        seen[call.session] = seen.get(call.session, 0) + 1
        row = _turn(project, call, place, seen[call.session])
        insert(conn, "turns", [row])
        if call.failed:
            insert(conn, "failure_stream", [_failure(row)])
    conn.execute(
        """
        INSERT INTO session_summaries (session_id, project, started_at, ended_at, duration, total_turns,
            total_failures, failure_rate, trust_start, trust_end, trust_delta, modes_used, agent, root_session_id,
            models)
        SELECT session_id, any_value(project), min(timestamp), max(timestamp),
               (epoch_us(max(timestamp)) - epoch_us(min(timestamp))) / 1e6, count(*),
               count(*) FILTER (tool_success = false), avg((tool_success = false)::INT), 0.4,
               arg_max(trust_1, position), arg_max(trust_1, position) - 0.4, [], any_value(agent),
               any_value(root_session_id), list(DISTINCT model) FILTER (model IS NOT NULL)
        FROM turns GROUP BY session_id
        """
    )
    for table, rows in tables.items():
        insert(conn, table, rows)
    conn.execute("COMMIT")


@cache
def _tables() -> str:
    """The schema without its comments, which take most of the time."""
    return "".join(part + ";" for part in schema_sql().split(";\n") if "CREATE TABLE" in part)


def insert(conn: duckdb.DuckDBPyConnection, table: str, rows: Sequence[Mapping[str, Any]]) -> None:
    """Rows as they are."""
    for row in rows:
        marks = ", ".join("?" for _ in row)
        conn.execute(f"INSERT INTO {table} ({', '.join(row)}) VALUES ({marks})", list(row.values()))


def _turn(project: str, call: Call, place: int, count: int) -> dict[str, Any]:
    at = iso(START + call.minute * MINUTE)
    success = {"ok": True, "benign": True, "failed": False, "check_failed": False, "denied": False}.get(call.outcome)
    return {
        "turn_id": number(call.session, place),
        "session_id": call.session,
        "project": project,
        "turn_number": count,
        "timestamp": at if call.timed else None,
        "tool_name": call.tool,
        "tool_success": success,
        "trust_score": call.score,
        "trust_1": call.trust,
        "trust_5": call.trust,
        "trust_15": call.trust,
        "event_category": "failure" if call.failed else "success",
        "metadata": json.dumps({"input": dict(call.input)}),
        "source": call.agent,
        "outcome": call.outcome,
        "rule": call.rule,
        "agent": call.agent,
        "call_id": call.call_id or f"toolu_{place:04d}",
        "root_session_id": call.root or call.session,
        "failure_class": call.failure_class,
        "program": call.program,
        "shape": call.shape,
        "fingerprint": call.fingerprint,
        "specific": call.specific,
        "excerpt": call.excerpt,
        "user_said": call.user_said,
        "model": call.model,
        "order_at": at,
        "transcript_id": number(call.session),
        "position": place,
        "rules_version": RULES_VERSION,
    }


def _failure(turn: Mapping[str, Any]) -> dict[str, Any]:
    same = ("turn_id", "session_id", "project", "tool_name", "root_session_id", "agent", "outcome", "failure_class")
    more = ("program", "shape", "fingerprint", "specific", "excerpt")
    category = {"check_failed": "check_failed", "denied": "denied"}.get(turn["outcome"], "failure")
    return {
        "failure_id": turn["turn_id"],
        "occurred_at": turn["timestamp"],
        "failure_category": category,
        "trust_at_failure": 0.9,
        **{name: turn[name] for name in (*same, *more)},
    }


def transcript(key: str, **more: Any) -> dict[str, Any]:
    """A row of ``transcripts`` that was read whole."""
    values: dict[str, Any] = {
        "transcript_id": number(key),
        "source": "claude_code",
        "key": key,
        "ours": True,
        "gone": False,
        "lines": 100,
        "understood": 100,
        "unknown": "{}",
        "warmups": 0,
        "versions": "2.1.38",
        "read_at": iso(START + DAY),
    }
    return values | more


def iso(when: int) -> str:
    return datetime.fromtimestamp(when / 1_000_000, UTC).isoformat()
