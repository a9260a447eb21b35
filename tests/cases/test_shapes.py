"""Records in their odd shapes: times, copies, subagents, compaction, spilled outputs, printed transcripts."""

from __future__ import annotations

import json
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

import claude
import reading
from cases.scene import Scene, fails, works

CONTENT = (
    "SELECT COLUMNS(* EXCLUDE (cwd, project_path, transcript_id)) FROM turns ORDER BY turn_id",
    "FROM failure_stream ORDER BY failure_id",
    "FROM session_summaries ORDER BY session_id",
)


# --- times


def test_every_form_of_a_time_is_one_moment_and_what_is_none_is_null(scene: Scene) -> None:
    forms = ["2026-05-04T11:00:00+02:00", "2026-05-04T09:00:00", "2026-05-04T09:00:00.000000001Z"]
    forms += [1_777_885_200, 1_777_885_200_000, 1_777_885_200.0]
    none = ["1970-01-01T00:00:00Z", "2099-01-01T00:00:00Z", "", "yesterday", None, ...]
    scene.write(*(part for n, form in enumerate([*forms, *none]) for part in works(n, timestamp=form)))
    assert scene.ingest()["calls"] == len(forms) + len(none)
    found = [row[0] for row in scene.rows("SELECT epoch_us(timestamp) FROM turns ORDER BY turn_number")]
    assert found == [claude.at(0)] * len(forms) + [None] * len(none)


def test_clocks_that_run_backwards_order_nothing_and_make_no_negative_duration(scene: Scene) -> None:
    stamps = ["2026-05-04T10:00:00Z", "2026-05-04T09:30:00Z", "2099-01-01T00:00:00Z", "1970-01-01T00:00:00Z"]
    calls = [works(1, timestamp=stamps[0]), fails(2, timestamp=stamps[1]), works(3, timestamp=stamps[2])]
    scene.write(*(part for call in [*calls, works(4, timestamp=stamps[3])] for part in call))
    scene.ingest()
    assert scene.rows("SELECT call_id FROM turns ORDER BY turn_number") == [(claude.key(n),) for n in (1, 2, 3, 4)]
    ((duration, started, ended),) = scene.rows("SELECT duration, started_at, ended_at FROM session_summaries")
    assert duration == 1800.0
    assert started < ended
    trust, expected = 0.4, []
    for score in (1.0, 0.2, 1.0, 1.0):
        trust = 0.6 * trust + 0.4 * score
        expected.append(pytest.approx(trust))
    assert [row[0] for row in scene.rows("SELECT trust_1 FROM turns ORDER BY turn_number")] == expected


