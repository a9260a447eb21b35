"""The first look: it may say yes in vain, never no in vain."""

from __future__ import annotations

from pathlib import Path

import pytest

from agent_riggs.deliver import glance, recall
from agent_riggs.judge import tools
from agent_riggs.judge.tools import canonical
from deliver.events import Place


def ratchet(tool: str, when: recall.When = "after") -> recall.Ratchet:
    return recall.Ratchet(key=f"failure-{tool}-any", type="constraint_promotion", fix="x", tool=tool, when=when)


def seen(here: Place, *ratchets: recall.Ratchet) -> bytes:
    here.publish(*ratchets)
    return glance.read(str(here.index), here.key)


def test_names_that_count_as_canonical_are() -> None:
    assert {name for name in glance.CANONICAL if canonical(name) != name} == set()
    assert {name for name in glance.SHELLS if canonical(name) != "Bash"} == set()


@pytest.mark.parametrize("raw", sorted(tools._ALIASES))
def test_no_alias_of_a_tool_with_a_ratchet_is_turned_away(here: Place, raw: str) -> None:
    data = seen(here, ratchet(canonical(raw)))
    assert glance.may_speak(data, raw, False)


def test_a_tool_without_a_ratchet_is_turned_away(here: Place) -> None:
    data = seen(here, ratchet("Edit"))
    assert not glance.may_speak(data, "Bash", False)
    assert not glance.may_speak(data, "run_shell_command", False)
    assert glance.may_speak(data, "Edit", False)
    assert not glance.may_speak(data, "Edit", True)


def test_before_the_call_only_ratchets_for_before_count(here: Place) -> None:
    assert glance.may_speak(seen(here, ratchet("Bash", "both")), "Bash", True)
    assert not glance.may_speak(seen(here, ratchet("Bash")), "Bash", True)


def test_an_empty_index_says_nothing(here: Place) -> None:
    data = seen(here)
    assert not glance.may_speak(data, "anything", False)


def test_what_publish_writes_is_what_is_read(here: Place) -> None:
    assert seen(here, ratchet("Bash")) == here.index.read_bytes() != b""


def test_a_folder_or_pipe_in_the_place_of_the_index_is_no_index(tmp_path: Path) -> None:
    import os

    assert glance.read(str(tmp_path), "p") == b""
    os.mkfifo(tmp_path / "pipe")
    assert glance.read(str(tmp_path / "pipe"), "p") == b""
