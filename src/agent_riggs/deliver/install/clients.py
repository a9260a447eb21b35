"""What is registered with each agent, and in which file of its: the one source of settings and plugin alike.

Shapes run with the clients in ``hosts.TESTED``. Events that older clients do not know stand in a file of their own:
a client that meets an unknown event refuses the whole file it stands in.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

from agent_riggs.paths import agent_homes, xdg

Scope = Literal["user", "project"]

AGENTS: Final = ("claude-code", "codex", "gemini", "opencode", "copilot")
PROGRAM: Final = "riggs-hook"
TIMEOUT: Final = 5
"""Seconds after which an agent gives up on the hook. It needs a hundredth of that."""

SETTINGS: Final[Mapping[str, str]] = {
    **dict.fromkeys(("PYTHONPATH", "PYTHONHOME", "PYTHONPLATLIBDIR", "PYTHONPYCACHEPREFIX"), ""),
    **dict.fromkeys(("PYTHONHASHSEED", "PYTHONIOENCODING", "PYTHONMALLOC"), ""),
    "PYTHONSAFEPATH": "1",
}
"""What the hook's interpreter is told by the environment: nothing, whatever a user or project has set. The first ones
could have it import a project's code, a value it does not know of the next ends it before ours runs."""

Group = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Part:
    """One file of an agent's, and what goes into it."""

    path: Path
    events: Mapping[str, Group]
    """For settings: one group per event, appended to the event's list."""
    text: str = ""
    """For a file that is all ours: its content."""


def parts(
    agent: str, scope: Scope, root: Path, environ: Mapping[str, str], home: Path, program: Path | None, brief: bool
) -> list[Part]:
    """The files to write for an agent. ``program`` is where ``riggs-hook`` lies; ``root`` the project's folder."""
    if agent == "claude-code":
        return _claude(_folder("claude_code", ".claude", scope, root, environ, home), scope, program, brief)
    if agent == "codex":
        folder = _folder("codex", ".codex", scope, root, environ, home)
        return [Part(folder / "hooks.json", codex_events(program, brief))]
    if agent == "gemini":
        folder = _folder("gemini", ".gemini", scope, root, environ, home)
        return [Part(folder / "settings.json", gemini_events(program, brief))]
    if agent == "copilot":
        folder = root / ".github" if scope == "project" else agent_homes("copilot", environ, home)[0]
        return [Part(folder / "hooks" / "agent-riggs.json", {}, copilot_file(program, brief))]
    folder = root / ".opencode" if scope == "project" else _opencode(environ, home)
    return [Part(folder / "plugin" / "agent-riggs.js", {}, opencode_file(program))]


def _folder(source: str, name: str, scope: Scope, root: Path, environ: Mapping[str, str], home: Path) -> Path:
    return root / name if scope == "project" else agent_homes(source, environ, home)[0]


def _opencode(environ: Mapping[str, str], home: Path) -> Path:
    return xdg(environ, "XDG_CONFIG_HOME", home) / "opencode"


def _claude(folder: Path, scope: Scope, program: Path | None, brief: bool) -> list[Part]:
    found = [Part(folder / "settings.json", claude_events(program, brief))]
    if scope == "project":
        found.append(Part(folder / "settings.local.json", claude_new_events(program)))
    return found


# --- what each agent wants to hear


def claude_events(program: Path | None, brief: bool) -> dict[str, Group]:
    """Events known since Claude Code 2.1.50 or earlier."""
    return {
        "PreToolUse": _group(command(program), "Bash"),
        "PostToolUseFailure": _group(command(program), "*"),
        "Stop": _group(command(program)),
        "SessionEnd": _group(command(program)),
        "SessionStart": _group(command(program, start=True, brief=brief)),
    }


def claude_new_events(program: Path | None) -> dict[str, Group]:
    """Refused edits and reads fire no other event. Claude Code 2.1.50 and 2.1.75 refuse a file that names it, 2.1.112
    passes over it."""
    return {"PostToolBatch": _group(command(program))}