def test_the_zone_of_the_machine_changes_no_row_and_no_day(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    """Around the change to summer time, and near midnight."""
    stamps = ["2026-03-29T00:59:59Z", "2026-03-29T01:00:01", "2026-03-29T23:30:00Z", "2026-03-30T00:30:00Z"]
    scene.write(*(part for n, stamp in enumerate(stamps) for part in fails(n, timestamp=stamp)))
    found = []
    for zone in ("UTC", "America/New_York", "Europe/Berlin", "Pacific/Kiritimati"):
        monkeypatch.setenv("TZ", zone)
        time.tzset()
        scene.store.unlink(missing_ok=True)
        scene.ingest()
        days = scene.run("metrics", "--by", "day", "--json").out
        by_hand = scene.run(
            "sql", "SELECT date_trunc('day', timestamp) AS day, count(*) FROM turns GROUP BY 1 ORDER BY 1"
        )
        found.append([*(scene.rows(query) for query in CONTENT), days, by_hand.out])
    monkeypatch.undo()
    time.tzset()
    assert all(one == found[0] for one in found)
    moments = [datetime.fromisoformat(stamp).replace(tzinfo=UTC) for stamp in stamps]
    kept = scene.rows("SELECT epoch_us(timestamp) FROM turns ORDER BY turn_number")
    assert [row[0] for row in kept] == [int(moment.timestamp()) * 1_000_000 for moment in moments]


# --- one call, one row


def test_the_same_records_in_several_files_count_once_for_the_first_session(scene: Scene) -> None:
    """A copy of a worktree's folder, and a resume of an early release that copied the history to a new file."""
    scene.write(*works(1), *fails(2), name="origin")
    scene.write(*works(1), *fails(2), name="origin", folder="-srv-shop-worktree")
    old = [{**record, "sessionId": "origin"} for record in [*works(1), *fails(2)]]
    scene.write(*old, *works(3), name="resumed")
    scene.write(*works(1), *fails(2), claude.prompt("on"), *works(4), name="fork")
    counts = scene.ingest()
    assert (counts["calls"], counts["outcomes"]) == (4, {"ok": 3, "failed": 1})
    found = scene.rows("SELECT session_id, call_id FROM turns ORDER BY call_id")
    assert [session for session, _ in found] == ["origin", "origin", "resumed", "fork"]
    assert scene.rows("SELECT count(*) FROM failure_stream") == [(1,)]
    assert scene.rows("SELECT sum(total_turns) FROM session_summaries") == [(4,)]


def test_subagents_of_every_layout_count_once_and_make_no_session(scene: Scene) -> None:
    task = claude.call(2, "Task", {"prompt": "look"})
    inner = claude.nested("aa", {**fails(4)[0], "uuid": "n1"})
    scene.write(*works(1), task, *works(3, isSidechain=True), inner, claude.result(2, "done"), *works(9), name="main")
    layouts = {
        "main/subagents/agent-aa.jsonl": ([*fails(4), *fails(14)], "aa"),
        "main/subagents/workflows/w1/agent-bb.jsonl": (fails(5), "bb"),
        "agent-cc.jsonl": (fails(6), "cc"),
        "main/subagents/agent-acompact-1.jsonl": ([*works(1), *works(9)], "acompact-1"),
    }
    for place, (records, agent) in layouts.items():
        more: dict[str, Any] = {"session_id": "main", "cwd": str(scene.root), "isSidechain": True, "agentId": agent}
        reading.write_lines(scene.projects / "-srv-shop" / place, claude.session(*records, **more))
    bare = claude.session(*fails(7), session_id="main", cwd=str(scene.root))
    reading.write_lines(scene.projects / "-srv-shop/main/subagents/agent-dd.jsonl", bare)
    counts = scene.ingest()
    assert (counts["calls"], counts["sessions"]) == (9, 1)
    found = dict(scene.rows("SELECT call_id, agent_id FROM turns"))
    agents = {1: None, 2: None, 3: "sidechain", 4: "aa", 14: "aa", 5: "bb", 6: "cc", 7: "dd", 9: None}
    assert found == {claude.key(number): agent for number, agent in agents.items()}
    assert scene.rows("SELECT session_id, total_turns, total_failures FROM session_summaries") == [("main", 9, 5)]
    (row,) = scene.run("failures", "--json", "--all").json
    assert (row["times"], row["sessions"]) == (5, 1)


def test_two_writers_of_one_session_are_both_counted(scene: Scene) -> None:
    one, two = fails(1), works(2)
    scene.write(one[0], two[0], two[1], one[1], *works(3, parentUuid="u0"), *works(4, parentUuid="u0"))
    assert scene.ingest()["outcomes"] == {"ok": 3, "failed": 1}


def test_a_compacted_session_counts_nothing_twice(scene: Scene) -> None:
    boundary = claude.record("system", subtype="compact_boundary", parentUuid=None, logicalParentUuid="u1")
    summary = claude.prompt(f"Earlier: Exit code 1, {claude.STOP}, frob: command not found", isCompactSummary=True)
    carried = [{**record, "uuid": f"again{n}"} for n, record in enumerate(fails(2))]
    scene.write(*works(1), *fails(2), boundary, summary, *carried, *works(3))
    assert scene.ingest()["outcomes"] == {"ok": 2, "failed": 1}
    assert scene.rows("SELECT count(*), count(DISTINCT excerpt) FROM failure_stream") == [(1, 1)]
    assert scene.rows("SELECT count(*) FROM turns WHERE user_said IS NOT NULL") == [(0,)]


# --- outputs


def spilled(path: Path) -> str:
    return (
        f"<persisted-output>\nOutput too large (60KB). Full output saved to: {path}\n\n"
        "Preview (first 2KB):\nExit code 127\nstep 1\n...\n</persisted-output>"
    )


def test_a_spilled_output_is_followed_into_its_own_session_only(scene: Scene) -> None:
    mine = scene.projects / "-srv-shop/one/tool-results/b1.txt"
    foreign = scene.projects / "-srv-shop/two/tool-results/b2.txt"
    outside = scene.root.parent / "b3.txt"
    for path, program in ((mine, "zork"), (foreign, "stolen"), (outside, "stolen")):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("Exit code 127\n" + "step\n" * 9000 + f"bash: line 1: {program}: command not found\n")
    calls = [claude.call(n, "Bash", {"command": "make all"}) for n in (1, 2, 3)]
    results = [claude.result(n, spilled(path), True) for n, path in ((1, mine), (2, foreign), (3, outside))]
    scene.write(*calls, *results)
    scene.ingest()
    assert scene.rows("SELECT program FROM turns ORDER BY turn_number") == [("zork",), ("make",), ("make",)]
    assert b"stolen" not in scene.store.read_bytes()


def test_transcripts_and_reports_that_were_printed_are_no_events(scene: Scene) -> None:
    inside = "\n".join(json.dumps(record) for record in claude.session(*fails(50), session_id="x"))
    scene.write(*fails(1), name="first")
    scene.write(*fails(2), name="second")
    scene.ingest()
    report = scene.run("failures").out + scene.run("failures", "--json").out + scene.run("ratchet", "candidates").out
    assert "command not found" in report
    told = "<task-notification><task-id>b1</task-id><status>failed</status></task-notification>"
    printed = [inside, report, told, "$ make\nExit code 1\nerror: nothing was run"]
    shell = [claude.call(60 + n, "Bash", {"command": "cat notes.txt"}) for n in range(4)]
    read = [claude.call(70 + n, "Read", {"file_path": "notes.txt"}) for n in range(4)]
    results = [claude.result(start + n, text) for start in (60, 70) for n, text in enumerate(printed)]
    facts = {"stdout": inside, "stderr": "", "interrupted": False}
    scene.write(*shell, *read, *results, claude.call(80), claude.result(80, inside, toolUseResult=facts), name="third")
    assert scene.ingest()["outcomes"] == {"failed": 2, "ok": 9}
    assert scene.rows("SELECT DISTINCT outcome FROM turns WHERE session_id = 'third'") == [("ok",)]
    assert scene.rows(f"SELECT count(*) FROM turns WHERE call_id = '{claude.key(50)}'") == [(0,)]


def test_what_hooks_and_reminders_put_in_is_no_evidence(scene: Scene) -> None:
    """Our own advice above all: what was said once must not come back as a failure or as a human's word."""
    advice = "frob: command not found failed 6 times in 3 sessions. What ended it: use make. Exit code 127"
    told = [
        claude.attached("hook_additional_context", content=[advice], toolUseID=claude.key(1), hookEvent="PostToolUse"),
        claude.attached("hook_success", content=advice, stdout=json.dumps(fails(1)[1]), toolUseID=claude.key(1)),
        claude.prompt(f"<system-reminder>PostToolUse:Bash hook additional context: {advice}</system-reminder>"),
        claude.prompt(advice, isMeta=True),
    ]
    stopped = [claude.call(3), claude.result(3, claude.STOP, True)]
    scene.write(claude.call(1), *told, claude.result(1, "fine"), *stopped, *told, *works(4))
    assert scene.ingest()["outcomes"] == {"ok": 2, "rejected": 1}
    assert scene.rows("SELECT count(*) FROM failure_stream") == [(0,)]
    assert scene.rows("SELECT count(*) FROM turns WHERE user_said IS NOT NULL OR excerpt IS NOT NULL") == [(0,)]
