"""Each supported DuckDB line: stores written here are read there, stores written there are read here, with the same
rows; and what was promoted is found by the consumer wherever the store was made."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tomllib
import venv
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from agent_riggs.consumer import RatchetConsumer
from agent_riggs.learn import candidates, decisions
from agent_riggs.learn.ledger import Ledger
from agent_riggs.store import open_write
from cases.scene import Scene, fails, shared, works

pytestmark = pytest.mark.registry

LINES = ("1.4", "1.5", "2.0")
CHECKOUT = Path(__file__).resolve().parents[2]
NOW = 1_900_000_000_000_000
KEY = "failure-Bash-any"

PLAIN = """
import json, sys, duckdb
conn = duckdb.connect(sys.argv[1], read_only=True)
tables = ("turns", "failure_stream", "session_summaries", "ratchet_decisions")
counts = [conn.execute(f"SELECT count(*) FROM {table}").fetchone()[0] for table in tables]
promoted = conn.execute("SELECT candidate_key, reason FROM ratchet_decisions WHERE decision = 'promoted'").fetchall()
print(json.dumps([duckdb.__version__, counts, promoted]))
"""
CONSUMER = """
import json, sys
from agent_riggs.consumer import RatchetConsumer
found = RatchetConsumer.from_db(sys.argv[1])
print(json.dumps([len(found), found.coaching_for_failure(tool="Bash", mode=None)]))
"""
KILLED = """
import os, sys
from pathlib import Path
from agent_riggs.store import open_write
with open_write(Path(sys.argv[1])) as store:
    store.conn.execute("INSERT OR REPLACE INTO riggs_meta VALUES ('killed', '1')")
    store.conn.execute("INSERT OR REPLACE INTO riggs_meta VALUES ('killed', '2')")
    store.conn.execute("DELETE FROM call_copies")
    store.conn.execute("UPDATE session_summaries SET host = 'x'")
    store.conn.execute("CREATE UNIQUE INDEX of_today ON problems (problem_id)")
    store.conn.execute("DROP INDEX of_today")
    store.conn.execute("ALTER TABLE problems ADD COLUMN of_today INTEGER")
    store.conn.execute("ALTER TABLE problems DROP COLUMN of_today")
    os._exit(9)
"""


@pytest.fixture(scope="module", params=LINES)
def python(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An interpreter that has what the package needs, with the newest DuckDB of one line."""
    folder = tmp_path_factory.mktemp(f"duckdb-{request.param}") / "venv"
    venv.create(folder, with_pip=True)
    found = folder / ("Scripts" if os.name == "nt" else "bin") / "python"
    project = tomllib.loads((CHECKOUT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    needed = [one for one in project["dependencies"] if not re.match(r"duckdb\b", one)]
    command = [str(found), "-m", "pip", "-qq", "--disable-pip-version-check", "install"]
    subprocess.run([*command, f"duckdb=={request.param}.*", *needed], check=True, stdin=subprocess.DEVNULL)
    return found


@pytest.fixture
def scene(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scene]:
    with shared(tmp_path_factory) as found:
        for number in range(3):
            call = 10 * number
            found.write(*fails(call + 1), *works(call + 2), *fails(call + 3), *fails(call + 4), name=f"s{number}")
        yield found


def promote(scene: Scene) -> None:
    with open_write(scene.store) as store:
        coarse = candidates.find(store.conn, KEY, now=NOW)
        mine = Ledger(scene.home / "state" / "shop", "shop", "me")
        decisions.promote(store.conn, mine, coarse, now=NOW, fix="use make", reason="it works")


def ask(python: Path, scene: Scene, *words: str, code: int = 0) -> Any:
    """What a program printed as JSON over there."""
    environ = {**os.environ, "PYTHONPATH": str(CHECKOUT / "src"), "HOME": str(scene.home)}
    environ["AGENT_RIGGS_STATE_DIR"] = str(scene.home / "state")
    done = subprocess.run(
        [str(python), *words], env=environ, cwd=scene.root, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == code, done.stderr
    return json.loads(done.stdout) if code == 0 else None


def test_a_store_written_here_is_read_there(python: Path, scene: Scene) -> None:
    scene.ingest()
    promote(scene)
    version, counts, promoted = ask(python, scene, "-c", PLAIN, str(scene.store))
    assert (bool(version), counts) == (True, [12, 9, 3, 1])
    ((key, reason),) = promoted
    assert key == KEY
    assert "use make" in reason
    length, message = ask(python, scene, "-c", CONSUMER, str(scene.store))
    assert (length, "use make" in message) == (1, True)


def test_the_commands_say_the_same_there(python: Path, scene: Scene) -> None:
    scene.ingest()
    promote(scene)
    for words in (["failures"], ["sessions"], ["metrics"], ["ratchet", "candidates", "--all"], ["sql", "FROM turns"]):
        there = ask(python, scene, "-m", "agent_riggs", *words, "--json")
        assert there == scene.run(*words, "--json").json, words


def test_a_store_written_there_has_the_same_rows(python: Path, scene: Scene) -> None:
    tables = ("turns", "failure_stream", "session_summaries")
    scene.ingest()
    here = [scene.rows(f"SELECT COLUMNS(*)::VARCHAR FROM {table} ORDER BY ALL") for table in tables]
    scene.store.unlink()
    assert ask(python, scene, "-m", "agent_riggs", "ingest", "--json")["calls"] == 12
    assert [scene.rows(f"SELECT COLUMNS(*)::VARCHAR FROM {table} ORDER BY ALL") for table in tables] == here
    promote(scene)
    found = RatchetConsumer.from_db(scene.store)
    assert found is not None
    assert "use make" in (found.coaching_for_failure(tool="Bash", mode=None) or "")
    assert ask(python, scene, "-c", CONSUMER, str(scene.store))[0] == 1


def test_a_writer_killed_there_leaves_a_store_that_opens_there(python: Path, scene: Scene) -> None:
    ask(python, scene, "-m", "agent_riggs", "ingest", "--json")
    ask(python, scene, "-c", KILLED, str(scene.store), code=9)
    assert ask(python, scene, "-m", "agent_riggs", "failures", "--json")[0]["times"] == 9
    assert ask(python, scene, "-m", "agent_riggs", "ingest", "--json")["calls"] == 12
    assert not list(scene.store.parent.glob("*broken*"))


def test_a_writer_killed_here_leaves_a_store_that_opens_there(python: Path, scene: Scene) -> None:
    scene.ingest()
    here = Path(sys.executable)
    ask(here, scene, "-c", KILLED, str(scene.store), code=9)
    assert ask(python, scene, "-m", "agent_riggs", "failures", "--json")[0]["times"] == 9
