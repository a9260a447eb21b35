"""blq: the runs in ``<project>/.bird/blq.duckdb`` (before 1.0 ``.lq/blq.duckdb``).

Measured on blq-cli 1.2.2. A row of ``invocations`` is written when a run ends, with the time it started, and a row of
``attempts`` when it starts: one without an outcome was killed. Exit code -1 is a time-out. What was imported or
captured was not run by blq, and its exit code of 0 says nothing; lackpy's delegations are lackpy's own word. No agent,
session or mode stands anywhere: those come from the transcript that the run is joined to.
"""

from __future__ import annotations

import hashlib
import os
import socket
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, tzinfo
from pathlib import Path
from typing import Any, Final

from agent_riggs.model import Cursor, Event, Head, Problem, ReadEnd, Sighting, SightingKind, ToolCall, Transcript
from agent_riggs.model import ToolResult as Result
from agent_riggs.sources import base, blq_store, decode, zones
from agent_riggs.sources.blq_store import Connection, InUse, Row

name: Final = "blq"

QUIET: Final = 300_000_000
"""Microseconds after which a run that was started, of which no process is left, counts as killed."""

_FILES: Final = (Path(".bird", "blq.duckdb"), Path(".lq", "blq.duckdb"))
_RAN: Final = frozenset({"run", "exec", "watch"})
"""Kinds of run that blq itself started and waited for."""
_TIMED_OUT: Final = -1
_SLACK: Final = 2_000_000
_LONGEST: Final = 30 * 86_400_000
"""Milliseconds of a run beyond which its length is not believed."""
_OUTCOME: Final = ("attempt_id", "exit_code", "duration_ms", "timeout", "signal")


@dataclass(frozen=True, slots=True)
class Run:
    """One run of a command. Times in microseconds since 1970 UTC."""

    id: str
    at: int
    also_at: int | None
    row: Row
    exit_code: int | None
    timed_out: bool = False
    killed: bool = False

    @property
    def kind(self) -> str:
        return decode.str_of(self.row.get("source_type"))

    @property
    def command(self) -> str:
        return decode.scrub(decode.str_of(self.row.get("cmd")))

    @property
    def own_name(self) -> str:
        return decode.str_of(self.row.get("source_name"))

    @property
    def ended(self) -> int | None:
        length = _whole(self.row.get("duration_ms"))
        return self.at + length * 1000 if length is not None and 0 <= length < _LONGEST else None

    @property
    def delegated(self) -> bool:
        return self.own_name == "delegate" and self.command.startswith("lackpy delegate")


def find_in(folder: Path, environ: Mapping[str, str]) -> Iterator[Transcript | Problem]:
    """The database of a folder; the old place counts only where there is no new one."""
    for file in _FILES:
        path = folder / file
        try:
            if path.is_file():
                zone = environ.get("TZ", "")
                size, stamp = path.stat().st_size, blq_store.stamp(path)
                yield Transcript(name, str(path), path, size, stamp, None, str(path.parent), zone)
                return
        except OSError as error:
            yield base.unreadable(path, error)


def peek(transcript: Transcript) -> Head | Problem | None:
    """The project is the folder around ``.bird``."""
    return Head("", str(transcript.path.parent.parent))


def read(transcript: Transcript, cursor: Cursor | None, now: int) -> Iterator[Event]:
    """Every run whose id was not met before. Rows come in the order runs end, so no time can serve as a cursor."""
    seen = {key for key in (cursor.state.get("seen", ()) if cursor else ()) if isinstance(key, int)}
    path = transcript.path
    try:
        with blq_store.opened(path) as connection:
            runs, waiting = _runs(connection, path, zones.zone_of(transcript.zone), now)
            fresh = [run for run in runs if _key(run.id) not in seen]
            yield from [item for run in fresh if (item := _sighting(connection, path, run, now)) is not None]
    except InUse:
        yield ReadEnd(cursor or Cursor(), unsettled=True)
        return
    except (blq_store.Error, OSError) as error:
        yield Problem(str(path), f"cannot be read: {str(error).splitlines()[0][:200]}")
        yield ReadEnd(cursor or Cursor(), unsettled=True)
        return
    known = sorted(seen | {_key(run.id) for run in fresh if not run.killed})
    yield ReadEnd(
        Cursor(len(known), len(known), "set", {"seen": known}),
        len(fresh),
        len(fresh),
        started=min((run.at for run in fresh), default=None),
        ended=max((run.ended or run.at for run in fresh), default=None),
        unsettled=waiting,
    )


def _key(run_id: str) -> int:
    """What is remembered of an id: 48 bits of it."""
    return int.from_bytes(hashlib.sha256(run_id.encode("utf-8", "replace")).digest()[:6], "big")


# --- runs ---------------------------------------------------------------------------------------------------------


