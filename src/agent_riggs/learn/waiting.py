"""What waits for a decision: the failures that keep coming back and about which nobody decided. One definition for
all that count them and all that list them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from agent_riggs.config import Ratchet as Limits
from agent_riggs.deliver.recall import pattern_key
from agent_riggs.learn.looking import looked
from agent_riggs.store import mining
from agent_riggs.store.mining import Connection, Total

DAY: Final = 86_400_000_000

Decided = Mapping[str, tuple[str, int]]
"""Key to (decision, time): see ``ledger.verdict_of``."""


def lookback(conn: Connection, limits: Limits, now: int) -> tuple[int, int]:
    """The stretch of time looked at, in microseconds: counted back from the project's last activity, never later than
    ``now``."""
    last = mining.last_activity(conn, now)
    until = now if last is None else min(last, now)
    return until - limits.lookback_days * DAY, until


def waiting(conn: Connection, limits: Limits, now: int, decided: Decided) -> int:
    """How many failures were met in two root sessions or more within the lookback, are more than a look, and are
    still to be decided. Near-duplicates, which are shown as one, count each: each is decided for itself."""
    mining.prepare(conn)
    span = lookback(conn, limits, now)
    idle = looked(conn, *span)
    return sum(
        mark not in idle and is_open(pattern_key(category, tool, mark), last_seen, decided, now)
        for category, tool, mark, last_seen in mining.repeated(conn, *span)
    )


def earlier(conn: Connection, limits: Limits, now: int, decided: Decided) -> int:
    """How many more there would be, were the lookback without end."""
    ever = Limits(lookback_days=(now // DAY) + 1)
    return waiting(conn, ever, now, decided) - waiting(conn, limits, now, decided)


def undecided(found: Sequence[Total], decided: Decided, now: int) -> list[Total]:
    """Those that are still to be decided."""
    return [one for one in found if is_open(_key(one), one.last_seen, decided, now)]


def _key(total: Total) -> str:
    return pattern_key(total.category, total.tool, total.fingerprint or "")


def is_open(key: str, last_seen: int | None, decided: Decided, now: int) -> bool:
    """Whether the key is still to be decided: rejected and promoted ones are not, snoozed ones return at their date,
    retired ones with an occurrence after the retirement."""
    decision, at = decided.get(key, ("", 0))
    if decision == "snoozed":
        return now >= at
    if decision in ("retired", "superseded"):
        return last_seen is not None and last_seen > at
    return decision == ""
