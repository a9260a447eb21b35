"""One event counts once, whichever of its witnesses was read first; and the mode is kibitzer's where it watched."""

from __future__ import annotations

import itertools
import random
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import claude
import sister_files as sister
from agent_riggs.ingest import Summary, ingest
from agent_riggs.paths import Project, find_project, store_path
from agent_riggs.sources import SISTERS, claude_code
from agent_riggs.store import open_read

NOW = 1_798_761_600_000_000
FAILED = "Exit code 127\n/bin/bash: line 1: frob: command not found"

Rows = list[tuple[Any, ...]]


class World:
    """A project that Claude Code worked in, with kibitzer watching and blq running."""

    def __init__(self, tmp_path: Path) -> None:
        self.home = tmp_path / "home"
        self.root = tmp_path / "shop"
        self.root.mkdir()
        self.environ = {"TZ": "UTC"}

    @property
    def project(self) -> Project:
        return find_project(self.root)

    def session(self, *records: Any, name: str = "one", **more: Any) -> Path:
        return claude.write(self.home, *records, name=name, session_id=name, cwd=str(self.root), **more)

    def kibitzer(self, *events: sister.Event) -> Path:
        return sister.kibitzer(self.root, *events)

    def blq(self, *runs: sister.Run) -> Path:
        return sister.blq(self.root, *runs)

    def ingest(self, now: int = NOW) -> Summary:
        sources = {"claude_code": claude_code}
        return ingest(
            self.project, sources=sources, sisters=SISTERS, environ=self.environ, home=self.home, now=now
        )  # fmt: skip

    def ask(self, question: str) -> Rows:
        with open_read(store_path(self.project)) as store:
            return store.conn.execute(question).fetchall()

    def turns(self, *columns: str) -> Rows:
        return self.ask(f"SELECT {', '.join(columns)} FROM turns ORDER BY order_at, session_id, turn_number")

    def content(self) -> list[Rows]:
        tables = ("turns", "turn_id"), ("failure_stream", "failure_id"), ("session_summaries", "session_id")
        return [self.ask(f"SELECT {key}, COLUMNS(*)::VARCHAR FROM {table} ORDER BY 1") for table, key in tables]


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


def make(number: int, failing: bool = True, command: str = "frob") -> tuple[Any, Any]:
    text = FAILED if failing else "built"
    return claude.call(number, "Bash", {"command": command}), claude.result(number, text, failing)


def test_a_row_that_the_transcript_holds_adds_its_mode_and_nothing_else(world: World) -> None:
    world.session(*make(1), *make(2, failing=False))
    given = {"command": "frob"}
    world.kibitzer(sister.Event(1, given=given, success=0), sister.Event(3, given=given, mode="explore"))
    world.ingest()
    assert world.turns("agent", "outcome", "mode", "mode_source") == [
        ("claude_code", "failed", "implement", "kibitzer"),
        ("claude_code", "ok", "implement", "kibitzer"),
        ("kibitzer", "ok", "implement", "kibitzer"),
    ]
    assert world.ask("SELECT event_category FROM turns WHERE agent = 'kibitzer'") == [("mode_switch_controller",)]
    assert world.ask("SELECT failure_category, tool_name, mode FROM failure_stream") == [
        ("failure", "Bash", "implement")
    ]


def test_a_failure_no_transcript_holds_is_a_turn_and_a_success_is_none(world: World) -> None:
    world.session(*make(1, failing=False))
    world.kibitzer(
        sister.Event(40, given={"command": "frob"}, success=0), sister.Event(41, given={"command": "frob"}, success=1)
    )
    world.ingest()
    assert world.turns("agent", "outcome", "session_id", "provenance") == [
        ("claude_code", "ok", "one", "transcript"),
        ("kibitzer", "failed", "one", "kibitzer"),
    ]


def test_under_claude_code_kibitzer_records_no_failure_and_its_mode_is_known_all_the_same(world: World) -> None:
    """The measured behavior: successes only. Failed calls lie between them."""
    world.session(*make(1, failing=False), *make(2), *make(3, failing=False), *make(4))
    given = {"command": "frob"}
    world.kibitzer(
        sister.Event(1, given=given, mode="implement"),
        sister.switched(4, "test", "implement"),
        sister.Event(5, given=given, mode="test"),
    )
    world.ingest()
    calls = world.ask("SELECT outcome, mode FROM turns WHERE agent = 'claude_code' ORDER BY turn_number")
    assert calls == [("ok", "implement"), ("failed", "implement"), ("ok", "test"), ("failed", "test")]


def test_sessions_that_kibitzer_did_not_watch_keep_the_agents_own_mode(world: World) -> None:
    world.session(claude.prompt("go", permissionMode="acceptEdits"), *make(1), name="alone")
    world.session(*make(2), name="one")
    world.kibitzer(sister.Event(1, given={"command": "frob"}, mode="docs"))
    world.ingest()
    assert world.ask("SELECT session_id, mode, mode_source FROM turns ORDER BY 1") == [
        ("alone", "acceptEdits", "recorded"),
        ("one", "docs", "kibitzer"),
    ]


