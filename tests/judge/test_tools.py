"""Tool names and the command inside any agent's arguments."""

from __future__ import annotations

from typing import Any

import pytest

from agent_riggs.judge.tools import canonical, command_of, is_mcp, is_shell


@pytest.mark.parametrize(
    ("raw", "name"),
    [
        ("Bash", "Bash"),
        ("bash", "Bash"),
        ("shell", "Bash"),
        ("shell_command", "Bash"),
        ("exec_command", "Bash"),
        ("run_shell_command", "Bash"),
        ("developer__shell", "Bash"),
        ("powershell", "Bash"),
        ("Agent", "Task"),
        ("replace", "Edit"),
        ("apply_patch", "Edit"),
        ("read_file", "Read"),
        ("view", "Read"),
        ("mcp__plugin_p_srv__tool", "mcp__srv__tool"),
        ("mcp__plugin_a-b_my_srv__tool", "mcp__my_srv__tool"),
        ("mcp__plugin_x_y_x_y__tool", "mcp__x_y__tool"),
        ("mcp__srv__tool", "mcp__srv__tool"),
        ("mcp__my__srv__tool", "mcp__my__srv__tool"),
        ("mcp_srv_some_tool", "mcp__srv__some_tool"),
        ("frobnicate", "frobnicate"),
        ("", "unknown"),
    ],
)
def test_canonical(raw: str, name: str) -> None:
    assert canonical(raw) == name
    assert canonical(name) == name


@pytest.mark.parametrize(
    ("tool", "given", "command"),
    [
        ("Bash", {"command": "ls -l"}, "ls -l"),
        ("exec_command", {"cmd": "ls -l"}, "ls -l"),
        ("shell", {"command": ["bash", "-lc", "ls -l | head"]}, "ls -l | head"),
        ("shell", {"command": ["/bin/zsh", "-c", "ls -l"]}, "ls -l"),
        ("shell", {"command": ["powershell.exe", "-NoProfile", "-Command", "Get-Item x"]}, "Get-Item x"),
        ("shell", {"command": ["ls", "a b"]}, "ls 'a b'"),
        ("Bash", {}, None),
        ("Read", {"command": "ls"}, None),
    ],
)
def test_command_of(tool: str, given: dict[str, Any], command: str | None) -> None:
    assert command_of(tool, given) == command


def test_kinds_of_tools() -> None:
    assert is_shell("Bash")
    assert not is_shell("Read")
    assert is_mcp("mcp__a__b")
