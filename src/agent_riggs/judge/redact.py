# ruff: noqa: SIM905  (tables of names read better as words than as lists of strings)
"""Secrets out of any text before it is stored, shown or hashed.

``redact`` is linear in the length of its input, which is cut to ``MAX_TEXT`` first, and idempotent. The placeholder
depends on the kind only, so that a shape computed from redacted text is the same on every machine. Cheap searches
for fixed strings find the places worth looking at; expressions run only there.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Final

from agent_riggs.judge.keyblocks import KEY_MARK, without_key_blocks
from agent_riggs.judge.secrets import (
    BEGINNINGS,
    KEYWORDS,
    NO_VALUE,
    RUN,
    RUN_BEFORE,
    SCHEME,
    TOKEN,
    is_bare_name,
    is_secret_name,
    looks_random,
)

MAX_TEXT: Final = 65_536
"""Characters kept of a text: its head and its tail."""
CUT: Final = "\n[... cut ...]\n"
"""Stands where the middle of a long text was."""

SECRET: Final = "[redacted]"
TOKEN_MARK: Final = "[redacted:token]"
LOGIN_MARK: Final = "[redacted:login]"
EMAIL_MARK: Final = "[redacted:email]"
_MARK: Final = re.compile(r"\[redacted(?::[a-z]+)?\]")

_MAX_DEPTH: Final = 40
_MAX_PASSES: Final = 6
"""A placeholder can make a name of what stands beside it; a text that changed is looked at again until it is stable."""
_SHORT: Final = 400
"""Texts up to this length are remembered."""
_MAX_NAME: Final = 64
_NAME_LEFT: Final = re.compile(r"[\w.-]{0,64}")
_NAME_RIGHT: Final = re.compile(r"[\w-]*+")
_Span = tuple[int, int]


def redact(text: str) -> str:
    """The text without secrets, at most ``MAX_TEXT`` characters long."""
    return _short(text) if len(text) <= _SHORT else _stable(text)


@lru_cache(maxsize=16_384)
def _short(text: str) -> str:
    """Names, paths and commands come again and again."""
    return _stable(text)


def _stable(text: str) -> str:
    for _ in range(_MAX_PASSES):
        before = _cap(text)
        text = _clean(before)
        if text == before:
            break
    return _cap(text)


def redact_value(value: Any, max_string: int) -> Any:
    """A JSON value without secrets, strings cut to ``max_string`` characters; the value of a telling key goes whole."""
    return _value(value, max_string, 0)


def _value(value: Any, max_string: int, depth: int) -> Any:
    if isinstance(value, str):
        return _string(value, max_string)
    if depth > _MAX_DEPTH:
        return None
    if isinstance(value, Mapping):
        pairs = ((str(key), _string(str(key), max_string), item) for key, item in value.items())
        return {
            name: _blank(item) if is_secret_name(key) or is_secret_name(name) else _value(item, max_string, depth + 1)
            for key, name, item in pairs
        }
    if isinstance(value, list | tuple):
        return [_value(item, max_string, depth + 1) for item in value]
    return value


def _blank(item: Any) -> Any:
    if item is None or isinstance(item, bool) or item == "":
        return item
    return SECRET


def _string(text: str, max_string: int) -> str:
    """Redacted, cut and still redacted: a cut never leaves half a placeholder or a new secret."""
    text = redact(text[: max(8 * max_string, 4096)])
    for _ in range(8):
        if len(text) <= max_string:
            return text
        text = redact(_cut(text, max_string))
    return _cut(text, max_string)


def _cut(text: str, size: int) -> str:
    start = text.rfind("[redacted", max(0, size - 20), size)
    if start >= 0 and "]" not in text[start:size]:
        size = start
    return text[:size]


def _cap(text: str) -> str:
    """Head and tail of a long text, cut at white space where there is some nearby."""
    if len(text) <= MAX_TEXT:
        return text
    half = (MAX_TEXT - len(CUT)) // 2
    head, tail = text[:half], text[-half:]
    end = max(head.rfind(" ", half - 2048), head.rfind("\n", half - 2048))
    starts = [p for p in (tail.find(" ", 0, 2048), tail.find("\n", 0, 2048)) if p >= 0]
    return (head[:end] if end > 0 else head) + CUT + (tail[min(starts) + 1 :] if starts else tail)


def _clean(text: str) -> str:
    if "PRIVATE KEY" in text:
        text = without_key_blocks(text)
    if "://" in text:
        text = _LOGIN.sub(_login, text)
    text = _options(_named(text))
    text = without_tokens(text)
    if "@" in text:
        text = _emails(text)
    return text


# ---------------------------------------------------------------- logins in addresses

_LOGIN: Final = re.compile(r"""(?<=://)(?:([^\s/@:"'<>`\\]{0,200}):([^\s/"'<>`]{1,400})|([^\s/@:"'<>`\\]{16,400}))@""")


def _login(match: re.Match[str]) -> str:
    user, password, alone = match[1], match[2], match[3]
    if alone is not None:
        return f"{LOGIN_MARK}@" if looks_random(alone) and not _MARK.fullmatch(alone) else match[0]
    if _VARIABLE.fullmatch(password) or (user == "[redacted" and password == "login]"):
        return match[0]
    return f"{LOGIN_MARK}@"


# ---------------------------------------------------------------- values behind telling names

_VARIABLE: Final = re.compile(r"[$%{<*][\w{}<>*.:-]*")
"""A password that only names where it is to be found."""
_SEPARATOR: Final = re.compile(
    r"""(?P<quote>\\*["'])?(?P<sign>\s{0,4}(?:=>|:=|==?|:)[ \t]{0,4}|\\*["']?,\s{0,8}(?=\\*["'])|[ \t]{1,4}(?=\S))"""
)
_OPEN: Final = re.compile(r"""[bfru]{0,2}(?P<back>\\*)(?P<quote>["'])""")
_BARE_VALUE: Final = re.compile(r"""[^\s"'`;&|<>,\\]++""")
_COOKIES: Final = re.compile(r"""[^\s"'\\=;\[]{1,80}=[^\n"'\\]*""")
_HAS_TEXT: Final = re.compile(r"[^\W_]")
_GIVEN: Final = re.compile(
    r"(?<![A-Za-z0-9])(?=[A-Za-z+/=-]{0,64}\d)(?=[\da-z+/=-]{0,64}[A-Z])(?=[\dA-Z+/=-]{0,64}[a-z])[A-Za-z0-9+/=-]{16,}"
)
"""What no word or expression looks like: it is a secret behind a telling name, however that name is joined to it."""
_BEFORE_OPTION: Final = frozenset(" \t\r\n\"'`([,;|&=:\\n")
_FOLDER: Final = re.compile(r"""["']?(?:[/~]|[A-Za-z]:[\\/])""")


def _named(text: str) -> str:
    """Replace what follows a telling name: ``PASSWORD=x``, ``"token": "x"``, ``--api-key x``, ``Authorization: x``."""
    lowered = text.replace("\u0130", "I").lower()
    places: list[int] = []
    for word in KEYWORDS:
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
        span = _announced(text, start, seen)
        if span is not None:
            parts.append(text[done : span[0]] + SECRET)
            seen = done = span[1]
    parts.append(text[done:])
    return "".join(parts)


def _name(text: str, place: int, floor: int) -> tuple[int, int]:
    """The span of the name around ``place``; of an endless one its last characters."""
    left = _NAME_LEFT.match(text[max(floor, place - _MAX_NAME) : place][::-1])
    right = _NAME_RIGHT.match(text, place)
    after = right.end() if right else place
    return max(place - (left.end() if left else 0), after - _MAX_NAME), after


def _announced(text: str, start: int, after: int) -> _Span | None:
    """The span of the secret that a name announces, if it is the name of one and a value follows."""
    name = text[start:after]
    if name[:1] in "nrt" and start and text[start - 1] == "\\":
        name = name[1:]
    option = name.startswith("-") and (start == 0 or text[start - 1] in _BEFORE_OPTION)
    name = name.strip("-.")
    if not is_secret_name(name):
        return None
    sign = _SEPARATOR.match(text, after)
    if sign is None:
        return None
    kind = sign["sign"].strip()
    lowered = name.lower()
    if not kind or kind[-1] == ",":
        return _spaced(text, sign, lowered, option)
    if kind == "==" and not looks_random(text[sign.end() : sign.end() + 64].split("\n")[0].split(" ")[0].strip("'\"")):
        return None
    if lowered.endswith("cookie"):
        return _cookie(text, sign.end())
    return _assigned(text, start, sign, name)


def _spaced(text: str, sign: re.Match[str], name: str, option: bool) -> _Span | None:
    """``--token x``, ``-Password x``, ``["--token", "x"]``, ``Bearer x``, ``PASSWORD 'x'``."""
    if option:
        start, end = _quoted(text, sign.end()) or _bare(text, sign.end())
        value = text[start:end]
        if end <= start or value[0] in "-$%" or _MARK.fullmatch(value) or value in ("\\", "=", ":"):
            return None
        return start, end
    if sign["quote"] or sign["sign"].strip():
        return None
    if name in ("bearer", "authorization") or name.endswith("authorization"):
        start, end = _quoted(text, sign.end()) or _bare(text, sign.end())
        value = text[start:end]
        if _GIVEN.search(value):
            return start, end
        return (start, end) if len(value) >= 8 and looks_random(value) and not NO_VALUE.match(value) else None
    if name in ("password", "passwd", "passphrase") and text[sign.end()] == "'":
        start, end = _quoted(text, sign.end()) or _bare(text, sign.end())
        value = text[start:end]
        return (start, end) if value and " " not in value and not NO_VALUE.match(value) else None
    start, end = _quoted(text, sign.end()) or _bare(text, sign.end())
    return (start, end) if _GIVEN.fullmatch(text, start, end) else None


def _cookie(text: str, start: int) -> _Span | None:
    """A cookie header: everything to the end of the quote or line."""
    opened = _quoted(text, start)
    if opened:
        begin, end = opened
    else:
        match = _COOKIES.match(text, start)
        begin, end = start, match.end() if match else start
    return (begin, end) if _COOKIES.match(text, begin, end) else None


def _assigned(text: str, name_start: int, sign: re.Match[str], name: str) -> _Span | None:
    """A value behind ``=`` or ``:``. A bare word of prose (``token: expected``) is none."""
    begin = sign.end()
    if name[-3:] in ("pwd", "PWD") and _FOLDER.match(text, begin):
        return None
    scheme = SCHEME.match(text, begin)
    if scheme and "." in (dotted := text[slice(*_bare(text, scheme.end()))]) and _GIVEN.search(dotted):
        return _bare(text, scheme.end())
    quoted = None if scheme else _quoted(text, begin)
    if quoted and not scheme:
        inner = SCHEME.match(text, quoted[0])
        if inner and inner.end() < quoted[1]:
            if _GIVEN.search(text, inner.end(), quoted[1]):
                return inner.end(), quoted[1]
            return _unless(text, inner.end(), quoted[1], strict=True)
        return _unless(text, *quoted, strict=True)
    start = scheme.end() if scheme else begin
    if NO_VALUE.match(text, start) and not _MARK.match(text, start):
        return None
    start, end = _bare(text, start)
    if end <= start:
        return None
    if scheme:
        value = text[start:end]
        return _unless(text, start, end, strict=False) if looks_random(value) or len(value) > 8 else None
    spaced = ":" in sign["sign"] and sign["sign"][-1:] in " \t"
    if not spaced:
        return _unless(text, start, end, strict=False)
    value = text[start:end]
    alone = end == len(text) or text[end] in "\n\r\"'`" or text.startswith("\\n", end)
    before = text[max(0, name_start - 64) : name_start]
    headline = not before[before.rfind("\n") + 1 :].strip(" \t-\"'{")
    if looks_random(value) or (alone and (headline or not is_bare_name(name))):
        return _unless(text, start, end, strict=False)
    return None


def _unless(text: str, start: int, end: int, *, strict: bool) -> _Span | None:
    """The span, unless its value is a variable, a type, an expression or a placeholder."""
    if _MARK.fullmatch(text, start, end):
        return None
    match = NO_VALUE.match(text, start, end)
    if match and (match.end() == end or not (strict or _MARK.match(text, start, end))):
        return None
    if strict and not _HAS_TEXT.search(text, start, end):
        return None
    return start, end


def _bare(text: str, start: int) -> tuple[int, int]:
    match = _BARE_VALUE.match(text, start)
    if match is None:
        return start, start
    end = match.end()
    while end > start and text[end - 1] in ")]}" and not _MARK.fullmatch(text, start, end):
        end -= 1
    while end > start and text[end - 1] in ".:!?":
        end -= 1
    return start, end


def _quoted(text: str, start: int) -> tuple[int, int] | None:
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


def _unclosed(text: str, start: int, end: int) -> _Span | None:
    """A quote without its end: cut off, or the end of an outer string (``prompt="Password: ", x=1``)."""
    return None if text[start:end].lstrip()[:1] in (",", ")", "]", "}", ";", "+", "%", ".") else (start, end)


# ---------------------------------------------------------------- options without a telling name

_USER: Final = re.compile(
    r"""((?<![\w-])(?:-u|--user|--proxy-user|-U)(?:[ =]{1,2}|(?=[A-Za-z]))["']?[\w.@+-]{1,80}:)([^\s"'\\]{2,400})"""
)
_OPTIONS: Final[tuple[tuple[str, re.Pattern[str]], ...]] = (
    ("curl", _USER),
    ("http", _USER),
    ("sshpass", re.compile(r"""(\bsshpass\s+-p[ ]?["']?)([^\s"'\\]{1,200})""")),
    ("mysql", re.compile(r"""(\bmysql\w*\s[^\n|;]{0,200}?-p)([^\s"'\\-][^\s"'\\]{0,200})""")),
    ("mariadb", re.compile(r"""(\bmariadb\w*\s[^\n|;]{0,200}?-p)([^\s"'\\-][^\s"'\\]{0,200})""")),
    ("redis-cli", re.compile(r"""(\bredis-cli\s[^\n|;]{0,200}?-a[ ]["']?)([^\s"'\\]{1,200})""")),
    (" login", re.compile(r"""(\blogin\s[^\n|;]{0,200}?-p[ ]["']?)([^\s"'\\]{1,200})""")),
)


def _options(text: str) -> str:
    for word, pattern in _OPTIONS:
        if word in text:
            text = pattern.sub(_keep_variable, text)
    return text


def _keep_variable(match: re.Match[str]) -> str:
    value = match[2]
    if value[0] in "$%<{" or value.isdigit() or _MARK.fullmatch(value):
        return match[0]
    return match[1] + SECRET


# ---------------------------------------------------------------- tokens and addresses


def without_tokens(text: str) -> str:
    """Tokens of known providers, looked for only around runs of token characters."""
    parts: list[str] = []
    done = 0
    for run in RUN.finditer(text):
        start = max(done, run.start() - RUN_BEFORE)
        if not _may_hold_token(text[max(0, start - _LOOK_BEHIND) : run.end() + RUN_BEFORE]):
            continue
        while start < run.end():
            near = TOKEN.search(text, start, run.end() + RUN_BEFORE)
            if near is None or near.start() >= run.end():
                break
            whole = TOKEN.match(text, near.start()) or near
            parts.append(text[done : whole.start()] + TOKEN_MARK)
            start = done = whole.end()
    parts.append(text[done:])
    return "".join(parts)


_LOOK_BEHIND: Final = 16
"""More than ``TOKEN`` looks at before its match."""


def _may_hold_token(text: str) -> bool:
    for beginning in BEGINNINGS:  # noqa: SIM110  (twice as fast as any(): it runs for every id)
        if beginning in text:
            return True
    return False


_LOCAL: Final = re.compile(r"[A-Za-z0-9_.+%-]{1,64}")
_DOMAIN: Final = re.compile(r"@[A-Za-z0-9][A-Za-z0-9-]{0,62}(?:\.[A-Za-z0-9-]{1,62}){0,6}\.([A-Za-z]{2,24})(?![\w-])")
_NO_DOMAIN: Final = frozenset(
    "png jpg jpeg gif svg webp ico css js mjs cjs ts tsx jsx json py rb go rs java kt md txt html yml yaml toml"
    " lock service timer socket target mount log sh so dll exe zip gz tgz whl vue svelte".split()
)


def _emails(text: str) -> str:
    parts: list[str] = []
    done = 0
    at = text.find("@")
    while at >= 0:
        found = _email(text, at, done)
        if found is not None:
            parts.append(text[done : found[0]] + EMAIL_MARK)
            done = found[1]
        at = text.find("@", max(at + 1, done))
    parts.append(text[done:])
    return "".join(parts)


def _email(text: str, at: int, floor: int) -> tuple[int, int] | None:
    domain = _DOMAIN.match(text, at)
    if domain is None or domain[1].lower() in _NO_DOMAIN:
        return None
    local = _LOCAL.match(text[max(floor, at - 64) : at][::-1])
    if local is None:
        return None
    start = at - local.end()
    name = text[start:at]
    if name[0] in "nrt" and start and text[start - 1] == "\\" and len(name) > 1:
        start, name = start + 1, name[1:]
    if name == "git" or text[max(0, start - 3) : start] == "://" or not any(c.isalnum() for c in name):
        return None
    return start, domain.end()


__all__ = ["CUT", "EMAIL_MARK", "KEY_MARK", "LOGIN_MARK", "MAX_TEXT", "SECRET", "TOKEN_MARK", "redact", "redact_value"]
