"""From the text of a failed shell call to class, program and shape: which finding speaks, and who owns it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from agent_riggs.judge import shell as sh
from agent_riggs.judge.classes import CHECK_CLASSES, WITHOUT_SUBCOMMAND, of_exit_code
from agent_riggs.judge.commands import Command
from agent_riggs.judge.diagnosis import CAUSE, DETAIL, MESSAGE, SUMMARY, WRAPPER, Finding, scan
from agent_riggs.judge.fingerprint import fingerprint
from agent_riggs.judge.known import ROWS
from agent_riggs.judge.mask import MAX_LINE, mask, subject
from agent_riggs.judge.records import records
from agent_riggs.judge.shape import exceptions, generic, last_line, telling

MAX_SECONDARY: Final = 8
_ECHO: Final = re.compile(r"^(?:\$|>) (?!@?[\w./-]+@\S+ )(\S.*)$", re.M)
_COLUMN: Final = re.compile(r"^E\s{3,}")
_HEAD: Final = re.compile(
    r"(?i)(?:\berror|panicked|went wrong|exception|failed|failure|not found|cause|InvalidConfigError|In procedure \S+)\b(?!.* line \d+:\s*$).*:\s*$|\d+ validation errors? for \w+$"
)
_NO_BODY: Final = re.compile(r"^\s*(?:[-+|>│╭╰┌└=*#~^✗×]|at |\d+ \||File \"|Traceback)")
_FAILING: Final = re.compile(r"^\s*\d+ failing")
_NUMBERED: Final = re.compile(r"^\s+\d+\) (?P<t>.+?):?$")
_SCRIPT: Final = re.compile(r"\.(?:sh|bash|zsh|fish|ps1|py|rb|pl|js|mjs|cjs|ts|bat|cmd)$", re.I)
_LOCALIZED: Final = re.compile(r"^\S+ ?: (?:[^\W\d]+ )?\d+ ?: (?P<s>[\w.+-]+) ?: \S")


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """Class, program and shape of a failure, the other findings' keys, and whether a check did its work."""

    failure_class: str
    program: str
    shape: str
    line: str
    specific: bool
    reported: bool
    stopped: bool
    found: bool
    secondary: tuple[str, ...] = ()


def lines_of(text: str) -> list[str]:
    """The lines of a cleaned text: blanks and pytest's ``E`` column off, a head that ends in a colon joined to its message."""
    lines = [_COLUMN.sub("", line.rstrip()) for line in text.split("\n") if line.strip()]
    if not any(_HEAD.search(line) for line in lines):
        return lines
    joined: list[str] = []
    for line in lines:
        if joined and _HEAD.search(joined[-1]) and len(joined[-1]) < MAX_LINE and not _NO_BODY.match(line):
            joined[-1] = f"{joined[-1]} {line.strip()}"
        else:
            joined.append(line)
    return joined


def findings_of(text: str) -> tuple[list[str], list[Finding]]:
    """The lines and everything known that they say: table rows, PowerShell records, exceptions."""
    lines = lines_of(text)
    found = scan(lines, ROWS)
    if "--> " not in text:
        found = [f for f in found if f.owner != "rustc" or f.shape[:1] == "E" or f.rank == WRAPPER]
    if " failing" in text or "failing\n" in text:
        found += _mocha(lines)
    known = {finding.line for finding in found}
    found += [
        finding
        for finding in exceptions(lines, "Traceback (most recent call last)" in text)
        if finding.line not in known
    ]
    found += records(text)
    return lines, found


def _mocha(lines: list[str]) -> list[Finding]:
    """The failing tests mocha lists under their summary (``1) name:``)."""
    start = next((i for i, line in enumerate(lines) if _FAILING.match(line)), len(lines))
    names = (_NUMBERED.match(line) for line in lines[start:])
    return [Finding(DETAIL, "test_failed", mask(m["t"]), "mocha", report=True, line=m[0]) for m in names if m]


def diagnose(text: str, line: sh.Line, code: int | None, tool: str) -> Diagnosis:
    """What failed in a shell call, from its output, its line and its exit code."""
    suspects = sh.candidates(line)
    main = sh.deciding(line)
    lines, found = findings_of(text)
    found = _believable(found, suspects, line)
    checks = [command for command in suspects if command.check]
    if not checks:
        found = [f for f in found if not (f.report and f.failure_class == "other")]
    elif any(f.report and f.failure_class == "test_failed" for f in found):
        found = [f for f in found if not f.stopped] or found
    found = _not_found_by_code(found, lines, code)
    stopped = any(f.stopped for f in found)
    reported = any(f.report and (f.rank < SUMMARY or not stopped) for f in found)
    primary = min(found, key=lambda f: f.order, default=None)
    if primary is None or (primary.rank >= SUMMARY and not checks and not primary.report):
        programs = frozenset(c.program for c in line.commands if c.program)
        primary = _better(primary, generic(lines, programs))
    behind = _behind(text, main)
    kind = _kind(checks, behind, main)
    if primary is None:
        return _by_exit_code(lines, code, main, kind, tool)
    failure_class, program, shape = _parts(primary, line, behind, main, kind)
    others = {
        fingerprint(c, tool, p, s)
        for c, p, s in (_parts(f, line, behind, main, kind) for f in found if f is not primary)
    }
    others.discard(fingerprint(failure_class, tool, program, shape))
    return Diagnosis(
        failure_class,
        program,
        shape,
        primary.line,
        failure_class != "other" and telling(shape),
        reported,
        stopped,
        True,
        tuple(sorted(others)[:MAX_SECONDARY]),
    )


