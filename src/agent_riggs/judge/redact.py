# ruff: noqa: SIM905  (tables of names read better as words than as lists of strings)
"""Secrets out of any text before it is stored, shown or hashed.

``redact`` is linear in the length of its input, which is cut to ``MAX_TEXT`` first, and idempotent. The placeholder
depends on the kind only, so that a shape computed from redacted text is the same on every machine. Cheap searches
for fixed strings find the places worth looking at; expressions run only there.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, Final

from agent_riggs.judge.compiled import compiled
from agent_riggs.judge.keyblocks import KEY_MARK, without_key_blocks
from agent_riggs.judge.named import without_named
from agent_riggs.judge.secrets import (
    LONERS,
    MARK,
    PROGRAMS,
    RUN,
    RUN_BEFORE,
    SECRET,
    STEMS,
    TOKEN,
    is_secret_name,
    looks_random,
)

MAX_TEXT: Final = 65_536
"""Characters kept of a text: its head and its tail."""
CUT: Final = "\n[... cut ...]\n"
"""Stands where the middle of a long text was."""

TOKEN_MARK: Final = "[redacted:token]"
LOGIN_MARK: Final = "[redacted:login]"
EMAIL_MARK: Final = "[redacted:email]"

_MAX_DEPTH: Final = 40
_MAX_PASSES: Final = 6
"""A placeholder can make a name of what stands beside it; a text that changed is looked at again until it is stable."""
_MAX_NAME: Final = 64
_SHORT: Final = 400
"""Texts up to this length are remembered."""


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


def redact_path(path: str) -> str:
    """A path without secrets. An e-mail address stays: folders are called so, and a path has to be found again."""
    return path if _clean(path, addresses=False) == path else redact(path)


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
        told = _is_told(value)
        return {
            name: _blank(item)
            if is_secret_name(key) or is_secret_name(name) or (told and key.lower().endswith("value"))
            else _value(item, max_string, depth + 1)
            for key, name, item in pairs
        }
    if isinstance(value, list | tuple):
        if len(value) > 1 and all(isinstance(item, str) for item in value):
            return _words(value, max_string)
        return [_value(item, max_string, depth + 1) for item in value]
    return value


def _is_told(value: Mapping[Any, Any]) -> bool:
    """Whether a mapping is a pair of a telling name and its value."""
    names = (
        item for key, item in value.items() if isinstance(item, str) and str(key).lower().endswith(("name", "key"))
    )
    return any(is_secret_name(name) for name in names if len(name) <= _MAX_NAME)


def _words(words: Sequence[str], max_string: int) -> list[str]:
    """The words of a list, read as JSON and as a command: one may tell that the next is a secret."""
    clean = [_string(word, max_string) for word in words]
    for _ in range(_MAX_PASSES):
        before = clean
        for edge, glue in (('"', '", "'), ("", " ")):
            clean = _joined(clean, edge, glue, max_string)
        if clean == before:
            break
    return clean


def _joined(words: list[str], edge: str, glue: str, max_string: int) -> list[str]:
    line = f"{edge}{glue.join(words)}{edge}"
    seen = redact(line)
    if seen == line:
        return words
    parts = seen[len(edge) : len(seen) - len(edge)].split(glue)
    if len(parts) == len(words):
        return [_string(part, max_string) for part in parts]
    return [word if word in seen else SECRET for word in words]


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


def _clean(text: str, addresses: bool = True) -> str:
    if "PRIVATE KEY" in text:
        text = without_key_blocks(text)
    if "://" in text:
        text = _LOGIN.sub(_login, text)
    if "=" in text and ("?" in text or "&" in text):
        text = _QUERY.sub(_parameter, text)
    text = without_named(text)
    if "DENTIFIED BY" in text:
        text = compiled(_SQL).sub(rf"\1{SECRET}", text)
    if (" -" in text and _OPTION.search(text)) or '"-' in text or _is_rare(text):
        text = _options(text)
    if ("|" in text and ("echo " in text or "printf " in text)) or "<<" in text:
        from agent_riggs.judge.options import without_piped

        text = without_piped(text)
    text = without_tokens(text)
    if addresses and "@" in text:
        text = _emails(text)
    return text


_OPTION: Final = re.compile(r" -(?:[pPwuUabkKNA]|hp|n[A-Za-z]*b|-(?:auth|user|proxy|cookie|from|body))")
"""What comes before most secrets without a name: texts without it need not be asked for programs."""


def _is_rare(text: str) -> bool:
    """Whether a program is named that takes a secret without a dash."""
    return "vault login " in text or "rabbitmqctl " in text or "freerdp /" in text or "net use" in text


def _options(text: str) -> str:
    named = tuple([word for word in PROGRAMS if word in text])
    if not named:
        return text
    from agent_riggs.judge.options import without_options

    return without_options(text, named)


# ---------------------------------------------------------------- addresses

_LOGIN: Final = re.compile(
    r"""(?<=://)(?:([^\s/@:"'<>`\\\[]{0,200}):(?!\d{1,5}[/?#])(?:([^\s/"'<>`]{1,400})@|([^\s"'<>`$]{1,200})@(?=[\w.-]{1,200}[:/?\s"']))"""
    r"""|([^\s/@:"'<>`\\]{16,400})@)"""
)
_VARIABLE: Final = re.compile(r"[$%{<*][\w{}<>*.:-]*")
"""A password that only names where it is to be found."""
_QUERY: Final = re.compile(
    r"""([?&;](?:key|code|sig|auth|hmac|sas|ticket|jwt|assertion|hash|pw|otp)=)([^\s&#"'<>;\\\[]{8,2000})"""
)
"""A parameter that may be a secret, if its value looks like one."""
_SQL: Final = r"""(IDENTIFIED BY \\{0,3}['"])(?!\[redacted)[^'"\\\n]{1,200}"""


def _login(match: re.Match[str]) -> str:
    user, password, slashed, alone = match.groups()
    if alone is not None:
        return f"{LOGIN_MARK}@" if looks_random(alone) and not MARK.fullmatch(alone) else match[0]
    if slashed is not None:
        return f"{LOGIN_MARK}@" if looks_random(slashed) and "[redacted" not in match[0] else match[0]
    if _VARIABLE.fullmatch(password) or (user == "[redacted" and password == "login]"):
        return match[0]
    return f"{LOGIN_MARK}@"


def _parameter(match: re.Match[str]) -> str:
    value = match[2]
    digits = sum(map(str.isdigit, value))
    return f"{match[1]}{SECRET}" if digits and any(map(str.isalpha, value)) and value[0] not in "$%{" else match[0]


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
    for beginning in LONERS:  # twice as fast as any(): it runs for every id
        if beginning in text:
            return True
    for stem, beginnings in STEMS:  # noqa: SIM110
        if stem in text and any(beginning in text for beginning in beginnings):
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


__all__ = [
    "CUT",
    "EMAIL_MARK",
    "KEY_MARK",
    "LOGIN_MARK",
    "MAX_TEXT",
    "SECRET",
    "TOKEN_MARK",
    "redact",
    "redact_path",
    "redact_value",
]
