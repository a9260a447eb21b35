"""Ids that follow from what they name, so that any order of ingests gives the same ones."""

from __future__ import annotations

import hashlib


def stable_id(*parts: str) -> int:
    """First 63 bits of SHA-256 over the parts, as a positive BIGINT."""
    text = "\x1f".join(parts).encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.sha256(text).digest()[:8], "big") >> 1
