"""The report that a bug leaves behind: what was asked, on what, and the traceback. Nothing is sent anywhere."""

from __future__ import annotations

import os
import platform
import sys
import tempfile
import traceback
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path

from agent_riggs import folders
from agent_riggs.errors import RiggsError
from agent_riggs.faces.here import version
from agent_riggs.judge.redact import redact
from agent_riggs.paths import state_home


def write_report(error: BaseException, words: Sequence[str], environ: Mapping[str, str]) -> Path | None:
    """Write a report that only its owner can read; returns where, or ``None`` when nowhere could be written."""
    text = redact(report(error, words))
    for folder in _places(environ):
        try:
            folders.make(os.fspath(folder))
            handle, name = tempfile.mkstemp(prefix=f"bug-{_stamp()}-", suffix=".log", dir=folder)
            with os.fdopen(handle, "w", encoding="utf-8", errors="backslashreplace") as file:
                file.write(text)
        except OSError:
            continue
        return Path(name)
    return None


def headline(error: BaseException) -> str:
    """The error in one line, redacted: its text may hold anything."""
    return redact(f"{type(error).__name__}: {error}")[:500]


def report(error: BaseException, words: Sequence[str]) -> str:
    """The text of a report."""
    return "\n".join(
        [
            f"agent-riggs {version()}",
            f"Python {platform.python_version()} ({sys.executable})",
            f"{platform.system()} {platform.release()} {platform.machine()}",
            *(f"{name} {_version_of(name)}" for name in ("duckdb", "click", "msgspec", "tree-sitter-bash")),
            f"command: agent-riggs {' '.join(map(repr, words))}",
            f"when: {datetime.now(UTC).isoformat(timespec='seconds')}",
            "",
            "".join(traceback.format_exception(error)),
        ]
    )


def _places(environ: Mapping[str, str]) -> list[Path]:
    try:
        return [state_home(environ) / "bugs", Path(tempfile.gettempdir())]
    except RiggsError:
        return [Path(tempfile.gettempdir())]


def _stamp() -> str:
    return datetime.now(UTC).strftime("%Y%m%d-%H%M%S")


def _version_of(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "not installed"
