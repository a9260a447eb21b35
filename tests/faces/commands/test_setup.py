"""init, doctor, sources, completion."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from agent_riggs import config, samples
from faces.build import failed, write_store
from faces.run import process, run


def test_init_makes_a_folder_that_is_never_committed(tmp_path: Path) -> None:
    ran = run(tmp_path, "init")
    assert ran.code == 0
    assert "next: agent-riggs ingest" in ran.err
    folder = tmp_path / ".riggs"
    assert (folder / ".gitignore").read_text() == "*\n"
    assert (folder / "store.duckdb").stat().st_mode & 0o077 == 0
    assert config.load(tmp_path) == config.Config()


def test_init_names_every_setting_and_keeps_what_is_there(tmp_path: Path) -> None:
    run(tmp_path, "init")
    settings = tmp_path / ".riggs" / "config.toml"
    for name, _ in config.describe():
        assert f"# {name.split('.')[1]} = " in settings.read_text()
    uncommented = "\n".join(line.removeprefix("# ") for line in settings.read_text().splitlines()[1:])
    settings.write_text(uncommented)
    assert config.load(tmp_path) == config.Config()
    assert run(tmp_path, "init").code == 0
    assert settings.read_text() == uncommented


def test_doctor_ends_with_one_when_something_is_wrong(tmp_path: Path) -> None:
    run(tmp_path, "init")
    assert run(tmp_path, "doctor").code == 0
    (tmp_path / ".riggs" / "store.duckdb").chmod(0o644)
    ran = run(tmp_path, "doctor")
    assert ran.code == 1
    assert "-> chmod 600 " in ran.out
    assert "1 thing to mend" in ran.err
    assert [check["name"] for check in run(tmp_path, "doctor", "--json").json if check["state"] == "wrong"] == [
        "permissions"
    ]


def test_sources_say_where_they_looked(tmp_path: Path, home: Path) -> None:
    samples.write(home, tmp_path)
    run(tmp_path, "ingest", "--quiet")
    shown = run(tmp_path, "sources").out
    assert f"looked in   {home / '.claude'}" in shown
    assert f"  codex     no {home / '.codex'}\n" in shown.partition("not on this machine\n")[2]
    assert len(run(tmp_path, "sources", "--json").json) > 5, "those that are not here have their figures too"
    (claude,) = [row for row in run(tmp_path, "sources", "--json").json if row["source"] == "claude_code"]
    assert claude["calls"] == 136
    assert claude["found"] == claude["transcripts"] == claude["read"]
    assert claude["suspicious"] is None


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_prints_what_the_shell_runs(tmp_path: Path, shell: str) -> None:
    ran = run(tmp_path, "completion", shell)
    assert ran.code == 0
    assert "_AGENT_RIGGS_COMPLETE" in ran.out
    if shutil.which(shell):
        checked = subprocess.run([shell, "-n"], input=ran.out, text=True, capture_output=True, check=False)
        assert checked.returncode == 0, checked.stderr


def complete(folder: Path, *words: str) -> list[str]:
    """What the shell would offer for the last word."""
    ran = process(
        folder,
        _AGENT_RIGGS_COMPLETE="bash_complete",
        COMP_WORDS=" ".join(["agent-riggs", *words]),
        COMP_CWORD=str(len(words)),
    )
    return [line.partition(",")[2] for line in ran.out.splitlines() if line.strip()]


def test_completion_knows_commands_options_and_keys(tmp_path: Path) -> None:
    write_store(tmp_path, [failed(f"s{n}") for n in range(3)])
    assert complete(tmp_path, "fail") == ["failures"]
    assert "--agent" in complete(tmp_path, "failures", "--")
    key = str(failed().fingerprint)
    assert complete(tmp_path, "ratchet", "show", "f") == [key]
    assert complete(tmp_path, "ratchet", "promote", key[:4]) == [key]
    assert complete(tmp_path, "ratchet", "show", "zz") == []


def test_completion_of_keys_is_silent_where_there_is_nothing(tmp_path: Path) -> None:
    assert complete(tmp_path, "ratchet", "show", "f") == []
    (tmp_path / ".riggs").mkdir()
    (tmp_path / ".riggs" / "store.duckdb").write_text("no store " * 100)
    assert complete(tmp_path, "ratchet", "show", "f") == []
