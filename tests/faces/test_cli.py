from __future__ import annotations

import os
import re
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from agent_riggs.errors import RiggsError, StoreBusy
from agent_riggs.faces import cli as face
from agent_riggs.faces.options import Command, json_shape
from faces.build import Call, write_store
from faces.run import process, run


def every_command() -> list[tuple[str, click.Command]]:
    """All commands with their full names, sub-commands included."""
    context = click.Context(face.cli)
    found: list[tuple[str, click.Command]] = []
    for name in face.cli.list_commands(context):
        command = face.cli.get_command(context, name)
        assert command is not None
        if isinstance(command, click.Group):
            found += [(f"{name} {inner}", command.commands[inner]) for inner in command.commands]
        else:
            found.append((name, command))
    return found


COMMANDS = every_command()


@pytest.mark.parametrize(("name", "command"), COMMANDS, ids=[name for name, _ in COMMANDS])
def test_every_command_has_help_with_an_example(name: str, command: click.Command) -> None:
    shown = CliRunner().invoke(face.cli, [*name.split(), "--help"]).output
    assert f"Usage: agent-riggs {name}" in shown.replace("cli", "agent-riggs", 1)
    assert isinstance(command, Command)
    assert command.examples
    assert all("agent-riggs" in example and example in shown for example in command.examples)
    assert command.help


@pytest.mark.parametrize(("name", "command"), COMMANDS, ids=[name for name, _ in COMMANDS])
def test_json_is_documented_where_there_is_json(name: str, command: click.Command) -> None:
    assert isinstance(command, Command)
    if not any(option.name == "as_json" for option in command.params):
        return
    shown = CliRunner().invoke(face.cli, [*name.split(), "--help"]).output
    assert "JSON: " in shown or "--json" in (command.help or "")
    if command.rows:
        assert " ".join(json_shape(command.rows).split()) in " ".join(shown.split())


@pytest.mark.parametrize("words", [[], ["ratchet"]], ids=str)
def test_a_group_begins_with_examples_and_cuts_nothing(words: list[str]) -> None:
    shown = CliRunner().invoke(face.cli, [*words, "--help"]).output
    assert "Examples:\n  agent-riggs " in shown
    assert "..." not in shown.replace("[ARGS]...", "")


def test_the_commands_that_decide_stand_in_the_order_of_use() -> None:
    shown = CliRunner().invoke(face.cli, ["ratchet", "--help"]).output
    assert shown.index("  candidates ") < shown.index("  promote ") < shown.index("  retire ") < shown.index("  adopt ")


def test_the_list_of_commands_is_not_cut() -> None:
    shown = CliRunner().invoke(face.cli, ["--help"], terminal_width=80).output
    assert "..." not in shown.partition("Options:")[2]
    assert all(f"  {name} " in shown for name in face.MODULES)


def test_version_is_the_packages(tmp_path: Path) -> None:
    assert run(tmp_path, "--version").out == f"agent-riggs {metadata.version('agent-riggs')}\n"


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["status"], 0),
        (["explain", "nothing"], 1),
        (["nope"], 2),
        (["failures", "--nope"], 2),
        (["failures", "--limit", "0"], 2),
        (["sql"], 2),
        (["sql", "\udcff"], 2),
        (["ingest", "--recorded-as", "/\udcff"], 2),
        ([], 2),
    ],
)
def test_exit_codes(tmp_path: Path, words: list[str], code: int) -> None:
    ran = run(tmp_path, *words)
    assert ran.code == code
    assert bool(ran.err) is (code != 0 or "status" in words)


def test_an_unknown_command_names_the_nearest(tmp_path: Path) -> None:
    assert "Did you mean failures?" in run(tmp_path, "failurs").err


def raising(error: BaseException) -> click.Command:
    @click.command("status")
    def body() -> None:
        raise error

    return body


@pytest.mark.parametrize(
    ("error", "code", "shown"),
    [
        (RiggsError("bad\x1b[2J", hint="do \u202ethis"), 1, r"error: bad\x1b[2J"),
        (StoreBusy("held"), 4, "error: held"),
        (KeyboardInterrupt(), 130, "interrupted"),
        (click.Abort(), 130, "interrupted"),
        (PermissionError(13, "Permission denied", "/x\n"), 1, r"error: /x\n: Permission denied"),
        (ZeroDivisionError("division by zero"), 3, "this is a bug in agent-riggs: ZeroDivisionError"),
    ],
)
def test_errors_become_exit_codes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: BaseException, code: int, shown: str
) -> None:
    monkeypatch.setattr(face.Commands, "get_command", lambda *_: raising(error))
    ran = run(tmp_path, "status")
    assert ran.code == code
    assert shown in ran.err
    assert "Traceback" not in ran.err
    assert ran.out == ""
    assert not any(mark in ran.err for mark in "\x1b\u202e")


