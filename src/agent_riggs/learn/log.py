"""The log of human decisions: one JSON object a line, each chained by hash to the one before it.

It lies in the user's state folder (mode 0600) and is the authority: a store is rebuilt from transcripts and this
log, and a decision that a store holds and this log does not was not made here. The chain shows alterations; it
cannot prove who wrote a line, because whatever runs as the user can write what the user can write.
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

from agent_riggs.errors import RiggsError, StoreBusy

FILE_NAME: Final = "decisions.jsonl"
MAX_BYTES: Final = 64 * 1024 * 1024
START: Final = "0" * 64
"""Stands before the first entry."""
LOCK_SECONDS: Final = 5.0


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
    """Hash of the entry whose key changed with the shape rules; empty for a human's own decision."""
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

    @property
    def tip(self) -> str:
        """Hash that the next entry is chained to."""
        return self.entries[-1].hash if self.entries else START


def read(path: Path) -> Log:
    """The log at ``path``, verified. A missing file is an empty log; nothing after a broken link is believed."""
    try:
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except FileNotFoundError:
        return Log()
    except OSError as error:
        return Log(broken=f"{path} cannot be read: {error.strerror or error}")
    if len(data) > MAX_BYTES:
        return Log(broken=f"{path} is larger than {MAX_BYTES // 1024 // 1024} MiB")
    entries: list[Entry] = []
    tip = START
    for number, line in enumerate(data.split(b"\n"), 1):
        if not line:
            continue
        entry = _verified(line, len(entries) + 1, tip)
        if entry is None:
            return Log(
                tuple(entries), f"{path}: the chain breaks at line {number}; entries from there on are not trusted"
            )
        entries.append(entry)
        tip = entry.hash
    return Log(tuple(entries))


def chain(entry: Entry, log: Log) -> Entry:
    """The entry with its place in the chain: number, hash of the one before, own hash."""
    body = {**_body(entry), "seq": len(log.entries) + 1, "previous": log.tip}
    return _entry({**body, "hash": _hash(body)})


@contextmanager
def locked(path: Path) -> Iterator[Log]:
    """Hold the log against every other writer and yield what it holds.

    Raises ``StoreBusy`` when another process keeps it, ``RiggsError`` when the state folder cannot be written.
    """
    from filelock import FileLock, Timeout

    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        lock = FileLock(f"{path}.lock", timeout=LOCK_SECONDS, mode=0o600)
        with lock:
            yield read(path)
    except Timeout:
        raise StoreBusy(f"another process holds {path}") from None
    except OSError as error:
        raise RiggsError(
            f"the state folder cannot be written: {error.strerror or error} ({error.filename or path.parent})",
            hint="decisions are kept there; set AGENT_RIGGS_STATE_DIR to a folder of yours",
        ) from None


def append(path: Path, entry: Entry, log: Log) -> None:
    """Write a chained entry to the disk itself. Call it inside ``locked``, with the log that was yielded.

    A log whose chain is broken is set aside under a new name first, whole; the entries that verify stay in use.
    """
    if log.broken:
        _set_aside(path, log)
    fresh = not path.exists()
    handle = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o600)
    try:
        _write(handle, (b"" if _ends_whole(handle) else b"\n") + _line(entry))
        os.fsync(handle)
    finally:
        os.close(handle)
    if fresh:
        _sync_folder(path.parent)


def _ends_whole(handle: int) -> bool:
    """Whether the file is empty or ends with a line break; one that was cut just there still verifies."""
    size = os.fstat(handle).st_size
    if not size:
        return True
    os.lseek(handle, size - 1, os.SEEK_SET)
    return os.read(handle, 1) == b"\n"


def _set_aside(path: Path, log: Log) -> None:
    if path.exists():
        digest = hashlib.sha256(path.read_bytes()).hexdigest()[:12]
        os.replace(path, path.with_name(f"{path.stem}.broken-{digest}{path.suffix}"))
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        _write(handle, b"".join(_line(entry) for entry in log.entries))
        os.fsync(handle)
    finally:
        os.close(handle)


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


def _verified(line: bytes, seq: int, previous: str) -> Entry | None:
    try:
        body: Any = json.loads(line)
        entry = _entry(body)
    except (ValueError, TypeError, RecursionError):
        return None
    whole = {**_body(entry), "seq": entry.seq, "previous": entry.previous}
    if (entry.seq, entry.previous) != (seq, previous) or entry.hash != _hash(whole):
        return None
    return entry


def _entry(body: Mapping[str, Any]) -> Entry:
    entry = Entry(**body)
    texts = (entry.decision, entry.candidate_type, entry.candidate_key, entry.reason, entry.fix, entry.hash, entry.when)
    if not all(isinstance(text, str) for text in texts) or not isinstance(entry.evidence, dict):
        raise TypeError("a field has the wrong type")
    if not isinstance(entry.at, int) or len(entry.hash) != 64:
        raise TypeError("a field has the wrong type")
    return entry


def _hash(body: Mapping[str, Any]) -> str:
    return hashlib.sha256(_text(body).encode("ascii")).hexdigest()


def _text(body: Mapping[str, Any]) -> str:
    """Canonical JSON: sorted keys, no spaces, ASCII."""
    return json.dumps(body, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
