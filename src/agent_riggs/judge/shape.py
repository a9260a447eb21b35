# ruff: noqa: E501, RUF001  (a long expression reads better on one line)
"""The error line of an output no table knows: which line it is, what class its words suggest, what its shape is."""

from __future__ import annotations

import builtins
import re
from collections.abc import Iterable
from typing import Final

from agent_riggs.judge.classes import of_exception
from agent_riggs.judge.diagnosis import MESSAGE, SUMMARY, Finding
from agent_riggs.judge.mask import MAX_LINE, mask
from agent_riggs.judge.sentences import of_message

_PREFIX: Final = re.compile(
    r"^(?:\s|\^ |=+[A-Z!]+=+ |\[?(?:\d{4}[-/]\d\d[-/]\d\d|\d{1,2}[/.]\d{1,2}[/.]\d{4}),?[T ][\d:.,]+(?:Z|[+-]\d\d:?\d\d)?\]?|\[?\d{1,2}:\d\d:\d\d(?:[.,]\d+)?(?: ?[AP]M)?\]?|[>|│┃▌✖✗×❌⨯✘⚠•*‼⛔🚨›▸▶]+|[\u2190-\u23ff\u2500-\u2bff\U0001f000-\U0001faff\ufe0f]+|\[(?!(?:emerg|alert|crit\w*|err\w*|fatal|severe|panic)\])(?:[a-z][\w.:@/ -]{0,30}|\d{1,3}|[A-Z]{2}\d)\](?=[\s:\[])(?! (?:is|are|was|were|must|has|does|did|cannot|not)\b)\s*:?"
    r"|(?:ERROR|CRITICAL|FATAL):[\w.]+:(?=\S)|(?:[A-Za-z]:)?[\\/][^:\n\"'<>|]{1,200}\.\w{1,12}:\d+(?::\d+)*:? (?=\S)|(?:\./)?[\w./@+-]+\.\w{1,12}(?::\d+(?:[.:-]\d+)*|\(\d+(?:, ?\d+)?\)):? (?=\S)|[\w./@+-]+\.(?!h?error:)[a-z][a-z0-9]{0,5}: (?=\S)|[\w.+-]+ (?=(?:ERR!|ERROR|FATAL) )|(?:error|warning|info) [-•] (?=\S+\.\w+:\d)|[x×] (?=[A-Z])|\(gcloud[\w.-]*\) |[-•] (?=\S)|(?:Uncaught|Unhandled|uncaught|unhandled)(?: \(in promise\))?(?: exception)?:? |Exception in thread \"[^\"]*\" |(?:Caused by|caused by): )+"
)
_LEVEL: Final = re.compile(
    r"^(?:\[?(?:ERROR|FATAL|CRITICAL|SEVERE|error|fatal|abort|Error|Fatal|FATA(?:\[\d+\])?|ERRO(?:\[\d+\])?|ERR!?|E|F)\]?(?::|\s-|\s|\])\s*)+(?=\S)(?!\d{3}\b)"
)
_NOISE: Final = re.compile(
    r"^\s*(?:$|[-=_*~#.+|│┃─═╭╰╮╯┌└┐┘├┤>\s]+$|at [\w$.<>\[\] /:@()\\-]+(?:\(|:\d+)|at async |File \"[^\"]*\", line \d+|Traceback \(most recent|During handling of the above"
    r"|The above exception was|Node\.js v[\d.]+$|node:internal/|npm (?:ERR!|error) (?:A complete log|\s*/|$)|npm notice|npm warn|\(node:\d+\)|\(Use `node|WARN(?:ING)?\b|warning:|\[?warn\]?\b|hint: "
    r"|note: |help: |info\b|INFO\b|DEBUG\b|\s*\^+~*\s*$|For more (?:information|details)|Run [`'\"]|Run with |Re-?run |See (?:also )?[`'\"h]|To see |Try '|Try \"|See '?|usage:|Usage:|Time:|Duration|Done in|Finished in|real\t|user\t|sys\t|\d+ passing|\s*\d+ \||\.\.\. \d+ more"
    r"|[A-Za-z]+ v?\d+\.\d+\.\d+\s*(?:\(.*\))?$|exit status \d+$|\w*make(?:\[\d+\])?: (?:Entering|Leaving) directory|\s*(?:>\s*)?\d+(?:\s+\d+)?\s+[│|](?:\s|$)|\s*[│|](?:[^│|]*[│|]){2,}\s*$|\+ CategoryInfo|\+ FullyQualifiedErrorId|\+ |At line:\d|\s*\+\s*~+|</?(?:!DOCTYPE|html|head|body|meta|title|p|h\d|div|span|pre|center|hr)\b|> [\w@/.-]+@[\w.-]+ |\$ (?! )|> (?! ))"
)
_EXCEPTION: Final = re.compile(
    r"^(?:[\w$]+[./:\\]+)*(?P<name>[A-Z][\w$]*(?:Error|Exception|Failure|Fault|Interrupt|Warning|Timeout|NotFound|Denied|Refused|Exit)|Error(?= \[[A-Z]))"
    r"(?: \[(?P<code>[A-Z]\w+)\])?(?:: (?P<text>.*)|\s*)$"
)
_MARKED: Final = re.compile(
    r"^(?:[\w./@+-]{1,40}: )?(?:(?:[A-Z]\w+ ){1,2}error:|\[(?:emerg|alert|crit|error)\] |\[?(?:fatal|error|panic|critical|severe|abort|exception)(?: \w+)?\]?(?:\[[\w-]+\])?[:!]|ERR!|FATA\b|ERRO\b|Error\b|ERROR\b|FATAL\b|Failed to|failed to|Unable to|unable to|Cannot |cannot |Could not|could not|Can't |Couldn't|Invalid |invalid |Missing |Unknown |Unsupported |Unexpected |Expected |No such|No (?:[\w.@/'\"`-]+ ){1,5}(?:is|was|are|were|has|have|found|set|provided|specified|exists?|remain|match)\b)"
    r"|^(?:Fehler|Erreur|Errore|Erro|B\u0142\u0105d|\u041e\u0448\u0438\u0431\u043a\u0430|\u9519\u8bef|\u932f\u8aa4|\u30a8\u30e9\u30fc|\uc624\ub958|Fout|Fel|Hata) ?[:\uff1a]",
    re.I,
)
_WEAK: Final = re.compile(
    r"\b(?:errors?|fail(?:ed|ure|s)?|fatal|cannot|can't|could(?: not|n't)|unable|invalid|denied|missing|not found|unexpected|refused|unknown|unsupported|does(?: not|n't)|no such"
    r"|must|required|aborted|exception|timed? ?out|conflict|rejected|forbidden|mismatch|unhealthy|pending|unauthorized|illegal|undefined|un(?:declared|resolved|recogni[sz]ed|authenticated|configured|registered|terminated|reachable|satisfied|met|bound)|not an?|not in|not (?:logged|authenticated|signed|connected|configured|registered|loaded|built|created|executed|specified|provided|selected|met|compatible|readable|writable|executable|allowed|permitted|recognized|supported|valid|installed|set|running|available|defined|initiali[sz]ed|enough)|already|unavailable|expired|corrupt(?:ed)?|malformed|ambiguous|outdated|incompatible|insufficient|exceeded)\b",
    re.I,
)
LOCATED: Final = re.compile(
    r"^\s*(?:(?:error|warning|info) +[-\u2022] +)?(?:[A-Za-z]:)?[\w./\\@+-]+\.\w{1,12}(?::\d+|\(\d+[,)])"
)
"""A line that begins with a place in a file: ``src/a.y:3:`` or ``a.pas(3,1)``."""
_LOGGED: Final = re.compile(
    r"\blevel=(?:error|fatal|panic|crit)|[\"'](?:level|severity|lvl)[\"']\s*:\s*(?:[\"'](?:error|fatal|critical|panic)|[56]0\b)",
    re.I,
)
"""A line of a structured log about an error."""
_LOG_HEAD: Final = re.compile(
    r"^[^\n\"']{0,60}?\d{1,2}:\d\d(?::\d\d)?[^\n\"']{0,40}?\b(?:ERROR|FATAL|CRITICAL|SEVERE)\b(?:/\w+)?[\]\s:|-]+(?:\[\w+\] )?(?=\S)"
)
"""What a logger writes before the message: process, time, level, its own name."""
_FIELD: Final = re.compile(r"\b(?:msg|message|err|error)=(?:\"((?:[^\"\\\n]|\\.){3,300})\"|([^\s\"]{3,300}))")
_THROWN: Final = re.compile(r"^(?:[\w$]+\.)*(?P<name>[A-Za-z_]\w*)(?:: (?P<text>.*))?$")
"""What a traceback of Python ends with."""
_URL: Final = re.compile(r"\b[a-z]+://\S+")
_CROSSES: Final = frozenset("✘✖✗❌⨯")
"""With these a program ticks a line off as failed."""
_LISTED: Final = re.compile(r"^\s+(?:[-*•] )?(?P<s>[A-Za-z@][\w@./-]{1,60})$")
_BARE: Final = re.compile(r"^[\[{(]*$")
_TOLD: Final = re.compile(r"[\"']?message[\"']?: [\"'](?P<t>[^\"]{3,200}?)[\"'],?$")
_PLACE: Final = re.compile(r"^\s*[\"'](?P<s>[\w.-]{1,60})[\"'],?$")
_DETAIL: Final = re.compile(r"^\[\d+\] (?P<t>.+)$")
_AT_LINE: Final = re.compile(r"\bat line \d+")
_LETTERS: Final = re.compile(r"[^\W\d_]{3,}")
_PLACEHOLDER: Final = re.compile(r"<\w+>")
_TALLY: Final = re.compile(r"\bThere (?:was|were) \d+ errors?\b")
_GOES_ON: Final = re.compile(
    r"\b(?:using (?:the )?default|falling back|fall back|retrying|continuing|skipping|starting (?:a )?full)\b",
    re.I,
)
"""What a program says that goes on all the same."""
_WARNING: Final = re.compile(r"\bwarning[:\s\]]", re.I)
_MESSAGE: Final = re.compile(
    r"\"(?:message|error|error_description|detail|msg|reason|err)\"\s*:\s*\"((?:[^\"\\]|\\[^n]){3,300})"
)
_SAID: Final = re.compile(r"\b(?:message|msg|reason|desc(?:ription)?|details?)=\"((?:[^\"\\\n]|\\.){3,300})\"")
"""The message among a line's fields: ``code=2200 message="unconfigured table x"``."""
_DATA: Final = re.compile(
    r"literal|convert|parse|decode|encode|time data|does not match|No such file|Errno|value:|invalid value|JSON|index|date|format|returned non-zero",
    re.I,
)
"""Messages of Python's own exceptions that quote data, not names."""
_CAUSE: Final = re.compile(
    r"^\s*(?:[|\u2502\u2570\u2500\u25b6`>-]+\s*)?(?:\d+: )?(?:caused by|root cause|cause|reason): *(?P<t>\S.*)?$"
    r"|^\s*[`\u2570\u2514][-\u2500]*[>\u25b6]\s+(?:[x\u00d7] )?(?P<m>\S.*)$",
    re.I,
)
_CHAINED: Final = re.compile(r"ause(?:d by)?:|AUSE(?:D BY)?:|eason:|EASON:|[`\u2570\u2514][-\u2500]")
_COUNTED: Final = re.compile(r"^\s*(?:\d+: |[`\u2570\u2514][-\u2500]*[>\u25b6]\s+(?:[x\u00d7] )?)")
_ONLY_CODE: Final = re.compile(r"[A-Z]{1,4}-?\d{2,6}:?|(?:at|in|on|near) line \d+:?")
_REPEATS: Final = re.compile(
    r"(?:exit(?:ed|ing)?|return(?:ed)?|finished|terminated|completed|failed)\b.{0,60}\b(?:code|status|value|error)s?:? ?\(?(?![45]\d\d\b)-?\d+\)?\W*$"
    r"|\bexit(?:ed)?(?: (?:code|status))? ?\(?\d+\)?\W*$|not recoverable|exiting now|did not complete|errors? (?:occurred|found)\W*$|^\W*(?:error|failed|failure|failing)\W*$"
    r"|^(?:\w+ ){0,3}(?:command|build|compilation|task|step|job|run|script|update|preview|deploy\w*|install\w*|operation) failed\W*$",
    re.I,
)
"""Lines that only repeat that something has failed."""
_COUNT: Final = re.compile(r"\b0 (?:errors?|fail(?:ed|ures?)?)\b", re.I)