def _runs(connection: Connection, path: Path, zone: tzinfo | None, now: int) -> tuple[list[Run], bool]:
    """Every run, and whether one of them has not come to its end."""
    runs, latest = [], 0
    outcomes = {str(row["attempt_id"]): row for row in blq_store.rows(connection, "outcomes", _OUTCOME)}
    for row in blq_store.rows(connection, "invocations", blq_store.RUN):
        run = _finished(row, zone, latest, now)
        if run is not None:
            latest = max(latest, run.ended or 0)
            runs.append(run)
    done, waiting = {run.id for run in runs}, False
    for row in blq_store.rows(connection, "attempts", blq_store.RUN):
        if str(row["id"]) in done:
            continue
        run = _attempt(row, outcomes.get(str(row["id"])), zone, now)
        if run is not None and (run.id in outcomes or _over(row, path, run.at, now)):
            runs.append(run)
        elif run is not None:
            waiting = True
    return runs, waiting


def _finished(row: Row, zone: tzinfo | None, latest: int, now: int) -> Run | None:
    times = _times(row, zone, now)
    if times is None:
        return None
    at, also = times
    code = _whole(row.get("exit_code"))
    run = Run(str(row["id"]), at, also, row, code, timed_out=code == _TIMED_OUT)
    if also is not None and (run.ended or at) + _SLACK < latest:
        return replace(run, at=also, also_at=at)
    return run


def _whole(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and abs(value) < 1 << 53 else None


def _attempt(row: Row, outcome: Row | None, zone: tzinfo | None, now: int) -> Run | None:
    """A run that has no row of its own: given up by blq, or still without an outcome."""
    times = _times(row, zone, now)
    if times is None or decode.str_of(row.get("source_type")) not in _RAN:
        return None
    at, also = times
    told = dict(row) | ({"duration_ms": outcome["duration_ms"]} if outcome else {})
    code, late = (_whole(outcome["exit_code"]), bool(outcome["timeout"])) if outcome else (None, False)
    return Run(str(row["id"]), at, also, told, code, late, killed=code is None and not late)


def _times(row: Row, zone: tzinfo | None, now: int) -> tuple[int, int | None] | None:
    local = row.get("timestamp")
    if not isinstance(local, datetime):
        return None
    try:
        at, also = zones.utc_of(local, zone)
    except (OverflowError, ValueError, OSError):
        return None
    also = also if also is None or also <= now else None
    return (at, also) if decode.EARLIEST <= at <= now + decode.DAY else None


def _over(row: Row, path: Path, at: int, now: int) -> bool:
    """Whether a run without an outcome is over: nothing printed for a while, and no process of it left."""
    live = path.parent / "live" / str(row["id"])
    stirred = at
    for file in (live / "meta.json", live / "combined.log"):
        try:
            stirred = max(stirred, file.stat().st_mtime_ns // 1000)
        except (OSError, ValueError):  # a name no file can have
            continue
    if now - stirred < QUIET:
        return False
    pid = row.get("pid")
    here = not row.get("hostname") or row.get("hostname") == socket.gethostname()
    return not (isinstance(pid, int) and here and _alive(pid))


def _alive(pid: int) -> bool:
    if os.name == "nt" or pid <= 0:
        return False
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except OSError:
        return True
    return True


# --- events -------------------------------------------------------------------------------------------------------


def _sighting(connection: Connection, path: Path, run: Run, now: int) -> Sighting | None:
    """What a run is evidence of; ``None`` for what blq did not run."""
    failed = run.exit_code != 0
    if run.delegated:
        intent = run.command.removeprefix("lackpy delegate").strip().strip('"')
        text = blq_store.text_of(connection, path, run.id) if failed else ""
        result = Result(text, flag=failed, timestamp=run.at)
        return _told(run, "delegate", "lackpy", {"intent": intent}, result, category="generation")
    if run.kind not in _RAN and run.kind != "record":
        return None
    told = {"run": {"name": run.own_name}, "record": {"via": run.kind}}
    given = {"command": run.command} | told.get(run.kind, {})
    result = _result(connection, path, run)
    return _told(run, "run", "Bash", given, result, evidence=run.kind != "record" or failed)


def _result(connection: Connection, path: Path, run: Run) -> Result:
    if run.timed_out:
        length = _whole(run.row.get("duration_ms")) or 0
        return Result(f"Command timed out after {length} ms", exit_code=124, timestamp=run.ended)
    if run.killed:
        return Result("Killed", exit_code=137, timestamp=run.ended)
    if run.exit_code == 0:
        return Result("", flag=False, status="ok", exit_code=0, timestamp=run.ended)
    return Result(blq_store.text_of(connection, path, run.id), exit_code=run.exit_code, timestamp=run.ended)


def _told(
    run: Run,
    kind: SightingKind,
    tool: str,
    given: Mapping[str, Any],
    result: Result,
    *,
    evidence: bool = True,
    category: str | None = None,
) -> Sighting:
    day = datetime.fromtimestamp(run.at / 1_000_000, UTC).date().isoformat()
    call = ToolCall(
        agent=name,
        session_id=f"{name}-{day}",
        call_id=run.id,
        tool=tool,
        input=given,
        position=run.at,
        timestamp=run.at,
        cwd=decode.str_of(run.row.get("cwd")),
        branch=decode.str_of(run.row.get("git_branch")),
        result=result,
    )
    return Sighting(call, kind, evidence, category=category, also_at=run.also_at)
