"""The store after accidents, seen from the command line: killed writers, broken files, other releases, many at once."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest

from agent_riggs.store.migrations import SCHEMA_VERSION
from cases.scene import Scene, fails, shared, works
from faces.terminal import at_terminal

CONTENT = (
    "SELECT turn_id, COLUMNS(*)::VARCHAR FROM turns ORDER BY 1",
    "SELECT failure_id, COLUMNS(*)::VARCHAR FROM failure_stream ORDER BY 1",
    "SELECT session_id, COLUMNS(*)::VARCHAR FROM session_summaries ORDER BY 1",
)

BROKEN: dict[str, bytes | None] = {
    "nothing in it": b"",
    "garbage": b"this is no database " * 500,
    "another kind of database": b"SQLite format 3\0" + b"\0" * 8000,
    "another program's": None,
}


def fill(scene: Scene) -> None:
    for number in range(3):
        scene.write(*fails(10 * number + 1), *works(10 * number + 2), *fails(10 * number + 3), name=f"s{number}")
    assert scene.ingest()["outcomes"] == {"failed": 6, "ok": 3}


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scene]:
    """Three sessions, read."""
    with shared(tmp_path_factory) as found:
        fill(found)
        shutil.copytree(found.store.parent, found.root.with_name("pristine"))
        yield found


@pytest.fixture
def scene(filled: Scene) -> Scene:
    """The same, as it was after that first ingest."""
    shutil.rmtree(filled.home / "state", ignore_errors=True)
    shutil.rmtree(filled.store.parent)
    shutil.copytree(filled.root.with_name("pristine"), filled.store.parent)
    return filled


@pytest.fixture
def fresh(home: Path, tmp_path: Path) -> Scene:
    """A project with nothing read."""
    (tmp_path / "shop").mkdir()
    return Scene(home, tmp_path / "shop")


def content(scene: Scene) -> list[list[tuple[Any, ...]]]:
    return [scene.rows(query) for query in CONTENT]


def spoil(scene: Scene, data: bytes | None) -> None:
    scene.store.unlink()
    if data is None:
        with duckdb.connect(str(scene.store)) as other:
            other.execute("CREATE TABLE recipes (name VARCHAR)")
    else:
        scene.store.write_bytes(data)


@pytest.mark.parametrize("data", BROKEN.values(), ids=BROKEN)
def test_a_file_that_is_no_store_is_named_by_every_reader_and_replaced_by_an_ingest(
    scene: Scene, data: bytes | None
) -> None:
    before = content(scene)
    spoil(scene, data)
    kept = scene.store.read_bytes()
    for words in (["status"], ["failures"], ["sql", "SELECT 1"], ["ratchet", "candidates", "--json"]):
        ran = scene.run(*words)
        assert (ran.code, ran.out.strip()) == (1, "")
        assert [line.split(":")[0] for line in ran.err.splitlines()] == ["error", " hint"]
        assert "agent-riggs ingest" in ran.err
    ran = scene.run("ingest")
    aside = scene.store.with_name("store.broken-1.duckdb")
    assert (ran.code, f"kept as {aside}" in ran.err) == (0, True)
    assert aside.read_bytes() == kept
    assert content(scene) == before
    assert scene.run("status").code == 0


def test_what_was_promoted_survives_a_lost_store(scene: Scene) -> None:
    key = scene.run("ratchet", "candidates", "--json").json[0]["candidate_key"]
    code, shown = at_terminal(scene.root, ["ratchet", "promote", key, "--fix", "use make", "--reason", "it works"])
    assert code == 0, shown
    spoil(scene, b"garbage" * 1000)
    assert "1 decision restored from your log" in scene.run("ingest").err
    found = scene.rows("SELECT candidate_key, decision FROM ratchet_decisions")
    assert found == [(key, "promoted")]
    assert key not in [one["candidate_key"] for one in scene.run("ratchet", "candidates", "--json").json]


KILLED = """
import os, sys, duckdb
conn = duckdb.connect(sys.argv[1])
conn.execute("INSERT OR REPLACE INTO riggs_meta VALUES ('k', 'v')")
conn.execute("UPDATE turns SET host = 'x' WHERE turn_id IN (SELECT min(turn_id) FROM turns)")
os._exit(9)
"""


def leave_log(scene: Scene) -> Path:
    subprocess.run([sys.executable, "-c", KILLED, str(scene.store)], check=False)
    log = scene.store.with_name(scene.store.name + ".wal")
    assert log.exists()
    return log


@pytest.mark.parametrize("cut", [0, 7, 40])
def test_a_log_left_or_cut_short_opens_at_once(scene: Scene, cut: int) -> None:
    log = leave_log(scene)
    log.write_bytes(log.read_bytes()[: len(log.read_bytes()) - cut])
    assert scene.run("status").code == 0
    assert scene.ingest()["calls"] == 9
    assert not list(scene.store.parent.glob("*broken*"))


def test_a_damaged_log_is_set_aside_with_a_notice_and_nothing_is_lost(scene: Scene) -> None:
    log = leave_log(scene)
    damaged = bytearray(log.read_bytes())
    damaged[len(damaged) // 2] ^= 0xFF
    log.write_bytes(damaged)
    assert scene.run("status").code == 1
    ran = scene.run("ingest")
    (aside,) = scene.store.parent.glob("*broken*")
    assert (ran.code, str(aside) in ran.err) == (0, True)
    assert aside.read_bytes() == damaged
    for _ in range(2):
        assert scene.run("status").code == 0
        assert scene.ingest()["calls"] == 9


def test_a_store_of_a_later_release_is_read_and_not_written(scene: Scene) -> None:
    with duckdb.connect(str(scene.store)) as conn:
        conn.execute("UPDATE riggs_meta SET value = '99' WHERE key = 'schema_version'")
        conn.execute("ALTER TABLE turns ADD COLUMN of_tomorrow INTEGER")
    before = scene.store.read_bytes()
    ran = scene.run("ingest")
    assert (ran.code, "upgrade agent-riggs" in ran.err) == (1, True)
    assert scene.store.read_bytes() == before
    assert scene.run("status").code == 0
    assert len(scene.run("failures", "--json").json) == 1


def test_a_store_of_an_earlier_release_is_read_as_it_is_and_migrated_by_an_ingest(scene: Scene) -> None:
    before = content(scene)
    with duckdb.connect(str(scene.store)) as conn:
        conn.execute("UPDATE riggs_meta SET value = '1' WHERE key = 'schema_version'")
        conn.execute("DROP TABLE deliveries")
        conn.execute("ALTER TABLE turns DROP COLUMN held")
    ran = scene.run("failures", "--json")
    assert (ran.code, len(ran.json), "being written" in ran.err) == (0, 1, False)
    assert scene.ingest()["calls"] == 9
    version = scene.rows("SELECT value FROM riggs_meta WHERE key = 'schema_version'")
    assert version == [(str(SCHEMA_VERSION),)]
    assert [len(rows) for rows in content(scene)] == [len(rows) for rows in before]


def test_a_store_that_came_with_the_folder_is_named_and_only_the_users_own_ingest_takes_it_over(scene: Scene) -> None:
    """The fixture has taken the user's state away: to this user the store is a stranger's."""
    with duckdb.connect(str(scene.store)) as conn:
        conn.execute("INSERT OR REPLACE INTO riggs_meta VALUES ('recorded_as', '/home/of/other/projects')")
    before = scene.store.read_bytes()
    assert "begun elsewhere" in scene.run("status").err
    ran = scene.run("ingest", "--quiet", "--no-wait")
    assert (ran.code, "begun elsewhere" in ran.err, "run `agent-riggs ingest` once" in ran.err) == (1, True, True)
    assert scene.store.read_bytes() == before
    ran = scene.run("ingest")
    assert (ran.code, f"move {scene.store.parent} away" in ran.err) == (0, True)
    assert scene.rows("SELECT value FROM riggs_meta WHERE key = 'recorded_as'") == [("",)]
    for words in (["ingest"], ["status"], ["ingest", "--quiet"]):
        ran = scene.run(*words)
        assert (ran.code, "elsewhere" in ran.err) == (0, False)


def test_a_store_in_the_place_of_ones_own_is_another(scene: Scene) -> None:
    scene.ingest()
    shutil.copytree(scene.root.with_name("pristine"), scene.store.parent, dirs_exist_ok=True)
    assert "begun elsewhere" in scene.run("status").err
    assert scene.run("ingest", "--quiet").code == 1


def test_a_first_ingest_and_one_after_init_are_the_users_own(fresh: Scene) -> None:
    fresh.write(*works(1))
    assert fresh.run("init").code == 0
    for words in (["status"], ["ingest", "--quiet"], ["ingest", "--quiet"], ["status"]):
        ran = fresh.run(*words)
        assert (ran.code, "elsewhere" in ran.err) == (0, False)


@pytest.mark.parametrize("odd", ["3", "null", '["x"]', '{"x": "y"}'])
def test_odd_documents_in_a_store_cost_no_command(scene: Scene, odd: str) -> None:
    with duckdb.connect(str(scene.store)) as conn:
        conn.execute("UPDATE transcripts SET unknown = ?::JSON, state = ?::JSON", [odd, odd])
        conn.execute("UPDATE turns SET metadata = ?::JSON", [odd])
    for words in (["sources"], ["status"], ["failures"], ["explain", "1"], ["ingest"], ["doctor"]):
        assert scene.run(*words).code in (0, 1), words


# --- several processes


RUN = """
import os, sys; sys.path[:0] = sys.argv[3:]
at = int(sys.argv[2])
from agent_riggs.store import transactions
import contextlib
real, count = transactions.transaction, 0
@contextlib.contextmanager
def counted(conn):
    global count
    count += 1
    if count == at: os.kill(os.getpid(), 9)
    with real(conn): yield
    count += 1
    if count == at: os.kill(os.getpid(), 9)
