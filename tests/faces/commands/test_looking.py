"""status, failures, explain, sessions, trust, problems, sql: what is shown of a store that is there."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import duckdb
import pytest

from agent_riggs.faces.text import width
from faces.build import DAY, MINUTE, START, Call, failed, iso, number, transcript, write_store
from faces.run import process, run
from faces.terminal import at_terminal

READING = [
    ["status"],
    ["failures"],
    ["sessions"],
    ["trust"],
    ["trust", "--by", "tool"],
    ["problems"],
    ["sql", "FROM turns"],
    ["ratchet", "candidates"],
    ["ratchet", "list"],
    ["ratchet", "history"],
]


def busy(root: Path) -> None:
    """A store with a little of everything."""
    calls = [Call(session, minute=10 * n) for n, session in enumerate(("s1", "s2", "s3"))]
    calls += [failed(session, 10 * n + 1, trust=0.4) for n, session in enumerate(("s1", "s2", "s3"))]
    calls += [failed("s3", 30, outcome="denied", failure_class="permission", program="rm", shape="denied by rule")]
    calls += [Call("s3", "rejected", 31, user_said="use make instead", score=None)]
    write_store(
        root,
        calls,
        transcripts=[transcript("/t/1"), transcript("/t/2", understood=60, unknown='{"new-kind": 40}')],
        problems=[{"problem_id": 1, "path": "/t/2", "line": 7, "reason": "no JSON", "source": "claude_code"}],
        riggs_meta=[{"key": "last_ingest", "value": str(START + DAY)}],
    )


@pytest.mark.parametrize("words", READING, ids=" ".join)
def test_a_missing_store_is_an_empty_memory_with_a_hint(tmp_path: Path, words: list[str]) -> None:
    ran = run(tmp_path, *words)
    assert ran.code == 0
    assert "agent-riggs ingest reads its sessions" in ran.err
    assert not (tmp_path / ".riggs").exists()


@pytest.mark.parametrize(
    ("words", "what"),
    [
        (["failures"], "failures"),
        (["failures", "--tool", "Bash"], "failures"),
        (["sessions"], "sessions"),
        (["trust"], "trust"),
        (["trust", "--by", "tool"], "calls"),
        (["metrics"], "calls"),
        (["problems"], "problems"),
        (["ratchet", "candidates"], "candidates"),
    ],
    ids=str,
)
def test_an_empty_store_says_that_nothing_was_ingested(tmp_path: Path, words: list[str], what: str) -> None:
    write_store(tmp_path)
    ran = run(tmp_path, *words)
    assert ran.out == f"No {what}: nothing was ingested yet.\n"
    assert (
        ran.err == f"nothing is known of {tmp_path}: agent-riggs ingest reads its sessions, or says where it looked\n"
    )


@pytest.mark.parametrize("words", READING, ids=" ".join)
def test_json_of_a_missing_store_is_json(tmp_path: Path, words: list[str]) -> None:
    assert run(tmp_path, *words, "--json").json in ([], None) or words == ["status"]


@pytest.mark.parametrize("words", [["status"], ["failures"], ["ratchet", "candidates"]], ids=" ".join)
def test_reading_works_while_a_writer_holds_the_store(tmp_path: Path, words: list[str]) -> None:
    busy(tmp_path)
    with duckdb.connect(str(tmp_path / ".riggs" / "store.duckdb")) as writer:
        writer.execute("BEGIN")
        writer.execute("DELETE FROM turns")
        ran = process(tmp_path, *words)
    assert ran.code == 0
    assert "what it held a moment ago" in ran.err
    assert ran.out


@pytest.mark.parametrize("words", READING, ids=" ".join)
def test_the_same_question_gets_the_same_answer(tmp_path: Path, words: list[str]) -> None:
    busy(tmp_path)
    first, second = run(tmp_path, *words, "--json"), run(tmp_path, *words, "--json")
    assert first.out == second.out
    assert first.json or words[1:] in (["list"], ["history"])


def test_status_in_words(tmp_path: Path) -> None:
    busy(tmp_path)
    shown = run(tmp_path, "status").out
    assert shown.splitlines()[0] == tmp_path.name
    assert "8 calls in 3 sessions, 4 failures" in shown
    assert "2 of 2 transcripts understood; 40 of 200 lines not understood" in shown
    assert "0% of own failures have a key that names no cause (0 of 3)" in shown
    assert "1 problem: agent-riggs problems" in shown


def test_status_as_json(tmp_path: Path) -> None:
    busy(tmp_path)
    found = run(tmp_path, "status", "--json").json
    assert found["trust"]["now"] == 0.5
    assert found["direction"] == "steady"
    assert found["totals"]["own_failures"] == 3
    assert (found["lines"], found["lines_not_understood"]) == (200, 40)
    assert found["last_ingest"] == iso(START + DAY).replace("+00:00", "Z")


def test_failures_are_numbered_for_explain(tmp_path: Path) -> None:
    busy(tmp_path)
    shown = run(tmp_path, "failures").out
    assert "Bash, python: module missing" in shown
    assert "ModuleNotFoundError: No module named 'yaml'" in shown
    assert "denied by rule" not in shown
    explained = run(tmp_path, "explain", "1", "--json").json
    assert explained["fingerprint"] == failed().fingerprint
    assert explained["turn_id"] == str(number("s3", 5))


def test_a_list_of_several_agents_says_which_agent_met_what(tmp_path: Path) -> None:
    calls = [failed(session, 1) for session in ("s1", "s2")]
    write_store(tmp_path / "one", calls)
    assert "seen in" not in run(tmp_path / "one", "failures").out
    write_store(tmp_path / "two", [*calls, failed("s3", 1, agent="codex")])
    assert "seen in claude_code, codex" in run(tmp_path / "two", "failures").out


def test_failures_met_once_are_shown_with_all(tmp_path: Path) -> None:
    busy(tmp_path)
    assert [row["shape"] for row in run(tmp_path, "failures", "--all", "--json").json] == [
        "ModuleNotFoundError: No module named 'yaml'",
        "denied by rule",
    ]


def test_filters_that_leave_nothing_are_named(tmp_path: Path) -> None:
    busy(tmp_path)
    assert run(tmp_path, "failures", "--tool", "Bsh").out == "No failure of tool Bsh came back.\n"
    assert run(tmp_path, "failures", "--agent", "codx", "--all").out == "No failures of agent codx.\n"


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["failures", "--tool", "Bsh"], "no tool is called Bsh here; nearest: Bash"),
        (
            ["failures", "--class", "module-mising"],
            "no class is called module_mising here; nearest: module_missing, permission",
        ),
        (["sessions", "--agent", "claude"], "no agent is called claude here; nearest: claude_code"),
        (["sessions", "--agent", "zzz", "--json"], "no agent is called zzz here; there are: claude_code"),
    ],
    ids=str,
)
def test_a_mistyped_filter_gets_what_was_probably_meant(tmp_path: Path, words: list[str], told: str) -> None:
    busy(tmp_path)
    assert run(tmp_path, *words).err == f"{told}\n"


def test_a_filter_may_be_written_as_it_is_shown(tmp_path: Path) -> None:
    busy(tmp_path)
    for words in (["--class", "Module missing"], ["--agent", "claude-code"], ["--tool", "bash"]):
        (row,) = run(tmp_path, "failures", *words, "--json").json
        assert row["failure_class"] == "module_missing"
    assert run(tmp_path, "failures", "--class", "permission").err == "", "met only once, but known"


def test_what_ended_a_failure_is_counted_over_the_sessions_that_were_looked_at(tmp_path: Path) -> None:
    calls = []
    for session in (f"s{n}" for n in range(20)):
        calls += [
            failed(session, 1, program="rtk bun", shape="a", input={"command": "rtk bun test"}),
            Call(session, "ok", 2, program="bun", input={"command": "bun test"}),
        ]
    write_store(tmp_path, calls)
    (row,) = run(tmp_path, "failures", "--json").json
    assert (row["sessions"], row["ended_in"], row["looked_at"]) == (20, 16, 16)
    assert "(16 of the latest 16 sessions)" in run(tmp_path, "failures").out


def test_fractions_are_shown_without_binary_noise(tmp_path: Path) -> None:
    busy(tmp_path)
    query = "SELECT 0.1::DOUBLE + 0.2::DOUBLE AS x"
    assert run(tmp_path, "sql", query).out.split() == ["x", "0.3"]
    assert run(tmp_path, "sql", query, "--json").json == [{"x": 0.1 + 0.2}]


def test_failures_say_what_ended_them(tmp_path: Path) -> None:
    calls = []
    for session in ("s1", "s2", "s3"):
        calls += [
            failed(session, 1, program="rtk bun", input={"command": "rtk bun test"}),
            Call(session, "ok", 2, program="bun", input={"command": "bun test"}),
        ]
    write_store(tmp_path, calls)
    (row,) = run(tmp_path, "failures", "--json").json
    assert (row["cost"], row["unrecovered"]) == (1.0, 0.0)
    assert row["ended_by"]
    assert row["ended_in"] == 3
    assert row["ended"] == 3
    assert f"ended by: {row['ended_by']}  (3 of 3 sessions)" in run(tmp_path, "failures").out


def test_what_edits_ended_is_said_alike_in_both_lists(tmp_path: Path) -> None:
    calls = []
    for session in ("s1", "s2", "s3"):
        calls += [
            failed(session, 1, outcome="check_failed", program="pytest", failure_class="test_failed", shape="1 failed",
                   input={"command": "pytest"}),
            Call(session, "ok", 2, tool="Edit", input={"file_path": "/app/a.py"}),
            Call(session, "ok", 3, program="pytest", input={"command": "pytest"}),
        ]  # fmt: skip
    write_store(tmp_path, calls)
    assert "ended by: edits of files  (3 of 3 sessions)" in run(tmp_path, "failures").out
    assert "ended by: edits of files" in run(tmp_path, "ratchet", "candidates", "--all").out


def test_what_ended_a_failure_now_and_then_is_not_told_as_what_ends_it(tmp_path: Path) -> None:
    calls = []
    for n in range(9):
        later = "bun test" if n < 4 else "rtk bun test"
        calls += [
            failed(f"s{n}", n, program="rtk bun", input={"command": "rtk bun test"}),
            Call(f"s{n}", "ok", n, program="bun", input={"command": later}),
        ]
    write_store(tmp_path, calls)
    (row,) = run(tmp_path, "failures", "--json").json
    told = f"sometimes ended by: {row['ended_by']}  (4 of 9 sessions)"
    assert told in run(tmp_path, "failures").out
    assert told in run(tmp_path, "ratchet", "candidates", "--all").out
    assert "sometimes ended by  " in run(tmp_path, "ratchet", "show", "1").out


def test_numbers_of_an_unwritable_state_folder_are_forgotten_quietly(
    tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    busy(tmp_path)
    (home / "file").write_text("")
    monkeypatch.setenv("AGENT_RIGGS_STATE_DIR", str(home / "file"))
    assert run(tmp_path, "failures").code == 0
    assert run(tmp_path, "explain", "1").code == 1


def test_explain_shows_why(tmp_path: Path) -> None:
    busy(tmp_path)
    shown = run(tmp_path, "explain", str(number("s1", 3))).out
    for part in (
        "Bash",
        "because",
        "exit code",
        "module missing",
        "0.90 -> 0.40",
        failed().fingerprint or "-",
        "Traceback",
    ):
        assert part in shown


def test_explain_of_a_failure_says_what_came_next_up_to_what_ended_it(tmp_path: Path) -> None:
    calls = [failed("s1", 0, program="rtk bun", input={"command": "rtk bun test"})]
    calls += [Call("s1", "ok", n, input={"command": f"ls part{n}"}) for n in range(1, 9)]
    calls += [Call("s1", "ok", 9, program="bun", input={"command": "cd '/a b' && bun test"}), Call("s1", "ok", 10)]
    write_store(tmp_path, calls)
    *_, head, one, _, third, left_out, _, _, last = run(tmp_path, "explain", "toolu_0000").out.splitlines()
    assert head == "what came next"
    assert one.split() == ["ok", "Bash", "ls", "part1"]
    assert third.split() == ["ok", "Bash", "ls", "part3"]
    assert left_out == "  ... 3 more calls"
    assert last.endswith(f"Bash  bun test   <- what ended it: agent-riggs explain {number('s1', 9)}")
    found = run(tmp_path, "explain", "toolu_0000", "--json").json["later"]
    assert (len(found), found[-1]["ended_it"], found[0]["ended_it"]) == (9, True, False)


def test_a_success_that_scored_less_says_why(tmp_path: Path) -> None:
    write_store(tmp_path, [Call(score=0.7), Call(score=1.0)])
    assert "(this call scored 0.70: it worked, in a shell where" in run(tmp_path, "explain", "toolu_0000").out
    assert "(this call scored 1.00)" in run(tmp_path, "explain", "toolu_0001").out
    assert "0.7 in a shell where a tool of the agent's would do" in run(tmp_path, "trust", "--by", "tool").err


def test_explain_of_a_failure_that_nothing_ended_says_so(tmp_path: Path) -> None:
    write_store(tmp_path, [failed("s1", 0, program="rtk bun", input={"command": "rtk bun test"}), Call("s1", "ok", 1)])
    assert "what came next; nothing of 1 call ended it\n" in run(tmp_path, "explain", "toolu_0000").out


def test_explain_of_a_key_shows_the_latest_call_that_failed_so(tmp_path: Path) -> None:
    busy(tmp_path)
    key = str(failed().fingerprint)
    for word in (key, key[:9], f"failure-Bash-any:{key}"):
        assert run(tmp_path, "explain", word, "--json").json["turn_id"] == str(number("s3", 5))
    assert run(tmp_path, "explain", "f000000000").code == 1


def test_explain_shows_what_the_user_said(tmp_path: Path) -> None:
    busy(tmp_path)
    shown = run(tmp_path, "explain", "toolu_0007").out
    assert "use make instead" in shown
    assert "unmoved" in shown


def test_explain_names_what_a_short_id_could_mean(tmp_path: Path) -> None:
    busy(tmp_path)
    ran = run(tmp_path, "explain", "toolu_")
    assert ran.code == 1
    assert "'toolu_' is the beginning of 8 calls" in ran.err
    assert "\n   toolu_0001\n" in ran.err


def test_sessions_latest_first(tmp_path: Path) -> None:
    busy(tmp_path)
    assert [row["session_id"] for row in run(tmp_path, "sessions", "--json").json] == ["s3", "s2", "s1"]
    assert run(tmp_path, "sessions", "--agent", "codex").out == "No sessions.\n"
    assert len(run(tmp_path, "sessions", "--limit", "2", "--json").json) == 2


@pytest.mark.parametrize(
    ("agents", "columns", "heads"),
    [
        (["codex"], "80", "session started calls failures trust"),
        (["codex"], "100", "session started lasted calls failures trust change"),
        (["codex", "claude_code"], "80", "session agent started calls failures"),
        (["codex", "claude_code"], "60", "session calls failures"),
    ],
)
def test_sessions_keep_what_matters_most(tmp_path: Path, agents: list[str], columns: str, heads: str) -> None:
    write_store(tmp_path, [Call(f"session-{n:028}", minute=n, agent=agent) for n, agent in enumerate(agents)])
    _, shown = at_terminal(tmp_path, ["sessions"], COLUMNS=columns, NO_COLOR="1")
    assert " ".join(shown.splitlines()[0].split()) == heads
    assert ("change: since the first" in shown) == ("change" in heads), "what is not shown is not explained"


def test_the_averages_say_what_they_follow(tmp_path: Path) -> None:
    busy(tmp_path)
    for word in ("status", "trust"):
        told = run(tmp_path, word).out
        assert "0.50  steady   the last dozens, against the baseline" in told
        assert "0.50           the last hundred and more" in told


@pytest.mark.parametrize(("encoding", "full"), [("utf-8", "█" * 10), ("ascii", "#" * 10)])
def test_bars_are_for_a_terminal(tmp_path: Path, encoding: str, full: str) -> None:
    busy(tmp_path)
    for words in (["metrics"], ["trust", "--by", "tool"]):
        code, shown = at_terminal(tmp_path, words, NO_COLOR="1", PYTHONIOENCODING=encoding)
        assert (code, full in shown) == (0, True)
        for piped in (run(tmp_path, *words).out, run(tmp_path, *words, "--json").out):
            assert "█" not in piped
            assert "#" not in piped


def test_trust_of_tools(tmp_path: Path) -> None:
    busy(tmp_path)
    (row,) = run(tmp_path, "trust", "--by", "tool", "--json").json
    assert (row["name"], row["failed"], row["denied"]) == ("Bash", 3, 1)
    assert run(tmp_path, "trust", "--json").json["now"] == 0.5


def test_problems_name_the_line(tmp_path: Path) -> None:
    busy(tmp_path)
    assert "/t/2:7" in run(tmp_path, "problems").out


def test_sql_in_three_forms(tmp_path: Path) -> None:
    write_store(tmp_path, [Call(), failed(excerpt="a,b\x1b[31m\nc")])
    query = "SELECT outcome, excerpt, turn_number FROM turns ORDER BY position"
    table = run(tmp_path, "sql", query).out
    assert table.splitlines()[0].split() == ["outcome", "excerpt", "turn_number"]
    assert [row["turn_number"] for row in run(tmp_path, "sql", query, "--json").json] == [1, 2]
    rows = list(csv.reader(io.StringIO(run(tmp_path, "sql", query, "--csv").out)))
    assert rows == [["outcome", "excerpt", "turn_number"], ["ok", "", "1"], ["failed", r"a,b\x1b[31m\nc", "2"]]


def test_sql_copes_with_every_type(tmp_path: Path) -> None:
    query = (
        "SELECT now() AS t, DATE '2026-01-02' AS d, INTERVAL 1 DAY AS i, 1.5::DECIMAL(4,2) AS n, 'NaN'::DOUBLE AS x, "
        "[1, 2] AS l, {'a': 1} AS s, 'x'::BLOB AS b, NULL AS z, gen_random_uuid() AS u"
    )
    found = run(tmp_path, "sql", query, "--json").json[0]
    assert (found["d"], found["x"], found["l"], found["s"], found["z"]) == ("2026-01-02", None, [1, 2], {"a": 1}, None)
    assert run(tmp_path, "sql", query).code == 0


@pytest.mark.parametrize("query", ["DROP TABLE turns", "SELECT * FROM read_text('/etc/hostname')", "nonsense"])
def test_sql_refuses_in_one_line(tmp_path: Path, query: str) -> None:
    busy(tmp_path)
    ran = run(tmp_path, "sql", query)
    assert ran.code == 2
    assert [line.split(":")[0].strip() for line in ran.err.splitlines()] in (["error"], ["error", "hint"])


EVIL = "bad \x1b]0;owned\x07 \u202egnp.exe \u200b\x9b2J"


@pytest.mark.parametrize("words", [*READING, ["explain", "1"], ["ratchet", "show", "1"]], ids=" ".join)
def test_nothing_from_a_transcript_reaches_a_terminal_as_a_command(tmp_path: Path, words: list[str]) -> None:
    calls = [
        failed(f"s{n}{EVIL}", n, shape=EVIL, program=EVIL, excerpt=EVIL, model=EVIL, tool=EVIL, input={"command": EVIL})
        for n in range(6)
    ]
    write_store(tmp_path, calls, problems=[{"problem_id": 1, "path": EVIL, "reason": EVIL, "source": EVIL}])
    run(tmp_path, "failures")
    for extra in ([], ["--json"]):
        ran = run(tmp_path, *words, *extra)
        assert ran.code == 0
        assert not any(mark in ran.out + ran.err for mark in ("\x1b", "\x07", "\x9b", "\u202e", "\u200b"))


def test_nothing_from_a_transcript_reaches_a_real_terminal_as_a_command(tmp_path: Path) -> None:
    write_store(tmp_path, [failed(f"s{n}{EVIL}", n, shape=EVIL, program=EVIL, excerpt=EVIL) for n in range(6)])
    for words in (["failures"], ["explain", "1"]):
        code, shown = at_terminal(tmp_path, words, NO_COLOR="1")
        assert code == 0
        assert not any(mark in shown for mark in ("\x1b", "\x07", "\x9b", "\u202e", "\u200b"))


@pytest.mark.parametrize("columns", ["60", "120"])
def test_tables_fit_the_terminal(tmp_path: Path, columns: str) -> None:
    shape = "a rather long message about something that went wrong " * 4 + "日本語のメッセージ"
    write_store(tmp_path, [failed(f"session-{n:028}", n, shape=shape) for n in range(6)])
    for words in (["failures"], ["sessions"], ["explain", "1"]):
        _, shown = at_terminal(tmp_path, words, COLUMNS=columns, NO_COLOR="1")
        assert max(map(width, shown.splitlines())) <= int(columns), words


def test_a_store_of_another_kind_is_named(tmp_path: Path) -> None:
    (tmp_path / ".riggs").mkdir()
    (tmp_path / ".riggs" / "store.duckdb").write_text("this is no database " * 100)
    ran = run(tmp_path, "status")
    assert ran.code == 1
    assert "store.duckdb" in ran.err
    assert "Traceback" not in ran.err


def test_a_window_is_counted_back_from_the_last_activity(tmp_path: Path) -> None:
    old = [failed(f"s{n}", n) for n in range(3)]
    write_store(tmp_path, [*old, Call(minute=20 * DAY // MINUTE)])
    assert run(tmp_path, "failures", "--days", "10", "--json").json == []
    assert len(run(tmp_path, "failures", "--json").json) == 1
    assert json.loads(run(tmp_path, "failures", "--all", "--json").out)
