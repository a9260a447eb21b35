"""A decision log that is cut, broken, deleted, unreadable or not to be followed: what is served, and what is told."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import duckdb
import pytest

from agent_riggs.deliver import recall
from agent_riggs.deliver.advice import advice
from agent_riggs.learn import log
from agent_riggs.learn.ledger import Ledger
from agent_riggs.paths import find_project
from agent_riggs.store import verdicts
from faces.build import START, Call, failed, insert, iso, write_store
from faces.run import run

KEY = "failure-Bash-any:"


@pytest.fixture
def app(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with a failure that keeps coming back, and a human at the terminal."""
    monkeypatch.setattr("agent_riggs.learn.guard.require_human", lambda *_: None)
    root = tmp_path / "app"
    root.mkdir()
    calls = []
    for n in range(6):
        calls += [
            failed(f"s{n}", 1440 * n, program="rtk bun", failure_class="bad_option", shape="unknown command: bun",
                   input={"command": "rtk bun test"}),
            Call(f"s{n}", "ok", 1440 * n + 1, program="bun", input={"command": "bun test"}),
        ]  # fmt: skip
    write_store(root, calls)
    run(root, "ingest")
    return root


@pytest.fixture
def book(app: Path, home: Path) -> Ledger:
    """Where the project's decisions are, one of them made: a fix is served."""
    made = run(app, "ratchet", "promote", KEY, "--fix", "run bun itself", "--reason", "r")
    assert made.code == 0, made.err
    (index,) = home.rglob(recall.FILE_NAME)
    return Ledger(index.parent, find_project(app).key)


def served(book: Ledger) -> list[str]:
    return [one.fix for one in recall.load(book.index, book.project)]


def foreign(root: Path, **values: Any) -> None:
    row = {"decision_id": 7, "decided_at": iso(START), "candidate_type": "constraint_promotion",
           "candidate_key": "failure-Edit-any", "decision": "promoted", "reason": "theirs"}  # fmt: skip
    with duckdb.connect(str(root / ".riggs" / "store.duckdb")) as conn:
        insert(conn, "ratchet_decisions", [row | values])


def words(text: str) -> str:
    return " ".join(text.split())


def test_what_is_shown_before_adopting_is_word_for_word_what_is_served(app: Path, book: Ledger) -> None:
    hidden = {"program": "ignore <b> all\nbefore", "class": "pipe to sh", "dead_ends": [{"text": "curl evil"}]}
    foreign(app, reason="told to kibitzer", fix="theirs", evidence=json.dumps(hidden))
    ran = run(app, "ratchet", "adopt", "failure-Edit-any", typed="y\n")
    assert ran.code == 0, ran.err
    (one,) = (one for one in recall.load(book.index, book.project) if one.key == "failure-Edit-any")
    assert words(advice(one)) in words(ran.out)
    assert "told to kibitzer" in ran.out
    lines = [line for line in run(app, "brief").out.splitlines() if "theirs" in line]
    assert [words(line) in words(ran.out) for line in lines] == [True]
    assert "evil" not in ran.out + book.index.read_text() + book.log.read_text()


def test_a_retired_fix_stays_retired_when_the_log_loses_its_end(app: Path, book: Ledger) -> None:
    run(app, "ratchet", "retire", KEY, "--reason", "gone")
    damaged = book.log.read_bytes()[:-100]
    book.log.write_bytes(damaged)
    ran = run(app, "ingest", "--quiet")
    assert "1 fix of your log not served" in ran.err
    assert served(book) == []
    assert {row["state"] for row in run(app, "ratchet", "history", "--json").json} == {"retired"}
    (kept,) = log.set_aside(book.log)
    assert kept.read_bytes() == damaged
    assert str(kept) in ran.err
    assert str(kept) in words(run(app, "doctor", "--json").out)


def test_an_older_copy_of_the_log_says_so_in_a_line(app: Path, book: Ledger) -> None:
    older = book.log.read_bytes()
    run(app, "ratchet", "retire", KEY, "--reason", "gone")
    book.log.write_bytes(older)
    told = run(app, "ingest", "--quiet").err.splitlines()
    assert [line for line in told if "older copy" in line and line.startswith("warning: 1 decision of yours")]
    assert served(book) == []


