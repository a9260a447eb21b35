"""ingest and demo, on the sample sessions."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest

from agent_riggs import samples
from agent_riggs.errors import StoreBusy
from faces.run import process, run
from faces.terminal import at_terminal


@pytest.fixture
def app(tmp_path: Path, home: Path) -> Path:
    """A project with transcripts in the home folder."""
    root = tmp_path / "app"
    root.mkdir()
    samples.write(home, root)
    return root


def test_ingest_says_what_it_read(app: Path) -> None:
    ran = run(app, "ingest")
    assert ran.code == 0
    first = ran.out.splitlines()[0]
    assert first.startswith("app: read 136 new calls from ")
    assert "1 problem" in first
    assert "136 calls in 11 sessions" in ran.out
    assert " ok, " in ran.out
    assert "what could not be read: agent-riggs problems" in ran.err


def test_a_second_ingest_reads_nothing_new(app: Path) -> None:
    first = run(app, "ingest", "--json").json
    second = run(app, "ingest", "--json").json
    assert (first["new_calls"], second["new_calls"], second["transcripts_read"]) == (136, 0, 0)
    assert first["outcomes"] == second["outcomes"]
    assert sum(second["outcomes"].values()) == second["calls"] == 136


def test_quiet_is_quiet(app: Path) -> None:
    ran = process(app, "ingest", "--quiet")
    assert (ran.code, ran.out, ran.err) == (0, "", "")


def test_a_terminal_sees_progress_and_a_pipe_does_not(app: Path) -> None:
    _, shown = at_terminal(app, ["ingest"])
    assert "\x1b[" in shown
    assert "136 new calls" in shown


def test_nothing_found_says_where_it_looked_and_for_which_project(tmp_path: Path, home: Path) -> None:
    ran = run(tmp_path, "ingest")
    assert ran.code == 0
    assert f"no transcript belongs to {tmp_path}" in ran.err
    assert "project key " in ran.err
    (home / ".claude").mkdir()
    assert f"not exist: {home / '.claude'}, " in ran.err
    assert f"  looked in {home / '.claude'}\n" in run(tmp_path, "ingest").err


def test_nothing_found_leaves_nothing(tmp_path: Path) -> None:
    for words in (["ingest"], ["ingest", "--json"], ["ingest", "--quiet"]):
        ran = run(tmp_path, *words)
        assert ran.code == 0
        assert list(tmp_path.iterdir()) == []
    assert run(tmp_path, "ingest").out == f"{tmp_path.name}: nothing to read, nothing was written\n"


def test_nothing_found_leaves_what_was_there(tmp_path: Path) -> None:
    run(tmp_path, "init")
    assert run(tmp_path, "ingest").out == f"{tmp_path.name}: nothing to read, the memory is as it was\n"
    assert (tmp_path / ".riggs" / "config.toml").exists()
    assert (tmp_path / ".riggs" / "store.duckdb").exists()


def test_a_problem_is_kept_though_nothing_else_was_found(tmp_path: Path, home: Path) -> None:
    strange = home / "strange.jsonl"
    strange.write_text("no record at all\n")
    run(tmp_path, "ingest", str(strange))
    assert run(tmp_path, "problems", "--json").json


def test_a_moved_project_is_told_how_to_find_its_transcripts(tmp_path: Path, app: Path) -> None:
    moved = tmp_path / "elsewhere" / "app"
    moved.mkdir(parents=True)
    ran = run(moved, "ingest")
    assert f"--recorded-as '{app}'" in ran.err
    assert run(moved, "ingest", "--recorded-as", str(app), "--json").json["new_calls"] == 136


def test_the_folders_of_other_projects_are_told_with_the_way_to_read_one(tmp_path: Path, app: Path) -> None:
    fresh = tmp_path / "fresh"
    fresh.mkdir()
    ran = run(fresh, "ingest")
    assert f"    {app}\n" in ran.err
    assert "agent-riggs ingest --recorded-as FOLDER" in ran.err


def test_a_folder_of_windows_is_told_once_and_as_a_shell_takes_it(tmp_path: Path, home: Path) -> None:
    for number, folder in enumerate(("C:\\work\\app", "c:\\work\\app")):
        path = home / ".claude" / "projects" / "x" / f"s{number}.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps({"type": "user", "sessionId": path.stem, "cwd": folder}) + "\n", encoding="utf-8")
    fresh = tmp_path / "app"
    fresh.mkdir()
    ran = run(fresh, "ingest")
    assert "of 1 other folder:" in ran.err
    assert "--recorded-as 'C:\\work\\app'" in ran.err


def test_files_and_folders_can_be_named(tmp_path: Path, app: Path, home: Path) -> None:
    place = tmp_path / "copied"
    (home / ".claude").rename(place)
    assert run(app, "ingest", "--json").json["calls"] == 0
    one = next((place / "projects").rglob("*.jsonl"))
    assert run(app, "ingest", str(one), "--json").json["transcripts_read"] == 1
    assert run(app, "ingest", str(place), "--json", "--host", "server").json["calls"] == 136


def test_a_file_that_is_no_transcript_is_a_problem(tmp_path: Path) -> None:
    (tmp_path / "notes.jsonl").write_text("this is no transcript\n")
    ran = run(tmp_path, "ingest", str(tmp_path / "notes.jsonl"))
    assert ran.code == 0
    assert "1 problem" in ran.out
    assert "notes.jsonl" in run(tmp_path, "problems").out


def test_a_folder_without_transcripts_is_an_error_that_says_how_much_was_looked_at(tmp_path: Path) -> None:
    heap = tmp_path / "heap"
    heap.mkdir()
    for name in ("a.json", "b.json"):
        (heap / name).write_text("{}")
    ran = run(tmp_path, "ingest", "heap")
    assert ran.code == 1
    assert "no transcript of a known agent among 2 files" in ran.err
    assert not (tmp_path / ".riggs").exists()


def test_a_folder_under_which_nothing_was_recorded_is_said_so(app: Path) -> None:
    told = "no transcript was recorded under /nowhere"
    assert told in run(app, "ingest", "--recorded-as", "/nowhere").err
    ran = run(app, "ingest", "--recorded-as", "/nowhere")
    assert (ran.code, told in ran.err) == (0, True)
    assert "no transcript was recorded" not in run(app, "ingest", "--recorded-as", str(app)).err


def test_a_path_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    assert run(tmp_path, "ingest", str(tmp_path / "none")).code == 1


def test_all_projects_each_into_its_own_store(tmp_path: Path, app: Path, home: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    samples.write(home, other)
    samples.write(home, tmp_path / "deleted")
    ran = run(tmp_path, "ingest", "--all")
    assert ran.code == 0
    assert [line.split()[0] for line in ran.out.splitlines()[1:]] == [str(app), str(other)]
    assert "1 folder that no longer exist" in ran.err
    assert [row["calls"] for row in run(tmp_path, "ingest", "--all", "--json").json] == [136, 136]
    assert (app / ".riggs" / "store.duckdb").exists()
    assert (other / ".riggs" / "store.duckdb").exists()
    assert not (tmp_path / ".riggs").exists()


def test_one_project_that_cannot_be_read_does_not_stop_the_others(tmp_path: Path, app: Path, home: Path) -> None:
    other = tmp_path / "other"
    (other / ".riggs").mkdir(parents=True)
    (other / ".riggs" / "config.toml").write_text("[nonsense]\n")
    samples.write(home, other)
    ran = run(tmp_path, "ingest", "--all", "--json")
    assert ran.code == 2
    assert [row["root"] for row in ran.json] == [str(app)]
    assert "nonsense" in ran.err


def test_all_goes_with_no_path(tmp_path: Path) -> None:
    assert run(tmp_path, "ingest", "--all", "--recorded-as", "/x").code == 2


def test_a_format_nobody_knows_is_loud(app: Path, home: Path) -> None:
    for file in (home / ".claude").rglob("*.jsonl"):
        file.write_text('{"of": "tomorrow"}\n' * 20)
    ran = run(app, "ingest")
    assert ran.code == 1
    assert "12 transcripts found and none understood" in ran.err


def test_records_nobody_knows_are_loud(app: Path, home: Path) -> None:
    run(app, "ingest", "--quiet")
    for file in (home / ".claude").rglob("*.jsonl"):
        with file.open("a", encoding="utf-8") as open_file:
            open_file.write("\n" + (json.dumps({"type": "of-tomorrow", "cwd": str(app)}) + "\n") * 20)
    ran = run(app, "ingest")
    assert ran.code == 1
    assert "of-tomorrow" in ran.err


def test_a_held_store_ends_with_four(app: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def held(*_: object, **__: object) -> None:
        raise StoreBusy("another ingest of this project is running")

    monkeypatch.setattr("agent_riggs.ingest.ingest", held)
    assert run(app, "ingest").code == 4


def test_the_demo_on_an_empty_machine_shows_the_samples(tmp_path: Path, home: Path) -> None:
    before = sorted(home.rglob("*"))
    ran = process(tmp_path, "demo")
    assert ran.code == 0
    assert "sample sessions, invented" in ran.out
    assert "ended by: " in ran.out
    assert ran.out.count("ago") >= 3
    assert list(tmp_path.iterdir()) == []
    assert sorted(home.rglob("*")) == before


def test_the_demo_shows_the_projects_of_the_machine_and_leaves_nothing(tmp_path: Path, app: Path) -> None:
    ran = run(tmp_path, "demo", "--limit", "2")
    assert ran.code == 0
    assert f"app  ({app})" in ran.out
    assert "invented" not in ran.out
    assert "136 calls in 11 sessions" in ran.out
    assert [line[0] for line in ran.out.splitlines() if line[:1].isdigit()] == ["1", "1", "2"]
    assert not (app / ".riggs").exists()


def test_sessions_whose_folders_are_gone_are_shown_and_counted_alike(tmp_path: Path, home: Path) -> None:
    gone = tmp_path / "gone"
    tree = gone / ".claude" / "worktrees" / "one"
    samples.write(home, gone)
    path = home / ".claude" / "projects" / "x" / "s.jsonl"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps({"type": "user", "sessionId": "s", "cwd": str(tree)}) + "\n", encoding="utf-8")
    ran = run(tmp_path, "demo", "--limit", "1")
    assert f"gone  ({gone}, no longer there)" in ran.out
    assert "invented" not in ran.out
    assert "agent-riggs ingest --recorded-as OLD-FOLDER" in ran.err
    told = run(tmp_path, "ingest", "--all").err
    assert "no transcript here is of a folder that is still there" in told
    assert "13 transcripts belong to 1 folder that no longer exists" in told
    (tmp_path / "fresh").mkdir()
    assert "13 transcripts there, of 1 other folder:" in run(tmp_path / "fresh", "ingest").err


def test_transcripts_that_name_no_folder_are_not_told_as_none(tmp_path: Path, home: Path) -> None:
    path = home / ".claude" / "projects" / "x" / "s.jsonl"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps({"type": "user", "sessionId": "s"}) + "\n", encoding="utf-8")
    assert "invented: none of 1 transcript here names its folder" in run(tmp_path, "demo", "--limit", "1").out


def test_the_samples_can_be_kept_and_worked_with(tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = sorted(home.rglob("*"))
    folder = tmp_path / "a tour"
    ran = run(tmp_path, "demo", "--keep", "a tour")
    assert ran.code == 0
    for line in ran.out.splitlines():
        for word in shlex.split(line)[1:] if line.startswith("  export ") else ():
            monkeypatch.setenv(*word.split("=", 1))
    assert f"  cd '{folder / 'tidewatch'}'" in ran.out
    assert run(folder / "tidewatch", "ingest", "--json").json["calls"] == 136
    assert "read the file first" in run(folder / "tidewatch", "failures").out
    assert sorted(home.rglob("*")) == before
    assert sorted(path.name for path in folder.iterdir()) == [".claude", "state", "tidewatch"]


def test_the_samples_are_kept_in_a_new_folder_outside_of_any_project(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    ran = run(tmp_path, "demo", "--keep", "there")
    assert (ran.code, ran.err.splitlines()[0]) == (1, f"error: {tmp_path / 'there'} is there already")
    run(tmp_path, "init")
    ran = run(tmp_path, "demo", "--keep", "inside")
    assert ran.code == 1
    assert f"would belong to the project {tmp_path}" in ran.err
    assert not (tmp_path / "inside").exists()


def test_a_path_is_taken_from_the_folder_that_was_named(tmp_path: Path, app: Path, home: Path) -> None:
    (home / ".claude").rename(app / "copied")
    assert run(app, "ingest", "copied", "--json").json["new_calls"] == 136
