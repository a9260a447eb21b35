"""Doctor on delivery: the hook's place, its program, policies against it, and the proof."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from agent_riggs.deliver import ending, hook, install
from agent_riggs.paths import Project, find_project, state_dir
from agent_riggs.report import delivery, policies
from agent_riggs.report.health import Check, Surroundings
from agent_riggs.store import deliveries, open_write, transcripts
from agent_riggs.store.deliveries import Delivery
from agent_riggs.store.transcripts import TranscriptRow

NOW = time.time_ns() // 1000
DAY = 86_400_000_000


class Scene:
    """A project, a home and a program."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / "home").mkdir()
        (folder / "project" / ".git" / "objects").mkdir(parents=True)
        (folder / "project" / ".git" / "refs").mkdir()
        (folder / "project" / ".git" / "HEAD").touch()
        self.home = folder / "home"
        self.program = folder / "riggs-hook"
        self.program.write_text("#!/bin/sh\n", encoding="utf-8")
        self.program.chmod(0o755)
        self.environ: dict[str, str] = {"HOME": str(self.home), "AGENT_RIGGS_STATE_DIR": str(folder / "state")}
        self.project: Project = find_project(folder / "project")

    def install(self, agent: str, scope: install.Scope = "user") -> None:
        changes = install.plan_install(agent, scope, self.project.root, self.environ, self.home, self.program)
        install.apply(changes, Path(self.environ["AGENT_RIGGS_STATE_DIR"]))

    def around(self, **environ: str) -> Surroundings:
        return Surroundings(self.project, {}, {**self.environ, **environ}, self.home, NOW)

    def look(self, **environ: str) -> list[Check]:
        return list(delivery.checks(self.around(**environ)))

    def wrong(self, **environ: str) -> list[str]:
        return [check.found for check in self.look(**environ) if check.state == "wrong"]

    def settings(self, value: Mapping[str, object], path: Path) -> Path:
        path.parent.mkdir(parents=True, exist_ok=True)
        held = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
        path.write_text(json.dumps({**held, **value}), encoding="utf-8")
        return path

    def fire(self, source: str, when: float) -> None:
        """Leave the trace that a session's end leaves, at this time in seconds."""
        fired = state_dir(self.project, self.environ) / f"{ending.FIRED}{source}"
        fired.parent.mkdir(parents=True, exist_ok=True)
        fired.touch()
        os.utime(fired, (when, when))

    def store(self, *told: Delivery, versions: str = "", ended: int | None = None, seen: bool = False) -> None:
        with open_write(self.project.root / ".riggs" / "store.duckdb") as store:
            if told:
                deliveries.add(store.conn, told)
            if seen:
                deliveries.prove(store.conn, {one.delivery_id: 5000.0 for one in told}, NOW)
            row = TranscriptRow(
                1,
                "claude_code",
                "k",
                "x",
                True,
                session_id="s1",
                versions=versions,
                ended_at=ended,
                read_at=NOW + 1_000_000,
            )
            transcripts.save(store.conn, [row])


