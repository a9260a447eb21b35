"""Conformance kits: what a consumer of our stores, or a source of transcripts, can hold itself to.

A consumer's test calls ``check_consumer`` with a function that opens a store. The kit drives the real producer and
raises ``AssertionError`` with a plain sentence where the consumer departs from the contract. A source's test calls
``check_source`` with the source and a folder of sample transcripts.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

from agent_riggs.assembly import assemble
from agent_riggs.sources.check import SourceFault, check_source

__all__ = ["FIX", "Consumer", "Opener", "SourceFault", "check_consumer", "check_source", "seed"]


class Consumer(Protocol):
    """What a consumer must offer: kibitzer's interface."""

    def suggest(self, *, category: str, tool: str | None = None, mode: str | None = None) -> Any: ...

    def coaching_for_failure(self, *, tool: str | None, mode: str | None, category: str = "failure") -> str | None: ...

    def __len__(self) -> int: ...


Opener = Callable[[Path], Consumer | None]
"""Opens a store file and returns the consumer, or ``None`` when there is no usable store."""

FIX = "run it through the project's own environment"
NOW = 1_700_000_000


def seed(
    root: Path, *, sessions: int = 3, failures: int = 6, tool: str = "Bash", mode: str | None = "implement"
) -> str:
    """Make a project whose store holds one constraint candidate; returns its key."""
    root.mkdir(parents=True, exist_ok=True)
    service = assemble(root)
    for number in range(failures):
        service.store.execute(
            "INSERT INTO failure_stream (failure_id, turn_id, session_id, project, occurred_at, failure_category, "
            "tool_name, mode, trust_at_failure, detail) VALUES (?, ?, ?, ?, to_timestamp(?), ?, ?, ?, ?, ?)",
            [number, number, f"s{number % sessions}", root.name, NOW + number, "failure", tool, mode, 0.3, None],
        )
    (key,) = [one.candidate_key for one in service.plugin("ratchet").candidates()]
    service.store.close()
    return key


def check_consumer(open_store: Opener, folder: Path) -> None:
    """Hold a consumer to the contract: keys, promoted rows only, the fix text shown, one row per key, silence
    where there is nothing. ``folder`` is an empty folder for the projects that the kit makes."""
    _require(open_store(folder / "none.duckdb") is None, "a missing store gives no consumer")
    root = folder / "project"
    key = seed(root)
    _require(key == "failure-Bash-implement", "the key is category, tool and mode, joined by hyphens")
    early = _opened(open_store, root).suggest(category="failure", tool="Bash", mode="implement")
    _require(early is None, "a candidate is not served")
    _decide(root, lambda plugin: plugin.promote(key, reason="first words"))
    _decide(root, lambda plugin: plugin.promote(key, reason=FIX), again=True)
    consumer = _opened(open_store, root)
    _require(len(consumer) == 1, "a second promotion of a key supersedes the first")
    told = consumer.coaching_for_failure(tool="Bash", mode="implement")
    _require(told is not None and FIX in told, "the fix text is shown")
    _require(consumer.suggest(category="failure", tool="Bash", mode="plan") is None, "another mode is another key")
    _require(consumer.suggest(category="failure", tool="Read", mode="implement") is None, "another tool is another key")
    _retire(root, key)
    _require(len(_opened(open_store, root)) == 0, "a retired ratchet is no longer served")


def _opened(open_store: Opener, root: Path) -> Consumer:
    consumer = open_store(root / ".riggs" / "store.duckdb")
    _require(consumer is not None, "a store is opened")
    assert consumer is not None
    return consumer


def _decide(root: Path, what: Callable[[Any], None], *, again: bool = False) -> None:
    from agent_riggs.learn import candidates, decisions

    service = assemble(root)
    if again:
        found = candidates.find(service.store.conn, "failure-Bash-implement", now=NOW * 1_000_000)
        decisions.promote(service.store.conn, None, found, now=(NOW + 60) * 1_000_000, reason=FIX)
    else:
        what(service.plugin("ratchet"))
    service.store.close()


def _retire(root: Path, key: str) -> None:
    from agent_riggs.learn import decisions

    service = assemble(root)
    decisions.retire(service.store.conn, None, key, reason="it no longer happens", now=(NOW + 120) * 1_000_000)
    service.store.close()


def _require(holds: bool, rule: str) -> None:
    if not holds:
        raise AssertionError(f"contract: {rule}")
