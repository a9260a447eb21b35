"""Plain files only. A repository may bring links, pipes and endless files under any name that agent-riggs uses in its
folder: what is read, written or locked there is looked at first, and a link is never followed."""

from __future__ import annotations

import os
import stat

from agent_riggs.errors import RiggsError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path


def is_regular(path: str | Path) -> bool:
    """Whether a regular file lies there itself, not through a link."""
    try:
        return stat.S_ISREG(os.lstat(path).st_mode)
    except OSError:
        return False


def refuse_link(path: str | Path) -> None:
    """Raise ``RiggsError``, naming the link, where a link lies."""
    if os.path.islink(path):
        raise RiggsError(f"{path} is a link to {os.readlink(path)}, which is not followed", hint="remove the link")


def refuse_other(path: str | Path) -> None:
    """Raise ``RiggsError`` where something lies that is no regular file. Nothing at all may lie there."""
    refuse_link(path)
    if os.path.lexists(path) and not is_regular(path):
        raise RiggsError(f"{path} is no file", hint="remove it")


def read(path: str | Path, limit: int) -> bytes:
    """What a regular file of at most ``limit`` bytes holds. Raises ``RiggsError`` for anything else, ``OSError`` where
    nothing can be read; never waits."""
    refuse_other(path)
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
    with open(descriptor, "rb") as file:
        data = file.read(limit + 1)
    if len(data) > limit:
        raise RiggsError(f"{path} is larger than {limit:,} bytes", hint="shorten it")
    return data


def read_settings(path: str | Path) -> bytes:
    """As ``read``, what a human can have written: a TOML key of a few thousand parts takes seconds to read."""
    data = read(path, 65_536)
    if max(map(len, data.split(b"\n"))) > 1000:
        raise RiggsError(f"{path} has a line of more than 1,000 bytes", hint="break it up")
    return data
