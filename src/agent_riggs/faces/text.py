"""How values read as text: visible escapes, cell widths, dates, amounts. Pure functions, no output."""

from __future__ import annotations

import re
import unicodedata
from datetime import UTC, datetime
from typing import Final

_MINUTE: Final = 60
_HOUR: Final = 3600
_DAY: Final = 86400
_STEPS: Final = (
    (14 * _DAY, 7 * _DAY, "week"),
    (2 * _DAY, _DAY, "day"),
    (2 * _HOUR, _HOUR, "hour"),
    (_MINUTE, _MINUTE, "minute"),
)

_HIDDEN: Final = re.compile(
    "["
    "\x00-\x1f\x7f-\x9f\xad"  # C0 and C1 controls, soft hyphen
    "\u034f\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2"  # joiner, prepended and letter marks
    "\u115f\u1160\u17b4\u17b5\u180b-\u180f"  # fillers, inherent vowels, Mongolian selectors
    "\u200b-\u200f\u2028-\u202e\u2060-\u206f"  # zero width, line separators, bidi overrides and isolates
    "\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb"  # filler, variation selectors, byte order mark, annotations
    "\ud800-\udfff"  # lone surrogates
    "\U000110bd\U000110cd\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0000-\U000e0fff"  # tags and further selectors
    "]"
)
"""Characters that move the cursor, reorder text or take no room: shown as escapes, never sent to a terminal."""


def escape(character: str) -> str:
    """One hidden character as the escape a programmer would write for it."""
    code = ord(character)
    if character in "\n\r\t":
        return {"\n": r"\n", "\r": r"\r", "\t": r"\t"}[character]
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def visible(text: str) -> str:
    """The text on one line, with every control, bidi and zero-width character as a visible escape."""
    return _HIDDEN.sub(lambda found: escape(found.group()), text)


def hidden_in_json(document: str) -> str:
    """A JSON document with hidden characters as JSON escapes: the same value, nothing a terminal acts on."""
    return _HIDDEN.sub(_json_escape, document)


def _json_escape(found: re.Match[str]) -> str:
    character = found.group()
    code = ord(character)
    if character == "\n":
        return character
    if code < 0x10000:
        return f"\\u{code:04x}"
    code -= 0x10000
    return f"\\u{0xD800 + (code >> 10):04x}\\u{0xDC00 + (code & 0x3FF):04x}"


def width(text: str) -> int:
    """Terminal cells that visible text takes: two for wide characters, none for combining marks."""
    return len(text) if text.isascii() else sum(map(_cells, text))


def _cells(character: str) -> int:
    if unicodedata.category(character) in {"Mn", "Me"}:
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def cut(text: str, cells: int, mark: str = "…") -> str:
    """The text within that many cells, with a mark where something is missing."""
    if width(text) <= cells:
        return text
    return head(text, cells - width(mark)) + mark


def head(text: str, cells: int) -> str:
    """The longest beginning of the text that fits into that many cells."""
    if text.isascii():
        return text[: max(cells, 0)]
    used = 0
    for place, character in enumerate(text):
        used += _cells(character)
        if used > cells:
            return text[:place]
    return text


def wrap(text: str, cells: int, lines: int, mark: str = "…") -> list[str]:
    """The text on at most that many lines, broken at spaces where it can be, cut at the end of the last."""
    rest = text
    out: list[str] = []
    while len(out) < lines - 1 and width(rest) > cells:
        line = head(rest, cells)
        space = line.rfind(" ", max(len(line) // 2, 1)) if not rest[len(line)].isspace() else len(line)
        line = line if space < 0 else line[:space]
        out.append(line.rstrip())
        rest = rest[len(line) :].lstrip()
    return [*out, cut(rest, cells, mark)]


def pad(text: str, cells: int, right: bool = False) -> str:
    """The text filled with spaces to that many cells."""
    filler = " " * (cells - width(text))
    return filler + text if right else text + filler


def iso(when: int) -> str:
    """Microseconds since 1970 as ISO 8601 in UTC, to the second."""
    return datetime.fromtimestamp(when // 1_000_000, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def day(when: int) -> str:
    """Microseconds since 1970 as a date."""
    return iso(when)[:10]


def ago(when: int | None, now: int) -> str:
    """How long ago in words; a date beyond three months; times are microseconds since 1970."""
    if when is None:
        return "unknown"
    seconds = (now - when) // 1_000_000
    if seconds < -_MINUTE or seconds > 90 * _DAY:
        return day(when)
    for least, unit, name in _STEPS:
        if seconds >= least:
            return f"{many(seconds // unit, name)} ago"
    return "just now"


def many(count: int, noun: str, plural: str = "") -> str:
    """A count with its noun: "1 session", "1,204 sessions"."""
    return f"{count:,} {noun if count == 1 else plural or noun + 's'}"


def percent(part: int, whole: int) -> str:
    """A share as a whole percentage that never claims 0 % or 100 % when it is not; a dash for nothing of nothing."""
    if not whole:
        return "-"
    if 0 < part < whole:
        share = 100 * part / whole
        return "<1%" if share < 1 else ">99%" if share > 99 else f"{share:.0f}%"
    return "0%" if not part else "100%"


def seconds(value: float) -> str:
    """A duration in words short enough for a column."""
    if value < 10:
        return f"{value:.1f} s"
    if value < 2 * _MINUTE:
        return f"{value:.0f} s"
    if value < 2 * _HOUR:
        return f"{value // _MINUTE:.0f} min"
    if value < 2 * _DAY:
        return f"{value / _HOUR:.1f} h"
    return f"{value / _DAY:.1f} days"


def size(count: int) -> str:
    """A number of bytes, decimal units."""
    amount = float(count)
    for unit in ("bytes", "kB", "MB", "GB"):
        if amount < 1000:
            return f"{amount:.0f} {unit}" if amount >= 100 or unit == "bytes" else f"{amount:.1f} {unit}"
        amount /= 1000
    return f"{amount:.1f} TB"


_EIGHTHS: Final = "▏▎▍▌▋▊▉█"


def bar(share: float, cells: int, plain: bool = False) -> str:
    """A share, 0 to 1, as a bar of at most that many cells; more than nothing always shows."""
    parts = cells if plain else 8 * cells
    filled = min(max(round(share * parts), 1), parts) if share > 0 else 0
    if plain:
        return "#" * filled
    whole, rest = divmod(filled, 8)
    return _EIGHTHS[-1] * whole + (_EIGHTHS[rest - 1] if rest else "")


_BARS: Final = "▁▂▃▄▅▆▇█"
_PLAIN_BARS: Final = "_.-~=+*#"


def sparkline(values: list[float], plain: bool = False) -> str:
    """The values as bars between their lowest and highest; a flat line when they are (nearly) equal."""
    bars = _PLAIN_BARS if plain else _BARS
    if not values:
        return ""
    low, high = min(values), max(values)
    if high - low < 0.005:
        return bars[3] * len(values)
    return "".join(bars[min(int((value - low) / (high - low) * 8), 7)] for value in values)
