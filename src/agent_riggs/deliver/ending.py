"""At the end of a turn or session: read what is new, in the background, without delaying the agent."""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

PAUSE = 60.0
"""Seconds between two readings started at the end of a turn; the end of a session always starts one."""
FIRED = "fired-"
"""Files of this name in the state folder, one per agent: when its hook last ran."""
OWN_STORE = "store-id"
"""File in the state folder with the id of the store that an ingest of this user's has begun, or taken over."""
_ASKED = "ingest-asked"


def session_ended(host: str, name: str, state: str, root: str, environ: Mapping[str, str]) -> None:
    """Start ``agent-riggs ingest --quiet`` for a project whose store this user began, unless one is running.

    A project the user has not read yet is left alone: a hook installed for the whole machine creates nothing in it, and
    takes nothing for the user's that a repository brought. Whether it still is the same store, the ingest finds out.
    Raises ``OSError``.
    """
    if not (
        os.path.isfile(os.path.join(root, ".riggs", "store.duckdb")) and os.path.isfile(os.path.join(state, OWN_STORE))
    ):
        return
    from agent_riggs import folders

    folders.make(state)
    _touch(os.path.join(state, FIRED + host))
    asked = os.path.join(state, _ASKED)
    if name in ("SessionEnd", "sessionEnd") or _age(asked) > PAUSE:
        _touch(asked)
        if not is_running(root):
            start(root, environ)


def is_running(root: str) -> bool:
    """Whether an ingest holds this project's lock. On systems without ``flock`` the ingest itself finds out."""
    try:
        import fcntl
    except ImportError:
        return False
    try:
        descriptor = os.open(os.path.join(root, ".riggs", "ingest.lock"), os.O_RDWR | os.O_NOFOLLOW)
    except OSError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return True
    finally:
        os.close(descriptor)
    return False


def start(root: str, environ: Mapping[str, str]) -> None:
    """The reading as a process of its own that outlives the hook and holds none of its pipes.

    It runs in the project's folder, so neither that nor a variable may tell its interpreter where code lies.
    """
    import subprocess

    words = [sys.executable, "-E", "-P", "-m", "agent_riggs", "-C", root, "ingest", "--quiet", "--no-wait"]
    settings = {**environ, "AGENT_RIGGS_HOOK": "off"}
    detached = {"creationflags": 0x00000208} if os.name == "nt" else {"start_new_session": True}
    subprocess.Popen(
        words,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd=root,
        env=settings,
        **detached,
    )


def _touch(path: str) -> None:
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT, 0o600))
    os.utime(path)


def _age(path: str) -> float:
    """Seconds since a file was touched; endless for one that is not there."""
    import time

    try:
        return abs(time.time() - os.stat(path).st_mtime)
    except OSError:
        return float("inf")
