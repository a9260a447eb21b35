"""The only writer of decisions: promote, reject, snooze, retire, adopt. Each comes from a human's explicit command.

A decision is made once the chained log has it; the store's row follows, at once or at the next ingest. The log is the
authority: what it holds and the store does not is restored, and what only the store holds is called foreign and is
never published for recall until adopted. The store can only take away: what it has ended is not served again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from agent_riggs.deliver.recall import constraint_key
from agent_riggs.errors import NotFound, UsageError, nearest
from agent_riggs.judge.redact import redact
from agent_riggs.learn import log as logs
from agent_riggs.learn.evidence import Candidate, clean, occasion, of_others, one_line
from agent_riggs.learn.ledger import Decision, Ledger, ended, foreign, live, shown, states_of
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
    """Stop serving a promoted key, whichever of log and store calls it so. Raises ``NotFound`` when neither does."""
    known = {row.candidate_key: row for row in verdicts.rows(conn) if row.decision == "promoted"}
    served = {one.candidate_key: one for one in live(ledger.read())} if ledger else {}
    found = served.get(key) or known.get(key)
    if found is None:
        raise NotFound(f"no live ratchet {key}", nearest(key, {*known, *served}))
    evidence = served[key].evidence if key in served else of_others(found.evidence)
    return _decide(
        conn, ledger, Entry(now, "retired", found.candidate_type, key, one_line(redact(reason)), evidence=evidence)
    )


def adoption(conn: Connection, ledger: Ledger, log: Log, decision_id: int, *, now: int) -> Entry:
    """The decision that a foreign row becomes: only what a human can be shown of it, redacted, in bounded lines.

    Raises ``NotFound`` when the row is none, ``UsageError`` when there is nothing in it to adopt.
    """
    one = next((one for one in foreign(conn, log) if one.decision_id == decision_id), None)
    if one is None:
        raise NotFound(f"no foreign decision {decision_id}")
    if one.decision not in logs.ENDINGS or one.decision == "retired":
        raise UsageError(f"decision {decision_id} is {one.decision}: there is nothing to adopt")
    fix = (one.fix or one.reason) if one.decision == "promoted" else ""
    if one.decision == "promoted" and not fix:
        raise UsageError(f"decision {decision_id} has no text that could be served")
    if not one.candidate_key or clean(one.candidate_key, 300) != one.candidate_key:
        raise UsageError(f"the key of decision {decision_id} is no short line of text: it cannot be adopted")
    return _of_others(one, now, by=ledger.by, fix=fix, evidence=of_others(_named(conn, one)))


def adopt(conn: Connection, ledger: Ledger, decision_id: int, *, now: int, shown_as: Entry | None = None) -> Decision:
    """Make a foreign row a decision of one's own, after it has been shown to the human as ``shown_as``.

    The row keeps its id and time; the log gains it. A promoted row supersedes another of its key.
    """
    with ledger.locked() as log:
        entry = adoption(conn, ledger, log, decision_id, now=now)
        if shown_as not in (None, entry):
            raise UsageError(f"decision {decision_id} has changed since it was shown: nothing was adopted")
        entry, unstored = _enter(conn, ledger, log, entry)
    return replace(shown(entry, entry.decision), unstored=unstored)


def end(conn: Connection, ledger: Ledger, *, now: int) -> list[str]:
    """Take out of the log's live ones what the store has ended, and return the keys: a log that lost its end, or an
    older copy of it, brings no retired fix back. What was decided then is entered as it stands in the store."""
    if not ended(conn, ledger.read()):
        return []
    keys = []
    with ledger.locked() as log:
        for entry in ended(conn, log):
            last = [one for one in foreign(conn, log) if one.candidate_key == entry.candidate_key]
            found = next((one for one in reversed(last) if one.decision in ("retired", "rejected", "snoozed")), None)
            plain = Entry(now, "retired", entry.candidate_type, entry.candidate_key, "ended in the store")
            fresh = _of_others(found, now, by=found.decided_by) if found else plain
            _enter(
                conn,
                ledger,
                log,
                replace(fresh, candidate_type=entry.candidate_type, evidence=entry.evidence),
                verdicts.put,
            )
            log = ledger.read()
            keys.append(entry.candidate_key)
    return keys


def _of_others(one: Decision, now: int, *, by: str, fix: str = "", evidence: Mapping[str, Any] | None = None) -> Entry:
    return Entry(
        at=now,
        decision=one.decision,
        candidate_type=clean(one.candidate_type, 80),
        candidate_key=one.candidate_key,
        reason=one.reason or fix,
        fix=fix,
        evidence=evidence or {},
        decided_by=by,
        until=one.until,
        row_id=one.decision_id,
        carried_from=one.mark if one.lost else "",
    )


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
    """Write one decision to log and store. The same one again, as after an error, is the entry that is there."""
    if ledger is None:
        entry = logs.chain(entry, Log())
        with verdicts.transaction(conn):
            _write(conn, replace(row_of(entry, entry.decision), hash="", previous=""))
        return replace(shown(entry, entry.decision), foreign=True)
    with ledger.locked() as log:
        entry = replace(entry, decided_by=one_line(ledger.by, 80))
        last = next((one for one in reversed(log.entries) if one.candidate_key == entry.candidate_key), None)
        if last is not None and _is_same(last, entry):
            entry, unstored = last, verdicts.attempt(conn, lambda: _write(conn, row_of(last, last.decision)))
        else:
            entry, unstored = _enter(conn, ledger, log, entry)
    return replace(shown(entry, entry.decision), unstored=unstored)


def _enter(
    conn: Connection,
    ledger: Ledger,
    log: Log,
    entry: Entry,
    write: Callable[[Connection, Row], None] | None = None,
) -> tuple[Entry, str]:
    """The log first: with its line a decision is made. A store that cannot be written, for the reason returned, and a
    crash in between are made good by the next ``restore``."""
    fresh = logs.chain(entry, log)
    logs.append(ledger.log, fresh, log)
    return fresh, verdicts.attempt(conn, lambda: (write or _write)(conn, row_of(fresh, fresh.decision)))


def _write(conn: Connection, row: Row) -> None:
    """The row of a decision, new or known, in place of what was promoted under its key."""
    verdicts.supersede(conn, row.candidate_key, logs.ENDINGS[row.decision])
    verdicts.put(conn, row)


def _is_same(one: Entry, other: Entry) -> bool:
    """Whether two entries about a key say the same; a snooze is to a day."""
    days = abs((one.until or 0) - (other.until or 0)) < 86_400_000_000
    names = ("decision", "candidate_type", "reason", "fix", "when", "decided_by", "config_change")
    return days and all(getattr(one, name) == getattr(other, name) for name in names)


def _named(conn: Connection, row: Decision) -> dict[str, Any]:
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
