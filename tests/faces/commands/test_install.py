"""``install``, ``uninstall``, ``ingest --no-wait``, the brief file and doctor's word on delivery, as commands."""

from __future__ import annotations

import json
import os
from pathlib import Path

import filelock
import pytest

from agent_riggs.deliver import hook, install, spool
from agent_riggs.deliver.spool import Claim
from agent_riggs.errors import EXIT_BUSY, EXIT_USAGE
from agent_riggs.paths import find_project, state_dir
from faces.run import run


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    home, root = tmp_path / "home", tmp_path / "project"
    for folder in (home, root / ".git" / "objects", root / ".git" / "refs"):
        folder.mkdir(parents=True)
    (root / ".git" / "HEAD").touch()
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "AGENT_RIGGS_STATE_DIR", "XDG_STATE_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(home))
    program = tmp_path / "bin" / "riggs-hook"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\n", encoding="utf-8")
    program.chmod(0o755)
    monkeypatch.setattr(install, "find_program", lambda: program)
    return root


def test_there_and_back(project: Path) -> None:
    path = project / ".claude" / "settings.json"
    done = run(project, "install", "--agent", "claude-code", "--scope", "project")
    assert (done.code, done.err) == (
        0,
        "warning: these settings name a path of this machine: keep them out of commits\n",
    )
    assert f"{path} now calls" in done.out
    again = run(project, "install", "--agent", "claude-code", "--scope", "project")
    assert (again.out, again.err) == ("installed already: nothing to change\n", "")
    done = run(project, "uninstall", "--agent", "claude-code", "--scope", "project")
    assert f"{path} is removed" in done.out
    assert not path.parent.exists()
    assert run(project, "uninstall", "--agent", "claude-code").out == "not installed: nothing to change\n"


def test_uninstall_says_where_else_the_hook_stands(project: Path) -> None:
    run(project, "install", "--agent", "codex", "--scope", "project")
    done = run(project, "uninstall", "--agent", "codex")
    assert done.out == "not installed: nothing to change\n"
    assert "agent-riggs uninstall --agent codex --scope project" in done.err
    (project / ".codex" / "hooks.json").write_text("{ // mine\n}", encoding="utf-8")
    assert run(project, "uninstall", "--agent", "codex").err == ""


def test_a_plugin_is_written_with_the_way_to_load_it(project: Path) -> None:
    done = run(project, "install", "--plugin", "my plugin")
    assert (project / "my plugin" / "agent-riggs").is_dir()
    assert f"claude --plugin-dir '{project / 'my plugin' / 'agent-riggs'}'" in done.err


def test_a_dry_run_shows_the_difference_and_changes_nothing(project: Path) -> None:
    done = run(project, "install", "--agent", "codex", "--scope", "project", "--dry-run")
    assert done.code == 0
    assert '+    "PostToolUse": [' in done.out
    assert not (project / ".codex").exists()
    run(project, "install", "--agent", "codex", "--scope", "project")
    done = run(project, "uninstall", "--agent", "codex", "--scope", "project", "--dry-run")
    assert '-    "PostToolUse": [' in done.out
    assert (project / ".codex" / "hooks.json").exists()


def test_settings_nobody_can_read_are_an_error_with_a_hint(project: Path) -> None:
    path = project / ".claude" / "settings.json"
    path.parent.mkdir()
    path.write_text("{} // mine", encoding="utf-8")
    done = run(project, "install", "--agent", "claude-code", "--scope", "project")
    assert done.code == 1
    assert "left as it is" in done.err
    assert path.read_text(encoding="utf-8") == "{} // mine"


@pytest.mark.parametrize("agent", install.AGENTS)
def test_where_a_brief_cannot_be_told_that_is_said(project: Path, agent: str) -> None:
    done = run(project, "install", "--agent", agent, "--scope", "project", "--brief")
    assert done.code == 0
    assert ("no place for a brief" in done.err) == (agent == "opencode")


def test_either_an_agent_or_a_plugin(project: Path) -> None:
    assert run(project, "install").code == EXIT_USAGE
    assert run(project, "install", "--agent", "codex", "--plugin", "x").code == EXIT_USAGE
    done = run(project, "install", "--plugin", str(project / "plug"), "--dry-run")
    assert "hooks.json" in done.out
    assert not (project / "plug").exists()
    assert run(project, "install", "--plugin", str(project / "plug")).code == 0
    assert (project / "plug" / ".claude-plugin" / "marketplace.json").is_file()


def test_without_the_program_nothing_is_installed(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(install, "find_program", lambda: None)
    done = run(project, "install", "--agent", "codex")
    assert done.code == 1
    assert "riggs-hook" in done.err


def test_doctor_names_the_hook(project: Path) -> None:
    run(project, "install", "--agent", "gemini", "--scope", "project")
    checks = {check["name"]: check for check in run(project, "doctor", "--json").json}
    assert checks["hook (gemini)"]["state"] == "ok"


def test_an_ingest_that_does_not_wait(project: Path) -> None:
    assert run(project, "ingest", "--quiet").code == 0
    with filelock.FileLock(project / ".riggs" / "ingest.lock"):
        done = run(project, "ingest", "--quiet", "--no-wait")
    assert done.code == EXIT_BUSY


def test_an_ingest_hears_what_the_hook_said(project: Path) -> None:
    state = state_dir(find_project(project), os.environ)
    spool.claim(str(state), Claim("s1", "c1", "failure-Bash-any", "after", "codex", 1_790_000_000_000_000))
    assert run(project, "ingest").code == 0
    done = run(project, "sql", "SELECT candidate_key, state, agent FROM deliveries", "--json")
    assert done.json == [{"candidate_key": "failure-Bash-any", "state": "delivered", "agent": "codex"}]


def test_an_ingest_writes_the_brief_where_it_was_asked_for(project: Path) -> None:
    from agent_riggs import samples

    samples.write(Path(os.environ["HOME"]), project)
    state = state_dir(find_project(project), os.environ)
    assert run(project, "ingest").code == 0
    assert not (state / hook.BRIEF).exists()
    state.mkdir(parents=True, exist_ok=True)
    (state / hook.BRIEF).touch()
    assert run(project, "ingest").code == 0
    text = (state / hook.BRIEF).read_text(encoding="utf-8")
    assert "trust" in text
    assert len(text) <= hook.MAX_BRIEF
    start = {"hook_event_name": "SessionStart", "source": "startup", "cwd": str(project), "session_id": "s"}
    answer = hook.answer(json.dumps(start).encode(), os.environ, brief=True)
    assert json.loads(answer)["hookSpecificOutput"]["additionalContext"] == text.strip()


@pytest.mark.parametrize("spelling", ["claude-code", "claude_code", "Claude-Code"])
def test_an_agent_may_be_written_as_it_is_stored(tmp_path: Path, spelling: str) -> None:
    assert run(tmp_path, "install", "--agent", spelling, "--dry-run").code == 0


def test_what_could_have_been_named_is_told_on_one_line(tmp_path: Path) -> None:
    first = run(tmp_path, "uninstall").err.splitlines()[0]
    assert "Missing option '--agent'" in first
    assert "copilot" in first
    assert "\\t" not in first
