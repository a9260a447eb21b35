"""What the exit code of a shell line proves, given what the line runs and what it printed: the tests of those rules of
:mod:`outcome` that are about shell lines alone."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Final

from agent_riggs.calls import UNVERIFIED
from agent_riggs.judge import shell as sh
from agent_riggs.judge.classes import CHECK_CLASSES
from agent_riggs.judge.diagnosis import SUMMARY
from agent_riggs.judge.outcome import FLAGGED
from agent_riggs.judge.owner import key
from agent_riggs.judge.programs import READERS

if TYPE_CHECKING:
    from agent_riggs.judge.outcome import Case

_ERROR_LINE: Final = re.compile(r"(?m)^(?:error|fatal)(?::| response from daemon)", re.I)
"""What nobody prints as an answer."""
_KILLED: Final = frozenset((143, 144, 137, 129, 130, 15, 9, -9, -15))
_NUMBER: Final = re.compile(r":\d+$")
_SHELLS: Final = frozenset(("bash", "sh", "zsh", "fish", "dash", "ksh"))
_KILLERS: Final = frozenset(("kill", "pkill", "killall", "taskkill", "fuser", "stop-process", "xkill"))
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
_OPERATIONS: Final = frozenset(("git", "gh", "ssh", "jj", "hg"))
"""Programs that may run checks on their way (hooks), but whose own work is another."""
_CHECKED: Final = frozenset(("test_failed", "lint_failed", "type_failed"))
_EXCEPTION: Final = re.compile(r"(?:.*: )?[A-Z]\w*(?:Error|Exception)\b")
_NO_CHECK: Final = frozenset((126, 127, 132, 134, 135, 136, 139, 9009, -6, -11))
"""Exit codes of a program that could not run or fell over."""
_COULD_CHECK: Final = frozenset((*CHECK_CLASSES.values(), "invalid_input", "syntax_error", "other"))
"""Classes a check's own findings can have when nothing says that it could not run."""
_LINE_HEAD, _LINE_TAIL = 2000, 6000


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
    names.update(c.transport.split()[0] for c in case.line.commands if c.transport)
    if program not in READERS and _ERROR_LINE.search(text[:_LINE_HEAD]):
        return True
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


def _no_exit_code(case: Case) -> bool:
    """Nobody says how it ended: no code, no flag, and an agent whose silence proves nothing."""
    result = case.result
    return case.code is None and result.flag is None and result.status is None and case.call.agent not in FLAGGED


def running_program(line: sh.Line) -> str | None:
    """The program whose exit code the line returns, as failures of it are counted."""
    command = sh.deciding(line)
    return key(command, True) or None if command is not None else None


TESTS: Final[Mapping[str, Callable[[Case], bool]]] = {
    "timed_out": lambda case: case.failing and case.frame.timed_out,
    "agent_interpreted": lambda case: bool(case.result.note) and case.result.flag is not True,
    "timeout_asked_for": _asked_timeout,
    "own_kill": _own_kill,
    "pipe_closed": _pipe_closed,
    "probe_answer": lambda case: case.failing and _answered(case),
    "check_reported": lambda case: case.failing and _check_failed(case),
    "no_exit_code": _no_exit_code,
    "hidden_failure": _masked,
    UNVERIFIED: lambda case: sh.swallows(case.line),
}
"""By the name of the rule."""
