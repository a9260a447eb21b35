"""What became of a call: one ordered table of rules, the first that answers decides, its name is kept for audit."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from agent_riggs.judge import shell as sh
from agent_riggs.judge.agents import REFUSALS, SILENT_FAILURES, START, Refusal
from agent_riggs.judge.classes import CHECK_CLASSES
from agent_riggs.judge.diagnose import Diagnosis, diagnose
from agent_riggs.judge.diagnosis import SUMMARY, Finding
from agent_riggs.judge.envelope import Frame, frame, text_of
from agent_riggs.judge.findings import findings_of, lines_of
from agent_riggs.judge.trust import UNVERIFIED
from agent_riggs.model import Outcome, ToolCall, ToolResult

FLAGGED: Final[frozenset[str]] = frozenset(
    ("claude_code", "opencode", "copilot", "gemini", "qwen", "goose", "cline", "roo", "pi", "kibitzer")
)
"""Agents that say so when a tool fails: their silence means success."""

_KILLED: Final = frozenset((143, 144, 137, 129, 130, 15, 9, -9, -15))
_NUMBER: Final = re.compile(r":\d+$")
_SHELLS: Final = frozenset(("bash", "sh", "zsh", "fish", "dash", "ksh"))
_KILLERS: Final = frozenset(("kill", "pkill", "killall", "taskkill", "fuser", "stop-process", "xkill"))
_BACKGROUND: Final = re.compile(r"Background (?:command|task|agent|shell)\b")
_HINT: Final = re.compile(r"(?i)fail|error|✖|✗|not ok|FAIL\t|problems? ")
_FINDING: Final = re.compile(
    r":\d+[:.]|\(\d+,\d+\)|(?i:reformat|\bline \d+|offense|style issues|unknown word|error)|\b[A-Z]{1,4}\d{3,4}\b"
)
"""What a linter or compiler prints about a place in a file, or that it would change one."""
_WARNS: Final = re.compile(r"(?i)\bwarn(?:ing)?s?\b[^\]]|\binfo\b")
_CLEAN: Final = re.compile(r"\b0 (?:errors\b|Error\(s\))|Build succeeded|[Cc]ompiled successfully|✓ built in")
"""The summary of a linter or compiler that found nothing worse than warnings."""
_BAD_PLACE: Final = re.compile(
    r"(?m)^(?:\S+?\.\w+[:(]\d+[\d.,:)-]*:? ?\[?(?:fatal )?(?i:error)\b"
    r"|Error: .*(?:\n.*){0,3}(?:line \d+|:\d+:\d+)"
    r"|File \"\S+\", line \d+.*(?:\n.*){1,6}\nError: )"
)
"""An error at a place in a file."""
_SAY_MORE: Final = frozenset(("test", "check"))
"""Kinds of checks whose output holds much besides findings."""
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
_LINE_HEAD, _LINE_TAIL = 2000, 6000
_OPERATIONS: Final = frozenset(("git", "gh", "ssh", "jj", "hg"))
"""Programs that may run checks on their way (hooks), but whose own work is another."""
_CHECKED: Final = frozenset(("test_failed", "lint_failed", "type_failed"))
_EXCEPTION: Final = re.compile(r"(?:.*: )?[A-Z]\w*(?:Error|Exception)\b")
_NO_CHECK: Final = frozenset((126, 127, 132, 134, 135, 136, 139, 9009, -6, -11))
"""Exit codes of a program that could not run or fell over."""
_COULD_CHECK: Final = frozenset((*CHECK_CLASSES.values(), "invalid_input", "syntax_error", "other"))
"""Classes a check's own findings can have when nothing says that it could not run."""


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
    line: sh.Line
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


def _line(case: Case) -> sh.Line:
    return sh.parse(case.command or "")


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
    return diagnose(case.text, case.line, case.code, case.tool)


def _findings(case: Case) -> list[Finding]:
    return findings_of(case.text, lines_of(case.text))


for _part in (_frame, _text, _line, _code, _failing, _refusal, _refused_input, _diagnosis, _findings):
    setattr(Case, _part.__name__[1:], _Later(_part))


@dataclass(frozen=True, slots=True)
class Rule:
    """One line of the table: the first whose test holds decides."""

    name: str
    outcome: Outcome
    test: Callable[[Case], bool]
    shell_only: bool = False


def _said(outcome: Outcome) -> Callable[[Case], bool]:
    return lambda case: case.result.status == outcome or (case.refusal is not None and case.refusal.outcome == outcome)


def _background(case: Case) -> bool:
    return case.result.status == "error" and _BACKGROUND.match(case.result.text.lstrip()) is not None


def _running(case: Case) -> bool:
    if case.result.status == "running" or (case.result.task_id and not case.failing):
        return True
    return case.shell and not case.failing and case.code is None and case.frame.running


def _asked_timeout(case: Case) -> bool:
    if case.code not in (124, 137, 143) or case.frame.timed_out:
        return False
    asked = any(v.split()[0] in ("timeout", "gtimeout") for c in case.line.commands for v in c.via)
    return asked and (case.code == 124 or not case.text.strip())


def _own_kill(case: Case) -> bool:
    return case.code in _KILLED and not case.frame.timed_out and any(c.program in _KILLERS for c in case.line.commands)


def _pipe_closed(case: Case) -> bool:
    return case.code == 141 and any(c.next == "|" for c in case.line.commands)


