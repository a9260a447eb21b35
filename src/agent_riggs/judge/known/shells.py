# ruff: noqa: E501  (a row of a table reads better on one line; messages are quoted as they are printed)
# fmt: off
"""What shells, coreutils, option parsers and operating systems say."""

from __future__ import annotations

from typing import Final

from agent_riggs.judge.diagnosis import CAUSE, MESSAGE, Row, row

_SHELL: Final = (
    r"(?:^|[\s/(])-?(?:bash|sh|dash|ash|zsh|ksh|fish|\(?eval\)?|[\w.-]+\.(?:sh|bash|zsh|ksh|fish))(?:\.exe)?"
    r"(?::(?: eval:)?(?: [^\W\d]+)? ?\d+ ?)*: "
)
_WORD: Final = r"(?P<s>[^\s:'\"`]+)"

NOT_FOUND: Final[tuple[Row, ...]] = (
    row(CAUSE, "o", "command_not_found", "ommand not found", rf"(?i:command not found): {_WORD}\s*$", "command not found: {s}", "{s}"),
    row(CAUSE, "o", "command_not_found", "ommand not found", r"(?:^|[\s:])(?P<s>[^\s:'\"`]+): command not found\b", "command not found: {s}", "{s}"),
    row(CAUSE, "o", "command_not_found", "not found", rf"{_SHELL}(?P<s>[^\s:/]+): (?:inaccessible or )?not found\s*$", "command not found: {s}", "{s}"),
    row(CAUSE, "o", "command_not_found", "nknown command: ", r"fish: Unknown command:? (?P<s>\S+)", "command not found: {s}", "{s}"),
    row(CAUSE, "o", "command_not_found", "", rf"{_SHELL}(?P<s>[^\s:]+)\s?: (?:未找到命令|コマンドが見つかりません|명령어를 찾을 수 없음|команда не найдена|orden no encontrada|no se encontró la orden|commande introuvable|Kommando nicht gefunden|Befehl nicht gefunden|comando non trovato|comando não encontrado|opdracht niet gevonden|nie znaleziono polecenia|komut yok|kommandot finns inte)", "command not found: {s}", "{s}"),
    row(CAUSE, "o", "command_not_found", "xargs: ", r"xargs: (?P<s>[\w.+-]+): No such file or directory", "command not found: {s}", "{s}"),
    row(CAUSE, "o", "command_not_found", "make", r"^\w*make(?:\[\d+\])?: (?P<s>[\w.+-]+): (?:No such file or directory|Command not found)", "command not found: {s}", "{s}"),
    row(CAUSE, "o", "command_not_found", "not found.", r"Program (?P<s>[\w.+-]+) not found\.", "command not found: {s}", "{s}"),
    row(CAUSE, "o", "command_not_found", "running subprocess", r"Exception running subprocess \[Errno 2\] No such file or directory: '(?P<s>[^']+)'", "command not found: {s}", "{s}"),
    row(CAUSE, "o", "command_not_found", " be found", r"(?:[Ee]xecutable|[Cc]ommand|[Pp]rogram|[Bb]inary) ['\"`](?P<s>[\w.+-]+)['\"`] (?:could not|cannot) be found", "command not found: {s}", "{s}"),
    row(CAUSE, "o", "command_not_found", " find ", r"(?:not|n't) find (?:the )?(?:executable|program|binary)(?: named)? ['\"`](?P<s>[\w.+-]+)['\"`]", "command not found: {s}", "{s}"),
    row(CAUSE, "o", "command_not_found", "applet not found", r"(?P<s>\S+): applet not found", "command not found: {s}", "{s}"),
    row(CAUSE, "o", "command_not_found", "ommand ", r"Command [`'\"](?P<s>[\w.+-]+)[`'\"] (?:is )?not found in your PATH", "command not found: {s}", "{s}"),
    row(CAUSE, "o", "missing_file", "cannot execute: required file not found", r"cannot execute: required file not found|bad interpreter", "bad interpreter", "sh"),
    row(CAUSE, "o", "command_not_found", "No such file", r"\b(?:env|timeout|nice|ionice|nohup|setsid|stdbuf|flock|chroot|strace|tini): (?:failed to run command |cannot run |failed to execute )?['\u2018\"]?(?P<s>[\w.+-]+)['\u2019\"]?: No such file or directory", "command not found: {s}", "{s}"),
    row(CAUSE, "o", "command_not_found", "ENOENT", r"\bspawn(?:Sync)? (?P<s>[^\s'\"]+) ENOENT", "command not found: {s}", "{s}"),
    row(CAUSE, "o", "command_not_found", "is not recognized as an", r"'?\"?(?P<s>[^'\"]+?)\"?'? is not recognized as an internal or external command", "command not found: {s}", "{s}"),
    row(CAUSE, "o", "command_not_found", "The term '", r"The term '(?P<s>[^']+)'? ?(?:is|mi|bo|$)?", "command not found: {s}", "{s}"),
    row(CAUSE, "o", "command_not_found", "entweder falsch", r"Befehl \"(?P<s>[^\"]+)\" ist entweder falsch", "command not found: {s}", "{s}"),
    row(CAUSE, "o", "command_not_found", "n'est pas reconnu", r"'?(?P<s>[^'\s]+)'? n'est pas reconnu en tant que commande", "command not found: {s}", "{s}"),
    row(CAUSE, "o", "command_not_found", "", r"^['\"](?P<s>[^'\"]+)['\"] ?(?:não é reconhecido|non è riconosciuto|не является внутренней|不是内部或外部命令|は、内部コマンド|은\(는\) 내부|nie jest rozpoznawan|wordt niet herkend)", "command not found: {s}", "{s}"),
    row(CAUSE, "o", "command_not_found", " not found. ", r"^(?P<s>[a-z][\w+-]*) not found\. .*\b(?:install|PATH)\b", "command not found: {s}", "{s}"),
    row(CAUSE, "o", "command_not_found", "no se reconoce", r"['\"](?P<s>[^'\"]+)['\"] no se reconoce como un comando", "command not found: {s}", "{s}"),
    row(CAUSE, "o", "command_not_found", "executable file not found", r"exec: \"(?P<s>[^\"]+)\": executable file not found", "executable not found: {s}", ""),
    row(CAUSE, "o", "command_not_found", "Failed to spawn", r"Failed to spawn: [`'](?P<s>[^`']+)[`']", "command not found: {s}", "{s}"),
    row(CAUSE, "o", "command_not_found", "t find ", r"The (?:program|command) ['\"](?P<s>[\w.+-]+)['\"] (?:is currently not installed|can't be found)", "command not found: {s}", "{s}"),
    row(CAUSE, "o", "command_not_found", "but can be installed with", r"Command '(?P<s>[^']+)' (?:not found, but|is available)", "command not found: {s}", "{s}"),
)

