"""Sample sessions: what ``agent-riggs demo`` reads on a machine that has no transcripts of its own.

Eleven invented Claude Code sessions of one invented project, in which a handful of failures come back and are ended
the same way each time. Everything is written by this package, the same bytes for the same arguments.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from agent_riggs.samples.records import lines
from agent_riggs.samples.story import SESSIONS

PROJECT = "tidewatch"
"""Name of the invented project."""

UNTIL = 1_793_900_000_000_000
"""When the last session ends unless said otherwise: microseconds since 1970 UTC, in November 2026."""


def write(home: Path, project: Path, until: int = UNTIL) -> int:
    """Write the sample transcripts into the Claude Code folder of ``home`` and return the number of sessions.

    ``project`` is the folder the sessions are said to have run in; it need not exist and is not made. ``until``
    is when the last session ends, in microseconds since 1970 UTC.
    """
    folder = home / ".claude" / "projects" / re.sub(r"[^a-zA-Z0-9]", "-", str(project))
    for path, content in files(str(project), until):
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
    return len(SESSIONS)


def files(cwd: str, until: int = UNTIL) -> Iterator[tuple[str, bytes]]:
    """Every sample transcript as its path below the project's transcript folder and its bytes."""
    for session in SESSIONS:
        for path, records in lines(session, cwd, until):
            yield path, b"".join(record + b"\n" for record in records)
