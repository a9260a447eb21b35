"""How surely a mined fix is what ends a failure, in words: the same wherever one is shown."""

from __future__ import annotations

from typing import Final

from agent_riggs.faces import text
from agent_riggs.learn.evidence import is_sure

HALF: Final = 0.5
EDITS: Final = "ended by: edits of files"
"""Said where no command and no other way to call ended it."""


def label(support: int, ended: int) -> str:
    """``ended by`` where the sessions bear it out; of less the words say less."""
    if not ended or is_sure(support, ended):
        return "ended by"
    return "often ended by" if support >= HALF * ended else "sometimes ended by"


def share(support: int, ended: int, looked_at: int, sessions: int) -> str:
    """In how many of the sessions in which it ended: ``4 of 9 sessions``.

    Says so where it did not end in all that were looked at, and where these were the latest ones only.
    """
    where = " where it ended" if ended < looked_at else ""
    which = "the latest " if looked_at < sessions else "the " if where else ""
    return f"{support:,} of {which}{text.many(ended, 'session')}{where}"
