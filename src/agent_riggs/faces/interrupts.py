"""Ctrl-C while modules are still being imported ends the program at once and quietly.

A ``KeyboardInterrupt`` there shows a traceback through import machinery, and aborts the process inside a native
module's start. Nothing was begun yet that would have to be ended in order. Everywhere else it is what it always is.
"""

from __future__ import annotations

import os
import signal
import sys
from types import FrameType

from agent_riggs.errors import EXIT_INTERRUPTED


def quiet_while_importing() -> None:
    """Answer Ctrl-C from now on; a program that was told to ignore it goes on ignoring it."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _answer)


def _answer(number: int, frame: FrameType | None) -> None:
    if not _is_importing(frame):
        raise KeyboardInterrupt
    if sys.stderr is not None and sys.stderr.isatty():
        os.write(2, b"\x1b[?25h")  # a progress bar may have hidden the cursor
    os._exit(EXIT_INTERRUPTED)


def _is_importing(frame: FrameType | None) -> bool:
    while frame is not None:
        if frame.f_code.co_filename.startswith("<frozen importlib"):
            return True
        frame = frame.f_back
    return False
