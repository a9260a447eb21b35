"""Steps that act on what a failure names, before the same call is made again."""

from __future__ import annotations

from collections.abc import Iterator

import duckdb
import pytest

from agent_riggs.learn import candidates, fixes
from agent_riggs.store import mining
from learn.sessions import Call, again, bash, broken, fails, store, tool

SPAN = candidates.Span(*mining.ALL_TIME, 10)


@pytest.fixture
def conn() -> Iterator[duckdb.DuckDBPyConnection]:
    with store() as conn:
        mining.prepare(conn)
        yield conn


def ending(conn: duckdb.DuckDBPyConnection, wrong: Call, *after: Call) -> str | None:
    """The fix mined from three sessions in which a failure was followed by these calls."""
    again(conn, 3, wrong, *after)
    assert wrong.fingerprint
    found = fixes.mine(candidates.traces_of(conn, [wrong.fingerprint], SPAN))
    return found.fix.text if found.fix else None


PORT = ("conflict", "npm run serve", "address already in use: port <n>")
GONE = ("missing_file", "cp", "cannot create regular file out/b: No such file or directory")
REFUSED = ("network", "psql", "connection to server failed: Connection refused")
BEHIND = ("vcs", "git push", "Updates were rejected because the tip is behind")

ENABLED = [
    ("npm run serve", PORT, "fuser -k 4173/tcp", "free the port first (`fuser -k`)"),
    ("npm run serve", PORT, "lsof -ti:4173 | xargs kill -9", "free the port first (`xargs kill`)"),
    ("npm run serve", PORT, "npx kill-port 4173", "free the port first (`npx kill-port`)"),
    ("npm run serve", PORT, "docker stop shop-web", "free the port first (`docker stop`)"),
    ("cp a out/b", GONE, "mkdir -p out", "`mkdir out` first"),
    ("psql shop", ("bad_path", "psql", 'database "shop" does not exist'), "createdb shop", "`createdb shop` first"),
    (
        "psql shop -c x",
        ("bad_path", "psql", 'database "shop" does not exist'),
        "psql admin -c 'create database shop'",
        "create the database first (`psql`)",
    ),
    (
        "python a.py",
        ("module_missing", "python", "no yaml"),
        "source .venv/bin/activate",
        "`source .venv/bin/activate` first",
    ),
    ("psql -h db", REFUSED, "docker compose up -d db", "`docker compose up db` first"),
    ("psql", REFUSED, "sudo systemctl start postgresql", "`sudo systemctl start postgresql` first"),
    ("npm run build", ("command_not_found", "vite", "vite"), "npm install", "`npm install` first"),
    (
        "python a.py",
        ("module_missing", "python", "no module yaml"),
        "pip install pyyaml",
        "`pip install pyyaml` first",
    ),
    ("deploy x", ("environment", "deploy", "TOKEN is not set"), "export TOKEN=abc", "`export TOKEN…` first"),
    ("./run.sh", ("permission", "run.sh", "permission denied"), "chmod +x ./run.sh", "`chmod +x` first"),
    ("git push origin main", BEHIND, "git pull --rebase origin main", "`git pull` first"),
    (
        "git checkout main",
        ("conflict", "git checkout", "local changes would be overwritten"),
        "git stash push -m 'half done'",
        "`git stash` first",
    ),
    ("git commit -m x", ("vcs", "git commit", "no changes added to commit"), "git add a.py", "`git add a.py` first"),
    ("git commit -m x", ("conflict", "git", "index.lock exists"), "rm -f .git/index.lock", "`rm index.lock` first"),
]


@pytest.mark.parametrize(("line", "why", "step", "expected"), ENABLED)
def test_what_made_the_same_call_work(
    conn: duckdb.DuckDBPyConnection, line: str, why: tuple[str, str, str], step: str, expected: str
) -> None:
    assert ending(conn, fails(line, *why), bash(step), bash(line)) == expected


