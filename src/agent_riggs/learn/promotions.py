"""Which fixes were served, and when: what an effect is measured of."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from agent_riggs.learn.ledger import Decision, shown
from agent_riggs.learn.log import ENDINGS, Entry, Log
from agent_riggs.store import effects
from agent_riggs.store.effects import Connection

MIN_TOLD: Final = 5
"""Sessions in which a fix was told before anything is said about it; and held out, before these are what it is compared
with."""


@dataclass(frozen=True, slots=True)
class Promotion:
    """A fix, and when it was served."""

    decision: Decision
    keys: tuple[str, ...]
    """Its key, and the earlier ones it was carried over from."""
    marks: tuple[str, ...]
    first: int
    """When something was first promoted under the key: what was before is what it is compared with."""
    since: int
    until: int | None = None
    """When it ended; ``None`` while it is served."""


def promotions(log: Log) -> list[Promotion]:
    """The last promotion of each key that can be measured. Foreign rows are none: the log alone says what was served.

    Nudges are kibitzer's, and measured by it.
    """
    made: dict[str, Promotion] = {}
    by_hash = {entry.hash: entry for entry in log.entries}
    for entry in log.entries:
        old = by_hash.get(entry.carried_from)
        earlier = made.get(entry.candidate_key)
        if entry.decision == "promoted":
            carried = made.pop(old.candidate_key, None) if old else None
            made[entry.candidate_key] = _promotion(entry, carried, earlier)
        elif earlier is not None and earlier.until is None:
            ended = replace(earlier.decision, state=ENDINGS[entry.decision])
            made[entry.candidate_key] = replace(earlier, decision=ended, until=entry.at)
    return [one for one in made.values() if one.decision.candidate_type != "nudged_tool_promotion"]


def told_enough(conn: Connection, log: Log) -> list[Promotion]:
    """What is served now and was told in enough sessions to be measured."""
    often = effects.told(conn)
    served = [one for one in promotions(log) if one.until is None] if often else []
    return [one for one in served if sum(often.get(key, 0) for key in one.keys) >= MIN_TOLD]


def _promotion(entry: Entry, carried: Promotion | None, earlier: Promotion | None) -> Promotion:
    mark = str(entry.evidence.get("fingerprint") or "")
    since = carried.since if carried else entry.at
    return Promotion(
        decision=shown(entry, "promoted"),
        keys=(*(carried.keys if carried else ()), entry.candidate_key),
        marks=(*(carried.marks if carried else ()), *((mark,) if mark else ())),
        first=min([since, *(one.first for one in (carried, earlier) if one)]),
        since=since,
    )
