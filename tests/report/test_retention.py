from __future__ import annotations

import json
from pathlib import Path

import pytest

from agent_riggs.report.retention import DEFAULT_DAYS, claude_retention


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def test_without_settings_the_agents_default_holds(tmp_path: Path) -> None:
    found = claude_retention(tmp_path, {}, tmp_path / "home")
    assert (found.days, found.file) == (DEFAULT_DAYS, None)


def test_the_nearest_settings_file_wins(tmp_path: Path) -> None:
    home, root = tmp_path / "home", tmp_path / "app"
    write(home / ".claude" / "settings.json", '{"cleanupPeriodDays": 90}')
    assert claude_retention(root, {}, home).days == 90
    write(root / ".claude" / "settings.json", '{"cleanupPeriodDays": 60}')
    assert claude_retention(root, {}, home).days == 60
    write(root / ".claude" / "settings.local.json", '{"cleanupPeriodDays": 0}')
    found = claude_retention(root, {}, home)
    assert (found.days, found.file) == (0, root / ".claude" / "settings.local.json")


def test_the_agents_own_variable_is_followed(tmp_path: Path) -> None:
    write(tmp_path / "other" / "settings.json", '{"cleanupPeriodDays": 7}')
    assert claude_retention(tmp_path, {"CLAUDE_CONFIG_DIR": str(tmp_path / "other")}, tmp_path / "home").days == 7


@pytest.mark.parametrize("text", ["", "{", "[]", "null", '{"cleanupPeriodDays": "30"}', '{"cleanupPeriodDays": true}',
                                  '{"cleanupPeriodDays": -1}', "[" * 5000])  # fmt: skip
def test_settings_that_say_nothing_are_passed_over(tmp_path: Path, text: str) -> None:
    write(tmp_path / ".claude" / "settings.json", text)
    assert claude_retention(tmp_path, {}, tmp_path / "home").days == DEFAULT_DAYS


def test_a_byte_order_mark_does_not_hide_the_setting(tmp_path: Path) -> None:
    (tmp_path / ".claude").mkdir()
    (tmp_path / ".claude" / "settings.json").write_bytes(
        b"\xef\xbb\xbf" + json.dumps({"cleanupPeriodDays": 9}).encode()
    )
    assert claude_retention(tmp_path, {}, tmp_path / "home").days == 9
