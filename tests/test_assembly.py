"""The compatibility face: what programs written for the public 0.2 call."""

from __future__ import annotations

from pathlib import Path

import pytest

from agent_riggs.assembly import assemble
from agent_riggs.learn.ledger import foreign
from agent_riggs.learn.log import Log
from agent_riggs.store import open_read
from agent_riggs.testing import seed

KEY = "failure-Bash-implement"


def test_candidates_and_decisions_as_kibitzers_test_drives_them(tmp_path: Path) -> None:
    assert seed(tmp_path / "shop") == KEY
    service = assemble(tmp_path / "shop")
    (one,) = service.plugin("ratchet").candidates()
    assert (one.candidate_type, one.candidate_key, one.evidence["severity"]) == (
        "constraint_promotion",
        KEY,
        "systemic",
    )
    service.plugin("ratchet").promote(KEY, reason="because")
    assert service.plugin("ratchet").candidates() == [], "what is decided leaves the list"
    service.store.conn.close()
    with open_read(tmp_path / "shop" / ".riggs" / "store.duckdb") as store:
        rows = store.conn.execute("SELECT candidate_key, decision, reason FROM ratchet_decisions").fetchall()
        assert rows == [(KEY, "promoted", "because")]


def test_a_programs_promotion_is_foreign(tmp_path: Path) -> None:
    seed(tmp_path)
    service = assemble(tmp_path)
    service.plugin("ratchet").promote(KEY)
    assert [one.candidate_key for one in foreign(service.store.conn, Log())] == [KEY]
    service.store.close()


def test_rejecting_after_promoting_stops_it(tmp_path: Path) -> None:
    seed(tmp_path)
    service = assemble(tmp_path)
    service.plugin("ratchet").reject(KEY, "noise")
    assert service.plugin("ratchet").candidates() == []
    assert [one.decision for one in service.plugin("ratchet").history()] == ["rejected"]
    service.store.close()


def test_unknown_keys_and_plugins_are_key_errors(tmp_path: Path) -> None:
    seed(tmp_path)
    service = assemble(tmp_path)
    with pytest.raises(KeyError, match=KEY):
        service.plugin("ratchet").promote(KEY[:-1])
    with pytest.raises(KeyError):
        service.plugin("metrics")
    service.store.close()


def test_an_empty_project_has_none(tmp_path: Path) -> None:
    service = assemble(tmp_path)
    assert service.plugin("ratchet").candidates() == []
    service.store.close()
