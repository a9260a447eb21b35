"""Files that live for a moment: gone afterwards, also those of processes that were killed."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from agent_riggs.store import open_read, open_write, scratch


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The system's folder for such things."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "tmp"))
    (tmp_path / "tmp").mkdir()
    for one in (scratch.folder, scratch._sweep):
        one.cache_clear()
    yield tmp_path / "tmp"
    for one in (scratch.folder, scratch._sweep):
        one.cache_clear()


def test_nothing_stays_and_nothing_is_made_where_no_copy_is_needed(folder: Path, tmp_path: Path) -> None:
    path = tmp_path / ".riggs" / "store.duckdb"
    with open_write(path):
        pass
    with open_read(path):
        assert list(folder.iterdir()) == []
    with scratch.place("a") as one, scratch.place("a") as other:
        Path(one).touch()
        assert not os.path.exists(other)
        assert folder.joinpath(os.path.basename(scratch.folder())).stat().st_mode & 0o777 == 0o700
    assert list(folder.iterdir()) == []


def test_what_killed_processes_left_is_taken_away_once_it_is_old(folder: Path, tmp_path: Path) -> None:
    child = subprocess.Popen([sys.executable, "-c", ""])
    child.wait()
    left = {
        "old": folder / f"{scratch.PREFIX}{child.pid}-aa",
        "young": folder / f"{scratch.PREFIX}{child.pid}-bb",
        "alive": folder / f"{scratch.PREFIX}{os.getpid()}-cc",
        "strange": folder / f"{scratch.PREFIX}x-dd",
    }
    for name, path in left.items():
        path.mkdir()
        (path / "store.duckdb").touch()
        if name != "young":
            os.utime(path, (time.time() - 2 * scratch.HOUR,) * 2)
    (tmp_path / "mine").mkdir()
    (folder / f"{scratch.PREFIX}{child.pid}-ee").symlink_to(tmp_path / "mine")
    with scratch.place("a"):
        pass
    assert [name for name, path in left.items() if path.exists()] == ["young", "alive", "strange"]
    assert (tmp_path / "mine").is_dir()
