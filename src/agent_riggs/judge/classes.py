# ruff: noqa: E501  (a long expression reads better on one line)
"""Classes and categories: the closed vocabularies, and the class that words or exit codes alone suggest."""

from __future__ import annotations

import re
from typing import Final

from agent_riggs.calls import Outcome
from agent_riggs.judge.compiled import compiled

CLASSES: Final[tuple[str, ...]] = (
    "text_not_found", "not_read_first", "changed_since_read", "many_matches", "missing_file", "is_directory", "too_large",
    "invalid_input", "unknown_tool", "command_not_found", "bad_option", "bad_path", "module_missing", "syntax_error",
    "permission", "sandbox", "network", "auth", "timeout", "killed", "conflict", "vcs", "environment", "service", "mcp_error",
    "http_error", "test_failed", "lint_failed", "type_failed", "build_failed", "other",
)  # fmt: skip
"""Every value of ``Verdict.failure_class``."""

CATEGORIES: Final[tuple[str, ...]] = ("failure", "path_denial", "timeout", "check_failed", "denied", "generation")
"""Every value of ``Verdict.category``, the coarse level of the store's contract."""

CHECK_CLASSES: Final[dict[str, str]] = {
    "test": "test_failed",
    "lint": "lint_failed",
    "type": "type_failed",
    "build": "build_failed",
    "check": "lint_failed",
}

WITHOUT_SUBCOMMAND: Final[frozenset[str]] = frozenset(
    {
        "syntax_error",
        "type_failed",
        "build_failed",
        "module_missing",
        "command_not_found",
        "missing_file",
        "is_directory",
    }
)
"""Classes of diagnostics that are the same whatever sub-command met them; the others are about an operation."""

_EXCEPTIONS: Final[tuple[tuple[str, str], ...]] = (
    (r"FileNotFound|NoSuchFile|DirectoryNotFound", "missing_file"),
    (r"IsADirectory", "is_directory"),
    (r"NotADirectory|InvalidPath", "bad_path"),
    (
        r"ModuleNotFound|Packages?NotFound|^ImportError|ClassNotFound|NoClassDef|LoadError|GemNotFound",
        "module_missing",
    ),
    (r"Syntax|Indentation|TabError|ParseError|ParserException", "syntax_error"),
    (r"Timeout|TimedOut", "timeout"),
    (r"Permission|AccessDenied|Forbidden|UnauthorizedAccess", "permission"),
    (r"Authenti|Unauthorized|Credential", "auth"),
    (r"Connect|Socket|SSL|DNS|UnknownHost|URLError|NetworkError|ProxyError|gaierror", "network"),
    (r"HTTP|HttpError|RequestException", "http_error"),
    (r"Memory|DiskFull|OSError|Environment|Locale", "environment"),
    (r"FileExists|Conflict|Integrity|Locked|Concurrent|AlreadyExists|Duplicate", "conflict"),
    (r"Assertion|TestFail|ExpectationNotMet|ComparisonFailure", "test_failed"),
    (r"KeyboardInterrupt|SystemExit|Cancelled", "killed"),
)

