"""The real kibitzer and blq from the package registry, driven as they are in use: one turn per real event."""

from __future__ import annotations

import os
import subprocess
import sys
import time
import venv
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from agent_riggs.ingest import Summary, ingest
from agent_riggs.paths import find_project, store_path
from agent_riggs.sources import SISTERS, SOURCES
from agent_riggs.store import open_read
from sisters import zone_files
from sisters.driver import Driver

pytestmark = pytest.mark.sisters

PACKAGES = ("kibitzer==0.9.0", "blq-cli==1.2.2")
LATER = 600
"""Seconds after which a run without an outcome counts as killed."""


@pytest.fixture(scope="session")
def tools(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the tools' programs. ``$SISTER_TOOLS`` names an environment that has them already."""
    there = os.environ.get("SISTER_TOOLS", "")
    folder = Path(there) if there else tmp_path_factory.mktemp("tools")
    if not there:
        venv.create(folder, with_pip=True)
        subprocess.run([str(folder / "bin/python"), "-m", "pip", "-qq", "install", *PACKAGES], check=True)
    return folder / "bin"


def read(driver: Driver, after: float = LATER) -> Summary:
    return ingest(
        find_project(driver.root),
        sources=SOURCES,
        sisters=SISTERS,
        environ={"TZ": driver.zone},
        home=driver.home,
        now=int((time.time() + after) * 1e6),
    )


def turns(driver: Driver) -> list[tuple[Any, ...]]:
    with open_read(store_path(find_project(driver.root))) as store:
        return store.conn.execute(
            "SELECT agent, tool_name, outcome, category, mode, epoch(timestamp) FROM turns ORDER BY timestamp"
        ).fetchall()


def check(driver: Driver) -> None:
    """Exactly the events that happened, each with its category, its mode and its time."""
    found = turns(driver)
    wanted = sorted((t.agent, t.tool, t.outcome, t.category or "", t.mode or "") for t in driver.told)
    assert sorted((a, t, o, c or "", m or "") for a, t, o, c, m, _ in found) == wanted
    times = sorted(told.at for told in driver.told)
    assert all(abs(at - told) < 60 for at, told in zip(sorted(row[5] for row in found), times, strict=True))


def a_day_of_work(driver: Driver) -> None:
    driver.failing("one", "frob", transcript=True)
    driver.switch("implement")
    driver.refused("one", "README.md", transcript=True)
    driver.refused("one", str(driver.home / ".ssh/id"), transcript=True, category="denied")
    driver.failing("one", "frob", transcript=True, heard=False)
    driver.blq("sh -c 'exit 3'", "failed", "failure", transcript=True)
    driver.write("one")
    driver.refused("two", "docs/x.md", transcript=False)
    for number in range(5):
        driver.failing("two", f"frob{number}", transcript=False)
    driver.note("kibitzer", "ModeTransition", "ok", None, "implement")
    driver.mode = "explore"
    driver.refused("two", "src/x.py", transcript=False)
    time.sleep(2)
    driver.blq("sh -c 'exit 4'", "failed", "failure", transcript=False)
    driver.blq("true", "ok", None, transcript=False)
    driver.blq("sleep 30", "failed", "timeout", transcript=False, limit=1)
    driver.killed()


@pytest.mark.parametrize("zone", ["Asia/Tokyo", "America/New_York"])
def test_one_turn_per_event_with_its_mode_category_and_time(tools: Path, tmp_path: Path, zone: str) -> None:
    driver = Driver(tools, tmp_path / "shop", tmp_path / "home", zone)
    driver.set_up()
    a_day_of_work(driver)
    assert read(driver).problems == 0
    check(driver)
    before = turns(driver)
    assert (read(driver).changed_calls, turns(driver)) == (0, before)


def test_runs_on_both_sides_of_a_clock_change(tools: Path, tmp_path: Path) -> None:
    change = time.time() + 45
    zone = zone_files.write(tmp_path / "zone", int(change), before=2, after=1)
    driver = Driver(tools, tmp_path / "shop", tmp_path / "home", f":{zone}")
    driver.set_up()
    driver.mode = ""  # kibitzer watches no session here
    driver.blq("sh -c 'exit 4'", "failed", "failure", transcript=False)
    assert time.time() < change
    read(driver)
    time.sleep(max(0.0, change + 1 - time.time()))
    driver.blq("sh -c 'exit 5'", "failed", "failure", transcript=False)
    driver.blq("sh -c 'exit 6'", "failed", "failure", transcript=True)
    driver.write("one")
    read(driver)
    check(driver)


HOLD = """
import sys, time, duckdb
c = duckdb.connect(sys.argv[1])
c.execute("SET checkpoint_threshold = '1GB'")
c.execute("INSERT INTO invocations (id, session_id, timestamp, duration_ms, cwd, cmd, exit_code, client_id, "
          "source_name, source_type, date) VALUES (uuid(), 's', localtimestamp, 5, '.', 'frobnicate', 9, 'blq-exec', "
          "'frobnicate', 'exec', current_date)")
print("held", flush=True)
time.sleep(600)
"""


@contextmanager
def held(driver: Driver) -> Iterator[None]:
    """The database open for writing in another process, with a run in its log that no checkpoint has seen."""
    command = (str(driver.bin / "python"), "-c", HOLD, str(driver.root / ".bird/blq.duckdb"))
    process = subprocess.Popen(command, env=driver.environ, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        yield
    finally:
        process.kill()
        process.wait()


def test_a_locked_database_delays_nothing_and_loses_nothing(tools: Path, tmp_path: Path) -> None:
    driver = Driver(tools, tmp_path / "shop", tmp_path / "home", "UTC")
    driver.set_up()
    driver.blq("sh -c 'exit 3'", "failed", "failure", transcript=False)
    driver.note("blq", "Bash", "failed", "failure", None)
    read(driver)
    with held(driver):
        began = time.monotonic()
        read(driver)
        assert time.monotonic() - began < 15
        check(driver)
    driver.blq("sh -c 'exit 4'", "failed", "failure", transcript=False)
    read(driver)
    check(driver)


def test_blq_runs_while_we_read(tools: Path, tmp_path: Path) -> None:
    driver = Driver(tools, tmp_path / "shop", tmp_path / "home", "UTC")
    driver.set_up()
    code = "from sisters.test_real_tools import read_on; import sys; read_on(*sys.argv[1:])"
    tests = Path(__file__).parents[1]
    environ = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tests), *sys.path])}
    reader = subprocess.Popen([sys.executable, "-c", code, str(tools), str(driver.root), str(driver.home)], env=environ)
    try:
        for number in range(3, 7):
            driver.blq(f"sh -c 'exit {number}'", "failed", "failure", transcript=False)
    finally:
        reader.kill()
        reader.wait()
    read(driver)
    check(driver)


def read_on(tools: str, root: str, home: str) -> None:
    """Ingest again and again until killed."""
    driver = Driver(Path(tools), Path(root), Path(home), "UTC")
    while True:
        read(driver)
