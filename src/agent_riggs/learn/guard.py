"""Whether a decision may be taken here at all: by a human at a terminal, not by an agent. A deterrent, no proof:
whatever runs as the user can unset a variable."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from agent_riggs.errors import UsageError

AGENT_VARIABLES: Final = (
    "CLAUDECODE",
    "AI_AGENT",
    "AGENT",
    "GEMINI_CLI",
    "OPENCODE",
    "COPILOT_CLI",
)
"""Set by agents in the processes they start (measured: Claude Code 2.1.332, OpenCode 1.18; others documented)."""

AGENT_PREFIXES: Final = ("CODEX_", "CURSOR_")
SETTINGS: Final = frozenset({"CODEX_HOME"})
"""What a user sets for an agent, and no agent sets for its children."""


def agent_in(environ: Mapping[str, str]) -> str | None:
    """Name of the variable that shows an agent around us; ``None`` when there is none."""
    for name in sorted(environ):
        begins = name.startswith(AGENT_PREFIXES) and name not in SETTINGS
        if environ[name] and (name in AGENT_VARIABLES or begins):
            return name
    return None


def refusal(environ: Mapping[str, str], isatty: bool, i_am_human: bool = False) -> str | None:
    """Why no decision is taken here, in one sentence; ``None`` when it may be.

    ``isatty``: whether standard input is a terminal. ``i_am_human`` lifts the rule about agents, at a terminal
    only; without a terminal nothing lifts it.
    """
    if not isatty:
        return "decisions are taken by a human at a terminal, and there is none"
    variable = agent_in(environ)
    if variable and not i_am_human:
        return f"decisions are taken by a human, and {variable} says that an agent runs this"
    return None


def require_human(environ: Mapping[str, str], isatty: bool, i_am_human: bool = False) -> None:
    """Raise ``UsageError`` with a hint where ``refusal`` names a reason."""
    why = refusal(environ, isatty, i_am_human)
    if why:
        raise UsageError(why, hint="run it yourself in a terminal; inside an agent's terminal add --i-am-human")
