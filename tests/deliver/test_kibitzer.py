"""What flows back to kibitzer: one key of its state, one value of its configuration, and nothing else."""

from __future__ import annotations

import json
import os
import tomllib
from pathlib import Path
from typing import Any

import pytest

from agent_riggs.deliver import kibitzer
from agent_riggs.errors import RiggsError

VALUE = {"recommendation": {"action": "tighten", "reason": "low"}, "trust": {"trust_1": 0.2}}
CONFIG = """\
# our modes
[modes.docs]
writable = ["docs/"]  # and the readme

[plugins.blq]  # build logs
mode = "suggest"   # asked for by the team
enabled = true

[plugins.jetsam]
enabled = true
"""


def state_of(root: Path, **fields: Any) -> Path:
    path = root / ".kibitzer" / "state.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"mode": "free", **fields}, indent=2))
    return path


def config_of(root: Path, text: str = CONFIG) -> Path:
    path = root / ".kibitzer" / "config.toml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())
    return path


def test_only_our_key_of_the_state_changes(tmp_path: Path) -> None:
    path = state_of(tmp_path, total_calls=7)
    path.chmod(0o640)
    assert kibitzer.advise(tmp_path, VALUE, "2027-01-01T00:00:00+00:00")
    written = json.loads(path.read_text())
    assert written.pop("riggs") == {**VALUE, "updated_at": "2027-01-01T00:00:00+00:00"}
    assert written == {"mode": "free", "total_calls": 7}
    assert path.stat().st_mode & 0o777 == 0o640
    assert [p.name for p in path.parent.iterdir()] == ["state.json"]


def test_the_same_advice_is_not_written_again(tmp_path: Path) -> None:
    path = state_of(tmp_path)
    kibitzer.advise(tmp_path, VALUE, "2027-01-01T00:00:00+00:00")
    before = path.stat().st_ino
    assert not kibitzer.advise(tmp_path, VALUE, "2027-01-02T00:00:00+00:00")
    assert path.stat().st_ino == before


@pytest.mark.parametrize("text", [None, "", "{", "[1]", "null"])
def test_where_there_is_no_good_state_nothing_is_written(tmp_path: Path, text: str | None) -> None:
    path = tmp_path / ".kibitzer" / "state.json"
    path.parent.mkdir()
    if text is not None:
        path.write_text(text)
    assert not kibitzer.advise(tmp_path, VALUE, "now")
    assert (path.read_text() if path.exists() else None) == text


def test_what_kibitzer_writes_meanwhile_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = state_of(tmp_path, total_calls=1)
    real, raced = Path.chmod, []

    def racing(self: Path, mode: int) -> None:
        if not raced:
            raced.append(True)
            state_of(tmp_path, total_calls=2, more="x")
        real(self, mode)

    monkeypatch.setattr(Path, "chmod", racing)
    assert kibitzer.advise(tmp_path, VALUE, "now")
    written = json.loads(path.read_text())
    assert (written["total_calls"], written["more"], "riggs" in written) == (2, "x", True)


@pytest.mark.parametrize("inside", [True, False])
def test_nothing_is_written_where_a_link_leads(tmp_path: Path, inside: bool) -> None:
    """A repository ships links: its file or its folder may lead to any file of the user's."""
    project = tmp_path / "shop"
    away = state_of(project / "real" if inside else tmp_path / "home")
    config = config_of(away.parent.parent)
    (project / ".kibitzer").mkdir(parents=True)
    (project / ".kibitzer" / "state.json").symlink_to(away)
    (project / ".kibitzer" / "config.toml").symlink_to(config)
    before = away.read_bytes()
    assert not kibitzer.advise(project, VALUE, "now")
    with pytest.raises(RiggsError, match="is a link to"):
        kibitzer.plan(project, "blq")
    assert (away.read_bytes(), config.read_text()) == (before, CONFIG)


