"""Calls for the judge's tests, as the agents record them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agent_riggs.model import Status, ToolCall, ToolResult


def call(tool: str, given: Mapping[str, Any], result: ToolResult | None, agent: str = "claude_code") -> ToolCall:
    return ToolCall(agent, "s1", "c1", tool, given, result=result)


def bash(command: str, output: str, code: int = 1) -> ToolCall:
    """A shell call of Claude Code; a code of 0 is a success."""
    result = ToolResult(output) if code == 0 else ToolResult(f"Exit code {code}\n{output}", flag=True)
    return call("Bash", {"command": command}, result)


def tool(name: str, text: str, given: Mapping[str, Any] | None = None) -> ToolCall:
    """A call of another tool that Claude Code flagged as failed."""
    return call(name, given or {}, ToolResult(text, flag=True))


def said(name: str, status: Status, text: str, agent: str) -> ToolCall:
    """A call whose agent names the status."""
    return call(name, {"command": "ls"}, ToolResult(text, status=status), agent)
