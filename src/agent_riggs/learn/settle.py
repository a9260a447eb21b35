"""What an ingest leaves to learning: decisions back into the store, keys carried over, the recall index anew."""

from __future__ import annotations

from dataclasses import dataclass

from agent_riggs.learn import decisions, ledger, publish
from agent_riggs.learn import log as logs
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
    """Decisions that the store holds and the log does not."""
    broken: str = ""
    """Why a part of the log is not trusted; empty for a whole one."""


def settle(conn: Connection, mine: Ledger, *, now: int, hold_out: float = 0.0) -> Settled:
    """Call it at the end of each ingest, with the store open for writing. ``now`` in microseconds; ``hold_out`` as in
    ``publish``.

    Without any decision it does nothing and creates nothing.
    """
    log = logs.read(mine.log)
    restored = decisions.restore(conn, log) if log.entries else 0
    carried = carry(conn, mine, now=now) if log.entries else []
    log = logs.read(mine.log) if carried else log
    live = publish.publish(mine, conn, hold_out=hold_out)
    return Settled(restored, tuple(carried), live, len(ledger.foreign(conn, log)), log.broken)
