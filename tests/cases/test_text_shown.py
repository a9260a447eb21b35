"""What a transcript says never reaches a terminal as a command, and a secret in it never reaches a file or a screen."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

import claude
from agent_riggs.faces import cli as face
from cases.scene import Scene, shared
from faces.terminal import at_terminal

HIDDEN = "\x1b[31m\x1b]8;;http://x\x07l\x1b]52;c;ZQ==\x07\x1bP1$r\x1b\\\x9b2J\u202eexe\u2066\u200b\u2060\U000e0041"
MARKS = frozenset("\x1b\x07\x9b\u202e\u2066\u200b\u2060\U000e0041")
TOKEN = "ghp_" + "a1B2" * 9
EVIL = f"{HIDDEN} {TOKEN}"

READING = [
    *(["status"], ["failures", "--all"], ["sessions"], ["trust"], ["problems"], ["metrics"], ["brief"], ["doctor"]),
    *(["trust", "--by", by] for by in ("tool", "model", "session")),
    *(["sources"], ["sql", "FROM turns"], ["sql", "FROM failure_stream"], ["explain", "1"], ["ingest"]),
    *(["ratchet", "candidates", "--all"], ["ratchet", "list"], ["ratchet", "history"], ["ratchet", "show", "1"]),
    ["ratchet", "replay", "1"],
]
WRONG = [
    *(
        ["explain", EVIL],
        ["ratchet", "show", EVIL],
        ["sql", f"SELECT '{EVIL}' FROM nothing"],
        [EVIL],
        ["failures", EVIL],
    ),
    *(["ingest", f"/none/{EVIL}"], ["failures", "--limit", EVIL], ["failures", f"--{EVIL}"], ["trust", "--by", EVIL]),
    *(["ratchet", "promote", EVIL], ["ratchet", "show", "toolu"], ["explain", "toolu"]),
]


@pytest.fixture(scope="module")
def scene(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scene]:
    """Sessions with both in every field, read, and one of their failures promoted."""
    with shared(tmp_path_factory) as found:
        for number in range(4):
            call = 10 * number
            tool = f"mcp__{EVIL}__x"
            found.write(
                claude.prompt(EVIL, permissionMode=EVIL),
                claude.call(call + 1, "Bash", {"command": f"frob --token={TOKEN} /srv/{TOKEN}/x {EVIL}", EVIL: [EVIL]}),
                claude.result(call + 1, f"Exit code 3\nfrob: fatal: no {EVIL}\nAPI_KEY={TOKEN}", True),
                claude.call(call + 2, tool, {"q": EVIL}),
                claude.result(call + 2, f"MCP error -32000: {EVIL}", True),
                claude.call(call + 3, "Bash", {"command": f"frob --safe {TOKEN}"}),
                claude.result(call + 3, f"fine {EVIL}"),
                claude.record(EVIL),
                claude.call(call + 4, "Read", {"file_path": f"/srv/{TOKEN}/{HIDDEN}"}),
                claude.result(call + 4, "File does not exist.", True),
                claude.call(call + 5),
                claude.result(call + 5, f"{claude.REJECTED} To tell you how to proceed, the user said:\n{EVIL}", True),
                claude.says({"type": "tool_use", "id": f"call_{EVIL}", "name": "Bash", "input": EVIL}, model=EVIL),
                "{broken " + EVIL,
                *({"type": "user", "message": EVIL, "is_error": EVIL}, {"type": ["x", EVIL]}),
                name=f"s{number}",
                session_id=f"s{number} {EVIL}",
                gitBranch=EVIL,
                version=EVIL,
                cwd=f"{found.root}/{TOKEN}/{HIDDEN}",
                agentId=EVIL if number == 3 else ...,
            )
        assert found.run("ingest", "--recorded-as", f"/old/{EVIL}", "--host", EVIL).code == 0
        key = found.run("ratchet", "candidates", "--json").json[0]["candidate_key"]
        words = ["ratchet", "promote", key, "--fix", f"use make {EVIL}", "--reason", EVIL]
        code, shown = at_terminal(found.root, words, NO_COLOR="1")
        assert code == 0, shown
        assert_harmless(shown)
        yield found


def assert_harmless(shown: str) -> None:
    assert TOKEN not in shown
    assert not MARKS & set(shown)


@pytest.mark.parametrize("words", READING, ids=" ".join)
def test_every_command_shows_escapes_and_no_secret(scene: Scene, words: list[str]) -> None:
    scene.run("failures", "--all")
    for more in ([], ["--json"]):
        ran = scene.run(*words, *more)
        assert ran.code in (0, 1), ran.err
        assert "error" not in ran.err
        assert ran.out.strip()
        assert_harmless(ran.out + ran.err)


def test_an_export_holds_no_secret(scene: Scene) -> None:
    for table in ("turns", "failure_stream", "session_summaries", "ratchet_decisions", "transcripts", "problems"):
        ran = scene.run("sql", f"FROM {table}", "--csv")
        assert ran.code == 0
        assert_harmless(ran.out + ran.err)


@pytest.mark.parametrize("words", WRONG, ids=lambda words: " ".join(word.replace(EVIL, "EVIL") for word in words))
def test_an_error_message_shows_escapes_and_no_secret(scene: Scene, words: list[str]) -> None:
    ran = scene.run(*words)
    assert (ran.code, ran.out) in ((1, ""), (2, ""))
    assert ran.err.startswith("error: ")
    assert_harmless(ran.out + ran.err)


def test_a_real_terminal_gets_no_more_than_colors(scene: Scene) -> None:
    for words in (["failures", "--all"], ["explain", "1"], ["ratchet", "show", "1"]):
        code, shown = at_terminal(scene.root, words)
        assert code == 0
        assert_harmless(re.sub(r"\x1b\[[0-9;]*m", "", shown))


def files(*folders: Path) -> list[Path]:
    found = [path for folder in folders for path in folder.rglob("*") if path.is_file()]
    assert found
    return found


def test_no_file_of_ours_holds_a_secret_or_is_open_to_others(scene: Scene) -> None:
    """The store, its lock, what numbers stand for, the log of decisions, the index of recalls."""
    names = {path.name for path in files(scene.store.parent, scene.home / "state")}
    assert {"store.duckdb", "decisions.jsonl", "recall.json"} <= names
    for path in files(scene.store.parent, scene.home / "state"):
        assert TOKEN.encode() not in path.read_bytes(), path
        if path.name not in ("README", ".gitignore", "ingest.lock"):
            assert path.stat().st_mode & 0o077 == 0, path


def test_the_write_ahead_log_holds_no_secret(scene: Scene, tmp_path: Path) -> None:
    """A killed ingest leaves it behind."""
    root = tmp_path / "shop"
    root.mkdir()
    script = (
        "import os, sys; sys.path[:0] = sys.argv[2:]\n"
        "from agent_riggs.store import transcripts\n"
        "transcripts.set_meta = lambda *_: os._exit(9)\n"
        "from agent_riggs.faces.cli import main\n"
        "main(['-C', sys.argv[1], 'ingest', '--recorded-as', os.environ['WAS']])\n"
    )
    environ = {**os.environ, "HOME": str(scene.home), "WAS": str(scene.root)}
    command = [sys.executable, "-c", script, str(root), *sys.path]
    assert subprocess.run(command, env=environ, check=False, capture_output=True, timeout=60).returncode == 9
    log = root / ".riggs" / "store.duckdb.wal"
    assert b"frob" in log.read_bytes()
    for path in files(root):
        assert TOKEN.encode() not in path.read_bytes(), path


def test_a_bug_report_holds_no_secret(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    @click.command("status")
    def broken() -> None:
        raise ValueError(EVIL)

    monkeypatch.setenv("AGENT_RIGGS_STATE_DIR", str(scene.home / "elsewhere"))
    monkeypatch.setattr(face.Commands, "get_command", lambda *_: broken)
    ran = scene.run("status")
    assert ran.code == 3
    assert_harmless(ran.err)
    (report,) = files(scene.home / "elsewhere")
    assert TOKEN not in report.read_text(encoding="utf-8")
