"""Values out of transcripts: JSON, times, ids, text. Nothing here raises on bad input.

msgspec decodes three to seven times as fast as the standard library but refuses what agents do write now and then:
lone surrogates, NaN, raw control characters, bytes that are no UTF-8. Such a line is made clean once and decoded
again, so there is one way through for good and for damaged lines.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Final

import msgspec

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
EARLIEST: Final = 1_420_070_400_000_000
"""2015-01-01: no coding agent wrote transcripts before."""
DAY: Final = 86_400_000_000
"""Microseconds of a day."""

_NUMBER: Final = re.compile(r"\d{1,20}(\.\d*)?")
_FLAG_WORDS: Final = {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}
_generic: Final = msgspec.json.Decoder()


def loads(data: bytes) -> Any:
    """The value in ``data``, leniently; ``None`` when it is no JSON (or is ``null``)."""
    try:
        return _generic.decode(data)
    except (msgspec.DecodeError, RecursionError):
        clean = repaired(data)
        return None if clean is None else _generic.decode(clean)


def repaired(data: bytes) -> bytes | None:
    """The same JSON without what a strict decoder refuses; ``None`` when it is no JSON or nested too deep.

    Invalid bytes and lone surrogates become U+FFFD; NaN, infinities and numbers out of range become ``null``.
    """
    try:
        value = json.loads(
            data.decode("utf-8", "replace"),
            strict=False,
            parse_int=_integer,
            parse_float=_finite,
            parse_constant=lambda _: None,
        )
        clean = scrub(json.dumps(value, ensure_ascii=False)).encode()
        _generic.decode(clean)
    except (ValueError, RecursionError):
        return None
    return clean


def _integer(text: str) -> int | None:
    return int(text) if len(text) <= 19 else None


def _finite(text: str) -> float | None:
    number = float(text)
    return number if math.isfinite(number) else None


def scrub(text: str) -> str:
    """``text`` without lone surrogates: a database takes none, and neither does UTF-8."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def time_of(value: object, now: int) -> int | None:
    """A recorded time as microseconds since 1970 UTC; ``None`` when there is none to be had.

    Takes ISO 8601 (an offset, ``Z``, or none, which means UTC; any number of digits in the fraction) and seconds,
    milliseconds, microseconds or nanoseconds since 1970 as a number or its text. A time before 2015 or more than a
    day after ``now`` comes from a broken clock and is none.
    """
    micros: int | None = None
    if isinstance(value, str):
        if value[4:5] == "-":
            try:
                moment = datetime.fromisoformat(value)
                span = (moment if moment.tzinfo else moment.replace(tzinfo=UTC)) - _EPOCH
            except (ValueError, OverflowError):
                return None
            micros = (span.days * 86_400 + span.seconds) * 1_000_000 + span.microseconds
        elif _NUMBER.fullmatch(value.strip()):
            micros = _epoch(float(value))
    elif isinstance(value, int | float) and not isinstance(value, bool):
        micros = _epoch(value)
    return micros if micros is not None and EARLIEST <= micros <= now + DAY else None


def _epoch(number: float) -> int | None:
    if not 0 < number < 1e20:  # also false for NaN
        return None
    for limit, factor in ((1e11, 1_000_000), (1e14, 1_000), (1e17, 1)):
        if number < limit:
            return round(number * factor)
    return int(number) // 1000


def id_of(value: object) -> str:
    """An id as text: agents and proxies write numbers too; anything else is no id."""
    if isinstance(value, str):
        return value.strip()
    return str(value) if isinstance(value, int) and not isinstance(value, bool) and abs(value) < 1 << 63 else ""


def str_of(value: object) -> str:
    """``value`` when it is text, else nothing."""
    return value if isinstance(value, str) else ""


def flag_of(value: object) -> bool | None:
    """An error flag: true and false also as a number or word; ``None`` when absent or anything else."""
    if isinstance(value, str):
        return _FLAG_WORDS.get(value.strip().lower())
    return bool(value) if isinstance(value, bool | int) else None


def input_of(value: object) -> Mapping[str, Any]:
    """The arguments of a call: an object as it is, bare text under ``input``, anything else none."""
    if isinstance(value, dict):
        return value
    return {"input": value} if isinstance(value, str) else {}


def text_of(content: object, depth: int = 4) -> str:
    """The text of a message or result: a string, a list of blocks or strings, nested, or nothing; images dropped."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "\n".join(part for part in (text_of(block, depth - 1) for block in content) if part) if depth else ""
    if isinstance(content, dict) and depth:
        for key in ("text", "content", "resource"):
            if key in content and content.get("type") != "image":
                return text_of(content[key], depth - 1)
    return ""
