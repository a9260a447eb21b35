"""Cline and Roo Code tasks: ``tasks/<id>/api_conversation_history.json`` in an editor's storage or Cline's own folder.

Cline's command line keeps sessions of another form beside them: see ``cline_sessions``. Tasks are read from
documentation; two real ones were measured for the form of results. The history is rewritten as a
whole. Calls are ``tool_use`` blocks; their results are ``tool_result`` blocks, or texts ``[name for 'x'] Result:`` in
the next message of the user, which name no call and are paired in order. Mode and working folder stand in the
``environment_details`` of the user's messages, times in ``ui_messages.json`` beside the history.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from agent_riggs.model import Cursor, Event, Head, Problem, ReadEnd, Status, ToolCall, ToolResult, Transcript
from agent_riggs.paths import expand
from agent_riggs.sources import base, cline_sessions, decode, documents, ids

name: Final = "cline"

HISTORY: Final = "api_conversation_history.json"
_EXTENSIONS: Final = ("saoudrizwan.claude-dev", "rooveterinaryinc.roo-cline")
_EDITORS: Final = ("Code", "Code - Insiders", "VSCodium", "Cursor", "Windsurf")
_HEADER: Final = re.compile(r"\[(\w[\w-]*)(?: for [^\n]{0,2000}?)?\] Result:[ \t]*\n?")
_DETAILS: Final = "<environment_details>"
_CWD: Final = re.compile(r"# Current (?:Working|Workspace) Directory \(([^\n]{1,1000}?)\)(?: Files)?\s*$", re.MULTILINE)
_MODE: Final = re.compile(r"# Current Mode\s*\n(?:<slug>([\w-]{1,60})</slug>|(ACT|PLAN) MODE)")
_ERROR: Final = "The tool execution failed with the following error:"
_DENIED: Final = "The user denied this operation."
_FEEDBACK: Final = re.compile(r"<feedback>\s*(.{0,8000}?)\s*</feedback>", re.DOTALL)
_BLOCKS: Final = frozenset({"text", "image", "tool_use", "tool_result", "thinking", "redacted_thinking", "document"})
_ANY_TIME: Final = 1 << 62


@dataclass(slots=True)
class _Task:
    id: str
    times: list[int | None]
    """When each request to the model was made, in order."""
    started: int | None = None
    ended: int | None = None
    cwd: str = ""
    mode: str = ""
    answers: int = 0
    calls: dict[str, ToolCall] = field(default_factory=dict)
    waiting: list[str] = field(default_factory=list)
    """Calls of the last answer, whose results the next message of the user holds."""
    unknown: Counter[str] = field(default_factory=Counter)


def places(environ: Mapping[str, str], home: Path) -> list[Path]:
    """The folders it looks in: Cline's own, and those of editors as far as they are there."""
    own, *editors = _roots(environ, home)
    return [own, *(root for root in editors if root.is_dir())]


def find(environ: Mapping[str, str], home: Path) -> Iterator[Transcript | Problem]:
    """Every task of every editor and of Cline's own folder."""
    seen: set[tuple[int, int]] = set()
    for root in places(environ, home):
        for folder, suffix in (("tasks", HISTORY), ("sessions", cline_sessions.SUFFIX)):
            for found in base.walk(root / folder, (suffix,), seen):
                yield found if isinstance(found, Problem) else base.transcript(name, *found, None, root)


def _roots(environ: Mapping[str, str], home: Path) -> Iterator[Path]:
    data, folder = environ.get("CLINE_DATA_DIR", "").strip(), environ.get("CLINE_DIR", "").strip()
    yield expand(data, home) if data else (expand(folder, home) if folder else home / ".cline") / "data"
    roaming = environ.get("APPDATA", "").strip()
    settings = [home / ".config", home / "Library/Application Support", *([Path(roaming)] if roaming else [])]
    users = [place / editor / "User" for place in settings for editor in _EDITORS]
    users += [home / server / "data/User" for server in (".vscode-server", ".cursor-server")]
    for user in users:
        yield from (user / "globalStorage" / extension for extension in _EXTENSIONS)


def peek(transcript: Transcript) -> Head | Problem | None:
    """Whose task it is."""
    if transcript.path.name.endswith(cline_sessions.SUFFIX):
        return cline_sessions.peek(transcript)
    messages = documents.load(transcript.path)
    if not isinstance(messages, list):
        return messages if isinstance(messages, Problem) else None
    task = _task(transcript, _ANY_TIME)
    for message in messages:
        if isinstance(message, dict) and message.get("role") in ("user", "assistant"):
            _surroundings(task, decode.text_of(message.get("content")))
            if task.cwd:
                break
    else:
        if not any(isinstance(m, dict) and m.get("role") in ("user", "assistant") for m in messages):
            return None
    return Head(task.id, task.cwd, task.started)