_PLAIN: Final = frozenset(("Error", "Exception", "RuntimeError"))
_BY_MESSAGE: Final = frozenset(
    ("timeout", "auth", "permission", "network", "http_error", "missing_file", "conflict", "module_missing")
) | {"environment", "bad_option"}
"""Classes that the message of a library's own exception may have; any other is about what it was given."""
_BUILTINS: Final[frozenset[str]] = frozenset(
    name for name, value in vars(builtins).items() if isinstance(value, type) and issubclass(value, BaseException)
)


def telling(shape: str) -> bool:
    """Whether anything but placeholders is left to tell one cause from another."""
    return _LETTERS.search(_PLACEHOLDER.sub("", shape)) is not None


def stripped(line: str) -> str:
    """The line without what stands before the message: time, bullets, a caller's label, a log level; of JSON the
    message alone."""
    text = _PREFIX.sub("", _LOG_HEAD.sub("", line[:MAX_LINE], 1))
    if text.startswith(("{", "[{")):
        said = _MESSAGE.search(text)
        return said[1].replace('\\"', '"') if said else ""
    if "level=" in text and _LOGGED.search(text):
        fields = [a or b for a, b in _FIELD.findall(text)]
        text = ": ".join(fields).replace('\\"', '"') or text
    elif '="' in text:
        said = _SAID.search(text)
        text = said[1].replace('\\"', '"') if said else text
    return _PREFIX.sub("", _LEVEL.sub("", text)).strip(" \t│┃|") or text.strip()