SYNTAX: Final[tuple[Row, ...]] = (
    row(CAUSE, "o", "bad_path", "no matches found", r"(?:zsh|\(eval\))[^:]*:(?:\d+:)? no matches found: ", "no matches found for the pattern", "zsh"),
    row(CAUSE, "o", "bad_path", "No matches for wildcard", r"No matches for wildcard", "no matches found for the pattern", "fish"),
    row(CAUSE, "o", "syntax_error", "syntax error near unexpected token", r"syntax error near unexpected token [`'\"](?P<c>[^'\"]{1,20})['\"]", "syntax error near unexpected token {c}", "bash"),
    row(CAUSE, "o", "syntax_error", "while looking for matching", r"unexpected EOF while looking for matching [`']['\"`]", "unexpected end of file while looking for a matching quote", "bash"),
    row(CAUSE, "o", "syntax_error", "while looking for matching", r"unexpected EOF while looking for matching", "unexpected end of file while looking for a matching bracket", "bash"),
    row(CAUSE, "o", "syntax_error", "integer expression expected", r"integer expression expected", "integer expression expected", "bash"),
    row(CAUSE, "o", "syntax_error", "bad pattern", r"zsh(?::\d+)?: bad pattern", "bad pattern", "zsh"),
    row(CAUSE, "o", "syntax_error", "syntax error: unexpected end of file", r"(?:line \d+|eval)[^:]*: syntax error: unexpected end of file", "syntax error: unexpected end of file", "bash"),
    row(CAUSE, "o", "syntax_error", "Syntax error: ", r"\bsh: \d+: Syntax error: (?P<t>.+)", "syntax error: {t}", "sh"),
    row(CAUSE, "o", "syntax_error", "parse error near", r"(?:zsh|\(eval\))[^ ]* parse error near [`'](?P<t>[^'`]{1,20})'", "parse error near an unexpected token", "zsh"),
    row(CAUSE, "o", "syntax_error", "unmatched ", r"(?:zsh|\(eval\))[^ ]* unmatched ['\"`]", "unmatched quote", "zsh"),
    row(CAUSE, "o", "syntax_error", "bad substitution", rf"{_SHELL}.*bad substitution|: bad substitution", "bad substitution", ""),
    row(CAUSE, "o", "syntax_error", "ambiguous redirect", r"ambiguous redirect", "ambiguous redirect", "bash"),
    row(CAUSE, "o", "syntax_error", "unary operator expected", r"\[: .*(?:unary|binary) operator expected", "operator expected in a test", "bash"),
    row(CAUSE, "o", "environment", "unbound variable", r"(?P<s>\w+): unbound variable", "unbound variable: {s}", "bash"),
    row(CAUSE, "o", "environment", ": ", rf"{_SHELL}(?P<s>[A-Z_][A-Z0-9_]*): (?!command not found|unbound|parameter)\w", "variable is not set: {s}", "bash"),
    row(CAUSE, "o", "syntax_error", ".fish", r"\.fish \(line \d+\): (?P<t>.+)", "{t}", "fish"),
    row(CAUSE, "o", "environment", "parameter n", r"(?P<s>\w+): parameter (?:not set|null or not set)", "unbound variable: {s}", ""),
    row(CAUSE, "o", "invalid_input", "ead-only variable", r"read-only variable: (?P<s>\w+)", "read-only variable: {s}", "zsh"),
    row(CAUSE, "o", "invalid_input", "rgument list too long", r"[Aa]rgument list too long", "argument list too long", ""),
    row(CAUSE, "o", "environment", "is not a TTY", r"input device is not a TTY|not a (?:tty|terminal)\b", "not a terminal", ""),
)

