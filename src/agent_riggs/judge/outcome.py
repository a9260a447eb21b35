"""What became of a call: one ordered table of rules, the first that answers decides, its name is kept for audit.

What is about shell lines (:mod:`shell`, :mod:`exits`, :mod:`diagnose`) is loaded with the first of them: a hook that
judges a failed edit has no time for it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from agent_riggs.calls import UNVERIFIED, Outcome, ToolCall, ToolResult
from agent_riggs.judge.agents import REFUSALS, SILENT_FAILURES, START, Refusal
from agent_riggs.judge.envelope import Frame, frame, text_of

if TYPE_CHECKING:
    from agent_riggs.judge.diagnosis import Diagnosis, Finding
    from agent_riggs.judge.shell import Line

FLAGGED: Final[frozenset[str]] = frozenset(
    ("claude_code", "opencode", "copilot", "gemini", "qwen", "goose", "cline", "roo", "pi", "kibitzer")
)
"""Agents that say so when a tool fails: their silence means success."""

_BACKGROUND: Final = re.compile(r"Background (?:command|task|agent|shell)\b")
_HARNESS: Final = (
    "<tool_use_error>",
    "InputValidationError",
    "Error: No such tool",
    "unsupported call",
    "failed to parse function arguments",
    "params must have",
    "Invalid parameters",
    'Tool "',
    "Tool call ",
    "The bash tool was called with invalid arguments",
    "The arguments provided to the tool are invalid",
    "write_stdin failed",
)


class _Later:
    """A value computed when it is first asked for and kept in the instance (``cached_property`` takes a lock)."""

    def __init__(self, compute: Callable[[Case], Any]) -> None:
        self.compute = compute
        self.name = compute.__name__[1:]

    def __get__(self, case: Case, owner: type[Case]) -> Any:
        value = case.__dict__[self.name] = self.compute(case)
        return value


class Case:
    """A call under judgement: its parts, read when a rule first asks for them."""

    frame: Frame
    text: str
    line: Line
    code: int | None
    failing: bool
    refusal: Refusal | None
    refused_input: bool
    diagnosis: Diagnosis
    findings: list[Finding]

    def __init__(self, call: ToolCall, result: ToolResult, tool: str, command: str | None) -> None:
        self.call = call
        self.result = result
        self.tool = tool
        self.shell = tool == "Bash"
        self.command = command


def _frame(case: Case) -> Frame:
    return frame(case.call.agent, case.result.text, case.shell)


def _text(case: Case) -> str:
    return text_of(case.frame.body)


def _line(case: Case) -> Line:
    from agent_riggs.judge import shell

    return shell.parse(case.command or "")


def _code(case: Case) -> int | None:
    return case.result.exit_code if case.result.exit_code is not None else case.frame.exit_code


def _failing(case: Case) -> bool:
    """Whether the agent or an exit code says that the call failed."""
    result = case.result
    if result.flag is True or result.status == "error":
        return True
    if case.code is not None:
        return case.code != 0
    if case.shell and case.frame.timed_out and result.flag is None:
        return True
    silent = result.flag is None and result.status is None and case.call.agent not in FLAGGED
    return silent and SILENT_FAILURES.match(result.text[:START]) is not None


def _refusal(case: Case) -> Refusal | None:
    """What the harness says instead of a result."""
    if not case.failing and not (case.result.status is None and case.call.agent not in FLAGGED):
        return None
    start = case.result.text[:START]
    found = next((r for r in REFUSALS if r.pattern.match(start)), None)
    if found is None and case.shell and case.code is not None:
        body = case.text.lstrip()[:100]
        return next((r for r in REFUSALS if r.outcome == "interrupted" and r.pattern.match(body)), None)
    return found


def _refused_input(case: Case) -> bool:
    """The harness refused the call itself (bad arguments, no such tool): nothing ran in the shell."""
    return case.shell and case.code is None and case.result.text.lstrip().startswith(_HARNESS)


def _diagnosis(case: Case) -> Diagnosis:
    from agent_riggs.judge.diagnose import diagnose

    return diagnose(case.text, case.line, case.code, case.tool)


def _findings(case: Case) -> list[Finding]:
    from agent_riggs.judge.findings import findings_of
    from agent_riggs.judge.lines import lines_of

    return findings_of(case.text, lines_of(case.text))


for _part in (_frame, _text, _line, _code, _failing, _refusal, _refused_input, _diagnosis, _findings):
    setattr(Case, _part.__name__[1:], _Later(_part))


@dataclass(frozen=True, slots=True)
class Rule:
    """One line of the table: the first whose test holds decides."""

    name: str
    outcome: Outcome
    test: Callable[[Case], bool] | None = None
    """``None``: it is about shell lines alone, and :mod:`exits` has the test under its name."""


def _said(outcome: Outcome) -> Callable[[Case], bool]:
    return lambda case: case.result.status == outcome or (case.refusal is not None and case.refusal.outcome == outcome)


def _background(case: Case) -> bool:
    return case.result.status == "error" and _BACKGROUND.match(case.result.text.lstrip()) is not None


def _running(case: Case) -> bool:
    if case.result.status == "running" or (case.result.task_id and not case.failing):
        return True
    return case.shell and not case.failing and case.code is None and case.frame.running


RULES: Final[tuple[Rule, ...]] = (
    Rule("warm_up", "warmup", lambda case: case.result.flag is True and case.result.text.strip() == "Warmup"),
    Rule("sibling_failed", "cancelled", _said("cancelled")),
    Rule("user_rejected", "rejected", _said("rejected")),
    Rule("user_interrupted", "interrupted", _said("interrupted")),
    Rule("refused", "denied", _said("denied")),
    Rule("background_failed", "masked", _background),
    Rule("still_running", "pending", _running),
    Rule("timed_out", "failed"),
    Rule("agent_interpreted", "benign"),
    Rule("timeout_asked_for", "benign"),
    Rule("own_kill", "benign"),
    Rule("pipe_closed", "benign"),
    Rule("probe_answer", "benign"),
    Rule("check_reported", "check_failed"),
    Rule("exit_code", "failed", lambda case: case.failing and case.code not in (None, 0)),
    Rule("error_flag", "failed", lambda case: case.failing),
    Rule("no_exit_code", "unknown"),
    Rule("hidden_failure", "masked"),
    Rule(UNVERIFIED, "ok"),
    Rule("success", "ok", lambda case: True),
)
"""In order. Those without a test are asked for shell calls only."""


def decide(case: Case) -> Rule:
    """The first rule whose test holds."""
    for rule, holds in _tests(case.shell):
        if holds(case):
            return rule
    return RULES[-1]


@cache
def _tests(shell: bool) -> tuple[tuple[Rule, Callable[[Case], bool]], ...]:
    """The rules that are asked for a call, each with its test."""
    if not shell:
        return tuple((rule, rule.test) for rule in RULES if rule.test is not None)
    from agent_riggs.judge.exits import TESTS

    return tuple((rule, rule.test or TESTS[rule.name]) for rule in RULES)


__all__ = ["FLAGGED", "RULES", "Case", "Rule", "decide"]