def exceptions(lines: Iterable[str], python: bool = False) -> list[Finding]:
    """Every line that is an exception with its message, whatever the language.

    Python prints the module of every exception but its own and those of the script itself: what a script says in its
    own exceptions is its data, so of those only the name counts.
    """
    found = []
    lines = list(lines)
    ends = _tracebacks(lines) if python else frozenset()
    for place, line in enumerate(lines):
        text = _PREFIX.sub("", line[:MAX_LINE])
        text = text.removeprefix("Error: ") if text.startswith("Error: ") and "Error: " in text[7:] else text
        match = _EXCEPTION.match(text) or _EXCEPTION.match(text.removesuffix(":"))
        if match is None and place in ends:
            match = _THROWN.match(text)
        if match is None or (match["name"].endswith("Warning") and place not in ends):
            continue
        name, message = match["name"], match["text"] or ""
        code = match["code"] if "code" in match.re.groupindex else None
        if message.endswith(":"):
            message = _with_item(message, lines[place + 1 : place + 2])
        if _BARE.match(message):
            message = _below(lines[place + 1 : place + 40], bool(message))
        if python and text.startswith(name) and name not in _BUILTINS:
            message = ""
        said = f"{name}{f' [{code}]' if code else ''}{': ' + message if message else ''}"
        shape = mask(said, names=python and _DATA.search(message) is None)
        failure_class = _of_thrown(name, message)
        found.append(Finding(MESSAGE, failure_class, shape, line=line))
    told = {f.shape.partition(":")[0] for f in found if ":" in f.shape}
    if len(found) > 1:
        told.add("CancelledError")  # what a timeout does, not what happened
    return [f for f in found if f.shape not in told]


