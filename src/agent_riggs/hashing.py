"""SHA-256 without what ``hashlib`` brings along: loading OpenSSL takes a fifth of a hook's time."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

try:
    from _sha2 import sha256 as _sha256  # type: ignore[import-not-found]  # CPython 3.12 and later
except ImportError:
    try:
        from _sha256 import sha256 as _sha256  # type: ignore[import-not-found]  # CPython 3.11
    except ImportError:
        from hashlib import sha256 as _sha256


def sha256(data: bytes) -> str:
    """The 64 hexadecimal digits of the hash."""
    hashed: Any = _sha256(data)
    digits: str = hashed.hexdigest()
    return digits