_WORDS: Final[tuple[tuple[str, str], ...]] = (
    (r"time[- ]?out|timed out|deadline exceeded", "timeout"),
    (r"rate limit|too many requests|overloaded|quota exceeded", "http_error"),
    (
        r"log(?:ged)? ?in\b|unauthori[sz]ed|authenticat|credential|not authorized|invalid (?:api )?(?:key|token)|api key|\b401\b|password|authorization|passphrase|signing",
        "auth",
    ),
    (
        r"permission|forbidden|access (?:is )?denied|not permitted|not allowed|\b403\b|\bEACCES\b|\bEPERM\b|denied",
        "permission",
    ),
    (r"sandbox|read-only file system|Requires \w+ access to", "sandbox"),
    (
        r"connection(?! (?:param|string|option|setting))|refused|unreachable|could not resolve|network|\bdns\b|\bssl\b|\btls\b|certificate(?:'s altnames| (?:verify|has|is|expired|problem|error))|verify .{0,20}certificate|(?:unable|failed|cannot|could not|couldn't|can't|not) (?:to )?connect\b|socket|\bhost\b|econn",
        "network",
    ),
    (
        r"status code|\bHTTP\b|\b[45]\d\d (?:client|server) error|bad gateway|internal server error|service unavailable|GraphQL",
        "http_error",
    ),
    (
        r"no such file|file not found|enoent|cannot find (?:the )?(?:path|file)|missing file|cannot open|failed to open|no such dir|unable to open|could not open|can't open|unable to access|contain a build file|(?:file|playbook|directory|folder|script|config(?:uration)?)\b.{0,80}(?:not found|could not be found|does not exist|doesn't exist|is not a file)|no file named|is not a file|no [\w.]+ ?file found",
        "missing_file",
    ),
    (r"is a directory|eisdir", "is_directory"),
    (
        r"syntax|parse error|parsing|unterminated|unclosed|invalid block definition|unexpected (?:token|end|eof|identifier|string|character)|missing (?:closing|terminator)|unbalanced|unmatched",
        "syntax_error",
    ),
    (
        r"unknown option|unrecognized|invalid option|unknown flag|invalid flag|unknown argument|\busage:|invalid argument|unexpected argument|too many arguments|unknown command|required (?:option|argument|parameter|value)|missing (?:required )?(?:option|argument|flag|parameter|operand)|(?:not enough|too few|insufficient)(?: [\w-]+)? arguments|missing \d+ required|called with (?:no|too (?:many|few)) arguments|nonexistent (?:flag|option)|expected \"<|(?:invalid|bad|no) value for|must specify|one of the following|mutually exclusive|positional",
        "bad_option",
    ),
    (
        r"cannot find module|no module|no package (?:named|matching)|module .{0,60}(?:was |could )?not (?:be )?loaded|(?:unable to|cannot|can't|could not|couldn't) (?:resolve|load|locate|find) (?:\S+ )?(?:package|plugin|module|extension|dependency)\b|module not found|package .{0,60}not (?:found|installed)|not installed|unresolved import|could not resolve dependenc|missing dependenc|dependency .{0,60}not found",
        "module_missing",
    ),
    (
        r"already exists|conflict|in use|locked|\block\b|busy|another (?:process|instance)|duplicate|diverge",
        "conflict",
    ),
    (
        r"no space|disk full|out of memory|environment variable|not set|unsupported (?:version|engine|platform)|incompatible|requires (?:node|python|java|version)|not running|daemon|(?:binary|executable|browser) is (?:missing|not installed)",
        "environment",
    ),
    (r"\bkilled\b|segmentation|core dumped|^\W*abort(?:ed)?\b|\bsignal\b|out of memory", "killed"),
    (r"\bbranch\b|\bcommit\b|\bmerge\b|\brebase\b|\bremote\b|\brepository\b", "vcs"),
    (r"too many (?:to|pages|files|tokens|bytes|rows)|too large|too long|too big|exceeds|maximum", "too_large"),
    (
        r"(?:variable|attribute|symbol|identifier|function|method|field|property|column|relation|table)\b.{0,60}(?:not found|does not exist|not defined)|no such (?:variable|column|table|function|method)",
        "invalid_input",
    ),
    (
        r"not found|does not exist|doesn't exist|no such|could not find|cannot find|couldn't find|can't find|unable to find|unknown|not exist",
        "bad_path",
    ),
    (
        r"invalid|expected|must |required|cannot|can't|could not|couldn't|unable to|not a valid|malformed|illegal|undefined|unsupported|not supported|missing|null|not in scope|not (?:defined|declared|initiali[sz]ed|valid)|wrong|bad |incorrect|empty|no \w+ (?:specified|provided|given|found)|unexpected",
        "invalid_input",
    ),
)


def of_exception(name: str) -> str:
    """The class an exception's name suggests; ``invalid_input`` for those of a wrong program or argument."""
    return next((c for pattern, c in _EXCEPTIONS if compiled(pattern).search(name)), "invalid_input")


def of_words(text: str, repository: bool = True) -> str:
    """The class the words of an error line suggest, ``other`` when they suggest none. Words such as branch and commit
    count only where a ``repository`` may be meant."""
    return next(
        (c for pattern, c in _WORDS if (repository or c != "vcs") and compiled(pattern, re.I).search(text)), "other"
    )


def of_exit_code(code: int | None) -> str:
    """The class an exit code alone proves."""
    if code == 127 or code == 9009:
        return "command_not_found"
    if code == 126:
        return "permission"
    if code == 124:
        return "timeout"
    if code in (130, 131, 132, 134, 135, 136, 137, 139, 143, -9, -15, -11, -6) or (code or 0) >= 0xC0000000:
        return "killed"
    return "other"


def category(outcome: Outcome, failure_class: str | None, tool: str, path: bool = False) -> str | None:
    """The contract's coarse category of an outcome; ``None`` unless it is a failure."""
    if outcome == "check_failed":
        return "check_failed"
    if outcome == "denied":
        return "path_denial" if path else "denied"
    if outcome != "failed":
        return None
    if failure_class == "timeout":
        return "timeout"
    return "generation" if failure_class == "service" and tool in ("Task", "Skill") else "failure"
