"""kibitzer's event log: modes before what a call caused, sessions of switches, going on, damage."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import sister_files as sister
from agent_riggs.model import Cursor, Head, Problem, ReadEnd, Sighting, Transcript
from agent_riggs.sources import kibitzer, trials

NOW = 1_798_761_600_000_000
GIVEN = {"command": "make"}


def found(root: Path) -> Transcript:
    (item,) = kibitzer.find_in(root, {})
    assert isinstance(item, Transcript)
    return item


def read(root: Path, cursor: Cursor | None = None) -> tuple[list[Sighting], ReadEnd]:
    events = list(kibitzer.read(found(root), cursor, NOW))
    assert isinstance(events[-1], ReadEnd)
    return [event for event in events if isinstance(event, Sighting)], events[-1]


def test_nothing_is_found_where_kibitzer_is_not(tmp_path: Path) -> None:
    (tmp_path / ".kibitzer").mkdir()
    assert list(kibitzer.find_in(tmp_path, {})) == []


def test_the_project_is_the_folder_around(tmp_path: Path) -> None:
    sister.kibitzer(tmp_path, sister.Event(0, given=GIVEN))
    head = kibitzer.peek(found(tmp_path))
    assert isinstance(head, Head)
    assert (head.cwd, head.started) == (str(tmp_path), 1_777_885_200_000_000)
    assert sorted(p.name for p in (tmp_path / ".kibitzer").iterdir()) == ["store.sqlite"]


def test_a_failure_ran_under_the_mode_before_the_switch_it_caused(tmp_path: Path) -> None:
    sister.kibitzer(
        tmp_path,
        sister.Event(0, given=GIVEN, success=0),
        sister.Event(1, given=GIVEN, success=0, mode="explore"),
        sister.Event(2, given=GIVEN, success=1, mode="explore"),
    )
    seen, _ = read(tmp_path)
    assert [(s.kind, s.call.mode, s.mode_after, s.evidence) for s in seen] == [
        ("call", "implement", "implement", True),
        ("call", "implement", "explore", True),
        ("transition", "implement", "explore", True),
        ("call", "explore", "explore", False),
    ]


def test_a_switch_belongs_to_the_session_that_follows(tmp_path: Path) -> None:
    sister.kibitzer(
        tmp_path,
        sister.switched(0, "test", "free", session=None),
        sister.Event(1, given=GIVEN, session="a", mode="test"),
        sister.switched(2, "docs", "test", session="a"),
        sister.switched(3, "free", "docs", session="a"),
        sister.Event(4, given=GIVEN, session="b", mode="free"),
        sister.switched(5, "docs", "free", session="b"),
    )
    seen, _ = read(tmp_path)
    assert [(s.call.session_id, s.call.mode) for s in seen] == [
        ("a", "free"), ("a", "test"), ("b", "test"), ("b", "docs"), ("b", "free"), ("b", "free"),
    ]  # fmt: skip


def test_rows_without_a_session_are_told_by_their_day(tmp_path: Path) -> None:
    sister.kibitzer(tmp_path, sister.Event(0, given=GIVEN, success=0, session=None))
    ((seen,), _) = read(tmp_path)
    assert seen.call.session_id == "kibitzer-2026-05-04"


def test_in_two_steps_the_same_as_in_one_and_ids_stay(tmp_path: Path) -> None:
    first = [sister.Event(0, given=GIVEN, success=0), sister.switched(1, "docs", "implement")]
    then = [sister.Event(2, given=GIVEN, mode="docs", session="b"), sister.denied(3, "x.md", "docs")]
    sister.kibitzer(tmp_path, *first)
    early, end = read(tmp_path)
    sister.kibitzer(tmp_path, *then)
    late, again = read(tmp_path, end.cursor)
    whole, _ = read(tmp_path)
    merged = {seen.call.call_id: seen for seen in (*early, *late)}
    assert list(merged.values()) == whole
    assert read(tmp_path, again.cursor)[0] == []


def test_another_log_under_the_same_name_is_read_from_its_start(tmp_path: Path) -> None:
    sister.kibitzer(tmp_path, *(sister.Event(n, given=GIVEN, success=0) for n in range(3)))
    _, end = read(tmp_path)
    (tmp_path / ".kibitzer/store.sqlite").unlink()
    sister.kibitzer(tmp_path, *(sister.Event(100 + n, given=GIVEN, success=0) for n in range(4)))
    assert len(read(tmp_path, end.cursor)[0]) == 4


def test_long_arguments_are_cut_and_told_as_far_as_they_go(tmp_path: Path) -> None:
    sister.kibitzer(tmp_path, sister.Event(0, given={"command": "echo " + "x" * 900}, success=0))
    ((seen,), _) = read(tmp_path)
    assert len(seen.mark) == 500
    assert str(seen.call.input["command"]).startswith("echo xxx")


def test_unknown_types_are_counted_and_odd_values_survived(tmp_path: Path) -> None:
    path = sister.kibitzer(tmp_path, sister.Event(0, "novelty"), sister.Event(1, given=GIVEN, success=0))
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE events SET tool_input = X'ff00', data = '[1]', timestamp = 'later' WHERE id = 2")
    (seen,), end = read(tmp_path)
    assert (seen.call.timestamp, dict(seen.call.input)) == (None, {})
    assert dict(end.unknown) == {"event/novelty": 1}


def test_half_a_character_in_the_arguments_is_no_text(tmp_path: Path) -> None:
    sister.kibitzer(tmp_path, sister.Event(0, given={"command": "echo \ud800"}, success=0))
    ((seen,), _) = read(tmp_path)
    assert seen.call.input == {"command": "echo \ufffd"}


def test_an_old_store_without_the_source_column_is_read(tmp_path: Path) -> None:
    path = sister.kibitzer(tmp_path, sister.Event(0, given=GIVEN, success=0))
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("ALTER TABLE events DROP COLUMN source")
    assert len(read(tmp_path)[0]) == 1


def test_a_broken_store_is_a_problem_and_is_looked_at_again(tmp_path: Path) -> None:
    path = tmp_path / ".kibitzer" / "store.sqlite"
    path.parent.mkdir()
    path.write_bytes(b"SQLite format 3\0" + b"\xff" * 2000)
    events = list(kibitzer.read(found(tmp_path), None, NOW))
    assert isinstance(events[0], Problem)
    assert isinstance(events[1], ReadEnd)
    assert events[1].unsettled
    assert isinstance(kibitzer.peek(found(tmp_path)), Problem)


def test_trials_that_are_none_are_problems_and_a_half_line_waits(tmp_path: Path) -> None:
    path = sister.trials(tmp_path, [sister.trial("blq", "nudge", True, "s", 0), {"plugin": "blq"}])
    with path.open("a") as stream:
        stream.write('{"plugin": "bl')
    first, second = trials.read(tmp_path, NOW)
    assert isinstance(second, Problem)
    assert (second.line, getattr(first, "plugin", None), getattr(first, "turns_to_heed", None)) == (2, "blq", 2)
    assert list(trials.read(tmp_path / "nobody", NOW)) == []
