"""The whole way from transcripts to rows: incremental, in any order, after any accident."""

from __future__ import annotations

import contextlib
import os
import random
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import claude
from agent_riggs.config import Config
from agent_riggs.errors import RiggsError, StoreBusy
from agent_riggs.ingest import Summary, ingest
from agent_riggs.ingest import run as running
from agent_riggs.ingest.discover import find_all
from agent_riggs.paths import Project, find_project, store_path
from agent_riggs.sources import claude_code
from agent_riggs.store import derive, open_read, open_write
from agent_riggs.store.transactions import transaction

NOW = 1_798_761_600_000_000
NOT_FOUND = "Exit code 127\n/bin/bash: line 1: frob: command not found"
SOURCES = {"claude_code": claude_code}

Rows = list[tuple[Any, ...]]


class World:
    """A home with transcripts and a project that they belong to."""

    def __init__(self, tmp_path: Path) -> None:
        self.home = tmp_path / "home"
        self.root = tmp_path / "shop"
        self.root.mkdir()

    @property
    def project(self) -> Project:
        return find_project(self.root)

    def write(self, *records: Any, name: str = "one", **more: Any) -> Path:
        return claude.write(self.home, *records, **{"name": name, "session_id": name, "cwd": str(self.root), **more})

    def ingest(self, **more: Any) -> Summary:
        return ingest(self.project, **{"sources": SOURCES, "environ": {}, "home": self.home, "now": NOW, **more})

    def ask(self, question: str) -> Rows:
        with open_read(store_path(self.project)) as store:
            return store.conn.execute(question).fetchall()

    def content(self) -> list[Rows]:
        """The three tables a consumer reads, every column as text."""
        return [
            self.ask(f"SELECT {key}, COLUMNS(*)::VARCHAR FROM {table} ORDER BY 1")
            for table, key in (
                ("turns", "turn_id"),
                ("failure_stream", "failure_id"),
                ("session_summaries", "session_id"),
            )
        ]

    def forget(self) -> None:
        shutil.rmtree(self.root / ".riggs")


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


def failing(number: int) -> tuple[Any, Any]:
    return claude.call(number, "Bash", {"command": "frob --all"}), claude.result(number, NOT_FOUND, True)


def passing(number: int) -> tuple[Any, Any]:
    return claude.call(number, "Bash", {"command": "make"}), claude.result(number, "built")


def test_failures_are_seen(world: World) -> None:
    world.write(*passing(1), *failing(2), *failing(3))
    summary = world.ingest()
    assert (summary.calls, summary.outcomes) == (3, {"failed": 2, "ok": 1})
    rows = world.ask("SELECT tool_success, event_category FROM turns ORDER BY turn_number")
    assert rows == [(True, "success"), (False, "failure"), (False, "repeated_failure")]
    assert world.ask("SELECT failure_class, program FROM failure_stream") == [("command_not_found", "frob")] * 2


def test_a_second_ingest_reads_nothing_and_changes_nothing(world: World) -> None:
    world.write(*failing(1))
    world.ingest()
    before = world.content()
    summary = world.ingest()
    assert (summary.read, summary.new_calls, summary.changed_calls) == (0, 0, 0)
    assert world.content() == before


def test_only_this_projects_sessions_are_taken(world: World) -> None:
    world.write(*passing(1), name="mine")
    world.write(*passing(2), name="neighbor", cwd=f"{world.root}-backend")
    inner = world.root / "src" / "deep"
    world.write(*passing(3), name="inside", cwd=str(inner))
    summary = world.ingest()
    assert world.ask("SELECT DISTINCT session_id FROM turns ORDER BY 1") == [("inside",), ("mine",)]
    assert (summary.found, summary.ours) == (3, 2)
    assert summary.other_folders == (f"{world.root}-backend",)


def test_a_growing_session_is_read_on_from_where_it_was(world: World) -> None:
    path = world.write(*passing(1), claude.call(2, "Bash", {"command": "frob --all"}))
    world.ingest()
    assert world.ask("SELECT outcome FROM turns ORDER BY turn_number") == [("ok",), ("pending",)]
    whole = claude.encoded(
        *passing(1),
        claude.call(2, "Bash", {"command": "frob --all"}),
        claude.result(2, NOT_FOUND, True),
        *failing(3),
        session_id="one",
        cwd=str(world.root),
    )
    path.write_bytes(b"".join(line + b"\n" for line in whole))
    summary = world.ingest()
    assert (summary.new_calls, summary.changed_calls) == (1, 1)
    grown = world.content()
    world.forget()
    world.ingest()
    assert world.content() == grown


