"""One command as a whole process: begun sooner with what the last one compiled, ended without taking itself apart."""

from __future__ import annotations

import atexit
import gc
import inspect  # noqa: F401 (click needs it, as it is: the kept forms would come with one that is loaded later)
import os
import sys
import threading
import typing  # noqa: F401 (the same)
from contextlib import suppress
from typing import Final

from agent_riggs import folders
from agent_riggs.deliver import quick
from agent_riggs.faces import interrupts

FOLDER: Final = "commands"
"""In the user's state folder: compiled forms, apart from those of the hook, which loads the fewer the sooner."""
STORE: Final = "agent_riggs.store"
DEMO: Final = "agent_riggs.faces.tour"
YOUNG: Final = 100_000
"""Objects made before garbage is looked for: a command makes many that it keeps, and hardly any in rings."""


def run() -> int:
    """Run the command that was typed. Returns its exit code only where the interpreter has to end by itself."""
    gc.set_threshold(YOUNG)
    home = folders.state_of(os.environ, sys.platform)
    kept = quick.start(os.path.join(home, FOLDER)) if home else None
    from agent_riggs.faces.cli import main

    code = interrupts.heard(main)
    if kept is not None and STORE in sys.modules and DEMO not in sys.modules:  # help and the demo leave nothing behind
        with suppress(OSError):
            kept.save()
    return _leave(code)


def _leave(code: int) -> int:
    """End the process at once: to free every object first takes as long as to make them, and the system does it."""
    if threading.active_count() > 1:
        return code
    with suppress(OSError, ValueError):
        sys.stdout.flush()
        sys.stderr.flush()
    atexit._run_exitfuncs()
    os._exit(code)
