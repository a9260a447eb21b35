"""No secret enters the store: every kind, planted in a command, in an output, in an argument and in a name, then looked
for in the bytes of every file and in every value of every table."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

import claude
from agent_riggs.store import open_read
from cases.scene import Scene, shared
from judge.secret_kinds import ANY, STRONG

TOKEN = "ghp_" + "Qz7x" * 9
NOTICE = (
    f"<task-notification><task-id>{TOKEN}</task-id><tool-use-id>{TOKEN}</tool-use-id><status>failed</status>"
    "<summary>Background command failed with exit code 2</summary></task-notification>"
)
KINDS = {**ANY, **STRONG}


def secret_of(number: int, place: str) -> str:
    """A secret of its own for each kind and place: what is found tells where it came from."""
    return f"Zq{number:03d}vX9kP2mWr{place}4Tb"


@pytest.fixture(scope="module")
def scene(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scene]:
    with shared(tmp_path_factory) as found:
        records = []
        for number, frame in enumerate(KINDS.values()):
            command, output, argument = (frame.format(secret_of(number, place)) for place in "COA")
            shell, tool = 2 * number + 1, 2 * number + 2
            records += [
                claude.call(shell, "Bash", {"command": command, "description": argument}),
                claude.result(shell, f"Exit code 3\nfrob: fatal: it broke\n{output}", True),
                claude.call(
                    tool,
                    "mcp__x__y",
                    {"q": argument, "deep": [{"a": argument}], "words": [] if "\n" in command else command.split()},
                ),
                claude.result(tool, f"MCP error -32000: {output}", True),
            ]
        found.write(*records)
        for name in (TOKEN, f"agent-{TOKEN}"):
            found.write(
                claude.call(9001),
                claude.result(9001, "built"),
                claude.answer(f"toolu_{TOKEN}", "late", True),
                claude.prompt(NOTICE, cwd=f"{found.root}/{TOKEN}"),
                "{broken",
                name=name,
                folder=f"-srv-{TOKEN}",
                session_id=f"s {TOKEN}",
                gitBranch=f"feature/{TOKEN}",
            )
        odd = claude.place(found.home, f"odd-{TOKEN}")
        odd.write_text("nothing known\n")
        assert found.run("ingest").code == 0
        yield found


def left(text: str) -> list[str]:
    """The kinds whose secret is in a text, with the place: a command, an output or an argument."""
    names = list(KINDS)
    kinds = [(name, place) for number, name in enumerate(names) for place in "CAO" if secret_of(number, place) in text]
    return [f"{name} ({place})" for name, place in kinds] + ["a name"] * (TOKEN in text)


def test_no_value_of_any_table_holds_one(scene: Scene) -> None:
    with open_read(scene.store) as store:
        tables = store.conn.execute("SELECT table_name FROM duckdb_tables() WHERE NOT internal").fetchall()
        assert len(tables) > 8
        for (table,) in tables:
            rows = store.conn.execute(f'SELECT COLUMNS(*)::VARCHAR FROM "{table}"').fetchall()
            assert left("\n".join(str(value) for row in rows for value in row)) == [], table


def test_no_byte_of_any_file_holds_one(scene: Scene) -> None:
    files = [path for top in (scene.root, scene.home / "state") for path in walk(top)]
    assert scene.store in files
    for path in files:
        assert left(path.read_bytes().decode("latin-1")) == [], path


def walk(top: Path) -> list[Path]:
    return [Path(folder) / name for folder, _, names in os.walk(top) for name in names]


@pytest.mark.parametrize(
    "words", [["failures", "--all", "--json"], ["problems", "--json"], ["brief"], ["sql", "FROM transcripts"]], ids=str
)
def test_no_command_shows_one(scene: Scene, words: list[str]) -> None:
    ran = scene.run(*words)
    assert ran.code == 0
    assert left(ran.out + ran.err) == []


def test_a_transcript_with_a_token_in_its_name_is_read_once_and_read_on(scene: Scene) -> None:
    before = scene.rows("SELECT count(*), count(DISTINCT key) FROM transcripts")
    assert scene.ingest()["transcripts_read"] == 0
    path = claude.place(scene.home, TOKEN, f"-srv-{TOKEN}")
    grown = path.read_bytes() + b"".join(line + b"\n" for line in scene.lines(claude.call(9002), name=TOKEN))
    path.write_bytes(grown)
    assert scene.ingest()["new_calls"] == 1
    assert scene.rows("SELECT count(*), count(DISTINCT key) FROM transcripts") == before
    assert scene.rows("SELECT count(*) FROM transcripts WHERE gone") == [(0,)]