def test_a_half_written_last_line_is_read_once_it_is_whole(world: World) -> None:
    path = world.write(*passing(1), *failing(2))
    whole = path.read_bytes()
    path.write_bytes(whole[:-40])
    world.ingest()
    assert world.ask("SELECT outcome FROM turns ORDER BY turn_number") == [("ok",), ("pending",)]
    path.write_bytes(whole)
    world.ingest()
    assert world.ask("SELECT outcome FROM turns ORDER BY turn_number") == [("ok",), ("failed",)]


def test_a_background_commands_outcome_arrives_later(world: World) -> None:
    started = "Command running in background with ID: b1f"
    told = (
        "<task-notification><task-id>b1f</task-id><status>failed</status>"
        '<summary>Background command "make" failed with exit code 2</summary></task-notification>'
    )
    path = world.write(claude.call(1), claude.result(1, started, toolUseResult={"backgroundTaskId": "b1f"}))
    world.ingest()
    assert world.ask("SELECT outcome, tool_success FROM turns") == [("pending", None)]
    world.write(
        claude.call(1),
        claude.result(1, started, toolUseResult={"backgroundTaskId": "b1f"}),
        claude.prompt(told),
    )
    assert path.exists()
    world.ingest()
    ((outcome, success),) = world.ask("SELECT outcome, tool_success FROM turns")
    assert outcome not in ("pending", "ok")
    assert success is not True


@pytest.mark.parametrize("first", ["call", "result"])
def test_a_result_in_another_file_is_joined_in_either_order(world: World, first: str) -> None:
    def write_call() -> None:
        world.write(claude.call(1, "Bash", {"command": "frob --all"}), name="a", session_id="one")

    def write_result() -> None:
        world.write(claude.result(1, NOT_FOUND, True), name="b", session_id="one")

    for write in [write_call, write_result] if first == "call" else [write_result, write_call]:
        write()
        world.ingest()
    assert world.ask("SELECT outcome, program FROM turns") == [("failed", "frob")]
    joined = world.content()
    world.forget()
    world.ingest()
    assert world.content() == joined
    assert world.ask("SELECT count(*) FROM loose_results") == [(0,)]


def test_a_fork_counts_its_copied_part_once(world: World) -> None:
    world.write(*failing(1), *passing(2), name="origin")
    world.write(*failing(1), claude.prompt("and now"), *failing(3), name="fork")
    world.ingest()
    assert world.ask("SELECT count(*), count(DISTINCT root_session_id) FROM turns") == [(3, 1)]
    assert world.ask("SELECT session_id FROM turns ORDER BY call_id") == [("origin",), ("origin",), ("fork",)]


def test_a_shrunk_file_loses_nothing_and_doubles_nothing(world: World) -> None:
    path = world.write(*passing(1), *failing(2), *passing(3))
    world.ingest()
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:2]))
    world.ingest()
    assert world.ask("SELECT count(*) FROM turns") == [(3,)]


def test_a_rotated_file_is_read_from_its_start(world: World) -> None:
    path = world.write(*passing(1))
    world.ingest()
    path.unlink()
    world.write(*passing(2), *passing(3), *failing(4))
    world.ingest()
    assert world.ask("SELECT count(*) FROM turns") == [(4,)]


def test_deleted_transcripts_keep_their_rows_and_are_marked(world: World) -> None:
    path = world.write(*failing(1))
    world.ingest()
    path.unlink()
    world.ingest()
    assert world.ask("SELECT count(*) FROM turns") == [(1,)]
    assert world.ask("SELECT gone FROM transcripts") == [(True,)]


def test_a_moved_folder_is_recognized(world: World) -> None:
    path = world.write(*failing(1))
    world.ingest()
    before = world.content()
    path.parent.rename(path.parent.with_name("elsewhere"))
    summary = world.ingest()
    assert (summary.new_calls, summary.changed_calls) == (0, 0)
    assert world.content() == before
    assert world.ask("SELECT count(*), bool_or(gone) FROM transcripts") == [(1, False)]


def test_a_moved_project_is_found_under_the_name_the_transcripts_know(world: World) -> None:
    world.write(*failing(1), cwd="C:\\Users\\Dev\\shop\\src")
    assert world.ingest().calls == 0
    assert world.ingest(recorded_as="c:/users/dev/shop").calls == 1
    world.write(*failing(2), name="two", cwd="c:/Users/dev/Shop")
    assert world.ingest().calls == 2


