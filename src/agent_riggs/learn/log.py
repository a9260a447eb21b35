"""The log of human decisions: one JSON object a line, each chained by hash to the one before it.

It lies in the user's state folder (mode 0600) and is the authority: a store is rebuilt from transcripts and this
log, and a decision that a store holds and this log does not is not served. The chain begins at the project's key, so
that another project's log is none, and shows alterations; it cannot prove who wrote a line, because whatever runs as
the user can write what the user can write.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from agent_riggs import atomic, folders, regular
from agent_riggs.errors import RiggsError, StoreBusy

FILE_NAME: Final = "decisions.jsonl"
MAX_BYTES: Final = 64 * 1024 * 1024
START: Final = "0" * 64
"""Stands before the first entry of a log that names no project: how logs began before they were bound to one."""
LOCK_SECONDS: Final = 5.0
MEND: Final = "restore it from a backup, or make what the store holds yours again: agent-riggs ratchet adopt KEY"
"""What to do about a log that lost entries."""
PUT_BACK: Final = "put your log back there, with its permissions: until then what is served stays as it is"
"""What to do about a file that is no log of the user's own."""
ENDINGS: Final = {"promoted": "superseded", "rejected": "retired", "snoozed": "retired", "retired": "retired"}
"""The decisions, and what becomes of a key's promoted row when one of them is made about the key later."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One decision as it was made. Times are microseconds since 1970 UTC."""

    at: int
    decision: str
    """promoted, rejected, snoozed or retired."""
    candidate_type: str
    candidate_key: str
    reason: str
    fix: str = ""
    evidence: Mapping[str, Any] = field(default_factory=dict)
    config_change: Mapping[str, Any] | None = None
    decided_by: str = ""
    until: int | None = None
    """For snoozed: when the candidate returns."""
    when: str = "after"
    row_id: int | None = None
    """``decision_id`` of the foreign row that this entry adopts; ``None`` for one made here."""
    carried_from: str = ""
    """Hash of the entry that this one stands for, because its key changed with the shape rules or the log had lost it;
    empty for any other."""
    seq: int = 0
    previous: str = START
    hash: str = ""

    @property
    def decision_id(self) -> int:
        """The row's id in the store: the first 63 bits of the hash, or the adopted row's own."""
        return int(self.hash[:16], 16) >> 1 if self.row_id is None else self.row_id


@dataclass(frozen=True, slots=True)
class Log:
    """What the file holds: the entries whose chain verifies, and where it stops doing so."""

    entries: tuple[Entry, ...] = ()
    broken: str = ""
    """Why the entries after the last one above are not trusted, in one sentence; empty for a whole chain."""
    remedy: str = ""
    """What to do about that."""
    readable: bool = True
    """Whether it could be read at all. One that could not says nothing: nothing follows from it, nothing is added."""
    start: str = START
    """Where the chain begins: see ``start_of``."""

    @property
    def tip(self) -> str:
        """Hash that the next entry is chained to."""
        return self.entries[-1].hash if self.entries else self.start


def start_of(project: str) -> str:
    """What stands before the first entry of this project's log."""
    return hashlib.sha256(f"agent-riggs decisions of {project}".encode()).hexdigest()


def read(path: Path, project: str) -> Log:
    """The log at ``path``, verified. A missing file is an empty log; nothing after a broken link is believed, and
    nothing at all in a file that is not the user's own, or that others can write."""
    start = start_of(project)
    try:
        data = _data(path)
    except FileNotFoundError:
        return Log(start=start)
    except RiggsError as error:
        return Log((), error.message, PUT_BACK, readable=False, start=start)
    except OSError as error:
        return Log((), f"{path} cannot be read: {error.strerror or error}", PUT_BACK, readable=False, start=start)
    entries: list[Entry] = []
    for number, line in enumerate(data.split(b"\n"), 1):
        if not line:
            continue
        entry = _verified(line)
        before = (entries[-1].hash,) if entries else (start, START)
        if entry is None or entry.seq != len(entries) + 1 or entry.previous not in before:
            theirs = entry is not None and entry.seq == number == 1
            why = "it was begun in another project" if theirs else f"the chain breaks at line {number}"
            return Log(tuple(entries), f"{path}: {why}; entries from there on are not trusted", MEND, start=start)
        entries.append(entry)
    return Log(tuple(entries), start=start)


def _data(path: Path) -> bytes:
    """The bytes of a log that can be believed; never waits. Raises ``RiggsError`` for what is no file of the user's
    own, ``OSError`` where nothing can be read."""
    data = regular.read(path, MAX_BYTES)
    if not folders.is_private(os.stat(path)):
        raise RiggsError(f"{path} is another user's, or others can write it (mode 600 is right)")
    return data


def chain(entry: Entry, log: Log) -> Entry:
    """The entry with its place in the chain: number, hash of the one before, own hash."""
    body = {**_body(entry), "seq": len(log.entries) + 1, "previous": log.tip}
    return _entry({**body, "hash": _hash(body)})


@contextmanager
def locked(path: Path, project: str) -> Iterator[Log]:
    """Hold the log against every other writer and yield what it holds.

    Raises ``StoreBusy`` when another process keeps it, ``RiggsError`` when it cannot be read, or the state folder
    cannot be written.
    """
    from filelock import FileLock, Timeout

    try:
        folders.make(os.fspath(path.parent))
        lock = FileLock(f"{path}.lock", timeout=LOCK_SECONDS, mode=0o600)
        with lock:
            log = read(path, project)
            if not log.readable:
                raise RiggsError(f"nothing was decided: {log.broken}", hint=log.remedy)
            yield log
    except Timeout:
        raise StoreBusy(f"another process holds {path}") from None
    except OSError as error:
        raise RiggsError(
            f"nothing was decided: the state folder cannot be written: {error.strerror or error} "
            f"({error.filename or path})",
            hint="decisions are kept there: free some space, or set AGENT_RIGGS_STATE_DIR to a folder of yours",
        ) from None


