"""JSON objects as the store holds them. A store may have come from anywhere: what is no object is an empty one."""

from __future__ import annotations

import json
from typing import Any


def mapping(text: str | None) -> dict[str, Any]:
    """The object that a text holds."""
    try:
        value = json.loads(text) if text else {}
    except (ValueError, RecursionError, TypeError):
        return {}
    return value if isinstance(value, dict) else {}


def counts(text: str | None) -> dict[str, int]:
    """The numbers of an object by their names."""
    return {name: count for name, count in mapping(text).items() if isinstance(count, int)}
