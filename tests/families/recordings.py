"""One captured run as each agent records it. Forms measured on Claude Code 2.1, Codex 0.77 to 0.171, Gemini CLI 0.61,
OpenCode 1.18 and Copilot CLI 1.0."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from agent_riggs.model import ToolCall, ToolResult
from families.dsl import Shot


def claude_code(shot: Shot) -> ToolCall:
    result = ToolResult(f"Exit code {shot.exit_code}\n{shot.output}", flag=True)
    return recorded("claude_code", "Bash", {"command": shot.command, "description": "Run it"}, shot, result)


def claude_code_no_code(shot: Shot) -> ToolCall:
    """Claude Code before 2.0.31: the bare output, flagged."""
    return recorded(
        "claude_code",
        "Bash",
        {"command": shot.command},
        shot,
        ToolResult(shot.output, flag=True, exit_code=shot.exit_code),
    )


def codex_list(shot: Shot) -> ToolCall:
    """Codex up to 0.80: an argument list, and the code as a field of its own."""
    given = {"command": ["bash", "-lc", shot.command], "workdir": shot.cwd}
    return recorded("codex", "shell", given, shot, ToolResult(shot.output, exit_code=shot.exit_code))


def codex_exec(shot: Shot) -> ToolCall:
    head = f"Chunk ID: 0f5e46\nWall time: 0.4012 seconds\nProcess exited with code {shot.exit_code}\n"
    text = f"{head}Original token count: 5\nOutput:\n{shot.output}\n"
    return recorded("codex", "exec_command", {"cmd": shot.command, "workdir": shot.cwd}, shot, ToolResult(text))


def codex_shell_command(shot: Shot) -> ToolCall:
    text = f"Exit code: {shot.exit_code}\nWall time: 0.3 seconds\nOutput:\n{shot.output}\n"
    return recorded("codex", "shell_command", {"command": shot.command}, shot, ToolResult(text))


def gemini(shot: Shot) -> ToolCall:
    text = f"<untrusted_context>\nOutput: {shot.output}\nExit Code: {shot.exit_code}\nProcess Group PGID: 8291\n"
    result = ToolResult(text + "</untrusted_context>", flag=False)
    return recorded("gemini", "run_shell_command", {"command": shot.command}, shot, result)


def opencode(shot: Shot) -> ToolCall:
    result = ToolResult(shot.output + "\n", exit_code=shot.exit_code)
    return recorded("opencode", "bash", {"command": shot.command, "description": "Run it"}, shot, result)


def copilot(shot: Shot) -> ToolCall:
    text = f"{shot.output}\n<shellId: 0 completed with exit code {shot.exit_code}>"
    result = ToolResult(text, flag=False, exit_code=shot.exit_code)
    return recorded("copilot", "bash", {"command": shot.command}, shot, result)


AGENTS: Final[tuple[Callable[[Shot], ToolCall], ...]] = (
    claude_code_no_code,
    codex_list,
    codex_exec,
    codex_shell_command,
    gemini,
    opencode,
    copilot,
)


def recorded(agent: str, tool: str, given: Mapping[str, object], shot: Shot, result: ToolResult) -> ToolCall:
    return ToolCall(agent, "s1", "c1", tool, given, cwd=shot.cwd, result=result)
