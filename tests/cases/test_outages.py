"""A broken environment is one event, however many commands it takes down."""

from __future__ import annotations

from typing import Any

import pytest

import claude
from cases.scene import Scene, fails, works

COMMANDS = ("ls -la src", "git status", "npm test", "python x.py", "make all")


def down(scene: Scene, text: str, *names: str) -> None:
    """Sessions in which every command ends so; ``{}`` in the text is the program."""
    for session, name in enumerate(names, 1):
        records: list[Any] = []
        for number in range(20):
            command = COMMANDS[number % len(COMMANDS)]
            call = session * 100 + number
            records.append(claude.call(call, "Bash", {"command": command}))
            records.append(claude.result(call, text.format(command.split()[0]), True))
        scene.write(*records, name=name)


@pytest.mark.parametrize(
    "text",
    [
        "Exit code 127\n/bin/bash: line 1: {}: command not found",
        "Exit code 1",
        "Exit code 1\n{}: write error: No space left on device",
    ],
    ids=["no program is found", "every output is empty", "the disk is full"],
)
def test_one_outage_is_one_candidate_behind_every_habit(scene: Scene, text: str) -> None:
    down(scene, text, "a", "b", "c", "d")
    for number in range(3):
        records = [*fails(1000 + 10 * number), *works(1001 + 10 * number)]
        scene.write(*records, name=f"habit{number}")
    assert scene.ingest()["calls"] == 86
    found = scene.run("ratchet", "candidates", "--all", "--json").json
    patterns = [one for one in found if one["candidate_type"] == "failure_pattern"]
    assert patterns[0]["evidence"]["program"] == "frob"
    assert len(patterns) == 2, [one["candidate_key"] for one in patterns]
    assert patterns[1]["evidence"]["recovery"]["outages"] == 4
    assert "nearly every call around it failed too" in scene.run("ratchet", "candidates").out


def test_errors_of_a_full_disk_are_the_environments_and_a_missing_file_is_not(scene: Scene) -> None:
    full = "Exit code 1\ntar: x: Cannot write: No space left on device\ntar: Error is not recoverable: exiting now"
    mixed = "Exit code 1\nERROR: ENOSPC: no space left on device, write\ncat: a.txt: No such file or directory"
    missing = "Exit code 1\ncat: a.txt: No such file or directory"
    commands = ("tar xf x.tar", "npm ci", "cat a.txt")
    calls = [claude.call(n, "Bash", {"command": command}) for n, command in enumerate(commands)]
    scene.write(*calls, *(claude.result(n, text, True) for n, text in enumerate((full, mixed, missing))))
    scene.ingest()
    found = scene.rows("SELECT failure_class FROM turns ORDER BY turn_number")
    assert found == [("environment",), ("environment",), ("missing_file",)]
