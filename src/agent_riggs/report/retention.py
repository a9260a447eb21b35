"""How long Claude Code keeps its transcripts: after that, only what was ingested remains."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from agent_riggs.paths import agent_homes

DEFAULT_DAYS: Final = 30
"""``cleanupPeriodDays`` where no settings file names it (Claude Code's own documentation)."""


@dataclass(frozen=True, slots=True)
class Retention:
    """The rule in force, and where it stands."""

    days: int
    """0 means that no transcripts are written at all."""
    file: Path | None
    """The settings file that says so; ``None`` for the agent's default."""


def claude_retention(root: Path, environ: Mapping[str, str], home: Path) -> Retention:
    """The rule for the project at ``root``: its local settings, then its shared ones, then the user's."""
    files = [
        root / ".claude" / "settings.local.json",
        root / ".claude" / "settings.json",
        *(folder / "settings.json" for folder in agent_homes("claude_code", environ, home)),
    ]
    for file in files:
        days = _days(file)
        if days is not None:
            return Retention(days, file)
    return Retention(DEFAULT_DAYS, None)


def _days(file: Path) -> int | None:
    try:
        settings = json.loads(file.read_bytes().decode("utf-8-sig"))
    except (OSError, ValueError, RecursionError):
        return None
    value = settings.get("cleanupPeriodDays") if isinstance(settings, dict) else None
    return int(value) if isinstance(value, int | float) and not isinstance(value, bool) and value >= 0 else None
