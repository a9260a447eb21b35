"""Ctrl-C while the program begins, ends or imports: it is over at once and quietly.

A ``KeyboardInterrupt`` there shows a traceback through import machinery, and aborts the process inside a native
module's start. There is nothing that would have to be ended in order. In a command it is what it always is.
"""

from __future__ import annotations

import os
import sys

try:
    import _signal as signal  # type: ignore[import-not-found]  # without enumerations: sooner than all of this
except ImportError:
    import signal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType

INTERRUPTED = 130
"""``errors.EXIT_INTERRUPTED``, before anything is imported that an interrupt could meet."""


_in_command = False


def heard(command: Callable[[], int]) -> int:
    """Run a command that hears of an interrupt, so that it can end what it began."""
    global _in_command
    _in_command = True
    try:
        return command()
    finally:
        _in_command = False


def quiet() -> None:
    """Answer Ctrl-C from now on; a program that was told to ignore it goes on ignoring it."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _answer)


def _answer(number: int, frame: FrameType | None) -> None:
    if _in_command and not _is_importing(frame):
        raise KeyboardInterrupt
    if sys.stderr is not None and sys.stderr.isatty():
        os.write(2, b"\x1b[?25h")  # a progress bar may have hidden the cursor
    os._exit(INTERRUPTED)


def _is_importing(frame: FrameType | None) -> bool:
    while frame is not None:
        if frame.f_code.co_filename.startswith("<frozen importlib"):
            return True
        frame = frame.f_back
    return False
