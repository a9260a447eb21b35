"""The reading of one Codex rollout, record by record.

``step`` takes one record and returns the events it causes; everything it must remember is in ``codex_state.State``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from agent_riggs.model import Event, ToolResult
from agent_riggs.sources import codex_calls, codex_cells, decode
from agent_riggs.sources.codex_state import State, call_id, late, leave_replay, notice, tool_call

_CWD: Final = re.compile(r"<cwd>([^<\n]{1,4096})</cwd>|^Current working directory: ([^\n]{1,4096})$", re.MULTILINE)
_CALLS: Final = frozenset({"function_call", "custom_tool_call", "local_shell_call"})
_OUTPUTS: Final = frozenset({"function_call_output", "custom_tool_call_output", "local_shell_call_output"})
_ENDS: Final = frozenset({"exec_command_end", "patch_apply_end", "mcp_tool_call_end"})

_QUIET_KINDS: Final = frozenset(
    {"compacted", "world_state", "inter_agent_communication", "token_usage_record", "state", "session_state"}
)
_RESPONSE_TYPES: Final = frozenset(
    {"message", "reasoning", "ghost_snapshot", "web_search_call", "tool_search_call", "tool_search_output"}
    | {"compaction", "compaction_summary", "context_compaction", "image_generation_call", "agent_message", "other"}
    | _CALLS
    | _OUTPUTS
)
_QUIET_EVENTS: Final = frozenset(
    {"token_count", "agent_reasoning", "agent_message", "user_message", "task_started", "task_complete", "turn_started"}
    | {"turn_complete", "context_compacted", "web_search_end", "error", "warning", "item_completed", "item_started"}
    | {"thread_settings_applied", "thread_rolled_back", "thread_name_updated", "agent_reasoning_raw_content"}
    | {"entered_review_mode", "exited_review_mode", "undo_completed", "view_image_tool_call", "plan_update"}
    | {"exec_command_begin", "mcp_tool_call_begin", "patch_apply_begin", "turn_diff", "stream_error", "hook_started"}
    | {"hook_completed", "collab_agent_spawn_end", "collab_agent_interaction_end", "sub_agent_activity"}
)


def step(state: State, record: dict[str, Any], now: int, position: int) -> Iterator[Event] | None:
    """Events of one record; ``None`` when its type is unknown. ``position`` is its byte offset."""
    when = decode.time_of(record.get("timestamp"), now)
    if when is not None:
        state.started = when if state.started is None else state.started
        state.ended = when
    kind, payload = _unwrap(record)
    if kind == "session_meta":
        return _meta(state, payload, when)
    leave_replay(state, payload, when)
    if kind == "turn_context":
        return _context(state, payload)
    subtype = payload.get("type")
    if kind == "response_item":
        return _item(state, payload, str(subtype), when, position)
    if kind == "event_msg":
        return _event(state, payload, str(subtype), when, position)
    return iter(()) if kind in _QUIET_KINDS else None


def type_of(record: dict[str, Any]) -> str:
    """The type of a record, for the count of unknown ones."""
    kind, payload = _unwrap(record)
    return f"{kind}/{payload['type']}" if isinstance(payload.get("type"), str) else kind


def _unwrap(record: Mapping[str, Any]) -> tuple[str, Mapping[str, Any]]:
    """Type and payload of a record; before 0.20 items stood in the file without an envelope."""
    kind, payload = str(record.get("type")), record.get("payload")
    if isinstance(payload, dict):
        return kind, payload
    if kind in _RESPONSE_TYPES:
        return "response_item", record
    if "type" not in record and isinstance(record.get("id"), str) and "timestamp" in record:
        return "session_meta", record
    return ("state" if "record_type" in record else kind), {}


def _meta(state: State, payload: Mapping[str, Any], when: int | None) -> Iterator[Event]:
    own = payload.get("id") or payload.get("session_id")
    if not isinstance(own, str) or not own:
        return iter(())
    if state.began is not None or state.version:
        if own != state.session:
            state.replay = own
        return iter(())
    state.session, state.began = own, when if when is not None else 0
    for name, key in (("cwd", "cwd"), ("version", "cli_version")):
        if isinstance(payload.get(key), str):
            setattr(state, name, payload[key])
    git = payload.get("git")
    if isinstance(git, dict) and isinstance(git.get("branch"), str):
        state.branch = git["branch"]
    state.parent = parent_of(payload)
    return iter(())


def parent_of(meta: Mapping[str, Any]) -> str:
    """The session that spawned a subagent's rollout; empty for every other rollout."""
    node: Any = meta.get("source")
    for key in ("subagent", "thread_spawn", "parent_thread_id"):
        node = node.get(key) if isinstance(node, dict) else None
    return node if isinstance(node, str) else ""


def _context(state: State, payload: Mapping[str, Any]) -> Iterator[Event]:
    if isinstance(payload.get("cwd"), str) and payload["cwd"]:
        state.cwd = payload["cwd"]
    if isinstance(payload.get("model"), str):
        state.model = payload["model"]
    state.mode = codex_calls.mode_of(payload) or state.mode
    return iter(())


