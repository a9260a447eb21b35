"""Files and folders that the user names: which agent wrote them is told by their content, not by their names.

A folder may be an agent's home, a copy of one, a part of it, or a heap of transcripts of several agents.
"""

from __future__ import annotations

import os
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from agent_riggs.model import Head, Problem, Transcript
from agent_riggs.sources import (
    base,
    claude_code,
    cline,
    codex,
    copilot,
    documents,
    gemini,
    goose,
    jsonl,
    opencode,
    qwen,
    sqlite,
)
from agent_riggs.sources.base import Source
from agent_riggs.sources.claude_reader import HELPERS

Item = tuple[str, Transcript | Problem]

_SUFFIXES: Final = (".jsonl", ".json", ".zst", ".db", ".sqlite")
_SQLITE: Final = b"SQLite format 3\0"
_ZSTD: Final = b"\x28\xb5\x2f\xfd"
_LOOKED_AT: Final = 60
_ENOUGH: Final = 6
_CODEX: Final = frozenset({"session_meta", "response_item", "turn_context", "event_msg", "compacted", "world_state"})
_CODEX_FLAT: Final = frozenset({"function_call", "function_call_output", "local_shell_call", "custom_tool_call"})
_COPILOT: Final = ("session.", "assistant.", "tool.", "user.message", "hook.", "permission.", "subagent.")
_CLAUDE_LINES: Final = frozenset(
    {"queue-operation", "file-history-snapshot", "permission-mode", "custom-title", "ai-title", "last-prompt"}
)


def named(path: Path, sources: Mapping[str, Source]) -> Iterator[Item]:
    """The transcripts in a file or folder, with the names of their sources; what no source can read is a problem.

    In a folder only files that hold transcripts count; that it holds none at all is a problem too.
    """
    path = path.absolute()
    if not path.is_dir():
        yield from _file(path, sources, frozenset())
        return
    count = 0
    found = list(base.walk(path, _SUFFIXES, set()))
    files = [item[0] for item in found if not isinstance(item, Problem)]
    yield from (("", item) for item in found if isinstance(item, Problem))
    in_databases: set[str] = set()
    parents = _claude_parents(path)
    for file in sorted(files, key=lambda p: (p.suffix not in (".db", ".sqlite"), str(p))):
        for name, item in _file(file, sources, frozenset(in_databases)):
            if isinstance(item, Transcript):
                count += 1
                if name == claude_code.name and _is_helper(file):
                    continue
                in_databases.add(item.key.rpartition("#")[2] if "#" in item.key else "")
                yield name, parents.get(item.path, item) if name == claude_code.name else item
            elif name:
                yield name, item
    if not count:
        yield (
            "",
            Problem(
                str(path), f"no transcript of a known agent among {len(files)} file{'' if len(files) == 1 else 's'}"
            ),
        )


def _is_helper(path: Path) -> bool:
    """Claude Code's compaction helpers repeat the whole conversation they serve."""
    return path.name.startswith("agent-") and path.stem.removeprefix("agent-").startswith(HELPERS)


def _file(path: Path, sources: Mapping[str, Source], taken: frozenset[str]) -> Iterator[Item]:
    """The transcripts in one file. ``taken`` are sessions that a database holds already."""
    try:
        info = path.stat()
        name = source_of(path)
    except (OSError, sqlite3.Error) as error:
        yield "", Problem(str(path), f"cannot be read: {error}")
        return
    if name in _DATABASES and _is_sqlite(path):
        yield from ((name, item) for item in _DATABASES[name](path))
    elif name == opencode.name and path.stem in taken:
        return
    elif name == codex.name:
        yield from ((name, item) for item in codex.one(path, info))
    elif name:
        yield name, base.transcript(name, path, info)
    else:
        yield from _stranger(path, info, sources)


def _stranger(path: Path, info: os.stat_result, sources: Mapping[str, Source]) -> Iterator[Item]:
    """A file of no format known here: another package's source may know it."""
    for name, source in sources.items():
        if name not in _OURS:
            item = base.transcript(name, path, info)
            if isinstance(source.peek(item), Head):
                yield name, item
                return
    yield "", Problem(str(path), "no known agent writes such a file")


