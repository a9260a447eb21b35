"""A fix that is served, for the tests of effects: sessions, a promotion, what the hook said."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import duckdb

from agent_riggs.deliver import spool
from agent_riggs.learn import candidates, decisions
from agent_riggs.learn.effect import Effect, measured
from agent_riggs.learn.ledger import Ledger
from agent_riggs.learn.promotions import promotions
from agent_riggs.store import deliveries
from agent_riggs.store.deliveries import Delivery
from builders.rows import SECOND, START
from learn.sessions import DAY, NOW, Call, bash, fails, record, store

WRONG = fails("npm run x", "bad_option", "npm", "no such script")
RIGHT = bash("pnpm run x")
ELSE = bash("ls")
AT_ONCE = (WRONG, RIGHT)
SLOWLY = (WRONG, ELSE, WRONG, ELSE, ELSE, WRONG, RIGHT)
"""Six calls to recovery, two more failures on the way."""
FIX = "use `pnpm`"


@dataclass
class Loop:
    """A project in which a fix gets promoted. Each day has one session."""

    folder: Path
    conn: duckdb.DuckDBPyConnection = field(default_factory=store)
    days: int = 0

    @property
    def ledger(self) -> Ledger:
        return Ledger(self.folder, "shop", "me")

    def session(self, *calls: Call, count: int = 1, **told: Any) -> None:
        """Sessions of these calls; what the hook said in them where ``told`` says how."""
        for _ in range(count):
            record(self.conn, f"s{self.days}", *calls, day=self.days)
            if told:
                self.say(f"s{self.days}", START + self.days * DAY + 2 * SECOND, **told)
            self.days += 1

    def say(self, session: str, at: int, *, state: str = "delivered", seen: bool = True, **more: Any) -> None:
        """What the hook said, or kept back, as ingest stores it."""
        number = deliveries.delivery_id(session, f"{at}")
        values = {"candidate_key": self.key, "fingerprint": WRONG.fingerprint, "moment": "after", **more}
        reason = spool.HELD_OUT if state == "withheld" else ""
        row = Delivery(number, at, "claude_code", session, "c", state=state, reason=reason, **values)
        deliveries.add(self.conn, [row])
        if seen and state == "delivered":
            deliveries.prove(self.conn, {number: None}, NOW)

    @property
    def key(self) -> str:
        return candidates.find(self.conn, WRONG.fingerprint or "", now=NOW).candidate_key

    def promote(self, fix: str = FIX, wanted: str = WRONG.fingerprint or "", when: str = "after") -> None:
        """A human promotes it in the evening before the next session."""
        found = candidates.find(self.conn, wanted, now=NOW)
        decisions.promote(self.conn, self.ledger, found, fix=fix, now=self.morning, when=when)

    @property
    def morning(self) -> int:
        return START + self.days * DAY - SECOND

    def effects(self, closely: bool = False) -> list[Effect]:
        return measured(self.conn, promotions(self.ledger.read()), closely=closely)

    def effect(self) -> Effect:
        (found,) = self.effects(closely=True)
        return found


TOLD = {"state": "delivered"}
HELD = {"state": "withheld"}