@pytest.fixture
def scene(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Scene:
    monkeypatch.setattr(policies, "_MACHINE", dict.fromkeys(policies._MACHINE, tmp_path / "managed"))
    return Scene(tmp_path)


TOLD = Delivery(1, NOW, "claude_code", "s1", "c", "k", "f", "after", "delivered", "")


def test_nothing_installed_is_told(scene: Scene) -> None:
    (check,) = scene.look()
    assert (check.state, check.found) == ("note", "no agent calls it: fixes are served nowhere")


@pytest.mark.parametrize("agent", install.AGENTS)
@pytest.mark.parametrize("scope", ["user", "project"])
def test_an_installed_hook_is_found_where_it_is(scene: Scene, agent: str, scope: install.Scope) -> None:
    scene.install(agent, scope)
    found = [check for check in scene.look() if check.name != "client version"]
    assert [check.state for check in found[:-1]] == ["ok"] * (2 if (agent, scope) == ("claude-code", "project") else 1)
    assert all(check.name == f"hook ({agent})" for check in found)
    last = found[-1]
    assert (last.state, "allow" in last.remedy) == (("note", True) if agent == "codex" else ("ok", False))


@pytest.mark.parametrize("agent", install.AGENTS)
def test_a_program_that_is_gone_is_told(scene: Scene, agent: str, monkeypatch: pytest.MonkeyPatch) -> None:
    scene.install(agent)
    scene.program.unlink()
    monkeypatch.setenv("PATH", "/nowhere")
    (found,) = scene.wrong()
    assert str(scene.program) in found
    assert "gone" in found


def test_our_own_program_that_does_not_start_is_told_and_no_other_is_run(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A package that only ``PYTHONPATH`` leads to."""
    scene.install("codex")
    ran = scene.folder / "ran"
    scene.program.write_text(f'#!/bin/sh\necho ran > "{ran}"\ntest -n "$PYTHONPATH"\n', encoding="utf-8")
    assert scene.wrong(PYTHONPATH="/srv/lib") == []
    assert not ran.exists()
    monkeypatch.setattr(install, "find_program", lambda: scene.program)
    (found,) = scene.wrong(PYTHONPATH="/srv/lib")
    assert f"{scene.program} does not start" in found
    assert ran.exists()


def test_the_off_switch_is_told(scene: Scene) -> None:
    scene.install("codex")
    assert any("switched off" in found for found in scene.wrong(**{hook.OFF_SWITCH: "off"}))


OFF = {"disableAllHooks": True}


@pytest.mark.parametrize(
    ("agent", "name", "policy"),
    [
        ("claude-code", "home/.claude/settings.json", OFF),
        ("claude-code", "home/.claude/settings.local.json", OFF),
        ("claude-code", "project/.claude/settings.json", OFF),
        ("claude-code", "project/.claude/settings.local.json", OFF),
        ("claude-code", "managed/managed-settings.json", OFF),
        ("claude-code", "managed/managed-settings.json", {"allowManagedHooksOnly": True}),
        ("claude-code", "managed/managed-settings.d/10-hooks.json", {"allowManagedHooksOnly": True}),
        ("claude-code", "managed/managed-settings.d/10-hooks.json", {"strictPluginOnlyCustomization": ["hooks"]}),
        ("claude-code", "managed/managed-settings.json", {"strictPluginOnlyCustomization": True}),
        ("claude-code", "home/.claude/remote-settings.json", {"allowManagedHooksOnly": True}),
        ("gemini", "home/.gemini/settings.json", {"hooksConfig": {"enabled": False}}),
        ("gemini", "project/.gemini/settings.json", {"hooksConfig": {"enabled": False}}),
        ("gemini", "home/.gemini/settings.json", {"hooksConfig": {"disabled": ["agent-riggs"]}}),
        ("gemini", "managed/gemini.json", {"hooksConfig": {"enabled": False}}),
        ("copilot", "project/.github/copilot/settings.json", OFF),
        ("copilot", "project/.claude/settings.json", OFF),
        ("copilot", "home/.copilot/hooks/agent-riggs.json", OFF),
    ],
)
def test_a_policy_against_hooks_is_told(scene: Scene, agent: str, name: str, policy: Mapping[str, object]) -> None:
    scene.install(agent)
    assert scene.wrong() == []
    path = scene.settings(policy, scene.folder / name)
    (found,) = scene.wrong(GEMINI_CLI_SYSTEM_SETTINGS_PATH=str(scene.folder / "managed" / "gemini.json"))
    assert f"{next(iter(policy))}" in found
    assert str(path) in found


@pytest.mark.parametrize("name", ["allowManagedHooksOnly", "strictPluginOnlyCustomization"])
def test_only_a_managed_file_can_say_some_things(scene: Scene, name: str) -> None:
    scene.install("claude-code")
    scene.settings({name: True}, scene.home / ".claude" / "settings.json")
    assert scene.wrong() == []


@pytest.mark.parametrize(
    ("name", "text", "word"),
    [
        ("home/.codex/config.toml", "[features]\nhooks = false\n", "features"),
        ("project/.codex/config.toml", "[features]\ncodex_hooks = false\n", "features"),
        ("managed/requirements.toml", "[features]\nhooks = false\n", "features"),
        ("managed/requirements.toml", "allow_managed_hooks_only = true\n", "allow_managed_hooks_only"),
        ("home/.codex/config.toml", '[hooks.state."{home}/.codex/hooks.json:stop:0:0"]\nenabled = false\n', "stop:0:0"),
    ],
)
def test_codex_s_settings_against_hooks_are_told(scene: Scene, name: str, text: str, word: str) -> None:
    scene.install("codex")
    assert scene.wrong() == []
    path = scene.folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text.replace("{home}", str(scene.home)), encoding="utf-8")
    (found,) = scene.wrong()
    assert word in found


def test_opencode_without_plugins_is_told(scene: Scene) -> None:
    scene.install("opencode")
    assert any("OPENCODE_PURE" in found for found in scene.wrong(OPENCODE_PURE="1"))


def test_codex_is_asked_to_allow_the_hooks_until_it_was(scene: Scene) -> None:
    scene.install("codex")
    (found,) = (check for check in scene.look() if check.state == "note" and check.name == "hook (codex)")
    assert found.remedy == "start Codex once and allow its hooks"
    state = f'[hooks.state."{scene.home}/.codex/hooks.json:stop:0:0"]\ntrusted_hash = "sha256:0"\n'
    (scene.home / ".codex" / "config.toml").write_text(state, encoding="utf-8")
    assert not any(check.state == "note" and check.name == "hook (codex)" for check in scene.look())


@pytest.mark.parametrize(
    ("agent", "mark", "read"),
    [
        ("claude-code", "\ufeff", True),
        ("claude-code", "// mine\n", False),
        ("codex", "\ufeff", False),
        ("codex", "// mine\n", False),
        ("gemini", "\ufeff", False),
        ("gemini", '/* mine: "a" */ // "b"\n', True),
        ("copilot", "\ufeff", False),
        ("copilot", "// mine\n", False),
    ],
)
def test_a_file_is_read_as_its_agent_reads_it(scene: Scene, agent: str, mark: str, read: bool) -> None:
    scene.install(agent)
    (path,) = (one.path for one in delivery.installed(scene.around()))
    path.write_text(mark + path.read_text(encoding="utf-8"), encoding="utf-8")
    (found,) = (check for check in scene.look() if str(path) in check.found and check.state != "note")
    assert (found.state, "no hook in it runs" in found.found) == (("ok", False) if read else ("wrong", True))


def test_a_hook_that_sessions_do_not_call_is_told(scene: Scene) -> None:
    scene.install("claude-code")
    scene.store(ended=NOW + 2 * DAY)
    assert any("never run" in found for found in scene.wrong())
    scene.fire("claude_code", NOW / 1e6)
    assert any("more than a day" in found for found in scene.wrong())
    scene.fire("claude_code", NOW / 1e6 + 2 * 86_400)
    assert scene.wrong() == []


def test_deliveries_nobody_can_show_are_told(scene: Scene) -> None:
    scene.install("claude-code")
    scene.store(TOLD)
    assert any("nothing shows" in found for found in scene.wrong())


def test_a_session_that_was_not_read_since_proves_nothing_yet(scene: Scene) -> None:
    scene.install("claude-code")
    scene.store(replace(TOLD, session_id="still running"))
    (found,) = (check for check in scene.look() if check.name.startswith("delivery"))
    assert (found.state, found.remedy) == ("note", "agent-riggs ingest")


def test_a_proven_delivery_is_good_and_a_slow_hook_is_told(scene: Scene) -> None:
    scene.install("claude-code")
    scene.store(TOLD, seen=True)
    found = [check for check in scene.look() if check.name.startswith("delivery")]
    assert [(check.state, check.found) for check in found] == [
        ("ok", "1 told, 0 withheld (a repeat, or held out), 1 found in transcripts"),
        ("note", "the hook took 5.0 s once; 1 s is its limit"),
    ]


def test_a_client_version_nobody_tested_is_told(scene: Scene) -> None:
    scene.install("claude-code")
    scene.store(versions="2.1.332 99.0.1")
    assert any("99.0.1" in check.found for check in scene.look() if check.name == "client version")
    scene.store(versions="2.1.332")
    assert not any(check.name == "client version" for check in scene.look())


def test_a_client_that_is_installed_is_compared_with_those_tested(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    scene.install("gemini")
    for version, told in (("0.61.0", []), ("0.99.0", ["gemini 0.99.0 is installed: the hook was tested with 0.61.0"])):
        monkeypatch.setattr(delivery, "installed_version", lambda source, environ, version=version: version)
        assert [check.found for check in scene.look() if check.name == "client version"] == told


def test_when_the_hook_last_ran_is_told(scene: Scene) -> None:
    scene.install("claude-code")
    assert any(check.found == "has not run in this project yet" for check in scene.look())
    scene.fire("claude_code", 1_796_000_000)
    assert any(check.found == "last ran 2026-11-30 00:53 UTC" for check in scene.look())
    scene.store(replace(TOLD, told_at=1_796_003_600_000_000))
    assert any(check.found == "last ran 2026-11-30 01:53 UTC" for check in scene.look())


def test_a_hook_that_a_plugin_calls_is_told(scene: Scene) -> None:
    scene.fire("copilot", 1_796_000_000)
    (check,) = (check for check in scene.look() if check.name.startswith("hook"))
    assert (check.name, check.state) == ("hook (copilot)", "ok")
    assert check.found == "called by a plugin or another file; last ran 2026-11-30 00:53 UTC"


def test_what_the_hook_noted_is_told(scene: Scene) -> None:
    scene.install("claude-code")
    path = Path(scene.environ["AGENT_RIGGS_STATE_DIR"]) / hook.ERRORS
    path.write_text("2026-11-29T20:00:00Z ValueError hook.py:1\n", encoding="utf-8")
    assert any("ValueError hook.py:1" in check.found for check in scene.look())
