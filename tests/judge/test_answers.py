"""Failures told inside an answer, and answers that only speak of failures."""

from __future__ import annotations

import json
from typing import Any

import pytest

from agent_riggs.judge import judge
from agent_riggs.model import ToolCall, ToolResult, Verdict


def answered(tool: str, answer: Any) -> Verdict:
    text = answer if isinstance(answer, str) else json.dumps(answer)
    return judge(ToolCall("claude_code", "s", "c", tool, {}, result=ToolResult(text)))


STEPS = [{"step": "commit", "ok": True}, {"step": "push", "ok": False, "error": "fatal: no upstream for branch x"}]


@pytest.mark.parametrize(
    ("tool", "answer", "outcome", "word"),
    [
        ("mcp__jetsam__confirm", {"plan_id": "p_1", "status": "partial", "results": STEPS}, "failed", "upstream"),
        ("mcp__plugin_jetsam_jetsam__confirm", {"error": "stale_plan"}, "failed", "stale_plan"),
        ("mcp__lackpy__delegate", {"success": False, "error": "no provider made a program"}, "failed", "provider"),
        ("mcp__blq__run", {"status": "FAIL", "exit_code": 2, "errors": [{"message": "1 failed"}]}, "check_failed", ""),
    ],
)
def test_a_failure_told_inside_an_answer_is_one(tool: str, answer: Any, outcome: str, word: str) -> None:
    verdict = answered(tool, answer)
    assert (verdict.outcome, verdict.rule) == (outcome, "answer_says_failed")
    assert verdict.fingerprint is not None
    assert word in verdict.excerpt


@pytest.mark.parametrize(
    ("tool", "answer"),
    [
        ("mcp__jetsam__confirm", {"status": "ok", "results": STEPS[:1]}),
        ("mcp__blq__run", {"status": "OK", "exit_code": 0}),
        ("mcp__blq__history", {"status": "FAIL", "exit_code": 2}),
        ("mcp__github__get_run", {"status": "failed"}),
        ("mcp__jetsam__confirm", "status: failed"),
        ("mcp__jetsam__confirm", '{"status": "failed"'),
    ],
)
def test_an_answer_about_something_else_is_a_success(tool: str, answer: Any) -> None:
    assert answered(tool, answer).outcome == "ok"


@pytest.mark.parametrize(
    ("text", "category"),
    [
        ("Path 'README.md' is not writable in the current mode (writable: ['src/']). Use", "path_denial"),
        ("Current mode is read-only (tried to write: a.py). Use", "path_denial"),
        ("Bash command writes to 'a', which is not writable in the current mode (writable: [])", "path_denial"),
        ("[kibitzer floor] Write to '/x' blocked by safety-floor rule 'secret-dir' (inside ~/.ssh).", "denied"),
        ("A structured alternative is available: blq run test\nIt parses the output.", "denied"),
    ],
)
def test_kibitzers_refusals_are_denials(text: str, category: str) -> None:
    verdict = judge(ToolCall("claude_code", "s", "c", "Edit", {}, result=ToolResult(text, flag=True)))
    assert (verdict.outcome, verdict.category) == ("denied", category)
