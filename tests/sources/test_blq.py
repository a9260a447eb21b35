"""blq's runs: kinds, ends, local times, the set of ids, and reading without standing in anybody's way."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import closing
from datetime import datetime
from pathlib import Path

import duckdb
import pytest

import sister_files as sister
from agent_riggs.model import Cursor, Problem, ReadEnd, Sighting, Transcript
from agent_riggs.sources import blq, zones
from sister_files import Run, local

NOW = 1_798_761_600_000_000
START = 1_777_885_200_000_000
SECOND = 1_000_000


def found(root: Path, zone: str = "UTC") -> Transcript:
    (item,) = blq.find_in(root, {"TZ": zone})
    assert isinstance(item, Transcript)
    return item


def read(root: Path, cursor: Cursor | None = None, now: int = NOW, zone: str = "UTC") -> tuple[list[Sighting], ReadEnd]:
    events = list(blq.read(found(root, zone), cursor, now))
    assert isinstance(events[-1], ReadEnd)
    return [event for event in events if isinstance(event, Sighting)], events[-1]


def told(seen: Sighting) -> tuple[object, ...]:
    result = seen.call.result
    assert result is not None
    return seen.call.tool, result.exit_code, result.text


def test_how_runs_end(tmp_path: Path) -> None:
    sister.blq(
        tmp_path,
        Run(1, local(0), code=0),
        Run(2, local(1), code=2, says=("a.py:1: error", "b.py:2: error")),
        Run(3, local(2), code=2, prints="E  boom", says=("never used",)),
        Run(4, local(3), code=-1, seconds=1.5),
        Run(5, local(4), code=None),
    )
    seen, end = read(tmp_path)
    assert [told(one) for one in seen] == [
        ("Bash", 0, ""),
        ("Bash", 2, "a.py:1: error\nb.py:2: error"),
        ("Bash", 2, "E  boom"),
        ("Bash", 124, "Command timed out after 1500 ms"),
        ("Bash", 137, "Killed"),
    ]
    assert not end.unsettled


def test_what_blq_did_not_run_is_no_evidence(tmp_path: Path) -> None:
    sister.blq(
        tmp_path,
        Run(1, local(0), kind="import", code=0),
        Run(2, local(1), kind="capture", code=0),
        Run(3, local(2), kind="record", code=0),
        Run(4, local(3), 'lackpy delegate "count lines"', 1, "delegate", "import", says=("no such key",)),
    )
    seen, _ = read(tmp_path)
    assert [(one.kind, one.evidence, one.category) for one in seen] == [
        ("run", False, None),
        ("delegate", True, "generation"),
    ]
    assert seen[1].call.input == {"intent": "count lines"}


def test_a_run_that_goes_on_is_waited_for(tmp_path: Path) -> None:
    soon = START + 60 * SECOND
    sister.blq(tmp_path, Run(1, local(0), code=None, pid=os.getpid()), Run(2, local(0), code=None))
    seen, end = read(tmp_path, now=soon)
    assert (seen, end.unsettled) == ([], True)
    seen, end = read(tmp_path, end.cursor)
    assert ([one.call.call_id for one in seen], end.unsettled) == ([str(Run(2, local(0)).id)], True)
    sister.blq(tmp_path, Run(1, local(0), code=0, pid=os.getpid()), Run(2, local(0), code=4))
    seen, end = read(tmp_path, end.cursor)
    assert ([told(one)[1] for one in seen], end.unsettled) == ([0, 4], False)


def test_a_run_that_prints_is_not_taken_for_dead(tmp_path: Path) -> None:
    run = Run(1, local(0), code=None)
    path = sister.blq(tmp_path, run)
    log = path.parent / "live" / str(run.id) / "combined.log"
    log.parent.mkdir(parents=True)
    log.write_text("...")
    os.utime(log, (NOW / SECOND - 10, NOW / SECOND - 10))
    assert read(tmp_path)[1].unsettled


@pytest.mark.parametrize("bad", ["a\0b", "x" * 9000, "/w/\0"])
def test_an_id_that_no_file_can_be_named_after_and_a_process_that_cannot_be(tmp_path: Path, bad: str) -> None:
    """Whatever wrote the database: a repository may bring one."""
    path = sister.blq(tmp_path, Run(1, local(0), code=None))
    with closing(duckdb.connect(str(path))) as connection:
        connection.execute("ALTER TABLE attempts ALTER id TYPE VARCHAR")
        connection.execute("ALTER TABLE attempts ALTER pid TYPE BIGINT")
        connection.execute("UPDATE attempts SET id = ?, pid = ?", [bad, 2**40])
    seen, end = read(tmp_path)
    assert ([told(one)[1] for one in seen], end.unsettled) == ([137], False)


def test_a_slow_run_behind_a_quick_one_is_not_lost(tmp_path: Path) -> None:
    """Rows are written when runs end and carry the time they started."""
    sister.blq(tmp_path, Run(1, local(5), seconds=1))
    _, end = read(tmp_path)
    sister.blq(tmp_path, Run(2, local(0), seconds=60))
    seen, again = read(tmp_path, end.cursor)
    assert [one.call.call_id for one in seen] == [str(Run(2, local(0)).id)]
    assert read(tmp_path, again.cursor)[0] == []


def test_the_old_folder_counts_only_alone(tmp_path: Path) -> None:
    sister.blq(tmp_path, Run(1, local(0)), folder=".lq")
    assert found(tmp_path).path.parent.name == ".lq"
    sister.blq(tmp_path, Run(1, local(0)))
    assert found(tmp_path).path.parent.name == ".bird"


# --- times --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("zone", "hours"), [("UTC", 0), ("America/New_York", -4), ("Asia/Tokyo", 9), (":Asia/Tokyo", 9)]
)
def test_local_times_are_made_utc(tmp_path: Path, zone: str, hours: float) -> None:
    sister.blq(tmp_path, Run(1, local(0, hours)))
    ((seen,), _) = read(tmp_path, zone=zone)
    assert (seen.call.timestamp, seen.also_at) == (START, None)


def test_the_same_clock_time_in_summer_and_winter(tmp_path: Path) -> None:
    noon = [datetime.fromisoformat(f"2025-0{month}-05T12:00") for month in (1, 7)]
    sister.blq(tmp_path, *(Run(n, moment) for n, moment in enumerate(noon, 1)))
    seen, _ = read(tmp_path, zone="America/New_York")
    assert [(one.call.timestamp or 0) // SECOND % 86_400 // 3600 for one in seen] == [17, 16]


def test_an_hour_that_comes_twice_is_told_apart_by_the_order_runs_ended(tmp_path: Path) -> None:
    """New York, 2025-11-02: 01:00 to 02:00 twice, first at UTC-4, then at UTC-5."""
    clock = ("01:10", "01:50", "01:20", "02:10")
    moments = [datetime.fromisoformat(f"2025-11-02T{time}") for time in clock]
    sister.blq(tmp_path, *(Run(n, moment) for n, moment in enumerate(moments, 1)))
    seen, _ = read(tmp_path, zone="America/New_York")
    midnight = 1_762_041_600
    minutes = [((one.call.timestamp or 0) // SECOND - midnight) // 60 for one in seen]
    assert minutes == [310, 350, 380, 430]
    assert [one.also_at is not None for one in seen] == [True, True, True, False]


def test_a_reading_in_the_future_is_none(tmp_path: Path) -> None:
    sister.blq(tmp_path, Run(1, datetime.fromisoformat("2025-11-02T01:10")))
    ((seen,), _) = read(tmp_path, zone="America/New_York", now=1_762_060_500 * SECOND)
    assert (seen.call.timestamp, seen.also_at) == (1_762_060_200 * SECOND, None)


@pytest.mark.parametrize("name", ["", "EST5EDT,M3.2.0,M11.1.0", "No/Where", "/no/file", "../../etc/passwd", "\0"])
def test_settings_that_name_no_zone_mean_the_machines(name: str) -> None:
    assert zones.zone_of(name) is None


# --- in nobody's way ----------------------------------------------------------------------------------------------

HOLD = """
import sys, duckdb
c = duckdb.connect(sys.argv[1])
c.execute("SET checkpoint_threshold = '1GB'")
c.execute("INSERT INTO invocations (id, timestamp, cmd, exit_code, source_name, source_type) "
          "VALUES (uuid(), TIMESTAMP '2026-05-04 10:00:00', 'late', 9, 'late', 'exec')")
