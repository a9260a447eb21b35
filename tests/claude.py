"""Builders of Claude Code transcripts, in the shapes the agent writes them."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import reading
from agent_riggs.model import Cursor
from agent_riggs.sources import claude_code
from agent_riggs.sources.check import Reading

SESSION = "3f0c2a11-0000-4000-8000-00000000c0de"
CWD = "/srv/shop"
START = datetime(2026, 5, 4, 9, 0, tzinfo=UTC)
REJECTED = (
    "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the"
    " new_string was NOT written to the file)."
)
STOP = f"{REJECTED} STOP what you are doing and wait for the user to tell you how to proceed."

Json = dict[str, Any]


def key(number: int) -> str:
    """A provider's call id."""
    return f"toolu_01{number:022d}"


def at(second: float) -> int:
    """Microseconds of a record ``second`` seconds after the first."""
    return round((START + timedelta(seconds=second)).timestamp() * 1_000_000)


def record(kind: str, /, **fields: Any) -> Json:
    return {"type": kind, **fields}


def prompt(text: Any, /, **fields: Any) -> Json:
    return record("user", message={"role": "user", "content": text}, **fields)


def says(*blocks: Any, model: str = "claude-opus-4-5", **fields: Any) -> Json:
    return record("assistant", message={"role": "assistant", "model": model, "content": list(blocks)}, **fields)


def use(call: Any, name: Any = "Bash", given: Any = None) -> Json:
    return {"type": "tool_use", "id": call, "name": name, "input": {"command": "make"} if given is None else given}


def call(number: int, name: str = "Bash", given: Any = None, /, **fields: Any) -> Json:
    return says(use(key(number), name, given), **fields)


def answer(call_id: Any, content: Any = "done", /, error: Any = None, **fields: Any) -> Json:
    block = {"type": "tool_result", "tool_use_id": call_id, "content": content}
    if error is not None:
        block["is_error"] = error
    return prompt([block], **fields)


def result(number: int, content: Any = "done", /, error: Any = None, **fields: Any) -> Json:
    return answer(key(number), content, error, **fields)


def attached(kind: str, /, **fields: Any) -> Json:
    return record("attachment", attachment={"type": kind, **fields})


def nested(agent: str, inner: Json, /) -> Json:
    return record("progress", data={"type": "agent_progress", "agentId": agent, "message": inner})


BARE = {"summary", "permission-mode", "mode", "last-prompt", "file-history-snapshot", "queue-operation"}


def session(*records: Any, session_id: Any = SESSION, cwd: Any = CWD, **more: Any) -> list[Any]:
    """The records with the envelope of one session, one second apart; what a record sets itself stays."""
    made: list[Any] = []
    for index, item in enumerate(records):
        if not isinstance(item, dict):
            made.append(item)
            continue
        envelope: Json = {"sessionId": session_id}
        if str(item.get("type")) not in BARE:
            moment = (START + timedelta(seconds=index)).strftime("%Y-%m-%dT%H:%M:%S.000Z")
            envelope |= {"uuid": f"u{index}", "timestamp": moment, "cwd": cwd, "version": "2.1.90", "gitBranch": "main"}
        made.append({k: v for k, v in {**envelope, **more, **item}.items() if v is not ...})
    return made


def place(home: Path, name: str = SESSION, folder: str = "-srv-shop") -> Path:
    return home / ".claude/projects" / folder / f"{name}.jsonl"


def write(home: Path, *records: Any, name: str = SESSION, folder: str = "-srv-shop", **more: Any) -> Path:
    """A transcript under ``home``."""
    return reading.write_lines(place(home, name, folder), session(*records, **more))


def encoded(*records: Any, **more: Any) -> list[bytes]:
    """The records as lines, without line ends."""
    return [json.dumps(item).encode() if not isinstance(item, bytes) else item for item in session(*records, **more)]


def read(path: Path, cursor: Cursor | None = None) -> Reading:
    return reading.read(claude_code, path, cursor)


def read_records(home: Path, *records: Any, **more: Any) -> Reading:
    """What one reading of these records gives."""
    return read(write(home, *records, **more))


def read_bytes(home: Path, data: bytes) -> Reading:
    path = place(home)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return read(path)
