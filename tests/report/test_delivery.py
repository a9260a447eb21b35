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
from agent_riggs.report import delivery
from agent_riggs.report.health import Check, Surroundings
from agent_riggs.store import deliveries, open_write, transcripts
from agent_riggs.store.deliveries import Delivery
from agent_riggs.store.transcripts import TranscriptRow

NOW = time.time_ns() // 1000
DAY = 86_400_000_000


class Scene:
    """A project, a home and a program."""

    def __init__(self, folder: Path) -> None:
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

    def look(self, **environ: str) -> list[Check]:
        around = Surroundings(self.project, {}, {**self.environ, **environ}, self.home, NOW)
        return list(delivery.checks(around))

    def wrong(self, **environ: str) -> list[str]:
        return [check.found for check in self.look(**environ) if check.state == "wrong"]

    def settings(self, value: Mapping[str, object], name: str = ".claude/settings.json") -> Path:
        path = self.home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        held = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
        path.write_text(json.dumps({**held, **value}), encoding="utf-8")
        return path

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
def scene(tmp_path: Path) -> Scene:
    return Scene(tmp_path)


TOLD = Delivery(1, NOW, "claude_code", "s1", "c", "k", "f", "after", "delivered", "")


def test_nothing_installed_is_told(scene: Scene) -> None:
    (check,) = scene.look()
    assert (check.state, check.found) == ("note", "no agent calls it: fixes are served nowhere")


@pytest.mark.parametrize("agent", install.AGENTS)
@pytest.mark.parametrize("scope", ["user", "project"])
def test_an_installed_hook_is_found_where_it_is(scene: Scene, agent: str, scope: install.Scope) -> None:
    scene.install(agent, scope)
    found = scene.look()
    assert [check.state for check in found] == ["ok"] * len(found)
    assert found
    assert all(check.name == f"hook ({agent})" for check in found)


@pytest.mark.parametrize("agent", install.AGENTS)
def test_a_program_that_is_gone_is_told(scene: Scene, agent: str, monkeypatch: pytest.MonkeyPatch) -> None:
    scene.install(agent)
    scene.program.unlink()
    monkeypatch.setenv("PATH", "/nowhere")
    (found,) = scene.wrong()
    assert str(scene.program) in found
    assert "gone" in found


def test_the_off_switch_is_told(scene: Scene) -> None:
    scene.install("codex")
    assert any("switched off" in found for found in scene.wrong(**{hook.OFF_SWITCH: "off"}))


@pytest.mark.parametrize(
    ("agent", "name", "policy"),
    [
        ("claude-code", ".claude/settings.json", {"disableAllHooks": True}),
        ("claude-code", ".claude/settings.local.json", {"disableAllHooks": True}),
        ("gemini", ".gemini/settings.json", {"hooksConfig": {"enabled": False}}),
        ("gemini", ".gemini/settings.json", {"hooksConfig": {"disabled": ["agent-riggs"]}}),
    ],
)
def test_a_policy_against_hooks_is_told(scene: Scene, agent: str, name: str, policy: Mapping[str, object]) -> None:
    scene.install(agent)
    path = scene.settings(policy, name)
    assert any(str(path) in found for found in scene.wrong())


def test_a_managed_policy_is_told(scene: Scene, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    managed = tmp_path / "managed-settings.json"
    managed.write_text('{"allowManagedHooksOnly": true}', encoding="utf-8")
    monkeypatch.setattr(delivery, "_managed", lambda: (managed,))
    scene.install("claude-code")
    assert any("allowManagedHooksOnly" in found for found in scene.wrong())
    scene.settings({"allowManagedHooksOnly": True})
    assert len(scene.wrong()) == 1, "only a managed file can say so"


def test_codex_s_features_are_told(scene: Scene) -> None:
    scene.install("codex")
    (scene.home / ".codex" / "config.toml").write_text("[features]\nhooks = false\n", encoding="utf-8")
    assert any("features" in found for found in scene.wrong())


def test_a_hook_that_sessions_do_not_call_is_told(scene: Scene) -> None:
    scene.install("claude-code")
    scene.store(ended=NOW + 2 * DAY)
    assert any("never run" in found for found in scene.wrong())
    fired = state_dir(scene.project, scene.environ) / f"{ending.FIRED}claude_code"
    fired.parent.mkdir(parents=True, exist_ok=True)
    fired.touch()
    assert any("more than a day" in found for found in scene.wrong())
    os.utime(fired, (NOW / 1e6 + 2 * 86_400, NOW / 1e6 + 2 * 86_400))
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
        ("ok", "1 told, 0 kept back, 1 found in transcripts"),
        ("note", "the hook took 5.0 s once; 1 s is its limit"),
    ]


def test_a_client_version_nobody_tested_is_told(scene: Scene) -> None:
    scene.install("claude-code")
    scene.store(versions="2.1.332 99.0.1")
    assert any("99.0.1" in check.found for check in scene.look() if check.name == "client version")
    scene.store(versions="2.1.332")
    assert not any(check.name == "client version" for check in scene.look())


def test_what_the_hook_noted_is_told(scene: Scene) -> None:
    scene.install("claude-code")
    path = Path(scene.environ["AGENT_RIGGS_STATE_DIR"]) / hook.ERRORS
    path.write_text("2026-11-29T20:00:00Z ValueError hook.py:1\n", encoding="utf-8")
    assert any("ValueError hook.py:1" in check.found for check in scene.look())
