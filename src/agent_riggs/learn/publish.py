"""From decisions to the recall index: what is live, with what the store has seen of it since."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from agent_riggs.deliver import recall
from agent_riggs.deliver.advice import advice
from agent_riggs.deliver.recall import Ratchet
from agent_riggs.errors import RiggsError
from agent_riggs.learn.ledger import Decision, Ledger, live
from agent_riggs.learn.needles import with_needles
from agent_riggs.store import mining
from agent_riggs.store.verdicts import Connection


def publish(ledger: Ledger, conn: Connection | None = None, *, hold_out: float = 0.0) -> int:
    """Write the recall index anew from the log; called at each decision and at each ingest.

    With a connection the numbers of each ratchet (root sessions, occurrences, first and last seen) are those of the
    store now, else those of the day it was decided. ``hold_out`` is the share of sessions in which each is kept back.
    Returns the number of live ratchets. A log that cannot be read leaves the index as it is. Raises ``RiggsError``
    where the index cannot be written.
    """
    log = ledger.read()
    known = recall.load(ledger.index, ledger.project)
    if not log.readable:
        return len(known)
    decisions = live(log)
    if not decisions and not ledger.index.exists():
        return 0
    ratchets = [replace(one, hold_out=hold_out) for one in ratchets_of(decisions, conn)]
    try:
        return recall.publish(ledger.index, ledger.project, with_needles(ratchets, known, conn))
    except OSError as error:
        raise RiggsError(
            f"{ledger.index} cannot be written: {error.strerror or error}",
            hint="the hook serves what it holds: mend that, then agent-riggs ingest",
        ) from error


def ratchets_of(decisions: Sequence[Decision], conn: Connection | None) -> list[Ratchet]:
    """The ratchets as they are served, needles apart."""
    ratchets = [ratchet_of(decision) for decision in decisions]
    return _refreshed(conn, ratchets) if conn is not None and ratchets else ratchets


def told(conn: Connection, decision: Decision) -> str:
    """The very words in which a decision will be served after the failure."""
    (ratchet,) = ratchets_of([decision], conn)
    return advice(ratchet)


def ratchet_of(decision: Decision) -> Ratchet:
    """The ratchet that a promotion stands for, with the numbers of that day."""
    evidence = decision.evidence
    trigger = evidence.get("trigger")
    words = trigger.get("words", ()) if isinstance(trigger, Mapping) else ()
    return Ratchet(
        key=decision.candidate_key,
        type=decision.candidate_type,
        fix=decision.fix or decision.reason,
        category=_text(evidence, "category") or "",
        tool=_text(evidence, "tool") or "",
        failure_class=_text(evidence, "class"),
        program=_text(evidence, "program"),
        shape=_text(evidence, "shape"),
        fingerprint=_text(evidence, "fingerprint"),
        mode=_text(evidence, "mode"),
        when=decision.when if decision.when in ("before", "both") else "after",  # type: ignore[arg-type]
        trigger=tuple(str(word) for word in words),
        sessions=_number(evidence, "sessions_affected"),
        occurrences=_number(evidence, "occurrences"),
        first_seen=_moment(evidence, "first_seen"),
        last_seen=_moment(evidence, "last_seen"),
        decided_at=decision.decided_at or 0,
        dead_ends=_dead_ends(evidence),
    )


def _refreshed(conn: Connection, ratchets: Sequence[Ratchet]) -> list[Ratchet]:
    seen = mining.totals(conn, [ratchet.fingerprint for ratchet in ratchets if ratchet.fingerprint])
    fresh = []
    for ratchet in ratchets:
        found = seen.get(ratchet.fingerprint or "")
        if found is not None:
            ratchet = replace(
                ratchet,
                sessions=found.sessions,
                occurrences=found.occurrences,
                first_seen=found.first_seen,
                last_seen=found.last_seen,
            )
        fresh.append(ratchet)
    return fresh


def _dead_ends(evidence: Mapping[str, Any]) -> tuple[str, ...]:
    """What was tried and failed again, as the human saw it when promoting; two at most."""
    found = evidence.get("dead_ends")
    items = found if isinstance(found, list) else []
    return tuple(str(item["text"]) for item in items if isinstance(item, dict) and item.get("text"))[:2]


def _text(evidence: Mapping[str, Any], name: str) -> str | None:
    value = evidence.get(name)
    return value if isinstance(value, str) and value else None


def _number(evidence: Mapping[str, Any], name: str) -> int:
    value = evidence.get(name)
    return value if isinstance(value, int) else 0


def _moment(evidence: Mapping[str, Any], name: str) -> int | None:
    """Evidence holds times as ISO text (UTC); the index as microseconds."""
    from datetime import UTC, datetime

    value = evidence.get(name)
    if not isinstance(value, str):
        return None
    try:
        moment = datetime.fromisoformat(value)
    except ValueError:
        return None
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return round(moment.timestamp() * 1_000_000)
