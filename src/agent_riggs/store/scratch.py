"""Files that live for a moment: in a folder of this process, inside the system's folder for such things."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from typing import Final

PREFIX: Final = "agent-riggs-"
HOUR: Final = 3600.0


@cache
def folder() -> str:
    """Where they lie, known before it is made: what a store may read beside itself is settled when it is opened."""
    import tempfile

    return os.path.join(os.path.realpath(tempfile.gettempdir()), f"{PREFIX}{os.getpid()}-{os.urandom(6).hex()}")


@contextmanager
def place(name: str) -> Iterator[str]:
    """The path for a new file of this name, which is gone afterwards together with what was made beside it."""
    import tempfile

    _sweep()
    with suppress(FileExistsError):
        os.mkdir(folder(), 0o700)
    try:
        with tempfile.TemporaryDirectory(dir=folder()) as inside:
            yield os.path.join(inside, name)
    finally:
        with suppress(OSError):  # another file is in use
            os.rmdir(folder())


@cache
def _sweep() -> None:
    """Take away what processes left that were killed. A number is told of a process by its absence alone, and may be
    one of another container's, which lives: so only what is an hour old."""
    if os.name == "nt":  # where asking for a process ends it
        return
    import shutil
    import time

    parent = os.path.dirname(folder())
    for entry in os.scandir(parent):
        number = entry.name.removeprefix(PREFIX).split("-")[0]
        if not (entry.name.startswith(PREFIX) and number.isdecimal() and entry.is_dir(follow_symlinks=False)):
            continue
        with suppress(OSError):
            found = entry.stat(follow_symlinks=False)
            if found.st_uid == os.getuid() and time.time() - found.st_mtime > HOUR and not _lives(int(number)):
                shutil.rmtree(entry.path, ignore_errors=True)


def _lives(process: int) -> bool:
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        return True
    return True
