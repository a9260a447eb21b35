"""The table of sources and the entry points that join it."""

from __future__ import annotations

import sys
from importlib.metadata import EntryPoint
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from agent_riggs import sources
from agent_riggs.model import Problem


def entry(name: str, value: str = "other.module") -> EntryPoint:
    return EntryPoint(name, value, sources.GROUP)


def loaded(monkeypatch: pytest.MonkeyPatch, made: Any, *entries: EntryPoint) -> list[Any]:
    """What ``load`` yields after our own, with ``made(entry)`` in place of an import."""
    monkeypatch.setattr(EntryPoint, "load", made)
    return list(sources.load(sources.BUILT_IN, entries))[len(sources.BUILT_IN) :]


def test_ours_are_in_the_table_under_their_names() -> None:
    assert list(sources.SOURCES)[: len(sources.BUILT_IN)] == [source.name for source in sources.BUILT_IN]
    assert "claude_code" in sources.SOURCES


def test_another_packages_source_joins(monkeypatch: pytest.MonkeyPatch) -> None:
    other = SimpleNamespace(name="other", find=None, peek=None, read=None)
    assert loaded(monkeypatch, lambda _: other, entry("other")) == [other]


def test_one_that_cannot_be_used_is_a_problem_and_stops_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    good = SimpleNamespace(name="good", find=None, peek=None, read=None)
    made = {
        "a_half": SimpleNamespace(name="half", find=None),
        "b_twin": SimpleNamespace(name="claude_code", find=None, peek=None, read=None),
        "d_good": good,
    }

    def load(self: EntryPoint) -> Any:
        if self.name not in made:
            raise ImportError("no module named gone")
        return made[self.name]

    found = loaded(monkeypatch, load, entry("d_good"), entry("c_gone"), entry("b_twin"), entry("a_half"))
    reasons = [item.reason for item in found if isinstance(item, Problem)]
    assert reasons == [
        "source lacks peek, read",
        "claude_code is taken already",
        "source cannot be loaded: ImportError: no module named gone",
    ]
    assert found[-1] is good


def test_an_installed_package_that_declares_one_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, group in (("plain", "console_scripts"), ("other", sources.GROUP)):
        info = tmp_path / f"{name}-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        (info / "entry_points.txt").write_text(f"[{group}]\n{name} = {name}.module\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    assert [entry.name for entry in sources.declared(sys.path)] == ["other"]


def test_nothing_is_declared_in_a_folder_that_is_not_there(tmp_path: Path) -> None:
    (tmp_path / "bare-1.0.dist-info").mkdir()
    assert list(sources.declared([str(tmp_path), str(tmp_path / "none")])) == []
