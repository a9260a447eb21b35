"""What the genuine clients send is what the recorded samples say. With AGENT_RIGGS_E2E_RECORD=1 the samples are
written anew: that is how a client's version gets into ``hosts.TESTED``."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from agent_riggs.deliver import hosts
from e2e import clients, models, recording
from e2e.clients import Client, Machine


def steps(client: Client, on: Machine) -> list[models.Step]:
    """A failing and a good command, a missing file, an edit that does not fit: as far as the client has them."""
    missing, notes = str(on.project / "none.txt"), str(on.project / "notes.txt")
    found: list[models.Step] = [clients.shell(client, "./build.sh"), clients.shell(client, "echo hello")]
    if client.name == "claude-code":
        edit = {"file_path": notes, "old_string": "nope", "new_string": "x"}
        return [*found, ("Read", {"file_path": missing}), ("Edit", edit), ("NoSuchTool", {"x": 1})]
    if client.name == "gemini":
        edit = {"file_path": notes, "old_string": "nope", "new_string": "x", "instruction": "change it"}
        return [*found, ("read_file", {"file_path": missing}), ("replace", edit)]
    if client.name == "copilot":
        return [*found, ("view", {"path": missing}), ("edit", {"path": notes, "old_str": "nope", "new_str": "x"})]
    if client.name == "opencode":
        return [*found, ("read", {"filePath": missing}), ("no_such_tool", {"a": 1})]
    return [*found, ("apply_patch", "*** Begin Patch\n*** Update File: none.txt\n@@\n-old\n+new\n*** End Patch")]


@pytest.mark.parametrize("client", clients.CLIENTS, ids=lambda client: client.name)
def test_payloads_are_as_recorded(client: Client, tmp_path: Path) -> None:
    on = clients.machine(tmp_path)
    on.riggs("install", "--agent", client.name, "--scope", "project")
    recording.divert(client, on)
    clients.run(client, on, steps(client, on))
    found = recording.recorded(on)
    assert client.version in hosts.TESTED[client.source]
    sample = recording.FOLDER / f"{client.source}-{client.version}.jsonl"
    if os.environ.get("AGENT_RIGGS_E2E_RECORD"):
        recording.write(client, found)
    known = [json.loads(line) for line in sample.read_text(encoding="utf-8").splitlines()]
    seen = {json.dumps(recording.shape(one), sort_keys=True) for one in known}
    new = [one for one in found if json.dumps(recording.shape(one), sort_keys=True) not in seen]
    assert not new, f"{client.name} sends a form that no sample has"
    assert _names(known) <= _names(found), f"{client.name} no longer sends an event that it sent"
    events = [hosts.read(one, {}) for one in found]
    failing = [event for event in events if event is not None and event.moment == hosts.AFTER]
    assert failing
    assert {event.host for event in failing} == {client.source}


def _names(payloads: list[dict[str, object]]) -> set[str]:
    """The events that some payloads tell of, as far as they are of use."""
    events = [hosts.read(one, {}) for one in payloads]
    return {event.name for event in events if event is not None}
