"""Values that a telling name announces from farther away: elements, pairs of name and value, blocks, cells, prompts."""

from __future__ import annotations

import re
from typing import Final

from agent_riggs.judge.compiled import compiled
from agent_riggs.judge.named import Span, bare, quoted, unless
from agent_riggs.judge.secrets import NO_VALUE, is_bare_name, looks_random

_NEAR: Final = 200
"""Characters looked at on either side of a name."""

# ---------------------------------------------------------------- elements and pairs

_TAG: Final = r"(?:<|&lt;)(?:[\w.-]{1,40}:)?$"
_TEXT: Final = (
    r"(?:\s[^<>\n]{0,200}?)?(?<![/?-])(?:>|&gt;)\s{0,40}(?:<!\[CDATA\[)?([^<>\n&][^<>\n]{0,400}?)"
    r"(?:\]\]>)?\s{0,40}(?:</|&lt;/)"
)
"""Behind the name of an element: its text."""
_NEXT: Final = r"\s*</[\w.:-]{1,40}>\s{0,80}<[\w.:-]{1,40}>([^<\n]{1,400})</"
"""Behind a name that is the text of an element: the text of the next (a property list, Hadoop)."""
_ENTRY: Final = r"""["'](?:\s[^<>\n]{0,80})?>([^<>\n]{1,400})</"""
"""Behind a name in an attribute: the text of the element."""
_LABEL: Final = (
    r"""(?i)(?:(?:name|key|variable|\bid)\\{0,3}["']?\s{0,4}(?:=>|[:=])|--?(?:name|key)[ =])\s{0,4}\\{0,3}["']?$"""
)
"""Before a name that is the value of ``name`` or ``key``."""
_VALUE: Final = r"""(?i)\b[a-z_]{0,20}value\\{0,3}["']?(?:\s{0,4}(?:=>|[:=])|[ ](?=\S))\s{0,4}"""
"""Before its value."""
_BARRIER: Final = (
    r"""(?i)[{}<>\]]|\n\s{0,20}-\s|\\n[ ]{0,20}-[ ]|\b(?:name|key)\\{0,3}["']?\s{0,4}[:=]|[;|&]\s|\n\s{0,20}\n"""
)
"""Where another pair begins."""
_VARIABLE: Final = r"[$%&@#{]+[\w.: -]*[}%;]*"
_SYNTAX: Final = frozenset(("token", "key", "secret", "sig", "pass", "cookie", "bearer"))
"""Names that a parser's own output has as well."""


def structured(text: str, start: int, after: int, floor: int, name: str) -> Span | None:
    """The value of an element or of a pair; an empty span where the name is of one without a secret in it."""
    before = text[max(floor, start - 48) : start]
    last = before[-1:]
    if last in ("<", ":", ";") and compiled(_TAG).search(before):
        return _in(text, compiled(_TEXT).match(text, after))
    following = text[after : after + 1]
    if last == ">" and following == "<":
        return _in(text, compiled(_NEXT).match(text, after))
    if last in ("|", "\u2502", "\u2503", " ") and before.rstrip(" \t")[-1:] in ("|", "\u2502", "\u2503"):
        found = _cell(text, start, after)
        if found:
            return found
    if last and last in "\"'=: \t" and compiled(_LABEL).search(before):
        return _pair(text, start, after, floor, name)
    return None


def _in(text: str, match: re.Match[str] | None) -> Span | None:
    if match is None or compiled(_VARIABLE).fullmatch(match[1]):
        return None
    return unless(text, *match.span(1), strict=True)


def _pair(text: str, start: int, after: int, floor: int, name: str) -> Span | None:
    """The value that belongs to a name: behind it, or before it."""
    entry = _in(text, compiled(_ENTRY).match(text, after))
    if entry:
        return entry
    end = after + _NEAR
    barrier = compiled(_BARRIER).search(text, after, end)
    value = compiled(_VALUE).search(text, after, barrier.start() if barrier else end)
    if value is None:
        value = _earlier(text, max(floor, start - _NEAR), start)
    if value is None:
        return None
    inside = quoted(text, value.end()) or bare(text, value.end())
    if name.lower() in _SYNTAX and not looks_random(text[slice(*inside)]):
        return None
    return unless(text, *inside, strict=True) if inside[1] > inside[0] >= floor else None


def _earlier(text: str, begin: int, start: int) -> re.Match[str] | None:
    """The label of a value right before the label of the name."""
    for barrier in compiled(_BARRIER).finditer(text, begin, start):
        if not barrier[0][:1].isalpha():
            begin = barrier.end()
    labels = list(compiled(_VALUE).finditer(text, begin, start))
    return labels[-1] if labels else None


# ---------------------------------------------------------------- blocks, cells, prompts, verbs

