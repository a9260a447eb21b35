"""Transcripts that are read as a whole every time: one JSON value, or records that replace earlier ones."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from agent_riggs.model import Cursor, Problem
from agent_riggs.sources import base, decode
from agent_riggs.sources.lines import lines

LARGEST: Final = 512 * 1024 * 1024
"""Larger documents are a problem: they would have to be held in memory as a whole."""

_KEPT_END: Final = 64 * 1024
"""Characters kept of either end of a result: twice what the judge looks at."""

_PADDING: Final = b"\0 \t\r\n"
_BOM: Final = b"\xef\xbb\xbf"


def load(path: Path) -> Any | Problem:
    """The JSON value in a file, byte order mark and NUL padding aside."""
    try:
        if path.stat().st_size > LARGEST:
            return Problem(str(path), f"larger than {LARGEST // 1024**2} MiB")
        data = path.read_bytes().strip(_PADDING).removeprefix(_BOM)
    except OSError as error:
        return base.unreadable(path, error)
    if not data:
        return None
    value = decode.loads(data)
    return Problem(str(path), "not a JSON document, or one cut short") if value is None else value


def records(path: Path) -> Iterator[tuple[int, int, dict[str, Any]] | Problem]:
    """(byte offset, line number, record) of every JSON line; a last line still being written is left out."""
    try:
        with path.open("rb") as stream:
            for line in lines(stream, 0, 0, False):
                value = decode.loads(line.data) if line.data else None
                if isinstance(value, dict):
                    yield line.offset, line.number, value
                elif line.whole:
                    yield Problem(str(path), line.fault or "not a JSON object", line.number)
    except OSError as error:
        yield base.unreadable(path, error)


def kept(text: str) -> str:
    """A result as it is held until the end of the reading: very long ones without their middle."""
    return text if len(text) <= 2 * _KEPT_END else f"{text[:_KEPT_END]}\n[...]\n{text[-_KEPT_END:]}"


def cursor(path: Path, lines_read: int) -> Cursor:
    """A cursor that tells how much was read; the next reading starts over all the same."""
    try:
        with path.open("rb") as stream:
            head = stream.read(base.HEAD_BYTES)
            return Cursor(path.stat().st_size, lines_read, f"{len(head)}:{hashlib.sha256(head).hexdigest()[:32]}")
    except OSError:
        return Cursor()