_ERRNO: Final[dict[str, str]] = {
    "No such file or directory": "missing_file",
    "no such file or directory": "missing_file",
    "The system cannot find the path specified": "missing_file",
    "The system cannot find the file specified": "missing_file",
    "Permission denied": "permission",
    "permission denied": "permission",
    "Operation not permitted": "permission",
    "operation not permitted": "permission",
    "Access is denied": "permission",
    "access denied": "permission",
    "Is a directory": "is_directory",
    "is a directory": "is_directory",
    "Not a directory": "bad_path",
    "not a directory": "bad_path",
    "File name too long": "bad_path",
    "Too many levels of symbolic links": "bad_path",
    "The filename, directory name, or volume label syntax is incorrect": "bad_path",
    "File exists": "conflict",
    "file already exists": "conflict",
    "Directory not empty": "conflict",
    "directory not empty": "conflict",
    "Device or resource busy": "conflict",
    "resource busy or locked": "conflict",
    "Text file busy": "conflict",
    "Resource temporarily unavailable": "conflict",
    "Address already in use": "conflict",
    "address already in use": "conflict",
    "being used by another process": "conflict",
    "No space left on device": "environment",
    "no space left on device": "environment",
    "Disk quota exceeded": "environment",
    "not enough space on the disk": "environment",
    "Too many open files": "environment",
    "too many open files": "environment",
    "Cannot allocate memory": "environment",
    "Input/output error": "environment",
    "Exec format error": "environment",
    "Read-only file system": "sandbox",
    "read-only file system": "sandbox",
    "Connection refused": "network",
    "connection refused": "network",
    "Connection timed out": "network",
    "Connection reset by peer": "network",
    "No route to host": "network",
    "Network is unreachable": "network",
    "network is unreachable": "network",
    "Name or service not known": "network",
    "nodename nor servname provided": "network",
    "Temporary failure in name resolution": "network",
    "Could not resolve host": "network",
    "no such host": "network",
    "No such device": "environment",
    "Bad file descriptor": "environment",
}

