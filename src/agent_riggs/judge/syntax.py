"""A shell line cut into simple commands, connectors and groups: structure only, no meaning.

Three readers give this shape. The scanner here reads lines made of plain words, quotes, redirections and connectors;
it is exact for these and keeps the grammar package out of the hook's start. Everything else (substitutions,
here-documents, loops, functions) goes to :mod:`grammar`, PowerShell to :mod:`powershell`. A line the grammar cannot
read, such as a cut one, is read by the scanner once more with lenient rules, so that some commands are always found.
"""

# ruff: noqa: SIM905  (tables of names read better as words than as lists of strings)
from __future__ import annotations

import re
from typing import Final, NamedTuple


class Simple(NamedTuple):
    """One simple command: its words with quotes removed, and what surrounds it."""

    words: tuple[str, ...]
    assigns: tuple[tuple[str, str], ...] = ()
    negated: bool = False
    err: str = ""
    """Where stderr goes: empty (shown), ``out`` (joined to stdout), ``null``, ``file``."""
    out: str = ""
    """Where stdout goes: empty (shown or piped), ``err``, ``null``, ``file``."""
    document: str = ""
    """Text of a here-document or here-string."""
    inner: tuple[Item, ...] = ()
    """For a bare assignment: the commands of its substitutions, whose exit code it returns."""


class Group(NamedTuple):
    """A compound command: branches that may decide its exit code, and conditions that never do."""

    branches: tuple[tuple[Item, ...], ...]
    conditions: tuple[tuple[Item, ...], ...] = ()
    negated: bool = False


class Define(NamedTuple):
    """A function definition: nothing runs until it is called."""

    name: str
    body: tuple[Item, ...]


class Item(NamedTuple):
    """A command or group with the connector that follows it: ``&&`` ``||`` ``|`` ``;`` ``&`` or nothing."""

    node: Simple | Group | Define
    next: str = ""


Items = tuple[Item, ...]

# ---------------------------------------------------------------- the scanner

_TOKEN: Final = re.compile(
    r"""[ \t\r]+
    |\\\r?\n
    |(?<![^\s;|&()])\#[^\n]*
    |(?P<op>&&|\|\|?&?|;;?|\n|&(?!>))
    |(?P<redirect>(?:\d{1,2}|&)?(?:>>?[|&]?|<&?(?!<))[ \t]*)
    |(?P<word>(?:[^\s|&;<>()`"'\\$]|\$(?![({'"])|\$\{\w+\}|\\[^\n]|"(?:[^"\\`$]|\\.|\$(?!\())*"|'[^']*')+)
    |(?P<other>.)""",
    re.VERBOSE | re.DOTALL,
)
_PIECE: Final = re.compile(
    r"""'([^']*)'|"((?:[^"\\]|\\.)*)"|\\([\s"'$`\\|&;<>(){}*?\[\]#!~])|([^'"\\]+|\\.?|["'])""", re.DOTALL
)
_ESCAPED: Final = re.compile(r'\\(["\\$`\n])')
_ASSIGN: Final = re.compile(r"(?a:[A-Za-z_]\w*)\+?=")
RESERVED: Final = frozenset(
    "if then elif else fi for while until do done case esac select function { } [[ ]] coproc in".split()
)


def unquote(word: str) -> str:
    """The word with quotes and escapes removed; a backslash before an ordinary letter stays (Windows paths)."""
    if "'" not in word and '"' not in word and "\\" not in word:
        return word
    return "".join(a or _ESCAPED.sub(lambda match: match[1], b) or c or d for a, b, c, d in _PIECE.findall(word))


class _Pending:
    """The simple command being collected."""

    __slots__ = ("assigns", "err", "negated", "out", "words")

    def __init__(self) -> None:
        self.words: list[str] = []
        self.assigns: list[tuple[str, str]] = []
        self.negated = False
        self.err = self.out = ""

    def redirect(self, operator: str, target: str) -> None:
        self.err, self.out = redirected(operator, target, self.err, self.out)

    def word(self, raw: str) -> None:
        if self.words:
            self.words.append(unquote(raw))
        else:
            if raw == "!" and not self.assigns:
                self.negated = True
                return
            match = _ASSIGN.match(raw)
            if match:
                self.assigns.append((raw[: match.end()].rstrip("+="), unquote(raw[match.end() :])))
                return
            self.words.append(unquote(raw))

    def done(self) -> Simple | None:
        if not self.words and not self.assigns:
            return None
        return Simple(tuple(self.words), tuple(self.assigns), self.negated, self.err, self.out)


def redirected(operator: str, target: str, err: str, out: str) -> tuple[str, str]:
    """The pair (stderr, stdout) after one more redirection."""
    sink = "null" if target in ("/dev/null", "NUL", "nul", "$null") else "file"
    if operator.startswith("&>") or (operator.startswith(">&") and target not in ("1", "2", "-")):
        return sink, sink
    if ">" not in operator:
        return err, out
    if operator.startswith("2"):
        return (("out" if target == "1" and not out else out or "out") if operator.endswith("&") else sink), out
    if operator[0] == ">" or operator.startswith("1"):
        return err, ("err" if operator.endswith("&") else sink)
    return err, out


def scan(text: str, *, lenient: bool = False) -> Items | None:
    """The items of a line of plain words; ``None`` when it holds anything a scanner cannot know.

    With ``lenient`` it skips what it does not know and always answers.
    """
    items: list[Item] = []
    pending = _Pending()
    operator = ""
    for match in _TOKEN.finditer(text):
        kind = match.lastgroup
        if kind is None:
            continue
        token = match[0]
        if kind == "other":
            if not lenient:
                return None
            if token in "({":
                _close(items, pending, ";")
                pending = _Pending()
            continue
        if kind == "word":
            if operator:
                pending.redirect(operator, unquote(token))
                operator = ""
                continue
            if not pending.words and (token in RESERVED):
                if not lenient:
                    return None
                continue
            pending.word(token)
            continue
        if operator and not lenient:
            return None
        if kind == "redirect":
            operator = token.rstrip()
            continue
        operator = ""
        empty = not (pending.words or pending.assigns)
        if token == "\n" and empty:
            continue
        if empty and not lenient:
            return None
        _close(items, pending, {"\n": ";", ";;": ";", "|&": "|"}.get(token, token))
        pending = _Pending()
    _close(items, pending, "")
    if not lenient and (operator or (items and items[-1].next in ("&&", "||", "|"))):
        return None
    return tuple(items)


def _close(items: list[Item], pending: _Pending, connector: str) -> None:
    command = pending.done()
    if command is not None:
        items.append(Item(command, connector))
    elif items and connector == "&&&":
        items[-1] = items[-1]._replace(next=connector)
