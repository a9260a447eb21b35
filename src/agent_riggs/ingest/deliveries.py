"""What the hook said, from its spool into the store; and the proof of it, from the agents' own transcripts.

Our own text found in a transcript shows that the model was given it. It is never evidence about a failure.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from agent_riggs.deliver import advice, spool
from agent_riggs.model import ToolCall, Transcript
from agent_riggs.sources.base import Source
from agent_riggs.store import Connection, deliveries
from agent_riggs.store.deliveries import Delivery

KEPT: Final = 3 * 86_400
"""Seconds after which a session's spool file goes: a session that is silent for so long has ended."""
LOOK_BACK: Final = 7 * 86_400_000_000
"""Microseconds in which a delivery's proof is looked for."""
MAX_LOOK: Final = 64 * 1024 * 1024
"""Bytes read from a transcript's end: what was said to a session that is being ingested stands there."""
_ANY_TIME: Final = 1 << 62
_TOOK: Final = re.compile(rb'"durationMs":\s?(\d{1,9})')


@dataclass(frozen=True, slots=True)
class Found:
    """Texts of ours in one transcript."""

    counts: dict[str, int]
    """By the reference of the ratchet that spoke."""
    took: dict[str, float]
    """The longest the agent waited for it, in milliseconds."""


def collect(conn: Connection, state: Path, sources: Mapping[str, Source], now: int) -> int:
    """Read the spool in the state folder ``state``, prove what can be proven, sweep what has been read.

    Returns the number of new rows. Call it inside a transaction. ``now`` in microseconds since 1970 UTC.
    """
    files = _files(state)
    rows = [row for path in files for row in _rows(path)]
    added = deliveries.add(conn, rows) if rows else 0
    _prove(conn, sources, now)
    for path in files:
        _sweep(path, now)
    return added


def has_spool(state: Path) -> bool:
    """Whether the hook has said or kept back anything that may be new."""
    return bool(_files(state))


def _files(state: Path) -> list[Path]:
    try:
        return sorted((state / spool.FOLDER).glob("*.jsonl"))
    except OSError:
        return []


def _rows(path: Path) -> Iterator[Delivery]:
    for one in spool.read(os.fspath(path)):
        yield Delivery(
            delivery_id=deliveries.delivery_id(one.session, one.nonce),
            told_at=one.at,
            agent=one.host,
            session_id=one.session,
            call_id=one.call,
            candidate_key=one.key,
            fingerprint=one.fingerprint,
            moment=one.moment,
            state="withheld" if one.reason else "delivered",
            reason=one.reason,
        )


def _sweep(path: Path, now: int) -> None:
    try:
        if path.stat().st_mtime + KEPT < now / 1_000_000:
            path.unlink()
    except OSError:
        return


def _prove(conn: Connection, sources: Mapping[str, Source], now: int) -> None:
    wanted = deliveries.unproven(conn, now - LOOK_BACK)
    if not wanted:
        return
    found: dict[str, list[Found]] = {}
    for session, source, key in deliveries.transcripts_of(conn, {row[2] for row in wanted}):
        found.setdefault(session, []).append(look(Path(key), key, sources.get(source)))
    seen: dict[int, float | None] = {}
    for number, _, session, key, _ in wanted:
        reference = advice.reference_of(key)
        here = next((one for one in found.get(session, ()) if one.counts.get(reference)), None)
        if here is not None:
            here.counts[reference] -= 1
            seen[number] = here.took.get(reference)
    deliveries.prove(conn, seen, now)


def look(path: Path, key: str, source: Source | None) -> Found:
    """Our texts in one transcript: in its lines, or for a session inside a database in its results."""
    found = Found({}, {})
    if path.is_file():
        for line in _lines(path):
            _take(found, line)
    elif source is not None and "#" in key:
        for result in _results(source, key):
            for reference in advice.references(result):
                found.counts[reference] = found.counts.get(reference, 0) + 1
    return found


def _lines(path: Path) -> Iterator[bytes]:
    try:
        with path.open("rb") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(0, size - MAX_LOOK))
            for line in file:
                if b"[agent-riggs " in line:
                    yield line
    except OSError:
        return


def _take(found: Found, line: bytes) -> None:
    """Claude Code writes two records of one delivery: what the hook printed, with its time, and what was passed on."""
    references = set(advice.references(line.decode("utf-8", "replace")))
    if b'"hook_success"' in line:
        took = _TOOK.search(line)
        for reference in references if took else ():
            found.took[reference] = max(float(took[1]) if took else 0.0, found.took.get(reference, 0.0))
        return
    for reference in references:
        found.counts[reference] = found.counts.get(reference, 0) + 1


def _results(source: Source, key: str) -> Iterator[str]:
    """Texts of the results in one session of a database, read through its source."""
    path = Path(key.partition("#")[0])
    for event in source.read(Transcript(source.name, key, path, 0, "", None, str(path.parent)), None, _ANY_TIME):
        if isinstance(event, ToolCall) and event.result is not None:
            yield event.result.text
