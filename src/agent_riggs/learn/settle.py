"""What an ingest leaves to learning: decisions back into the store, keys carried over, the recall index anew."""

from __future__ import annotations

from dataclasses import dataclass

from agent_riggs.learn import decisions, ledger, publish
from agent_riggs.learn.carry import carry
from agent_riggs.learn.ledger import Ledger
from agent_riggs.store.mining import Connection


@dataclass(frozen=True, slots=True)
class Settled:
    """What was done, for the summary of an ingest."""

    restored: int = 0
    """Rows written into the store from the log."""
    carried: tuple[tuple[str, str], ...] = ()
    """(old key, new key) of decisions whose key changed."""
    live: int = 0
    """Ratchets in the recall index."""
    foreign: int = 0
    """Decisions of others that the store holds."""
    trouble: str = ""
    """What is wrong with the log, in a sentence; empty when nothing is."""
    remedy: str = ""
    ended: tuple[str, ...] = ()
    """Keys that the log called live and the store had ended: the log has that too now."""


def settle(conn: Connection, mine: Ledger, *, now: int, hold_out: float = 0.0) -> Settled:
    """Call it at the end of each ingest, with the store open for writing. ``now`` in microseconds; ``hold_out`` as in
    ``publish``.

    Without any decision it does nothing and creates nothing. From a log that cannot be read nothing follows: store and
    index stay as they are.
    """
    log = mine.read()
    trouble, remedy = ledger.trouble(conn, log, mine.log)
    ended = decisions.end(conn, mine, now=now) if log.readable else []
    log = mine.read() if ended else log
    restored = decisions.restore(conn, log) if log.entries else 0
    carried = carry(conn, mine, now=now) if log.entries else []
    log = mine.read() if carried else log
    live = publish.publish(mine, conn, hold_out=hold_out)
    foreign = sum(not one.lost for one in ledger.foreign(conn, log)) if log.readable else 0
    return Settled(restored, tuple(carried), live, foreign, trouble, remedy, tuple(ended))