def test_a_denial_is_one_turn_and_a_path_denial(world: World) -> None:
    given = {"file_path": "README.md"}
    reason = "Path 'README.md' is not writable in the current mode (writable: ['src/'])."
    world.session(claude.call(1, "Edit", given), claude.result(1, reason, True))
    world.kibitzer(sister.denied(0, "README.md"), sister.denied(30, "docs/x.md"))
    world.ingest()
    assert world.turns("agent", "tool_name", "outcome", "category", "event_category") == [
        ("claude_code", "Edit", "denied", "path_denial", "path_denial"),
        ("kibitzer", "Edit", "denied", "path_denial", "path_denial"),
    ]


def test_what_the_floor_blocked_is_denied(world: World) -> None:
    data = {"rule": "secret-dir", "path": "/home/x/.ssh/id"}
    world.kibitzer(sister.Event(0, "floor_block", "Write", {"file_path": "/home/x/.ssh/id"}, None, "free", data=data))
    world.ingest()
    assert world.turns("outcome", "category", "mode") == [("denied", "denied", "free")]


def test_a_switch_that_a_call_made_is_that_call(world: World) -> None:
    world.session(
        claude.call(1, "mcp__kibitzer__ChangeToolMode", {"mode": "docs", "reason": "notes"}), claude.result(1, "ok"),
        claude.call(2, "Bash", {"command": "kibitzer mode test"}), claude.result(2, "docs -> test"),
    )  # fmt: skip
    world.kibitzer(
        sister.switched(0, "docs", "free", session=None),
        sister.Event(1, tool="mcp__kibitzer__ChangeToolMode", given={"mode": "docs", "reason": "notes"}, mode="docs"),
        sister.switched(2, "test", "docs"),
        sister.Event(3, given={"command": "kibitzer mode test"}, mode="test"),
        sister.switched(60, "free", "test"),
    )
    world.ingest()
    assert world.turns("agent", "event_category", "mode") == [
        ("claude_code", "mode_switch_agent", "free"),
        ("claude_code", "success", "docs"),
        ("kibitzer", "mode_switch_agent", "test"),
    ]


def test_a_run_that_a_call_made_is_that_call(world: World) -> None:
    world.session(
        claude.call(1, "Bash", {"command": "blq run test"}), claude.result(1, "Exit code 1\nFAILED", True),
        claude.call(2, "mcp__blq__run", {"command": "test"}), claude.result(2, '{"status": "FAIL"}'),
        claude.call(3, "Bash", {"command": "blq run test | tail -1"}), claude.result(3, "done"),
    )  # fmt: skip
    seconds = (0.4, 2.4, 4.4)
    world.blq(*(sister.Run(n, sister.local(second), seconds=0.3) for n, second in enumerate(seconds, 1)))
    world.ingest()
    assert world.turns("agent", "outcome", "category", "program") == [
        ("claude_code", "failed", "failure", "blq run"),
        ("claude_code", "check_failed", "check_failed", None),
        ("claude_code", "check_failed", "check_failed", "pytest"),
    ]
    assert world.ask("SELECT count(*) FROM sightings WHERE same_as IS NULL") == [(0,)]


def test_a_run_of_no_call_is_a_turn_of_the_session_it_fell_into(world: World) -> None:
    world.session(*make(1, failing=False), *make(2, failing=False))
    world.kibitzer(sister.Event(1, given={"command": "frob"}, mode="test"))
    error = "E   ModuleNotFoundError: No module named 'yaml'"
    world.blq(
        sister.Run(1, sister.local(1.5), says=(error,)),
        sister.Run(2, sister.local(90_000), code=-1, command="sleep 100", name="sleep"),
    )
    world.ingest()
    told = world.ask("SELECT session_id, tool_name, category, failure_class, mode FROM turns WHERE agent = 'blq'")
    assert sorted(told) == [
        ("blq-2026-05-05", "Bash", "timeout", "timeout", None),
        ("one", "Bash", "check_failed", "module_missing", "test"),
    ]


def test_imports_and_captures_are_no_evidence(world: World) -> None:
    world.blq(*(sister.Run(n, sister.local(n), kind=kind) for n, kind in enumerate(("import", "capture"), 1)))
    assert world.ingest().calls == 0


def test_a_delegation_told_by_both_tools_is_one_turn(world: World) -> None:
    world.kibitzer(sister.generated(10, "count the lines", 0, "path_prefix"), sister.generated(300, "other", 1))
    delegate = {"command": 'lackpy delegate "count the lines"', "name": "delegate", "kind": "import"}
    world.blq(sister.Run(1, sister.local(12), **delegate), sister.Run(2, sister.local(900), **delegate))
    world.ingest()
    assert world.turns("agent", "tool_name", "category") == [
        ("kibitzer", "lackpy", "generation"),
        ("kibitzer", "lackpy", None),
        ("blq", "lackpy", "generation"),
    ]


