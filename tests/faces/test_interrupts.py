"""Ctrl-C while the program begins, ends or imports: quiet, at once, with 130."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from agent_riggs import errors
from agent_riggs.faces import interrupts

SLOW = "import time; print('here', flush=True); time.sleep(60)\n"
ARM = "from agent_riggs.faces import interrupts; interrupts.quiet(); "


def interrupted(folder: Path, *words: str, ignoring: bool = False) -> tuple[int, str]:
    """Start Python with these words, press Ctrl-C once it says that it is there: exit code and stderr."""
    signals = signal.SIG_IGN if ignoring else signal.default_int_handler
    child = subprocess.Popen(
        [sys.executable, *words],
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(folder), *sys.path])},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signals),
    )
    assert child.stdout
    assert child.stdout.readline() == "here\n"
    child.send_signal(signal.SIGINT)
    try:
        _, told = child.communicate(timeout=0.5 if ignoring else 30)
    except subprocess.TimeoutExpired:
        child.kill()
        return 0, child.communicate()[1]
    return child.returncode, told


@pytest.mark.parametrize("module", ["click", "agent_riggs_slow"])
def test_an_import_ends_quietly(tmp_path: Path, module: str) -> None:
    (tmp_path / f"{module}.py").write_text(SLOW)
    words = ["-m", "agent_riggs", "status"] if module == "click" else ["-c", f"{ARM}import {module}"]
    assert interrupted(tmp_path, *words) == (130, "")


def test_a_command_is_interrupted_as_ever(tmp_path: Path) -> None:
    _, told = interrupted(tmp_path, "-c", f"{ARM}interrupts.heard(lambda: exec({SLOW!r}))")
    assert told.endswith("KeyboardInterrupt\n")


def test_before_and_after_a_command_it_ends_quietly(tmp_path: Path) -> None:
    assert interrupted(tmp_path, "-c", ARM + SLOW) == (130, "")
    assert interrupted(tmp_path, "-c", f"{ARM}interrupts.heard(lambda: 0); {SLOW}") == (130, "")


def test_who_ignores_it_goes_on_ignoring_it(tmp_path: Path) -> None:
    assert interrupted(tmp_path, "-c", ARM + SLOW, ignoring=True) == (0, "")


def test_the_exit_code_is_that_of_the_table() -> None:
    assert interrupts.INTERRUPTED == errors.EXIT_INTERRUPTED
