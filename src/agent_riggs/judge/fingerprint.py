"""The only place where a key is built."""

from __future__ import annotations

from agent_riggs.hashing import sha256

SEPARATOR = "\x1f"


def fingerprint(failure_class: str, tool: str, program: str | None, shape: str | None) -> str:
    """``f`` and the first 16 hexadecimal digits of SHA-256 over class, tool, program and shape.

    The letter keeps it text wherever types are sniffed. A look-up compares the four parts too: two of them may share
    a key, a fix must not be served for the other.
    """
    parts = SEPARATOR.join((failure_class, tool, program or "", shape or ""))
    return "f" + sha256(parts.encode("utf-8", "surrogatepass"))[:16]