def test_a_bug_leaves_a_report_that_only_its_owner_reads(
    tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret = "sk-ant-api03-" + "a" * 90
    monkeypatch.setattr(face.Commands, "get_command", lambda *_: raising(ValueError(f"key {secret}")))
    ran = run(tmp_path, "status")
    place = re.search(r"a report is in (\S+):", ran.err)
    assert place is not None
    report = Path(place[1])
    assert report.is_relative_to(home)
    assert report.stat().st_mode & 0o077 == 0
    written = report.read_text()
    assert "Traceback" in written
    assert "command: agent-riggs" in written
    assert secret not in written
    assert secret not in ran.err


def test_a_bug_is_reported_where_there_is_no_state_folder(
    tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (home / "file").write_text("")
    monkeypatch.setenv("AGENT_RIGGS_STATE_DIR", str(home / "file"))
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    monkeypatch.setattr(face.Commands, "get_command", lambda *_: raising(ValueError("x")))
    assert f"a report is in {tmp_path}" in run(tmp_path, "status").err


def in_shell(folder: Path, script: str) -> subprocess.CompletedProcess[str]:
    environ = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "PYTHONUNBUFFERED": ""}
    return subprocess.run(
        ["bash", "-c", script], cwd=folder, env=environ, capture_output=True, text=True, timeout=60, check=False
    )


def test_a_reader_that_has_seen_enough_is_no_error(tmp_path: Path) -> None:
    write_store(tmp_path, [Call(session=f"s{number}") for number in range(300)])
    command = f"{sys.executable} -m agent_riggs sessions --limit 300"
    done = in_shell(tmp_path, f"{command} | head -1; echo ${{PIPESTATUS[0]}}")
    assert done.stdout.splitlines()[-1] == "0"
    whole = in_shell(tmp_path, f"{command} >/dev/null").stderr
    assert done.stderr in ("", whole), "whether it leaves before or after the last line is up to the two programs"


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        ("sessions >&-", 0, ""),
        ("sessions <&- >&-", 0, ""),
        ("sessions >&- 2>&-", 0, ""),
        ("brief >/dev/full", 1, "error: the output could not be written: No space left on device\n"),
        ("sessions >/dev/full", 1, "error: the output could not be written: No space left on device\n"),
    ],
)
def test_an_output_that_takes_nothing(tmp_path: Path, words: str, code: int, told: str) -> None:
    write_store(tmp_path, [Call()])
    done = in_shell(tmp_path, f"{sys.executable} -m agent_riggs {words}")
    assert (done.returncode, done.stderr[: len(told)]) == (code, told)
    assert "Traceback" not in done.stderr
    assert "bug" not in done.stderr


def test_a_folder_that_was_deleted_under_our_feet(tmp_path: Path) -> None:
    done = in_shell(tmp_path, f"mkdir gone && cd gone && rmdir ../gone && {sys.executable} -m agent_riggs status")
    assert done.returncode == 1
    assert done.stderr.startswith("error: the current folder no longer exists\n hint: ")


@pytest.mark.parametrize("words", [["failures", "--days"], ["failures", "--limit"], ["metrics", "--limit"]])
def test_a_number_beyond_all_sense_means_all(tmp_path: Path, words: list[str]) -> None:
    write_store(tmp_path, [Call(session=f"s{number}", outcome="failed") for number in range(3)])
    ran = run(tmp_path, *words, "9" * 30, "--json")
    assert ran.code == 0, ran.err
    assert ran.json == run(tmp_path, *words, "300", "--json").json


def test_a_whole_process_reads_and_answers(tmp_path: Path) -> None:
    write_store(tmp_path, [Call()])
    ran = process(tmp_path, "sessions", "--json")
    assert (ran.code, ran.err) == (0, "")
    assert [row["session_id"] for row in ran.json] == ["s1"]
    assert process(tmp_path, "nope").code == 2


@pytest.mark.parametrize("words", [["--version"], ["--help"], ["ingest", "--help"]])
def test_what_shows_no_data_loads_no_data(words: list[str]) -> None:
    code = (
        "import sys; from agent_riggs.faces.cli import main; main(sys.argv[1:]); "
        "print([m for m in ('duckdb', 'msgspec', 'rich', 'tree_sitter') if m in sys.modules], file=sys.stderr)"
    )
    environ = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        [sys.executable, "-c", code, *words], env=environ, capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stderr.strip() == "[]"
