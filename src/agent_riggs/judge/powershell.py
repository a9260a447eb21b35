# ruff: noqa: SIM905  (tables of names read better as words than as lists of strings)
"""PowerShell lines cut into the same items as shell lines: cmdlets and programs, script blocks of control statements.

Expressions (``$x.Count``, ``[int]$a``, numbers, strings) run no program and are left out; a script block that is an
argument (``ForEach-Object { ... }``) is an argument.
"""

from __future__ import annotations

import re
from typing import Final

from agent_riggs.judge.syntax import Group, Item, Items, Simple, redirected

_VERBS: Final = (
    "Get|Set|Select|New|Remove|Where|ForEach|Write|Test|Invoke|Start|Stop|Out|Sort|Measure|Format|Copy|Move|Rename|Add"
    "|Clear|Import|Export|ConvertTo|ConvertFrom|Join|Split|Resolve|Compare|Group|Push|Pop|Read|Wait|Update|Install"
    "|Expand|Compress|Tee"
)
_LOOK: Final = re.compile(
    r"(?:^|[|;&({=\n])\s*(?:"
    rf"\$[\w:]+\s*[+-]?=(?!=)|(?i:{_VERBS})-[A-Z][a-z]+\b|\$(?:_|env:\w|PSVersion)"
    r")|\$_\."
)
_TOKEN: Final = re.compile(
    r"""(?P<space>[ \t\r]+|`\r?\n|\#[^\n]*|<\#.*?\#>)
    |(?P<string>@'\r?\n.*?\n'@|@"\r?\n.*?\n"@|'(?:[^']|'')*'?|"(?:[^"`]|`.|"")*"?)
    |(?P<redirect>[\d*]?>>?(?:&1)?)
    |(?P<op>&&|\|\||[;|\n])
    |(?P<open>[@$]?[({])
    |(?P<close>[)}])
    |(?P<word>(?:[^\s;|&(){}"'`>]|`.)+|&|.)""",
    re.VERBOSE | re.DOTALL,
)
_CONTROL: Final = frozenset(
    "if elseif else foreach for while do until try catch finally switch begin process end function filter trap".split()
)
_EXPRESSION: Final = re.compile(r"""[$\['"@\d+,!-]""")
_MAX_DEPTH: Final = 20


def looks_like_powershell(text: str) -> bool:
    """Whether the line can only be PowerShell: a cmdlet or ``$x = `` where a command stands, or ``$_.``."""
    return ("-" in text or "$" in text) and _LOOK.search(text) is not None


_Tokens = list[tuple[str, str]]


class _Statement:
    """The statement being collected."""

    __slots__ = ("err", "out", "quoted", "words")

    def __init__(self) -> None:
        self.words: list[str] = []
        self.quoted = False
        self.err = self.out = ""

    def done(self) -> Simple | None:
        words = self.words
        if len(words) > 1 and words[0].startswith("$") and words[1] in ("=", "+="):
            words = words[2:]
        if words and words[0] == "&":
            words = words[1:]
        elif not words or _EXPRESSION.match(words[0]) or self.quoted:
            return None
        return Simple(tuple(words), err=self.err, out=self.out) if words else None


def scan_powershell(text: str) -> Items:
    """The items of a PowerShell line."""
    tokens = [(m.lastgroup or "", m[0]) for m in _TOKEN.finditer(text) if m.lastgroup != "space"]
    return _statements(tokens, 0, len(tokens), 0)


def _statements(tokens: _Tokens, start: int, end: int, depth: int) -> Items:
    items: list[Item] = []
    now = _Statement()
    position = start
    while position < end:
        kind, token = tokens[position]
        if kind == "open":
            stop = _closing(tokens, position, end)
            _block(items, now, tokens, position + 1, stop, depth)
            position = stop + 1
            continue
        if kind == "op":
            _close(items, now, ";" if token == "\n" else token)
            now = _Statement()
        elif kind == "redirect":
            target = tokens[position + 1][1] if position + 1 < end and not token.endswith("&1") else "1"
            operator = token[:-1] if token.endswith("&1") else token
            now.err, now.out = redirected(operator.replace("*", "&"), target.strip("'\""), now.err, now.out)
            position += 0 if token.endswith("&1") else 1
        elif kind == "string":
            now.quoted = now.quoted or not now.words or now.words[-1:] in (["="], ["+="])
            now.words.append(_unquoted(token))
        elif kind == "word":
            now.words.append(token.replace("`", ""))
        position += 1
    _close(items, now, "")
    return tuple(items)


def _block(items: list[Item], now: _Statement, tokens: _Tokens, start: int, stop: int, depth: int) -> None:
    """A bracket: the body of a control statement, a command in brackets at the start, or an argument."""
    opener = tokens[start - 1][1]
    first = now.words[0].lower() if now.words else ""
    if depth >= _MAX_DEPTH:
        return
    if opener == "{" and first in _CONTROL:
        inner = _statements(tokens, start, stop, depth + 1)
        if inner and first not in ("function", "filter"):
            items.append(Item(Group((inner,)), ";"))
        now.words.clear()
    elif opener in ("(", "$(", "@(") and (not now.words or now.words[-1] in ("=", "+=")):
        inner = _statements(tokens, start, stop, depth + 1)
        if inner:
            items.extend(inner[:-1])
            items.append(Item(inner[-1].node, ""))
        now.words[:] = ["$()"]
    else:
        now.words.append(opener + "..." + {"{": "}"}.get(opener[-1], ")"))


def _closing(tokens: _Tokens, position: int, end: int) -> int:
    """Index of the bracket that closes the one at ``position``; the end when there is none."""
    level = 0
    while position < end:
        kind = tokens[position][0]
        level += 1 if kind == "open" else -1 if kind == "close" else 0
        if level == 0:
            return position
        position += 1
    return end


def _close(items: list[Item], now: _Statement, connector: str) -> None:
    command = now.done()
    if command is not None:
        items.append(Item(command, connector))
    elif items and not items[-1].next:
        items[-1] = Item(items[-1].node, connector or ";")


def _unquoted(token: str) -> str:
    if token[:2] in ("@'", '@"'):
        return token[2:-2].strip("\r\n")
    quote = token[0]
    inner = token[1:-1] if len(token) > 1 and token[-1] == quote else token[1:]
    return inner.replace(quote * 2, quote).replace("`", "") if quote == '"' else inner.replace("''", "'")
