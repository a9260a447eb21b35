"""What is said about agents' versions, events and files is what was recorded and what is installed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from agent_riggs.deliver import hosts
from agent_riggs.deliver.install import AGENTS, clients
from deliver import events
from deliver.test_hosts import ENVIRON, PAYLOADS

CLAIMS = [(source, version) for source, versions in hosts.TESTED.items() for version in versions]
ROOT, HOME = Path("/project"), Path("/home")
NAMES = {
    "claude_code": "Claude Code",
    "codex": "Codex",
    "copilot": "Copilot CLI",
    "gemini": "Gemini CLI",
    "opencode": "OpenCode",
}
SHIM = {"tool.execute.after": "after", "session.idle": "idle"}
"""What OpenCode calls the events that our program there hands on."""


def recorded(source: str, version: str) -> Iterator[hosts.Event]:
    for payload in events.lines(PAYLOADS / f"{source}-{version}.jsonl"):
        name = payload.get("hook_event_name")
        event = hosts.read(payload, ENVIRON.get(source, {}))
        yield event or hosts.Event(source, str(name), payload, {})


def parts(source: str, scope: clients.Scope, brief: bool = False) -> list[clients.Part]:
    return clients.parts(source.replace("_", "-"), scope, ROOT, {}, HOME, None, brief)


def registered(source: str) -> set[str]:
    """Names of the events that an installation asks for."""
    found: set[str] = set()
    for part in parts(source, "project"):
        found |= set(part.events)
        if part.path.suffix == ".json" and part.text:
            found |= set(json.loads(part.text)["hooks"])
        if part.path.suffix == ".js":
            found |= {name for name in SHIM if f'"{name}"' in part.text}
    return found


def row(source: str) -> list[str]:
    """An agent's line in the table of tested versions."""
    text = (Path(__file__).parents[2] / "docs" / "agents.md").read_text(encoding="utf-8")
    table = text.partition("## Tested")[2].partition("\n## ")[0]
    (found,) = (line for line in table.split("\n") if line.startswith(f"| {NAMES[source]} |"))
    return [cell.strip() for cell in found.strip("|").split("|")]


@pytest.mark.parametrize(("source", "version"), CLAIMS)
def test_a_claim_of_support_has_a_recorded_payload_of_that_version(source: str, version: str) -> None:
    path = PAYLOADS / f"{source}-{version}.jsonl"
    assert path.is_file(), f"{source} {version} is claimed without a recording: make e2e with AGENT_RIGGS_E2E_RECORD=1"
    found = list(recorded(source, version))
    assert {event.host for event in found} == {source}
    calls = [call for event in found if event.moment == hosts.AFTER for call in event.calls]
    assert any("cannot reach the package mirror" in call.text for call in calls)


@pytest.mark.parametrize(("source", "version"), CLAIMS)
def test_every_event_that_an_installation_asks_for_was_recorded(source: str, version: str) -> None:
    found = {event.name for event in recorded(source, version)}
    assert {SHIM.get(name, name) for name in registered(source)} == found


def test_every_recording_is_claimed() -> None:
    assert {path.stem for path in PAYLOADS.glob("*.jsonl")} == {f"{s}-{v}" for s, v in CLAIMS}


def test_every_agent_that_can_be_installed_is_claimed() -> None:
    assert {agent.replace("-", "_") for agent in AGENTS} == set(hosts.TESTED) == set(NAMES)


@pytest.mark.parametrize("source", sorted(hosts.TESTED))
def test_the_table_in_the_documentation_says_what_is_tested_and_installed(source: str) -> None:
    _, versions, asked, _, project, user = row(source)
    assert versions == ", ".join(hosts.TESTED[source])
    assert set(asked.split(", ")) == registered(source)
    assert project == ", ".join(f"`{part.path.relative_to(ROOT)}`" for part in parts(source, "project"))
    for part in parts(source, "user"):
        folder, _, file = user.rpartition(": ")
        assert f"~/{part.path.relative_to(HOME)}" == "/".join(
            word.strip("`") for word in (folder.rpartition(" or ")[2], file) if word
        )
