"""Time zone files with a clock change at a chosen moment, so that a test can live through one."""

from __future__ import annotations

import struct
from pathlib import Path

HOUR = 3600


def write(path: Path, change: int, before: int, after: int) -> Path:
    """A zone ``before`` hours east of UTC until ``change`` (seconds since 1970), ``after`` hours from then on.

    The format is TZif version 2 (RFC 9636): a block with 32-bit times, which nobody reads, then one with 64-bit ones.
    """
    names = b"OLD\0NEW\0"
    types = struct.pack(">lbblbb", before * HOUR, 0, 0, after * HOUR, 0, 4)

    def header(times: int) -> bytes:
        return b"TZif2" + bytes(15) + struct.pack(">6l", 0, 0, 0, times, 2, len(names))

    first = header(0) + types + names
    second = header(1) + struct.pack(">qb", change, 1) + types + names
    path.write_bytes(first + second + f"\n<NEW>{-after}\n".encode())
    return path