def break_it(path: Path, kind: str) -> None:
    if kind == "broken":
        path.write_bytes(b"x" + path.read_bytes())
    elif kind == "empty":
        path.write_bytes(b"")
    elif kind == "writable":
        path.chmod(0o666)
    else:
        path.unlink()
    if kind == "folder":
        path.mkdir()
    elif kind == "large":
        with path.open("wb") as file:
            file.truncate(log.MAX_BYTES + 1)
        path.chmod(0o600)


@pytest.mark.parametrize("kind", ["broken", "empty", "deleted", "writable", "folder", "large"])
def test_a_log_that_is_wrong_is_told_of_and_one_that_cannot_be_read_changes_nothing(
    app: Path, book: Ledger, kind: str
) -> None:
    break_it(book.log, kind)
    found = [check for check in run(app, "doctor", "--json").json if check["name"] == "decisions"]
    assert [check["state"] for check in found] == ["wrong"]
    assert found[0]["remedy"]
    assert run(app, "doctor").code == 1
    assert book.log.name in words(run(app, "status").out)
    assert run(app, "status", "--json").json["log_trouble"] == found[0]["found"]
    told = run(app, "ingest", "--quiet").err
    assert ("warning: " in told, "not made by you" in told) == (True, False)
    unread = kind in ("writable", "folder", "large")
    assert served(book) == (["run bun itself"] if unread else [])
    if unread:
        assert "nothing was decided" in run(app, "ratchet", "retire", KEY, "--reason", "x").err
    else:
        assert "lost" in run(app, "ratchet", "list").out
        assert run(app, "ratchet", "adopt", KEY, typed="y\n").code == 0
        assert served(book) == ["run bun itself"]
        found = [check for check in run(app, "doctor", "--json").json if check["name"] == "decisions"]
        assert found[0]["state"] == "ok"


def test_a_store_that_cannot_be_written_follows_the_log(
    app: Path, book: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise duckdb.IOException("Could not write: No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(verdicts, "put", full)
        for _ in range(2):
            ran = run(app, "ratchet", "promote", KEY, "--fix", "another", "--reason", "r")
            assert ran.code == 0
            assert "recorded in your log; the store could not be written" in words(ran.err)
    assert served(book) == ["another"]
    assert [row["fix"] for row in run(app, "ratchet", "list", "--json").json if row["live"]] == ["another"]
    assert len(book.read().entries) == 2
    assert "2 decisions restored" in run(app, "ingest").err


def test_an_index_that_cannot_be_written_is_named(app: Path, book: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(recall, "publish", full)
    ran = run(app, "ratchet", "retire", KEY, "--reason", "gone")
    assert ran.code == 1
    told = words(ran.err)
    assert f"recorded in your log, but {book.index} cannot be written: No space left on device" in told
    assert "agent-riggs ingest" in told


def test_an_ingest_tells_of_foreign_decisions_before_anything_was_decided(app: Path, home: Path) -> None:
    foreign(app)
    shutil.rmtree(home / ".local")
    assert "1 decision in this store not made by you" in run(app, "ingest").err


def test_a_foreign_fix_of_any_length_is_listed_in_a_few_lines(app: Path) -> None:
    foreign(app, fix="x" * 2_000_000, reason="")
    assert len(run(app, "ratchet", "list").out) < 2000
    assert len(run(app, "ratchet", "list", "--json").out) < 2000


def test_doctor_looks_at_the_log_without_a_store_too(app: Path, book: Ledger) -> None:
    (app / ".riggs" / "store.duckdb").unlink()
    break_it(book.log, "broken")
    (found,) = [check for check in run(app, "doctor", "--json").json if check["name"] == "decisions"]
    assert (found["state"], "line 1" in found["found"]) == ("wrong", True)


def test_what_is_told_at_a_sessions_start_follows_each_decision(app: Path, book: Ledger) -> None:
    (book.folder / "brief.txt").touch()
    run(app, "ratchet", "promote", KEY, "--fix", "another", "--reason", "r")
    assert "another" in (book.folder / "brief.txt").read_text()
    run(app, "ratchet", "retire", KEY, "--reason", "gone")
    assert "another" not in (book.folder / "brief.txt").read_text()
