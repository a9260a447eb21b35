"""Putting the hook into agents' settings and taking it out again: append only, and back to the very bytes.

A receipt in the user's state folder holds what was there before. Where nothing else changed meanwhile, uninstalling
restores those bytes; where something did, only our entries are taken out of the text.
"""

from __future__ import annotations

import difflib
import os
import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from agent_riggs import atomic, folders
from agent_riggs.deliver.install import entries, receipts
from agent_riggs.deliver.install.clients import AGENTS, PROGRAM, Part, Scope, parts
from agent_riggs.errors import RiggsError

__all__ = ["AGENTS", "Change", "Scope", "apply", "find_program", "plan_install", "plan_uninstall"]


@dataclass(frozen=True, slots=True)
class Change:
    """What becomes of one file. ``None`` stands for a file that does not exist."""

    path: Path
    """As named; links are followed when it is written."""
    before: bytes | None
    after: bytes | None
    agent: str
    scope: str

    @property
    def needed(self) -> bool:
        return self.before != self.after

    def diff(self) -> str:
        """The change as a unified diff; empty when there is none."""
        old, new = (_lines(side) for side in (self.before, self.after))
        return "".join(
            line if line.endswith("\n") else line + "\n\\ No newline at end of file\n"
            for line in difflib.unified_diff(old, new, str(self.path), str(self.path))
        )


def find_program() -> Path | None:
    """Where ``riggs-hook`` lies: beside the running Python, else on the PATH; ``None`` when it is nowhere."""
    beside = Path(sys.executable).parent
    for name in (PROGRAM, f"{PROGRAM}.exe"):
        if (beside / name).is_file():
            return beside / name
    found = shutil.which(PROGRAM)
    return Path(found).absolute() if found else None


def plan_install(
    agent: str,
    scope: Scope,
    root: Path,
    environ: Mapping[str, str],
    home: Path,
    program: Path | None,
    brief: bool = False,
) -> list[Change]:
    """What would be written. Raises ``RiggsError`` for settings that cannot be changed without risk."""
    return [_install(part, agent, scope) for part in parts(agent, scope, root, environ, home, program, brief)]


def plan_uninstall(
    agent: str, scope: Scope, root: Path, environ: Mapping[str, str], home: Path, state: Path
) -> list[Change]:
    """What would be taken out, and back: the earlier bytes where nothing else changed since. Raises ``RiggsError`` for
    settings that cannot be changed without risk."""
    found = []
    for part in parts(agent, scope, root, environ, home, None, False):
        before = _read(part.path)
        if before is not None:
            change = Change(part.path, before, _without(part, before, state), agent, scope)
            found.append(_allowed(change))
    return found


def apply(changes: Sequence[Change], state: Path, uninstall: bool = False) -> list[Path]:
    """Write every change that is needed, atomically, after a backup. Returns the files written or removed."""
    done = []
    emptied: set[str] = set()
    for change in changes:
        if not change.needed:
            emptied.update(receipts.drop(state, change.path) if uninstall else ())
            continue
        made = () if uninstall else _missing(change.path)
        if not uninstall:
            receipts.keep(state, change.path, change.before, change.after or b"", made, change.agent, change.scope)
        if change.after is None:
            os.unlink(os.path.realpath(change.path))
        else:
            _write(change.path, change.after)
        emptied.update(receipts.drop(state, change.path) if uninstall else ())
        done.append(change.path)
    for folder in sorted(emptied, key=len, reverse=True):
        _remove_empty(folder)
    return done


def _install(part: Part, agent: str, scope: str) -> Change:
    before = _read(part.path)
    if not part.text:
        return _allowed(Change(part.path, before, entries.having(before, part), agent, scope))
    if before is not None and _is_theirs(before):
        raise RiggsError(f"{part.path} is there and not ours", "move it away or remove it")
    return _allowed(Change(part.path, before, part.text.encode(), agent, scope))


def _without(part: Part, before: bytes, state: Path) -> bytes | None:
    """What is left of a file without our entries: also without those that stood there before our own installation,
    from another machine or version."""
    receipt = receipts.find(state, part.path)
    whole = receipt is not None and receipt.matches(before)
    left = receipt.original(state) if receipt is not None and whole else before
    if left is None:
        return None
    if part.text:
        return left if _is_theirs(left) else None
    return entries.without(left, part.path, None if whole else receipt)


def _is_theirs(data: bytes) -> bool:
    """Whether a file of the name we use for a file of our own is somebody else's."""
    return PROGRAM.encode() not in data


def _read(path: Path) -> bytes | None:
    """The file's bytes; ``None`` when it does not exist. A link that leads nowhere is refused."""
    try:
        return path.read_bytes()
    except FileNotFoundError:
        if path.is_symlink():
            raise RiggsError(f"{path} is a link to a file that does not exist", "mend or remove the link") from None
        return None
    except OSError as error:
        raise RiggsError(f"{path} cannot be read: {error.strerror}") from error


def _allowed(change: Change) -> Change:
    """The change itself. Raises ``RiggsError`` when it would write a file that its owner has protected."""
    path = change.path
    if not change.needed or change.before is None or (os.stat(path).st_mode & 0o222 and os.access(path, os.W_OK)):
        return change
    raise RiggsError(f"{path} is read-only: left as it is", f"chmod u+w {path}")


def _write(path: Path, data: bytes) -> None:
    """Replace the file behind the name at once, with its permissions; a link goes on pointing to it."""
    real = Path(os.path.realpath(path))
    folders.make(os.fspath(real.parent))
    atomic.replace(real, data, real.stat().st_mode & 0o7777 if real.exists() else None)


def _missing(path: Path) -> tuple[str, ...]:
    """Folders that will be made for this file, innermost first."""
    return tuple(str(folder) for folder in _above(path) if not folder.exists())


def _above(path: Path) -> Iterator[Path]:
    yield from Path(os.path.realpath(path)).parents


def _remove_empty(folder: str) -> None:
    try:
        os.rmdir(folder)
    except OSError:
        return


def _lines(side: bytes | None) -> list[str]:
    return side.decode("utf-8", "replace").splitlines(keepends=True) if side is not None else []