def codex_events(program: Path | None, brief: bool) -> dict[str, Group]:
    """Codex's events; a failed ``apply_patch`` fires none after the call."""
    return {
        "PreToolUse": _group(command(program), "Bash"),
        "PostToolUse": _group(command(program), "*"),
        "Stop": _group(command(program)),
        "SessionStart": _group(command(program, start=True, brief=brief)),
    }


def gemini_events(program: Path | None, brief: bool) -> dict[str, Group]:
    """Gemini CLI's events; its timeouts are milliseconds."""
    found = {
        "AfterTool": _group(command(program), "*"),
        "AfterAgent": _group(command(program)),
        "SessionEnd": _group(command(program)),
        "SessionStart": _group(command(program, start=True, brief=brief)),
    }
    for group in found.values():
        group["hooks"][0].update(name="agent-riggs", timeout=TIMEOUT * 1000)
    return found


def copilot_file(program: Path | None, brief: bool) -> str:
    """A hooks file of Copilot CLI's own form (version 1)."""
    import json

    def entry(matcher: str = "", start: bool = False) -> list[dict[str, Any]]:
        line = command(program, brief=brief and start)
        return [{"type": "command", **({"matcher": matcher} if matcher else {}), "bash": line, "timeoutSec": TIMEOUT}]

    hooks = {"preToolUse": entry("bash"), "postToolUse": entry(), "postToolUseFailure": entry()}
    hooks |= {"agentStop": entry(), "sessionEnd": entry()}
    if brief:
        hooks["sessionStart"] = entry(start=True)
    return json.dumps({"version": 1, "hooks": hooks}, indent=2) + "\n"


def opencode_file(program: Path | None) -> str:
    """OpenCode loads programs, not commands: a small one that hands the result to ``riggs-hook``."""
    import json
    from importlib.resources import files

    text = (files("agent_riggs.deliver.install") / "opencode.js").read_text(encoding="utf-8")
    text = text.replace('"its program is gone"', json.dumps(GONE), 1).replace("= {}", f"= {json.dumps(SETTINGS)}", 1)
    return text.replace('"riggs-hook"', json.dumps(program.as_posix() if program else PROGRAM), 1)


def _group(line: str, matcher: str = "") -> Group:
    group: Group = {"matcher": matcher} if matcher else {}
    group["hooks"] = [{"type": "command", "command": line, "timeout": TIMEOUT}]
    return group


def command(program: Path | None, start: bool = False, brief: bool = False) -> str:
    """The shell line that runs the hook if it is there, and ends well if it is not.

    A program of another machine or a removed environment must not put an error before the user at each call, and
    never an exit code 2, which means "block". Its input is read to the end in its place, so that the agent never
    meets a closed pipe. At the start of a session (``start``) its absence is said, once.
    """
    settings = " ".join(f"{name}={value}" for name, value in SETTINGS.items())
    run = f'{settings} "$r"{" --brief" if brief else ""} 2>/dev/null'
    place = shlex.quote(program.as_posix()) if program else PROGRAM
    line = f'r={place}; [ -x "$r" ] || r={PROGRAM}; ' if program else f"r={PROGRAM}; "
    line += f'command -v "$r" >/dev/null 2>&1 && {run} || '
    drain = "cat >/dev/null 2>&1"
    if start:
        drain = f"{{ {drain}; printf '%s' '{{\"systemMessage\":\"{GONE}\"}}'; }}"
    return f"{line}{drain}; exit 0"


GONE: Final = "agent-riggs: its program riggs-hook is gone. Install agent-riggs again or remove its hooks."


def is_ours(line: object) -> bool:
    """Whether a command in somebody's settings is one that we wrote."""
    return isinstance(line, str) and line.startswith("r=") and 'command -v "$r"' in line and PROGRAM in line


def program_of(line: str) -> str:
    """The program that one of our commands runs."""
    try:
        return shlex.split(line.partition("; [ -x ")[0].partition("; command ")[0])[0].removeprefix("r=")
    except (ValueError, IndexError):
        return ""
