"""Lines of a transcript as bytes, in bounded memory, whatever the file holds."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import BinaryIO, Final, NamedTuple

LONG_LINE: Final = 16 * 1024 * 1024
"""Lines up to this many bytes are handed out as they are; of longer ones the long strings lose their middle."""

KEPT_END: Final = 256 * 1024
"""How many bytes of an over-long string are kept at either end."""

_BOM: Final = b"\xef\xbb\xbf"
_CHUNK: Final = 1024 * 1024
_NULS: Final = re.compile(rb"\x00+")
_INSIDE: Final = re.compile(rb'[^"\\]*+(?:\\.[^"\\]*+)*+', re.DOTALL)
_WHOLE_ESCAPES: Final = re.compile(rb'(?:[^"\\]++|\\u[0-9a-fA-F]{4}|\\[^u])*+', re.DOTALL)
_UNESCAPED_PAIR: Final = re.compile(rb"[^\\][^\\]")


class Line(NamedTuple):
    """One line, or one piece of a line that NUL bytes tear apart."""

    number: int
    """From 1."""
    offset: int
    """Byte offset of the first byte."""
    end: int
    """Byte after the last one, its line end included."""
    data: bytes
    """Without byte order mark and NUL padding; its line end, and blanks around it, may still be there."""
    whole: bool
    """Whether a line end was there: without one the writer may still be writing."""
    fault: str = ""
    """Why the line cannot be used, in one sentence; then ``data`` is empty."""


def lines(stream: BinaryIO, offset: int, number: int, inside: bool) -> Iterator[Line]:
    """Every line that is not blank, from the stream's present place, which is byte ``offset`` of the file.

    ``number`` lines lie before it; ``inside`` says that the last of them had no line end and goes on here. Only the
    byte 0x0A ends a line. At most some 100 MB are held at a time, for lines of any length.
    """
    if inside:
        number -= 1
    while raw := stream.readline(LONG_LINE):
        number += 1
        size, fault, whole = len(raw), "", raw.endswith(b"\n")
        if size == LONG_LINE and not whole:
            raw, size, whole = _shortened(stream, raw)
            fault = "" if raw else f"line of {size} bytes is too long"
        end = offset + size
        if fault:
            yield Line(number, offset, end, b"", whole, fault)
        elif b"\0" in raw:
            yield from _pieces(number, offset, end, raw, whole)
        elif not raw.isspace():
            if raw.startswith(_BOM):
                raw = raw[3:]
            yield Line(number, offset, end, raw, whole)
        offset = end


def _pieces(number: int, offset: int, end: int, raw: bytes, whole: bool) -> Iterator[Line]:
    """A crash leaves runs of NUL bytes: as a line of their own, behind a record, or between two."""
    found: list[tuple[int, bytes]] = []
    start = 0
    for gap in [*((match.start(), match.end()) for match in _NULS.finditer(raw)), (len(raw), len(raw))]:
        piece = raw[start : gap[0]].strip().removeprefix(_BOM)
        if piece:
            found.append((start, piece))
        start = gap[1]
    if not found:
        yield Line(number, offset, end, b"", whole, "a run of NUL bytes")
    for index, (start, piece) in enumerate(found):
        last = index == len(found) - 1
        yield Line(number, offset + start, end if last else offset + start + len(piece), piece, whole)


def _shortened(stream: BinaryIO, first: bytes) -> tuple[bytes, int, bool]:
    """An over-long line with the middle of its long strings left out: (line, bytes read, whether it ended).

    The line is empty when even so it is too long, or when it is all NUL bytes.
    """
    cutter = _Cutter()
    size, chunk = 0, first
    while chunk:
        size += len(chunk)
        cutter.feed(chunk.replace(b"\0", b""))
        if chunk.endswith(b"\n"):
            break
        chunk = stream.readline(_CHUNK)
    return cutter.result(), size, chunk.endswith(b"\n")


class _Cutter:
    """Copies JSON text, holding no more than the two ends of each string and ``LONG_LINE`` in all."""

    def __init__(self) -> None:
        self.out = bytearray()
        self.string: bytearray | None = None  # the string being read, up to KEPT_END
        self.tail = bytearray()  # its last bytes once it is longer
        self.left_out = 0
        self.escape = b""  # a backslash at a chunk's very end
        self.full = False

    def feed(self, chunk: bytes) -> None:
        """Take in the next bytes."""
        chunk, self.escape = self.escape + chunk, b""
        place = 0
        while place < len(chunk) and not self.full:
            if self.string is None:
                quote = chunk.find(b'"', place)
                stop = len(chunk) if quote < 0 else quote + 1
                self.out += chunk[place:stop]
                self.full = len(self.out) > LONG_LINE
                self.string = None if quote < 0 else bytearray()
                place = stop
                continue
            match = _INSIDE.match(chunk, place)
            stop = match.end() if match else place
            self._keep(chunk[place:stop])
            place = stop
            if place < len(chunk):
                if chunk[place : place + 1] == b"\\":
                    self.escape = chunk[place:]
                    return
                self._close()
                place += 1

    def _keep(self, text: bytes) -> None:
        assert self.string is not None
        room = KEPT_END - len(self.string)
        if room > 0 and not self.tail:
            self.string += text[:room]
            text = text[room:]
        self.tail += text
        if len(self.tail) > 2 * KEPT_END:
            self.left_out += len(self.tail) - KEPT_END
            del self.tail[:-KEPT_END]

    def _close(self) -> None:
        assert self.string is not None
        text = bytes(self.string)
        if self.left_out:
            head = _WHOLE_ESCAPES.match(text)
            boundary = _UNESCAPED_PAIR.search(self.tail)
            rest = bytes(self.tail[boundary.end() :]) if boundary else b""
            text = (head.group() if head else b"") + b"\\n[%d bytes left out]\\n" % self.left_out + rest
        else:
            text += self.tail
        self.out += text + b'"'
        self.full = len(self.out) > LONG_LINE
        self.string, self.left_out = None, 0
        self.tail.clear()

    def result(self) -> bytes:
        """What was kept, or nothing."""
        return b"" if self.full else bytes(self.out).strip().removeprefix(_BOM)
