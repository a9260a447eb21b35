"""Reading decisions: where they are kept, what each says now, which are live, which are foreign."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from agent_riggs.deliver import recall
from agent_riggs.errors import Ambiguous, NotFound, nearest
from agent_riggs.learn import log as logs
from agent_riggs.learn.evidence import clean
from agent_riggs.learn.log import ENDINGS, Entry, Log
from agent_riggs.store import verdicts
from agent_riggs.store.verdicts import Connection, Row


@dataclass(frozen=True, slots=True)
class Ledger:
    """Where one project's decisions are kept outside the repository, and who is deciding."""

    folder: Path
    """The project's state folder."""
    project: str
    """The project key."""
    by: str = ""
    """Login name of the human."""

    @property
    def log(self) -> Path:
        return self.folder / logs.FILE_NAME

    @property
    def index(self) -> Path:
        return self.folder / recall.FILE_NAME

    def read(self) -> Log:
        """What the log holds now."""
        return logs.read(self.log, self.project)

    def locked(self) -> AbstractContextManager[Log]:
        """The same, held against every other writer."""
        return logs.locked(self.log, self.project)


@dataclass(frozen=True, slots=True)
class Decision:
    """One decision as history shows it. Times are microseconds since 1970 UTC."""

    decision_id: int
    decided_at: int | None
    candidate_type: str
    candidate_key: str
    decision: str
    """What the human decided then; for a foreign row what it says now."""
    state: str
    """What the row says now: a promoted one may be superseded or retired since."""
    reason: str = ""
    fix: str = ""
    evidence: Mapping[str, Any] = field(default_factory=dict)
    decided_by: str = ""
    until: int | None = None
    when: str = "after"
    seq: int = 0
    """Place in the log, from 1; 0 for a foreign row."""
    foreign: bool = False
    """Held by the store but not by the log: never served."""
    mark: str = ""
    """The hash in its row, for a foreign one."""
    lost: bool = False
    """Foreign, but its chain begins in this log: it was made here, and the log has lost it."""
    config_change: Mapping[str, Any] | None = None
    """What the promotion changed outside the store, and what was there before."""
    unstored: str = ""
    """Why the store could not be written when it was made; the log has it, and the next ingest writes the row."""

    @property
    def live(self) -> bool:
        """Served at the next failure."""
        return self.state == "promoted" and not self.foreign


def history(conn: Connection, log: Log) -> list[Decision]:
    """Every decision, newest first: those of the log, then foreign rows where their time puts them."""
    states = {row.decision_id: row.decision for row in verdicts.rows(conn)}
    derived = states_of(log)
    made = [shown(entry, states.get(entry.decision_id, derived[entry.hash])) for entry in log.entries]
    return sorted([*made, *foreign(conn, log)], key=lambda one: (-(one.decided_at or 0), -one.seq, one.decision_id))


def live(log: Log) -> list[Decision]:
    """The ratchets being served, by key. The log alone says which: a store cannot add one."""
    states = states_of(log)
    return sorted(
        (shown(entry, "promoted") for entry in log.entries if states[entry.hash] == "promoted"),
        key=lambda one: one.candidate_key,
    )


def foreign(conn: Connection, log: Log) -> list[Decision]:
    """Decisions the store holds and the log does not, oldest first."""
    rows = foreign_rows(conn, log)
    ours = _linked(rows, log)
    return [_foreign(row, row.decision_id in ours) for row in rows]


def lost(conn: Connection, log: Log) -> list[Decision]:
    """Decisions made here that the log no longer holds, and whose loss makes a difference."""
    known = {entry.candidate_key for entry in log.entries}
    return [
        one
        for one in foreign(conn, log)
        if one.lost
        and (one.decision == "promoted" or (one.decision in ("rejected", "snoozed") and one.candidate_key not in known))
    ]


def ended(conn: Connection, log: Log) -> list[Entry]:
    """Promotions that the log calls live and the store has ended: the log has lost what was decided later."""
    rows = {row.decision_id: row.decision for row in verdicts.rows(conn)}
    states = states_of(log)
    return [
        entry
        for entry in log.entries
        if states[entry.hash] == "promoted" and rows.get(entry.decision_id, "promoted") != "promoted"
    ]


def trouble(conn: Connection, log: Log, path: Path) -> tuple[str, str]:
    """What is wrong with the log, in a sentence, and what to do about it; two empty texts when nothing is."""
    if log.broken:
        return log.broken, log.remedy
    gone = len({one.candidate_key for one in lost(conn, log)} | {one.candidate_key for one in ended(conn, log)})
    count = "1 decision" if gone == 1 else f"{gone:,} decisions"
    told = f"{count} of yours in this store and no longer in {path}: it was lost, cut short, or is an older copy"
    return (told, logs.MEND) if gone else ("", "")


