"""The session's memory and the record of deliveries: one small append-only file per session in the state folder.

Every process that is about to say something appends a claim and reads the file back. Which claims were granted
follows from their order in the file alone, so ten hooks at once agree without a lock, and ingest, which reads the
files later, comes to the same answer. A claim that was not granted is a delivery withheld.
"""

from __future__ import annotations

import json
import os

from agent_riggs import folders
from agent_riggs.hashing import sha256

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

FOLDER = "spool"
MAX_FILE = 256 * 1024
"""Bytes after which a session is told no more: some 1,000 claims."""
SAME_TIME = 2_000_000
"""Microseconds in which failures count as simultaneous: the model has not seen the first advice yet."""
OFTEN = 5
"""Times a ratchet is told in one session; who has not acted on it by then will not."""
TOGETHER = 2
"""Advices about the calls of one event, which tells of several."""
HELD_OUT = "held out"
"""Why a claim was withheld that would have been granted, had its session not been drawn to go without."""


class Claim:
    """One wish to say something."""

    __slots__ = ("at", "call", "fingerprint", "held", "host", "key", "moment", "nonce", "reason", "session")

    def __init__(
        self,
        session: str,
        call: str,
        key: str,
        moment: str,
        host: str,
        at: int,
        fingerprint: str = "",
        nonce: str = "",
    ) -> None:
        self.session = session
        self.call = call
        self.key = key
        self.moment = moment
        """``after`` or ``before``."""
        self.host = host
        self.at = at
        """Microseconds since 1970 UTC."""
        self.fingerprint = fingerprint
        self.nonce = nonce
        self.held = False
        """Whether its session is one that the ratchet is kept back in."""
        self.reason = ""
        """Why it was withheld; empty when it was granted."""


def claim(folder: str, wanted: Claim) -> bool:
    """Record the wish in the state folder ``folder``; whether it is granted. Raises ``OSError``."""
    path = os.path.join(folder, FOLDER, file_name(wanted.session))
    wanted.nonce = os.urandom(6).hex()
    descriptor = _open(path)
    try:
        if os.fstat(descriptor).st_size > MAX_FILE:
            return False
        os.write(descriptor, _line(wanted))
    finally:
        os.close(descriptor)
    return any(one.nonce == wanted.nonce and not one.reason for one in read(path))


def is_held_out(session: str, key: str, share: float) -> bool:
    """Whether the ratchet is kept back in this session: drawn by hash, so that every call of it finds the same."""
    return share > 0 and int(sha256(f"{session}\0{key}".encode("utf-8", "replace"))[:8], 16) < share * 2**32


def file_name(session: str) -> str:
    """Name of a session's file. Session ids come from outside, so they are hashed."""
    return sha256(session.encode("utf-8", "replace"))[:24] + ".jsonl"


def read(path: str) -> list[Claim]:
    """Every claim of one file in order, judged. Damaged lines count as absent."""
    return settle(list(_claims(folders.small_file(path, 2 * MAX_FILE) or b"")))


def settle(claims: Sequence[Claim]) -> list[Claim]:
    """Decide every claim of one session by what came before it.

    Advice is given once per call, and once per ratchet unless the failure comes again after it.
    """
    told_calls: set[str] = set()
    told: dict[str, list[Claim]] = {}
    failed: dict[str, int] = {}
    together: dict[int, int] = {}
    for one in claims:
        earlier = told.setdefault(one.key, [])
        one.reason = _refusal(one, earlier, told_calls, failed.get(one.key, 0))
        if not one.reason and together.get(one.at, 0) >= TOGETHER:
            one.reason = "told enough at once"
        if one.moment == "after":
            failed[one.key] = max(one.at, failed.get(one.key, 0))
        if not one.reason:
            earlier.append(one)
            together[one.at] = together.get(one.at, 0) + 1
            told_calls.add(f"{one.moment} {one.call}")
    return list(claims)


def _refusal(one: Claim, earlier: Sequence[Claim], told_calls: set[str], failed: int) -> str:
    if one.call and f"{one.moment} {one.call}" in told_calls:
        return "told for this call"
    if len(earlier) >= OFTEN:
        return "told often enough"
    if any(abs(one.at - other.at) < SAME_TIME and other.moment == one.moment for other in earlier):
        return "told at the same time"
    before = [other.at for other in earlier if other.moment == "before"]
    if one.moment == "before" and before and failed <= max(before):
        return "told in this session"
    return HELD_OUT if one.held else ""


def _open(path: str) -> int:
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_BINARY", 0)
    try:
        return os.open(path, flags, 0o600)
    except FileNotFoundError:
        folders.make(os.path.dirname(path))
        return os.open(path, flags, 0o600)


def _line(one: Claim) -> bytes:
    body = {
        "at": one.at,
        "session": one.session[:200],
        "call": one.call[:200],
        "key": one.key,
        "moment": one.moment,
        "host": one.host,
        "fingerprint": one.fingerprint,
        "nonce": one.nonce,
    }
    if one.held:
        body["held"] = True
    # A newline on both sides: a line that another process could not finish must not swallow this one.
    return b"\n" + json.dumps(body, separators=(",", ":")).encode("ascii") + b"\n"


def _claims(data: bytes) -> Iterator[Claim]:
    for line in data.split(b"\n"):
        if not line:
            continue
        try:
            body = json.loads(line)
            words = [body[name] for name in ("session", "call", "key", "moment", "host")]
            at, rest = body["at"], [body[name] for name in ("fingerprint", "nonce")]
        except (ValueError, TypeError, KeyError, RecursionError):
            continue
        if isinstance(at, int) and all(isinstance(word, str) for word in [*words, *rest]):
            found = Claim(words[0], words[1], words[2], words[3], words[4], at, rest[0], rest[1])
            found.held = body.get("held") is True
            yield found
