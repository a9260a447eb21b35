"""The only writer of decisions: promote, reject, snooze, retire, adopt. Each comes from a human's explicit command.

A decision is written to the store and to the chained log in one step: the store's transaction is committed only
after the log has it. The log is the authority: what it holds and the store does not is restored, and what only
the store holds was not decided here, is called foreign, and is never published for recall until adopted.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from agent_riggs.deliver.recall import constraint_key
from agent_riggs.errors import NotFound, UsageError, nearest
from agent_riggs.judge.redact import redact
from agent_riggs.learn import log as logs
from agent_riggs.learn.evidence import Candidate, occasion, one_line
from agent_riggs.learn.ledger import ENDINGS, Decision, Ledger, foreign_rows, shown, states_of
from agent_riggs.learn.log import Entry, Log
from agent_riggs.store import mining, verdicts
from agent_riggs.store.verdicts import Connection, Row


def promote(
    conn: Connection,
    ledger: Ledger | None,
    candidate: Candidate,
    *,
    now: int,
    fix: str = "",
    reason: str = "",
    when: str = "after",
    fix_source: str = "human",
    config_change: Mapping[str, Any] | None = None,
) -> Decision:
    """Promote a candidate with the fix a human confirmed; an earlier promotion of its key is superseded.

    ``ledger`` is ``None`` only for the compatibility face: such a row stays foreign. ``now`` in microseconds.
    Raises ``UsageError`` when ``when`` asks for advice before the call and the candidate has no trigger.
    """
    text = one_line(redact(fix))
    evidence = dict(candidate.evidence)
    if when not in ("after", "before", "both"):
        raise UsageError(f"when is after, before or both, not {when!r}")
    if when != "after" and not (evidence.get("trigger") or {}).get("words"):
        raise UsageError(
            f"{candidate.candidate_key} cannot be told before the call: its failures begin in no common way",
            hint="promote it for after the failure",
        )
    if text:
        known = evidence.get("fix") or {}
        same = isinstance(known, Mapping) and known.get("text") == text
        evidence["fix"] = dict(known) if same else {"text": text, "support": 0, "agreement": 0.0, "source": fix_source}
    return _decide(
        conn,
        ledger,
        Entry(
            at=now,
            decision="promoted",
            candidate_type=candidate.candidate_type,
            candidate_key=candidate.candidate_key,
            reason=_reason(candidate, text, one_line(redact(reason))),
            fix=text,
            evidence=evidence,
            config_change=config_change,
            when=when,
        ),
    )


def reject(conn: Connection, ledger: Ledger | None, candidate: Candidate, *, reason: str, now: int) -> Decision:
    """Reject a candidate for good: it does not come back. A live ratchet of the key is retired with it."""
    return _decide(conn, ledger, _plain(candidate, "rejected", reason, now))


def snooze(
    conn: Connection, ledger: Ledger | None, candidate: Candidate, *, until: int, now: int, reason: str = ""
) -> Decision:
    """Put a candidate off until a time (microseconds). Raises ``UsageError`` for a time that has passed."""
    if until <= now:
        raise UsageError("the date to snooze until has passed")
    return _decide(conn, ledger, replace(_plain(candidate, "snoozed", reason, now), until=until))


def retire(conn: Connection, ledger: Ledger | None, key: str, *, reason: str, now: int) -> Decision:
    """Stop serving a promoted key. Raises ``NotFound`` when nothing is promoted under it."""
    promoted = [row for row in verdicts.rows(conn) if row.decision == "promoted"]
    row = next((row for row in promoted if row.candidate_key == key), None)
    if row is None:
        raise NotFound(f"no live ratchet {key}", nearest(key, (row.candidate_key for row in promoted)))
    entry = Entry(now, "retired", row.candidate_type, key, one_line(redact(reason)), evidence=row.evidence)
    return _decide(conn, ledger, entry)


def adopt(conn: Connection, ledger: Ledger, decision_id: int, *, now: int) -> Decision:
    """Make a foreign row a decision of one's own, after its text has been shown to the human.

    The row keeps its id, time and text; the log gains it. A promoted row supersedes another of its key.
    """
    with logs.locked(ledger.log) as log:
        row = next((row for row in foreign_rows(conn, log) if row.decision_id == decision_id), None)
        if row is None:
            raise NotFound(f"no foreign decision {decision_id}")
        if row.decision not in ENDINGS or row.decision == "retired":
            raise UsageError(f"decision {decision_id} is {row.decision}: there is nothing to adopt")
        text = one_line(redact(row.fix or row.reason)) if row.decision == "promoted" else ""
        entry = logs.chain(
            Entry(
                at=now,
                decision=row.decision,
                candidate_type=row.candidate_type,
                candidate_key=row.candidate_key,
                reason=one_line(redact(row.reason)) or text,
                fix=text,
                evidence=_named(conn, row),
                config_change=row.config_change,
                decided_by=ledger.by,
                until=row.until,
                row_id=row.decision_id,
            ),
            log,
        )
        with verdicts.transaction(conn):
            verdicts.supersede(conn, row.candidate_key, ENDINGS[entry.decision])
            verdicts.mark(conn, row_of(entry, entry.decision))
            logs.append(ledger.log, entry, log)
    return shown(entry, entry.decision)


def restore(conn: Connection, log: Log) -> int:
    """Bring the store in line with the log: missing rows come back, altered ones are set right.

    Returns the number of rows written. For ingest and for a rebuilt store; foreign rows stay as they are.
    """
    have = {row.decision_id: row for row in verdicts.rows(conn)}
    states = states_of(log)
    written = 0
    with verdicts.transaction(conn):
        for entry in log.entries:
            wanted = row_of(entry, states[entry.hash])
            found = have.get(wanted.decision_id)
            if found is None or _differs(found, wanted):
                verdicts.replace(conn, wanted)
                written += 1
    return written


def _plain(candidate: Candidate, decision: str, reason: str, now: int) -> Entry:
    return Entry(
        at=now,
        decision=decision,
        candidate_type=candidate.candidate_type,
        candidate_key=candidate.candidate_key,
        reason=one_line(redact(reason)),
        evidence=dict(candidate.evidence),
    )


def _decide(conn: Connection, ledger: Ledger | None, entry: Entry) -> Decision:
    """Write one decision to store and log. The log is written last before the commit: a crash in between leaves
    an entry that the next ``restore`` brings into the store."""
    with _log_of(ledger) as log:
        entry = logs.chain(replace(entry, decided_by=ledger.by if ledger else ""), log)
        row = row_of(entry, entry.decision)
        if ledger is None:
            row = replace(row, hash="", previous="")
        with verdicts.transaction(conn):
            verdicts.supersede(conn, entry.candidate_key, ENDINGS[entry.decision])
            verdicts.insert(conn, row)
            if ledger is not None:
                logs.append(ledger.log, entry, log)
    return replace(shown(entry, entry.decision), foreign=ledger is None)


def _named(conn: Connection, row: Row) -> dict[str, Any]:
    """The evidence of a foreign row with what its key says, for rows that other producers wrote without it. The key
    is not parsed: it is compared whole with those of the failures in the store."""
    evidence = dict(row.evidence)
    if evidence.get("tool") or row.candidate_type != "constraint_promotion":
        return evidence
    mining.prepare(conn)
    for total in mining.constraints(conn, *mining.ALL_TIME, min_occurrences=1):
        if constraint_key(total.category, total.tool, total.mode) == row.candidate_key:
            return evidence | {"category": total.category, "tool": total.tool, "mode": total.mode}
    return evidence


@contextmanager
def _log_of(ledger: Ledger | None) -> Iterator[Log]:
    if ledger is None:
        yield Log()
        return
    with logs.locked(ledger.log) as log:
        yield log


def row_of(entry: Entry, decision: str) -> Row:
    """The row that stands for a log entry in the store."""
    return Row(
        decision_id=entry.decision_id,
        decided_at=entry.at,
        candidate_type=entry.candidate_type,
        candidate_key=entry.candidate_key,
        decision=decision,
        reason=entry.reason,
        evidence=entry.evidence,
        config_change=entry.config_change,
        fix=entry.fix,
        decided_by=entry.decided_by,
        until=entry.until,
        previous=entry.previous,
        hash=entry.hash,
    )


def _differs(found: Row, wanted: Row) -> bool:
    """Whether a row was altered; the time of an adopted row stays its own, so it is not compared."""
    return (found.decision, found.candidate_key, found.reason, found.fix, found.hash) != (
        wanted.decision,
        wanted.candidate_key,
        wanted.reason,
        wanted.fix,
        wanted.hash,
    )


def _reason(candidate: Candidate, fix: str, reason: str) -> str:
    """The text kibitzer shows beside the key: when the fix applies, the fix, and the human's reason behind it."""
    if not fix:
        return reason
    when = occasion(candidate.evidence) if candidate.candidate_type == "failure_pattern" else ""
    behind = f" ({reason})" if reason and reason != fix else ""
    return f"{when}: {fix}{behind}" if when else f"{fix}{behind}"
