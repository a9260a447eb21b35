"""Installing: append only, idempotent, nothing of others' moved, and back to the very bytes."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from agent_riggs.deliver import install
from agent_riggs.deliver.install import clients, entries, plugin, receipts
from agent_riggs.errors import RiggsError

FOREIGN = {"hooks": [{"type": "command", "command": "kibitzer-post"}], "matcher": ""}


@dataclass(frozen=True)
class User:
    """A home, a project, a program and a state folder."""

    folder: Path

    @property
    def home(self) -> Path:
        return self.folder / "home of user"

    @property
    def root(self) -> Path:
        return self.folder / "my project"

    @property
    def state(self) -> Path:
        return self.folder / "state"

    @property
    def program(self) -> Path:
        return self.folder / "bin dir" / "riggs-hook"

    def plan(self, agent: str, scope: install.Scope, brief: bool = False) -> list[install.Change]:
        return install.plan_install(agent, scope, self.root, {}, self.home, self.program, brief)

    def install(self, agent: str, scope: install.Scope = "user", brief: bool = False) -> list[Path]:
        return install.apply(self.plan(agent, scope, brief), self.state)

    def uninstall(self, agent: str, scope: install.Scope = "user") -> list[Path]:
        changes = install.plan_uninstall(agent, scope, self.root, {}, self.home, self.state)
        return install.apply(changes, self.state, uninstall=True)

    def paths(self, agent: str, scope: install.Scope) -> list[Path]:
        """The files that an installation writes."""
        return [change.path for change in self.plan(agent, scope)]

    def backup(self, path: Path) -> bytes:
        """The copy of what stood there before."""
        return receipts.slip(self.state, path).with_suffix(".backup").read_bytes()

    def files(self) -> dict[str, bytes]:
        """Every file and link of home and project."""
        found = {}
        for base in (self.home, self.root):
            for path in sorted(base.rglob("*")):
                found[str(path)] = (
                    os.readlink(path).encode() if path.is_symlink() else b"/" if path.is_dir() else path.read_bytes()
                )
        return found


@pytest.fixture
def user(tmp_path: Path) -> User:
    made = User(tmp_path)
    for folder in (made.home, made.root, made.program.parent):
        folder.mkdir()
    made.program.write_text("#!/bin/sh\necho called\nexit 0\n", encoding="utf-8")
    made.program.chmod(0o755)
    return made


def settings(user: User, agent: str = "claude-code") -> Path:
    return user.plan(agent, "user")[0].path


BEFORE: dict[str, bytes] = {
    "empty": b"",
    "empty object": b"{}",
    "one line": b'{"model": "opus","permissions": {"allow": ["Bash"]}}',
    "no newline at the end": b'{\n  "model": "opus"\n}',
    "tabs": b'{\n\t"model": "opus",\n\t"hooks": {}\n}\n',
    "carriage returns": b'{\r\n  "model": "opus"\r\n}\r\n',
    "other hooks": json.dumps(
        {"hooks": {"PostToolUseFailure": [FOREIGN], "AfterTool": [FOREIGN]}, "z": 1}, indent=4
    ).encode(),
    "an empty list": b'{"hooks": {"PostToolUseFailure": [], "Stop": []}}',
    "escapes and unicode": '{"a": "\\u00e9 é \\/ 🚀", "hooks": {"Other": []}}'.encode(),
    "odd spacing": b'{ "hooks" :\n { "PostToolUse"\n:[ ] } , "b":[1 ,2] }\n\n',
}


SETTINGS = ("claude-code", "codex", "gemini")
"""Agents whose hooks stand among other settings. The others have a file for each tool's hooks."""
SCOPES: tuple[install.Scope, ...] = ("user", "project")


@pytest.mark.parametrize("scope", SCOPES)
@pytest.mark.parametrize("agent", SETTINGS)
@pytest.mark.parametrize("before", sorted(BEFORE))
def test_there_and_back_gives_the_same_bytes(user: User, agent: str, before: str, scope: install.Scope) -> None:
    paths = user.paths(agent, scope)
    for path in paths:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(BEFORE[before])
        path.chmod(0o640)
    earlier = user.files()
    assert user.install(agent, scope) == paths
    for path in paths:
        assert entries.ours(json.loads(path.read_bytes()))
        assert stat.S_IMODE(path.stat().st_mode) == 0o640
        assert user.backup(path) == BEFORE[before]
    once = user.files()
    assert user.install(agent, scope) == []
    assert user.files() == once
    user.uninstall(agent, scope)
    assert user.files() == earlier
    assert not list(user.state.glob(f"{receipts.FOLDER}/*"))


