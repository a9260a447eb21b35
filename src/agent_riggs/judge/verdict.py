"""``judge``: the tables put together into one verdict."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from agent_riggs.calls import ToolCall, Verdict
from agent_riggs.judge.agents import SILENT_FAILURES, START, TOOL_MESSAGES
from agent_riggs.judge.classes import category, of_words
from agent_riggs.judge.diagnosis import Diagnosis, Finding, scan
from agent_riggs.judge.digests import shell_line
from agent_riggs.judge.fingerprint import fingerprint
from agent_riggs.judge.lines import lines_of
from agent_riggs.judge.mask import mask
from agent_riggs.judge.outcome import FLAGGED, Case, Rule, decide
from agent_riggs.judge.redact import redact, redact_value
from agent_riggs.judge.secrets import SECRET
from agent_riggs.judge.shape import exceptions, generic, last_line, telling
from agent_riggs.judge.tools import canonical, is_mcp

if TYPE_CHECKING:
    from agent_riggs.judge.answers import Answer

MAX_EXCERPT: Final = 400
_OF_A_SERVER: Final = frozenset(
    ("other", "invalid_input", "bad_path", "bad_option", "missing_file", "conflict", "syntax_error", "environment")
)
"""Classes that words alone give: of another program's tool they say no more than that it failed."""
_EXCERPT_BEFORE: Final = 1200


def judge(call: ToolCall) -> Verdict:
    """The verdict about one call; the same for a call whose input was digested before."""
    tool = canonical(call.tool)
    result = call.result
    if result is None:
        return Verdict("pending", "no_result", tool)
    if tool != "Bash":
        told = _told(tool, result.text) if is_mcp(tool) and not result.flag else None
        if told is not None:
            case = Case(call, replace(result, text=told.text), tool, None)
            return _failure(case, Rule("answer_says_failed", told.outcome, lambda _: True), result.exit_code)
        if not result.flag and result.status in (None, "ok") and not result.exit_code and not result.task_id:
            if result.status is not None or result.flag is False or call.agent in FLAGGED:
                return Verdict("ok", "success", tool)
            if not SILENT_FAILURES.match(result.text[:START]):
                return Verdict("ok", "success", tool)
        return _verdict(Case(call, result, tool, None))
    return _verdict(Case(call, result, tool, shell_line(call.tool, call.input)))


def _told(tool: str, text: str) -> Answer | None:
    from agent_riggs.judge import answers

    return answers.failure(tool, text)


def _verdict(case: Case) -> Verdict:
    rule = decide(case)
    outcome, code = rule.outcome, case.code if case.shell else case.result.exit_code
    if outcome in ("failed", "check_failed", "masked"):
        return _failure(case, rule, code)
    if outcome == "denied":
        return _denial(case, code)
    program = _running_program(case) if case.shell else None
    return Verdict(outcome, rule.name, case.tool, program=program, exit_code=code)


def _running_program(case: Case) -> str | None:
    from agent_riggs.judge import exits

    return exits.running_program(case.line)


def _failure(case: Case, rule: Rule, code: int | None) -> Verdict:
    found = _found(case, rule)
    near = _near(case.text, found.line)
    if SECRET in near and found.line not in near:
        case = Case(case.call, replace(case.result, text=redact(case.result.text)), case.tool, case.command)
        found = _found(case, rule)
        near = _near(case.text, found.line)
    shape, program = redact(found.shape), redact(found.program)
    return Verdict(
        rule.outcome,
        rule.name,
        case.tool,
        category(rule.outcome, found.failure_class, case.tool),
        found.failure_class,
        program or None,
        shape,
        fingerprint(found.failure_class, case.tool, program, shape),
        found.secondary,
        found.specific,
        code,
        _excerpt(near, found.line),
    )


def _found(case: Case, rule: Rule) -> Diagnosis:
    """What failed. A secret can be told by what stands on another line: such a line is read again without it."""
    if case.shell and rule.name == "timed_out":
        return Diagnosis("timeout", _running_program(case) or "", "command timed out", specific=True)
    if case.shell and not case.refused_input:
        return case.diagnosis
    return _tool_failure(case)


def _tool_failure(case: Case) -> Diagnosis:
    """What failed in a tool that is no shell."""
    lines = [line for line in lines_of(case.text) if not line.startswith("### ")]
    found = scan(lines[:3], TOOL_MESSAGES)
    found = found[:1] or scan(lines[:40], TOOL_MESSAGES)
    if not found:
        found = exceptions(lines[:60])
    best = min(found, key=lambda f: f.order, default=None) or generic(lines[:60], frozenset())
    if best is None:
        last = last_line(lines)
        best = Finding(9, of_words(last), mask(last), line=last)
    failure_class = best.failure_class
    if is_mcp(case.tool) and failure_class in _OF_A_SERVER:
        failure_class = "mcp_error"
    elif case.tool in ("WebFetch", "WebSearch") and failure_class in ("other", "invalid_input"):
        failure_class = "http_error"
    return Diagnosis(failure_class, "", best.shape, best.line, failure_class != "other" and telling(best.shape))


def _denial(case: Case, code: int | None) -> Verdict:
    refusal = case.refusal
    path = refusal is not None and refusal.path
    rule = refusal.rule if refusal is not None else "permission_denied"
    lines = lines_of(case.text)
    failure_class = "sandbox" if path else "permission"
    line = lines[0] if lines else ""
    if rule == "hook_denied" and lines:
        shape = redact(mask(_hook_message(line)))
    else:
        shape = {"path_denied": "path outside the allowed folders"}.get(rule, "denied by a permission rule")
    program = (_running_program(case) or "") if case.shell else ""
    return Verdict(
        "denied",
        rule,
        case.tool,
        category("denied", failure_class, case.tool, path),
        failure_class,
        program or None,
        shape,
        fingerprint(failure_class, case.tool, program, shape),
        (),
        True,
        code,
        _excerpt(_near(case.text, line), line),
    )


def _hook_message(line: str) -> str:
    """The hook's own words: without the harness's label and the hook's command."""
    head, separator, rest = line.partition("]: ")
    return rest if separator and "[" in head else line.partition(" error: ")[2] or line


def _near(text: str, line: str) -> str:
    """What stands around the error line, redacted."""
    start = max(text.find(line) if line else 0, 0)
    return redact(text[max(0, start - _EXCERPT_BEFORE) : start + 4 * MAX_EXCERPT])


def _excerpt(near: str, line: str) -> str:
    """At most ``MAX_EXCERPT`` redacted characters from the error line on."""
    begin = near.find(redact(line[:MAX_EXCERPT])) if line else 0
    cut: str = redact_value(near[max(begin, 0) :][:MAX_EXCERPT].strip(), MAX_EXCERPT)
    return cut
