"""The examples in the documentation, run: each ``console`` block of a page, in order, in a home with the sample
sessions.

A line that starts with ``$ `` is a command, the lines below it are what it prints. ``...`` stands for any text, also
over several lines; blanks and empty lines at the ends do not count. A ``cd`` and an ``export`` hold for the commands
after them. Each command has a terminal for its input, in which whoever types answers yes. Commands that a test must not
run (installing, ``make``) stand in blocks that are marked ``sh`` and are left alone.
"""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from agent_riggs import samples


def check(page: Path) -> list[str]:
    """What is wrong with the examples of a page, one line each."""
    found = list(read(page.read_text(encoding="utf-8"))) if page.exists() else []
    if not found:
        return []
    with tempfile.TemporaryDirectory() as folder:
        environ, project = prepare(Path(folder).resolve())
        wrong, kept = [], ""
        for line, command, shown in found:
            wrong.append((line, run(kept + command, shown, environ, project)))
            if command.startswith(("cd ", "export ")):
                kept += command + " && "
    return [f"{page.name}:{line}: {why}" for line, why in wrong if why]


def read(text: str) -> Iterator[tuple[int, str, str]]:
    """The examples of a page: line, command, what it is said to print."""
    for block in re.finditer(r"^```console\n(.*?)^```$", text, re.DOTALL | re.MULTILINE):
        first = text.count("\n", 0, block.start(1)) + 1
        for example in re.finditer(r"^\$ (.+)\n((?:(?!\$ ).*\n)*)", block[1], re.MULTILINE):
            yield first + block[1].count("\n", 0, example.start()), example[1], example[2]


def prepare(folder: Path) -> tuple[dict[str, str], Path]:
    """A home with the sample sessions and an empty project folder: the environment to run in, and where."""
    project = folder / samples.PROJECT
    project.mkdir()
    samples.write(folder, project)
    environ = {
        "PATH": str(Path(sys.executable).parent) + os.pathsep + os.environ.get("PATH", ""),
        "HOME": str(folder),
        "USERPROFILE": str(folder),
        "LOCALAPPDATA": str(folder / "local"),
        "COLUMNS": "100",
        "LC_ALL": "C.UTF-8",
    }
    return environ, project


def run(command: str, shown: str, environ: dict[str, str], project: Path) -> str:
    """Run one example; the empty string when it printed what is shown, else why not."""
    typed, terminal = pty.openpty()
    os.write(typed, b"y\n")
    try:
        done = subprocess.run(
            ["bash", "-c", command],
            cwd=project,
            env=environ,
            capture_output=True,
            text=True,
            stdin=terminal,
            check=False,
        )
    finally:
        os.close(typed)
        os.close(terminal)
    if done.returncode:
        return f"{command!r} ended with {done.returncode}: {done.stderr.strip()}"
    printed = done.stdout + done.stderr
    return "" if matches(shown, printed) else f"{command!r} printed:\n{printed}"


def matches(shown: str, printed: str) -> bool:
    """Whether ``printed`` is what is ``shown``. Nothing shown matches anything."""
    if not shown.strip():
        return True
    parts = [re.escape(" ".join(part.split())) for part in shown.split("...")]
    return (
        re.fullmatch(
            r"\s*" + r".*".join(p.replace(r"\ ", r"\s+") for p in parts) + r"\s*", " ".join(printed.split()), re.DOTALL
        )
        is not None
    )
