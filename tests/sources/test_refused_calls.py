"""A shell call that the agent refused to make: nothing ran, so the command is not to blame."""

from __future__ import annotations

import pytest

from agent_riggs.judge import judge
from agent_riggs.model import ToolCall, ToolResult

REFUSALS = [
    ("gemini", 'Tool "run_shell_command" not found. Did you mean one of: "grep_search"?', "unknown_tool"),
    (
        "opencode",
        "The bash tool was called with invalid arguments: SchemaError(Missing key\n at [x]).",
        "invalid_input",
    ),
    (
        "cline",
        "Tool call bash was rejected before execution: Model tried to call unavailable tool 'bash'.",
        "unknown_tool",
    ),
    ("codex", "failed to parse function arguments: missing field `cmd` at line 1 column 16", "invalid_input"),
]


@pytest.mark.parametrize(("agent", "text", "failure_class"), REFUSALS, ids=[r[0] for r in REFUSALS])
def test_the_key_names_the_call_and_not_the_command(agent: str, text: str, failure_class: str) -> None:
    result = ToolResult(text, True, "error")
    first, second = (
        judge(ToolCall(agent, "s", "c", "bash", {"command": command}, result=result))
        for command in ("npx tsc --noEmit", "git push")
    )
    assert (first.outcome, first.failure_class, first.program) == ("failed", failure_class, None)
    assert first.fingerprint == second.fingerprint
