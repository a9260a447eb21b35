"""Which version of an agent's client is installed here, told by where its program lies. Nothing is run for it."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Final

_PROGRAMS: Final = {
    "claude_code": ("claude", "@anthropic-ai/claude-code"),
    "codex": ("codex", "@openai/codex"),
    "copilot": ("copilot", "@github/copilot"),
    "gemini": ("gemini", "@google/gemini-cli"),
    "opencode": ("opencode", "opencode-ai"),
}
"""Per agent, as sources are named: its program and its package in npm's registry."""
_VERSION: Final = re.compile(r"\d+\.\d+\.\d+(?:[-+.][\w.]+)?\Z")


def installed(source: str, environ: Mapping[str, str]) -> str | None:
    """The version of the client that the PATH finds; ``None`` when there is none, or where it lies says nothing.

    npm's packages name their version in ``package.json`` above the program; installers and package managers that keep
    several versions have a folder (or the program itself) named after it.
    """
    program, package = _PROGRAMS.get(source, ("", ""))
    found = shutil.which(program, path=environ.get("PATH", "")) if program else None
    if found is None:
        return None
    path = Path(found).resolve()
    for folder in path.parents:
        version = _package_version(folder / "package.json", package)
        if version:
            return version
    named = [part for part in path.parts if _VERSION.match(part)]
    return named[-1] if named else None


def _package_version(path: Path, package: str) -> str | None:
    try:
        about = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return None
    version = about.get("version") if isinstance(about, dict) and about.get("name") == package else None
    return version if isinstance(version, str) else None