transactions.transaction = counted
from agent_riggs.faces.cli import main
code = main(["-C", sys.argv[1], "ingest", "--json"])
print(count, file=sys.stderr)
raise SystemExit(code)
"""


def start(scene: Scene, kill_at: int = 0) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", RUN, str(scene.root), str(kill_at), *sys.path],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=dict(os.environ),
    )


def test_killed_at_any_transaction_the_next_run_completes_to_the_same_rows(fresh: Scene) -> None:
    for number in range(2):
        fresh.write(*fails(10 * number + 1), *works(10 * number + 2), name=f"s{number}")
    fresh.ingest()
    undisturbed = content(fresh)
    steps = 0
    for at in range(2, 60, 9):
        fresh.store.unlink(missing_ok=True)
        fresh.store.with_name(fresh.store.name + ".wal").unlink(missing_ok=True)
        run = start(fresh, at)
        run.communicate(timeout=60)
        if run.returncode == 0:
            break
        assert run.returncode == -signal.SIGKILL
        steps += 1
        fresh.ingest()
        assert content(fresh) == undisturbed
    assert steps >= 2


def test_several_ingests_and_readers_at_once_all_succeed(fresh: Scene) -> None:
    for session in range(4):
        fresh.write(*(part for n in range(20) for part in fails(session * 100 + n)), name=f"s{session}")
    runs = [start(fresh) for _ in range(3)]
    for _ in range(5):
        assert fresh.run("status").code == 0
    told = [run.communicate(timeout=120) for run in runs]
    assert [run.returncode for run in runs] == [0, 0, 0], told
    assert fresh.rows("SELECT count(*), count(DISTINCT turn_id) FROM turns") == [(80, 80)]
    assert fresh.rows("SELECT count(*) FROM failure_stream") == [(80,)]
