"""Walking and going on from a cursor."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from agent_riggs.model import Cursor, Problem
from agent_riggs.sources import base


def names(root: Path, seen: set[tuple[int, int]] | None = None) -> list[str]:
    found = base.walk(root, (".jsonl",), set() if seen is None else seen, frozenset({"skipped"}))
    return [item.path if isinstance(item, Problem) else str(item[0].relative_to(root)) for item in found]


def test_walk_takes_each_real_file_once_and_ends_in_a_loop(tmp_path: Path) -> None:
    (tmp_path / "real/inner").mkdir(parents=True)
    (tmp_path / "skipped").mkdir()
    for name in ("real/a.jsonl", "real/inner/b.jsonl", "real/c.txt", "skipped/d.jsonl"):
        (tmp_path / name).touch()
    (tmp_path / "again").symlink_to(tmp_path / "real")
    (tmp_path / "real/loop").symlink_to(tmp_path)
    (tmp_path / "a-link.jsonl").symlink_to(tmp_path / "real/a.jsonl")
    (tmp_path / "dangling.jsonl").symlink_to(tmp_path / "nowhere")
    assert names(tmp_path) == ["real/a.jsonl", "real/inner/b.jsonl"]


def test_walk_follows_a_link_to_what_lies_elsewhere(tmp_path: Path) -> None:
    (tmp_path / "else").mkdir()
    (tmp_path / "else/a.jsonl").touch()
    (tmp_path / "home").mkdir()
    (tmp_path / "home/moved").symlink_to(tmp_path / "else")
    seen: set[tuple[int, int]] = set()
    assert names(tmp_path / "home", seen) == ["moved/a.jsonl"]
    assert names(tmp_path / "else", seen) == [], "seen through the link already"


def test_walk_of_a_missing_folder_is_silent(tmp_path: Path) -> None:
    assert names(tmp_path / "none") == []


def test_walk_reports_a_folder_it_may_not_enter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("closed", "open"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.jsonl").touch()
    scandir = os.scandir

    def refuse(path: Any) -> Any:
        if Path(path).name == "closed":
            raise PermissionError(13, "Permission denied", str(path))
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refuse)
    assert names(tmp_path) == [str(tmp_path / "closed"), "open/a.jsonl"]


def test_a_stamp_changes_with_content_and_with_permission(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_text("x")
    first = base.stamp(path.stat())
    assert base.stamp(path.stat()) == first
    path.chmod(0o400)
    second = base.stamp(path.stat())
    assert second != first, "a file that could not be read is tried again once it can be"


def cursor_at(path: Path, offset: int, line: int = 1) -> Cursor:
    with path.open("rb") as stream:
        return base.advance(stream, Cursor(), offset, line, {"mode": "plan"})


def resumed(path: Path, cursor: Cursor | None) -> int:
    with path.open("rb") as stream:
        offset = base.resume(stream, cursor).offset
        assert stream.tell() == offset
        return offset


def test_reading_goes_on_in_a_file_that_has_grown(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"one\ntwo\n")
    cursor = cursor_at(path, 4)
    assert (cursor.offset, cursor.line, cursor.state["mode"]) == (4, 1, "plan")
    path.write_bytes(b"one\ntwo\nthree\n")
    assert resumed(path, cursor) == 4
    with path.open("rb") as stream:
        later = base.advance(stream, cursor, 8, 2, {})
    assert later.head == cursor.head, "the head names the file for good"
    assert resumed(path, later) == 8


@pytest.mark.parametrize("data", [b"", b"on", b"One\ntwo\n", b"one\r\ntwo\n", b"onE\ntwo\nthree\n"])
def test_reading_starts_over_in_a_file_that_is_another(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"one\ntwo\n")
    cursor = cursor_at(path, 8)
    path.write_bytes(data)
    assert resumed(path, cursor) == 0


def test_reading_starts_over_when_the_middle_was_rewritten(tmp_path: Path) -> None:
    path = tmp_path / "a"
    head = b"h" * base.HEAD_BYTES
    path.write_bytes(head + b"old\n" * 100)
    cursor = cursor_at(path, base.HEAD_BYTES + 400)
    path.write_bytes(head + b"new\n" * 200)
    assert resumed(path, cursor) == 0
    assert resumed(path, None) == 0


def test_whether_a_place_lies_inside_a_line(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"one\ntwo")
    with path.open("rb") as stream:
        assert [base.starts_inside_line(stream, offset) for offset in (0, 4, 7)] == [False, False, True]
