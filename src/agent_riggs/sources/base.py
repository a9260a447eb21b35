"""What every source shares: the protocol, where homes lie, how files are walked, lines read and values decoded.

A source is a module. It never fails on bad input: whatever cannot be read becomes a ``Problem`` value, and the
records before and after it are kept.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from stat import S_ISDIR, S_ISREG
from typing import Any, BinaryIO, Final, NamedTuple, Protocol

from agent_riggs.model import Cursor, Event, Head, Problem, Transcript

HEAD_BYTES: Final = 4096
"""How much of a file's beginning identifies it."""

_TAIL_BYTES: Final = 256


class Source(Protocol):
    """The one extension point: a module with these four names, listed in ``sources.SOURCES`` or as an entry point."""

    @property
    def name(self) -> str:
        """The agent's name as it stands in the store."""

    def find(self, environ: Mapping[str, str], home: Path) -> Iterator[Transcript | Problem]:
        """Every transcript under the agent's homes, each real file once, in a stable order."""

    def peek(self, transcript: Transcript, /) -> Head | Problem | None:
        """Whose transcript it is, from its first records; ``None`` when the file is no transcript at all."""

    def read(self, transcript: Transcript, cursor: Cursor | None, now: int, /) -> Iterator[Event]:
        """Everything after ``cursor``, ending with one ``ReadEnd``; ``now`` is in microseconds since 1970 UTC."""


class ProjectSource(Protocol):
    """A tool that keeps its records in the project's own folder; listed in ``sources.SISTERS``."""

    @property
    def name(self) -> str:
        """The tool's name as it stands in the store."""

    def find_in(self, folder: Path, environ: Mapping[str, str]) -> Iterator[Transcript | Problem]:
        """What lies in ``folder`` itself; ``environ`` tells the time zone of times recorded without one."""

    def peek(self, transcript: Transcript, /) -> Head | Problem | None:
        """Whose records they are, as for a ``Source``."""

    def read(self, transcript: Transcript, cursor: Cursor | None, now: int, /) -> Iterator[Event]:
        """Everything after ``cursor`` as ``Sighting`` values, ending with one ``ReadEnd``."""


# --- files ---------------------------------------------------------------------------------------------


def stamp(info: os.stat_result) -> str:
    """``device:inode:size:mtime_ns:mode``: changes whenever the content may have changed, or may be read at last."""
    return f"{info.st_dev}:{info.st_ino}:{info.st_size}:{info.st_mtime_ns}:{info.st_mode & 0o777:o}"


class File(NamedTuple):
    """A file on disk, without a ``Path`` made of it: of tens of thousands most are only compared with what is known."""

    path: str
    name: str
    info: os.stat_result


def transcript(
    source: str, path: str | Path, info: os.stat_result, parent: Path | None = None, home: Path | None = None
) -> Transcript:
    """The ``Transcript`` for one file."""
    return Transcript(source, str(path), path, info.st_size, stamp(info), parent, str(home) if home else "")


def walk(
    root: Path, suffixes: tuple[str, ...], seen: set[tuple[int, int]], skip: frozenset[str] = frozenset()
) -> Iterator[tuple[Path, os.stat_result] | Problem]:
    """What ``files`` finds, as paths with their status."""
    for item in files(root, suffixes, seen, skip):
        yield item if isinstance(item, Problem) else (Path(item.path), item.info)


def files(
    root: Path, suffixes: tuple[str, ...], seen: set[tuple[int, int]], skip: frozenset[str] = frozenset()
) -> Iterator[File | Problem]:
    """Regular files below ``root`` whose name ends with one of ``suffixes``, in a stable order, with their status.

    Links are followed after everything reached without one, and ``seen`` (device, inode) is shared between calls:
    each real file and folder comes once, and a loop ends. Folders named in ``skip`` are not entered. A folder or
    file that may not be looked at is a ``Problem``; a missing root and a link to nothing are not.
    """
    links: list[str] = []
    pending = [str(root)]
    while pending or links:
        folder = pending.pop() if pending else links.pop(0)
        try:
            info = os.stat(folder)
            identity = (info.st_dev, info.st_ino)
            if identity in seen:
                continue
            if not S_ISDIR(info.st_mode):
                if folder.endswith(suffixes) and S_ISREG(info.st_mode):
                    seen.add(identity)
                    yield File(folder, os.path.basename(folder), info)
                continue
            seen.add(identity)
            entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
        except FileNotFoundError:
            continue
        except OSError as error:
            yield unreadable(folder, error)
            continue
        inner: list[str] = []
        for entry in entries:
            name = entry.name
            if entry.is_symlink():
                links.append(entry.path)
            elif entry.is_dir(follow_symlinks=False):
                if name not in skip:
                    inner.append(entry.path)
            elif name.endswith(suffixes):
                try:
                    info = entry.stat()
                except OSError as error:
                    yield unreadable(entry.path, error)
                    continue
                identity = (info.st_dev, info.st_ino)
                if identity not in seen and S_ISREG(info.st_mode):
                    seen.add(identity)
                    yield File(entry.path, name, info)
        pending.extend(reversed(inner))


def unreadable(path: str | Path, error: OSError) -> Problem:
    """The problem of a file or folder the system will not let us read."""
    return Problem(str(path), f"cannot be read: {error.strerror or type(error).__name__}")


# --- where to go on ----------------------------------------------------------------------------------------------


def head_matches(stream: BinaryIO, head: str) -> bool:
    """Whether the stream begins with the bytes that ``head`` (``length:hash``) was made of."""
    length, _, digest = head.partition(":")
    return length.isdigit() and _hash(stream, 0, int(length)) == digest


def resume(stream: BinaryIO, cursor: Cursor | None) -> Cursor:
    """The cursor to go on from, the stream placed there.

    The given one is good while the file is at least that long, begins with the same bytes and holds the same bytes
    just before the offset; otherwise it is another file or a rewritten one, and reading starts over.
    """
    size = stream.seek(0, os.SEEK_END)
    if cursor is not None and 0 < cursor.offset <= size and head_matches(stream, cursor.head):
        before = cursor.state.get("tail")
        if before is None or before == _tail(stream, cursor.offset):
            stream.seek(cursor.offset)
            return cursor
    stream.seek(0)
    return Cursor()


def advance(stream: BinaryIO, start: Cursor, offset: int, line: int, state: Mapping[str, Any]) -> Cursor:
    """The cursor for the next reading. The head, once taken, stays, so that it can serve as the file's identity."""
    head = start.head
    if not head and offset:
        length = min(offset, HEAD_BYTES)
        head = f"{length}:{_hash(stream, 0, length)}"
    return replace(start, offset=offset, line=line, head=head, state={**state, "tail": _tail(stream, offset)})


def _tail(stream: BinaryIO, offset: int) -> str:
    length = min(offset, _TAIL_BYTES)
    return _hash(stream, offset - length, length)[:16]


def _hash(stream: BinaryIO, start: int, length: int) -> str:
    stream.seek(start)
    return hashlib.sha256(stream.read(length)).hexdigest()[:32]


def starts_inside_line(stream: BinaryIO, offset: int) -> bool:
    """Whether the byte before ``offset`` is no line end: the last reading took a line that had none yet."""
    if offset == 0:
        return False
    stream.seek(offset - 1)
    return stream.read(1) != b"\n"