def append(path: Path, entry: Entry, log: Log) -> None:
    """Write a chained entry to the disk itself. Call it inside ``locked``, with the log that was yielded.

    A log whose chain is broken keeps all its bytes under a new name first; then one with the entries that verify and
    the new one takes its place, at once. What could not be written whole is taken out again.
    """
    if log.broken:
        _keep(path)
        atomic.replace(path, b"".join(map(_line, (*log.entries, entry))))
        _sync_folder(path.parent)
        return
    fresh = not path.exists()
    handle = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o600)
    try:
        size = os.fstat(handle).st_size
        try:
            _write(handle, (b"" if _ends_whole(handle) else b"\n") + _line(entry))
            os.fsync(handle)
        except OSError:
            os.ftruncate(handle, size)
            raise
    finally:
        os.close(handle)
    if fresh:
        _sync_folder(path.parent)


def set_aside(path: Path) -> list[Path]:
    """The broken logs that were kept under new names."""
    return sorted(path.parent.glob(f"{path.stem}.broken-*{path.suffix}"))


def _ends_whole(handle: int) -> bool:
    """Whether the file is empty or ends with a line break; one that was cut just there still verifies."""
    size = os.fstat(handle).st_size
    if not size:
        return True
    os.lseek(handle, size - 1, os.SEEK_SET)
    return os.read(handle, 1) == b"\n"


def _keep(path: Path) -> None:
    """Give the file a second name, made of its content: a kept file is the whole one or not there."""
    data = _data(path)
    aside = path.with_name(f"{path.stem}.broken-{hashlib.sha256(data).hexdigest()[:12]}{path.suffix}")
    if aside.exists():
        return
    try:
        os.link(path, aside)
    except OSError:
        atomic.replace(aside, data)
    _sync_folder(path.parent)


def _write(handle: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(handle, view) :]


def _sync_folder(folder: Path) -> None:
    """Make the new file's name durable; Windows cannot open folders and needs no such thing."""
    if os.name != "nt":
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _line(entry: Entry) -> bytes:
    body = {**_body(entry), "seq": entry.seq, "previous": entry.previous, "hash": entry.hash}
    return _text(body).encode("ascii") + b"\n"


def _body(entry: Entry) -> dict[str, Any]:
    """What the hash covers, apart from the place in the chain."""
    return {
        "at": entry.at,
        "decision": entry.decision,
        "candidate_type": entry.candidate_type,
        "candidate_key": entry.candidate_key,
        "reason": entry.reason,
        "fix": entry.fix,
        "evidence": dict(entry.evidence),
        "config_change": None if entry.config_change is None else dict(entry.config_change),
        "decided_by": entry.decided_by,
        "until": entry.until,
        "when": entry.when,
        "row_id": entry.row_id,
        "carried_from": entry.carried_from,
    }


def _verified(line: bytes) -> Entry | None:
    """The entry of a line, if its own hash says so; its place in the chain is another matter."""
    try:
        body: Any = json.loads(line, parse_int=_integer)
        entry = _entry(body)
        whole = {**_body(entry), "seq": entry.seq, "previous": entry.previous}
        return entry if entry.hash == _hash(whole) else None
    except (ValueError, TypeError, RecursionError):
        return None


def _integer(digits: str) -> int:
    """A number that the store can hold too."""
    number = int(digits)
    if not -(2**63) <= number < 2**63:
        raise ValueError("a number is too large")
    return number


def _entry(body: Mapping[str, Any]) -> Entry:
    """The entry of a body. Raises ``TypeError`` or ``ValueError`` for one that a reader could stumble over."""
    json.dumps(body, ensure_ascii=False, allow_nan=False).encode()
    entry = Entry(**body)
    fits = (
        all(isinstance(getattr(entry, name), str) for name in _TEXTS)
        and entry.decision in ENDINGS
        and len(entry.hash) == 64
        and all(type(number) is int for number in (entry.at, entry.seq))
        and all(number is None or type(number) is int for number in (entry.until, entry.row_id))
        and moment(entry.at) == entry.at
        and moment(entry.until) == entry.until
        and isinstance(entry.config_change, dict | None)
        and isinstance(entry.evidence, dict)
        and all(isinstance(entry.evidence.get(name), kind | None) for name, kind in _EVIDENCE.items())
        and isinstance((entry.evidence.get("trigger") or {}).get("words"), list | None)
        and all(isinstance(shown, dict) for shown in entry.evidence.get("examples") or ())
    )
    if not fits:
        raise TypeError("a field has the wrong type")
    return entry


def moment(time: int | None) -> int | None:
    """Microseconds since 1970, if that is a time that every reader can show."""
    return time if time is not None and 0 <= time < _END_OF_TIME else None


_TEXTS: Final = (
    *("decision", "candidate_type", "candidate_key", "reason", "fix", "decided_by", "when"),
    *("carried_from", "previous", "hash"),
)
_EVIDENCE: Final = {"fix": dict, "trigger": dict, "turns": list, "examples": list, "dead_ends": list}
"""What is looked into, and not only shown."""
_END_OF_TIME: Final = 253_402_300_800_000_000
"""Microseconds: the year 10000."""


def _hash(body: Mapping[str, Any]) -> str:
    return hashlib.sha256(_text(body).encode("ascii")).hexdigest()


def _text(body: Mapping[str, Any]) -> str:
    """Canonical JSON: sorted keys, no spaces, ASCII."""
    return json.dumps(body, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
