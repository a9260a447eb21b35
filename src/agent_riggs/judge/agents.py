# ruff: noqa: E501  (a long expression reads better on one line)
"""The agents' own fixed messages: refusals, interrupts, and what goes wrong with the tools they bring themselves.

Measured on the agents named in :mod:`envelope`, and taken from their documentation where marked in formats notes.
A message counts only where the harness writes it: at the start of a result that did not succeed.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from agent_riggs.calls import Outcome
from agent_riggs.judge.diagnosis import CAUSE, Row, Table, row

START: Final = 600
"""Characters at the start of a text in which a refusal is looked for."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """A message that says the tool did not run or did not finish, for a reason that is not its own failure."""

    outcome: Outcome
    rule: str
    pattern: re.Pattern[str]
    path: bool = False
    """A guard of paths refused it."""


def _refusal(outcome: Outcome, rule: str, pattern: str, path: bool = False) -> Refusal:
    return Refusal(
        outcome, rule, re.compile(r"\s*(?:Error: )?(?:<tool_use_error>)?(?:Error: )?(?:" + pattern + ")"), path
    )


REFUSALS: Final[tuple[Refusal, ...]] = (
    _refusal("cancelled", "sibling_failed", r"Sibling tool call errored|Cancelled: parallel tool call"),
    _refusal(
        "rejected",
        "user_rejected",
        r"The user doesn't want to (?:proceed with this tool use|take this action right now)|User rejected tool use"
        r"|The user rejected permission to use this specific tool call|The user (?:denied|rejected) this (?:operation|tool call)"
        r"|exec command rejected by user|patch rejected by user|rejected by user|User declined to answer"
        r"|\[Operation Cancelled\] Reason: User (?:denied|cancelled|rejected)|User did not allow tool call|The user dismissed this question"
        r"|request_user_input was cancelled|Permission denied by (?:the )?user|denied-interactively-by-user"
        r"|exec_command failed[^\n]{0,200}[Rr]ejected by user|User chose to stay in plan mode|User rejected|Plan (?:was )?rejected"
        r"|(?:Tool )?\"?[\w.-]*\"? ?(?:was )?not executed because the user|The user does not want|User cancelled the",
    ),
    _refusal(
        "interrupted",
        "user_interrupted",
        r"\[Request interrupted by user|Interrupted by user|Exit code \d+\n\[Request interrupted|Request was aborted|Tool execution aborted"
        r"|(?:Wall time: [^\n]*\n)?aborted by user|\[Operation Cancelled\]|User aborted|Command was (?:cancelled|aborted|interrupted) by (?:the )?user"
        r"|Tool permission stream closed|Tool permission request failed: Error: (?:Stream closed|Tool permission stream closed)|The operation was aborted|Operation cancelled by user",
    ),
    _refusal(
        "denied",
        "hook_denied",
        r"(?:Pre|Post)ToolUse:[^\n]{0,80} hook (?:blocking )?error|Hook (?:Pre|Post)ToolUse:[^\n]{0,60}denied|BLOCKED(?:\b| by)|Blocked by hook|Tool call blocked by hook"
        r"|Execution stopped by PreToolUse hook|Command blocked by PreToolUse hook|Denied by (?:pre-?[tT]ool|BeforeTool|preToolUse) ?[uU]?s?e? ?hook"
        r"|\[kibitzer floor\] |A structured alternative is available: ",
    ),
    _refusal(
        "denied",
        "path_denied",
        r"[^\n]{0,200}(?:is in a directory that is denied by your permission settings|was blocked\. For security, Claude Code may only"
        r"|resolves outside the allowed workspace directories|path outside allowed directories|is outside (?:of )?(?:the )?allowed (?:roots|directories|working director)"
        r"|writing outside of the project; rejected|outside the allowed working director|File access denied|not within (?:one of )?the (?:allowed )?workspace director)"
        r"|[^\n]{0,400}is not writable in the current mode|Current mode is read-only",
        True,
    ),
    _refusal(
        "denied",
        "permission_denied",
        r"Permission to use [^\n]{0,400}has been (?:auto-)?denied|Claude requested permissions to|This command requires approval|This command (?:uses|contains) [^\n]{0,120}requires? approval"
        r"|This (?:Bash )?command contains multiple operations[^\n]{0,200}require approval|Permission for this (?:action|tool use|command) (?:has been|was) denied|Tool execution (?:for \"[^\"\n]*\" )?denied by policy"
        r"|The user has specified a rule which prevents you|Permission denied and could not request permission|denied-[\w-]+|[^\n]{0,60}denied by (?:the )?(?:content exclusion|policy|permission rule|rule)"
        r"|Command rejected because it could not be parsed safely|Command '?[^\n]{0,80}'? is not (?:in the )?allow(?:ed|list)|(?:exec_command failed[^\n]{0,120})?(?:[Rr]ejected\(|rejected: )?\"?(?:rejected: )?blocked by policy"
        r"|approval policy is Never; reject command|[^\n]{0,200}you cannot ask for escalated permissions|`[^`\n]{0,200}` rejected: |Auto mode (?:denied|blocked)|Denied by auto mode",
    ),
)


def _own(failure_class: str, needle: str, pattern: str, shape: str) -> Row:
    return row(CAUSE, "", failure_class, needle, pattern, shape)


_ROWS: Final[tuple[Row, ...]] = (
    _own("unknown_tool", "o such tool available", r"No such tool available: (?P<s>[\w.:/-]+)", "no such tool: {s}"),
    _own("unknown_tool", "nknown skill", r"Unknown skill: (?P<s>[\w:.-]+)", "unknown skill: {s}"),
    _own("unknown_tool", "gent type '", r"Agent type '(?P<s>[^']+)' not found", "unknown agent type: {s}"),
    _own("unknown_tool", "unsupported call", r"unsupported call: (?P<s>[\w.:-]+)", "no such tool: {s}"),
    _own("unknown_tool", "does not exist", r"Tool '(?P<s>[^']+)' does not exist", "no such tool: {s}"),
    _own(
        "unknown_tool", "not found in registry", r"Tool \"?(?P<s>[\w.-]+)\"? not found in registry", "no such tool: {s}"
    ),
    _own("unknown_tool", '" not found', r"^Tool \"(?P<s>[\w.:-]+)\" not found", "no such tool: {s}"),
    _own("unknown_tool", "unavailable tool", r"unavailable tool '(?P<s>[^']+)'", "no such tool: {s}"),
    _own("unknown_tool", "Unknown tool", r"Unknown tool:? '?(?P<s>[\w.-]+)", "no such tool: {s}"),
    _own(
        "not_read_first",
        "not been read",
        r"[Ff]ile (?:\S.{0,300} )?has not been read (?:yet|in this session)",
        "file has not been read yet",
    ),
    _own("not_read_first", "must read", r"(?i)you must read (?:the )?file", "file has not been read yet"),
    _own(
        "not_read_first",
        "read the file",
        r"(?i)must use your read tool|read the file .*before (?:overwriting|editing|writing)",
        "file has not been read yet",
    ),
    _own(
        "changed_since_read",
        "modified since",
        r"(?i)file .{0,300}has been modified since|modified since it was last read",
        "file has been modified since it was read",
    ),
    _own(
        "changed_since_read",
        "unexpectedly modified",
        r"unexpectedly modified",
        "file has been modified since it was read",
    ),
    _own(
        "changed_since_read",
        "changed on disk",
        r"(?i)file (?:has )?changed on disk",
        "file has been modified since it was read",
    ),
    _own("text_not_found", "o replace not found", r"(?i)string to replace not found", "text to replace not found"),
    _own("text_not_found", "xact match for", r"(?i)could not find (?:an )?exact match", "text to replace not found"),
    _own("text_not_found", "to find expected lines", r"Failed to find expected lines", "expected lines not found"),
    _own("text_not_found", "to find context", r"Failed to find context", "expected lines not found"),
    _own("text_not_found", "expected padam", r"expected padam", "expected lines not found"),
    _own("text_not_found", "oldString not found", r"oldString not found", "text to replace not found"),
    _own("text_not_found", "ot find oldString", r"(?i)could not find oldString", "text to replace not found"),
    _own("text_not_found", "o match found", r"^No match(?:es)? found\.?$", "text to replace not found"),
    _own(
        "text_not_found",
        "ould not find the string to replace",
        r"ould not find the string to replace",
        "text to replace not found",
    ),
    _own("text_not_found", "0 occurrences found", r"0 occurrences found for old_string", "text to replace not found"),
    _own("text_not_found", "not appear verbatim", r"did not appear verbatim", "text to replace not found"),
    _own(
        "many_matches",
        "matches of the string to replace",
        r"Found \d+ matches of the string to replace",
        "several matches of the text to replace",
    ),
    _own(
        "many_matches", "ultiple matches", r"(?i)(?:found )?multiple matches", "several matches of the text to replace"
    ),
    _own(
        "many_matches",
        "occurrence",
        r"(?i)expected \d+ occurrences? but found \d+|multiple occurrences",
        "several matches of the text to replace",
    ),
    _own(
        "invalid_input",
        "o changes to make",
        r"No changes to make|[Nn]o changes to apply|old_string and new_string are (?:exactly the same|identical)|must be different",
        "no changes to make",
    ),
    _own(
        "too_large",
        "exceeds maximum allowed",
        r"exceeds maximum allowed (?P<t>tokens|size)",
        "file exceeds the maximum allowed {t}",
    ),
    _own(
        "too_large",
        "oo large",
        r"(?i)(?:file|output|result|response|prompt|pdf|image) (?:is |was )?too large",
        "too large",
    ),
    _own(
        "too_large",
        "exceeds",
        r"(?i)(?:response|result|output|size|length)[^\n]{0,60} exceeds (?:the )?(?:maximum|limit|allowed)",
        "exceeds the maximum size",
    ),
    _own("is_directory", "EISDIR", r"EISDIR", "is a directory"),
    _own(
        "is_directory",
        "is a directory",
        r"(?i)(?:path|target)?.{0,200}is a directory,? not a file|[Pp]ath is a directory|Cannot read directory",
        "is a directory",
    ),
    _own(
        "missing_file",
        "does not exist",
        r"(?:File|Path|Directory|file|path|directory|Image file|Notebook(?: file)?)\b.{0,300}? does not exist",
        "does not exist",
    ),
    _own("missing_file", "ile not found", r"[Ff]ile not found", "file not found"),
    _own(
        "missing_file",
        "to read file to update",
        r"Failed to read file to update .*No such file",
        "file to update not found",
    ),
    _own("missing_file", "ENOENT", r"ENOENT", "no such file or directory"),
    _own("missing_file", "o such file or directory", r"[Nn]o such file or directory", "no such file or directory"),
    _own("missing_file", "irectory not found", r"(?i)directory not found|path not found", "does not exist"),
    _own("permission", "EACCES", r"EACCES|EPERM", "permission denied"),
    _own("permission", "ermission denied", r"[Pp]ermission denied|Operation not permitted", "permission denied"),
    _own("sandbox", "failed in sandbox", r"failed in sandbox: (?P<t>.+)", "failed in the sandbox"),
    _own(
        "invalid_input",
        "required parameter",
        r"required parameters? `?(?P<s>\w+)`? is missing",
        "missing parameter: {s}",
    ),
    _own("invalid_input", "unexpected parameter", r"unexpected parameter `?(?P<s>\w+)", "unexpected parameter: {s}"),
    _own(
        "invalid_input",
        "type is expected as",
        r"parameter `?(?P<s>\w+)[^`]*`? type is expected as `?(?P<st>\w+)",
        "parameter {s} must be {st}",
    ),
    _own(
        "invalid_input",
        "must have required property",
        r"must have required property '(?P<s>\w+)'",
        "missing parameter: {s}",
    ),
    _own("invalid_input", "InputValidationError", r"InputValidationError: ?(?P<t>[^\s\[{].*)", "invalid input: {t}"),
    _own("invalid_input", '"message": "', r'"message": "(?P<t>[^"]+)"', "invalid input: {t}"),
    _own(
        "invalid_input",
        "ailed to parse function arguments",
        r"failed to parse function arguments(?:: (?P<t>(?:missing field|unknown field|invalid type)[^,]*))?",
        "failed to parse the arguments: {t}",
    ),
    _own(
        "invalid_input",
        "nvalid arguments",
        r"[Ii]nvalid arguments|Invalid parameters|arguments? (?:are|is) invalid",
        "invalid arguments",
    ),
    _own(
        "invalid_input",
        "apply_patch",
        r"apply_patch (?:verification failed: )?(?:invalid|Invalid) (?P<t>patch|hunk)",
        "invalid {t}",
    ),
    _own(
        "invalid_input",
        "array must have",
        r"'(?P<s>\w+)' array must have at (?P<t>most|least)",
        "{s}: wrong number of items",
    ),
    _own("timeout", "imed out", r"(?i)(?:request|operation|call|tool|command)? ?timed out", "timed out"),
    _own("timeout", "Timeout", r"(?P<s>[\w.]*): Timeout \S+ exceeded", "{s}: timeout exceeded"),
    _own("timeout", "imeout", r"(?i)\btime-?out\b.{0,40}(?:exceeded|reached|after|of \d)", "timed out"),
    _own("killed", "is not running", r"Task \S+ is not running", "the task is not running"),
    _own("killed", "nknown process id", r"Unknown process id", "the task is not running"),
    _own("killed", "No ", r"No (?:running )?(?:shell|task|session) (?:found|with)", "the task is not running"),
    _own("http_error", "status code", r"status code:? (?P<c>[45]\d\d)", "HTTP {c}"),
    _own("http_error", "HTTP", r"\bHTTP (?:error |status )?(?P<c>[45]\d\d)\b", "HTTP {c}"),
    _own("http_error", "(4", r"\berror \((?P<c>4\d\d)\)", "HTTP {c}"),
    _own("http_error", "(5", r"\berror \((?P<c>5\d\d)\)", "HTTP {c}"),
    _own("network", "net::ERR_", r"(?P<c>net::ERR_[A-Z_]+)", "{c}"),
    _own("network", "ECONNREFUSED", r"ECONNREFUSED", "connection refused"),
    _own("network", "ENOTFOUND", r"ENOTFOUND|EAI_AGAIN|getaddrinfo", "could not resolve host"),
    _own(
        "network",
        "fetch failed",
        r"fetch failed|Unable to (?:verify if domain|connect)|socket hang up|ECONNRESET|Failed to fetch",
        "fetch failed",
    ),
    _own(
        "network",
        "certificate",
        r"(?i)certificate (?:has expired|verify failed|is not valid)|self[- ]signed certificate",
        "certificate is not valid",
    ),
    _own("http_error", "nvalid URL", r"Invalid URL|URL must (?:be|start)", "invalid URL"),
    _own("service", "API Error", r"API Error:? ?(?P<c>\d{3})?", "API error {c}"),
    _own("service", "verloaded", r"[Oo]verloaded(?:_error)?", "overloaded"),
    _own("service", "ate limit", r"[Rr]ate limit", "rate limit"),
    _own("mcp_error", "MCP error", r"MCP error (?P<c>-?\d+): (?P<t>[^:(]+)", "MCP error {c}: {t}"),
    _own("mcp_error", "Connection closed", r"[Cc]onnection closed", "connection closed"),
    _own(
        "mcp_error",
        "Target page, context",
        r"Target page, context or browser has been closed",
        "the browser has been closed",
    ),
    _own("mcp_error", "Browser is already in use", r"Browser is already in use", "the browser is already in use"),
    _own(
        "mcp_error",
        "not found in ",
        r"[Rr]ef \S+ not found in the current page snapshot",
        "element not found in the snapshot",
    ),
    _own("mcp_error", "strict mode violation", r"strict mode violation", "strict mode violation"),
)

TOOL_MESSAGES: Final = Table(_ROWS)

SILENT_FAILURES: Final = re.compile(
    r"\s*(?:apply_patch verification failed|apply_patch (?:failed|error)|failed in sandbox|execution error|write_stdin failed|exec_command failed|unsupported call"
    r"|failed to parse function arguments|exec command rejected|patch rejected|aborted by user after|Wall time: [^\n]*\naborted by user|tool call (?:error|failed)"
    r"|unknown tool|err: |Error: |error: |Script failed|collab tool failed|agent with id \S+ not found|resources/\w+ failed|view_image failed|unable to locate image|request_user_input (?:was cancelled|is unavailable))"
)
"""How a failure begins in the text of an agent that writes no flag (Codex CLI)."""