@pytest.mark.parametrize(("line", "why", "step", "expected"), ENABLED)
def test_also_in_one_line(
    conn: duckdb.DuckDBPyConnection, line: str, why: tuple[str, str, str], step: str, expected: str
) -> None:
    assert ending(conn, fails(line, *why), bash(f"{step} && {line}")) == expected


def test_one_goal_reached_in_many_ways(conn: duckdb.DuckDBPyConnection) -> None:
    wrong = fails("npm run serve", *PORT)
    for place, step in enumerate(("fuser -k 4173/tcp", "kill 4711", "pkill -f server", "npx kill-port 4173")):
        again(conn, 1, wrong, bash(step), bash("npm run serve"), first=10 * place)
    found = fixes.mine(candidates.traces_of(conn, [wrong.fingerprint or ""], SPAN))
    assert found.fix is not None
    assert (found.fix.text, found.fix.support) == ("free the port first", 4)


@pytest.mark.parametrize(
    ("line", "why", "step"),
    [
        ("frob x", ("other", "frob", "it broke"), "kill 4711"),
        ("frob x", ("missing_file", "frob", "no such file: data.csv"), "mkdir -p elsewhere"),
        ("git commit -m x", ("vcs", "git commit", "no changes added to commit"), "git status"),
        ("psql", REFUSED, "docker compose logs db"),
    ],
)
def test_a_step_about_something_else_is_none(
    conn: duckdb.DuckDBPyConnection, line: str, why: tuple[str, str, str], step: str
) -> None:
    wrong = fails(line, *why)
    again(conn, 3, wrong, bash(step), bash(line))
    traces = candidates.traces_of(conn, [wrong.fingerprint or ""], SPAN)
    assert not any(change.kind in ("enabler", "goal") for trace in traces for change in trace.changes)


def test_the_missing_file_was_written(conn: duckdb.DuckDBPyConnection) -> None:
    wrong = fails("frob x.toml", "missing_file", "frob", "no such file: x.toml")
    made = tool("Write", {"file_path": "/home/me/shop/x.toml"})
    assert ending(conn, wrong, made, bash("frob x.toml")) == "write the file first"


MISSPELLED = [
    ("npm run tests", "npm run test", "`npm run test` instead of `npm run tests`"),
    ("npm tests", "npm run tests", "`npm run tests` instead of `npm tests`"),
    ("make tset", "make test", "`make test` instead of `make tset`"),
    ("git comit -m x", "git commit -m x", "`git commit` instead of `git comit`"),
    ("cargo nextst run", "cargo nextest run", "`cargo nextest run` instead of `cargo nextst`"),
    ("npm run types", "npm run check:types", "`npm run check:types` instead of `npm run types`"),
]


@pytest.mark.parametrize(("wrong", "right", "expected"), MISSPELLED)
def test_what_is_missing_has_another_name(
    conn: duckdb.DuckDBPyConnection, wrong: str, right: str, expected: str
) -> None:
    name = wrong.split()[-1] if wrong.startswith(("npm", "make")) else wrong.split()[1]
    assert ending(conn, fails(wrong, "bad_option", None, f"unknown: {name}"), bash(right)) == expected


@pytest.mark.parametrize(
    ("wrong", "kind", "shape", "later"),
    [
        ("npm run tests", "bad_option", "missing script: tests", "npm run build"),
        ("npm run tests", "other", "missing: tests", "npm run test"),
        ("git stash --all", "bad_option", "unknown option: --all", "git status"),
    ],
)
def test_another_name_is_meant_only_where_one_is_missing(
    conn: duckdb.DuckDBPyConnection, wrong: str, kind: str, shape: str, later: str
) -> None:
    assert ending(conn, fails(wrong, kind, None, shape), bash(later)) is None