print("held", flush=True)
sys.stdin.read()
"""


def test_a_held_database_is_read_with_what_stands_in_its_log(tmp_path: Path) -> None:
    path = sister.blq(tmp_path, Run(1, local(0)))
    before = sorted(p.name for p in path.parent.iterdir())
    command = [sys.executable, "-c", HOLD, str(path)]
    holder = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert holder.stdout is not None
    assert holder.stdout.readline() == "held\n"
    try:
        seen, end = read(tmp_path)
    finally:
        holder.communicate("")
    assert ([one.call.input["command"] for one in seen], end.unsettled) == (["pytest -q", "late"], False)
    assert sorted(p.name for p in path.parent.iterdir()) == before


def test_a_database_written_all_the_while_is_read_the_next_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sister.blq(tmp_path, Run(1, local(0)))
    transcript, counter = found(tmp_path), iter(range(1000))
    monkeypatch.setattr(blq.blq_store, "stamp", lambda path: str(next(counter)))
    monkeypatch.setattr(blq.blq_store, "_PAUSE", 0.0)
    (end,) = blq.read(transcript, None, NOW)
    assert isinstance(end, ReadEnd)
    assert end.unsettled


def test_a_broken_database_is_a_problem_and_is_looked_at_again(tmp_path: Path) -> None:
    path = tmp_path / ".bird" / "blq.duckdb"
    path.parent.mkdir()
    path.write_bytes(b"no database" * 100)
    problem, end = blq.read(found(tmp_path), None, NOW)
    assert isinstance(problem, Problem)
    assert isinstance(end, ReadEnd)
    assert end.unsettled


def test_outputs_outside_blqs_own_folder_are_not_read(tmp_path: Path) -> None:
    path = sister.blq(tmp_path, Run(1, local(0), prints="inside"))
    (tmp_path / "secret").write_text("secret")
    for place in ("file:../../secret", f"file:{tmp_path}/secret", "data:;base64,%%%", "ftp:x"):
        assert blq.blq_store._stored(path, place) == ""


def test_columns_of_other_types_and_missing_tables_are_survived(tmp_path: Path) -> None:
    path = tmp_path / ".bird" / "blq.duckdb"
    path.parent.mkdir()
    with closing(duckdb.connect(str(path))) as connection:
        connection.execute("CREATE TABLE invocations (id VARCHAR, timestamp TIMESTAMP, cmd VARCHAR, exit_code VARCHAR, "
                           "source_type VARCHAR, duration_ms DOUBLE)")  # fmt: skip
        connection.execute("INSERT INTO invocations VALUES ('no uuid', '2026-05-04 09:00:00', 'a', 'x', 'exec', 1.5)")
        connection.execute("INSERT INTO invocations VALUES (NULL, '0001-01-01', NULL, NULL, 'exec', NULL)")
        connection.execute("INSERT INTO invocations VALUES ('b', 'infinity', NULL, NULL, 'exec', NULL)")
        connection.execute("CREATE TABLE attempts (id INTEGER)")
    seen, _ = read(tmp_path)
    assert [one.call.call_id for one in seen] == ["no uuid"]
