"""Our consumer: kibitzer's interface, held to our own kit, and the finer look-up."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import duckdb
import pytest

import agent_riggs
from agent_riggs.consumer import RatchetConsumer
from agent_riggs.model import Verdict
from agent_riggs.testing import check_consumer

MARK = "f0000000000000001"


def write(path: Path, *rows: tuple[str, str, dict[str, Any] | None, str | None]) -> Path:
    """A store of another producer: the contract's columns alone."""
    with duckdb.connect(str(path)) as conn:
        conn.execute(
            "CREATE TABLE ratchet_decisions (decision_id BIGINT PRIMARY KEY, decided_at TIMESTAMP,"
            " candidate_type VARCHAR, candidate_key VARCHAR, decision VARCHAR, reason VARCHAR,"
            " evidence JSON, config_change JSON)"
        )
        for number, (key, decision, evidence, reason) in enumerate(rows):
            text = None if evidence is None else json.dumps(evidence)
            values = [number, "constraint_promotion", key, decision, reason, text]
            conn.execute("INSERT INTO ratchet_decisions VALUES (?, now()::TIMESTAMP, ?, ?, ?, ?, ?, NULL)", values)
    return path


def test_it_keeps_the_contract(tmp_path: Path) -> None:
    check_consumer(RatchetConsumer.from_db, tmp_path)


def test_the_kit_notices_a_consumer_that_shows_no_fix(tmp_path: Path) -> None:
    class Silent(RatchetConsumer):
        def coaching_for_failure(self, *, tool: str | None, mode: str | None, category: str = "failure") -> str | None:
            return None

    with pytest.raises(AssertionError, match="fix text"):
        check_consumer(Silent.from_db, tmp_path)


def test_only_promoted_rows_are_read_highest_trust_first(tmp_path: Path) -> None:
    path = write(
        tmp_path / "store.duckdb",
        ("failure-Bash-plan", "promoted", {"avg_trust": 0.2}, "low"),
        ("failure-Bash-plan", "promoted", {"success_rate": 0.9}, "high"),
        ("failure-Bash-plan", "retired", {"avg_trust": 1.0}, "gone"),
        ("failure-Read-any", "rejected", None, "no"),
    )
    consumer = RatchetConsumer.from_db(path)
    assert consumer is not None
    assert len(consumer) == 2
    assert [one.reason for one in consumer.match(category="failure", tool="Bash", mode="plan")] == ["high", "low"]
    assert consumer.suggest(category="failure", tool="Read") is None
    assert consumer.match_key("failure-Bash-plan")[0].trust == 0.9


def test_there_is_none_without_a_store_and_an_empty_one_without_decisions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert RatchetConsumer.from_db(tmp_path / "none.duckdb") is None
    assert RatchetConsumer.from_db(tmp_path) is None
    (tmp_path / "junk.duckdb").write_bytes(b"junk" * 5000)
    assert RatchetConsumer.from_db(tmp_path / "junk.duckdb") is None
    duckdb.connect(str(tmp_path / "empty.duckdb")).close()
    empty = RatchetConsumer.from_db(tmp_path / "empty.duckdb")
    assert empty is not None
    assert len(empty) == 0
    monkeypatch.delenv("RIGGS_RATCHET_DB", raising=False)
    assert RatchetConsumer.from_env() is None
    monkeypatch.setenv("RIGGS_RATCHET_DB", str(tmp_path / "empty.duckdb"))
    assert RatchetConsumer.from_env() is not None


def test_a_writer_does_not_silence_it(tmp_path: Path) -> None:
    path = write(tmp_path / "store.duckdb", ("failure-Bash-any", "promoted", {}, "use it"))
    hold = "import duckdb, sys; c = duckdb.connect(sys.argv[1]); print('held', flush=True); sys.stdin.read()"
    with subprocess.Popen(
        [sys.executable, "-c", hold, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as writer:
        assert writer.stdout is not None
        writer.stdout.readline()
        consumer = RatchetConsumer.from_db(path)
        writer.communicate()
    assert consumer is not None
    assert consumer.coaching_for_failure(tool="Bash", mode=None) is not None


def test_a_judged_failure_finds_its_fingerprint_before_the_coarse_key(tmp_path: Path) -> None:
    fine = {"fingerprint": MARK, "class": "bad_option", "tool": "Bash", "program": "wrap", "shape": "no such thing"}
    path = write(
        tmp_path / "store.duckdb",
        (f"failure-Bash-any:{MARK}", "promoted", fine | {"fix": {"text": "without wrap"}}, "without wrap (seen daily)"),
        ("failure-Bash-any", "promoted", {}, "anything"),
        ("failure-Bash-plan", "promoted", {}, "in plan"),
    )
    consumer = RatchetConsumer.from_db(path)
    assert consumer is not None
    failure = Verdict("failed", "r", "Bash", "failure", "bad_option", "wrap", "no such thing", MARK)
    other = Verdict("failed", "r", "Bash", "failure", "bad_option", "wrap", "another shape", MARK)
    found = consumer.match_failure(failure, "plan")
    assert found is not None
    assert (found.fix, found.candidate_key) == ("without wrap", f"failure-Bash-any:{MARK}")
    coarse = consumer.match_failure(other, "plan")
    assert coarse is not None
    assert coarse.reason == "in plan"
    anywhere = consumer.match_failure(other, "default")
    assert anywhere is not None
    assert anywhere.reason == "anything"
    assert consumer.match_failure(Verdict("ok", "r", "Bash")) is None


def told_by(code: str) -> list[str]:
    """The words that a fresh interpreter prints; it imports the checkout as this one does."""
    environ = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environ)
    return done.stdout.split()


def test_the_package_offers_it_without_importing_it() -> None:
    code = "import sys, agent_riggs; print('duckdb' in sys.modules); print(agent_riggs.RatchetConsumer.__name__)"
    told = told_by(code)
    assert told == ["False", "RatchetConsumer"]
    assert agent_riggs.RatchetConsumer is RatchetConsumer
    with pytest.raises(AttributeError):
        _ = agent_riggs.Nothing
