"""Keeps every test away from the real home folder: its agents' transcripts, and our own state.

Each test gets a home of its own under pytest's temporary folder, and every variable that could lead elsewhere is
pointed there or removed. An audit hook refuses what still reaches for the real places (a home folder asked of the
user database, a path written out), and the test that tried fails even if the code swallowed the refusal. What no
hook sees (sub-processes, DuckDB's own file access) shows in a comparison of the real places before and after.
"""

from __future__ import annotations

import itertools
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

PLACES = (
    ".claude",
    ".config/claude",
    ".codex",
    ".copilot",
    ".gemini",
    ".kibitzer",
    ".local/share/opencode",
    ".local/state/agent-riggs",
    ".riggs",
    "Library/Application Support/agent-riggs",
    "AppData/Local/agent-riggs",
)
"""What is guarded inside the real home folder."""

PREFIXES = ("AGENT", "AI_AGENT", "CLAUDE", "CODEX", "COPILOT", "CURSOR", "GEMINI", "OPENCODE", "RIGGS", "XDG_", "GIT_")
"""Variables that are removed: they name folders, or say that an agent is at work."""

EVENTS = frozenset(
    {"open", "os.listdir", "os.scandir", "os.mkdir", "os.remove", "os.rename", "os.rmdir", "os.truncate"}
)


class RealHomeTouched(RuntimeError):
    """A test reached for the real home folder."""


def real_places() -> tuple[str, ...]:
    """The guarded folders: below the real home folder (environment and user database) and named by variables."""
    homes = {os.path.expanduser("~")}
    if os.name != "nt":
        import pwd

        homes.add(pwd.getpwuid(os.getuid()).pw_dir)
    named = [os.environ.get(name, "") for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "AGENT_RIGGS_STATE_DIR")]
    found = [os.path.join(home, place) for home in homes for place in PLACES] + [path for path in named if path]
    return tuple(sorted({os.path.abspath(path) for path in found}))


class Guard:
    """The hook's memory: audit hooks cannot be removed, so there is one per process, switched on per test."""

    def __init__(self, places: tuple[str, ...]) -> None:
        self.places = places
        self.on = False
        self.touched: list[str] = []
        sys.addaudithook(self._hear)

    def _hear(self, event: str, args: tuple[object, ...]) -> None:
        if not self.on or event not in EVENTS or not args or not isinstance(args[0], (str, bytes, os.PathLike)):
            return
        path = os.path.abspath(os.fsdecode(args[0]))
        if any(path == place or path.startswith(place + os.sep) for place in self.places):
            self.touched.append(f"{event} {path}")
            raise RealHomeTouched(f"a test may not touch {path}")

    def snapshot(self) -> dict[str, tuple[int, int] | None]:
        """Modification time and number of entries of each guarded folder; ``None`` where there is none."""
        was, self.on = self.on, False
        try:
            return {place: _trace(place) for place in self.places}
        finally:
            self.on = was


def _trace(place: str) -> tuple[int, int] | None:
    try:
        return os.stat(place).st_mtime_ns, len(os.listdir(place))
    except OSError:
        return None


GUARD = Guard(real_places())


HOMES = itertools.count()


def _new_home(factory: pytest.TempPathFactory) -> Path:
    """An empty folder. Counted here: pytest's own numbering lists all earlier ones, once for each of many tests."""
    fake = factory.getbasetemp() / "homes" / str(next(HOMES))
    fake.mkdir(parents=True)
    return fake


@pytest.fixture(autouse=True)
def home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty home folder for this test; the real one is out of reach."""
    fake = _new_home(tmp_path_factory)
    for name in list(os.environ):
        if name.startswith(PREFIXES):
            monkeypatch.delenv(name)
    for name, place in {
        "HOME": "",
        "USERPROFILE": "",
        "APPDATA": "AppData/Roaming",
        "LOCALAPPDATA": "AppData/Local",
        "XDG_CONFIG_HOME": ".config",
        "XDG_DATA_HOME": ".local/share",
        "XDG_STATE_HOME": ".local/state",
        "XDG_CACHE_HOME": ".cache",
        "AGENT_RIGGS_STATE_DIR": ".local/state/agent-riggs",
    }.items():
        monkeypatch.setenv(name, str(fake / place))
    for name, value in {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}.items():
        monkeypatch.setenv(name, value)
    for name in ("GIT_AUTHOR", "GIT_COMMITTER"):
        monkeypatch.setenv(f"{name}_NAME", "A Tester")
        monkeypatch.setenv(f"{name}_EMAIL", "tester@example.invalid")
    GUARD.touched.clear()
    GUARD.on = True
    try:
        yield fake
    finally:
        GUARD.on = False
    if GUARD.touched:
        pytest.fail("touched the real home folder: " + "; ".join(GUARD.touched), pytrace=False)


@pytest.fixture(autouse=True, scope="session")
def real_home_unchanged() -> Iterator[None]:
    """The run as a whole leaves the real places as they were, whoever reached for them."""
    before = GUARD.snapshot()
    yield
    after = GUARD.snapshot()
    changed = [place for place in before if before[place] != after[place] and not _in_use(place)]
    if changed:
        told = "the run changed the real home folder (or an agent-riggs beside it did, a hook perhaps): "
        pytest.fail(told + ", ".join(changed), pytrace=False)


def _in_use(place: str) -> bool:
    """Agents may be at work while the tests run; nobody but us writes our own state."""
    return not place.endswith(("agent-riggs", ".riggs"))
