"""The decision log: a chain that shows what was altered, and a file that survives what may happen to it."""

from __future__ import annotations

import hashlib
import json
import os
import stat
import threading
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agent_riggs.errors import RiggsError
from agent_riggs.learn import log as logs
from agent_riggs.learn.log import Entry, Log

PROJECT = "shop-1"


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
        with logs.locked(path, PROJECT) as log:
            logs.append(path, logs.chain(one, log), log)
    return logs.read(path, PROJECT)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "state" / logs.FILE_NAME


def test_what_is_written_is_read(path: Path) -> None:
    log = write(path, entry(1), entry(2, until=5, config_change={"a": 1}))
    assert log.broken == ""
    assert [one.candidate_key for one in log.entries] == [entry(1).candidate_key, entry(2).candidate_key]
    assert [one.seq for one in log.entries] == [1, 2]
    assert log.entries[1].previous == log.entries[0].hash
    assert log.entries[0].previous == logs.start_of(PROJECT)
    assert log.entries[1].until == 5
    assert log.entries[0].evidence["shape"] == "naïve ✓"


def test_the_row_id_follows_from_the_hash_unless_adopted(path: Path) -> None:
    one, two = write(path, entry(1), entry(2, row_id=17)).entries
    assert one.decision_id == int(one.hash[:16], 16) >> 1 < 2**63
    assert two.decision_id == 17


def test_a_missing_log_is_empty_and_whole(path: Path) -> None:
    assert logs.read(path, PROJECT) == Log(start=logs.start_of(PROJECT))


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
    log = logs.read(path, PROJECT)
    assert "line 2" in log.broken
    assert [one.seq for one in log.entries] == [1]


def test_a_removed_or_swapped_entry_breaks_the_chain(path: Path) -> None:
    write(path, entry(1), entry(2), entry(3))
    one, two, three = path.read_text().splitlines()
    path.write_text("\n".join([one, three, ""]))
    assert len(logs.read(path, PROJECT).entries) == 1
    path.write_text("\n".join([two, one, three, ""]))
    assert logs.read(path, PROJECT).entries == ()


@given(cut=st.integers(1, 400), junk=st.binary(max_size=40))
@settings(max_examples=60)
def test_no_cut_and_no_junk_raises(tmp_path_factory: pytest.TempPathFactory, cut: int, junk: bytes) -> None:
    path = tmp_path_factory.mktemp("log") / logs.FILE_NAME
    write(path, entry(1), entry(2))
    whole = path.read_bytes()
    path.write_bytes(whole[:-cut] + junk)
    log = logs.read(path, PROJECT)
    assert [one.seq for one in log.entries] == [1, 2][: len(log.entries)]
    assert log.broken or len(log.entries) == whole[:-cut].count(b"\n") or not junk.strip(b"\n")


@pytest.mark.parametrize("line", ["null", "[]", "1", "{}", '{"at": "x"}', "[" * 100_000, "\x00\x00"])
def test_lines_that_are_no_entries_break_the_chain(path: Path, line: str) -> None:
    write(path, entry(1))
    with path.open("a") as file:
        file.write(line + "\n")
    log = logs.read(path, PROJECT)
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
    log = logs.read(path, PROJECT)
    assert log.broken == ""
    assert len(log.entries) == 8


def test_a_folder_that_cannot_be_made_is_one_plain_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with (
        pytest.raises(RiggsError, match="state folder"),
        logs.locked(tmp_path / "file" / "x" / logs.FILE_NAME, PROJECT),
    ):
        pass


def forge(path: Path, **changes: object) -> None:
    """Alter the only entry and hash it anew, as anybody can who knows how."""
    body = {**json.loads(path.read_text()), **changes}
    del body["hash"]
    text = json.dumps(body, sort_keys=True, separators=(",", ":"))
    path.write_text(json.dumps({**body, "hash": hashlib.sha256(text.encode()).hexdigest()}) + "\n")


