"""From the text of a failed shell call to class, program and shape: which finding speaks, and what it says."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from agent_riggs.judge import shell as sh
from agent_riggs.judge.classes import CHECK_CLASSES, WITHOUT_SUBCOMMAND, of_exit_code
from agent_riggs.judge.diagnosis import CAUSE, MESSAGE, SUMMARY, WRAPPER, Diagnosis, Finding
from agent_riggs.judge.findings import findings_of
from agent_riggs.judge.fingerprint import fingerprint
from agent_riggs.judge.lines import lines_of
from agent_riggs.judge.mask import mask, subject
from agent_riggs.judge.owner import Scene, key, program_of, scene
from agent_riggs.judge.sentences import of_message
from agent_riggs.judge.shape import LOCATED, generic, is_noise, last_line, located, stripped, telling

MAX_SECONDARY: Final = 8
_SHORT: Final = 6
"""An output of at most so many lines is no printed text but the message itself."""
_MESSAGE_LINES: Final = 3
_LOCALIZED: Final = re.compile(r"^\S+ ?: (?:[^\W\d]+ )?\d+ ?: (?P<s>[\w.+-]+) ?: \S")
_SUMMARIES: Final[dict[str, str]] = {
    "test": "tests failed",
    "lint": "problems found",
    "type": "type errors",
    "build": "build failed",
    "check": "problems found",
}
_REPOSITORIES: Final = frozenset(("git", "jj", "hg", "svn"))
_RUNNERS: Final = frozenset(("make", "just", "rake", "task"))
_WITH_REPOSITORIES: Final = _REPOSITORIES | {"gh", "glab", "gt", "git-lfs", "lazygit", "pre-commit"}


def diagnose(text: str, line: sh.Line, code: int | None, tool: str) -> Diagnosis:
    """What failed in a shell call, from its output, its line and its exit code."""
    place = scene(line, text, code)
    lines = lines_of(text)
    found = _believable(findings_of(text, lines), lines, place)
    checks = any(command.check for command in place.suspects)
    if not checks and place.behind is None:
        found = [f for f in found if not (f.report and f.failure_class == "other")]
    elif any(f.report and f.failure_class == "test_failed" for f in found):
        found = [f for f in found if not f.stopped] or found
    found = _not_found_by_code(found, lines, code)
    primary = min(found, key=lambda f: f.order, default=None)
    if primary is None or (primary.rank >= SUMMARY and not (checks and primary.report)):
        known = {f.line for f in found}
        programs = frozenset(c.program for c in line.commands if c.program)
        primary = _better(primary, _placed(generic([item for item in lines if item not in known], programs), lines))
        primary = _own_words(primary, lines)
    primary = _outspoken(primary, lines, place) or _usage(lines)
    if primary is None:
        return _by_exit_code(lines, code, place)
    stopped = any(f.stopped for f in found)
    return _told(primary, found, place, tool, stopped)


def _told(primary: Finding, found: list[Finding], place: Scene, tool: str, stopped: bool) -> Diagnosis:
    failure_class, program, shape = _parts(primary, place)
    others = _others(primary, found, place, tool)
    others.discard(fingerprint(failure_class, tool, program, shape))
    return Diagnosis(
        failure_class,
        program,
        shape,
        primary.line,
        failure_class != "other" and telling(shape),
        any(f.report and (f.rank < SUMMARY or not stopped) for f in found),
        stopped,
        True,
        tuple(sorted(others)),
    )


def _others(primary: Finding, found: list[Finding], place: Scene, tool: str) -> set[str]:
    """Keys of the findings next in order."""
    keys: set[str] = set()
    for finding in sorted((f for f in found if f is not primary and f.shape != primary.shape), key=lambda f: f.order):
        if len(keys) >= MAX_SECONDARY:
            break
        keys.add(fingerprint(*_parts_and_tool(finding, place, tool)))
    return keys


def _parts_and_tool(finding: Finding, place: Scene, tool: str) -> tuple[str, str, str, str]:
    failure_class, program, shape = _parts(finding, place)
    return failure_class, tool, program, shape


def _better(first: Finding | None, second: Finding | None) -> Finding | None:
    if first is None or second is None:
        return first or second
    return second if second.rank < first.rank and second.failure_class != "other" else first


def _own_words(primary: Finding | None, lines: list[str]) -> Finding | None:
    """Of a runner that only repeats that a job failed: the job's own last line when it said little."""
    if primary is None or primary.rank != WRAPPER or primary.owner not in _RUNNERS:
        return primary
    place = next((i for i, line in enumerate(lines) if line == primary.line), 0)
    said = [line for line in lines[:place] if not is_noise(line)]
    shape = mask(stripped(said[-1])) if 0 < len(said) <= _MESSAGE_LINES else ""
    if not telling(shape):
        return primary
    failure_class = of_message(said[-1])
    return Finding(MESSAGE, "invalid_input" if failure_class == "other" else failure_class, shape, line=said[-1])


