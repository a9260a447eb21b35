"""Patterns compiled when they are first met: the tables hold hundreds of them, and a hook has milliseconds."""

from __future__ import annotations

import re
from functools import cache


@cache
def compiled(pattern: str, flags: int = 0) -> re.Pattern[str]:
    """``re.compile``, once."""
    return re.compile(pattern, flags)