_ERRNO_WORDS: Final[dict[str, str]] = {
    "the system cannot find the path specified": "no such file or directory",
    "the system cannot find the file specified": "no such file or directory",
    "access is denied": "permission denied",
    "access denied": "permission denied",
    "nodename nor servname provided": "could not resolve host",
    "name or service not known": "could not resolve host",
    "temporary failure in name resolution": "could not resolve host",
    "no such host": "could not resolve host",
    "resource busy or locked": "device or resource busy",
    "not enough space on the disk": "no space left on device",
    "file already exists": "file exists",
}


def _errno(text: str, failure_class: str) -> tuple[Row, ...]:
    """Two rows: one for a line that starts with a program's name (``cat: x: No such file``), one for any line."""
    lower = text.lower()
    shape = _ERRNO_WORDS.get(lower, lower)
    urgent = failure_class == "environment"
    rank, kind = (CAUSE, "o") if urgent else (MESSAGE, "")
    before, after = ("(?:.*[:,] )?", "(?:^|[:,] )") if failure_class == "is_directory" else (".*", "")
    label = r"^(?:\S*/)?(?P<s>[A-Za-z][\w.+-]*)(?:\.exe)?: "
    return (
        row(rank, kind, failure_class, text, f"{label}{before}{text}", shape, "?{s}"),
        row(rank, kind, failure_class, text, f"{after}{text}", shape, ""),
    )


SYSTEM: Final[tuple[Row, ...]] = (
    row(CAUSE, "o", "permission", "ermission denied", rf"{_SHELL}(?:\.{{0,2}}/\S*|permission denied: \S+)(?:: Permission denied)?$", "permission denied", "sh"),
    row(CAUSE, "o", "missing_file", "o such file or directory", rf"{_SHELL}(?:\.{{0,2}}/\S*): No such file or directory", "no such file or directory", "sh"),
    row(CAUSE, "o", "missing_file", "cannot open ", rf"{_SHELL}(?:\.: )?cannot open \S+: No such file", "no such file or directory", "sh"),
    row(CAUSE, "o", "permission", "failed to run: ", r"(?:Program )?'(?P<s>[\w.-]+)' failed to run: ", "program failed to run", "{s}"),
    row(MESSAGE, "", "missing_file", "cd: ", r"\bcd:(?:\d+:)? (?:.*: No such file or directory|no such file or directory: )", "no such file or directory", "cd"),
    row(MESSAGE, "", "missing_file", "no such file or directory: ", r"(?:zsh|\(eval\))[^ ]* no such file or directory: ", "no such file or directory", ""),
    row(CAUSE, "o", "is_directory", "hard link not allowed", r"hard link not allowed for directory", "hard link not allowed for a directory", "ln"),
    row(CAUSE, "o", "killed", "heap out of memory", r"heap out of memory|Reached heap limit", "out of memory", ""),
    row(CAUSE, "o", "killed", "core dumped", r"(?P<t>[A-Z][a-z]+(?: \w+)?)\s+\(core dumped\)", "{t}", ""),
    row(CAUSE, "o", "killed", "egmentation fault", r"[Ss]egmentation fault", "segmentation fault", ""),
    row(CAUSE, "o", "killed", "Killed", r"^(?:.*: line \d+:\s+\d+ )?Killed(?:: 9)?\b|\bsignal: 9\b", "killed", ""),
    row(CAUSE, "o", "killed", "memory", r"(?i)^(?:fatal error: )?(?:out of memory|cannot allocate memory)|std::bad_alloc", "out of memory", ""),
    row(CAUSE, "o", "auth", "sudo: ", r"sudo: a (?:password|terminal) is required", "a password is required", "sudo"),
    row(CAUSE, "o", "permission", "sudoers", r"is not in the sudoers file", "not in the sudoers file", "sudo"),
    row(CAUSE, "o", "syntax_error", "The syntax of the command is incorrect", r"The syntax of the command is incorrect", "the syntax of the command is incorrect", "cmd"),
    *(item for text, failure_class in _ERRNO.items() for item in _errno(text, failure_class)),
)
