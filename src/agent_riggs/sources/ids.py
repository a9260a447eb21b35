"""Which ids of calls name a call anywhere, and which only inside their session."""

from __future__ import annotations

import re
from typing import Final

_UNIQUE: Final = re.compile(r"\A(?:call|toolu|srvtoolu|mcptoolu|fc|exec|chatcmpl-tool|tooluse|ctc|lsh)[-_][\w-]{8,}\Z")


def is_unique(raw: str) -> bool:
    """Whether a provider made the id up at random. Ids such as ``functions.shell:0`` come again in other sessions."""
    return bool(_UNIQUE.match(raw))


def scoped(session: str, raw: str) -> str:
    """The id of a call that names it among all sessions."""
    return raw if is_unique(raw) else f"{session}/{raw}"
