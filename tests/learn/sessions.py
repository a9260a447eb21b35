"""Sessions for the tests of learning: calls in, an open store out. Nothing is read from a transcript."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

import duckdb

from agent_riggs.store import derive, migrations, turns
from builders.rows import SECOND, START, turn

DAY = 86_400 * SECOND
NOW = START + 20 * DAY


@dataclass(frozen=True)
class Call:
    """One call; ``fails`` is (class, program, shape) when it failed."""

    tool: str = "Bash"
    input: Mapping[str, Any] = field(default_factory=dict)
    fails: tuple[str, str | None, str] | None = None
    outcome: str = "ok"
    program: str | None = None
    user_said: str | None = None
    agent_id: str | None = None
    cwd: str = "/home/me/shop"
    category: str = "failure"
    mode: str | None = None

    @property
    def fingerprint(self) -> str | None:
        return fingerprint_of(self.tool, self.fails) if self.fails else None


def fingerprint_of(tool: str, fails: tuple[str, str | None, str]) -> str:
    return "f" + sha256(repr((tool, fails)).encode()).hexdigest()[:16]


def bash(command: str, **more: Any) -> Call:
    return Call("Bash", {"command": command}, **more)


def fails(command: str, kind: str = "other", program: str | None = None, shape: str = "it broke", **more: Any) -> Call:
    outcome = more.pop("outcome", "failed")
    name = program or command.split()[0]
    return Call("Bash", {"command": command}, (kind, name, shape), outcome, name, **more)


def tool(name: str, given: Mapping[str, Any], **more: Any) -> Call:
    return Call(name, given, **more)


def broken(name: str, given: Mapping[str, Any], kind: str, shape: str = "it broke", **more: Any) -> Call:
    return Call(name, given, (kind, None, shape), more.pop("outcome", "failed"), **more)


def store() -> duckdb.DuckDBPyConnection:
    conn = duckdb.connect(":memory:")
    migrations.migrate(conn)
    return conn


def record(conn: duckdb.DuckDBPyConnection, session: str, *calls: Call, day: int = 0) -> None:
    """Put one session into the store, its calls a second apart."""
    turns.insert(conn, rows_of(session, *calls, day=day))
    derive.settle(conn, derive.TrustRules())


def rows_of(session: str, *calls: Call, day: int = 0) -> list[turns.TurnRow]:
    rows = []
    for number, call in enumerate(calls, 1):
        kind, program, shape = call.fails or (None, call.program, None)
        rows.append(
            turn(
                number,
                session_id=session,
                timestamp=START + day * DAY + number * SECOND,
                tool_name=call.tool,
                outcome=call.outcome,
                category=call.category if call.fails else None,
                failure_class=kind,
                program=program,
                shape=shape,
                fingerprint=call.fingerprint,
                specific=call.fails is not None,
                excerpt=f"{program}: {shape}" if call.fails else None,
                user_said=call.user_said,
                agent_id=call.agent_id,
                cwd=call.cwd,
                mode=call.mode,
                project_path="/home/me/shop",
                metadata=json.dumps({"input": dict(call.input)}),
                transcript_id=int(sha256(session.encode()).hexdigest()[:8], 16),
            )
        )
    return rows


def again(conn: duckdb.DuckDBPyConnection, count: int, *calls: Call, first: int = 0) -> None:
    """The same session on ``count`` days, each a root session of its own."""
    rows = [rows_of(f"s{number}", *calls, day=number) for number in range(first, first + count)]
    turns.insert(conn, [row for session in rows for row in session])
    derive.settle(conn, derive.TrustRules())
