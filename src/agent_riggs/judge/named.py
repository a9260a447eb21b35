"""Values behind a name that announces a secret: ``PASSWORD=x``, ``"token": "x"``, ``--api-key x``, ``<password>x<``.

Fixed strings find the names; what stands around a name is looked at only where it is one of a secret.
"""

from __future__ import annotations

import re
from typing import Final

from agent_riggs.judge.secrets import (
    FOREIGN,
    KEYWORDS,
    MARK,
    NO_VALUE,
    SCHEME,
    SECRET,
    is_bare_name,
    is_secret_name,
    looks_random,
)

Span = tuple[int, int]

_MAX_NAME: Final = 64
_NAME_LEFT: Final = re.compile(r"[\w.-]{0,64}")
_NAME_RIGHT: Final = re.compile(r"[\w-]*+")
_SEPARATOR: Final = re.compile(
    r"""(?P<quote>\\*["']\]?)?(?P<sign>\s{0,4}(?:=>|:=|==?|[:\uff1a])[ \t]{0,4}|\\*["']?,\s{0,8}(?=\\*["'])"""
    r"""|[ \t]{0,8}(?:\\{1,4}\r?\n|[`^]\r?\n|\\{2,3}n)\s{0,40}(?=\S)|[ \t]{1,4}(?=\S))"""
)
_OPEN: Final = re.compile(r"""[bfru]{0,2}(?P<back>\\*)(?P<quote>["'])""")
_BARE_VALUE: Final = re.compile(r"""[^\s"'`;&|<>,\\]++""")
_COOKIES: Final = re.compile(r"""[^\s"'\\=;\[]{1,80}=[^\n"'\\]*""")
_HAS_TEXT: Final = re.compile(r"[^\W_]")
_GIVEN: Final = re.compile(
    r"(?<![A-Za-z0-9])(?=[A-Za-z+/=-]{0,64}\d)(?=[\da-z+/=-]{0,64}[A-Z])(?=[\dA-Z+/=-]{0,64}[a-z])[A-Za-z0-9+/=-]{12,}"
)
"""What no word or expression looks like: it is a secret behind a telling name, however that name is joined to it."""
_BEFORE_OPTION: Final = frozenset(" \t\r\n\"'`([,;|&=:\\n")
_ASKED: Final = re.compile(r"(?i)(?:'s|\bmot de|\b(?:new|enter|current|old|retype|confirm|temporary|initial|your)) $")
"""Before a name that something asks for, or tells the value of."""
_FOLDER: Final = re.compile(r"""["']?(?:[/~]|[A-Za-z]:[\\/])""")


def without_named(text: str) -> str:
    """Replace what follows a telling name."""
    plain = text.isascii()
    lowered = text.lower() if plain else text.replace("\u0130", "I").lower()
    places: list[int] = []
    for word in KEYWORDS if plain else (*KEYWORDS, *FOREIGN):
        start = lowered.find(word)
        while start >= 0:
            places.append(start)
            start = lowered.find(word, start + len(word))
    if not places:
        return text
    places.sort()
    parts: list[str] = []
    done = seen = 0
    for place in places:
        if place < seen:
            continue
        start, seen = _name(text, place, done)
        span = _announced(text, start, seen, done)
        if span is not None:
            parts.append(text[done : span[0]] + SECRET)
            done = span[1]
            seen = max(seen, done)
    parts.append(text[done:])
    return "".join(parts)


def _name(text: str, place: int, floor: int) -> Span:
    """The span of the name around ``place``; of an endless one its last characters."""
    left = _NAME_LEFT.match(text[max(floor, place - _MAX_NAME) : place][::-1])
    right = _NAME_RIGHT.match(text, place)
    after = right.end() if right else place
    return max(place - (left.end() if left else 0), after - _MAX_NAME), after


def _announced(text: str, start: int, after: int, floor: int) -> Span | None:
    """The span of the secret that a name announces, if it is the name of one and a value follows."""
    name = text[start:after]
    if name[:1] in "nrt" and start and text[start - 1] == "\\":
        name, start = name[1:], start + 1
    option = name.startswith("-") and (start == 0 or text[start - 1] in _BEFORE_OPTION)
    name = name.strip("-.")
    if not is_secret_name(name) and not (name == "auth" and _GIVEN.search(text, after, after + 120)):
        return None
    from agent_riggs.judge import paired

    span = paired.structured(text, start, after, floor, name)
    if span is not None:
        return span
    sign = _SEPARATOR.match(text, after)
    if sign is None:
        return paired.joined(text, after)
    kind = sign["sign"].strip(" \t")
    lowered = name.lower()
    if not kind or kind[-1] == "," or kind[0] in "\\`^":
        return _spaced(text, sign, lowered, option) or (None if option else paired.spoken(text, start, sign, name))
    if kind == "==" and not looks_random(text[sign.end() : sign.end() + 64].split("\n")[0].split(" ")[0].strip("'\"")):
        return None
    if lowered == "pass" and kind != "=" and text[start - 1 : start] != "/":
        return None
    if lowered.endswith("cookie"):
        return _cookie(text, sign.end())
    block = paired.block(text, start, sign.end()) if text[sign.end() : sign.end() + 1] in "|>" else None
    return block or _assigned(text, start, sign, name)