def _outspoken(primary: Finding | None, lines: list[str], place: Scene) -> Finding | None:
    """A weak line is the message itself where a program that reads nothing for others says little else."""
    weak = primary is not None and primary.rank == SUMMARY and primary.failure_class == "other"
    if primary is None or not weak or primary.report or place.main is None or not _is_message(lines, primary.shape):
        return primary
    return primary if place.main.is_reader or place.main.is_probe else replace(primary, rank=MESSAGE)


def _usage(lines: list[str]) -> Finding | None:
    """A program that answers with nothing but its usage was called in the wrong way."""
    if not lines or not lines[0].lower().startswith("usage:"):
        return None
    return Finding(MESSAGE, "bad_option", "usage", stopped=True, line=lines[0])


def _placed(finding: Finding | None, lines: list[str]) -> Finding | None:
    """The finding as a checker's report when the output says where in a file it found something."""
    if finding is None or finding.failure_class not in _BY_WORDS:
        return finding
    return replace(finding, placed=any(LOCATED.match(line) for line in lines[:_PLACES]))


def _believable(found: list[Finding], lines: list[str], place: Scene) -> list[Finding]:
    """Findings without those that a reader merely printed: of ``cat`` or ``git log`` only their own count."""
    suspects = place.suspects
    if len(lines) <= _SHORT or not suspects or not all(c.is_reader or c.is_probe for c in suspects):
        return found
    names = {"bash", "sh", "zsh", "fish", "powershell"}
    for command in place.line.commands:
        names.add(command.program)
        names.update(launcher.split()[0] for launcher in command.via)
    return [
        f
        for f in found
        if f.failure_class == "command_not_found"
        or f.owner.lstrip("?").split(":")[0].split(" ")[0].rstrip("!") in names
        or f.record
    ]


def _not_found_by_code(found: list[Finding], lines: list[str], code: int | None) -> list[Finding]:
    """Exit code 127 proves that a command is missing, in whatever language the shell says so."""
    if code != 127 or any(
        f.failure_class in ("command_not_found", "missing_file", "environment") and f.rank == CAUSE for f in found
    ):
        return found
    for line in lines:
        match = _LOCALIZED.match(line)
        if match:
            name = subject(match["s"])
            shape = f"command not found: {name}"
            return [Finding(CAUSE, "command_not_found", shape, name, stopped=True, line=line), *found]
    return found


def _parts(finding: Finding, place: Scene) -> tuple[str, str, str]:
    """Class, program and shape of one finding."""
    failure_class, shape, kind = finding.failure_class, finding.shape, place.kind
    if failure_class == "other" and (finding.rank >= MESSAGE or finding.report):
        if kind is not None and (finding.report or finding.rank >= SUMMARY):
            failure_class = CHECK_CLASSES[kind]
            shape = _SUMMARIES[kind] if finding.rank == WRAPPER else shape
        elif finding.rank == MESSAGE:
            failure_class = "invalid_input"
    if failure_class == "test_failed" and kind is None and not finding.report:
        failure_class = "invalid_input"
    elif failure_class == "invalid_input" and kind == "test" and finding.rank >= MESSAGE:
        failure_class = "test_failed"
    elif kind not in (None, "test") and failure_class in _BY_WORDS and _may_report(finding, failure_class, place):
        failure_class = CHECK_CLASSES[kind]
    program = program_of(finding, failure_class, place)
    if failure_class == "vcs" and finding.rank >= MESSAGE and not _about_repository(program, place):
        failure_class = of_message(finding.shape, repository=False).replace("other", "invalid_input")
    elif failure_class in ("other", "invalid_input") and program.split(" ")[0] in _REPOSITORIES:
        failure_class = "vcs"
    if shape.startswith("pathspec did not match: ") and program not in ("git checkout", "git switch"):
        shape = "pathspec did not match any file known to git"
    return failure_class, program, shape


