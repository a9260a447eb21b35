"""The program as a whole process: what it keeps for the next run, how it ends."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest


def program(folder: Path, *words: str, state: str = "state") -> subprocess.CompletedProcess[str]:
    """Run ``agent-riggs`` in a folder, its output in pipes."""
    variables = {**os.environ, "AGENT_RIGGS_STATE_DIR": str(folder / state), "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-m", "agent_riggs", *words]
    return subprocess.run(command, cwd=folder, env=variables, capture_output=True, text=True, check=False)


def kept(folder: Path) -> list[Path]:
    return sorted((folder / "state" / "commands").glob("compiled-*"))


def test_what_a_command_compiled_is_kept_for_the_next_and_changes_no_answer(tmp_path: Path) -> None:
    first = program(tmp_path, "failures", "--json")
    (file,) = kept(tmp_path)
    before = file.stat().st_mtime_ns
    again = program(tmp_path, "failures", "--json")
    assert (first.returncode, first.stdout) == (again.returncode, again.stdout) == (0, "[]\n")
    assert file.stat().st_mtime_ns == before


def test_help_leaves_nothing_behind(tmp_path: Path) -> None:
    assert program(tmp_path, "--help").returncode == 0
    assert not (tmp_path / "state").exists()


def test_a_damaged_file_of_kept_forms_costs_nothing_but_time(tmp_path: Path) -> None:
    program(tmp_path, "failures")
    (file,) = kept(tmp_path)
    file.write_bytes(file.read_bytes()[:-1] + b"x")
    assert program(tmp_path, "failures").returncode == 0


def test_a_state_folder_that_cannot_be_made_stops_no_command(tmp_path: Path) -> None:
    (tmp_path / "state").write_text("a file")
    found = program(tmp_path, "failures", "--json")
    assert (found.returncode, found.stdout) == (0, "[]\n")


@pytest.mark.parametrize(
    ("words", "code"), [(["--version"], 0), (["explain", "nothing-like-it"], 1), (["no-such-command"], 2)]
)
def test_the_exit_code_and_all_that_was_said_arrive(tmp_path: Path, words: list[str], code: int) -> None:
    found = program(tmp_path, *words)
    assert found.returncode == code
    assert (found.stderr if code else found.stdout).endswith("\n")


def test_a_long_answer_arrives_whole_in_a_pipe(tmp_path: Path) -> None:
    found = program(tmp_path, "sql", "--json", "SELECT i, repeat('x', 100) AS text FROM range(20000) t(i)")
    assert found.returncode == 0
    assert len(found.stdout) > 2_000_000
    assert found.stdout.endswith("]\n")