@pytest.mark.parametrize("scope", SCOPES)
@pytest.mark.parametrize("agent", ["copilot", "opencode"])
def test_files_of_other_tools_beside_ours_stay(user: User, agent: str, scope: install.Scope) -> None:
    (path,) = user.paths(agent, scope)
    path.parent.mkdir(parents=True)
    (path.parent / "kibitzer.json").write_bytes(b"\xef\xbb\xbf{ // theirs\n}")
    earlier = user.files()
    user.install(agent, scope)
    user.uninstall(agent, scope)
    assert user.files() == earlier


@pytest.mark.parametrize("agent", install.AGENTS)
@pytest.mark.parametrize("scope", ["user", "project"])
def test_where_nothing_was_nothing_is_left(user: User, agent: str, scope: install.Scope) -> None:
    earlier = user.files()
    assert user.install(agent, scope)
    assert user.files() != earlier
    user.uninstall(agent, scope)
    assert user.files() == earlier


@pytest.mark.parametrize("agent", install.AGENTS)
@pytest.mark.parametrize("scope", SCOPES)
def test_a_second_time_changes_nothing(user: User, agent: str, scope: install.Scope) -> None:
    user.install(agent, scope)
    once = user.files()
    assert user.install(agent, scope) == []
    assert user.files() == once
    user.uninstall(agent, scope)
    assert user.uninstall(agent, scope) == []


def test_what_others_wrote_keeps_its_bytes_and_comes_first(user: User) -> None:
    path = settings(user)
    path.parent.mkdir()
    theirs = json.dumps({"hooks": {"PostToolUseFailure": [FOREIGN]}, "model": "opus"}, indent=2)
    path.write_text(theirs, encoding="utf-8")
    user.install("claude-code")
    groups = json.loads(path.read_bytes())["hooks"]["PostToolUseFailure"]
    assert groups[0] == FOREIGN
    assert len(groups) == 2
    shown = json.dumps(FOREIGN, indent=2).replace("\n", "\n      ")
    assert shown in path.read_text(encoding="utf-8")


def test_what_was_added_meanwhile_survives_uninstalling(user: User) -> None:
    path = settings(user)
    path.parent.mkdir()
    path.write_text('{\n  "hooks": {\n    "Stop": []\n  }\n}\n', encoding="utf-8")
    user.install("claude-code")
    held = json.loads(path.read_bytes())
    held["hooks"]["PostToolUseFailure"].insert(0, FOREIGN)
    held["model"] = "opus"
    path.write_text(json.dumps(held, indent=2), encoding="utf-8")
    user.uninstall("claude-code")
    assert json.loads(path.read_bytes()) == {"hooks": {"Stop": [], "PostToolUseFailure": [FOREIGN]}, "model": "opus"}


def test_uninstalling_without_a_receipt_takes_only_our_groups(user: User) -> None:
    path = settings(user)
    path.parent.mkdir()
    path.write_text(json.dumps({"hooks": {"PostToolUseFailure": [FOREIGN]}}), encoding="utf-8")
    user.install("claude-code")
    receipts.drop(user.state, path)
    user.uninstall("claude-code")
    left = json.loads(path.read_bytes())
    assert left["hooks"]["PostToolUseFailure"] == [FOREIGN]
    assert entries.ours(left) == []


def test_a_group_that_somebody_extended_is_theirs(user: User) -> None:
    path = settings(user)
    user.install("claude-code")
    held = json.loads(path.read_bytes())
    held["hooks"]["Stop"][0]["hooks"].append(FOREIGN["hooks"][0])
    path.write_text(json.dumps(held), encoding="utf-8")
    user.uninstall("claude-code")
    assert json.loads(path.read_bytes()) == {"hooks": {"Stop": held["hooks"]["Stop"]}}


def test_a_moved_program_replaces_the_old_entry(user: User) -> None:
    path = settings(user)
    user.install("claude-code")
    moved = User(user.folder)
    changes = install.plan_install(
        "claude-code", "user", user.root, {}, user.home, user.folder / "elsewhere" / "riggs-hook"
    )
    install.apply(changes, moved.state)
    ours = entries.ours(json.loads(path.read_bytes()))
    assert len({event for event, _ in ours}) == len(ours)
    assert {clients.program_of(group["hooks"][0]["command"]) for _, group in ours} == {
        str(user.folder / "elsewhere/riggs-hook")
    }
    user.uninstall("claude-code")
    assert not path.exists()


