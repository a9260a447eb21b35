"""The compatibility face: what programs written for the public agent-riggs 0.2 call, and nothing else.

``assemble`` opens the project's store for writing and holds it until ``svc.store.conn`` is closed. A promotion made
through it is a program's, not a human's: the row is written, the decision log is not, so it shows as foreign and
our own hook does not serve it until it is adopted.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Protocol

from agent_riggs.config import Config, load
from agent_riggs.errors import nearest
from agent_riggs.learn import candidates, decisions
from agent_riggs.learn.evidence import Candidate
from agent_riggs.learn.ledger import Decision, history, verdict_of
from agent_riggs.learn.log import Log
from agent_riggs.store import Store, open_write

STORE = ".riggs/store.duckdb"


class _Cursor(Protocol):
    def fetchall(self) -> list[Any]: ...

    def fetchone(self) -> Any: ...


class CompatibleStore:
    """The open store under the names of 0.2: ``execute`` and ``conn``."""

    def __init__(self, store: Store, stack: ExitStack) -> None:
        self.conn = store.conn
        self.path = store.path
        self._stack = stack

    def execute(self, sql: str, params: Sequence[Any] | None = None) -> _Cursor:
        """Run one statement; what is returned has ``fetchall`` and ``fetchone``."""
        return self.conn.execute(sql, params)

    def close(self) -> None:
        """Close the store and give the file free."""
        self._stack.close()


class RatchetPlugin:
    """``svc.plugin("ratchet")``."""

    name = "ratchet"

    def __init__(self, store: CompatibleStore, config: Config) -> None:
        self._store = store
        self._config = config

    def candidates(self) -> list[Candidate]:
        """Open candidates, best first."""
        conn = self._store.conn
        decided = verdict_of(conn, Log())
        return candidates.find_candidates(conn, limits=self._config.ratchet, now=_now(), decided=decided)

    def promote(self, key: str, reason: str | None = None) -> None:
        """Promote a candidate. Raises ``KeyError`` for a key that is none."""
        found = self._candidate(key)
        decisions.promote(self._store.conn, None, found, now=_now(), reason=reason or "")

    def reject(self, key: str, reason: str) -> None:
        """Reject a candidate. Raises ``KeyError`` for a key that is none."""
        decisions.reject(self._store.conn, None, self._candidate(key), reason=reason, now=_now())

    def history(self) -> list[Decision]:
        """Every decision, newest first."""
        return history(self._store.conn, Log())

    def _candidate(self, key: str) -> Candidate:
        found = self.candidates()
        for one in found:
            if one.candidate_key == key:
                return one
        known = ", ".join(nearest(key, (one.candidate_key for one in found)))
        raise KeyError(f"no candidate with key {key}" + (f"; nearest: {known}" if known else ""))


class Service:
    """What ``assemble`` returns: ``store`` and ``plugin(name)``."""

    def __init__(self, project_root: Path, store: CompatibleStore, config: Config) -> None:
        self.project_root = project_root
        self.store = store
        self.config = config
        self.plugins = {"ratchet": RatchetPlugin(store, config)}

    def plugin(self, name: str) -> RatchetPlugin:
        """A plugin by name; only ``ratchet`` is left of them. Raises ``KeyError`` for another."""
        return self.plugins[name]


def assemble(project_root: Path) -> Service:
    """Open the store of the project in this very folder, creating it when missing."""
    stack = ExitStack()
    root = Path(project_root)
    store = stack.enter_context(open_write(root / STORE))
    return Service(root, CompatibleStore(store, stack), load(root))


def _now() -> int:
    return time.time_ns() // 1000
