"""Codex ``exec`` calls while a rollout is read: which calls were made inside, and what became of the script.

A script is a call of its own unless it has exactly one place that calls a tool: then it is that call. Commands run
inside leave end events with ids of their own (``exec-...``, measured on 0.171).
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from typing import Any, Final

from agent_riggs.model import Event, ToolResult
from agent_riggs.sources import codex_calls, codex_script
from agent_riggs.sources.codex_state import State, late, notice, tool_call

INNER: Final = frozenset({"CommandExecution", "McpToolCall", "FileChange", "DynamicToolCall"})
"""Items of ``item_completed`` that are calls."""


def opened(state: State, key: str, given: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """A script begins: the tool and the input of its call."""
    script = codex_script.scan(str(given.get("input") or given.get("code") or given.get("script") or ""))
    state.open[key], state.scripts[key] = script.tool, 0
    if script.runs:
        state.silent[key] = True
    command = script.input.get("cmd", script.input.get("command"))
    if isinstance(command, str):
        state.commands[key] = _hash(command)
    return script.tool, script.input


def _hash(command: str) -> str:
    return hashlib.sha256(command.encode("utf-8", "replace")).hexdigest()[:16]


def output(state: State, value: object, key: str, tool: str, seen: int, when: int | None, at: int) -> Iterator[Event]:
    """The output of an ``exec`` call; one whose only call was seen inside has its result already."""
    silent, command = state.silent.pop(key, False), state.commands.pop(key, None)
    if tool != "exec" and seen:
        return
    found = codex_script.read_output(value, seen > 0 or not silent)
    if found is None:
        text, code = codex_calls.output(value)
        yield late(state, key, ToolResult(text, None, codex_calls.status_of(text), code, when, position=at))
        return
    if found.task_id:
        state.tasks[found.task_id] = key
        state.silent[found.task_id] = silent
        state.scripts[key], state.open[key] = seen, tool  # what it still runs is told by end events
        if command is not None:
            state.commands[key] = command
    status = "running" if found.task_id else found.status
    flag = True if status == "error" else None
    yield late(state, key, ToolResult(found.text, flag, status, found.exit_code, when, "", "", found.task_id, at))


def polled(state: State, task: str, value: object, when: int | None, at: int) -> Iterator[Event]:
    """The answer to a question after a running script: tells its outcome once it has ended."""
    found = codex_script.read_output(value, not state.silent.get(task, True))
    if not task.startswith("cell-") or found is None or found.task_id:
        return
    owner = state.tasks.pop(task, "")
    seen = state.scripts.pop(owner, 0)
    for held in (state.open, state.commands):
        held.pop(owner, None)
    state.silent.pop(task, None)
    if found.exit_code is not None or found.status is not None:
        yield notice(state, task, owner, found.exit_code, found.status, found.text, when, at)
    elif owner and not seen:
        yield late(state, owner, ToolResult(found.text, timestamp=when, position=at))


def inner(state: State, item: Mapping[str, Any], kind: str, key: str, when: int | None, at: int) -> Iterator[Event]:
    """A tool call made by an open script: the script's own call when it makes only one, else a call of its own."""
    _, code, status = codex_calls.ended_exit(item)
    text = item.get("aggregated_output")
    if not isinstance(text, str):
        text = codex_calls.output(item.get("result") or item.get("error") or "")[0]
    flag = True if status == "error" else None
    result = ToolResult(text, flag, status, code, when, position=at)
    owner = _owner(state, item)
    if owner:
        state.scripts[owner] = 1
        yield late(state, owner, result)
        return
    for script in state.scripts:
        if state.open.get(script) == "exec":
            state.scripts[script] += 1
    tool, given = _call(item, kind)
    yield tool_call(state, key, tool, given, when, at, result)


def _owner(state: State, item: Mapping[str, Any]) -> str:
    """The open script that is this call: the one with its command, or the only one whose command is not known."""
    waiting = [s for s, seen in state.scripts.items() if not seen and state.open.get(s, "exec") != "exec"]
    command = item.get("command")
    line = command[-1] if isinstance(command, list) and command else command
    if isinstance(line, str):
        same = [s for s in waiting if state.commands.get(s) == _hash(line)]
        if same:
            return same[0]
    unknown = [s for s in waiting if s not in state.commands]
    return unknown[0] if len(unknown) == 1 else ""


def _call(item: Mapping[str, Any], kind: str) -> tuple[str, dict[str, Any]]:
    if kind == "CommandExecution":
        return "exec_command", {"cmd": item.get("command", "")}
    if kind == "McpToolCall":
        given = item.get("arguments")
        return f"mcp__{item.get('server')}__{item.get('tool')}", given if isinstance(given, dict) else {}
    if kind == "FileChange":
        changes = item.get("changes")
        return "apply_patch", {"files": sorted(changes)[:50] if isinstance(changes, dict) else []}
    return str(item.get("tool") or kind), codex_calls.arguments(item.get("arguments"))
