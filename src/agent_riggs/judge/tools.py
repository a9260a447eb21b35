# ruff: noqa: E501, SIM905  (tables of names read better as words than as lists of strings)
"""Tool names: one canonical name for what every agent calls by a name of its own.

The canonical vocabulary is Claude Code's. Raw names stay in the call; old ratchets go on matching after a rename
because keys are built from canonical names only.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Final

_NAMES: Final[dict[str, str]] = {
    "Bash": "bash shell shell_command exec_command run_shell_command execute_command local_shell local_shell_call"
    " container.exec exec developer__shell powershell pwsh run_terminal_cmd run_terminal_command run_in_terminal"
    " terminal run_command run_commands execute execute_bash executebash execute_shell_command cmd"
    " sh zsh",
    "BashOutput": "bashoutput write_stdin read_bash write_bash read_powershell write_powershell taskoutput"
    " agentoutputtool get_terminal_output bash_output task_output",
    "KillShell": "killshell killbash stop_bash stop_powershell taskstop task_stop kill_shell",
    "Read": "read view read_file read_files read_many_files readfile fsread fs_read view_file open_file cat_file",
    "Write": "write write_file write_to_file create create_file fswrite fs_write writefile",
    "Edit": "edit multiedit multi_edit replace str_replace str_replace_editor strreplace apply_patch apply_diff"
    " replace_in_file edit_file search_replace replace_string_in_file insert_edit_into_file"
    " developer__text_editor text_editor editor patch insert_content str_replace_based_edit_tool",
    "NotebookEdit": "notebookedit notebook_edit edit_notebook edit_notebook_file",
    "Grep": "grep grep_search search_file_content search_files grep_files grepsearch search_codebase rg codebase_search_text",
    "Glob": "glob file_search filesearch find_files find",
    "LS": "ls list list_directory list_dir list_files listdirectory",
    "WebFetch": "webfetch web_fetch fetch fetch_web_content fetch_url fetch_webpage",
    "WebSearch": "websearch web_search google_web_search web_search_call search_web",
    "Task": "task agent spawn_agent codebase_investigator delegate_to_agent new_task subagent",
    "TodoWrite": "todowrite todo_write write_todos update_plan update_todo_list",
    "TodoRead": "todoread todo_read",
    "AskUserQuestion": "askuserquestion ask_user ask_followup_question request_user_input question",
    "ExitPlanMode": "exitplanmode exit_plan_mode exit_spec_mode",
    "EnterPlanMode": "enterplanmode enter_plan_mode",
    "Skill": "skill activate_skill",
    "ToolSearch": "toolsearch tool_search tool_search_call",
}

_ALIASES: Final[dict[str, str]] = {alias: name for name, aliases in _NAMES.items() for alias in aliases.split()}

COMMAND_FIELDS: Final[tuple[str, ...]] = ("command", "cmd", "script", "commandline", "code", "input", "args")
"""Where agents put a shell line, in order of trust; compared without case."""

_SHELL_PROGRAMS: Final[frozenset[str]] = frozenset(
    "bash sh zsh dash ksh fish powershell powershell.exe pwsh pwsh.exe cmd cmd.exe".split()
)
_SHELL_SWITCHES: Final[frozenset[str]] = frozenset("-c -lc -ic -lic -cl /c /C -Command -command -NoProfile".split())


@lru_cache(maxsize=1024)
def canonical(raw_tool: str) -> str:
    """The canonical name of a tool: ``exec_command`` is ``Bash``, ``Agent`` is ``Task``, and so on.

    A tool of an MCP server reached through a plugin (``mcp__plugin_<plugin>_<server>__<tool>``) is the same tool as
    ``mcp__<server>__<tool>``; Gemini CLI writes ``mcp_<server>_<tool>``. Unknown names stay as they are.
    """
    name = raw_tool.strip()
    if not name:
        return "unknown"
    if name.startswith("mcp__"):
        return _mcp(name)
    alias = _ALIASES.get(name.lower())
    if alias:
        return alias
    if name.startswith("mcp_"):
        server, separator, tool = name[4:].partition("_")
        return f"mcp__{server}__{tool}" if separator and tool else name
    if name.startswith("functions."):
        return canonical(name[len("functions.") :])
    return name


def _mcp(name: str) -> str:
    server, separator, tool = name[5:].rpartition("__")
    if not separator:
        return name
    if server.startswith("plugin_"):
        rest = server[len("plugin_") :]
        half = len(rest) // 2
        if rest[half : half + 1] == "_" and rest[:half] == rest[half + 1 :]:
            server = rest[:half]
        else:
            server = rest.partition("_")[2] or rest
    return f"mcp__{server}__{tool}"


def is_shell(tool: str) -> bool:
    """Whether a canonical tool name runs a shell line."""
    return tool == "Bash"


def is_mcp(tool: str) -> bool:
    """Whether a canonical tool name is a tool of an MCP server."""
    return tool.startswith("mcp__")


def command_of(tool: str, input: Mapping[str, Any]) -> str | None:
    """The shell line inside a call's arguments, whatever the agent calls the field; ``None`` when there is none.

    Codex CLI up to 0.5x passes a list; ``["bash", "-lc", line]`` and its like give ``line``.
    """
    if not is_shell(canonical(tool)):
        return None
    lower = {name.lower(): value for name, value in input.items()}
    for name in COMMAND_FIELDS:
        value = lower.get(name)
        if isinstance(value, str):
            if value:
                return value
        elif isinstance(value, (list, tuple)) and value and all(isinstance(word, str) for word in value):
            return _from_list(list(value))
    return None


def _from_list(words: list[str]) -> str:
    program = words[0].replace("\\", "/").rsplit("/", 1)[-1].lower()
    if program in _SHELL_PROGRAMS:
        rest = words[1:]
        while rest and (rest[0] in _SHELL_SWITCHES or (len(rest) > 1 and rest[0].startswith("-"))):
            rest = rest[1:]
        if rest:
            return " ".join(rest)
    import shlex  # rarely wanted, and a hook waits for it

    return shlex.join(words)