def test_nothing_is_written_through_a_folder_that_leads_out_of_the_project(tmp_path: Path) -> None:
    away, config = state_of(tmp_path / "home"), config_of(tmp_path / "home")
    before = away.read_bytes()
    (tmp_path / "shop").mkdir()
    (tmp_path / "shop" / ".kibitzer").symlink_to(away.parent)
    assert not kibitzer.advise(tmp_path / "shop", VALUE, "now")
    with pytest.raises(RiggsError, match="leads out of the project"):
        kibitzer.plan(tmp_path / "shop", "blq")
    assert (away.read_bytes(), config.read_text()) == (before, CONFIG)


def test_a_state_that_is_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    (tmp_path / ".kibitzer").mkdir()
    os.mkfifo(tmp_path / ".kibitzer" / "state.json")
    assert not kibitzer.advise(tmp_path, VALUE, "now")


def test_a_promotion_changes_one_value_and_keeps_every_comment(tmp_path: Path) -> None:
    path = config_of(tmp_path)
    change = kibitzer.plan(tmp_path, "blq")
    assert path.read_text() == CONFIG
    kibitzer.apply(change)
    assert path.read_text() == CONFIG.replace('mode = "suggest"', 'mode = "redirect"')
    assert change.note() == {
        "file": ".kibitzer/config.toml",
        "key": "plugins.blq.mode",
        "plugin": "blq",
        "before": "suggest",
        "after": "redirect",
    }
    assert kibitzer.undo(tmp_path, change.note()) == "suggest"
    assert path.read_text() == CONFIG


@pytest.mark.parametrize("plugin", ["jetsam", "squackit"])
def test_a_value_that_was_not_there_is_taken_away_again(tmp_path: Path, plugin: str) -> None:
    path = config_of(tmp_path)
    change = kibitzer.plan(tmp_path, plugin)
    kibitzer.apply(change)
    assert tomllib.loads(path.read_text())["plugins"][plugin]["mode"] == "redirect"
    assert change.before is None
    assert kibitzer.undo(tmp_path, change.note()) == "default"
    assert "mode" not in tomllib.loads(path.read_text())["plugins"][plugin]


def test_what_somebody_changed_since_is_left_alone(tmp_path: Path) -> None:
    path = config_of(tmp_path)
    change = kibitzer.plan(tmp_path, "blq")
    kibitzer.apply(change)
    path.write_text(path.read_text().replace("redirect", "observe"))
    assert kibitzer.undo(tmp_path, change.note()) is None
    assert 'mode = "observe"' in path.read_text()


@pytest.mark.parametrize(
    "text",
    ['plugins = {blq = {mode = "suggest"}}\n', '[plugins]\nblq.mode = "suggest"\n', "not toml", "a = 1\na = 2\n"],
)
def test_a_file_that_cannot_be_changed_safely_is_not_changed(tmp_path: Path, text: str) -> None:
    path = config_of(tmp_path, text)
    with pytest.raises(RiggsError):
        kibitzer.apply(kibitzer.plan(tmp_path, "blq"))
    assert path.read_text() == text


@pytest.mark.parametrize(
    "text",
    [
        '[plugins.blq]\r\nmode = "suggest"\r\n',
        "[plugins.blq]",
        '[ plugins . "blq" ]\nenabled = true\nmode=\'suggest\'# x\n[x]\nmode = "y"\n',
        'text = """\n[plugins.jetsam]\nmode = "suggest"\n"""\n',
        "",
    ],
)
def test_every_way_to_write_a_table_is_understood(tmp_path: Path, text: str) -> None:
    path = config_of(tmp_path, text)
    kibitzer.apply(kibitzer.plan(tmp_path, "blq"))
    after = path.read_bytes().decode()
    wanted = tomllib.loads(text)
    wanted.setdefault("plugins", {}).setdefault("blq", {})["mode"] = "redirect"
    assert tomllib.loads(after) == wanted
    assert ("\r\n" in after) == ("\r\n" in text)