@pytest.mark.parametrize(
    "content",
    [
        b'\xef\xbb\xbf{"model": "opus"}',
        b'{"model": "opus"} // mine',
        b'{"model": "opus",}',
        b'{"model": ',
        b"[]",
        b'{"hooks": []}',
        b'{"hooks": {"PostToolUseFailure": {}}}',
        b'{"hooks": {}, "hooks": {}}',
        b"\xff\xfe{\x00}\x00",
    ],
)
@pytest.mark.parametrize("agent", SETTINGS)
@pytest.mark.parametrize("scope", SCOPES)
def test_settings_we_do_not_understand_are_left_alone(
    user: User, agent: str, scope: install.Scope, content: bytes
) -> None:
    path = user.paths(agent, scope)[0]
    path.parent.mkdir()
    event = next(iter(json.loads(user.plan(agent, scope)[0].after or b"")["hooks"]))
    content = content.replace(b"PostToolUseFailure", event.encode())
    path.write_bytes(content)
    earlier = user.files()
    with pytest.raises(RiggsError, match=r"left as it is") as refused:
        user.install(agent, scope)
    assert str(path) in str(refused.value)
    assert user.files() == earlier
    assert not list(user.state.glob(f"{receipts.FOLDER}/*"))


@pytest.mark.parametrize("agent", SETTINGS)
@pytest.mark.parametrize("scope", SCOPES)
@pytest.mark.parametrize("mark", [b"\xef\xbb\xbf", b"// mine\n"])
def test_a_mark_or_comment_that_came_later_is_no_reason_to_guess(
    user: User, agent: str, scope: install.Scope, mark: bytes
) -> None:
    user.install(agent, scope)
    path = user.paths(agent, scope)[-1]
    path.write_bytes(mark + path.read_bytes())
    earlier = user.files()
    with pytest.raises(RiggsError, match="left as it is"):
        user.uninstall(agent, scope)
    assert user.files() == earlier


@pytest.mark.parametrize("agent", install.AGENTS)
@pytest.mark.parametrize("scope", SCOPES)
def test_read_only_settings_are_left_alone(user: User, agent: str, scope: install.Scope) -> None:
    user.install(agent, scope)
    for path in user.paths(agent, scope):
        path.chmod(0o444)
    earlier = user.files()
    with pytest.raises(RiggsError, match="read-only"):
        user.uninstall(agent, scope)
    elsewhere = user.folder / "elsewhere" / "riggs-hook"
    with pytest.raises(RiggsError, match="read-only"):
        install.plan_install(agent, scope, user.root, {}, user.home, elsewhere)
    assert user.files() == earlier
    assert user.install(agent, scope) == [], "what is there already needs no writing"


@pytest.mark.parametrize("content", [b"", b"{}", b"\xef\xbb\xbf{}", b"// mine\n{}"])
@pytest.mark.parametrize("agent", ["copilot", "opencode"])
@pytest.mark.parametrize("scope", SCOPES)
def test_a_file_of_our_name_that_is_not_ours_is_left_alone(
    user: User, agent: str, scope: install.Scope, content: bytes
) -> None:
    (path,) = user.paths(agent, scope)
    path.parent.mkdir(parents=True)
    path.write_bytes(content)
    with pytest.raises(RiggsError, match="not ours"):
        user.install(agent, scope)
    assert user.uninstall(agent, scope) == []
    assert path.read_bytes() == content


@pytest.mark.parametrize("agent", install.AGENTS)
@pytest.mark.parametrize("scope", SCOPES)
def test_what_uninstalling_leaves_calls_the_hook_no_more(user: User, agent: str, scope: install.Scope) -> None:
    """The file came with an entry of ours, from a colleague's machine or another version, and no receipt."""
    elsewhere = user.folder / "elsewhere" / "riggs-hook"
    theirs = install.plan_install(agent, scope, user.root, {}, user.home, elsewhere)
    install.apply(theirs, user.folder / "another state")
    user.install(agent, scope)
    user.uninstall(agent, scope)
    assert not any(b"riggs-hook" in data for data in user.files().values())


def test_of_two_files_neither_is_written_when_one_is_refused(user: User) -> None:
    (user.root / ".claude").mkdir()
    (user.root / ".claude" / "settings.local.json").write_text("nonsense", encoding="utf-8")
    earlier = user.files()
    with pytest.raises(RiggsError):
        user.install("claude-code", "project")
    assert user.files() == earlier


