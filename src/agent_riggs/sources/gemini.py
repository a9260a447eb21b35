"""Gemini CLI chats: ``tmp/<project>/chats`` below ``$GEMINI_CLI_HOME/.gemini`` or ``~/.gemini``.

Measured on chats of early 2026 and on Gemini CLI 0.61. Older chats are one JSON object, newer ones JSON lines in
which a later record replaces the earlier one with its id, ``$set`` changes fields and ``$rewindTo`` takes messages
back. A call that was taken back did run: it stays. No mode and no version are recorded, and no working folder: the
project folder's name is looked up in ``projects.json``, in its own ``.project_root``, as the SHA-256 of a root known
from there, or in the chat's first message. A shell command that failed has status ``success`` and a line
``Exit Code: N`` in its text, which the judge reads.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from agent_riggs.folders import MAX_PATH, small_file
from agent_riggs.model import Cursor, Event, Head, Problem, ReadEnd, Status, ToolCall, ToolResult, Transcript
from agent_riggs.paths import agent_homes
from agent_riggs.sources import base, decode, documents

name: Final = "gemini"

_MESSAGES: Final = frozenset({"user", "gemini", "info", "error", "warning"})
_WORKSPACE: Final = re.compile(r"Workspace Director(?:y|ies):\**\s*\n?\s*-?\s*([^\n]{1,1000})")
_DENIED: Final = "Tool execution denied by policy"
_USER_SAID_NO: Final = "User denied execution"
_BACKGROUND: Final = re.compile(
    r"\A(?:<untrusted_context>\s*)?Command (?:moved to background \(PID: (\d+)\)|is running in background\. PID: (\d+))"
)
_PEEKED: Final = 12


@dataclass(slots=True)
class _Chat:
    """What one chat file tells."""

    stem: str = ""
    """Name of the file: stands in where no record names the session."""
    session: str = ""
    parent: str = ""
    cwd: str = ""
    started: int | None = None
    ended: int | None = None
    calls: dict[str, ToolCall] = field(default_factory=dict)
    records: int = 0
    understood: int = 0
    unknown: Counter[str] = field(default_factory=Counter)


def places(environ: Mapping[str, str], home: Path) -> list[Path]:
    """The folders it looks in. ``GEMINI_CLI_HOME`` names the folder above ``.gemini``; that one itself will do."""
    inner = list(agent_homes(name, environ, home))
    given = bool(environ.get("GEMINI_CLI_HOME", "").strip())
    own = [place.parent for place in inner if given and (place.parent / "tmp").is_dir()]
    there = [place for place in inner if place.is_dir()]
    return [*there, *own] or inner


def find(environ: Mapping[str, str], home: Path) -> Iterator[Transcript | Problem]:
    """Every chat, subagents' ones included."""
    seen: set[tuple[int, int]] = set()
    for root in places(environ, home):
        yield from transcripts(root / "tmp", seen, root)


def transcripts(root: Path, seen: set[tuple[int, int]], home: Path | None = None) -> Iterator[Transcript | Problem]:
    """The chats below one ``tmp`` folder, subagents' ones (in a folder named after their parent) included."""
    for found in base.walk(root, (".json", ".jsonl"), seen):
        if isinstance(found, Problem):
            yield found
        elif "chats" in found[0].parts[-3:-1]:
            yield base.transcript(name, found[0], found[1], None, home)


def peek(transcript: Transcript) -> Head | Problem | None:
    """Whose chat it is."""
    chat = _Chat()
    for item in _messages(transcript, chat, 1 << 62):
        if isinstance(item, Problem):
            return item if not chat.session and item.line is None else None
        chat.cwd = chat.cwd or _workspace(item[1])
        if chat.records >= _PEEKED or (chat.cwd and chat.session):
            break
    if not chat.session:
        return None
    return Head(chat.parent or chat.session, _root_of(transcript) or chat.cwd, chat.started)


