"""A command at a real terminal: a pseudo-terminal, keys typed when it asks, what the screen would show."""

from __future__ import annotations

import os
import pty
import select
import sys
import time
from collections.abc import Sequence
from pathlib import Path


def at_terminal(
    folder: Path, words: Sequence[str], typed: Sequence[tuple[str, str]] = (), **environ: str
) -> tuple[int, str]:
    """Run ``agent-riggs WORDS``; each time the first text of the next pair appears, type its second.

    Returns the exit code and everything that was written.
    """
    child, screen = pty.fork()
    if child == 0:
        os.chdir(folder)
        path = os.pathsep.join(sys.path)
        os.execve(
            sys.executable,
            [sys.executable, "-m", "agent_riggs", *words],
            {**os.environ, "PYTHONPATH": path, "TERM": "xterm", "COLUMNS": "100", "LINES": "40", **environ},
        )
    shown, waiting, seen = "", list(typed), 0
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        ready, _, _ = select.select([screen], [], [], 0.2)
        try:
            data = os.read(screen, 65536) if ready else b""
        except OSError:
            break
        if ready and not data:
            break
        shown += data.decode("utf-8", "replace")
        if waiting and waiting[0][0] in shown[seen:]:
            seen = len(shown)
            time.sleep(0.1)
            os.write(screen, waiting.pop(0)[1].encode())
    os.close(screen)
    _, status = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(status), shown
