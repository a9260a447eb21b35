"""Reading transcripts in tests: one file through a source, and what came out in a form fit for comparison."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from agent_riggs.model import Cursor, ToolCall, Transcript
from agent_riggs.sources import base
from agent_riggs.sources.base import Source
from agent_riggs.sources.check import Reading, read_all

NOW = 1_798_761_600_000_000
"""2027-01-01, after every time in the samples."""

PAIRS = Path(__file__).parent / "sources" / "pairs"
SHARED = Path(__file__).parent.parent / ".." / "shared"
"""Facts shared beside a checkout, where there are any; tests must pass without them."""


def transcript(source: Source, path: Path, home: Path | None = None) -> Transcript:
    """The transcript a source would find for a file."""
    return base.transcript(source.name, path, path.stat(), None, home)


def read(source: Source, path: Path, cursor: Cursor | None = None, home: Path | None = None) -> Reading:
    """One reading of a file."""
    return read_all(source, transcript(source, path, home), NOW, cursor)


def write_lines(path: Path, records: Iterable[object]) -> Path:
    """A file of JSON lines; texts are written as they are."""
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = [r if isinstance(r, str) else json.dumps(r) for r in records]
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


def told(call: ToolCall) -> dict[str, Any]:
    """A call with its defaults left out."""
    fields = {k: v for k, v in asdict(call).items() if v not in ("", None, 0, {}) and k not in ("agent", "result")}
    if call.result is not None:
        fields["result"] = {k: v for k, v in asdict(call.result).items() if v not in ("", None, 0) or k == "exit_code"}
        fields["result"] = {k: v for k, v in fields["result"].items() if v is not None}
    return fields


def summary(reading: Reading) -> dict[str, Any]:
    """Everything a reading tells, in the form of an expected file."""
    notices = sorted(reading.notices, key=lambda n: n.position)
    found: Mapping[str, Any] = {
        "calls": [told(c) for c in sorted(reading.calls.values(), key=lambda c: c.position)],
        "notices": [{k: v for k, v in asdict(n).items() if v not in ("", None) and k != "agent"} for n in notices],
        "problems": [p.reason for p in reading.problems],
        "unknown": dict(sorted(reading.end.unknown.items())),
        "session": reading.end.session_id,
        "versions": list(reading.end.versions),
    }
    return {k: v for k, v in found.items() if v}


def zstd(data: bytes) -> bytes:
    """Compressed as Codex compresses a rollout."""
    if sys.version_info >= (3, 14):
        from compression.zstd import compress
    else:
        from backports.zstd import compress
    return compress(data)
