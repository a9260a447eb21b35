"""The first look: it may say yes in vain, never no in vain."""

from __future__ import annotations

from dataclasses import replace
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


def test_an_output_without_any_ratchet_s_word_is_turned_away(here: Place) -> None:
    data = seen(here, replace(ratchet("Bash"), needle="mirror"), replace(ratchet("Edit"), needle="replace"))
    assert glance.may_speak(data, "Bash", False, "cannot reach the mirror")
    assert not glance.may_speak(data, "Bash", False, "no such file")
    assert not glance.may_speak(data, "run_shell_command", False, "replace")
    assert glance.may_speak(data, "some_mcp_tool", False, "replace")


def test_a_ratchet_without_a_word_is_always_looked_at(here: Place) -> None:
    named, unnamed = replace(ratchet("Bash"), key="a", needle="mirror"), replace(ratchet("Bash"), key="b")
    assert glance.may_speak(seen(here, named, unnamed), "Bash", False, "anything")
    assert glance.may_speak(seen(here, unnamed), "Bash", False, "anything")


def test_a_word_in_the_fix_is_not_taken_for_the_needle(here: Place) -> None:
    trap = replace(ratchet("Bash"), fix='say "needle":"never"', needle="mirror")
    assert glance.may_speak(seen(here, trap), "Bash", False, "the mirror")


def test_a_ratchet_for_which_no_word_was_found_is_always_looked_at(here: Place) -> None:
    data = seen(here, replace(ratchet("Bash"), needle="*"))
    assert glance.may_speak(data, "Bash", False, "anything")