def test_the_machine_label_is_kept(world: World) -> None:
    world.write(*failing(1))
    world.ingest(host="laptop")
    assert world.ask("SELECT host FROM turns") == [("laptop",)]


def test_warmups_are_dropped_and_counted(world: World) -> None:
    world.write(claude.prompt("Warmup"), claude.call(1, "Read", {"file_path": "a"}), claude.result(1, "Warmup", True))
    summary = world.ingest()
    assert summary.calls == 0
    assert summary.warmups == 1


def test_damaged_lines_are_counted_problems(world: World) -> None:
    path = world.write(*passing(1), *failing(2))
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(lines[0] + b"{broken\n" + b"".join(lines[1:]))
    summary = world.ingest()
    assert (summary.calls, summary.problems) == (2, 1)
    assert world.ask("SELECT line FROM problems") == [(2,)]
    assert world.ingest().problems == 0


def test_a_transcript_that_may_not_be_read_stops_nothing(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    world.write(*passing(1), name="good")
    bad = world.write(*passing(2), name="bad")
    real = open

    def guarded(file: Any, *args: Any, **kwargs: Any) -> Any:
        if str(file) == str(bad):
            raise PermissionError(13, "Permission denied", str(file))
        return real(file, *args, **kwargs)

    monkeypatch.setattr("builtins.open", guarded)
    summary = world.ingest()
    assert summary.calls == 1
    assert summary.problems == 1


def test_no_secret_reaches_the_store(world: World) -> None:
    token = "ghp_" + "a1B2" * 9
    command = f"curl -H 'Authorization: Bearer {token}' https://user:{token}@example.com/{token}"
    world.write(
        claude.call(1, "Bash", {"command": command, "env": {"API_TOKEN": token}}),
        claude.result(1, f"Exit code 22\nfatal: could not read {token}", True),
        claude.call(2, token, {token: token}),
        claude.result(2, f"The user doesn't want to proceed with this tool use. the user said:\nuse {token}", True),
        claude.record(token),
        gitBranch=f"feature/{token}",
        cwd=f"{world.root}/{token}",
        version=token,
    )
    assert world.ingest().calls == 2
    for file in (world.root / ".riggs").iterdir():
        assert token.encode() not in file.read_bytes(), file.name


def test_trust_settings_are_used_and_recompute_history(world: World) -> None:
    world.write(*failing(1), *passing(2))
    world.ingest()
    strict = Config(trust=type(Config().trust)(initial_trust=0.0, score_failure=0.0, alpha_short=1.0))
    world.ingest(config=strict)
    assert world.ask("SELECT trust_1 FROM turns ORDER BY turn_number") == [(0.0,), (1.0,)]


def test_another_ingest_in_progress_is_waited_for_within_a_bound(world: World) -> None:
    import filelock

    world.write(*passing(1))
    world.ingest()
    held = filelock.FileLock(store_path(world.project).with_name("ingest.lock"))
    with held, pytest.raises(StoreBusy):
        world.ingest(lock_wait=0.05)


@pytest.mark.parametrize("exists", [True, False])
def test_a_lock_that_is_a_link_is_refused_by_name_and_what_it_leads_to_stays(world: World, exists: bool) -> None:
    world.write(*passing(1))
    world.ingest()
    lock, notes = store_path(world.project).with_name("ingest.lock"), world.root / "notes.txt"
    if exists:
        notes.write_text("mine")
    lock.unlink()
    lock.symlink_to(notes)
    with pytest.raises(RiggsError, match=r"ingest\.lock is a link to"):
        world.ingest()
    assert notes.exists() == exists
    assert not exists or notes.read_text() == "mine"


RUN = """
import sys; sys.path[:0] = sys.argv[3:]
from pathlib import Path
from ingest.test_ingest import World
world = World.__new__(World); world.home, world.root = Path(sys.argv[1]), Path(sys.argv[2])
print(world.ingest().calls)
"""


def start(world: World) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", RUN, str(world.home), str(world.root), *sys.path],
        stdout=subprocess.PIPE,
        text=True,
        env=dict(os.environ),
    )


def test_three_ingests_at_once(world: World) -> None:
    for session in range(5):
        world.write(*(part for n in range(20) for part in passing(session * 100 + n)), name=f"s{session}")
    runs = [start(world) for _ in range(3)]
    assert [run.communicate()[0].strip() for run in runs] == ["100"] * 3
    assert [run.returncode for run in runs] == [0, 0, 0]
    assert world.ask("SELECT count(*), count(DISTINCT turn_id) FROM turns") == [(100, 100)]


