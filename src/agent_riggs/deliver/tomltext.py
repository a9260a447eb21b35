"""One value of a TOML file changed as text: comments, order and spacing of everything else stay as they are."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Sequence
from typing import Any, Final

from agent_riggs.errors import RiggsError

_BARE: Final = re.compile(r"[A-Za-z0-9_-]+")
_VALUE: Final = re.compile(r"""("(?:[^"\\\n]|\\.)*"|'[^'\n]*'|[^\s#]+)""")


def with_value(text: str, table: Sequence[str], key: str, value: str | None) -> str:
    """``text`` with ``key`` of ``table`` set to a string, or with ``None`` without it.

    The result is read again: unless it says exactly what it should, ``RiggsError`` is raised (a table written inline,
    a key with dots, a multi-line text that looks like a table).
    """
    lines = text.splitlines(keepends=True)
    end = "\r\n" if "\r\n" in text else "\n"
    begin = next((i for i, line in enumerate(lines) if _is_header(line, table)), None)
    if begin is None:
        made = text if value is None else _appended(text, table, key, value, end)
    else:
        made = _inside(lines, begin, key, value, end)
    if _parsed(made) != _wanted(_parsed(text), table, key, value):
        raise RiggsError(
            f"{'.'.join((*table, key))} cannot be set without touching the rest of the file",
            hint="set it by hand",
        )
    return made


def _is_header(line: str, table: Sequence[str]) -> bool:
    names = r"\s*\.\s*".join(rf"(?:{re.escape(name)}|\"{re.escape(name)}\"|'{re.escape(name)}')" for name in table)
    return re.match(rf"\s*\[\s*{names}\s*\]\s*(?:#|$)", line) is not None


def _inside(lines: list[str], begin: int, key: str, value: str | None, end: str) -> str:
    """The table's own lines go on to the next header."""
    own = re.compile(rf"(\s*(?:{re.escape(key)}|\"{re.escape(key)}\"|'{re.escape(key)}')\s*=\s*)")
    for number in range(begin + 1, len(lines)):
        if lines[number].lstrip().startswith("["):
            break
        match = own.match(lines[number])
        if match is None:
            continue
        old = _VALUE.match(lines[number], match.end())
        rest = lines[number][old.end() :] if old else end
        changed = [] if value is None else [f"{match[1]}{json.dumps(value)}{rest}"]
        return "".join([*lines[:number], *changed, *lines[number + 1 :]])
    if value is None:
        return "".join(lines)
    header = lines[begin] if lines[begin].endswith("\n") else lines[begin] + end
    return "".join([*lines[:begin], header, f"{key} = {json.dumps(value)}{end}", *lines[begin + 1 :]])


def _appended(text: str, table: Sequence[str], key: str, value: str, end: str) -> str:
    names = ".".join(name if _BARE.fullmatch(name) else json.dumps(name) for name in table)
    gap = "" if not text else end if text.endswith("\n") else end * 2
    return f"{text}{gap}[{names}]{end}{key} = {json.dumps(value)}{end}"


def _parsed(text: str) -> dict[str, Any] | None:
    try:
        return tomllib.loads(text)
    except ValueError:
        return None


def _wanted(config: dict[str, Any] | None, table: Sequence[str], key: str, value: str | None) -> dict[str, Any] | None:
    """The parsed file with the one value changed. The parse is a fresh one, so it may be written into."""
    inner: Any = config
    for name in table:
        if not isinstance(inner, dict):
            return None
        inner = inner.setdefault(name, {}) if value is not None else inner.get(name, {})
    if not isinstance(inner, dict):
        return None
    if value is None:
        inner.pop(key, None)
    else:
        inner[key] = value
    return config