def _spaced(text: str, sign: re.Match[str], name: str, option: bool) -> Span | None:
    """``--token x``, ``-Password x``, ``["--token", "x"]``, ``Bearer x``, ``PASSWORD 'x'``."""
    start, end = quoted(text, sign.end()) or bare(text, sign.end())
    value = text[start:end]
    if option:
        if end <= start or value[0] in "-$%" or MARK.fullmatch(value) or value in ("\\", "=", ":", "^", "`"):
            return None
        return start, end
    if sign["quote"] or sign["sign"].strip():
        return None
    if name in ("bearer", "authorization") or name.endswith("authorization"):
        if _GIVEN.search(value):
            return start, end
        return (start, end) if len(value) >= 8 and looks_random(value) and not NO_VALUE.match(value) else None
    if name in ("password", "passwd", "passphrase") and text[sign.end()] == "'":
        return (start, end) if value and " " not in value and not NO_VALUE.match(value) else None
    return (start, end) if _GIVEN.fullmatch(text, start, end) else None


def _cookie(text: str, start: int) -> Span | None:
    """A cookie header: everything to the end of the quote or line."""
    opened = quoted(text, start)
    if opened:
        begin, end = opened
    else:
        match = _COOKIES.match(text, start)
        begin, end = start, match.end() if match else start
    return (begin, end) if _COOKIES.match(text, begin, end) else None


def _assigned(text: str, name_start: int, sign: re.Match[str], name: str) -> Span | None:
    """A value behind ``=`` or ``:``. A bare word of prose (``token: expected``) is none."""
    begin = sign.end()
    if name[-3:] in ("pwd", "PWD") and _FOLDER.match(text, begin):
        return None
    scheme = SCHEME.match(text, begin)
    if scheme and "." in (dotted := text[slice(*bare(text, scheme.end()))]) and _GIVEN.search(dotted):
        return bare(text, scheme.end())
    inside = None if scheme else quoted(text, begin)
    if inside and not scheme:
        inner = SCHEME.match(text, inside[0])
        if inner and inner.end() < inside[1]:
            if _GIVEN.search(text, inner.end(), inside[1]):
                return inner.end(), inside[1]
            return unless(text, inner.end(), inside[1], strict=True)
        return unless(text, *inside, strict=True)
    start = scheme.end() if scheme else begin
    if NO_VALUE.match(text, start) and not MARK.match(text, start):
        return _dotted(text, start)
    start, end = bare(text, start)
    if end <= start:
        return None
    value = text[start:end]
    if scheme:
        return unless(text, start, end, strict=False) if looks_random(value) or len(value) > 8 else None
    spaced = sign["sign"].strip(" \t\r\n") in (":", "\uff1a") and sign["sign"][-1:] in " \t"
    if not spaced or looks_random(value):
        return unless(text, start, end, strict=False)
    alone = end == len(text) or text[end] in "\n\r\"'`" or text.startswith("\\n", end)
    before = text[max(0, name_start - 64) : name_start]
    headline = _ASKED.search(before) or not before[before.rfind("\n") + 1 :].strip(" \t-\"'{")
    if alone and (headline or not is_bare_name(name)):
        return unless(text, start, end, strict=False)
    return None


_PART: Final = re.compile(
    r"\.(?=[A-Za-z]{0,40}\d)(?=[\da-z]{0,40}[A-Z])(?=[\dA-Z]{0,40}[a-z])[A-Za-z0-9]{12,}(?![\w(\[])"
)
_PARTS: Final = re.compile(r"[\w.-]{1,400}")
_OWNER: Final = re.compile(
    r"(?i)(?:process|os|env|self|this|config|settings|secrets|vars?|data|local|module|params|req\w*|res\w*|ctx|props|state)\."
)


def _dotted(text: str, start: int) -> Span | None:
    """A value in parts (``s.Ab3...``), which an expression looks like (``settings.token``)."""
    parts = _PARTS.match(text, start)
    if parts and _PART.search(text, start, parts.end()) and not _OWNER.match(text, start, parts.end()):
        return bare(text, start)
    return None


def unless(text: str, start: int, end: int, *, strict: bool) -> Span | None:
    """The span, unless its value is a variable, a type, an expression or a placeholder."""
    if MARK.fullmatch(text, start, end):
        return None
    match = NO_VALUE.match(text, start, end)
    if match and (match.end() == end or not (strict or MARK.match(text, start, end))):
        return None
    if strict and not _HAS_TEXT.search(text, start, end):
        return None
    return start, end


def bare(text: str, start: int) -> Span:
    """A value without quotes."""
    match = _BARE_VALUE.match(text, start)
    if match is None:
        return start, start
    end = match.end()
    while end > start and text[end - 1] in ")]}" and not MARK.fullmatch(text, start, end):
        end -= 1
    while end > start and text[end - 1] in ".:!?":
        end -= 1
    return start, end


def quoted(text: str, start: int) -> Span | None:
    """The inside of a quoted string; quotes may be escaped any number of times, and the end may be cut off."""
    opened = _OPEN.match(text, start)
    if opened is None:
        return None
    depth = len(opened["back"])
    closing = re.compile(rf"""(\\*){opened["quote"]}|\n""")
    for match in closing.finditer(text, opened.end()):
        if match[0] == "\n":
            return _unclosed(text, opened.end(), match.start())
        if len(match[1]) <= depth or (depth == 0 and len(match[1]) % 2 == 0):
            return opened.end(), match.start() + max(0, len(match[1]) - depth)
    return _unclosed(text, opened.end(), len(text))


def _unclosed(text: str, start: int, end: int) -> Span | None:
    """A quote without its end: cut off, or the end of an outer string (``prompt="Password: ", x=1``)."""
    return None if text[start:end].lstrip()[:1] in (",", ")", "]", "}", ";", "+", "%", ".") else (start, end)