def test_killed_anywhere_the_next_run_completes(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    world.write(*(part for n in range(1, 9) for part in failing(n)), name="a")
    world.write(*(part for n in range(11, 19) for part in passing(n)), name="b")
    world.ingest()
    undisturbed = world.content()
    count = limit = 0
    while count >= limit:
        limit += 1
        world.forget()
        count = 0

        def dying(conn: Any, limit: int = limit) -> Any:
            nonlocal count
            count += 1
            if count >= limit:
                raise KeyboardInterrupt
            return transaction(conn)

        for module in (running, derive):
            monkeypatch.setattr(module, "transaction", dying)
        with contextlib.suppress(KeyboardInterrupt):
            world.ingest()
        for module in (running, derive):
            monkeypatch.setattr(module, "transaction", transaction)
        world.ingest()
        assert world.content() == undisturbed
    assert limit > 5


def shuffled(world: World, order: Callable[[list[Any]], None]) -> None:
    items = list(find_all(SOURCES, {}, world.home))
    order(items)
    for item in items:
        world.ingest(items=[item])


def test_file_by_file_in_any_order_gives_the_rows_of_one_run(world: World) -> None:
    world.write(*failing(1), *passing(2), name="origin")
    world.write(*failing(1), claude.prompt("go on"), *failing(3), name="fork")
    world.write(*failing(7), claude.call(8, "Bash", {"command": "frob --all"}), name="a")
    world.write(claude.result(8, NOT_FOUND, True), *passing(9), name="b", session_id="a")
    world.write(*failing(21), name="one/subagents/agent-x", session_id="origin", agentId="x", isSidechain=True)
    world.ingest()
    whole = world.content()
    for order in (lambda items: items.reverse(), random.Random(1).shuffle, random.Random(2).shuffle):
        world.forget()
        shuffled(world, order)
        assert world.content() == whole


def test_an_unchanged_archive_is_neither_opened_nor_judged(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    world.write(*failing(1))
    world.write(*passing(2), name="neighbor", cwd=f"{world.root}-backend")
    first = world.ingest()

    def never(*_: Any) -> Any:
        raise AssertionError("a transcript was opened")

    monkeypatch.setattr(claude_code, "peek", never)
    monkeypatch.setattr(claude_code, "read", never)
    monkeypatch.setattr(running, "Run", never)
    again = world.ingest(now=NOW + 1)
    assert (again.found, again.ours, again.calls, again.outcomes) == (2, 1, 1, first.outcomes)
    assert again.other_folders == first.other_folders
    assert world.ask("SELECT value FROM riggs_meta WHERE key = 'last_ingest'") == [(str(NOW + 1),)]


def test_a_file_changed_in_place_is_seen_though_its_size_is_the_same(world: World) -> None:
    path = world.write(*failing(1))
    world.ingest()
    before = path.stat()
    path.write_bytes(path.read_bytes().replace(b"frob", b"brof"))
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns + 1))
    assert path.stat().st_size == before.st_size
    assert world.ingest().read == 1
    assert world.ask("SELECT program FROM failure_stream") == [("brof",)]


def test_a_file_that_comes_back_is_not_gone(world: World) -> None:
    path = world.write(*failing(1))
    world.ingest()
    path.rename(world.home / "aside")
    world.ingest()
    (world.home / "aside").rename(path)
    world.ingest()
    assert world.ask("SELECT gone FROM transcripts") == [(False,)]


def test_another_projects_folder_that_moved_is_remembered_there(world: World) -> None:
    path = world.write(*failing(1), cwd=f"{world.root}-backend")
    world.ingest()
    moved = path.parent.rename(path.parent.with_name("elsewhere")) / path.name
    world.ingest()
    assert world.ask("SELECT key, ours, gone FROM transcripts") == [(str(moved), False, False)]


def test_a_call_that_another_program_added_is_numbered_by_the_next_ingest(world: World) -> None:
    world.write(*failing(1))
    world.ingest()
    with open_write(store_path(world.project)) as store:
        store.conn.execute("INSERT INTO turns (turn_id, session_id, tool_name, outcome) VALUES (1, 'x', 'Bash', 'ok')")
    world.ingest()
    assert world.ask("SELECT turn_number FROM turns WHERE turn_id = 1") == [(1,)]