def _may_report(finding: Finding, failure_class: str, place: Scene) -> bool:
    """Whether words alone gave the class of what a checker says of the work: at a place, or without an exception."""
    if finding.placed:
        return True
    checker = place.behind or place.main
    known = failure_class == "bad_path" or finding.stopped or _THROWN.match(finding.shape) is not None
    return not known and checker is not None and checker.check not in (None, "test")


def _about_repository(program: str, place: Scene) -> bool:
    """Whether branches and commits can be meant: a command of the line works on a repository."""
    names = {program.split(" ")[0], *(command.program for command in place.line.commands)}
    return not names.isdisjoint(_WITH_REPOSITORIES)


def _by_exit_code(lines: list[str], code: int | None, place: Scene) -> Diagnosis:
    """No line says anything known: what the exit code, the kind of command and the last line tell."""
    main, kind = place.main, place.kind
    last = last_line(lines)
    found = Diagnosis(of_exit_code(code), "", mask(stripped(last)) or mask(last), last)
    name = main.program if main is not None else ""
    if found.failure_class == "command_not_found":
        found = replace(found, shape=f"command not found: {name}", specific=bool(name))
    elif found.failure_class == "killed":
        found = replace(found, shape=_SIGNALS.get(code, "killed"), specific=True)
    elif found.failure_class != "other":
        found = replace(found, shape=found.failure_class.replace("_", " "), specific=True)
    elif code in _EXIT_CODES.get(name, {}):
        failure_class, shape = _EXIT_CODES[name][code]
        found = replace(found, failure_class=failure_class, shape=shape, specific=True)
    elif kind == "build" and _is_message(lines, found.shape) and of_message(last) == "missing_file":
        found = replace(found, failure_class="missing_file", specific=True)
    elif kind is not None:
        shape, said = located(lines)
        found = replace(found, failure_class=CHECK_CLASSES[kind], shape=shape or _SUMMARIES[kind], specific=bool(shape))
        found = replace(found, line=said or found.line)
    elif name in _REPOSITORIES and code:
        found = replace(found, failure_class="vcs", specific=_is_message(lines, found.shape))
    elif main is not None and not (main.is_reader or main.is_probe) and _is_message(lines, found.shape):
        failure_class = of_message(last, _about_repository(name, place))
        found = replace(
            found, failure_class="invalid_input" if failure_class == "other" else failure_class, specific=True
        )
    command = place.behind or main
    with_sub = found.failure_class not in WITHOUT_SUBCOMMAND
    return replace(found, program=key(command, with_sub) if command is not None else "")


def _is_message(lines: list[str], shape: str) -> bool:
    """A few lines and a failure: the text is the message, whatever its language."""
    return 0 < len(lines) <= _MESSAGE_LINES and telling(shape)


_THROWN: Final = re.compile(r"[\w.:]*[A-Z]\w*(?:Error|Exception)\b")
_PLACES: Final = 40
_BY_WORDS: Final = frozenset(("invalid_input", "bad_path", "other"))
"""Classes that only the words of a line suggest; a checker's line about a place in a file is its report."""
_SIGNALS: Final[dict[int | None, str]] = {
    130: "interrupted",
    132: "illegal instruction",
    134: "aborted",
    135: "bus error",
    136: "floating point exception",
    137: "killed",
    139: "segmentation fault",
    143: "terminated",
    -6: "aborted",
    -11: "segmentation fault",
    -15: "terminated",
}
_CURL: Final = {3: "invalid_input", 6: "network", 7: "network", 22: "http_error", 28: "network", 35: "network"}
_EXIT_CODES: Final[dict[str, dict[int | None, tuple[str, str]]]] = {
    "curl": {
        code: (_CURL.get(code, "network"), f"curl code {code}")
        for code in (3, 5, 6, 7, 16, 18, 22, 23, 26, 28, 35, 47, 51, 52, 55, 56, 60, 67, 77, 92)
    },
    "wget": {4: ("network", "network failure"), 8: ("http_error", "the server answered with an error")},
    "ssh": {255: ("network", "ssh failed")},
    "pytest": {
        5: ("bad_path", "no tests ran"),
        4: ("bad_option", "usage error"),
        3: ("invalid_input", "internal error"),
    },
    "grep": {2: ("invalid_input", "grep failed")},
    "rg": {2: ("invalid_input", "rg failed")},
}
"""What exit codes mean by the manuals of these programs."""
