"""A home with transcripts and the project they belong to, driven by the commands as a user would."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import claude
from agent_riggs.store import open_read
from faces.run import Ran, run

NOT_FOUND = "Exit code 127\n/bin/bash: line 1: frob: command not found"


def works(number: int, **fields: Any) -> list[Any]:
    """A call that worked, with its result."""
    return [claude.call(number, **fields), claude.result(number, "built", **fields)]


def fails(number: int, **fields: Any) -> list[Any]:
    """A call that failed, with its result."""
    call = claude.call(number, "Bash", {"command": "frob --all"}, **fields)
    return [call, claude.result(number, NOT_FOUND, True, **fields)]


@dataclass(frozen=True)
class Scene:
    """Transcripts below ``home`` and the folder of the project."""

    home: Path
    root: Path

    @property
    def projects(self) -> Path:
        return self.home / ".claude" / "projects"

    @property
    def store(self) -> Path:
        return self.root / ".riggs" / "store.duckdb"

    def write(self, *records: Any, name: str = "one", **more: Any) -> Path:
        """A transcript of a session of that name in the project."""
        return claude.write(self.home, *records, **{"name": name, "session_id": name, "cwd": str(self.root), **more})

    def lines(self, *records: Any, name: str = "one", **more: Any) -> list[bytes]:
        """The same as lines without their ends."""
        return claude.encoded(*records, **{"session_id": name, "cwd": str(self.root), **more})

    def put(self, data: bytes, name: str = "one", folder: str = "-srv-shop") -> Path:
        """A transcript of these bytes."""
        path = claude.place(self.home, name, folder)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        return path

    def run(self, *words: str) -> Ran:
        return run(self.root, *words)

    def ingest(self, *words: str) -> Any:
        """The counts of one ingest that must succeed."""
        ran = self.run("ingest", "--json", *words)
        assert ran.code == 0, ran.err
        return ran.json

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        with open_read(self.store) as store:
            return store.conn.execute(query).fetchall()


@contextmanager
def shared(factory: pytest.TempPathFactory) -> Iterator[Scene]:
    """One scene for all tests of a module, with a home of its own."""
    place = factory.mktemp("scene")
    found = Scene(place / "home", place / "shop")
    found.home.mkdir()
    found.root.mkdir()
    with pytest.MonkeyPatch.context() as patch:
        for name in [one for one in os.environ if one.startswith(("CLAUDE", "XDG_", "CODEX", "GEMINI", "OPENCODE"))]:
            patch.delenv(name)
        patch.setenv("HOME", str(found.home))
        patch.setenv("USERPROFILE", str(found.home))
        patch.setenv("AGENT_RIGGS_STATE_DIR", str(found.home / "state"))
        yield found
