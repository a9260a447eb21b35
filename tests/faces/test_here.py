from __future__ import annotations

from pathlib import Path

import pytest

from agent_riggs.faces import here
from agent_riggs.faces.here import LISTED, Here, Listed


@pytest.fixture
def at(tmp_path: Path) -> Here:
    return here.here(tmp_path)


def test_numbers_stand_for_the_rows_last_shown(at: Here) -> None:
    here.remember_rows(at, [Listed(7, "f1"), Listed(None, "key-two")])
    assert here.listed_row(at, "1") == Listed(7, "f1")
    assert here.listed_row(at, "2") == Listed(None, "key-two")
    here.remember_rows(at, [Listed(9)])
    assert here.listed_row(at, "1") == Listed(9, "")
    assert here.listed_row(at, "2") is None


@pytest.mark.parametrize("word", ["0", "-1", "3", "", "x", "1.0", "٣", "9" * 30])
def test_what_is_no_row_number_is_nothing(at: Here, word: str) -> None:
    here.remember_rows(at, [Listed(1), Listed(2)])
    assert here.listed_row(at, word) is None


@pytest.mark.parametrize("damage", ["", "{", "[]", "[1]", "[[1]]", '{"1": 2}', "null"])
def test_a_damaged_memory_of_rows_is_no_memory(at: Here, damage: str) -> None:
    here.remember_rows(at, [Listed(1)])
    (here.state(at) / LISTED).write_text(damage)
    assert here.listed_row(at, "1") is None


def test_the_memory_of_rows_is_private_and_outside_the_project(at: Here, home: Path) -> None:
    here.remember_rows(at, [Listed(1)])
    (file,) = home.rglob(LISTED)
    assert file.stat().st_mode & 0o077 == 0
    assert not list(at.start.iterdir())
