"""Private key blocks in PEM and OpenSSH form, whole, cut at either end, or with escaped line ends."""

from __future__ import annotations

import re
from typing import Final

KEY_MARK: Final = "[redacted:key]"
"""Stands for a whole block."""

_BEGIN: Final = re.compile(r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
_END: Final = re.compile(r"-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
_BODY: Final = re.compile(r"""(?:[A-Za-z0-9+/=]|\s|\\[nrt"\\]|["',|>:]|-(?!----)|\[redacted:key\])*+""")
_KEY_LINE: Final = re.compile(r"""(?:\s|\\[nrt]|["',|>])*([^\n\\]+)""")
_BREAK: Final = re.compile(r"(\n|\\n)")
_BASE64: Final = re.compile(r"[ \t\"',|>]*[A-Za-z0-9+/=]{0,100}[ \t\\r\"',|>]*")


def without_key_blocks(text: str) -> str:
    """PEM and OpenSSH blocks, also ones cut at either end; a mention without a body stays."""
    parts: list[str] = []
    position = 0
    for begin in _BEGIN.finditer(text):
        if begin.start() < position:
            continue
        body = _BODY.match(text, begin.end())
        stop = body.end() if body else begin.end()
        end = _END.match(text, stop)
        inside = text[begin.end() : stop]
        if sum(c.isalnum() for c in inside[:400]) < 16:
            continue
        if end is None:
            stop = begin.end() + _sure(inside)
        parts.append(text[position : begin.start()] + KEY_MARK)
        position = end.end() if end else stop
    parts.append(text[position:])
    return _heads("".join(parts))


def _sure(inside: str) -> int:
    """How much of a block without its end is key: lines of one long word and headers; prose after them stays."""
    length = 0
    for match in _KEY_LINE.finditer(inside):
        line = match[1].strip()
        if length and " " in line and ":" not in line:
            break
        length = match.end()
    return length


def _heads(text: str) -> str:
    """Blocks whose beginning was cut off."""
    end = _END.search(text)
    while end is not None:
        before = text[max(0, end.start() - 8192) : end.start()]
        lines = _BREAK.split(before)
        size = 0
        for piece in reversed(lines):
            if piece in ("\n", "\\n") or _BASE64.fullmatch(piece):
                size += len(piece)
            else:
                break
        start = end.start() - size
        if size < 16:
            end = _END.search(text, end.end())
            continue
        text = text[:start] + KEY_MARK + text[end.end() :]
        end = _END.search(text, start + len(KEY_MARK))
    return text
