from __future__ import annotations

import duckdb
import pytest

from agent_riggs.config import Ratchet
from agent_riggs.report.status import direction, last_ingest, status
from agent_riggs.store.migrations import SCHEMA_VERSION
from faces.build import START, Call, failed, fill, transcript


def test_an_empty_memory_has_a_status() -> None:
    with duckdb.connect() as conn:
        fill(conn, "app")
        found = status(conn, "app", Ratchet(), START, {})
    assert (found.trust, found.direction, found.history, found.last_ingest) == (None, None, (), None)
    assert found.store_version == str(SCHEMA_VERSION)


def test_status_sums_over_sources() -> None:
    rows = [
        transcript("/a", understood=90),
        transcript("/b", source="codex", understood=0),
        transcript("/c", ours=False),
    ]
    with duckdb.connect() as conn:
        fill(conn, "app", [Call(trust=0.9), failed(trust=0.5)], transcripts=rows)
        found = status(conn, "app", Ratchet(), START, {})
    assert (found.transcripts, found.transcripts_read) == (2, 1)
    assert (found.lines, found.lines_not_understood) == (200, 110)
    assert found.totals.failures == 1


@pytest.mark.parametrize(
    ("now", "before", "word"),
    [(0.9, 0.8, "rising"), (0.7, 0.8, "falling"), (0.81, 0.8, "steady"), (0.8, 0.8, "steady")],
)
def test_direction(now: float, before: float, word: str) -> None:
    assert direction(now, before) == word


def test_last_ingest_of_a_foreign_or_new_store() -> None:
    assert last_ingest({"last_ingest": str(START)}) == START
    assert last_ingest({}) is None
    assert last_ingest({"last_ingest": "yesterday"}) is None