def read(transcript: Transcript, cursor: Cursor | None, now: int) -> Iterator[Event]:
    """Every call of the task in its present state; the whole history is read each time."""
    if transcript.path.name.endswith(cline_sessions.SUFFIX):
        yield from cline_sessions.read(transcript, now)
        return
    task = _task(transcript, now)
    messages = documents.load(transcript.path)
    if isinstance(messages, Problem):
        yield messages
    elif not isinstance(messages, list) and messages is not None:
        yield Problem(str(transcript.path), "no list of messages")
    known = messages if isinstance(messages, list) else []
    for index, message in enumerate(known):
        _message(task, message, index + 1, now)
    yield from task.calls.values()
    end = documents.cursor(transcript.path, len(known))
    yield ReadEnd(
        end, len(known), len(known), dict(task.unknown), session_id=task.id, started=task.started, ended=task.ended
    )


def _task(transcript: Transcript, now: int) -> _Task:
    """A task with the times its display knows. The folder's name is the task's id, and when it began."""
    own = transcript.path.parent.name
    shown = documents.load(transcript.path.with_name("ui_messages.json"))
    rows = [row for row in shown if isinstance(row, dict)] if isinstance(shown, list) else []
    times = [decode.time_of(row.get("ts"), now) for row in rows if row.get("say") == "api_req_started"]
    last = next((t for t in (decode.time_of(row.get("ts"), now) for row in reversed(rows)) if t is not None), None)
    return _Task(own, times, decode.time_of(own, now), last)


def _message(task: _Task, message: object, number: int, now: int) -> None:
    role = message.get("role") if isinstance(message, dict) else None
    if not isinstance(message, dict) or role not in ("user", "assistant"):
        task.unknown[f"message/{role}"[:80]] += 1
        return
    content = message.get("content")
    blocks = content if isinstance(content, list) else [{"type": "text", "text": content}]
    for block in blocks:
        kind = str(block.get("type")) if isinstance(block, dict) else type(block).__name__
        if kind not in _BLOCKS:
            task.unknown[kind[:80]] += 1
    blocks = [block for block in blocks if isinstance(block, dict)]
    if role == "assistant":
        when = task.times[task.answers] if task.answers < len(task.times) else decode.time_of(message.get("ts"), now)
        task.answers += 1
        task.waiting = [
            _call(task, b, number * 1000 + i, when) for i, b in enumerate(blocks) if b.get("type") == "tool_use"
        ]
        return
    _surroundings(task, decode.text_of(content))
    _results(task, blocks, decode.time_of(message.get("ts"), now))


def _call(task: _Task, block: Mapping[str, Any], position: int, when: int | None) -> str:
    raw = decode.id_of(block.get("id"))
    key = ids.scoped(task.id, raw) if raw else f"{task.id}/{position}"
    if key not in task.calls:
        task.calls[key] = ToolCall(
            agent=name,
            session_id=task.id,
            call_id=key,
            tool=decode.str_of(block.get("name")) or "unknown",
            input=decode.input_of(block.get("input")),
            position=position,
            timestamp=when,
            cwd=task.cwd,
            mode=task.mode or None,
            mode_source="recorded" if task.mode else None,
        )
    return key


def _results(task: _Task, blocks: list[dict[str, Any]], when: int | None) -> None:
    """The results in a message of the user: by id where they have one, the rest in the order of the calls."""
    for block in blocks:
        if block.get("type") == "tool_result":
            raw = decode.id_of(block.get("tool_use_id"))
            key = ids.scoped(task.id, raw)
            _answer(task, key, decode.text_of(block.get("content")), decode.flag_of(block.get("is_error")), when)
            if key in task.waiting:
                task.waiting.remove(key)
    for text in _texts_of_results([decode.str_of(b.get("text")) for b in blocks if b.get("type") == "text"]):
        if task.waiting:
            _answer(task, task.waiting.pop(0), text, None, when)


def _texts_of_results(texts: list[str]) -> list[str]:
    """The text of every result: what follows its header, up to the next header or the details."""
    found: list[list[str]] = []
    for text in texts:
        header = _HEADER.match(text)
        if header:
            found.append([text[header.end() :]])
        elif found and not text.lstrip().startswith(_DETAILS):
            found[-1].append(text)
    return ["\n".join(p for p in parts if p).partition(_DETAILS)[0].strip("\n") for parts in found]


def _answer(task: _Task, key: str, text: str, flag: bool | None, when: int | None) -> None:
    call = task.calls.get(key)
    if call is None or call.result is not None:
        return
    status: Status | None = None
    said = ""
    if text.startswith(_DENIED):
        status = "rejected"
        found = _FEEDBACK.search(text)
        said = found[1] if found else ""
    elif flag is True or text.startswith(_ERROR):
        status = "error"
    told = True if text.startswith(_ERROR) else flag
    task.calls[key] = replace(call, result=ToolResult(documents.kept(text), told, status, None, when, user_said=said))


def _surroundings(task: _Task, text: str) -> None:
    """Mode and working folder, as the message's details give them."""
    start = text.rfind(_DETAILS)
    if start < 0:
        return
    details = text[start : start + 200_000]
    cwd, mode = _CWD.search(details), _MODE.search(details)
    task.cwd = cwd[1].strip() if cwd else task.cwd
    task.mode = (mode[1] or mode[2].lower()) if mode else task.mode