def _linked(rows: list[Row], log: Log) -> set[int]:
    """Ids of the rows that are chained to this log, directly or through one another."""
    after: dict[str, list[Row]] = {}
    for row in rows:
        if len(row.hash) == len(log.start):
            after.setdefault(row.previous, []).append(row)
    tips = [log.start, *(mark for entry in log.entries for mark in (entry.hash, entry.carried_from) if mark)]
    found: set[int] = set()
    while tips:
        for row in after.pop(tips.pop(), ()):
            found.add(row.decision_id)
            tips.append(row.hash)
    return found


def verdict_of(conn: Connection, log: Log) -> dict[str, tuple[str, int]]:
    """For each decided key the standing decision with its time: (decision, decided_at or, snoozed, until).

    The log's last entry about a key counts, in the order of entering, whatever the clock said. Foreign rows count
    for keys that the log does not know: they hide a candidate, though they are never served.
    """
    found = {row.candidate_key: _standing(row.decision, row.decided_at, row.until) for row in foreign_rows(conn, log)}
    own = {entry.candidate_key: _standing(entry.decision, entry.at, entry.until) for entry in log.entries}
    return found | own


def _standing(decision: str, at: int | None, until: int | None) -> tuple[str, int]:
    return decision, (until if decision == "snoozed" else at) or 0


def pick(wanted: str, decisions: list[Decision], what: str = "decision about") -> Decision:
    """The decision a human means by a key, a unique prefix of it or of its fingerprint, or a decision id."""
    exact = [one for one in decisions if wanted in (one.candidate_key, str(one.decision_id))]
    begun = [one for one in decisions if _begins(one, wanted)]
    keys = sorted({one.candidate_key for one in exact or begun})
    if not keys:
        near = nearest(wanted, (one.candidate_key for one in decisions))
        raise NotFound(f"no {what} {wanted}", near, None if near else "see: agent-riggs ratchet list")
    if len(keys) > 1:
        raise Ambiguous(f"{wanted} names {len(keys)} keys", keys)
    return (exact or begun)[0]


def _begins(one: Decision, wanted: str) -> bool:
    mark = str(one.evidence.get("fingerprint") or "")
    return bool(wanted) and (one.candidate_key.startswith(wanted) or mark.startswith(wanted))


def states_of(log: Log) -> dict[str, str]:
    """What each entry's row says now, by the entry's hash: a later entry about a key ends its promoted one."""
    states: dict[str, str] = {}
    promoted: dict[str, str] = {}
    by_hash = {entry.hash: entry for entry in log.entries}
    for entry in log.entries:
        old = by_hash.get(entry.carried_from)
        for key in (entry.candidate_key, *((old.candidate_key,) if old else ())):
            if key in promoted:
                states[promoted.pop(key)] = ENDINGS[entry.decision]
        states[entry.hash] = entry.decision
        if entry.decision == "promoted":
            promoted[entry.candidate_key] = entry.hash
    return states


def foreign_rows(conn: Connection, log: Log) -> list[Row]:
    known = {entry.decision_id for entry in log.entries}
    return [row for row in verdicts.rows(conn) if row.decision_id not in known]


def shown(entry: Entry, state: str) -> Decision:
    return Decision(
        decision_id=entry.decision_id,
        decided_at=entry.at,
        candidate_type=entry.candidate_type,
        candidate_key=entry.candidate_key,
        decision=entry.decision,
        state=state,
        reason=entry.reason,
        fix=entry.fix,
        evidence=entry.evidence,
        decided_by=entry.decided_by,
        until=entry.until,
        when=entry.when,
        seq=entry.seq,
        config_change=entry.config_change,
    )


def _foreign(row: Row, lost: bool) -> Decision:
    """A row of others as it may be shown: whatever they wrote, a redacted line of bounded length, and times that there
    are."""
    return Decision(
        decision_id=row.decision_id,
        decided_at=logs.moment(row.decided_at),
        candidate_type=row.candidate_type,
        candidate_key=row.candidate_key,
        decision=row.decision,
        state=row.decision,
        reason=clean(row.reason),
        fix=clean(row.fix),
        evidence=row.evidence,
        decided_by=clean(row.decided_by, 80),
        until=logs.moment(row.until),
        foreign=True,
        mark=row.hash,
        lost=lost,
        config_change=row.config_change,
    )