def test_a_record_that_stood_alone_goes_once_its_call_is_read(world: World) -> None:
    world.kibitzer(sister.Event(1, given={"command": "frob"}, success=0))
    world.blq(sister.Run(1, sister.local(2.3), seconds=0.2))
    summary = world.ingest()
    assert (summary.calls, summary.new_calls) == (2, 2)
    world.session(*make(1), *make(2, command="blq run test"))
    world.ingest()
    assert world.turns("agent", "outcome") == [("claude_code", "failed"), ("claude_code", "failed")]
    assert world.ask("SELECT count(*), count(DISTINCT session_id) FROM failure_stream") == [(2, 1)]
    assert world.ask("SELECT count(*) FROM session_summaries WHERE total_turns > 0") == [(1,)]


def busy(world: World) -> list[Callable[[], object]]:
    """Everything that can be there, each part written by a step of its own."""
    given, denied = {"command": "frob"}, {"file_path": "README.md"}
    one = [*make(1), *make(2, failing=False), claude.call(3, "Edit", denied), claude.result(3, "denied", True)]
    two = [*make(4), *make(5, command="blq run test")]
    events = [
        sister.Event(1, given=given, success=0),
        sister.Event(3, given=given, mode="explore"),
        sister.denied(4, "README.md", "explore"),
        sister.denied(5, "a.md", "explore"),
        sister.switched(6, "free", "explore"),
        sister.Event(101, given=given, mode="free", session="two"),
        sister.generated(102, "count", 0, "path_prefix", session="two"),
    ]
    runs = [
        sister.Run(1, sister.local(2.2), seconds=0.2),
        sister.Run(2, sister.local(5.5)),
        sister.Run(3, sister.local(103), command='lackpy delegate "count"', name="delegate", kind="import"),
    ]
    return [
        lambda: world.session(*one, name="one"),
        lambda: world.session(*two, name="two"),
        lambda: [world.kibitzer(event) for event in events[:4]],
        lambda: [world.kibitzer(event) for event in events[4:]],
        lambda: world.blq(*runs[:1]),
        lambda: world.blq(*runs[1:]),
    ]


@pytest.mark.parametrize("seed", range(6))
def test_any_order_and_grouping_of_ingests_gives_equal_rows(world: World, seed: int) -> None:
    """The parts of one log come in their own order; everything else in any, with an ingest after some of the steps."""
    steps = busy(world)
    for step in steps:
        step()
    world.ingest()
    whole = world.content()
    for path in (world.root / ".riggs", world.root / ".kibitzer", world.root / ".bird", world.home):
        shutil.rmtree(path)
    chance = random.Random(seed)
    order = chance.choice(list(itertools.permutations(range(6))))
    kibitzers, runs = iter((2, 3)), iter((4, 5))
    for index in order:
        steps[next(kibitzers) if index in (2, 3) else next(runs) if index in (4, 5) else index]()
        if chance.random() < 0.7:
            world.ingest()
    world.ingest()
    assert world.content() == whole
    assert world.ingest().read == 0


def test_a_log_that_grows_while_nobody_reads_is_read_on(world: World) -> None:
    world.session(*make(1))
    world.kibitzer(
        sister.Event(1, given={"command": "frob"}, success=0, mode="docs"), sister.switched(2, "test", "docs")
    )
    world.ingest()
    assert world.ask("SELECT session_id FROM turns WHERE tool_name = 'ChangeToolMode'") == [("one",)]
    world.kibitzer(sister.Event(50, given={"command": "ls"}, mode="test", session="two"))
    world.ingest()
    assert world.ask("SELECT session_id FROM turns WHERE tool_name = 'ChangeToolMode'") == [("two",)]
    assert world.ask("SELECT mode FROM turns WHERE tool_name = 'Bash'") == [("docs",)]


def test_trials_of_this_projects_sessions_only(world: World) -> None:
    world.session(*make(1), name="one")
    rows = [sister.trial("blq", "nudge", True, session, 5) for session in ("one", "elsewhere")]
    sister.trials(world.home, [*rows, {"arm": "nudge"}])
    summary = world.ingest()
    assert world.ask("SELECT plugin, arm, heed, turns_to_heed, session_id FROM nudge_trials") == [
        ("blq", "nudge", True, 2, "one")
    ]
    assert summary.problems == 1
    world.ingest()
    assert world.ask("SELECT count(*) FROM nudge_trials") == [(1,)]


def test_worktrees_and_folders_inside_are_looked_into_and_other_projects_are_not(world: World, tmp_path: Path) -> None:
    for place in (world.root / "web", tmp_path / "other"):
        place.mkdir()
        sister.kibitzer(place, sister.Event(1, given={"command": place.name}, success=0))
    world.ingest()
    assert world.ask("SELECT metadata ->> '$.input.command' FROM turns") == [("web",)]
