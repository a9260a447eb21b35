# ruff: noqa: E501, RUF001  (a long expression reads better on one line)
"""The error line of an output no table knows: which line it is, what class its words suggest, what its shape is."""

from __future__ import annotations

import builtins
import re
from collections.abc import Iterable
from typing import Final

from agent_riggs.judge.classes import of_exception, of_words
from agent_riggs.judge.diagnosis import MESSAGE, SUMMARY, Finding
from agent_riggs.judge.mask import MAX_LINE, mask

_PREFIX: Final = re.compile(
    r"^(?:\s|\[?\d{4}[-/]\d\d[-/]\d\d[T ][\d:.,]+(?:Z|[+-]\d\d:?\d\d)?\]?|\[?\d\d:\d\d:\d\d(?:[.,]\d+)?\]?|[>|│┃▌✖✗×❌⨯✘⚠•*‼⛔🚨]+"
    r"|(?:\./)?[\w./@+-]+\.\w{1,12}(?::\d+(?:[.:-]\d+)*|\(\d+(?:, ?\d+)?\)):? (?=\S)|[\w./@+-]+\.(?!h?error:)[a-z][a-z0-9]{0,5}: (?=\S)|[\w.+-]+ (?=ERR! )|(?:Uncaught|Unhandled|uncaught|unhandled)(?: \(in promise\))?(?: exception)?:? |Exception in thread \"[^\"]*\" |(?:Caused by|caused by): )+"
)
_LEVEL: Final = re.compile(
    r"^(?:\[?(?:ERROR|FATAL|CRITICAL|SEVERE|error|fatal|Error|Fatal|ERR!?|E|F)\]?(?::|\s-|\s|\])\s*)+(?=\S)"
)
_NOISE: Final = re.compile(
    r"^\s*(?:$|[-=_*~#.+|│┃─═╭╰╮╯┌└┐┘├┤>\s]+$|at [\w$.<>\[\] /:@()\\-]+(?:\(|:\d+)|at async |File \"[^\"]*\", line \d+|Traceback \(most recent|During handling of the above"
    r"|The above exception was|Node\.js v[\d.]+$|node:internal/|npm (?:ERR!|error) (?:A complete log|\s*/|$)|npm notice|npm warn|\(node:\d+\)|\(Use `node|WARN(?:ING)?\b|warning:|\[?warn\]?\b|hint: "
    r"|note: |help: |info\b|INFO\b|DEBUG\b|\s*\^+~*\s*$|For more information|Run `|Try '|Try \"|See '?|usage:|Usage:|Time:|Duration|Done in|Finished in|real\t|user\t|sys\t|\d+ passing|\s*\d+ \||\.\.\. \d+ more"
    r"|[A-Za-z]+ v?\d+\.\d+\.\d+\s*(?:\(.*\))?$|\+ CategoryInfo|\+ FullyQualifiedErrorId|\+ |At line:\d|\s*\+\s*~+|> [\w@/.-]+@[\w.-]+ |\$ |> )"
)
_EXCEPTION: Final = re.compile(
    r"^(?:[\w$]+[./:\\]+)*(?P<name>[A-Z][\w$]*(?:Error|Exception|Failure|Fault|Interrupt|Warning|Timeout|NotFound|Denied|Refused|Exit))"
    r"(?: \[(?P<code>[A-Z][A-Z0-9_]+)\])?(?:: (?P<text>.*)|\s*)$"
)
_MARKED: Final = re.compile(
    r"^(?:[\w./@+-]{1,40}: )?(?:\[(?:emerg|alert|crit|error)\] |\[?(?:fatal|error|panic|critical|severe)(?: \w+)?\]?(?:\[[\w-]+\])?[:!]|ERR!|Error\b|ERROR\b|FATAL\b|Failed to|failed to|Unable to|unable to|Cannot |cannot |Could not|could not|Can't |Couldn't|Invalid |invalid |Missing |Unknown |Unsupported |Unexpected |Expected |No such)",
    re.I,
)
_WEAK: Final = re.compile(
    r"\b(?:errors?|fail(?:ed|ure|s)?|fatal|cannot|can't|could(?: not|n't)|unable|invalid|denied|missing|not found|unexpected|refused|unknown|unsupported|does(?: not|n't)|no such"
    r"|must|required|aborted|exception|timed? ?out|conflict|rejected|forbidden|unauthorized|illegal|undefined|isn't|not (?:allowed|permitted|recognized|supported|valid|installed|set|running|available)|already)\b",
    re.I,
)
LOCATED: Final = re.compile(r"^\s*(?:[A-Za-z]:)?[\w./\\@+-]+\.\w{1,12}(?::\d+|\(\d+[,)])")
"""A line that begins with a place in a file: ``src/a.y:3:`` or ``a.pas(3,1)``."""
_AT_LINE: Final = re.compile(r"\bat line \d+")
_LETTERS: Final = re.compile(r"[^\W\d_]{3,}")
_PLACEHOLDER: Final = re.compile(r"<\w+>")
_TALLY: Final = re.compile(r"\bThere (?:was|were) \d+ errors?\b")
_WARNING: Final = re.compile(r"\bwarning[:\s\]]", re.I)
_MESSAGE: Final = re.compile(r"\"(?:message|error|error_description|detail|msg|reason)\"\s*:\s*\"([^\"\\]{3,200})")
_DATA: Final = re.compile(
    r"literal|convert|parse|decode|encode|time data|does not match|No such file|Errno|value:|invalid value|JSON|index|date|format|returned non-zero",
    re.I,
)
"""Messages of Python's own exceptions that quote data, not names."""
_COUNT: Final = re.compile(r"\b0 (?:errors?|fail(?:ed|ures?)?)\b", re.I)