def read(transcript: Transcript, cursor: Cursor | None, now: int) -> Iterator[Event]:
    """Every call of the chat in its last state; the whole file is read each time, since records replace others."""
    chat = _Chat()
    cwd = _root_of(transcript)
    for item in _messages(transcript, chat, now):
        if isinstance(item, Problem):
            yield item
            continue
        chat.cwd = chat.cwd or _workspace(item[1])
        _take(chat, *item, cwd or chat.cwd, now)
    yield from chat.calls.values()
    end = documents.cursor(transcript.path, chat.records)
    session = chat.parent or chat.session or (chat.stem if chat.calls else "")
    yield ReadEnd(
        end,
        chat.records,
        chat.understood,
        dict(chat.unknown),
        session_id=session,
        started=chat.started,
        ended=chat.ended,
    )


def _messages(transcript: Transcript, chat: _Chat, now: int) -> Iterator[tuple[int, dict[str, Any]] | Problem]:
    """(position, message) in file order, whichever form the file has; ``chat`` takes what the file says of itself."""
    path = transcript.path
    chat.stem = path.stem
    if path.parent.name != "chats" and path.parent.parent.name == "chats":
        chat.parent = path.parent.name
    whole = documents.load(path) if path.suffix == ".json" else None
    if isinstance(whole, Problem):
        yield whole
    elif whole is not None:
        yield from _document(whole, path, chat, now)
    elif path.suffix != ".json":
        for item in documents.records(path):
            if isinstance(item, Problem):
                yield item
            else:
                yield from _record(item[2], item[0], chat, now)


def _document(whole: object, path: Path, chat: _Chat, now: int) -> Iterator[tuple[int, dict[str, Any]] | Problem]:
    if not isinstance(whole, dict):
        yield Problem(str(path), f"a JSON {type(whole).__name__} where a chat belongs")
        return
    _about(whole, chat, now)
    messages = whole.get("messages")
    for index, message in enumerate(messages if isinstance(messages, list) else ()):
        yield from _record(message, (index + 1) * 1000, chat, now)


def _record(record: object, position: int, chat: _Chat, now: int) -> Iterator[tuple[int, dict[str, Any]]]:
    """The messages in one record: itself, or those a ``$set`` brings."""
    chat.records += 1
    if not isinstance(record, dict):
        chat.unknown[type(record).__name__] += 1
        return
    changes = record.get("$set")
    if isinstance(changes, dict):
        _about(changes, chat, now)
        messages = changes.get("messages")
        for index, message in enumerate(messages if isinstance(messages, list) else ()):
            if isinstance(message, dict):
                yield position + index, message
    elif "sessionId" in record and "toolCalls" not in record:
        _about(record, chat, now)
    elif str(record.get("type")) in _MESSAGES:
        yield position, record
    elif "$rewindTo" not in record:
        chat.unknown[str(record.get("type"))[:80]] += 1
        return
    chat.understood += 1


def _about(record: Mapping[str, Any], chat: _Chat, now: int) -> None:
    """What a metadata record says. The first session id counts."""
    chat.session = chat.session or decode.id_of(record.get("sessionId"))
    if chat.started is None:
        chat.started = decode.time_of(record.get("startTime"), now)
    chat.ended = decode.time_of(record.get("lastUpdated"), now) or chat.ended


def _take(chat: _Chat, position: int, message: dict[str, Any], cwd: str, now: int) -> None:
    """The calls of one message; a later state of a call replaces an earlier one, in its place."""
    calls = message.get("toolCalls")
    when = decode.time_of(message.get("timestamp"), now)
    for index, raw in enumerate(calls if isinstance(calls, list) else ()):
        if not isinstance(raw, dict):
            continue
        own = decode.id_of(raw.get("id")) or f"{decode.id_of(message.get('id')) or position}-{index}"
        session = chat.session or chat.stem
        key = f"{session}/{own}"
        held = chat.calls.get(key)
        result = _result(raw, now)
        if held is not None:
            if result is not None or held.result is None:
                chat.calls[key] = replace(held, result=result)
            continue
        chat.calls[key] = ToolCall(
            agent=name,
            session_id=chat.parent or session,
            call_id=key,
            tool=decode.str_of(raw.get("name")) or "unknown",
            input=decode.input_of(raw.get("args")),
            position=position + index,
            timestamp=when,
            cwd=cwd,
            agent_id=(session if chat.parent else "") or decode.id_of(raw.get("agentId")),
            model=decode.str_of(message.get("model")),
            result=result,
        )


