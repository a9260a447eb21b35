from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import duckdb
import pytest

from agent_riggs import samples
from agent_riggs.model import Problem
from agent_riggs.paths import find_project
from agent_riggs.report import health
from agent_riggs.report.health import Check, Surroundings, checks
from agent_riggs.sources import SOURCES
from agent_riggs.store.migrations import SCHEMA_VERSION
from faces.build import DAY, START, Call, transcript, write_store


@pytest.fixture
def look(tmp_path: Path, home: Path) -> Callable[..., dict[str, Check]]:
    """The checks of a project by name."""

    def ask(now: int = START + DAY, **environ: str) -> dict[str, Check]:
        at = Surroundings(find_project(tmp_path), SOURCES, {"HOME": str(home), **environ}, home, now)
        return {check.name: check for check in checks(at)}

    return ask


def store(root: Path, last_ingest: int = START, **more: object) -> Path:
    path = write_store(root, [Call()], riggs_meta=[{"key": "last_ingest", "value": str(last_ingest)}], **more)  # type: ignore[arg-type]
    path.chmod(0o600)
    (root / ".riggs" / ".gitignore").write_text("*\n")
    return path


def test_a_good_project_has_nothing_wrong(tmp_path: Path, look: Callable[..., dict[str, Check]]) -> None:
    store(tmp_path)
    found = look()
    assert [check for check in found.values() if check.state == "wrong"] == []
    assert found["last ingest"] == Check("last ingest", "ok", "1 day ago")
    assert f"schema version {SCHEMA_VERSION}" in found["store"].found
    assert "duckdb " in found["programs"].found


def test_a_new_project_is_told_what_to_do(look: Callable[..., dict[str, Check]]) -> None:
    assert look()["store"].remedy == "agent-riggs ingest"


@pytest.mark.parametrize(("days", "state"), [(1, "ok"), (16, "note"), (31, "wrong")])
def test_an_old_ingest_is_measured_against_the_agents_retention(
    tmp_path: Path, look: Callable[..., dict[str, Check]], days: int, state: str
) -> None:
    store(tmp_path)
    assert look(now=START + days * DAY)["last ingest"].state == state


def test_transcripts_that_are_never_written_are_wrong(
    tmp_path: Path, home: Path, look: Callable[..., dict[str, Check]]
) -> None:
    (home / ".claude").mkdir()
    (home / ".claude" / "settings.json").write_text('{"cleanupPeriodDays": 0}')
    assert look()["retention"].state == "wrong"


def test_a_store_that_others_can_read_is_wrong(tmp_path: Path, look: Callable[..., dict[str, Check]]) -> None:
    store(tmp_path).chmod(0o644)
    found = look()["permissions"]
    assert found.state == "wrong"
    assert found.remedy.startswith("chmod 600 ")


def test_a_store_that_could_be_committed_is_wrong(tmp_path: Path, look: Callable[..., dict[str, Check]]) -> None:
    store(tmp_path)
    (tmp_path / ".riggs" / ".gitignore").unlink()
    assert look()["gitignore"].state == "wrong"


def test_a_broken_store_is_wrong(tmp_path: Path, look: Callable[..., dict[str, Check]]) -> None:
    store(tmp_path).write_text("no database " * 1000)
    assert look()["store"].state == "wrong"


def test_bad_settings_are_wrong_and_old_ones_are_noted(tmp_path: Path, look: Callable[..., dict[str, Check]]) -> None:
    store(tmp_path)
    settings = tmp_path / ".riggs" / "config.toml"
    settings.write_text("[ratchet]\nmin_frequency = 'five'\n")
    assert look()["settings"].state == "wrong"
    settings.write_text("[trust]\ngate_threshold = 0.3\n")
    assert "trust.gate_threshold" in look()["settings"].found


def test_a_source_that_never_fails_is_wrong(tmp_path: Path, look: Callable[..., dict[str, Check]]) -> None:
    write_store(tmp_path, [Call(minute=n) for n in range(300)], transcripts=[transcript("/t")])
    found = [check for check in look().values() if "not one failure" in check.found]
    assert [check.name for check in found] == ["claude_code"]


def test_problems_are_noted(tmp_path: Path, look: Callable[..., dict[str, Check]]) -> None:
    store(tmp_path, problems=[{"problem_id": 1, "path": "/x", "reason": "y"}])
    assert look()["problems"].remedy == "agent-riggs problems"


def test_the_process_that_writes_is_named(tmp_path: Path, look: Callable[..., dict[str, Check]]) -> None:
    path = store(tmp_path)
    with duckdb.connect(str(path)):
        holder = health._holder(path)
    assert holder is None or f"process {os.getpid()}" in holder


def test_a_full_disk_is_wrong(
    tmp_path: Path, look: Callable[..., dict[str, Check]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(health, "LEAST_FREE", 10**18)
    assert look()["disk"].state == "wrong"


def test_a_state_folder_that_cannot_be_is_wrong(tmp_path: Path, look: Callable[..., dict[str, Check]]) -> None:
    (tmp_path / "file").write_text("")
    found = look(AGENT_RIGGS_STATE_DIR=str(tmp_path / "file"))["state folder"]
    assert found.state == "wrong"


def test_looking_changes_nothing(tmp_path: Path, home: Path, look: Callable[..., dict[str, Check]]) -> None:
    store(tmp_path)

    def trace() -> list[tuple[str, int]]:
        return sorted((str(p), p.stat().st_mtime_ns) for root in (tmp_path, home) for p in root.rglob("*"))

    before = trace()
    look()
    assert trace() == before


def test_agents_with_and_without_transcripts(tmp_path: Path, home: Path, look: Callable[..., dict[str, Check]]) -> None:
    samples.write(home, tmp_path)
    found = look()
    assert found["claude_code"] == Check("claude_code", "ok", f"12 transcripts in {home / '.claude'}")
    assert "codex" in found["other agents"].found
    assert "claude_code" not in found["other agents"].found


def test_a_source_of_another_package_that_cannot_be_loaded_is_wrong(
    look: Callable[..., dict[str, Check]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(health, "BROKEN", (Problem("entry point x", "source cannot be loaded"),))
    assert look()["sources"].state == "wrong"
