"""The findings in an output: everything the tables and the looks of a line tell."""

from __future__ import annotations

import re
from typing import Final

from agent_riggs.judge.diagnosis import CAUSE, DETAIL, MESSAGE, WRAPPER, Finding, scan
from agent_riggs.judge.known import KNOWN
from agent_riggs.judge.mask import mask
from agent_riggs.judge.records import records
from agent_riggs.judge.shape import exceptions

_FAILING: Final = re.compile(r"^\s*\d+ failing")
_NUMBERED: Final = re.compile(r"^\s+\d+\) (?P<t>.+)$")
_LIST: Final = re.compile(
    r"^\s*(?:Failures|Failed tests|Failing \w+|There (?:was|were) \d+ (?:failure|error)s?):\s*$", re.I
)
_ITEM: Final = re.compile(r"^\s{0,4}(?:\d+\) |\S+\.\w+:\d+\s+)(?P<t>\S.*)$")
_TABLED: Final = re.compile(r"^\s{1,4}:?\d+\s{2,}(?P<t>\S.*\w.*)$")
_TOML: Final = "TOML parse error at line"
_RULER: Final = re.compile(r"^\s*\d*\s*\|")
_PROJECT: Final = re.compile(r"(?:root )?project '[^']*'")
_WRONG: Final = "* What went wrong:"


def findings_of(text: str, lines: list[str]) -> list[Finding]:
    """Everything known that the lines say: table rows, exceptions, PowerShell's error records."""
    found = scan(lines, KNOWN)
    if "--> " not in text:
        found = [f for f in found if f.owner != "rustc" or f.shape[:1] == "E" or f.rank == WRAPPER]
    if "failing" in text:
        found += _mocha(lines)
    elif not any(f.rank == DETAIL and f.failure_class == "test_failed" for f in found):
        found += _listed(lines)
    if _TOML in text:
        found += _toml(lines)
    if _WRONG in text:
        found += _gradle(lines)
    if "  Line  " in text:
        found += _numbered(lines)
    known = {finding.line for finding in found}
    thrown = exceptions(lines, "Traceback (most recent call last)" in text)
    found += [finding for finding in thrown if finding.line not in known]
    return found + records(text)


def _mocha(lines: list[str]) -> list[Finding]:
    """The failing tests mocha lists under their summary: ``1) suite`` and the test's name on the next line."""
    found: list[Finding] = []
    start = next((i for i, line in enumerate(lines) if _FAILING.match(line)), len(lines))
    for place in range(start + 1, len(lines)):
        match = _NUMBERED.match(lines[place])
        if match is None:
            continue
        name = match["t"]
        for line in lines[place + 1 : place + 6]:
            if name.endswith(":") or _NUMBERED.match(line):
                break
            name = f"{name} {line.strip()}"
        found.append(_test(name.rstrip(":"), "mocha", lines[place]))
    return found


def _listed(lines: list[str]) -> list[Finding]:
    """The numbered failing tests below a title that says so, as most runners list them."""
    start = next((i for i, line in enumerate(lines) if _LIST.match(line)), len(lines))
    found = (_ITEM.match(line) for line in lines[start + 1 :])
    return [_test(match["t"], "", match.string) for match in found if match is not None]


def _numbered(lines: list[str]) -> list[Finding]:
    """The findings of a table that gives each one's line: ``3   Call to an undefined method``."""
    found = (_TABLED.match(line) for line in lines)
    return [
        Finding(DETAIL, "type_failed", mask(m["t"]), report=True, line=m.string, placed=True)
        for m in found
        if m is not None
    ]


def _toml(lines: list[str]) -> list[Finding]:
    """What is wrong with a TOML file: the line below the excerpt that Rust's parser prints."""
    found = []
    for place, line in enumerate(lines):
        if _TOML in line:
            told = next((item for item in lines[place + 1 : place + 8] if not _RULER.match(item)), "").strip()
            if told:
                found.append(Finding(CAUSE, "syntax_error", mask(told), stopped=True, line=told))
    return found


def _gradle(lines: list[str]) -> list[Finding]:
    """What Gradle says went wrong: the innermost ``>`` line of the paragraph."""
    start = next(i for i, line in enumerate(lines) if _WRONG in line)
    cause = lines[start].partition(_WRONG)[2]
    for line in lines[start + 1 : start + 12]:
        if line.startswith("* "):
            break
        if line.lstrip().startswith("> "):
            cause = line.lstrip()[2:]
    told = _PROJECT.sub("project", cause).strip()
    if not told or told.startswith("There were failing tests") or "Compilation failed" in told:
        return []
    return [Finding(MESSAGE, "build_failed", mask(told), "gradle", report=True, line=cause)]


def _test(name: str, owner: str, line: str) -> Finding:
    return Finding(DETAIL, "test_failed", mask(name), owner, report=True, line=line)
