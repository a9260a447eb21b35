"""When the rules behind shapes change, keys change with them: what a human decided goes over to the new key."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from agent_riggs.deliver.recall import pattern_key
from agent_riggs.judge import RULES_VERSION
from agent_riggs.learn import log as logs
from agent_riggs.learn.decisions import row_of
from agent_riggs.learn.ledger import Ledger, states_of
from agent_riggs.learn.log import ENDINGS, Entry, Log
from agent_riggs.store import mining, verdicts
from agent_riggs.store.mining import Connection, Total

STANDING = ("promoted", "rejected", "snoozed")


def carry(conn: Connection, ledger: Ledger, *, now: int) -> list[tuple[str, str]]:
    """Carry decided keys over; returns (old key, new key) of those that changed.

    The failures that a decision was made about are looked up again by their turn ids: where most of them have one new
    fingerprint, the decision is entered once more under the new key, by the same human, pointing back to the old
    entry. Nothing happens for decisions made under the present rules, nor before their failures were judged anew.
    """
    carried: list[tuple[str, str]] = []
    for entry in _stale(ledger.read()):
        total = _successor(conn, entry)
        if total is None or total.fingerprint == entry.evidence.get("fingerprint"):
            continue
        with ledger.locked() as log:
            fresh = logs.chain(_renamed(entry, total, now), log)
            logs.append(ledger.log, fresh, log)
            with verdicts.transaction(conn):
                verdicts.supersede(conn, entry.candidate_key, "superseded")
                verdicts.supersede(conn, fresh.candidate_key, ENDINGS[fresh.decision])
                verdicts.insert(conn, row_of(fresh, fresh.decision))
        carried.append((entry.candidate_key, fresh.candidate_key))
    return carried


def _stale(log: Log) -> list[Entry]:
    """The standing decision of each pattern key, where it was made under older rules and not carried over yet."""
    states = states_of(log)
    done = {entry.carried_from for entry in log.entries}
    last: dict[str, Entry] = {}
    for entry in log.entries:
        last[entry.candidate_key] = entry
    return [
        entry
        for entry in last.values()
        if entry.candidate_type == "failure_pattern"
        and states[entry.hash] in STANDING
        and entry.hash not in done
        and entry.evidence.get("rules_version") not in (None, RULES_VERSION)
    ]


def _successor(conn: Connection, entry: Entry) -> Total | None:
    """The pattern that most of the entry's failures belong to now."""
    shown = [one.get("turn_id") for one in entry.evidence.get("examples") or ()]
    turns = [turn for turn in (*(entry.evidence.get("turns") or ()), *shown) if isinstance(turn, int)]
    marks = mining.fingerprints_of(conn, sorted(set(turns)), RULES_VERSION)
    if not marks:
        return None
    mark, count = min(Counter(marks).items(), key=lambda item: (-item[1], item[0]))
    return mining.totals(conn, [mark]).get(mark) if 2 * count > len(marks) else None


def _renamed(entry: Entry, total: Total, now: int) -> Entry:
    mark = total.fingerprint or ""
    changed: Mapping[str, Any] = {
        "category": total.category,
        "tool": total.tool,
        "class": total.failure_class,
        "program": total.program,
        "shape": total.shape,
        "fingerprint": mark,
        "rules_version": RULES_VERSION,
    }
    return replace(
        entry,
        at=now,
        candidate_key=pattern_key(total.category, total.tool, mark),
        evidence={**entry.evidence, **changed},
        row_id=None,
        carried_from=entry.hash,
    )