def _of_thrown(name: str, message: str) -> str:
    """The class of an exception: by its name, by its message where the name is everybody's or a library's own."""
    named = of_exception(name)
    if name not in _PLAIN and (named != "invalid_input" or name in _BUILTINS):
        return named
    told = of_message(message)
    return told if (name in _PLAIN and told != "other") or told in _BY_MESSAGE else "invalid_input"


def _tracebacks(lines: list[str]) -> frozenset[int]:
    """Where the tracebacks end: the first line after ``Traceback`` that is not indented."""
    ends: set[int] = set()
    inside = False
    for place, line in enumerate(lines):
        if "Traceback (most recent call last)" in line:
            inside = True
        elif inside and line[:1] not in (" ", "\t", "|"):
            ends.add(place)
            inside = False
    return frozenset(ends)


def _with_item(message: str, below: list[str]) -> str:
    """A message that ends in a colon with the first name of the list below it."""
    match = _LISTED.match(below[0]) if below else None
    return f"{message} '{match['s']}' not found" if match else message


def _below(lines: list[str], structured: bool) -> str:
    """The message of an exception that stands below its name: an indented line, or the first one of a structure."""
    if not structured:
        first = lines[0] if lines else ""
        return "" if not first.startswith((" ", "\t")) or _NOISE.match(first) else first.strip()
    place = next((m["s"] for m in map(_PLACE.match, lines) if m), "")
    for line in lines:
        match = _TOLD.search(line) or _DETAIL.match(line)
        if match:
            return f"{place}: {match['t']}" if place else match["t"]
    return ""