def _answered(case: Case) -> bool:
    """The exit code is an answer: of the probe that decides, or of an empty chain that holds one."""
    code = case.code
    if code is None or code in (0, 126, 127):
        return False
    decides = sh.returns(case.line)
    if decides is None:
        return False
    if code in decides.answers or (decides.negated and code == 1):
        return not _complains(case, decides.program)
    if code in (1, 128) and not case.text.strip() and decides.is_reader and decides.err == "null":
        return True  # a reader told to say nothing when there is nothing
    if code == 1 and not case.text.strip():
        return any(c.is_probe or c.condition or c.negated for c in case.line.commands)
    return False


def _complains(case: Case, program: str) -> bool:
    """Whether the output holds a diagnostic of one of the line's own programs or of the shell."""
    text = case.text
    if "FullyQualifiedErrorId" in text or "CategoryInfo" in text:
        return True
    names = {c.program for c in case.line.commands if c.program} | _SHELLS
    for line in text[:_LINE_HEAD].split("\n"):
        label = _NUMBER.sub("", line.partition(": ")[0].rsplit("/", 1)[-1].lower()).removesuffix(".exe")
        if label in names or (label.startswith("(eval)") and ": " in line):
            return True
    owners = {f.owner.lstrip("?").split(":")[0].rstrip("!") for f in case.findings if f.stopped and f.owner}
    return bool(owners & names) or any(f.failure_class == "command_not_found" for f in case.findings)


def _masked(case: Case) -> bool:
    """Success, but a check whose exit code is hidden reports problems in its own words."""
    kinds = {c.check for c in sh.hidden(case.line) if c.check}
    if not kinds or any(c.is_reader and not (c.pipe or c.is_trivial) for c in case.line.commands):
        return False  # text that a reader printed beside the check proves nothing
    text = case.text
    window = text if len(text) <= _LINE_HEAD + _LINE_TAIL else text[:_LINE_HEAD] + "\n" + text[-_LINE_TAIL:]
    if kinds.isdisjoint(_SAY_MORE) and _CLEAN.search(window):
        return False
    if _HINT.search(window) and (case.diagnosis.reported or (case.diagnosis.stopped and case.diagnosis.found)):
        return True
    return kinds.isdisjoint(_SAY_MORE) and _FINDING.search(window) is not None and _found_problems(case)


def _found_problems(case: Case) -> bool:
    """Whether linters or compilers, which are silent when all is well, print a finding that is no warning."""
    found = case.diagnosis
    if found.reported:
        return any(f.report and f.rank < SUMMARY and not _WARNS.search(f.line) for f in case.findings)
    return found.found and not found.stopped and _BAD_PLACE.search(case.text) is not None


def _check_failed(case: Case) -> bool:
    """A check did its work and reports problems; a check that could not run is an ordinary failure."""
    if case.frame.timed_out or case.refused_input or case.code in _NO_CHECK:
        return False
    suspects = sh.candidates(case.line)
    found = case.diagnosis
    if not any(c.check for c in suspects):
        operations = any(c.program in _OPERATIONS for c in suspects) and found.program != "gh pr checks"
        return found.reported and not operations and found.failure_class in _CHECKED
    if found.reported:
        return True
    if found.stopped:
        return False
    if not found.found:
        return found.failure_class not in ("killed", "timeout", "permission", "command_not_found", "bad_option")
    crashed = _EXCEPTION.match(found.shape) is not None and all(c.check not in ("test", None) for c in suspects)
    return found.failure_class in _COULD_CHECK and not crashed


RULES: Final[tuple[Rule, ...]] = (
    Rule("warm_up", "warmup", lambda case: case.result.flag is True and case.result.text.strip() == "Warmup"),
    Rule("sibling_failed", "cancelled", _said("cancelled")),
    Rule("user_rejected", "rejected", _said("rejected")),
    Rule("user_interrupted", "interrupted", _said("interrupted")),
    Rule("refused", "denied", _said("denied")),
    Rule("background_failed", "masked", _background),
    Rule("still_running", "pending", _running),
    Rule("timed_out", "failed", lambda case: case.failing and case.frame.timed_out, True),
    Rule("agent_interpreted", "benign", lambda case: bool(case.result.note) and case.result.flag is not True, True),
    Rule("timeout_asked_for", "benign", _asked_timeout, True),
    Rule("own_kill", "benign", _own_kill, True),
    Rule("pipe_closed", "benign", _pipe_closed, True),
    Rule("probe_answer", "benign", lambda case: case.failing and _answered(case), True),
    Rule("check_reported", "check_failed", lambda case: case.failing and _check_failed(case), True),
    Rule("exit_code", "failed", lambda case: case.failing and case.code not in (None, 0)),
    Rule("error_flag", "failed", lambda case: case.failing),
    Rule(
        "no_exit_code",
        "unknown",
        lambda case: (
            case.code is None
            and case.result.flag is None
            and case.result.status is None
            and case.call.agent not in FLAGGED
        ),
        True,
    ),
    Rule("hidden_failure", "masked", _masked, True),
    Rule(UNVERIFIED, "ok", lambda case: sh.swallows(case.line), True),
    Rule("success", "ok", lambda case: True),
)
"""In order; ``shell_only`` rules are asked for shell calls only."""


def decide(case: Case) -> Rule:
    """The first rule whose test holds."""
    for rule in RULES:
        if (case.shell or not rule.shell_only) and rule.test(case):
            return rule
    return RULES[-1]


__all__ = ["FLAGGED", "RULES", "Case", "Rule", "decide"]
