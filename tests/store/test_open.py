"""Opening, locking, setting aside: the store must be there for readers whatever a writer does."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pytest

from agent_riggs.errors import RiggsError, StoreBroken, StoreBusy, StoreTooNew
from agent_riggs.store import derive, migrations, open_read, open_write, turns
from builders.rows import failed, turn

HOLD = """
    import sys, duckdb
    conn = duckdb.connect(sys.argv[1])
    conn.execute("BEGIN"); conn.execute("INSERT INTO riggs_meta VALUES ('held', '1')")
    print("ready", flush=True)
    sys.stdin.readline()
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / ".riggs" / "store.duckdb"


def fill(path: Path, count: int = 3) -> None:
    with open_write(path) as store:
        turns.insert(store.conn, [turn(number) for number in range(count)])
        derive.settle(store.conn, derive.TrustRules())


def count(path: Path) -> int:
    with open_read(path) as store:
        row = store.conn.execute("SELECT count(*) FROM turns").fetchone()
    assert row
    return int(row[0])


def holder(path: Path) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(HOLD), str(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout
    assert process.stdout.readline() == "ready\n"
    return process


def test_a_new_store_is_private_and_kept_out_of_commits(path: Path) -> None:
    fill(path)
    assert path.stat().st_mode & 0o777 == 0o600
    assert (path.parent / ".gitignore").read_text() == "*\n"


def test_a_missing_store_reads_as_an_empty_one_and_is_not_created(path: Path) -> None:
    assert count(path) == 0
    assert not path.exists()


def test_readers_read_while_a_writer_holds_the_file(path: Path) -> None:
    fill(path)
    process = holder(path)
    try:
        with open_read(path) as store:
            assert store.snapshot
            assert store.conn.execute("SELECT count(*) FROM turns").fetchall() == [(3,)]
            assert store.conn.execute("SELECT count(*) FROM riggs_meta WHERE key = 'held'").fetchall() == [(0,)]
    finally:
        process.communicate("\n")


def test_a_writer_gives_up_with_its_own_exit_code(path: Path) -> None:
    fill(path)
    process = holder(path)
    try:
        with pytest.raises(StoreBusy) as caught, open_write(path, wait=0.05):
            pass
        assert caught.value.exit_code == 4
    finally:
        process.communicate("\n")


def test_a_writer_waits_for_its_turn(path: Path) -> None:
    fill(path)
    brief = "import sys,duckdb,time; c=duckdb.connect(sys.argv[1]); print(1, flush=True); time.sleep(.3)"
    process = subprocess.Popen([sys.executable, "-c", brief, str(path)], stdout=subprocess.PIPE)
    assert process.stdout
    process.stdout.readline()
    with open_write(path, wait=10) as store:
        assert store.conn.execute("SELECT count(*) FROM turns").fetchall() == [(3,)]
    process.communicate()


@pytest.mark.parametrize("content", [b"garbage" * 1000, b"SQLite format 3\x00" + b"\x00" * 5000])
def test_a_file_that_is_no_store_is_set_aside_not_deleted(path: Path, content: bytes) -> None:
    path.parent.mkdir()
    path.write_bytes(content)
    with pytest.raises(StoreBroken), open_read(path):
        pass
    with open_write(path) as store:
        assert store.set_aside == path.with_name("store.broken-1.duckdb")
    assert path.with_name("store.broken-1.duckdb").read_bytes() == content
    assert count(path) == 0


@pytest.mark.parametrize("make", [os.mkdir, os.mkfifo, lambda path: os.symlink("gone/away", path)])
def test_what_is_no_file_is_set_aside(path: Path, make: Callable[[Path], None]) -> None:
    """A pipe is not waited for, and nothing is made at the end of a link that leads nowhere."""
    path.parent.mkdir()
    make(path)
    with pytest.raises(StoreBroken), open_read(path):
        pass
    with open_write(path) as store:
        assert store.set_aside == path.with_name("store.broken-1.duckdb")
    assert os.path.lexists(path.with_name("store.broken-1.duckdb"))
    assert count(path) == 0


def test_nothing_is_made_where_the_links_of_a_shipped_folder_lead(path: Path, tmp_path: Path) -> None:
    path.parent.mkdir()
    (tmp_path / "away").mkdir()
    for name in ("README", ".gitignore"):
        (path.parent / name).symlink_to(tmp_path / "away" / name)
    fill(path)
    assert list((tmp_path / "away").iterdir()) == []


@pytest.mark.parametrize("full", [True, False])
def test_a_shipped_folder_that_is_a_link_is_refused(path: Path, tmp_path: Path, full: bool) -> None:
    (tmp_path / "away").mkdir()
    if full:
        fill(tmp_path / "away" / "store.duckdb")
    before = [entry.name for entry in (tmp_path / "away").iterdir()]
    path.parent.symlink_to(tmp_path / "away")
    for opened in (open_read, open_write):
        with pytest.raises(RiggsError, match=r"/\.riggs is a link to"), opened(path):
            pass
    assert [entry.name for entry in (tmp_path / "away").iterdir()] == before


@pytest.mark.parametrize(
    ("name", "leads"),
    [("", "to a file"), *((name, "to a file") for name in (".wal", ".tmp", ".wal.checkpoint")), (".wal", "nowhere")],
)
def test_a_link_under_a_name_that_duckdb_uses_is_set_aside_and_what_it_leads_to_stays(
    path: Path, tmp_path: Path, name: str, leads: str
) -> None:
    """Left there, DuckDB writes its log into the file."""
    fill(path)
    notes = tmp_path / "notes.txt"
    if leads == "to a file":
        notes.write_text("mine")
        notes.chmod(0o644)
    link = path.with_name(path.name + name)
    link.unlink(missing_ok=True)
    link.symlink_to(notes)
    with pytest.raises(StoreBroken, match="is no file"), open_read(path):
        pass
    with open_write(path) as store:
        turns.insert(store.conn, [turn(7)])
        assert store.set_aside
        assert os.readlink(store.set_aside) == str(notes)
    assert count(path) == (4 if name else 1)
    assert not os.path.lexists(link) or not link.is_symlink()
    if leads == "to a file":
        assert (notes.read_text(), notes.stat().st_mode & 0o777) == ("mine", 0o644)
    assert notes.exists() == (leads == "to a file")


def test_a_folder_for_large_queries_that_holds_a_link_is_set_aside(path: Path, tmp_path: Path) -> None:
    fill(path)
    folder = path.with_name(path.name + ".tmp")
    folder.mkdir()
    (folder / "duckdb_temp_storage_DEFAULT-0.tmp").touch()
    assert count(path) == 3
    (folder / "duckdb_temp_storage_DEFAULT-1.tmp").symlink_to(tmp_path / "notes.txt")
    with pytest.raises(StoreBroken), open_read(path):
        pass
    with open_write(path) as store:
        assert store.set_aside
    assert count(path) == 3


SHIPPED = {
    "a view in the place of a table": "ALTER TABLE problems RENAME TO p_; CREATE VIEW problems AS SELECT 1::BIGINT AS "
    "problem_id, now() AS seen_at, 'x' AS source, '/p' AS path, 1 AS line, "
    "(SELECT content FROM read_text('{}')) AS reason",
    "an endless view": "DROP TABLE riggs_meta; CREATE VIEW riggs_meta AS WITH RECURSIVE e(k, v) AS (SELECT 'k', 1 "
    "UNION ALL SELECT k, v + 1 FROM e) SELECT k AS key, v::VARCHAR AS value FROM e",
    "views alone": "DROP TABLE turns; DROP TABLE failure_stream; DROP TABLE riggs_meta; "
    "CREATE VIEW turns AS SELECT 1 AS turn_id",
    "a table that is missing": "DROP TABLE problems",
    "a column that is missing": "ALTER TABLE problems DROP COLUMN reason",
    "a column of another kind": "ALTER TABLE problems ALTER seen_at TYPE BOOLEAN USING false",
    "a computed column": "DROP TABLE problems; CREATE TABLE problems (problem_id BIGINT, seen_at TIMESTAMPTZ, source "
    "VARCHAR, path VARCHAR, line BIGINT, reason VARCHAR GENERATED ALWAYS AS (repeat(path, 1000000)))",
    "a version in words": "UPDATE riggs_meta SET value = 'two' WHERE key = 'schema_version'",
    "no version": "UPDATE riggs_meta SET value = NULL WHERE key = 'schema_version'",
    "other columns of its facts": "ALTER TABLE riggs_meta RENAME COLUMN value TO worth",
    "an old version with a view": "UPDATE riggs_meta SET value = '1' WHERE key = 'schema_version'; "
    "DROP TABLE problems; CREATE VIEW problems AS SELECT 1",
}


@pytest.mark.parametrize("made", SHIPPED.values(), ids=SHIPPED)
def test_a_store_that_is_not_as_we_make_them_is_set_aside_before_anything_of_it_is_read(
    path: Path, tmp_path: Path, made: str
) -> None:
    fill(path)
    (tmp_path / "secret").write_text("mine")
    with duckdb.connect(str(path)) as conn:
        conn.execute(made.format(tmp_path / "secret"))
    with pytest.raises(StoreBroken) as caught, open_read(path):
        pass
    assert "agent-riggs ingest" in (caught.value.hint or "")
    with open_write(path) as store:
        assert store.set_aside == path.with_name("store.broken-1.duckdb")
    assert count(path) == 0


@pytest.mark.parametrize("opened", [open_read, open_write])
def test_an_open_store_reaches_nothing_else(path: Path, tmp_path: Path, opened: Callable[[Path], Any]) -> None:
    fill(path)
    (tmp_path / "secret").write_text("mine")
    variable = [{"a": 1}]
    assert variable
    with duckdb.connect(str(path)) as conn:
        conn.execute("CREATE MACRO count() AS 42")
        conn.execute(f"CREATE VIEW mine AS SELECT content FROM read_text('{tmp_path / 'secret'}')")
        conn.execute("CREATE MACRO epoch_us(t) AS 42")
    with opened(path) as store:
        ask = store.conn.execute
        assert ask("SELECT count(*), min(epoch_us(now())) > 42 FROM turns").fetchall() == [(3, True)]
        for query in (
            "FROM mine",
            f"FROM read_text('{tmp_path / 'secret'}')",
            "FROM variable",
            f"FROM '{tmp_path / 'secret'}'",
            f"ATTACH '{tmp_path / 'other.duckdb'}'",
            "SET enable_external_access = true",
        ):
            with pytest.raises(duckdb.Error):
                ask(query)


def test_an_empty_file_becomes_a_store(path: Path) -> None:
    path.parent.mkdir()
    path.touch()
    with open_write(path):
        pass
    assert count(path) == 0


def test_another_programs_database_is_set_aside(path: Path) -> None:
    path.parent.mkdir()
    with duckdb.connect(str(path)) as conn:
        conn.execute("CREATE TABLE recipes (name VARCHAR)")
    with open_write(path) as store:
        assert store.set_aside
        with duckdb.connect(str(store.set_aside), read_only=True) as other:
            assert other.execute("SELECT count(*) FROM recipes").fetchall() == [(0,)]


def kill_after_commit(path: Path) -> None:
    """A writer that is killed with its write-ahead log not yet folded in."""
    insert = "INSERT INTO riggs_meta VALUES ('k','v')"
    script = f'import sys,os,duckdb; c=duckdb.connect(sys.argv[1]); c.execute("{insert}"); os._exit(9)'
    subprocess.run([sys.executable, "-c", script, str(path)], check=False)
    assert path.with_name(path.name + ".wal").exists()


def test_a_log_left_by_a_killed_writer_is_replayed(path: Path) -> None:
    fill(path)
    kill_after_commit(path)
    with open_read(path) as store:
        assert store.conn.execute("SELECT value FROM riggs_meta WHERE key = 'k'").fetchall() == [("v",)]
    assert count(path) == 3


def test_a_log_cut_short_still_opens(path: Path) -> None:
    fill(path)
    kill_after_commit(path)
    wal = path.with_name(path.name + ".wal")
    wal.write_bytes(wal.read_bytes()[:-7])
    with open_write(path):
        pass
    assert count(path) >= 0


def test_a_damaged_log_is_set_aside_and_the_last_checkpoint_kept(path: Path) -> None:
    fill(path)
    kill_after_commit(path)
    wal = path.with_name(path.name + ".wal")
    damaged = bytearray(wal.read_bytes())
    damaged[len(damaged) // 2] ^= 0xFF
    wal.write_bytes(bytes(damaged))
    with open_write(path) as store:
        assert store.set_aside
        assert store.set_aside.read_bytes() == bytes(damaged)
    assert count(path) == 3


def test_a_store_of_a_later_release_is_readable_but_not_writable(path: Path) -> None:
    fill(path)
    with open_write(path) as store:
        store.conn.execute("UPDATE riggs_meta SET value = '99' WHERE key = 'schema_version'")
    with pytest.raises(StoreTooNew), open_write(path):
        pass
    assert count(path) == 3


def test_a_folder_that_cannot_be_written_is_one_clear_line(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.touch()
    from agent_riggs.errors import RiggsError

    with pytest.raises(RiggsError) as caught, open_write(blocked / ".riggs" / "store.duckdb"):
        pass
    assert caught.value.exit_code == 1
    assert "\n" not in str(caught.value)


def test_the_file_is_written_in_a_version_that_older_duckdb_reads(path: Path) -> None:
    fill(path)
    assert path.read_bytes()[8:24].startswith(b"DUCK")
    assert int.from_bytes(path.read_bytes()[12:20], "little") == 64


def test_every_column_is_described(path: Path) -> None:
    with open_write(path) as store:
        missing = store.conn.execute(
            "SELECT table_name || '.' || column_name FROM duckdb_columns() WHERE NOT internal AND comment IS NULL"
        ).fetchall()
    assert missing == []


def test_killed_at_any_point_the_store_opens_again(path: Path) -> None:
    script = textwrap.dedent("""
        import sys, os, random, threading, time
        sys.path[:0] = sys.argv[2:]
        from agent_riggs.store import open_write, turns, derive
        from builders.rows import turn
        from pathlib import Path
        threading.Thread(target=lambda: (time.sleep(0.4), os._exit(9)), daemon=True).start()
        number = 0
        while True:
            with open_write(Path(sys.argv[1])) as store:
                turns.insert(store.conn, [turn(number + n) for n in range(50)])
                turns.replace(store.conn, [turn(number + n, outcome="failed", category="failure") for n in range(5)])
                derive.settle(store.conn, derive.TrustRules())
            number += 50
    """)
    fill(path, 0)
    for _ in range(3):
        path.unlink()
        fill(path, 0)
        subprocess.run([sys.executable, "-c", script, str(path), *sys.path], check=False, env={**os.environ})
        with open_write(path) as store:
            assert store.set_aside is None
            rows = store.conn.execute("SELECT count(*) FROM turns").fetchall()
        assert rows[0][0] % 5 == 0


def test_public_stores_keep_every_row(path: Path) -> None:
    path.parent.mkdir()
    with duckdb.connect(str(path)) as conn:
        conn.execute(
            "CREATE TABLE turns (turn_id BIGINT PRIMARY KEY, session_id VARCHAR, project VARCHAR, turn_number INTEGER,"
            " timestamp TIMESTAMP, tool_name VARCHAR, tool_success BOOLEAN, mode VARCHAR, trust_score DOUBLE,"
            " trust_1 DOUBLE, trust_5 DOUBLE, trust_15 DOUBLE, event_category VARCHAR, metadata JSON, source VARCHAR)"
        )
        conn.execute("CREATE TABLE failure_stream (failure_id BIGINT PRIMARY KEY, turn_id BIGINT)")
        conn.execute("INSERT INTO turns (turn_id, session_id, turn_number) VALUES (1, 'old', 1)")
    with open_write(path) as store:
        turns.insert(store.conn, [failed(1), failed(2)])
        derive.settle(store.conn, derive.TrustRules())
        assert store.conn.execute("SELECT count(*) FROM turns WHERE provenance = 'public'").fetchall() == [(1,)]
        assert store.conn.execute("SELECT count(*) FROM failure_stream").fetchall() == [(2,)]
        assert migrations.version_of(store.conn) == migrations.SCHEMA_VERSION


def test_a_store_of_schema_version_1_gains_its_columns_and_tables(path: Path) -> None:
    with open_write(path) as store:
        for column in ("input_mark", "held"):
            store.conn.execute(f"ALTER TABLE turns DROP COLUMN {column}")
        for table in ("sightings", "nudge_trials"):
            store.conn.execute(f"DROP TABLE {table}")
        store.conn.execute("UPDATE riggs_meta SET value = '1' WHERE key = 'schema_version'")
        store.conn.execute("INSERT INTO turns (turn_id, session_id) VALUES (7, 's')")
    with open_write(path) as store:
        assert store.conn.execute("SELECT turn_id, input_mark, held FROM turns").fetchall() == [(7, None, None)]
        assert store.conn.execute("SELECT count(*) FROM sightings").fetchall() == [(0,)]
        assert migrations.version_of(store.conn) == migrations.SCHEMA_VERSION


@pytest.mark.parametrize("opened", [open_read, open_write])
def test_an_interrupt_during_a_query_is_an_interrupt(path: Path, opened: Callable[[Path], Any]) -> None:
    fill(path)
    with pytest.raises(KeyboardInterrupt), opened(path):
        raise RuntimeError("Query interrupted")  # what DuckDB's client makes of SIGINT
    with pytest.raises(RuntimeError, match="another"), opened(path):
        raise RuntimeError("another error")
    assert count(path) == 3