RESPELLED = [
    ("docker-compose up -d db", "docker compose up -d db", "`docker compose` instead of `docker-compose`"),
    ("docker compose up -d db", "docker-compose up -d db", "`docker-compose` instead of `docker compose`"),
    ("cargo-nextest run", "cargo nextest run", "`cargo nextest` instead of `cargo-nextest`"),
    ("tsc -p .", "npx tsc -p .", "the same command through `npx`"),
    ("pytest -q", "python3 -m pytest -q", "the same command through `python3 -m`"),
    ("pytest -q", ".venv/bin/python -m pytest -q", "the same command through `.venv/bin/python -m`"),
]


@pytest.mark.parametrize(("wrong", "right", "expected"), RESPELLED)
def test_a_program_written_in_another_way(
    conn: duckdb.DuckDBPyConnection, wrong: str, right: str, expected: str
) -> None:
    assert ending(conn, fails(wrong, "command_not_found"), bash(right)) == expected


def test_a_variable_set_for_the_call(conn: duckdb.DuckDBPyConnection) -> None:
    assert ending(conn, fails("npm run serve", *PORT), bash("PORT=4180 npm run serve")) == "with `PORT` set"


def test_another_value_of_the_option_that_the_failure_names(conn: duckdb.DuckDBPyConnection) -> None:
    wrong = fails("npm run serve -- --port 3000", "conflict", "npm run serve", "port 3000 is in use")
    assert ending(conn, wrong, bash("npm run serve -- --port 3001")) == "with another value of `--port`"


def test_installing_by_another_command(conn: duckdb.DuckDBPyConnection) -> None:
    wrong = fails("npm ci", "conflict", "npm ci", "lock file and package file are not in sync")
    assert ending(conn, wrong, bash("npm install")) == "`npm install` instead of `npm ci`"


def test_a_refused_argument_is_left_away(conn: duckdb.DuckDBPyConnection) -> None:
    given = {"command": "find a/x -name y", "description": "look", "shell_mode": "fast"}
    wrong = broken("Bash", given, "invalid_input", "unexpected parameter: shell_mode")
    assert ending(conn, wrong, bash("find a/z -name y"), bash("du -sh .")) == "without `shell_mode`"


def test_one_of_two_alternatives_tells_nothing(conn: duckdb.DuckDBPyConnection) -> None:
    wrong = fails("frob ps", "command_not_found")
    assert ending(conn, wrong, bash("/opt/frob/bin/frob ps || echo none")) is None


def test_switching_the_check_off_is_no_fix(conn: duckdb.DuckDBPyConnection) -> None:
    wrong = fails("git commit -m x", "vcs", "git commit", "hook failed")
    assert ending(conn, wrong, bash("git commit --no-verify -m x")) is None


def test_an_edit_is_no_look_at_a_file(conn: duckdb.DuckDBPyConnection) -> None:
    wrong = fails("cat a.txt", "missing_file", "cat", "no such file")
    assert ending(conn, wrong, tool("Edit", {"file_path": "/home/me/shop/a.txt"})) is None


@pytest.mark.parametrize(
    ("told", "expected"),
    [("Did you mean a/conf.py?", "the file that the message proposes"), ("no such file", None)],
)
def test_the_file_that_the_message_proposes(conn: duckdb.DuckDBPyConnection, told: str, expected: str | None) -> None:
    wrong = broken("Read", {"file_path": "/home/me/shop/a/set.py"}, "missing_file", told)
    assert ending(conn, wrong, tool("Read", {"file_path": "/home/me/shop/a/conf.py"})) == expected


def test_a_folder_read_as_a_file_whatever_came_next(conn: duckdb.DuckDBPyConnection) -> None:
    wrong = broken("Read", {"file_path": "/home/me/shop/src"}, "is_directory")
    for place, later in enumerate(
        (bash("ls src"), bash("find src"), tool("Read", {"file_path": "/home/me/shop/src/a"}))
    ):
        again(conn, 1, wrong, later, first=10 * place)
    found = fixes.mine(candidates.traces_of(conn, [wrong.fingerprint or ""], SPAN))
    assert found.fix is not None
    assert (found.fix.text, found.fix.support) == ("it is a folder: list it, then read a file in it", 3)
