"""What was there before an installation: kept in the user's state folder, so that no backup litters a repository."""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from agent_riggs import atomic

FOLDER: Final = "installed"


@dataclass(frozen=True, slots=True)
class Receipt:
    """One file that an installation changed."""

    path: str
    existed: bool
    written: str
    """SHA-256 of what the installation wrote."""
    made: tuple[str, ...] = ()
    """Keys of the settings that were not there before: ``hooks``, names of events."""
    folders: tuple[str, ...] = ()
    """Folders made for it, innermost first."""
    agent: str = ""
    scope: str = ""

    def matches(self, data: bytes) -> bool:
        """Whether the file still is what the installation wrote."""
        return hashlib.sha256(data).hexdigest() == self.written

    def original(self, state: Path) -> bytes | None:
        """The bytes before the installation; ``None`` when there was no file."""
        return _backup(state, Path(self.path)).read_bytes() if self.existed else None


def keep(
    state: Path,
    path: Path,
    before: bytes | None,
    after: bytes,
    folders: tuple[str, ...],
    agent: str,
    scope: str,
) -> Receipt:
    """Note an installation and back up the file. A second installation keeps the first one's backup as long as
    nothing but an installation has changed the file."""
    earlier = find(state, path)
    if earlier is not None and before is not None and earlier.matches(before):
        existed, made, folders = earlier.existed, earlier.made, earlier.folders
    else:
        existed, made = before is not None, _made(before, after)
        if before is not None:
            atomic.replace(_backup(state, path), before)
    receipt = Receipt(_name(path), existed, hashlib.sha256(after).hexdigest(), made, folders, agent, scope)
    atomic.replace(slip(state, path), json.dumps(asdict(receipt)).encode())
    return receipt


def find(state: Path, path: Path) -> Receipt | None:
    """The receipt for a file; ``None`` when we never installed there."""
    return _load(slip(state, path))


def drop(state: Path, path: Path) -> tuple[str, ...]:
    """Forget an installation with its backup. Returns the folders that had been made for it, innermost first."""
    receipt = find(state, path)
    for file in (slip(state, path), _backup(state, path)):
        file.unlink(missing_ok=True)
    return receipt.folders if receipt else ()


def _made(before: bytes | None, after: bytes) -> tuple[str, ...]:
    old, new = (_hooks(side) for side in (before, after))
    if new is None:
        return ()
    return (*(("hooks",) if old is None else ()), *(event for event in new if event not in (old or {})))


def _hooks(data: bytes | None) -> dict[str, Any] | None:
    try:
        hooks = json.loads(data or b"{}").get("hooks")
    except (ValueError, AttributeError):
        return None
    return hooks if isinstance(hooks, dict) else None


def _load(slip: Path) -> Receipt | None:
    try:
        body = json.loads(slip.read_bytes())
        return Receipt(**{**body, "made": tuple(body["made"]), "folders": tuple(body["folders"])})
    except (OSError, ValueError, TypeError, KeyError):
        return None


def _name(path: Path) -> str:
    return os.path.abspath(path)


def _stem(state: Path, path: Path) -> str:
    return os.path.join(state, FOLDER, hashlib.sha256(os.fsencode(_name(path))).hexdigest()[:24])


def slip(state: Path, path: Path) -> Path:
    """Where the receipt for a file lies; its time is the installation's."""
    return Path(_stem(state, path) + ".json")


def _backup(state: Path, path: Path) -> Path:
    return Path(_stem(state, path) + ".backup")
