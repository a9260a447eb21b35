"""GitHub Copilot CLI sessions: ``session-state/<id>/events.jsonl`` below ``$COPILOT_HOME`` or ``~/.copilot``.

Measured on sessions of early 2026 and on Copilot CLI 1.0.102; permission kinds and mode changes are from its
published SDK. Older releases wrote ``session-state/<id>.jsonl``. A shell command that failed counts as a success
for Copilot: its code stands beside the result (1.0.102) or at the end of the text, where the judge reads it.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field, fields
from functools import partial
from pathlib import Path
from typing import Any, Final

from agent_riggs.model import (
    Cursor,
    Event,
    Head,
    LateResult,
    Notice,
    Problem,
    Status,
    ToolCall,
    ToolResult,
    Transcript,
)
from agent_riggs.paths import agent_homes
from agent_riggs.sources import base, decode, ids, jsonl

name: Final = "copilot"

_ANY_TIME: Final = 1 << 62
_PEEKED: Final = 40
_BACKGROUND: Final = re.compile(
    r"started in (?:detached )?background with shellId: ([^\s>]{1,80})|with shellId: (\S{1,80}) is still running"
)
_ENDED: Final = re.compile(r"<shellId: (\S{1,80}) completed with exit code (-?\d{1,10})>")
_POLLS: Final = frozenset({"read_bash", "write_bash", "read_powershell", "write_powershell"})
_MODES: Final = frozenset({"interactive", "plan", "autopilot"})


@dataclass(slots=True)
class State:
    """What is in force at one point of a session."""

    session: str = ""
    cwd: str = ""
    branch: str = ""
    version: str = ""
    model: str = ""
    mode: str | None = None
    allow_all: bool = False
    started: int | None = None
    ended: int | None = None
    named: bool = False
    open: dict[str, str] = field(default_factory=dict)
    """Calls without a result: id to tool."""
    facts: dict[str, str] = field(default_factory=dict)
    """What became of a permission asked for: call id to status."""
    asked: dict[str, str] = field(default_factory=dict)
    """Permissions asked for and not answered yet: request id to call id."""
    tasks: dict[str, str] = field(default_factory=dict)
    """Shells left running: shell id to call id."""
    polls: dict[str, str] = field(default_factory=dict)
    """Open calls that ask after such a shell: call id to shell id."""

    def dump(self) -> dict[str, Any]:
        """For the cursor."""
        return asdict(self)

    @property
    def told(self) -> Mapping[str, Any]:
        """For ``ReadEnd``."""
        versions = (self.version,) if self.version else ()
        return {"session_id": self.session, "versions": versions, "started": self.started, "ended": self.ended}

    def mode_in_force(self) -> str | None:
        """The mode, with ``allow-all`` when every permission was given in advance; ``None`` when nothing was told."""
        if not self.allow_all:
            return self.mode
        return f"{self.mode}/allow-all" if self.mode else "allow-all"


def places(environ: Mapping[str, str], home: Path) -> list[Path]:
    """The folders it looks in."""
    return list(agent_homes(name, environ, home))


def find(environ: Mapping[str, str], home: Path) -> Iterator[Transcript | Problem]:
    """Every session, in the new layout or the old one."""
    seen: set[tuple[int, int]] = set()
    for root in places(environ, home):
        yield from transcripts(root / "session-state", seen, root)


def transcripts(root: Path, seen: set[tuple[int, int]], home: Path | None = None) -> Iterator[Transcript | Problem]:
    """The sessions below one folder; of two layouts of a session the newer one."""
    for found in base.walk(root, (".jsonl",), seen):
        if isinstance(found, Problem):
            yield found
            continue
        path, info = found
        flat = path.parent == root and not (root / path.stem / "events.jsonl").exists()
        if flat or path.name == "events.jsonl":
            yield base.transcript(name, path, info, None, home)


def peek(transcript: Transcript) -> Head | Problem | None:
    """Whose session it is."""
    state = _form(transcript).load({})
    for record in jsonl.first_records(transcript.path, jsonl.plain, _PEEKED):
        if isinstance(record, Problem):
            return record
        deque(step(state, record, _ANY_TIME, 0) or (), maxlen=0)
        if state.cwd:
            break
    return Head(state.session, state.cwd, state.started) if state.named or state.cwd else None


def read(transcript: Transcript, cursor: Cursor | None, now: int) -> Iterator[Event]:
    """Everything after ``cursor``."""
    yield from jsonl.read(transcript, cursor, now, _form(transcript))


def _form(transcript: Transcript) -> jsonl.Format[State]:
    path = transcript.path
    named = path.parent.name if path.name == "events.jsonl" else path.stem
    return jsonl.Format(partial(_load, named), step, type_of)


def _load(named: str, saved: Mapping[str, Any]) -> State:
    known = {f.name for f in fields(State)}
    values: dict[str, Any] = {k: dict(v) if isinstance(v, dict) else v for k, v in saved.items() if k in known}
    return State(**values) if values else State(session=named)


def type_of(record: dict[str, Any]) -> str:
    """The type of a record, for the count of unknown ones."""
    return str(record.get("type"))


def step(state: State, record: dict[str, Any], now: int, position: int) -> Iterator[Event] | None:
    """Events of one record; ``None`` when its type is unknown."""
    kind, data = str(record.get("type")), record.get("data")
    when = decode.time_of(record.get("timestamp"), now)
    if when is not None:
        state.started = when if state.started is None else state.started
        state.ended = when
    data = data if isinstance(data, dict) else {}
    handler = _HANDLERS.get(kind)
    if handler is not None:
        return handler(state, data, when, position)
    return iter(()) if kind in _QUIET else None


def _context(state: State, data: Mapping[str, Any], when: int | None, position: int) -> Iterator[Event]:
    """``session.start``, ``session.resume`` and changes of the working folder or the model."""
    own = decode.id_of(data.get("sessionId"))
    if own and not state.named:
        state.session, state.named = own, True
    context = data.get("context")
    context = context if isinstance(context, dict) else data
    state.cwd = decode.str_of(context.get("cwd")) or state.cwd
    state.branch = decode.str_of(context.get("branch")) or state.branch
    version = decode.str_of(data.get("copilotVersion"))
    state.version = version if version and version != "unknown" else state.version
    state.model = decode.str_of(data.get("newModel")) or decode.str_of(data.get("selectedModel")) or state.model
    return iter(())


def _mode(state: State, data: Mapping[str, Any], when: int | None, position: int) -> Iterator[Event]:
    """``session.mode_changed``, ``session.permissions_changed``, and the mode a prompt was given in."""
    told = decode.str_of(data.get("newMode")) or decode.str_of(data.get("mode"))
    given = decode.str_of(data.get("agentMode"))
    state.mode = told[:60] or (given if given in _MODES else "") or state.mode
    if isinstance(data.get("allowAllPermissions"), bool):
        state.allow_all = data["allowAllPermissions"]
    return iter(())


def _message(state: State, data: Mapping[str, Any], when: int | None, position: int) -> Iterator[Event]:
    """An answer of the model: it names the calls it asks for before they start."""
    state.model = decode.str_of(data.get("model")) or state.model
    asked = data.get("toolRequests")
    for index, request in enumerate(asked if isinstance(asked, list) else ()):
        if isinstance(request, dict):
            parent = data.get("parentToolCallId")
            yield from _call(state, request, request.get("name"), parent, when, position + index)


def _start(state: State, data: Mapping[str, Any], when: int | None, position: int) -> Iterator[Event]:
    return _call(state, data, data.get("toolName"), data.get("parentToolCallId"), when, position)


def _call(
    state: State, data: Mapping[str, Any], tool: object, parent: object, when: int | None, position: int
) -> Iterator[Event]:
    key = _key(state, data, position)
    if key in state.open:
        return
    state.open[key] = decode.str_of(tool) or "unknown"
    given = decode.input_of(data.get("arguments"))
    if state.open[key] in _POLLS:
        state.polls[key] = decode.id_of(given.get("shellId"))
    mode = state.mode_in_force()
    yield ToolCall(
        agent=name,
        session_id=state.session,
        call_id=key,
        tool=state.open[key],
        input=given,
        position=position,
        timestamp=when,
        cwd=state.cwd,
        agent_id=decode.id_of(parent),
        mode=mode,
        mode_source="recorded" if mode else None,
        model=decode.str_of(data.get("model")) or state.model,
        version=state.version,
        branch=state.branch,
    )


def _key(state: State, data: Mapping[str, Any], position: int) -> str:
    raw = decode.id_of(data.get("toolCallId"))
    return ids.scoped(state.session, raw) if raw else f"{state.session}/{position}"


def _asked(state: State, data: Mapping[str, Any], when: int | None, position: int) -> Iterator[Event]:
    """``permission.requested``: remember which call an answer will be about."""
    request = data.get("permissionRequest")
    call = decode.id_of(request.get("toolCallId")) if isinstance(request, dict) else ""
    if call and len(state.asked) < 1000:
        state.asked[decode.id_of(data.get("requestId"))] = ids.scoped(state.session, call)
    return iter(())


def _answered(state: State, data: Mapping[str, Any], when: int | None, position: int) -> Iterator[Event]:
    """``permission.completed``: a kind that begins with ``denied`` is a refusal, by the human or by a rule."""
    key = state.asked.pop(decode.id_of(data.get("requestId")), "")
    raw = decode.id_of(data.get("toolCallId"))
    key = ids.scoped(state.session, raw) if raw else key
    result = data.get("result")
    kind = decode.str_of(result.get("kind")) if isinstance(result, dict) else ""
    if key and kind.startswith(("denied", "rejected", "cancelled")):
        state.facts[key] = "rejected" if "user" in kind and "could-not-request" not in kind else "denied"
    return iter(())


def _complete(state: State, data: Mapping[str, Any], when: int | None, position: int) -> Iterator[Event]:
    key = _key(state, data, position)
    state.open.pop(key, None)
    fact = state.facts.pop(key, None)
    error, success = data.get("error"), decode.flag_of(data.get("success"))
    text, code = _text(data), _code(data)
    status: Status | None = None
    if success is False:
        told = decode.str_of(error.get("code")) if isinstance(error, dict) else ""
        status = "rejected" if told == "rejected" else "denied" if told == "denied" else "error"
    if fact is not None:
        status = "rejected" if fact == "rejected" else "denied"
    polled = state.polls.pop(key, None)
    if polled is not None:
        yield from _polled(state, polled, text, code, when, position)
        code = None
    shell = _BACKGROUND.search(text[:2000]) if code is None and polled is None else None
    task = (shell[1] or shell[2]) if shell else ""
    if task:
        state.tasks[task], status = key, status or "running"
    flag = None if success is None else not success
    yield LateResult(
        name, state.session, key, ToolResult(text, flag, status, code, when, task_id=task, position=position)
    )


def _polled(state: State, shell: str, text: str, code: int | None, when: int | None, position: int) -> Iterator[Event]:
    """The answer to a question after a shell: the exit code in it is that of the command left running there."""
    ended = _ENDED.search(text[-4000:])
    if ended:
        shell, code = ended[1], int(ended[2]) if code is None else code
    if code is not None and shell:
        told: Status = "ok" if not code else "error"
        shown = _ENDED.sub("", text[-4000:]) if ended else text
        yield Notice(name, state.session, told, shell, state.tasks.pop(shell, ""), code, shown, when, position)


def _text(data: Mapping[str, Any]) -> str:
    """What the model was told: the result's content, or the error's message."""
    result, error = data.get("result"), data.get("error")
    shown = decode.text_of(result.get("content")) if isinstance(result, dict) else decode.text_of(result)
    return shown or (decode.text_of(error.get("message")) if isinstance(error, dict) else decode.text_of(error))


def _code(data: Mapping[str, Any]) -> int | None:
    shell = data.get("shellExecution")
    code = shell.get("exitCode") if isinstance(shell, dict) else None
    return code if isinstance(code, int) and not isinstance(code, bool) and abs(code) < 1 << 33 else None


def _notified(state: State, data: Mapping[str, Any], when: int | None, position: int) -> Iterator[Event]:
    """``system.notification``: a shell left running has ended."""
    kind = data.get("kind")
    if not isinstance(kind, dict) or kind.get("type") not in ("shell_completed", "shell_detached_completed"):
        return
    shell = decode.id_of(kind.get("shellId"))
    code = _code({"shellExecution": kind})
    told: Status = "ok" if not code else "error"
    key = state.tasks.pop(shell, "")
    if shell or key:
        yield Notice(name, state.session, told, shell, key, code, decode.text_of(data.get("content")), when, position)


def _abort(state: State, data: Mapping[str, Any], when: int | None, position: int) -> Iterator[Event]:
    """The human stopped the turn: calls without a result will not get one."""
    stopped = [*state.open]
    state.open.clear()
    state.polls.clear()
    for key in stopped:
        fact = state.facts.pop(key, "interrupted")
        status: Status = "rejected" if fact == "rejected" else "denied" if fact == "denied" else "interrupted"
        result = ToolResult("", None, status, timestamp=when, position=position)
        yield LateResult(name, state.session, key, result)


_HANDLERS: Final = {
    "session.start": _context,
    "session.resume": _context,
    "session.model_change": _context,
    "session.context_changed": _context,
    "session.mode_changed": _mode,
    "session.permissions_changed": _mode,
    "user.message": _mode,
    "assistant.message": _message,
    "tool.execution_start": _start,
    "tool.execution_complete": _complete,
    "permission.requested": _asked,
    "permission.completed": _answered,
    "system.notification": _notified,
    "abort": _abort,
}

_QUIET: Final = frozenset(
    f"{group}.{word}"
    for group, words in {
        "session": "error idle title_changed info warning plan_changed workspace_file_changed handoff truncation"
        " snapshot_rewind shutdown usage_info usage_record compaction_start compaction_complete task_complete"
        " remote_steerable_changed background_tasks_changed skills_loaded custom_agents_updated mcp_servers_loaded"
        " mcp_server_status_changed extensions_loaded tools_updated custom_notification",
        "assistant": "turn_start turn_end intent reasoning reasoning_delta streaming_delta message_delta usage",
        "tool": "user_requested execution_partial_result execution_progress",
        "subagent": "started completed failed selected deselected",
        "hook": "start end progress",
        "skill": "invoked",
        "system": "message",
        "pending_messages": "modified",
        "user_input": "requested completed",
        "elicitation": "requested completed",
        "sampling": "requested completed",
        "mcp": "oauth_required oauth_completed",
        "external_tool": "requested completed",
        "command": "queued execute completed",
        "commands": "changed",
        "exit_plan_mode": "requested completed",
        "capabilities": "changed",
    }.items()
    for word in words.split()
)
"""Records that tell nothing of a call (names of the published SDK and of 1.0.102)."""
