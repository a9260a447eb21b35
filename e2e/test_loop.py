"""The whole loop with the genuine clients: three sessions fail the same way, a human promotes the fix, and in the
fourth the model is sent it at the failure."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from e2e import clients
from e2e.clients import Client, Machine

FIX = "run ./build.sh --offline: the mirror is not reachable from here"
FAILING = "./build.sh"


@pytest.fixture(params=clients.CLIENTS, ids=lambda client: client.name)
def client(request: pytest.FixtureRequest) -> Client:
    found: Client = request.param
    clients.program(found)
    return found


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return clients.machine(tmp_path)


def learn(client: Client, on: Machine, when: str = "after", failing: str = FAILING) -> str:
    """Three sessions that fail and recover, an ingest, a promotion; the key comes back."""
    steps = [clients.shell(client, line) for line in (failing, failing, f"{FAILING} --offline")]
    for _ in range(3):
        clients.run(client, on, steps)
    return promoted(on, FIX, when)


def outcomes(on: Machine) -> list[str]:
    """What became of every call, session by session."""
    rows = json.loads(on.riggs("sql", "--json", "SELECT outcome FROM turns ORDER BY session_id, turn_number"))
    return [row["outcome"] for row in rows]


def promoted(on: Machine, fix: str, when: str = "after") -> str:
    """Read the sessions and promote the one failure they hold."""
    on.riggs("ingest")
    found = json.loads(on.riggs("ratchet", "candidates", "--json"))
    keys = [one["candidate_key"] for one in found if one["candidate_type"] == "failure_pattern"]
    assert len(keys) == 1, found
    on.decide("ratchet", "promote", keys[0], "--fix", fix, "--when", when)
    return str(keys[0])


def test_the_fix_is_put_before_the_model(client: Client, machine: Machine) -> None:
    learn(client, machine)
    assert outcomes(machine) == ["check_failed", "check_failed", "ok"] * 3, "the client's own recordings, read"
    for scope in ("project", "user"):
        before = settings(machine)
        machine.riggs("install", "--agent", client.name, "--scope", scope)
        script = clients.run(client, machine, [clients.shell(client, FAILING)])
        assert script.seen(FIX), scope
        assert script.seen("earlier sessions of this project"), scope
        machine.riggs("uninstall", "--agent", client.name, "--scope", scope)
        assert settings(machine) == before, scope


def settings(machine: Machine) -> dict[str, bytes]:
    """The files that an installation writes, as far as they are there."""
    names = (
        ".claude/settings.json",
        ".claude/settings.local.json",
        ".codex/hooks.json",
        ".gemini/settings.json",
        ".github/hooks/agent-riggs.json",
        ".copilot/hooks/agent-riggs.json",
        ".opencode/plugin/agent-riggs.js",
        ".config/opencode/plugin/agent-riggs.js",
    )
    paths = [base / name for base in (machine.project, machine.home) for name in names]
    return {str(path): path.read_bytes() for path in paths if path.exists()}