def generic(lines: list[str], programs: frozenset[str]) -> Finding | None:
    """The error line by its looks: marked as an error, labelled by a program of the line, or full of error words.

    The last of a chain of causes goes before all; a line that says where in a file it found something before others;
    one that only repeats that something failed comes last. Among several of one kind the smallest shape speaks, so
    that the order of lines does not matter.
    """
    marked: list[Finding] = []
    weak: list[Finding] = []
    repeats: list[Finding] = []
    for place, line in enumerate(lines):
        text = _PREFIX.sub("", line[:MAX_LINE])
        label, separator, rest = text.partition(": ")
        owner = label.rsplit("/", 1)[-1].lower().removesuffix(".exe") if separator and " " not in label else ""
        labelled = bool(owner) and owner in programs and bool(rest)
        told = labelled or _is_marked(line, text)
        if not told and (len(weak) >= 50 or not ("n't " in text or _WEAK.search(text)) or _COUNT.search(text)):
            continue
        if _silent(line) or (labelled and _NOISE.match(rest)):
            continue
        message = stripped(rest if labelled else text)
        if told and _ONLY_CODE.fullmatch(message):
            message = f"{message.rstrip(':')}: {stripped(_after(lines, place))}"
        shape = mask(message)
        if telling(shape):
            pool = repeats if _REPEATS.search(message) else marked if told else weak
            rank = MESSAGE if told else SUMMARY
            pool.append(Finding(rank, of_message(message), shape, owner if labelled else "", line=line))
    found = _causes(lines) or marked or weak or repeats
    return min(found, key=lambda f: (LOCATED.match(f.line) is None, f.failure_class == "other", f.order), default=None)


def _silent(line: str) -> bool:
    """Noise, a warning, a tally, a way out: nothing that could be the error line."""
    text = line[:MAX_LINE]
    return _NOISE.match(line) is not None or any(p.search(text) for p in (_WARNING, _TALLY, _GOES_ON))


def _is_marked(line: str, text: str) -> bool:
    return (
        _MARKED.match(text) is not None
        or (("level" in text or "lvl" in text or "severity" in text.lower()) and _LOGGED.search(text) is not None)
        or ('="' in text and _SAID.search(text) is not None)
        or (":" in line and _LOG_HEAD.match(line) is not None)
        or (text[:1] != line[:1] and not _CROSSES.isdisjoint(line[: len(line) - len(text)]))
    )


def _after(lines: list[str], place: int) -> str:
    return next((line for line in lines[place + 1 :] if not _silent(line)), "")


def _causes(lines: list[str]) -> list[Finding]:
    """The last cause of the first chain of causes (``caused by: x``, or a list below ``Caused by:``)."""
    if not _CHAINED.search("\n".join(lines)):
        return []
    chain = ""
    for place, line in enumerate(lines):
        match = _CAUSE.match(line)
        if match and (match["t"] or match["m"]):
            chain = line
        elif match:
            below = lines[place + 1 : place + 9]
            listed = next((i for i, item in enumerate(below) if not item.startswith("  ")), len(below))
            chain = below[listed - 1] if listed else chain
        elif chain and not line.startswith(" "):
            break
    message = stripped(_COUNTED.sub("", chain))
    shape = mask(message)
    failure_class = of_message(message)
    if failure_class == "other" or not telling(shape) or _silent(chain) or _REPEATS.search(message):
        return []
    return [Finding(MESSAGE, failure_class, shape, line=chain)]


def is_noise(line: str) -> bool:
    """Whether the line says nothing about a failure: rulers, hints, frames of a stack, versions, timings."""
    return _NOISE.match(line) is not None


def located(lines: Iterable[str]) -> tuple[str, str]:
    """Of the lines that name a place in a file the one with the smallest shape: the shape and the line."""
    found = [(mask(stripped(line)), line) for line in lines if LOCATED.match(line) or _AT_LINE.search(line[:MAX_LINE])]
    return min((pair for pair in found if telling(pair[0])), default=("", ""))


def last_line(lines: list[str]) -> str:
    """The last line with text that is no noise, else the last line with any text."""
    for line in reversed(lines):
        if line.strip() and not _NOISE.match(line) and _URL.sub("", line[:MAX_LINE]).strip():
            return line
    return next((line for line in reversed(lines) if line.strip()), "")