def source_of(path: Path) -> str:
    """Name of the source that reads a file, by its content; empty when none does. Raises ``OSError``."""
    with path.open("rb") as stream:
        head = stream.read(64)
    if head.startswith(_SQLITE):
        return _database(path)
    if head.startswith(_ZSTD):
        return codex.name if _lines(path, _codex) else ""
    if path.suffix == ".json" or head.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] == b"[":
        found = _document(documents.load(path))
        if found:
            return found
    votes = Counter({name: _lines(path, test) for name, test in _TESTS.items()})
    best, count = votes.most_common(1)[0]
    return best if count else ""


def _is_sqlite(path: Path) -> bool:
    with path.open("rb") as stream:
        return stream.read(16) == _SQLITE


def _database(path: Path) -> str:
    with sqlite.opened(path) as connection:
        tables = {row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    if {"session", "message", "part"} <= tables:
        return opencode.name
    return goose.name if {"sessions", "messages"} <= tables else ""


def _document(value: object) -> str:
    """The source of a document that is one JSON value."""
    if isinstance(value, list):
        talk = [m for m in value if isinstance(m, dict) and m.get("role") in ("user", "assistant") and "content" in m]
        return cline.name if len(talk) * 2 > len(value) else ""
    if not isinstance(value, dict):
        return ""
    info = value.get("info")
    if isinstance(info, dict) and isinstance(value.get("messages"), list):
        return opencode.name
    if "sessionId" in value and isinstance(value.get("messages"), list):
        talk = [m for m in value["messages"] if isinstance(m, dict) and "role" in m]
        return cline.name if talk else gemini.name
    own = value.get("id")
    if isinstance(own, str) and own.startswith("ses_") and "directory" in value:
        return opencode.name
    return ""


def _lines(path: Path, test: Callable[[dict[str, Any]], bool]) -> int:
    """How many of the first records a test takes for its own; it stops when that is enough."""
    count = 0
    for record in jsonl.first_records(path, codex.plain_or_compressed, _LOOKED_AT):
        if isinstance(record, dict) and test(record):
            count += 1
            if count >= _ENOUGH:
                break
    return count


def _codex(record: dict[str, Any]) -> bool:
    kind = str(record.get("type"))
    if isinstance(record.get("payload"), dict):
        return kind in _CODEX
    return kind in _CODEX_FLAT or ("type" not in record and "instructions" in record and "id" in record)


def _copilot(record: dict[str, Any]) -> bool:
    return isinstance(record.get("data"), dict) and str(record.get("type")).startswith(_COPILOT)


def _gemini(record: dict[str, Any]) -> bool:
    if "$set" in record or "$rewindTo" in record:
        return True
    if "sessionId" in record and "startTime" in record:
        return True
    return record.get("type") == "gemini" and "id" in record


def _claude(record: dict[str, Any]) -> bool:
    kind = str(record.get("type"))
    if kind in _CLAUDE_LINES or (kind == "summary" and "leafUuid" in record):
        return True
    message = record.get("message")
    inside = isinstance(message, dict) and "parts" not in message
    return (
        "sessionId" in record and "uuid" in record and (inside or (kind == "system" and "systemPayload" not in record))
    )


def _qwen(record: dict[str, Any]) -> bool:
    message = record.get("message")
    inside = isinstance(message, dict) and "parts" in message
    return "uuid" in record and (inside or record.get("type") == "tool_result" or "systemPayload" in record)


def _goose(record: dict[str, Any]) -> bool:
    if "working_dir" in record and "type" not in record:
        return True
    return (
        "created" in record and record.get("role") in ("user", "assistant") and isinstance(record.get("content"), list)
    )


def _claude_parents(folder: Path) -> dict[Path, Transcript]:
    """Claude Code's transcripts below a folder, subagents' ones with their main file."""
    found = claude_code.find({"CLAUDE_CONFIG_DIR": str(folder)}, folder)
    return {item.path: item for item in found if isinstance(item, Transcript)}


_TESTS: Final[dict[str, Callable[[dict[str, Any]], bool]]] = {
    codex.name: _codex,
    copilot.name: _copilot,
    gemini.name: _gemini,
    claude_code.name: _claude,
    qwen.name: _qwen,
    goose.name: _goose,
}
_DATABASES: Final = {opencode.name: opencode.in_database, goose.name: goose.in_database}
_OURS: Final = frozenset({*_TESTS, *_DATABASES, cline.name})
