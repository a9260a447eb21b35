"""Steps: targets, operands, labels in which nothing is bound to a machine; and no input that makes mining fail."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agent_riggs.judge import shell
from agent_riggs.learn import fixes, steps
from agent_riggs.learn.intent import prefix, same
from agent_riggs.learn.steps import Step
from agent_riggs.learn.trigger import trigger_of
from agent_riggs.store.windows import TurnFacts, Window

ROOT = "/home/me/shop"


def command(line: str) -> shell.Command:
    return shell.parse(line).commands[0]


def facts(number: int, tool: str, outcome: str, given: dict[str, Any], program: str | None = None) -> TurnFacts:
    failed = outcome in ("failed", "check_failed")
    mark = "f1" if failed else None
    return TurnFacts(number, tool, outcome, given, "other" if failed else None, program, mark, "", ROOT, ROOT, number)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("git add a b", ("a", "b")),
        ("npm run build -- --fast x", ("x",)),
        ("ls", ()),
        ("cp -r a b", ("a", "b")),
        ("cat -", ("-",)),
    ],
)
def test_operands_are_what_a_command_acts_on(line: str, expected: tuple[str, ...]) -> None:
    assert steps.operands(command(line)) == expected


@pytest.mark.parametrize(
    ("line", "label"),
    [
        ("rm -rf /home/me/shop/tmp/cache/u0a8k5", "rm tmp/cache/…"),
        ("rm -rf tmp/cache/u0a8k5", "rm tmp/cache/…"),
        ("rm /home/other/x/y", "rm <path>"),
        ("mkdir 2025-11-18/x", "mkdir <path>"),
        ("git commit -m 'some words here'", "git commit <text>"),
        ("kill 4711", "kill <n>"),
        ("pnpm --filter web api:generate", "pnpm run api:generate web"),
        ("uv run ruff check --fix", "uv run ruff check"),
    ],
)
def test_labels_hold_on_any_machine(line: str, label: str) -> None:
    assert steps.label_of(command(line), ROOT) == label


@pytest.mark.parametrize(
    ("folder", "told"),
    [
        ("/home/me/shop", "the project's root folder"),
        ("/home/me/shop/apps/api", "`apps/api`"),
        ("/home/me/shop/.claude/worktrees/one-two", "the project's root folder"),
        ("/home/me/shop-2", ""),
        ("/tmp/x", ""),
        ("/home/me/shop/out/2025-11-18", ""),
        ("", ""),
    ],
)
def test_places_are_told_relative_to_the_project(folder: str, told: str) -> None:
    assert steps.place(folder, ROOT) == told


@pytest.mark.parametrize(
    ("wanted", "other", "expected"),
    [
        ("git push", "git push -u origin main", True),
        ("git push", "git pull", False),
        ("npm run lint", "npm run lint:fix", True),
        ("npm run lint", "npm run test", False),
        ("npm run build", "pnpm run build", True),
        ("python a.py", "python b.py", False),
        ("python a.py", "python ./src/a.py", True),
        ("pip install x", "pip3 install x", True),
        ("frob a.txt", "frob b.txt", False),
        ("frob a.txt", "nice frob a.txt", True),
        ("ls src/*.py", "ls src", True),
        ("ls src/*.py", "ls lib", False),
        ("cat a/x.txt", "cat b/x.txt", True),
    ],
)
def test_two_commands_have_one_intent(wanted: str, other: str, expected: bool) -> None:
    assert same(command(wanted), command(other)) is expected


def test_a_prefix_is_what_stands_in_front() -> None:
    assert prefix(command("wrap frob a b"), command("frob a b")) == ("wrap",)
    assert prefix(command("frob a b"), command("wrap frob a b")) == ()
    assert prefix(command("wrap a"), command("a")) == (), "one word alone is no command that was wrapped"


def test_the_failed_command_is_the_one_that_the_judge_named() -> None:
    step = Step(1, "Bash", "failed", {"command": "cd x && git add a && git status"}, program="git add")
    found = steps.subject(step)
    assert found is not None
    assert found.sub == ("add",)


def trace(root: str, *words: str) -> fixes.Trace:
    return fixes.Trace("f1", root, 1, 1, words=words)


def test_a_trigger_is_how_all_of_them_begin() -> None:
    assert trigger_of([trace("a", "rtk", "bun", "run", "x"), trace("b", "rtk", "bun", "run", "y")]) == (
        "rtk",
        "bun",
        "run",
    )
    assert trigger_of([trace("a", "rtk", "bun"), trace("a", "rtk", "bun")]) == (), "one session is no habit"
    assert trigger_of([trace("a", "cat", "/x/1"), trace("b", "cat", "/x/1")]) == (), "a path holds on one machine only"
    assert trigger_of([trace("a", "x"), trace("b", "y")]) == ()
    assert trigger_of([trace("a"), trace("b")]) == ()


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=30),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)
GIVEN = st.dictionaries(
    st.sampled_from(["command", "file_path", "path", "pattern", "old_string", "replace_all", "x"]), JSON, max_size=4
)
CALL = st.tuples(
    st.sampled_from(["Bash", "Edit", "Read", "Grep", "Glob", "Write", "mcp__a__b", "unknown"]),
    st.sampled_from(["ok", "failed", "check_failed", "masked", "rejected", "denied"]),
    GIVEN,
    st.none() | st.sampled_from(["git add", "npm", ""]),
)


@given(st.lists(CALL, min_size=1, max_size=6))
@settings(max_examples=150, deadline=None)
def test_no_arguments_make_mining_fail(calls: list[tuple[str, str, dict[str, Any], str | None]]) -> None:
    first, *later = [facts(number, *call) for number, call in enumerate(calls, 1)]
    window = Window("f1", "root", 1, first, (), tuple(later))
    found = fixes.mine([fixes.trace(window)])
    assert found.sessions + found.outages == 1