_BUILTINS: Final[frozenset[str]] = frozenset(
    name for name, value in vars(builtins).items() if isinstance(value, type) and issubclass(value, BaseException)
)


def telling(shape: str) -> bool:
    """Whether anything but placeholders is left to tell one cause from another."""
    return _LETTERS.search(_PLACEHOLDER.sub("", shape)) is not None


def stripped(line: str) -> str:
    """The line without what stands before the message: time, bullets, a caller's label, a log level; of JSON the
    message alone."""
    text = _PREFIX.sub("", line[:MAX_LINE])
    if text.startswith(("{", "[{")):
        said = _MESSAGE.search(text)
        return said[1] if said else ""
    return _PREFIX.sub("", _LEVEL.sub("", text)).strip() or text.strip()


def exceptions(lines: Iterable[str], python: bool = False) -> list[Finding]:
    """Every line that is an exception with its message, whatever the language.

    Python prints the module of every exception but its own and those of the script itself: what a script says in its
    own exceptions is its data, so of those only the name counts.
    """
    found = []
    for line in lines:
        text = _PREFIX.sub("", line[:MAX_LINE])
        text = text.removeprefix("Error: ") if text.startswith("Error: ") and "Error: " in text[7:] else text
        match = _EXCEPTION.match(text)
        if match is None or match["name"].endswith("Warning"):
            continue
        name, code, message = match["name"], match["code"], match["text"] or ""
        if python and text.startswith(name) and name not in _BUILTINS:
            message = ""
        said = f"{name}{f' [{code}]' if code else ''}{': ' + message if message else ''}"
        shape = mask(said, names=python and _DATA.search(message) is None)
        plain = name in ("Error", "Exception", "RuntimeError")
        failure_class = of_words(message) if plain else of_exception(name)
        if failure_class == "other":
            failure_class = "invalid_input"
        found.append(Finding(MESSAGE, failure_class, shape, line=line))
    told = {f.shape.partition(":")[0] for f in found if ":" in f.shape}
    return [f for f in found if f.shape not in told]


def generic(lines: list[str], programs: frozenset[str]) -> Finding | None:
    """The error line by its looks: marked as an error, labelled by a program of the line, or full of error words.

    A line that says where in a file it found something goes before others; among several of one kind the smallest
    shape speaks, so that the order of lines does not matter.
    """
    marked: list[Finding] = []
    weak: list[Finding] = []
    for line in lines:
        if _NOISE.match(line) or _WARNING.search(line[:MAX_LINE]) or _TALLY.search(line[:MAX_LINE]):
            continue
        text = _PREFIX.sub("", line[:MAX_LINE])
        label, separator, rest = text.partition(": ")
        owner = label.rsplit("/", 1)[-1].lower().removesuffix(".exe") if separator and " " not in label else ""
        labelled = bool(owner) and owner in programs and bool(rest)
        if labelled or _MARKED.match(text):
            message = stripped(rest if labelled else text)
            shape = mask(message)
            if telling(shape):
                marked.append(Finding(MESSAGE, of_words(message), shape, owner if labelled else "", line=line))
        elif not marked and _WEAK.search(text) and not _COUNT.search(text) and len(weak) < 50:
            message = stripped(text)
            shape = mask(message)
            if telling(shape):
                weak.append(Finding(SUMMARY, of_words(message), shape, line=line))
    pool = marked or weak
    if not pool:
        return None
    return min(pool, key=lambda f: (LOCATED.match(f.line) is None, f.failure_class == "other", f.order))


def located(lines: Iterable[str]) -> tuple[str, str]:
    """Of the lines that name a place in a file the one with the smallest shape: the shape and the line."""
    found = [(mask(stripped(line)), line) for line in lines if LOCATED.match(line) or _AT_LINE.search(line[:MAX_LINE])]
    return min((pair for pair in found if telling(pair[0])), default=("", ""))


def last_line(lines: list[str]) -> str:
    """The last line with text that is no noise, else the last line with any text."""
    for line in reversed(lines):
        if line.strip() and not _NOISE.match(line):
            return line
    return next((line for line in reversed(lines) if line.strip()), "")