def _result(call: Mapping[str, Any], now: int) -> ToolResult | None:
    """The result of a call that has ended; ``None`` while it is being checked, asked about or run."""
    status = call.get("status")
    if status not in ("success", "error", "cancelled"):
        return None
    text, error = _texts(call)
    word: Status | None = None
    if status == "cancelled":
        word = "rejected" if _USER_SAID_NO in text[:400] else "interrupted"
    elif status == "error":
        word = "denied" if text.startswith(_DENIED) else "error"
    left = _BACKGROUND.match(text[:400]) if status == "success" else None
    task = (left[1] or left[2]) if left else ""
    flag = status == "error" or (error and status != "success")
    when = decode.time_of(call.get("timestamp"), now)
    return ToolResult(documents.kept(text), flag, "running" if task else word, None, when, task_id=task)


def _texts(call: Mapping[str, Any]) -> tuple[str, bool]:
    """What the model was told of a call, and whether it was told an error."""
    parts = call.get("result")
    found: list[str] = []
    failed = False
    for part in parts if isinstance(parts, list) else [parts]:
        answer = part.get("functionResponse") if isinstance(part, dict) else None
        response = answer.get("response") if isinstance(answer, dict) else None
        if isinstance(response, dict):
            failed = failed or bool(response.get("error"))
            found += [decode.text_of(response[key]) for key in ("error", "output") if response.get(key)]
        elif isinstance(part, str | dict):
            found.append(decode.text_of(part))
    text = "\n".join(piece for piece in found if piece)
    return text or decode.str_of(call.get("resultDisplay")), failed


# --- whose project -------------------------------------------------------------------------------------------------


def _root_of(transcript: Transcript) -> str:
    """The project root behind ``tmp/<folder>/chats/...``; empty when nothing tells."""
    chats = next((p for p in transcript.path.parents if p.name == "chats"), None)
    if chats is None:
        return ""
    folder, home = chats.parent, chats.parent.parent.parent
    marker = folder / ".project_root"
    root = (small_file(str(marker), 4 * MAX_PATH) or b"").decode("utf-8", "replace").strip()
    if root:
        return root
    roots = _known_roots(home)
    if folder.name in roots:
        return roots[folder.name]
    return next((root for root in _candidates(roots) if _hash(root) == folder.name), "")


def _hash(root: str) -> str:
    return hashlib.sha256(root.encode("utf-8", "replace")).hexdigest()


def _known_roots(home: Path) -> dict[str, str]:
    """Folder name to project root, from ``projects.json``."""
    path = home / "projects.json"
    value = documents.load(path) if path.is_file() else None
    projects = value.get("projects") if isinstance(value, dict) else None
    if not isinstance(projects, dict):
        return {}
    return {slug: root for root, slug in projects.items() if isinstance(slug, str) and isinstance(root, str)}


def _candidates(roots: Mapping[str, str]) -> Iterator[str]:
    """Roots a hashed folder name may stand for: the listed ones, and the folder we are in with those above it."""
    yield from roots.values()
    try:
        here = Path(os.getcwd())
    except OSError:  # the folder we are in was deleted
        return
    yield from (str(p) for p in (here, *here.parents))


def _workspace(message: Mapping[str, Any]) -> str:
    """The working folder as the chat's first message names it."""
    if message.get("type") != "user":
        return ""
    text = decode.text_of(message.get("content"))[:20_000]
    found = _WORKSPACE.search(text) if "<session_context>" in text else None
    return found[1].strip() if found else ""
