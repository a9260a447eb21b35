"""Running a command in a test: in this process with its streams caught, or as a whole process."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest.mock import patch

from agent_riggs.faces.cli import main


@dataclass(frozen=True)
class Ran:
    """What a command did."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


def run(folder: Path, *words: str, typed: str = "") -> Ran:
    """One command in a folder, in this process; ``typed`` stands on standard input."""
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err), patch("sys.stdin", io.StringIO(typed)):
        code = main(["-C", str(folder), *words])
    return Ran(code, out.getvalue(), err.getvalue())


def process(folder: Path, *words: str, **environ: str) -> Ran:
    """One command in a folder, as a process of its own."""
    done = subprocess.run(
        [sys.executable, "-m", "agent_riggs", *words],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), **environ},
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=60,
        check=False,
    )
    return Ran(done.returncode, done.stdout, done.stderr)
