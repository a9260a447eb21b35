"""Decisions are refused inside an agent and without a terminal."""

from __future__ import annotations

import pytest

from agent_riggs.errors import UsageError
from agent_riggs.learn import guard

AGENTS = [
    "CLAUDECODE",
    "AI_AGENT",
    "AGENT",
    "CODEX_THREAD_ID",
    "CODEX_CI",
    "GEMINI_CLI",
    "OPENCODE",
    "COPILOT_CLI",
    "CURSOR_TRACE_ID",
    "CURSOR_AGENT",
]


@pytest.mark.parametrize("variable", AGENTS)
def test_an_agent_around_us_is_refused_unless_a_human_says_so_at_a_terminal(variable: str) -> None:
    assert variable in (guard.refusal({variable: "1"}, isatty=True) or "")
    assert guard.refusal({variable: "1"}, isatty=True, i_am_human=True) is None
    assert guard.refusal({variable: "1"}, isatty=False, i_am_human=True) is not None


def test_a_plain_terminal_is_enough() -> None:
    environ = {"PATH": "/bin", "CODEX_HOME": "/home/me/.codex", "CLAUDE_CONFIG_DIR": "/x", "AGENT": ""}
    assert guard.refusal(environ, isatty=True) is None
    guard.require_human(environ, isatty=True)


def test_no_terminal_is_refused_whatever_is_said() -> None:
    assert guard.refusal({}, isatty=False) is not None
    with pytest.raises(UsageError) as caught:
        guard.require_human({}, isatty=False, i_am_human=True)
    assert caught.value.hint
