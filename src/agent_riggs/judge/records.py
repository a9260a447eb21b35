"""PowerShell's error records: the two identifiers at their end are never translated, the words before them are."""

from __future__ import annotations

import re
from typing import Final

from agent_riggs.judge.diagnosis import CAUSE, Finding
from agent_riggs.judge.mask import subject

_RECORD: Final = re.compile(
    r"CategoryInfo\s*:\s*(?P<category>\w+)[\s\S]{0,400}?FullyQualifiedErrorId\s*:\s*(?P<id>\w+)"
    r"|CategoryInfo\s*:\s*(?P<alone>\w+)|FullyQualifiedErrorId\s*:\s*(?P<tail>\w+)"
)
_CMDLET: Final = re.compile(r"\) \[(?P<name>[A-Z]\w+-[A-Z]\w+)\]")
_NAMED: Final = re.compile(r"^(?P<name>[^\s:][^:\n]{0,80}?) ?: ", re.M)
_TERM: Final = re.compile(r"The term '(?P<s>[^'\n]+)'|^(?P<label>[\w./\\:-]{1,80}) : The term ", re.M)
_PARAMETER: Final = re.compile(r"matches parameter name '(?P<s>[^'\n]+)'")
_SHORT: Final = re.compile(r"^(?P<name>[A-Z]\w+-[A-Z]\w+): (?P<t>.+)", re.M)

_CATEGORIES: Final[dict[str, str]] = {
    "ObjectNotFound": "missing_file",
    "ParserError": "syntax_error",
    "InvalidArgument": "bad_option",
    "InvalidOperation": "invalid_input",
    "InvalidData": "invalid_input",
    "InvalidType": "invalid_input",
    "InvalidResult": "invalid_input",
    "SyntaxError": "syntax_error",
    "PermissionDenied": "permission",
    "SecurityError": "permission",
    "AuthenticationError": "auth",
    "ResourceExists": "conflict",
    "ResourceBusy": "conflict",
    "WriteError": "permission",
    "OpenError": "permission",
    "ReadError": "missing_file",
    "ConnectionError": "network",
    "OperationTimeout": "timeout",
    "LimitsExceeded": "too_large",
    "ResourceUnavailable": "environment",
    "NotInstalled": "module_missing",
    "NotSpecified": "invalid_input",
    "MetadataError": "invalid_input",
    "FromStdErr": "other",
}


def records(text: str) -> list[Finding]:
    """One finding per error record of Windows PowerShell and PowerShell 7 in its long view."""
    if "CategoryInfo" not in text and "FullyQualifiedErrorId" not in text:
        return []
    found: list[Finding] = []
    for match in _RECORD.finditer(text):
        category = match["category"] or match["alone"] or ""
        identifier = match["id"] or match["tail"] or ""
        if len(found) >= 20:
            break
        finding = _finding(text, match.group(0), category, identifier)
        if finding is not None:
            found.append(finding)
    return found


def _finding(text: str, record: str, category: str, identifier: str) -> Finding | None:
    line = text.lstrip().partition("\n")[0]
    missing = identifier.startswith("CommandNotFound") or "CommandNotFoundException" in record
    if missing or (not category and "CommandNotFoundException" in text):
        term = _TERM.search(text)
        name = subject(term["s"] or term["label"] or "") if term else ""
        return Finding(
            CAUSE, "command_not_found", f"command not found: {name}".strip(": "), name, stopped=True, line=line
        )
    parameter = _PARAMETER.search(text)
    cmdlet = _CMDLET.search(record)
    owner = cmdlet["name"] if cmdlet else ""
    if identifier.startswith("NativeCommandError") or category == "FromStdErr":
        return None
    if parameter:
        return Finding(
            CAUSE,
            "bad_option",
            f"unknown parameter: {subject(parameter['s'])}",
            _owner(owner, text),
            stopped=True,
            line=line,
        )
    failure_class = _of_identifier(identifier) or _CATEGORIES.get(category, "invalid_input")
    shape = " ".join(word for word in (category, identifier) if word)
    if failure_class == "syntax_error":
        return Finding(CAUSE, failure_class, shape, "powershell", stopped=True, line=line, record=True)
    return Finding(CAUSE, failure_class, shape, _owner(owner, text), stopped=False, line=line, record=True)


def _of_identifier(identifier: str) -> str | None:
    """The class an identifier names; categories are coarser, and sometimes cut off."""
    return next((c for pattern, c in _IDENTIFIERS if pattern.search(identifier)), None)


_IDENTIFIERS: Final = tuple(
    (re.compile(pattern), failure_class)
    for pattern, failure_class in (
        (r"PathNotFound|ItemNotFound|DriveNotFound|FileNotFound", "missing_file"),
        (r"Parameter|Argument", "bad_option"),
        (r"Terminator|Missing|Unexpected|InvalidEndOfLine|Expected|Token|Syntax", "syntax_error"),
        (r"Unauthorized|AccessDenied|Permission", "permission"),
        (r"Timeout", "timeout"),
        (r"WebCmdlet|WebRequest|Connection", "http_error"),
        (r"Exist", "conflict"),
    )
)


def _owner(cmdlet: str, text: str) -> str:
    """The cmdlet, else the name the record starts with when a command of the line has it."""
    if cmdlet:
        return cmdlet.lower()
    named = _NAMED.search(text)
    return f"?{named['name'].lower()}" if named and " " not in named["name"] else ""