@pytest.mark.parametrize(
    "changes",
    [
        {"at": 10**30}, {"at": -1}, {"at": True}, {"until": "x"}, {"until": 10**18}, {"decided_by": 5}, {"when": []},
        {"decision": "served"}, {"row_id": "7"}, {"row_id": 2**64}, {"config_change": [1]}, {"reason": "\ud800"},
        {"evidence": {"trigger": {"words": 5}}}, {"evidence": {"trigger": 5}}, {"evidence": {"turns": 5}},
        {"evidence": {"turns": [2**70]}}, {"evidence": {"examples": [5]}}, {"evidence": {"n": float("nan")}},
        {"evidence": {"n": float("inf")}}, {"more": 1},
    ],
)  # fmt: skip
def test_an_entry_with_a_good_hash_and_odd_values_counts_as_broken(path: Path, changes: dict[str, object]) -> None:
    write(path, entry())
    forge(path)
    assert logs.read(path, PROJECT).broken == ""
    forge(path, **changes)
    assert "line 1" in logs.read(path, PROJECT).broken


def test_another_projects_log_is_none(path: Path) -> None:
    write(path, entry())
    found = logs.read(path, "shop-2")
    assert (found.entries, "another project" in found.broken) == ((), True)


def test_a_log_begun_before_it_was_bound_to_a_project_goes_on(path: Path) -> None:
    write(path, entry(1))
    forge(path, previous=logs.START)
    log = write(path, entry(2))
    assert (len(log.entries), log.broken, log.entries[0].previous) == (2, "", logs.START)


@pytest.mark.skipif(os.name == "nt", reason="pipes, links and permissions of Unix")
@pytest.mark.parametrize("kind", ["folder", "pipe", "endless", "link", "writable", "large"])
def test_only_a_file_of_the_users_own_is_believed_and_nothing_is_waited_for(
    path: Path, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(path, entry())
    kept = path.rename(path.with_name("elsewhere"))
    if kind == "folder":
        path.mkdir()
    elif kind == "pipe":
        os.mkfifo(path)
    elif kind in ("endless", "link"):
        path.symlink_to("/dev/zero" if kind == "endless" else kept)
    else:
        path.write_bytes(kept.read_bytes())
        path.chmod(0o622 if kind == "writable" else 0o600)
        monkeypatch.setattr(logs, "MAX_BYTES", 100 if kind == "large" else logs.MAX_BYTES)
    found = logs.read(path, PROJECT)
    assert (found.entries, found.readable, bool(found.broken), bool(found.remedy)) == ((), False, True, True)
    with pytest.raises(RiggsError, match="nothing was decided"):
        write(path, entry(2))
    assert logs.set_aside(path) == []


@pytest.mark.parametrize("point", ["link", "replace", "_sync_folder"])
def test_nothing_is_lost_whenever_setting_aside_ends(path: Path, monkeypatch: pytest.MonkeyPatch, point: str) -> None:
    write(path, entry(1), entry(2))
    damaged = path.read_bytes()[:-30]
    path.write_bytes(damaged)

    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(logs if point == "_sync_folder" else os, point, killed)
        with pytest.raises(KeyboardInterrupt):
            write(path, entry(3))
    assert [one.seq for one in logs.read(path, PROJECT).entries] == [1]
    assert damaged in [file.read_bytes() for file in (path, *logs.set_aside(path))]
    assert [one.seq for one in write(path, entry(3)).entries] == [1, 2]
    assert [file.read_bytes() for file in logs.set_aside(path)] == [damaged]


def test_a_broken_log_is_copied_where_a_file_has_one_name_only(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(path, entry(1))
    path.write_bytes(path.read_bytes() + b"junk")

    def refused(*_: object) -> None:
        raise OSError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", refused)
    write(path, entry(2))
    (aside,) = logs.set_aside(path)
    assert aside.read_bytes().endswith(b"junk")


def test_an_entry_that_could_not_be_written_whole_is_taken_out_again(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(path, entry(1))
    whole = path.read_bytes()
    genuine = os.write

    def full(handle: int, data: bytes) -> int:
        if len(data) < 100:
            raise OSError(28, "No space left on device")
        return genuine(handle, bytes(data[:-50]))

    with monkeypatch.context() as patched:
        patched.setattr(os, "write", full)
        with pytest.raises(RiggsError, match=r"No space left.*decisions\.jsonl"):
            write(path, entry(2))
    assert path.read_bytes() == whole