def _item(state: State, payload: Mapping[str, Any], kind: str, when: int | None, at: int) -> Iterator[Event] | None:
    if kind in _CALLS:
        return _call(state, payload, kind, when, at)
    if kind in _OUTPUTS:
        return _output(state, payload, when, at)
    if kind == "message":
        _message_cwd(state, payload)
        return iter(())
    return iter(()) if kind in _RESPONSE_TYPES else None


def _message_cwd(state: State, payload: Mapping[str, Any]) -> None:
    """Rollouts without a working folder in their first line name it in the first message."""
    content = payload.get("content")
    if state.cwd or payload.get("role") not in ("user", "developer") or not isinstance(content, list):
        return
    for text in codex_calls.texts(content):
        found = _CWD.search(text[:20_000]) if "environment_context" in text[:20_000] else None
        if found:
            state.cwd = (found[1] or found[2]).strip()


def _call(state: State, payload: Mapping[str, Any], kind: str, when: int | None, at: int) -> Iterator[Event]:
    key = call_id(state, payload, at, new=True)
    name = payload.get("name") if kind != "local_shell_call" else "local_shell"
    tool = _full_name(payload.get("namespace"), name) if isinstance(name, str) and name else "unknown"
    if kind == "local_shell_call":
        given = codex_calls.shell_action(payload)
    else:
        given = codex_calls.arguments(payload["arguments"] if "arguments" in payload else payload.get("input"))
    state.open[key] = tool
    if tool == "exec":
        tool, given = codex_cells.opened(state, key, given)
    elif tool in ("write_stdin", "wait"):
        session = given.get("session_id", given.get("cell_id"))
        if isinstance(session, (int, str)):
            state.polls[key] = f"cell-{session}" if tool == "wait" else str(session)
    return iter((tool_call(state, key, tool, given, when, at),))


def _full_name(namespace: object, name: str) -> str:
    """MCP tools may carry their server as a namespace beside the name (seen from 0.118 on)."""
    if isinstance(namespace, str) and namespace.startswith("mcp__") and not name.startswith("mcp__"):
        return f"{namespace.rstrip('_')}__{name.lstrip('_')}"
    return name


def _output(state: State, payload: Mapping[str, Any], when: int | None, at: int) -> Iterator[Event]:
    key = call_id(state, payload, at)
    tool = state.open.pop(key, "")
    code, status = state.facts.pop(key, [None, None])
    seen = state.scripts.pop(key, None)
    if seen is not None:
        return codex_cells.output(state, payload.get("output"), key, tool, seen, when, at)
    text, own = codex_calls.output(payload.get("output"))
    task = codex_calls.running_session(text) if key not in state.polls else ""
    flag = True if status == "error" else None
    status = codex_calls.status_of(text) or ("running" if task else status)
    events: list[Event] = []
    poll = state.polls.pop(key, "")
    if poll:
        told = codex_cells.polled(state, poll, payload.get("output"), when, at)
        events.extend(told if poll.startswith("cell-") else _polled(state, poll, text, when, at))
    elif task:
        state.tasks[task] = key
    code = own if own is not None else code
    events.insert(0, late(state, key, ToolResult(text, flag, status, code, when, task_id=task, position=at)))
    return iter(events)


def _polled(state: State, task: str, text: str, when: int | None, at: int) -> Iterator[Event]:
    """The answer to a question after a running command: tells its exit code once it has ended."""
    code = codex_calls.exited(text)
    if code is not None:
        yield notice(state, task, state.tasks.pop(task, ""), code, None, codex_calls.body(text), when, at)


def _event(state: State, payload: Mapping[str, Any], kind: str, when: int | None, at: int) -> Iterator[Event] | None:
    if kind in _ENDS:
        return _end(state, payload, kind, when, at)
    if kind == "item_completed" and isinstance(payload.get("item"), dict):
        item = payload["item"]
        return _end(state, item, str(item.get("type")), when, at)
    if kind == "turn_aborted":
        return _abort(state, when, at)
    return iter(()) if kind in _QUIET_EVENTS else None


def _abort(state: State, when: int | None, at: int) -> Iterator[Event]:
    """The human stopped the turn: calls without a result will not get one."""
    stopped = [*state.open]
    for held in (state.open, state.facts, state.scripts, state.commands, state.polls, state.silent):
        held.clear()
    return iter([late(state, key, ToolResult("", None, "interrupted", timestamp=when, position=at)) for key in stopped])


def _end(state: State, item: Mapping[str, Any], kind: str, when: int | None, at: int) -> Iterator[Event]:
    """An end event: kept until the call's output comes, or the outcome of a task, or a command inside a script."""
    raw, code, status = codex_calls.ended_exit(item)
    key = call_id(state, item, at)
    if key in state.open and key not in state.scripts:
        state.facts[key] = [code, status]
        return iter(())
    for task, owner in list(state.tasks.items()):
        if owner == key:
            text = item.get("aggregated_output")
            del state.tasks[task]
            shown = text if isinstance(text, str) else ""
            return iter((notice(state, task, key, code, status, shown, when, at),))
    if raw.startswith("exec-") and kind in codex_cells.INNER and state.scripts:
        return codex_cells.inner(state, item, kind, key, when, at)
    return iter(())