_BLOCK: Final = r"[|>](?:[+-]?\d?|\d[+-])[ \t]*(?:#[^\n]*)?(\r?\n|\\n)"
_LINE: Final = r"([ \t]*)((?:[^\n\\]|\\(?!n))*+)(\n|\\n|$)"
_MAX_LINES: Final = 100
_CELL: Final = (
    r"[ \t]{0,40}[|\u2502\u2503][ \t]{0,40}([^\s|\u2502\u2503][^|\u2502\u2503\n]{0,400}?)[ \t]{0,200}"
    r"(?=[|\u2502\u2503\n]|$)"
)
_FIRST_CELL: Final = r"(?:[^|\u2502\u2503]*[:\d])?[ \t]*[|\u2502\u2503][ \t]*"
_RULE: Final = r"[^\n]*\n[ \t]*[|+\u2502\u251c\u255e\u2560][-=+:|\u2500\u2550\u253c]"
_PROMPT: Final = (
    r"""(?i)[ \t](?:for|of|pour|f\u00fcr|para|de)[ \t](?:(?:user|key|host|account)[ \t])?"""
    r"""(?:'[^'\n]{1,200}'|"[^"\n]{1,200}"|[^\s:'"]{1,80}(?:[ \t][^\s:'"]{1,80}){0,2})[ \t]?:[ \t]{0,4}"""
    r"""([^\s"'\\]{1,200})(?=\s*(?:$|\n)|\\n|["'])"""
)
_VERB: Final = (
    r"""(?:^|[\n;&|(`"'>%$+]|\\n|\bsudo\b)[ \t]{0,20}(?:set|setx|SETX|setenv|export|ENV|declare|readonly|typeset)"""
    r"""(?:[ \t]{1,4}-{1,2}[\w-]{1,20})*[ \t]{1,4}["']?$"""
    r"""|\b(?:setx|SETX|setenv|ENV|set[ \t]{1,4}-\w{0,2}x\w?)[ \t]{1,4}["']?$"""
    r"""|(?:\bconfig|\bconfigure|\bnpm|\bpnpm|\byarn)(?:[ \t]{1,4}(?:set|--[\w-]{1,20}))+"""
    r"""[ \t]{1,4}["']?(?:/[^\s"']{0,120})?$"""
    r"""|\bconfig[ \t]{1,4}["']?(?:/[^\s"']{0,120})?$"""
)
"""Before the name of a variable or setting that is given its value without a sign."""
_LOGIN: Final = (
    r"""(?:^|\s|\\n|["'])(?:login|account)\s{1,8}["']?[^\s"']{0,80}[^\s"':,.]["']?(?:\s{1,40}|\\n\s{0,40})$"""
)
_CALL: Final = (
    r"""(?i)(?:\b|_)(?:set|put|define|add|append|header|env|secret|config|with)\w{0,20}\(\s{0,20}\\{0,3}["']$"""
)

_ESCAPED: Final = r"""(?:%(?:25)*22)?%(?:25)*3[ADad](?:%(?:25)*2[02])*((?:(?!%(?:25)*2[26])[^\s&"'<>;]){1,400}+)"""


def block(text: str, start: int, begin: int) -> Span | None:
    """The lines of a YAML block scalar: those indented deeper than its name."""
    opened = compiled(_BLOCK).match(text, begin)
    if opened is None:
        return None
    head = text[max(0, start - 80) : start]
    head = head[max(head.rfind("\n") + 1, head.rfind("\\n") + 2 if "\\n" in head else 0) :]
    indent = len(head) - len(head.lstrip(" \t"))
    position, first, last = opened.end(), -1, -1
    for _ in range(_MAX_LINES):
        line = compiled(_LINE).match(text, position)
        if line is None or (line[2].strip() and len(line[1]) <= indent):
            break
        if line[2].strip():
            first = line.start(2) if first < 0 else first
            last = line.start(2) + len(line[2].rstrip(" \t\r\"'}"))
        if line.end() == position or not line[3]:
            break
        position = line.end()
    return unless(text, first, last, strict=True) if last > first >= 0 else None


def _cell(text: str, start: int, after: int) -> Span | None:
    """The cell beside the name in a table whose first column holds names."""
    line = text[max(0, start - 120) : start]
    if not compiled(_FIRST_CELL).fullmatch(line[line.rfind("\n") + 1 :]):
        return None
    found = compiled(_CELL).match(text, after)
    if found is None or compiled(_RULE).match(text, found.end()):
        return None
    rest = text[found.end() : found.end() + 400].split("\n")[0].strip(" \t|\u2502\u2503")
    return None if rest and not looks_random(found[1]) else unless(text, *found.span(1), strict=True)


def joined(text: str, after: int) -> Span | None:
    """``password%3Dx``: name and sign are escaped as a part of an address."""
    found = compiled(_ESCAPED).match(text, after)
    return _in(text, found)


def spoken(text: str, start: int, sign: re.Match[str], name: str) -> Span | None:
    """A value behind a name and a space, where the words around them say that it is one."""
    lowered = name.lower()
    if sign["sign"].strip()[-1:] == ",":
        inside = quoted(text, sign.end())
        before = text[max(0, start - 40) : start]
        called = inside and (compiled(_CALL).search(before) or ("(" in before and looks_random(text[slice(*inside)])))
        return unless(text, *inside, strict=True) if inside and called and not is_bare_name(name) else None
    if lowered.endswith(("password", "passwd", "passphrase", "passwort", "passe")):
        prompt = compiled(_PROMPT).match(text, sign.start())
        if prompt and not NO_VALUE.match(text, prompt.start(1)):
            return unless(text, *prompt.span(1), strict=True)
    before = text[max(0, start - 160) : start]
    verb = compiled(_VERB).search(before)
    if not verb and not (lowered == "password" and compiled(_LOGIN).search(before)):
        return None
    start, end = quoted(text, sign.end()) or bare(text, sign.end())
    value = text[start:end]
    if not value or value[0] in "-$%=" or (verb and (value.isupper() or NO_VALUE.match(value))):
        return None
    if verb and is_bare_name(name) and name.islower() and not looks_random(value):
        return None
    return unless(text, start, end, strict=True)
