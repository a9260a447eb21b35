"""The end of a session: an ingest in the background, for projects that have a store, one at a time."""

from __future__ import annotations

import json
import os
import subprocess
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import filelock
import pytest

from agent_riggs.deliver import ending
from deliver import events
from deliver.events import Place


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Projects for which an ingest was started."""
    found: list[str] = []

    def start(root: str, environ: Mapping[str, str]) -> None:
        found.append(root)

    monkeypatch.setattr(ending, "start", start)
    return found


def end(here: Place, name: str = "SessionEnd") -> None:
    assert here.ask(events.claude(name)) is None


def with_store(here: Place) -> Path:
    store = here.root / ".riggs" / "store.duckdb"
    store.touch()
    here.state.mkdir(parents=True, exist_ok=True)
    (here.state / ending.OWN_STORE).touch()
    return store


def test_a_store_that_a_repository_brought_is_left_alone(here: Place, started: list[str]) -> None:
    with_store(here)
    (here.state / ending.OWN_STORE).unlink()
    end(here)
    assert started == []
    assert not list(here.state.iterdir())


def test_a_project_nobody_has_read_is_left_alone(here: Place, started: list[str]) -> None:
    end(here)
    assert started == []
    assert not here.state_home.exists()


def test_the_end_of_a_session_starts_an_ingest(here: Place, started: list[str]) -> None:
    with_store(here)
    end(here)
    end(here)
    assert started == [str(here.root)] * 2
    assert (here.state / "fired-claude_code").is_file()


def test_the_end_of_a_turn_starts_one_a_minute_at_most(here: Place, started: list[str]) -> None:
    with_store(here)
    for _ in range(3):
        end(here, "Stop")
    assert len(started) == 1
    long_ago = time.time() - 2 * ending.PAUSE
    os.utime(here.state / "ingest-asked", (long_ago, long_ago))
    end(here, "Stop")
    assert len(started) == 2


def test_none_is_started_while_one_is_running(here: Place, started: list[str]) -> None:
    with_store(here)
    assert not ending.is_running(str(here.root))
    with filelock.FileLock(here.root / ".riggs" / "ingest.lock"):
        assert ending.is_running(str(here.root))
        end(here)
    assert started == []
    end(here)
    assert len(started) == 1


def test_every_host_s_ending_counts(here: Place, started: list[str]) -> None:
    with_store(here)
    endings = [
        {"hook_event_name": "SessionEnd", "reason": "exit"},
        {"sessionId": "s", "reason": "complete", "timestamp": 1},
        {"host": "opencode", "hook_event_name": "idle"},
        {"hook_event_name": "Stop", "turn_id": "t"},
    ]
    for payload in endings:
        here.ask(payload, GEMINI_SESSION_ID="g" if payload.get("reason") == "exit" else "")
    hosts = {path.name.removeprefix(ending.FIRED) for path in here.state.glob("fired-*")}
    assert hosts == {"gemini", "copilot", "opencode", "codex"}


@pytest.mark.parametrize(
    ("payload", "host"),
    [
        ({"hook_event_name": "Stop", "transcript_path": "/h/.claude/projects/p/s.jsonl"}, "claude_code"),
        ({"hook_event_name": "Stop", "turn_id": "t"}, "codex"),
        ({"hook_event_name": "AfterAgent", "prompt": "run it"}, "gemini"),
        ({"sessionId": "s", "stopReason": "end_turn", "timestamp": 1}, "copilot"),
        ({"host": "opencode", "hook_event_name": "idle"}, "opencode"),
    ],
)
def test_the_end_of_a_turn_is_heard_at_every_host(
    here: Place, started: list[str], payload: events.Json, host: str
) -> None:
    with_store(here)
    for _ in range(2):
        assert here.ask(payload) is None
    assert started == [str(here.root)], "and not read again within a minute"
    assert (here.state / f"{ending.FIRED}{host}").is_file()


def test_no_code_of_the_project_is_a_part_of_the_reading(
    here: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun: list[subprocess.Popen[bytes]] = []
    begin = subprocess.Popen

    def listen(*words: Any, **more: Any) -> subprocess.Popen[bytes]:
        begun.append(begin(*words, **more))
        return begun[-1]

    monkeypatch.setattr(subprocess, "Popen", listen)
    for name in ("sitecustomize", "re", "agent_riggs"):
        (here.root / f"{name}.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')\n", encoding="utf-8")
    ending.start(str(here.root), {**os.environ, "PYTHONPATH": "."})
    assert begun[0].wait(60) == 0
    assert not (tmp_path / "ran").exists()


def test_the_agent_does_not_wait_and_the_store_is_read(here: Place) -> None:
    """A whole process: the hook is back at once, and the ingest it started ends by itself."""
    from agent_riggs.store import open_write

    with open_write(here.root / ".riggs" / "store.duckdb"):
        pass
    here.state.mkdir(parents=True)
    (here.state / ending.OWN_STORE).touch()
    before = (here.root / ".riggs" / "store.duckdb").stat().st_mtime_ns
    done = here.run(json.dumps(events.claude("SessionEnd", cwd=str(here.root))).encode())
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and (here.root / ".riggs" / "store.duckdb").stat().st_mtime_ns == before:
        time.sleep(0.1)
    while time.monotonic() < deadline and ending.is_running(str(here.root)):
        time.sleep(0.1)
    assert (here.root / ".riggs" / "ingest.lock").exists()
    assert (here.root / ".riggs" / "store.duckdb").stat().st_mtime_ns != before