@pytest.mark.parametrize("agent", SETTINGS)
@pytest.mark.parametrize("scope", SCOPES)
def test_links_are_followed_and_stay(user: User, agent: str, scope: install.Scope) -> None:
    path, *_ = user.paths(agent, scope)
    path.parent.mkdir()
    real = user.folder / "dotfiles" / "claude.json"
    real.parent.mkdir()
    real.write_bytes(b'{"model":"opus"}')
    path.symlink_to(real)
    user.install(agent, scope)
    assert path.is_symlink()
    assert entries.ours(json.loads(real.read_bytes()))
    user.uninstall(agent, scope)
    assert path.is_symlink()
    assert real.read_bytes() == b'{"model":"opus"}'


@pytest.mark.parametrize("agent", install.AGENTS)
@pytest.mark.parametrize("scope", SCOPES)
def test_a_folder_that_is_a_link_stays_one(user: User, agent: str, scope: install.Scope) -> None:
    folder = user.paths(agent, scope)[0].parent
    real = user.folder / "dotfiles"
    real.mkdir()
    folder.parent.mkdir(parents=True, exist_ok=True)
    folder.symlink_to(real)
    earlier = user.files()
    user.install(agent, scope)
    assert list(real.iterdir())
    user.uninstall(agent, scope)
    assert user.files() == earlier
    assert list(real.iterdir()) == []


def test_a_link_that_leads_nowhere_is_refused(user: User) -> None:
    path = settings(user)
    path.parent.mkdir()
    path.symlink_to(user.folder / "none.json")
    with pytest.raises(RiggsError, match="link"):
        user.install("claude-code")


def test_events_that_older_clients_do_not_know_stand_in_a_file_of_their_own(user: User) -> None:
    found = {change.path.name: json.loads(change.after or b"") for change in user.plan("claude-code", "project")}
    assert "PostToolBatch" not in found["settings.json"]["hooks"]
    assert set(found["settings.local.json"]["hooks"]) == {"PostToolBatch"}


def test_the_plan_writes_nothing_and_shows_the_difference(user: User) -> None:
    earlier = user.files()
    (change,) = user.plan("claude-code", "user")
    assert user.files() == earlier
    assert "+" in change.diff()
    assert "PostToolUseFailure" in change.diff()


# --- the command


def shell(line: str, at: Path | None = None, **environ: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["/bin/sh", "-c", line], input="{}", capture_output=True, text=True, env={"PATH": os.defpath, **environ}, cwd=at
    )


@pytest.mark.parametrize("start", [False, True])
def test_the_command_runs_a_program_whose_path_holds_spaces_and_quotes(tmp_path: Path, start: bool) -> None:
    program = tmp_path / 'it\'s a $dir; "x"' / "riggs-hook"
    program.parent.mkdir()
    program.write_text('#!/bin/sh\necho "called $*"\necho noise >&2\n', encoding="utf-8")
    program.chmod(0o755)
    done = shell(clients.command(program, start=start, brief=start))
    assert (done.returncode, done.stdout, done.stderr) == (0, "called --brief\n" if start else "called \n", "")
    assert clients.is_ours(clients.command(program))
    assert clients.program_of(clients.command(program)) == str(program)


@pytest.mark.parametrize("kind", ["missing", "not executable", "interpreter gone", "exits 2"])
def test_a_program_that_cannot_run_shows_no_error_and_never_blocks(tmp_path: Path, kind: str) -> None:
    program = tmp_path / "riggs-hook"
    if kind != "missing":
        text = "#!/nowhere/python\n" if kind == "interpreter gone" else "#!/bin/sh\necho bad >&2\nexit 2\n"
        program.write_text(text, encoding="utf-8")
        program.chmod(0o644 if kind == "not executable" else 0o755)
    for line in (clients.command(program), clients.command(None)):
        for path in (os.defpath, "/nowhere", ""):
            done = shell(line, PATH=path)
            assert (done.returncode, done.stdout, done.stderr) == (0, "", ""), line


def test_a_program_that_is_gone_is_said_once_at_the_start_of_a_session(tmp_path: Path) -> None:
    done = shell(clients.command(tmp_path / "riggs-hook", start=True))
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout) == {"systemMessage": clients.GONE}
    found = clients.claude_events(tmp_path / "riggs-hook", False)
    said = [event for event, group in found.items() if "systemMessage" in group["hooks"][0]["command"]]
    assert said == ["SessionStart"]


@pytest.mark.parametrize("start", [False, True])
@pytest.mark.parametrize("kind", ["missing", "ends at once"])
def test_an_agent_never_meets_a_closed_pipe(tmp_path: Path, kind: str, start: bool) -> None:
    program = tmp_path / "riggs-hook"
    if kind == "ends at once":
        program.write_text("#!/bin/sh\nexit 2\n", encoding="utf-8")
        program.chmod(0o755)
    line = clients.command(program, start=start)
    with subprocess.Popen(
        ["sh", "-c", line], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env={"PATH": os.defpath}
    ) as process:
        assert process.stdin is not None
        process.stdin.write(b"x" * (4 << 20))  # BrokenPipeError where nobody reads to the end
        process.stdin.close()
        assert process.wait(60) == 0


