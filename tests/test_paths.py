"""Project identity, and whose session is whose."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from agent_riggs import paths
from agent_riggs.errors import RiggsError
from test_folders import git, repository


def test_a_project_has_a_name_a_root_and_a_key(tmp_path: Path) -> None:
    app = repository(tmp_path / "app")
    (app / "src").mkdir()
    project = paths.find_project(app / "src")
    assert (project.name, project.root) == ("app", app)
    assert project == paths.find_project(app)
    assert paths.store_path(project) == app / ".riggs" / "store.duckdb"
    assert not (app / ".riggs").exists()


def test_two_folders_of_one_name_are_two_projects(tmp_path: Path) -> None:
    one, two = tmp_path / "a" / "app", tmp_path / "b" / "app"
    one.mkdir(parents=True)
    two.mkdir(parents=True)
    first, second = paths.find_project(one), paths.find_project(two)
    assert first.name == second.name == "app"
    assert first.key != second.key


def test_the_root_of_the_disk_is_a_project_with_a_name() -> None:
    assert paths.find_project(Path("/")).name == "root"


def test_a_neighbor_with_a_longer_name_does_not_belong(tmp_path: Path) -> None:
    app = repository(tmp_path / "app")
    repository(tmp_path / "app-2")
    (tmp_path / "other" / "app").mkdir(parents=True)
    project = paths.find_project(app)
    assert paths.belongs(str(app), project)
    assert paths.belongs(str(app / "gone" / "x"), project)
    assert not paths.belongs(str(tmp_path / "app-2"), project)
    assert not paths.belongs(str(tmp_path / "app-3-deleted"), project)
    assert not paths.belongs(str(tmp_path / "other" / "app"), project)


@pytest.mark.parametrize("cwd", ["", ".", "relative/app", "C:\\w\\app", "\\\\srv\\share\\app"])
def test_folders_that_cannot_be_here_do_not_belong(tmp_path: Path, cwd: str) -> None:
    assert not paths.belongs(cwd, paths.find_project(tmp_path))
    assert paths.project_of(cwd) is None


def test_nested_repositories_do_not_belong(tmp_path: Path) -> None:
    app = repository(tmp_path / "app")
    inner = repository(app / "inner")
    assert not paths.belongs(str(inner / "src"), paths.find_project(app))
    assert paths.belongs(str(inner / "src"), paths.find_project(inner))


def test_worktrees_belong_deleted_ones_included(tmp_path: Path) -> None:
    app = repository(tmp_path / "app")
    git("worktree", "add", "-q", str(tmp_path / "side"), "-b", "side", at=app)
    project = paths.find_project(app)
    assert paths.belongs(str(tmp_path / "side" / "src"), project)
    assert paths.belongs(str(app / ".claude" / "worktrees" / "gone"), project)
    shutil.rmtree(tmp_path / "side")
    assert paths.belongs(str(tmp_path / "side" / "src"), project)
    assert not paths.belongs(str(tmp_path / "side-2"), project)


def test_a_link_to_the_project_belongs(tmp_path: Path) -> None:
    app = repository(tmp_path / "app")
    (tmp_path / "link").symlink_to(app)
    assert paths.belongs(str(tmp_path / "link" / "src"), paths.find_project(app))
    assert paths.find_project(tmp_path / "link") == paths.find_project(app)


def test_a_plain_folder_takes_neither_its_parent_nor_deleted_neighbors(tmp_path: Path) -> None:
    plain = tmp_path / "plain"
    plain.mkdir()
    project = paths.find_project(plain)
    assert paths.belongs(str(plain) + "/", project)
    assert not paths.belongs(str(tmp_path), project)
    assert not paths.belongs(str(tmp_path / "plain-2"), project)
    assert not paths.belongs(str(plain / "deleted"), paths.find_project(tmp_path))


@pytest.mark.parametrize(
    ("cwd", "recorded_as", "expected"),
    [
        ("/srv/app", "/srv/app", True),
        ("/srv/app/web/", "/srv/app", True),
        ("/srv/app/.claude/worktrees/fix/web", "/srv/app", True),
        ("/srv/app", "/srv/app/.claude/worktrees/fix", True),
        ("/srv/app-2", "/srv/app", False),
        ("/srv/app/../other", "/srv/app", False),
        ("/srv/App", "/srv/app", False),
        ("/else/srv/app", "/srv/app", False),
        ("C:\\Trade\\App\\web", "c:/trade/app", True),
        ("c:/trade/app-2", "C:\\Trade\\App", False),
        ("c:\\trade\\app\\.claude\\worktrees\\fix", "C:/Trade/App", True),
        ("/mnt/c/Trade/App", "C:\\trade\\app\\", True),
        ("\\\\Srv\\Share\\app\\x", "//srv/share/App", True),
        ("", "/srv/app", False),
    ],
)
def test_recorded_as_looks_at_the_text_alone(tmp_path: Path, cwd: str, recorded_as: str, expected: bool) -> None:
    assert paths.belongs(cwd, paths.find_project(tmp_path), recorded_as) is expected


def test_project_of_names_roots_that_still_exist(tmp_path: Path) -> None:
    app = repository(tmp_path / "app")
    assert paths.project_of(str(app / "gone")) == app
    assert paths.project_of(str(tmp_path / "gone")) is None
    assert not (tmp_path / "gone").exists()


def test_state_lies_outside_the_project(tmp_path: Path, home: Path) -> None:
    project = paths.find_project(tmp_path)
    assert paths.state_dir(project, {"AGENT_RIGGS_STATE_DIR": "/s"}) == Path("/s") / project.key
    assert not (home / ".local").exists()


def test_no_home_is_one_clear_error(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def nobody(uid: int) -> None:
        raise KeyError(uid)

    monkeypatch.setattr("pwd.getpwuid", nobody)
    with pytest.raises(RiggsError) as caught:
        paths.state_dir(paths.find_project(tmp_path), {})
    assert "AGENT_RIGGS_STATE_DIR" in (caught.value.hint or "")
    with pytest.raises(RiggsError):
        paths.home_dir({})


H = Path("/h")


@pytest.mark.parametrize(
    ("agent", "environ", "expected"),
    [
        ("claude_code", {}, ["/h/.claude", "/h/.config/claude"]),
        ("claude_code", {"XDG_CONFIG_HOME": "/x"}, ["/h/.claude", "/x/claude"]),
        ("claude_code", {"CLAUDE_CONFIG_DIR": "/one"}, ["/one"]),
        ("claude_code", {"CLAUDE_CONFIG_DIR": " /one , ~/two,/one/projects,"}, ["/one", "/h/two"]),
        ("claude_code", {"CLAUDE_CONFIG_DIR": " "}, ["/h/.claude", "/h/.config/claude"]),
        ("codex", {"CODEX_HOME": "/c"}, ["/c"]),
        ("codex", {}, ["/h/.codex"]),
        ("gemini", {"GEMINI_CLI_HOME": "/g,/k"}, ["/g/.gemini", "/k/.gemini"]),
        ("gemini", {}, ["/h/.gemini"]),
        ("copilot", {"COPILOT_HOME": "~"}, ["/h"]),
        ("opencode", {}, ["/h/.local/share/opencode"]),
        ("opencode", {"XDG_DATA_HOME": "/d"}, ["/d/opencode"]),
        ("nobody", {}, []),
    ],
)
def test_agent_homes(agent: str, environ: dict[str, str], expected: list[str]) -> None:
    assert paths.agent_homes(agent, environ, H) == tuple(Path(entry) for entry in expected)


def test_homes_a_set_variable_stands_alone(tmp_path: Path) -> None:
    assert paths.homes({}, "X_HOME", tmp_path, (".x", ".config/x")) == [tmp_path / ".x", tmp_path / ".config/x"]
    assert paths.homes({"X_HOME": " "}, "X_HOME", tmp_path, (".x",)) == [tmp_path / ".x"]
    assert paths.homes({"X_HOME": "/a"}, "X_HOME", tmp_path, (".x",)) == [Path("/a")]


def test_homes_a_variable_may_hold_several_folders(tmp_path: Path) -> None:
    several = {"X_HOME": f"/a, ~/b,{os.pathsep}/c{os.pathsep}/a"}
    assert paths.homes(several, "X_HOME", tmp_path, ()) == [Path("/a"), tmp_path / "b", Path("/c")]


def test_a_folder_whose_name_holds_a_separator_is_one_folder(tmp_path: Path) -> None:
    odd = tmp_path / "a,b"
    odd.mkdir()
    assert paths.homes({"X_HOME": str(odd)}, "X_HOME", tmp_path, ()) == [odd]
