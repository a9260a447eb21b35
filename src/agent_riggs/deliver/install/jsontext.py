"""Changes to a JSON file as text: what is not ours keeps its very bytes, spacing and order included."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from json.decoder import JSONDecoder
from typing import Any, Final

from agent_riggs.errors import RiggsError

_BLANK: Final = " \t\n\r"
_DECODER: Final = JSONDecoder()


@dataclass(frozen=True, slots=True)
class Span:
    """A value inside the text, and what names it in its parent."""

    start: int
    end: int
    name: str = ""
    """Its key in an object; empty in an array."""
    outer: int = 0
    """Where the member begins: at the key in an object, at the value in an array."""


def check(text: str) -> dict[str, Any]:
    """The object in the text. ``RiggsError`` for anything a strict reader refuses, and for a key named twice,
    because readers disagree about which of the two counts."""
    if text.startswith("\ufeff"):
        raise RiggsError("it begins with a byte order mark", "save it as UTF-8 without one")
    try:
        value = json.loads(text, object_pairs_hook=_once, parse_constant=_no_constant)
    except RecursionError:
        raise RiggsError("it is nested too deep") from None
    except ValueError as error:
        raise RiggsError(f"it is not plain JSON ({error})", "comments and trailing commas are not plain JSON") from None
    if not isinstance(value, dict):
        raise RiggsError("it holds no JSON object")
    return value


def members(text: str, at: int) -> Iterator[Span]:
    """The members of the object or array that begins at ``at``, in order. The text has passed ``check``."""
    closing = "}" if text[at] == "{" else "]"
    at = _skip(text, at + 1)
    while text[at] != closing:
        outer, name = at, ""
        if closing == "}":
            name, at = _DECODER.raw_decode(text, at)
            at = _skip(text, _skip(text, at) + 1)
        _, end = _DECODER.raw_decode(text, at)
        yield Span(at, end, name, outer)
        at = _skip(text, end)
        if text[at] == ",":
            at = _skip(text, at + 1)


def find(text: str, *names: str) -> Span | None:
    """The value under these keys from the top; ``None`` where there is none."""
    span = Span(_skip(text, 0), len(text.rstrip(_BLANK)))
    for name in names:
        if text[span.start] != "{":
            return None
        found = next((member for member in members(text, span.start) if member.name == name), None)
        if found is None:
            return None
        span = found
    return span


def insert(text: str, at: int, value: Any, name: str = "") -> str:
    """The text with a member added at the end of the object or array that begins at ``at``, laid out like the rest."""
    inside = list(members(text, at))
    end = _end(text, at)
    unit = _unit(text)
    depth = _depth(text, at) + 1
    spread = unit is not None and ("\n" in text[at:end] or not inside)
    pad = "\n" + (unit or "") * depth if spread else ""
    shown = json.dumps(value, ensure_ascii=False, indent=unit if spread else None)
    shown = shown.replace("\n", "\n" + (unit or "") * depth) if spread else shown
    shown = f"{json.dumps(name, ensure_ascii=False)}: {shown}" if name else shown
    if inside:
        last = inside[-1].end
        return f"{text[:last]},{pad or ' '}{shown}{text[last:]}"
    closing = "\n" + (unit or "") * (depth - 1) if spread else ""
    return f"{text[: at + 1]}{pad}{shown}{closing}{text[end - 1 :]}"


def remove(text: str, at: int, unwanted: Callable[[Span], bool]) -> str:
    """The text without some members of the object or array that begins at ``at``, and without their commas."""
    inside = list(members(text, at))
    for index in range(len(inside) - 1, -1, -1):
        if not unwanted(inside[index]):
            continue
        if len(inside) == 1:
            text = text[: at + 1] + text[_end(text, at) - 1 :]
        elif index:
            text = text[: inside[index - 1].end] + text[inside[index].end :]
        else:
            text = text[: inside[0].outer] + text[inside[1].outer :]
        del inside[index]
        inside = list(members(text, at))
    return text


def _end(text: str, at: int) -> int:
    return _DECODER.raw_decode(text, at)[1]


def _skip(text: str, at: int) -> int:
    while at < len(text) and text[at] in _BLANK:
        at += 1
    return at


def _unit(text: str) -> str | None:
    """One step of this file's indentation; ``None`` for a file on one line."""
    start = _skip(text, 0)
    first = next(iter(members(text, start)), None)
    if first is None:
        return "  "
    blank = text[start + 1 : first.outer]
    return blank.rpartition("\n")[2] or "  " if "\n" in blank else None


def _depth(text: str, at: int) -> int:
    """How deep the value that begins at ``at`` lies; the top is 0."""
    depth = 0
    span = Span(_skip(text, 0), len(text))
    while span.start != at:
        span = next(member for member in members(text, span.start) if member.start <= at < member.end)
        depth += 1
    return depth


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        names = [name for name, _ in pairs]
        raise ValueError(f"the key {next(name for name in names if names.count(name) > 1)!r} stands there twice")
    return found


def _no_constant(word: str) -> Any:
    raise ValueError(f"{word} is no JSON value")