def test_a_program_elsewhere_on_the_path_is_found_when_ours_has_moved(user: User) -> None:
    done = shell(clients.command(user.folder / "gone" / "riggs-hook"), PATH=f"{user.program.parent}:{os.defpath}")
    assert done.stdout == "called\n"


def test_commands_of_ours_from_before_are_known(tmp_path: Path) -> None:
    line = clients.command(tmp_path / "riggs-hook")
    settings = " ".join(f"{name}={value}" for name, value in clients.SETTINGS.items())
    earlier = line.replace(f"{settings} ", "")
    assert earlier != line
    for one in (line, earlier):
        assert clients.is_ours(one)
        assert clients.program_of(one) == str(tmp_path / "riggs-hook")


def test_commands_of_others_are_not_ours() -> None:
    others: list[Any] = ["riggs-hook", "python hook.py", None, 3, "r=1; echo riggs-hook"]
    assert not any(clients.is_ours(line) for line in others)


@pytest.fixture
def python_hook(tmp_path: Path) -> Path:
    """A program that runs on this Python, and a project whose modules would say so if they were imported."""
    program = tmp_path / "bin" / "riggs-hook"
    program.parent.mkdir()
    program.write_text(f"#!{sys.executable}\nimport re, enum, json\nprint('called')\n", encoding="utf-8")
    program.chmod(0o755)
    for name in ("re", "enum", "json", "sitecustomize", "encodings"):
        (tmp_path / f"{name}.py").write_text("import os\nos.write(1, b'code of the project\\n')\n", encoding="utf-8")
    return program


ODD = [
    *({"PYTHONPATH": path} for path in (".", ":", ":/nowhere", "/nowhere::")),
    {"PYTHONHOME": "."},
    {"PYTHONPLATLIBDIR": "."},
    {"PYTHONIOENCODING": "nonsense"},
    {"PYTHONHASHSEED": "nonsense"},
    {"PYTHONMALLOC": "nonsense"},
]


@pytest.mark.parametrize("odd", ODD, ids=str)
def test_what_the_environment_tells_python_neither_ends_the_hook_nor_adds_code_to_it(
    tmp_path: Path, python_hook: Path, odd: dict[str, str]
) -> None:
    for line in (clients.command(python_hook), clients.command(None)):
        done = shell(line, tmp_path, **odd, PATH=f"{python_hook.parent}:{os.defpath}")
        assert (done.returncode, done.stdout, done.stderr) == (0, "called\n", "")


# --- plugin and single files


def test_the_plugin_is_made_of_the_same_events(tmp_path: Path) -> None:
    found = {name: text for name, text in plugin.files(None, "1.2.3").items() if name.endswith(".json")}
    parsed = {name: json.loads(text) for name, text in found.items()}
    core = parsed["agent-riggs/hooks/hooks.json"]["hooks"]
    assert set(clients.claude_events(None, False)) <= set(core)
    assert "PostToolBatch" not in core
    assert set(parsed["agent-riggs/hooks/batch.json"]["hooks"]) == {"PostToolBatch"}
    assert "hooks" not in parsed["agent-riggs/.codex-plugin/plugin.json"]
    plugin.write(tmp_path / "p", None, "1.2.3")
    said = (tmp_path / "p" / "agent-riggs" / "README.md").read_text(encoding="utf-8")
    for agent in ("claude", "codex", "copilot"):
        assert f"{agent} plugin marketplace add FOLDER\n{agent} plugin " in said


def test_opencode_s_file_names_the_program_and_nothing_else_changes(user: User) -> None:
    user.install("opencode", "project")
    text = (user.root / ".opencode" / "plugin" / "agent-riggs.js").read_text(encoding="utf-8")
    assert f"const PROGRAM = {json.dumps(str(user.program))}\nconst GONE = {json.dumps(clients.GONE)}\n" in text
    assert f"const SETTINGS = {json.dumps(clients.SETTINGS)}\n" in text


def test_the_brief_is_asked_for_at_the_start_of_a_session_only(user: User) -> None:
    user.install("claude-code", brief=True)
    held = json.loads(settings(user).read_bytes())["hooks"]
    asking = [event for event, groups in held.items() if "--brief" in groups[0]["hooks"][0]["command"]]
    assert asking == ["SessionStart"]
