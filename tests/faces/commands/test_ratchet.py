"""The ratchet commands: what is shown in a pipe, and what a human decides at a terminal."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from agent_riggs.deliver import recall
from agent_riggs.errors import UsageError
from agent_riggs.faces.commands.review import places
from agent_riggs.faces.deciding import DAY, parse_until
from agent_riggs.learn import log
from agent_riggs.learn.evidence import Candidate
from agent_riggs.paths import find_project
from faces.build import START, Call, failed, insert, iso, number, write_store
from faces.run import run
from faces.terminal import at_terminal


@pytest.fixture
def app(tmp_path: Path) -> Path:
    """A project in which two failures keep coming back, one of them with a known ending."""
    root = tmp_path / "app"
    root.mkdir()
    calls = []
    for n in range(6):
        calls += [
            failed(f"s{n}", 1440 * n, program="rtk bun", failure_class="bad_option", shape="unknown command: bun",
                   input={"command": "rtk bun test"}),
            Call(f"s{n}", "ok", 1440 * n + 1, program="bun", input={"command": "bun test"}),
            failed(f"s{n}", 1440 * n + 2, tool="Skill", program=None, shape="unknown skill: x", input={"skill": "x"}),
        ]  # fmt: skip
    write_store(root, calls)
    return root


@pytest.fixture
def human(monkeypatch: pytest.MonkeyPatch) -> None:
    """Somebody sits at the terminal. That somebody must is tested at a real one."""
    monkeypatch.setattr("agent_riggs.learn.guard.require_human", lambda *_: None)


def key_of(root: Path, part: str) -> str:
    found = run(root, "ratchet", "candidates", "--all", "--json").json
    return next(row["candidate_key"] for row in found if part in str(row["evidence"].get("shape")))


def state(home: Path, name: str) -> Path:
    (found,) = home.rglob(name)
    return found


def test_candidates_are_the_contracts_objects(app: Path) -> None:
    found = run(app, "ratchet", "candidates", "--json").json
    assert len(found) == 3
    assert all({"candidate_type", "candidate_key", "evidence"} <= row.keys() for row in found)
    first = next(row["evidence"] for row in found if row["evidence"].get("program") == "rtk bun")
    assert first["sessions_affected"] == 6
    assert first["fix"]["text"]
    assert isinstance(first["examples"][0]["turn_id"], str)


def test_candidates_in_words_name_the_command_that_decides(app: Path) -> None:
    ran = run(app, "ratchet", "candidates")
    assert "Bash, rtk bun: bad option" in ran.out
    assert "systemic: 6 times in 6 sessions on 6 days" in ran.out
    assert f"agent-riggs ratchet promote {key_of(app, 'bun')}" in ran.out
    assert "ended by" in ran.out
    assert "agent-riggs ratchet review" in ran.err


def test_a_candidate_is_shown_by_number_key_beginning_and_fingerprint(app: Path) -> None:
    run(app, "ratchet", "candidates", "--all")
    listed = run(app, "ratchet", "candidates", "--all", "--json").json
    key = listed[1]["candidate_key"]
    for word in ("2", key, key[:-3], key.partition(":")[2]):
        assert run(app, "ratchet", "show", word, "--json").json["candidate_key"] == key
    assert key in run(app, "ratchet", "show", "2").out


def test_a_number_of_the_failures_table_names_a_candidate_too(app: Path) -> None:
    rows = run(app, "failures", "--json").json
    run(app, "failures")
    found = run(app, "ratchet", "show", "1", "--json").json
    assert found["evidence"]["fingerprint"] == rows[0]["key"]


def test_a_coarse_key_says_what_else_it_covers(app: Path) -> None:
    assert "1 other failure as well: unknown command: bun" in run(app, "ratchet", "show", "failure-Bash-any").out


def test_what_a_short_key_could_mean_is_listed_a_line_each(tmp_path: Path) -> None:
    write_store(tmp_path, [failed(shape=f"shape {n}") for n in range(14)])
    told = run(tmp_path, "ratchet", "show", "failure-Bash-any:").err.splitlines()
    assert told[:2] == [
        "error: failure-Bash-any: begins 14 keys",
        " hint: type more of it; it could be one of these, or of 4 more:",
    ]
    assert [line.startswith("   failure-Bash-any:f") for line in told[2:]] == [True] * 10


def test_an_unknown_key_ends_with_one_and_the_nearest(app: Path) -> None:
    ran = run(app, "ratchet", "show", "failure-Bosh-any")
    assert ran.code == 1
    assert "failure-Bash-any" in ran.err


@pytest.mark.parametrize("words", [["promote", "1", "--fix", "x", "--reason", "y"], ["reject", "1", "--reason", "x"],
                                   ["snooze", "1", "--until", "3d"], ["retire", "1", "--reason", "x"], ["adopt", "1"],
                                   ["review"]])  # fmt: skip
def test_nothing_is_decided_without_a_terminal(app: Path, home: Path, words: list[str]) -> None:
    ran = run(app, "ratchet", *words)
    assert ran.code == 2
    assert "human at a terminal" in ran.err
    assert not list(home.rglob("decisions.jsonl"))


def test_nothing_is_decided_inside_an_agent_unless_a_human_says_so(app: Path) -> None:
    words = ["ratchet", "reject", key_of(app, "bun"), "--reason", "x"]
    code, shown = at_terminal(app, words, CLAUDECODE="1")
    assert (code, "CLAUDECODE" in shown) == (2, True)
    assert at_terminal(app, [*words, "--i-am-human"], CLAUDECODE="1")[0] == 0


def test_promoting_with_fix_and_reason_asks_nothing(app: Path, home: Path, human: None) -> None:
    key = key_of(app, "bun")
    ran = run(app, "ratchet", "promote", key, "--fix", "run bun itself", "--reason", "rtk has none")
    assert ran.code == 0
    assert ran.out == f"promoted {key}\nthe agent will be told: run bun itself\n"
    (row,) = run(app, "ratchet", "list", "--json").json
    assert (row["candidate_key"], row["fix"], row["live"], row["state"]) == (key, "run bun itself", True, "promoted")
    assert "run bun itself" in state(home, recall.FILE_NAME).read_text()
    assert [entry.decision for entry in log.read(state(home, "decisions.jsonl"), find_project(app).key).entries] == [
        "promoted"
    ]
    assert key not in [row["candidate_key"] for row in run(app, "ratchet", "candidates", "--all", "--json").json]


def test_the_mined_fix_is_shown_and_confirmed(app: Path) -> None:
    key = key_of(app, "bun")
    mined = run(app, "ratchet", "show", key, "--json").json["evidence"]["fix"]["text"]
    code, shown = at_terminal(app, ["ratchet", "promote", key], [("promote with this fix", "y\n")])
    assert code == 0
    assert mined in shown
    assert run(app, "ratchet", "list", "--json").json[0]["fix"] == mined


def test_a_fix_can_be_typed_instead(app: Path, human: None) -> None:
    assert run(app, "ratchet", "promote", key_of(app, "bun"), typed="n\nuse bun\n").code == 0
    assert run(app, "ratchet", "list", "--json").json[0]["fix"] == "use bun"


def test_no_fix_no_promotion(app: Path, human: None) -> None:
    ran = run(app, "ratchet", "promote", key_of(app, "skill"), typed="\n")
    assert (ran.code, "nothing was promoted" in ran.err) == (2, True)
    assert run(app, "ratchet", "list", "--json").json == []


@pytest.mark.parametrize("fix", ["", "  "])
def test_an_empty_fix_is_no_fix(app: Path, human: None, fix: str) -> None:
    run(app, "ratchet", "candidates")
    assert run(app, "ratchet", "promote", "1", "--fix", fix, "--reason", "r").code == 2
    assert run(app, "ratchet", "list", "--json").json == []


def test_the_fix_can_be_written_in_an_editor(
    app: Path, tmp_path: Path, human: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    editor = tmp_path / "editor"
    editor.write_text("#!/bin/sh\necho 'from the editor' > \"$1\"\n")
    editor.chmod(0o755)
    monkeypatch.setenv("EDITOR", str(editor))
    assert run(app, "ratchet", "promote", key_of(app, "bun"), "--edit").code == 0
    assert run(app, "ratchet", "list", "--json").json[0]["fix"] == "from the editor"


def test_a_second_promotion_supersedes_and_retiring_ends_it(app: Path, human: None) -> None:
    key = key_of(app, "bun")
    for fix in ("one", "two"):
        ran = run(app, "ratchet", "promote", key, "--fix", fix, "--reason", "r")
    assert "takes the place of what is served now: one" in ran.err
    rows = run(app, "ratchet", "history", "--json").json
    assert sorted((row["fix"], row["state"]) for row in rows) == [("one", "superseded"), ("two", "promoted")]
    assert run(app, "ratchet", "retire", key, "--reason", "fixed upstream").code == 0
    assert run(app, "ratchet", "list", "--json").json == []
    assert "No ratchet is served yet." in run(app, "ratchet", "list").out


def test_rejected_and_snoozed_candidates_leave_the_list(app: Path, human: None) -> None:
    first, second = key_of(app, "bun"), key_of(app, "skill")
    assert run(app, "ratchet", "reject", first, "--reason", "meant to fail").code == 0
    assert run(app, "ratchet", "snooze", second, "--until", "30d").code == 0
    left = [row["candidate_key"] for row in run(app, "ratchet", "candidates", "--all", "--json").json]
    assert not {first, second} & set(left)
    shown = run(app, "ratchet", "history").out
    assert "meant to fail" in shown
    assert "snoozed until " in shown


def test_a_snooze_wants_a_date(app: Path, human: None) -> None:
    ran = run(app, "ratchet", "snooze", key_of(app, "bun"), "--until", "soon")
    assert (ran.code, "no date" in ran.err) == (2, True)


def test_a_foreign_decision_is_shown_and_served_only_once_adopted(app: Path, home: Path, human: None) -> None:
    import duckdb

    with duckdb.connect(str(app / ".riggs" / "store.duckdb")) as conn:
        row = {"decision_id": 7, "decided_at": iso(START), "candidate_type": "constraint_promotion",
               "candidate_key": "failure-Bash-any", "decision": "promoted", "reason": "theirs"}  # fmt: skip
        insert(conn, "ratchet_decisions", [row])
    ran = run(app, "ratchet", "list")
    assert "foreign" in ran.out
    assert "ratchet adopt KEY" in ran.err
    assert [row["live"] for row in run(app, "ratchet", "list", "--json").json] == [False]
    ran = run(app, "ratchet", "adopt", "failure-Bash-any", typed="n\n")
    assert (ran.code, "nothing was adopted" in ran.out) == (0, True)
    ran = run(app, "ratchet", "adopt", "failure-Bash-any", typed="y\n")
    assert (ran.code, "theirs" in ran.out) == (0, True)
    assert "theirs" in state(home, recall.FILE_NAME).read_text()


def test_a_log_that_was_altered_is_told_of(app: Path, home: Path, human: None) -> None:
    run(app, "ratchet", "promote", key_of(app, "bun"), "--fix", "one", "--reason", "r")
    file = state(home, "decisions.jsonl")
    entry = json.loads(file.read_text())
    file.write_text(json.dumps({**entry, "fix": "rm -rf /"}) + "\n")
    assert "warning: " in run(app, "ratchet", "list").err


def test_review_takes_one_key_each(app: Path) -> None:
    first = run(app, "ratchet", "candidates", "--json").json[0]
    typed = [(" 1 of ", "w"), (" 1 of ", "p"), (" 2 of ", "r"), ("why not", "noise\n"), (" 3 of ", "q")]
    if not first["evidence"]["fix"]:
        typed.insert(2, ("fix", "typed fix\n"))
    code, shown = at_terminal(app, ["ratchet", "review"], typed)
    assert code == 0
    assert "   | " in shown
    pair = f"explain {number('s5', 15)}; what ended it: agent-riggs explain {number('s5', 16)}"
    assert pair in " ".join(shown.split()), "both of one session"
    assert {row["decision"] for row in run(app, "ratchet", "history", "--json").json} == {"promoted", "rejected"}


def test_status_brief_candidates_and_review_count_alike(app: Path) -> None:
    waits = "2 failures that keep coming back"
    assert run(app, "status", "--json").json["waiting"] == run(app, "brief", "--json").json["waiting"] == 2
    assert f"to decide      {waits}" in run(app, "status").out
    assert waits in run(app, "brief").out
    ran = run(app, "ratchet", "candidates", "--limit", "1")
    assert f"{waits}, 2 wider keys and suggestions: agent-riggs ratchet candidates --limit 4" in ran.err
    assert len(run(app, "ratchet", "candidates", "--limit", "4", "--json").json) == 4
    _, shown = at_terminal(
        app, ["ratchet", "review"], [("failure 1 of 2", "n"), ("failure 2 of 2", "n"), ("3 of 4, no", "q")]
    )
    assert "3 of 4, no failure of its own" in shown


def test_in_a_review_near_duplicates_are_counted_with_the_one_they_are_shown_with() -> None:
    found = [
        Candidate("failure_pattern", "a", similar=("b", "c")),
        Candidate("failure_pattern", "d"),
        Candidate("tool_promotion", "e"),
    ]
    told = ["failures 1 to 3 of 9, alike", "failure 4 of 9", "10 of 10, no failure of its own"]
    assert list(places(found, 9)) == told


def test_a_review_can_be_interrupted_with_nothing_lost(app: Path) -> None:
    code, _ = at_terminal(app, ["ratchet", "review"], [(" 1 of ", "s"), (" 2 of ", "\x03")])
    assert code == 130
    assert [row["decision"] for row in run(app, "ratchet", "history", "--json").json] == ["snoozed"]


def test_a_review_of_nothing_says_so(tmp_path: Path, human: None) -> None:
    ran = run(tmp_path, "ratchet", "review")
    assert (ran.code, "No candidates" in ran.out) == (0, True)


def test_a_replay_tells_how_often_the_fix_was_right(app: Path) -> None:
    key = key_of(app, "bun")
    made = run(app, "ratchet", "replay", key, "--json").json
    assert (made["fired"], made["sessions"], made["agreed"], made["never"]) == (6, 6, 6, 0)
    assert "would have fired 6 times in 6 sessions" in run(app, "ratchet", "replay", key).out
    assert "would have fired 6 times in 6 sessions" in run(app, "ratchet", "show", key).out
    assert run(app, "ratchet", "replay", key, "--fix", "something else", "--json").json["comparable"] is False


def test_overlapping_and_many_ratchets_are_warned_of(app: Path, human: None) -> None:
    (app / ".riggs" / "config.toml").write_text("[ratchet]\nmax_live = 1\n")
    key = key_of(app, "bun")
    assert "warning" not in run(app, "ratchet", "promote", key, "--fix", "run bun", "--reason", "r").err
    ran = run(app, "ratchet", "promote", "failure-Bash-any", "--fix", "read the message", "--reason", "r")
    assert f"{key} is served already and overlaps: run bun" in ran.err
    assert "1 ratchet served already: more than 1" in ran.err


def test_a_lost_store_gets_its_decisions_back_with_the_next_ingest(app: Path, human: None) -> None:
    key = key_of(app, "bun")
    run(app, "ratchet", "promote", key, "--fix", "run bun", "--reason", "r")
    (app / ".riggs" / "store.duckdb").unlink()
    ran = run(app, "ingest")
    assert "1 decision restored from your log" in ran.err
    assert run(app, "sql", "SELECT candidate_key, decision FROM ratchet_decisions", "--json").json == [
        {"candidate_key": key, "decision": "promoted"}
    ]


def test_dates_of_a_snooze() -> None:
    assert parse_until("30d", START) == START + 30 * DAY
    assert parse_until("2 weeks", START) == START + 14 * DAY
    assert parse_until("2027-01-31", START) == int(datetime(2027, 1, 31, tzinfo=UTC).timestamp()) * 1_000_000
    for wrong in ("", "d", "-3d", "99999d", "tomorrow"):
        with pytest.raises(UsageError):
            parse_until(wrong, START)


def test_rejecting_what_is_served_says_that_it_ends(app: Path, human: None) -> None:
    key = key_of(app, "bun")
    assert "longer" not in run(app, "ratchet", "snooze", key, "--until", "30d").out
    told = run(app, "ratchet", "promote", key, "--fix", "run bun", "--reason", "r")
    assert f"ratchet retire {key}" in told.out + told.err
    assert "its fix is served no longer" in run(app, "ratchet", "reject", key, "--reason", "noise").out


@pytest.mark.usefixtures("human")
def test_a_fix_that_takes_a_safeguard_away_is_promoted_with_a_caution(app: Path) -> None:
    words = ("ratchet", "promote", key_of(app, "bun"), "--reason", "x", "--fix")
    assert "warning: it switches a check off" in run(app, *words, "run it with --no-verify").err
    assert "switches a check off" not in run(app, *words, "run it without rtk").err


@pytest.mark.usefixtures("human")
def test_as_long_as_no_agent_has_the_hook_it_is_said_that_nobody_is_told(app: Path) -> None:
    unheard = "no agent here has the hook yet, so no agent is told: agent-riggs install --agent NAME"
    assert unheard not in run(app, "status").err + run(app, "ratchet", "list").err
    words = ("ratchet", "promote", key_of(app, "bun"), "--fix", "run bun itself", "--reason", "r")
    assert unheard in run(app, *words).err
    for shown in (("status",), ("ratchet", "list")):
        assert unheard in run(app, *shown).err
        assert unheard not in run(app, *shown, "--json").err
    assert run(app, "install", "--agent", "claude-code", "--scope", "project").code == 0
    assert unheard not in run(app, *words).err + run(app, "status").err + run(app, "ratchet", "list").err


def test_what_fell_out_of_the_window_is_told_with_the_window(tmp_path: Path) -> None:
    write_store(tmp_path, [failed(f"s{n}", n - 60 * 1440) for n in range(3)] + [Call("s9")])
    ran = run(tmp_path, "ratchet", "candidates")
    assert "of the 30 days up to 2026-11-01; 1 failure that came back before them is not decided either" in ran.err
    assert "No candidates" in ran.out


@pytest.mark.usefixtures("human")
def test_what_was_decided_is_told_wherever_the_failure_is_shown_again(app: Path) -> None:
    key = key_of(app, "bun")
    assert "promoted" not in run(app, "failures").out
    run(app, "ratchet", "promote", key, "--fix", "run bun itself", "--reason", "r")
    assert "promoted: the agent is told: run bun itself" in run(app, "failures").out
    assert {row["told"] for row in run(app, "failures", "--json").json} == {None, "run bun itself"}
    shown = run(app, "ratchet", "show", key).out
    assert "the agent is told: run bun itself" in shown
    assert "ratchet promote" not in shown
    assert shown.splitlines()[-1].strip() == f"agent-riggs ratchet retire {key} --reason WHY"
    run(app, "ratchet", "retire", key, "--reason", "bun is in the path now")
    shown = run(app, "ratchet", "show", key).out
    assert "decided   retired on " in shown
    assert ": bun is in the path now" in shown
    assert "ratchet promote" in shown
    assert "promoted" not in run(app, "failures").out


@pytest.mark.usefixtures("human")
def test_a_brief_says_in_how_many_sessions_a_mined_fix_was_what_ended_it(app: Path) -> None:
    key = key_of(app, "bun")
    mined = next(row["evidence"]["fix"]["text"] for row in run(app, "ratchet", "candidates", "--json").json
                 if row["candidate_key"] == key)  # fmt: skip
    run(app, "ratchet", "promote", key, "--fix", mined, "--reason", "r")
    assert f": {mined} (ended it in 6 of 6 sessions)" in run(app, "brief").out
    run(app, "ratchet", "promote", key, "--fix", "run bun itself", "--reason", "r")
    assert ": run bun itself\n" in run(app, "brief").out