def _better(first: Finding | None, second: Finding | None) -> Finding | None:
    if first is None or second is None:
        return first or second
    return second if second.rank < first.rank and second.failure_class != "other" else first


def _believable(found: list[Finding], suspects: Sequence[Command], line: sh.Line) -> list[Finding]:
    """Findings without those that a reader merely printed: of ``cat``, ``git log`` and the like only their own word counts."""
    if not suspects or not all(c.is_reader or c.is_probe for c in suspects):
        return found
    names = {c.program for c in line.commands} | {"bash", "sh", "zsh", "fish", "powershell"}
    names |= {launcher.split()[0] for c in line.commands for launcher in c.via}
    return [
        f
        for f in found
        if f.owner.lstrip("?").split(":")[0].rstrip("!") in names or f.failure_class == "command_not_found"
    ]


def _not_found_by_code(found: list[Finding], lines: list[str], code: int | None) -> list[Finding]:
    """Exit code 127 proves that a command is missing, in whatever language the shell says so."""
    if code != 127 or any(f.failure_class in ("command_not_found", "missing_file") and f.rank == CAUSE for f in found):
        return found
    for line in lines:
        match = _LOCALIZED.match(line)
        if match:
            name = subject(match["s"])
            return [
                Finding(CAUSE, "command_not_found", f"command not found: {name}", name, stopped=True, line=line),
                *found,
            ]
    return found


def _kind(checks: list[Command], behind: Command | None, main: Command | None) -> str | None:
    if behind is not None and behind.check:
        return behind.check
    if main is not None and main.check:
        return main.check
    return checks[-1].check if checks else None


def _behind(text: str, main: Command | None) -> Command | None:
    """The tool behind a script: package runners print the line they run (``$ biome check``, ``> vitest run``)."""
    if main is None or main.program not in ("npm", "pnpm", "yarn", "bun", "npx", "deno", "composer"):
        return None
    found = _ECHO.findall(text[:4000])
    if not found:
        return None
    return sh.deciding(sh.parse(found[-1]))


def _parts(
    finding: Finding, line: sh.Line, behind: Command | None, main: Command | None, kind: str | None
) -> tuple[str, str, str]:
    """Class, program and shape of one finding."""
    failure_class = finding.failure_class
    if kind is not None and failure_class == "other" and finding.rank >= MESSAGE:
        failure_class = CHECK_CLASSES[kind]
    program = _program(finding, failure_class, line, behind, main)
    if failure_class == "other" and program.split(" ")[0] in ("git", "jj", "hg", "svn"):
        failure_class = "vcs"
    shape = finding.shape
    if shape.startswith("pathspec did not match: ") and program not in ("git checkout", "git switch"):
        shape = "pathspec did not match any file known to git"
    return failure_class, program, shape


def _program(finding: Finding, failure_class: str, line: sh.Line, behind: Command | None, main: Command | None) -> str:
    owner = finding.owner
    with_sub = failure_class not in WITHOUT_SUBCOMMAND
    if owner.startswith("?"):
        name = owner[1:].lower()
        command = sh.find(line, name)
        if command is None and behind is not None and behind.program == name:
            command = behind
        owner = "" if command is None else name
    if owner.endswith("!"):
        return owner[:-1]
    name, separator, subs = owner.partition(":")
    if separator:
        return _with_sub(name, subs.split("|"), line)
    if owner:
        if " " in owner:
            return owner
        command = behind if behind is not None and behind.program == owner else sh.find(line, owner)
        return key(command, with_sub) if command is not None else owner
    command = behind or main
    return key(command, with_sub) if command is not None else ""


def key(command: Command, with_sub: bool) -> str:
    """The name failures of a command are counted under; a script of the project counts as its kind (``*.sh``)."""
    match = _SCRIPT.search(command.program)
    return f"*{match[0].lower()}" if match else sh.program_key(command, with_sub)


def _with_sub(name: str, subs: list[str], line: sh.Line) -> str:
    """The program with the sub-command of the line that such a message can come from."""
    for command in reversed(line.commands):
        if command.program == name and command.sub and command.sub[0] in subs:
            return f"{name} {command.sub[0]}"
    return f"{name} {subs[0]}"


def _by_exit_code(lines: list[str], code: int | None, main: Command | None, kind: str | None, tool: str) -> Diagnosis:
    """No line says anything known: what the exit code, the kind of command and the last line tell."""
    failure_class = of_exit_code(code)
    last = last_line(lines)
    name = main.program if main is not None else ""
    shape, specific = mask(last), False
    if failure_class == "killed":
        shape = _SIGNALS.get(code, "killed")
    if failure_class == "command_not_found":
        shape, specific = f"command not found: {name}", bool(name)
    elif failure_class != "other":
        shape, specific = (shape if failure_class == "killed" else failure_class.replace("_", " ")), True
    elif main is not None and name in _EXIT_CODES and code in _EXIT_CODES[name]:
        failure_class, shape = _EXIT_CODES[name][code]
        specific = True
    elif kind is not None:
        failure_class = CHECK_CLASSES[kind]
        shape = f"{kind} failed"
    program = key(main, failure_class not in WITHOUT_SUBCOMMAND) if main is not None else ""
    return Diagnosis(failure_class, program, shape, last, specific, False, False, False)


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
_EXIT_CODES: Final[dict[str, dict[int | None, tuple[str, str]]]] = {
    "curl": {
        3: ("invalid_input", "curl code 3"),
        6: ("network", "curl code 6"),
        7: ("network", "curl code 7"),
        22: ("http_error", "curl code 22"),
        28: ("network", "curl code 28"),
        35: ("network", "curl code 35"),
        52: ("network", "curl code 52"),
        56: ("network", "curl code 56"),
        60: ("network", "curl code 60"),
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
