"""The decision log: a chain that shows what was altered, and a file that survives what may happen to it."""

from __future__ import annotations

import json
import stat
import threading
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agent_riggs.errors import RiggsError
from agent_riggs.learn import log as logs
from agent_riggs.learn.log import Entry, Log


def entry(number: int = 1, **changes: object) -> Entry:
    values: dict[str, object] = {
        "at": 1_790_000_000_000_000 + number,
        "decision": "promoted",
        "candidate_type": "failure_pattern",
        "candidate_key": f"failure-Bash-any:f{number:016x}",
        "reason": "use the other one",
        "fix": "use the other one",
        "evidence": {"sessions_affected": 4, "shape": "naïve ✓"},
    }
    return Entry(**(values | changes))  # type: ignore[arg-type]


def write(path: Path, *entries: Entry) -> Log:
    for one in entries:
        with logs.locked(path) as log:
            logs.append(path, logs.chain(one, log), log)
    return logs.read(path)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "state" / logs.FILE_NAME


def test_what_is_written_is_read(path: Path) -> None:
    log = write(path, entry(1), entry(2, until=5, config_change={"a": 1}))
    assert log.broken == ""
    assert [one.candidate_key for one in log.entries] == [entry(1).candidate_key, entry(2).candidate_key]
    assert [one.seq for one in log.entries] == [1, 2]
    assert log.entries[1].previous == log.entries[0].hash
    assert log.entries[0].previous == logs.START
    assert log.entries[1].until == 5
    assert log.entries[0].evidence["shape"] == "naïve ✓"


def test_the_row_id_follows_from_the_hash_unless_adopted(path: Path) -> None:
    one, two = write(path, entry(1), entry(2, row_id=17)).entries
    assert one.decision_id == int(one.hash[:16], 16) >> 1 < 2**63
    assert two.decision_id == 17


def test_a_missing_log_is_empty_and_whole(path: Path) -> None:
    assert logs.read(path) == Log()


def test_the_file_is_private(path: Path) -> None:
    write(path, entry())
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


@pytest.mark.parametrize(
    "field", ["fix", "reason", "candidate_key", "decision", "at", "evidence", "previous", "seq", "hash"]
)
def test_an_altered_entry_breaks_the_chain_there(path: Path, field: str) -> None:
    write(path, entry(1), entry(2), entry(3))
    lines = path.read_text().splitlines()
    body = json.loads(lines[1])
    body[field] = {"x": 1} if field == "evidence" else 9 if field in ("at", "seq") else "0" * 64
    path.write_text("\n".join([lines[0], json.dumps(body), lines[2], ""]))
    log = logs.read(path)
    assert "line 2" in log.broken
    assert [one.seq for one in log.entries] == [1]


def test_a_removed_or_swapped_entry_breaks_the_chain(path: Path) -> None:
    write(path, entry(1), entry(2), entry(3))
    one, two, three = path.read_text().splitlines()
    path.write_text("\n".join([one, three, ""]))
    assert len(logs.read(path).entries) == 1
    path.write_text("\n".join([two, one, three, ""]))
    assert logs.read(path).entries == ()


@given(cut=st.integers(1, 400), junk=st.binary(max_size=40))
@settings(max_examples=60)
def test_no_cut_and_no_junk_raises(tmp_path_factory: pytest.TempPathFactory, cut: int, junk: bytes) -> None:
    path = tmp_path_factory.mktemp("log") / logs.FILE_NAME
    write(path, entry(1), entry(2))
    whole = path.read_bytes()
    path.write_bytes(whole[:-cut] + junk)
    log = logs.read(path)
    assert [one.seq for one in log.entries] == [1, 2][: len(log.entries)]
    assert log.broken or len(log.entries) == whole[:-cut].count(b"\n") or not junk.strip(b"\n")


@pytest.mark.parametrize("line", ["null", "[]", "1", "{}", '{"at": "x"}', "[" * 100_000, "\x00\x00"])
def test_lines_that_are_no_entries_break_the_chain(path: Path, line: str) -> None:
    write(path, entry(1))
    with path.open("a") as file:
        file.write(line + "\n")
    log = logs.read(path)
    assert len(log.entries) == 1
    assert log.broken


def test_a_broken_log_is_set_aside_whole_before_the_next_entry(path: Path) -> None:
    write(path, entry(1), entry(2))
    damaged = path.read_bytes()[:-30]
    path.write_bytes(damaged)
    log = write(path, entry(3))
    assert [one.candidate_key for one in log.entries] == [entry(1).candidate_key, entry(3).candidate_key]
    assert log.broken == ""
    (aside,) = path.parent.glob("decisions.broken-*.jsonl")
    assert aside.read_bytes() == damaged
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_lost_line_break_loses_nothing(path: Path) -> None:
    write(path, entry(1))
    path.write_bytes(path.read_bytes()[:-1])
    assert [one.seq for one in write(path, entry(2)).entries] == [1, 2]


def test_writers_at_once_keep_the_chain(path: Path) -> None:
    threads = [threading.Thread(target=write, args=(path, entry(number))) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    log = logs.read(path)
    assert log.broken == ""
    assert len(log.entries) == 8


def test_a_folder_that_cannot_be_made_is_one_plain_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(RiggsError, match="state folder"), logs.locked(tmp_path / "file" / "x" / logs.FILE_NAME):
        pass
