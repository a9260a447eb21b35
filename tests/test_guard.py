"""The guard itself: it must be able to fail a test."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).parent


def run(tmp_path: Path, body: str, real: Path) -> subprocess.CompletedProcess[str]:
    """One test with ``body``, in a pytest of its own whose real home is ``real``."""
    (tmp_path / "conftest.py").write_text("from guard import home, real_home_unchanged\n")
    (tmp_path / "test_it.py").write_text(f"import os, pathlib, subprocess, sys\nREAL = {str(real)!r}\n{body}\n")
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", str(tmp_path), str(tmp_path)],
        env={"PATH": os.environ["PATH"], "HOME": str(real), "PYTHONPATH": str(TESTS)},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def real(tmp_path: Path) -> Path:
    folder = tmp_path / "real"
    (folder / ".claude" / "projects").mkdir(parents=True)
    (folder / ".local" / "state" / "agent-riggs").mkdir(parents=True)
    return folder


@pytest.fixture
def inner(tmp_path: Path) -> Path:
    folder = tmp_path / "inner"
    folder.mkdir()
    return folder


@pytest.mark.parametrize(
    "touch",
    [
        "list(os.scandir(REAL + '/.claude/projects'))",
        "open(REAL + '/.claude/settings.json', 'w')",
        "os.mkdir(REAL + '/.riggs')",
        "(pathlib.Path(REAL) / '.claude' / 'projects').rmdir()",
    ],
)
def test_a_test_that_touches_the_real_home_fails(inner: Path, real: Path, touch: str) -> None:
    found = run(inner, f"def test_it():\n    {touch}", real)
    assert found.returncode == 1
    assert "a test may not touch" in found.stdout


def test_swallowing_the_refusal_does_not_help(inner: Path, real: Path) -> None:
    body = "def test_it():\n    try:\n        os.listdir(REAL + '/.claude')\n    except Exception:\n        pass"
    found = run(inner, body, real)
    assert found.returncode == 1
    assert "touched the real home folder" in found.stdout


def test_a_sub_process_that_writes_our_real_state_is_noticed(inner: Path, real: Path) -> None:
    code = f"open({str(real)!r} + '/.local/state/agent-riggs/x', 'w')"
    found = run(inner, f"def test_it():\n    subprocess.run([sys.executable, '-c', {code!r}], check=True)", real)
    assert found.returncode == 1
    assert "the run changed the real home folder" in found.stdout


def test_a_test_that_stays_in_its_own_home_passes(inner: Path, real: Path) -> None:
    body = (
        "def test_it(home):\n"
        "    assert pathlib.Path.home() == home\n"
        "    (home / '.claude' / 'projects').mkdir(parents=True)\n"
        "    os.listdir(REAL)"
    )
    found = run(inner, body, real)
    assert found.returncode == 0, found.stdout


def test_variables_that_lead_elsewhere_are_gone_or_point_home(home: Path) -> None:
    assert Path.home() == home
    assert "CLAUDE_CONFIG_DIR" not in os.environ
    assert os.environ["AGENT_RIGGS_STATE_DIR"].startswith(str(home))
    assert list(home.iterdir()) == []
