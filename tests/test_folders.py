"""Folders as text, and the project root found on disk with real git repositories."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_riggs import folders


def git(*args: str, at: Path) -> None:
    command = ["git", "-c", "init.defaultBranch=main", "-c", "protocol.file.allow=always", *args]
    subprocess.run(command, cwd=at, check=True, capture_output=True)


def repository(folder: Path) -> Path:
    folder.mkdir(parents=True)
    git("init", "-q", at=folder)
    git("commit", "-q", "--allow-empty", "-m", "first", at=folder)
    return folder


def root(folder: Path) -> Path:
    return Path(folders.root_of(str(folder)))


@pytest.mark.parametrize(
    "path",
    [
        "C:\\Users\\Ada\\app",
        "c:/users/ada/app/",
        "C:/Users/ADA/./x/../app",
        "/mnt/c/Users/ada/app",
        "/cygdrive/c/Users/ada/app",
        "\\\\?\\C:\\Users\\Ada\\app",
        "\\\\.\\c:\\Users\\Ada\\app\\",
        "//?/C:/Users/Ada/app",
    ],
)
def test_every_spelling_of_a_drive_path_is_one_folder(path: str) -> None:
    assert folders.normal(path) == "c:/users/ada/app"
    assert folders.under(path + "\\src", "c:/Users/ada/APP")


@pytest.mark.parametrize("path", ["\\\\Srv\\Share\\app", "//srv/share/app/", "\\\\?\\UNC\\srv\\share\\APP"])
def test_every_spelling_of_a_share_is_one_folder(path: str) -> None:
    assert folders.normal(path) == "//srv/share/app"


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/w/App/", "/w/App"),
        ("/w/./a/../b//c", "/w/b/c"),
        ("/..", "/"),
        ("/", "/"),
        ("", ""),
        ("C:", "c:/"),
        ("C:x", "C:x"),
        ("/mnt/data/x", "/mnt/data/x"),
        ("/mnt/c/../data", "/mnt/data"),
        ("//srv/../../x", "//srv/x"),
        ("/w/odd\\name", "/w/odd\\name"),
        ("a/../../b", "../b"),
    ],
)
def test_other_paths_keep_their_case(path: str, expected: str) -> None:
    assert folders.normal(path) == expected


def test_case_counts_where_it_can_tell_folders_apart() -> None:
    assert not folders.same("/w/App", "/w/app")
    assert folders.same("D:\\App", "d:/app")
    assert not folders.same("", "")


@pytest.mark.parametrize(
    ("path", "folder", "expected"),
    [
        ("/w/app/src", "/w/app", True),
        ("/w/app", "/w/app/", True),
        ("/w/app-2", "/w/app", False),
        ("/w/app2/x", "/w/app", False),
        ("/x/w/app", "/w/app", False),
        ("/w/app/../other", "/w/app", False),
        ("C:\\w\\app-2", "C:\\w\\app", False),
        ("C:\\w", "C:\\", True),
        ("/w", "/", True),
        ("", "/", False),
        ("/w", "", False),
    ],
)
def test_under(path: str, folder: str, expected: bool) -> None:
    assert folders.under(path, folder) is expected


PARTS = ["/", "//", "\\", "a", "B", "c", ":", "C:", "..", ".", "?", "UNC", "mnt/", "cygdrive/", " ", "é", "-"]


@given(st.sampled_from(["/", "\\\\", "C:\\", "d:/", "/mnt/c"]), st.lists(st.sampled_from(PARTS), max_size=8))
def test_normal_is_stable_for_absolute_paths(start: str, parts: list[str]) -> None:
    path = start + "".join(parts)
    once = folders.normal(path)
    assert folders.normal(once) == once


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/w/app/.claude/worktrees/fix", "/w/app"),
        ("/w/app/.claude/worktrees/fix/src/deep", "/w/app/src/deep"),
        ("/w/app/.claude/worktrees/a/.claude/worktrees/b/src", "/w/app/src"),
        ("C:\\W\\App\\.claude\\worktrees\\fix\\src", "C:/W/App/src"),
        ("/w/app/.claude/worktrees", "/w/app/.claude/worktrees"),
        ("/w/app/worktrees/fix", "/w/app/worktrees/fix"),
        ("/.claude/worktrees/x", "/"),
    ],
)
def test_fold(path: str, expected: str) -> None:
    assert folders.fold(path) == expected


def test_a_sub_folder_of_a_repository_belongs_to_it(tmp_path: Path) -> None:
    app = repository(tmp_path / "app")
    (app / "src" / "deep").mkdir(parents=True)
    assert root(app / "src" / "deep") == root(app) == app


def test_a_worktree_folds_into_the_main_folder(tmp_path: Path) -> None:
    app = repository(tmp_path / "app")
    git("worktree", "add", "-q", str(tmp_path / "elsewhere"), "-b", "side", at=app)
    git("worktree", "add", "-q", ".claude/worktrees/fix", "-b", "fix", at=app)
    assert root(tmp_path / "elsewhere") == app
    assert root(app / ".claude" / "worktrees" / "fix") == app
    assert set(folders.worktrees(str(app))) == {str(tmp_path / "elsewhere"), str(app / ".claude/worktrees/fix")}


def test_a_worktree_with_relative_links_folds_too(tmp_path: Path) -> None:
    app = repository(tmp_path / "app")
    git("worktree", "add", "-q", str(tmp_path / "side"), "-b", "side", at=app)
    (tmp_path / "side" / ".git").write_text("gitdir: ../app/.git/worktrees/side\r\n")
    (app / ".git" / "worktrees" / "side" / "gitdir").write_text("../../../../side/.git\n")
    assert root(tmp_path / "side") == app
    assert list(folders.worktrees(str(app))) == [str(tmp_path / "side")]


def test_a_worktree_whose_entry_was_pruned_still_folds(tmp_path: Path) -> None:
    app = repository(tmp_path / "app")
    git("worktree", "add", "-q", str(tmp_path / "side"), "-b", "side", at=app)
    shutil.rmtree(app / ".git" / "worktrees")
    assert root(tmp_path / "side") == app


def test_a_removed_worktree_folds_by_its_name(tmp_path: Path) -> None:
    app = repository(tmp_path / "app")
    assert root(app / ".claude" / "worktrees" / "gone" / "src") == app
    plain = tmp_path / "plain"
    plain.mkdir()
    assert root(plain / ".claude" / "worktrees" / "gone") == plain


def test_a_submodule_is_a_project_of_its_own(tmp_path: Path) -> None:
    library = repository(tmp_path / "library")
    app = repository(tmp_path / "app")
    git("submodule", "add", "-q", str(library), "vendor/library", at=app)
    git("commit", "-q", "-m", "with a submodule", at=app)
    assert root(app / "vendor" / "library") == app / "vendor" / "library"
    assert root(app / "vendor") == app
    git("worktree", "add", "-q", str(tmp_path / "side"), "-b", "side", at=app)
    git("submodule", "update", "-q", "--init", at=tmp_path / "side")
    assert root(tmp_path / "side" / "vendor" / "library") == app / "vendor" / "library"
    git("submodule", "deinit", "-q", "-f", "vendor/library", at=app)
    assert root(tmp_path / "side" / "vendor" / "library") == tmp_path / "side" / "vendor" / "library"
    git("submodule", "update", "-q", "--init", at=app)
    git("worktree", "add", "-q", str(tmp_path / "subside"), "-b", "s", at=app / "vendor" / "library")
    assert root(tmp_path / "subside") == app / "vendor" / "library"


def test_a_nested_repository_is_a_project_of_its_own(tmp_path: Path) -> None:
    app = repository(tmp_path / "app")
    inner = repository(app / "tools" / "inner")
    (inner / "src").mkdir()
    assert root(inner / "src") == inner


def test_bare_repositories_and_their_worktrees(tmp_path: Path) -> None:
    git("init", "-q", "--bare", "app.git", at=tmp_path)
    bare = tmp_path / "app.git"
    assert root(bare) == root(bare / "refs") == bare
    source = repository(tmp_path / "source")
    git("push", "-q", str(bare), "main", at=source)
    git("worktree", "add", "-q", str(tmp_path / "side"), "main", at=bare)
    assert root(tmp_path / "side") == bare


def test_a_hidden_bare_repository_beside_its_worktrees(tmp_path: Path) -> None:
    app = tmp_path / "app"
    source = repository(tmp_path / "source")
    git("clone", "-q", "--bare", str(source), str(app / ".bare"), at=tmp_path)
    (app / ".git").write_text("gitdir: ./.bare\n")
    git("worktree", "add", "-q", "main", "main", at=app)
    assert root(app / "main") == root(app) == app


def test_a_git_directory_kept_elsewhere(tmp_path: Path) -> None:
    (tmp_path / "app" / "src").mkdir(parents=True)
    git("init", "-q", "--separate-git-dir", str(tmp_path / "store"), at=tmp_path / "app")
    assert root(tmp_path / "app" / "src") == tmp_path / "app"


def test_inside_the_git_directory(tmp_path: Path) -> None:
    app = repository(tmp_path / "app")
    assert root(app / ".git" / "refs") == app


@pytest.mark.parametrize("content", ["", "nonsense", "gitdir:", "gitdir: ", "\0\xff"])
def test_a_git_file_that_says_nothing_is_no_repository(tmp_path: Path, content: str) -> None:
    (tmp_path / "app").mkdir()
    (tmp_path / "app" / ".git").write_text(content, encoding="latin-1")
    assert root(tmp_path / "app") == tmp_path / "app"


def test_an_empty_git_folder_is_no_repository(tmp_path: Path) -> None:
    (tmp_path / "app" / ".git").mkdir(parents=True)
    (tmp_path / "app" / "src").mkdir()
    assert root(tmp_path / "app" / "src") == tmp_path / "app" / "src"


def test_a_plain_folder_is_itself_and_its_store_makes_it_a_root(tmp_path: Path) -> None:
    inner = tmp_path / "plain" / "inner"
    inner.mkdir(parents=True)
    assert root(inner) == inner
    (tmp_path / "plain" / ".riggs").mkdir()
    assert root(inner) == root(inner / "gone") == tmp_path / "plain"


def test_a_store_in_the_home_folder_does_not_swallow_everything_below(home: Path) -> None:
    (home / ".riggs").mkdir()
    (home / "notes").mkdir()
    assert root(home / "notes") == home / "notes"
    assert root(home) == home


def test_the_repository_outranks_a_store_inside_it(tmp_path: Path) -> None:
    app = repository(tmp_path / "app")
    (app / "sub" / ".riggs").mkdir(parents=True)
    assert root(app / "sub") == app


def test_links_are_resolved_and_loops_end(tmp_path: Path) -> None:
    app = repository(tmp_path / "app")
    (tmp_path / "link").symlink_to(app)
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    (tmp_path / "dangling").symlink_to(tmp_path / "nowhere")
    assert root(tmp_path / "link") == app
    assert root(tmp_path / "loop") == tmp_path / "loop"
    assert root(tmp_path / "dangling") == tmp_path / "nowhere"


def test_a_deleted_folder_belongs_to_the_repository_around_it_and_is_not_made_again(tmp_path: Path) -> None:
    app = repository(tmp_path / "app")
    assert root(app / "gone" / "deeper") == app
    assert root(tmp_path / "gone") == tmp_path / "gone"
    assert not (app / "gone").exists()


def test_a_root_is_its_own_root(tmp_path: Path) -> None:
    app = repository(tmp_path / "app")
    git("worktree", "add", "-q", str(tmp_path / "side"), "-b", "side", at=app)
    git("init", "-q", "--bare", "bare.git", at=tmp_path)
    (tmp_path / "plain" / ".riggs").mkdir(parents=True)
    for start in (
        app,
        app / "gone",
        tmp_path / "side",
        tmp_path / "bare.git",
        tmp_path / "plain" / "x",
        tmp_path / "y",
    ):
        assert root(root(start)) == root(start)


def test_no_git_is_started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    app = repository(tmp_path / "app")
    monkeypatch.setenv("PATH", "")
    assert root(app) == app


def test_keys_tell_projects_apart_and_stay_plain() -> None:
    one, two = folders.key_of("/a/My App!"), folders.key_of("/b/My App!")
    assert one != two
    assert one.startswith("my-app-")
    assert len(one) == len("my-app-") + 12
    assert folders.key_of("/").startswith("root-")
    assert folders.key_of("/w/проект").startswith("root-")
    assert folders.key_of("C:\\W\\App") == folders.key_of("/mnt/c/w/app")
    assert folders.key_of("/w/App") != folders.key_of("/w/app")
    assert len(folders.key_of("/w/" + "x" * 300)) == 40 + 1 + 12
    folders.key_of("/w/\udcff")


@pytest.mark.parametrize(
    ("environ", "platform", "expected"),
    [
        ({"HOME": "/h"}, "linux", "/h/.local/state/agent-riggs"),
        ({"HOME": "/h", "XDG_STATE_HOME": "/s"}, "linux", "/s/agent-riggs"),
        ({"HOME": "/h", "XDG_STATE_HOME": "relative"}, "linux", "/h/.local/state/agent-riggs"),
        ({"HOME": "/h"}, "darwin", "/h/Library/Application Support/agent-riggs"),
        ({"HOME": "/h", "LOCALAPPDATA": "/l"}, "win32", "/l/agent-riggs"),
        ({"HOME": "/h", "AGENT_RIGGS_STATE_DIR": "/x"}, "linux", "/x"),
        ({"HOME": "/h", "AGENT_RIGGS_STATE_DIR": "~/x"}, "linux", "/h/x"),
        ({"HOME": "/h", "AGENT_RIGGS_STATE_DIR": "x"}, "linux", "/h/.local/state/agent-riggs"),
    ],
)
def test_state_folder(environ: dict[str, str], platform: str, expected: str) -> None:
    assert folders.state_of(environ, platform) == expected


def test_without_any_home_there_is_no_state_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    def nobody(uid: int) -> None:
        raise KeyError(uid)

    monkeypatch.setattr("pwd.getpwuid", nobody)
    assert folders.home_of({}) is None
    assert folders.state_of({}, "linux") is None
    assert folders.state_of({"AGENT_RIGGS_STATE_DIR": "/x"}, "linux") == "/x"
    assert folders.state_of({"XDG_STATE_HOME": "/s"}, "linux") == "/s/agent-riggs"


def test_a_home_variable_that_is_missing_is_looked_up() -> None:
    assert folders.home_of({}) == folders.home_of({"HOME": "relative"})
    assert os.path.isabs(folders.home_of({}) or "")


@pytest.mark.parametrize("bad", ["/w/p\0x", "/w/\ud800", "/w/" + "x" * 9000, "/w" + "/d" * 30_000, ""])
def test_a_text_that_names_no_folder_of_any_system_is_none_here(bad: str) -> None:
    assert not folders.possible(bad)
    assert folders.native(bad) is None


@pytest.mark.parametrize("named", [b"gitdir: a\0b\n", b"gitdir: " + b"x" * 9000, b"gitdir: gone\n"])
def test_a_git_file_that_names_nothing_leaves_the_folder_as_it_is(tmp_path: Path, named: bytes) -> None:
    (tmp_path / ".git").write_bytes(named)
    assert root(tmp_path) == tmp_path
    assert list(folders.worktrees(str(tmp_path))) == []


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_small_file_is_never_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "file").write_bytes(b"0123456789")
    (tmp_path / "file").chmod(0o622)
    for name in ("pipe", "gone", "a\0b", "x" * 9000, "."):
        assert folders.small_file(str(tmp_path / name), 10) is None
    place = str(tmp_path / "file")
    assert folders.small_file(place, 4) == b"0123"
    assert folders.small_file(place, 4, end=True) == b"6789"
    assert folders.small_file(place, 99) == folders.small_file(place, 99, end=True) == b"0123456789"
    assert folders.small_file(place, 99, private=True) is None


@pytest.mark.skipif(os.name == "nt", reason="permissions of Unix")
@pytest.mark.parametrize("umask", [0o000, 0o022])
def test_each_folder_that_is_made_is_the_users_alone(tmp_path: Path, umask: int) -> None:
    place = tmp_path / "state" / "agent-riggs" / "shop-1"
    before = os.umask(umask)
    try:
        folders.make(str(place))
        folders.make(str(place))
    finally:
        os.umask(before)
    assert [stat.S_IMODE(one.stat().st_mode) for one in (place, *place.parents[:2])] == [0o700] * 3
    (tmp_path / "file").touch()
    with pytest.raises(OSError, match="file"):
        folders.make(str(tmp_path / "file" / "inside"))


def test_nothing_makes_folders_for_the_user_in_any_other_way() -> None:
    source = Path(folders.__file__).parent
    made = {file.relative_to(source).as_posix() for file in source.rglob("*.py") if "os.makedirs(" in file.read_text()}
    assert made == set()
