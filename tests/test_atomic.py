"""Files are replaced whole, with their permissions, and a failure leaves nothing."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from agent_riggs import atomic


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_file_is_made_with_its_folder_for_the_user_alone(tmp_path: Path) -> None:
    path = tmp_path / "a" / "b.json"
    atomic.replace(path, b"one")
    atomic.replace(str(path), b"two\r\n")
    assert path.read_bytes() == b"two\r\n"
    assert os.listdir(path.parent) == ["b.json"]
    if os.name != "nt":
        assert (mode(path), mode(path.parent)) == (0o600, 0o700)


@pytest.mark.skipif(os.name == "nt", reason="permissions of Unix")
def test_permissions_are_those_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "a"
    before = os.umask(0o027)
    try:
        atomic.replace(path, b"", 0o664)
        assert mode(path) == 0o664
        atomic.replace(path, b"", None)
        assert mode(path) == 0o640
    finally:
        os.umask(before)


def test_a_failure_leaves_the_old_file_and_nothing_beside_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"old")

    def fails(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", fails)
    with pytest.raises(KeyboardInterrupt):
        atomic.replace(path, b"new")
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["a"]
