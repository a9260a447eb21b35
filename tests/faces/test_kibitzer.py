"""kibitzer from the user's side: ingest tells it what trust advises, a promoted nudge changes its configuration."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import claude
import sister_files as sister
from faces.run import run

CONFIG = '[plugins.blq]  # build logs\nmode = "suggest"  # the team\'s choice\n'


@pytest.fixture
def shop(tmp_path: Path, home: Path) -> Path:
    """A project with kibitzer, in which its nudges towards blq are heeded."""
    root = tmp_path / "shop"
    (root / ".kibitzer").mkdir(parents=True)
    (root / ".kibitzer/state.json").write_text('{"mode": "implement", "total_calls": 4}')
    (root / ".kibitzer/config.toml").write_text(CONFIG)
    failing = "Exit code 127\n/bin/bash: line 1: frob: command not found"
    records = [
        record
        for n in range(4)
        for record in (claude.call(n, "Bash", {"command": "frob"}), claude.result(n, failing, True))
    ]
    claude.write(home, *records, name="one", session_id="one", cwd=str(root))
    sister.kibitzer(root, sister.Event(1, given={"command": "frob"}, mode="implement"))
    rows = [sister.trial("blq", arm, arm == "nudge", "one", n) for n in range(6) for arm in ("nudge", "control")]
    sister.trials(home, [*rows, *(sister.trial("jetsam", "nudge", True, "one", n) for n in range(9))])
    return root


@pytest.fixture
def human(monkeypatch: pytest.MonkeyPatch) -> None:
    """Somebody sits at the terminal."""
    monkeypatch.setattr("agent_riggs.learn.guard.require_human", lambda *_: None)


def config(root: Path) -> str:
    return (root / ".kibitzer/config.toml").read_text()


def test_an_ingest_tells_kibitzer_what_trust_advises(shop: Path) -> None:
    ran = run(shop, "ingest", "--json")
    assert ran.code == 0, ran.err
    state = json.loads((shop / ".kibitzer/state.json").read_text())
    assert (state["mode"], state["total_calls"]) == ("implement", 4)
    assert set(state["riggs"]) == {"recommendation", "gate", "trust", "updated_at"}
    assert state["riggs"]["recommendation"]["action"] == "auto_tighten"


def test_a_project_without_kibitzer_gets_nothing(shop: Path) -> None:
    for path in (shop / ".kibitzer").iterdir():
        path.unlink()
    (shop / ".kibitzer").rmdir()
    assert run(shop, "ingest", "--quiet").code == 0
    assert not (shop / ".kibitzer").exists()


def test_nudge_evidence_needs_both_arms(shop: Path) -> None:
    run(shop, "ingest", "--quiet")
    found = run(shop, "ratchet", "candidates", "--all", "--json").json
    nudges = {row["candidate_key"]: row["evidence"] for row in found if row["candidate_type"].startswith("nudged")}
    assert list(nudges) == ["nudge-blq"]
    told = nudges["nudge-blq"]
    assert (told["nudges"], told["controls"], told["heed_rate"], told["lift"]) == (6, 6, 1.0, 1.0)


@pytest.mark.usefixtures("human")
def test_a_promoted_nudge_sets_the_plugins_mode_and_retiring_puts_it_back(shop: Path) -> None:
    run(shop, "ingest", "--quiet")
    ran = run(shop, "ratchet", "promote", "nudge-blq", "--fix", "use blq", "--reason", "heeded")
    assert ran.code == 0, ran.err
    assert ".kibitzer/config.toml" in ran.err
    assert config(shop) == CONFIG.replace('"suggest"', '"redirect"')
    again = run(shop, "ratchet", "promote", "nudge-blq", "--fix", "use blq run", "--reason", "shorter")
    assert again.code == 0, again.err
    rows = run(
        shop, "sql", "SELECT decision, config_change FROM ratchet_decisions ORDER BY decided_at, decision", "--json"
    )
    changes = [json.loads(row["config_change"]) for row in rows.json]
    assert [change["before"] for change in changes] == ["suggest", "suggest"]
    ran = run(shop, "ratchet", "retire", "nudge-blq", "--reason", "enough")
    assert ran.code == 0, ran.err
    assert "suggest again" in ran.err
    assert config(shop) == CONFIG


@pytest.mark.usefixtures("human")
def test_what_was_changed_by_hand_since_is_left(shop: Path) -> None:
    run(shop, "ingest", "--quiet")
    run(shop, "ratchet", "promote", "nudge-blq", "--fix", "use blq", "--reason", "heeded")
    changed = CONFIG.replace('"suggest"', '"observe"')
    (shop / ".kibitzer/config.toml").write_text(changed)
    ran = run(shop, "ratchet", "reject", "nudge-blq", "--reason", "no")
    assert ran.code == 0, ran.err
    assert config(shop) == changed
