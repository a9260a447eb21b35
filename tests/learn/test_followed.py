"""Whether the next calls did what a fix says."""

from __future__ import annotations

import pytest

from agent_riggs.learn.change import called
from agent_riggs.learn.fixes import Trace
from agent_riggs.learn.followed import follows, is_plain
from agent_riggs.learn.steps import Step


def sh(command: str, outcome: str = "ok") -> Step:
    return Step(1, "Bash", outcome, {"command": command})


def trace(calls: int, recovered: bool = True, **more: object) -> Trace:
    return Trace("f", "root", 0, 1, recovered, calls, **more)  # type: ignore[arg-type]


FAILED = sh("npm run build", "failed")


@pytest.mark.parametrize(
    ("fix", "command", "follows_it"),
    [
        ("use `pnpm`", "pnpm run build", True),
        ("use pnpm here", "pnpm run build", True),
        ("`pnpm run X` instead of `npm run X`", "pnpm run build", True),
        ("use `pnpm`", "npm run build --force", False),
        ("use `pnpm`", "npm run build # pnpm", False),
        ("with `--if-present`", "npm run --if-present build", True),
        ("without `npm`", "node build.js", True),
        ("never npm", "node build.js", True),
        ("without `npm`", "npm run build", False),
        ("use .venv/bin/python", ".venv/bin/python build.py", True),
    ],
)
def test_a_shell_call(fix: str, command: str, follows_it: bool) -> None:
    assert follows(fix, trace(1), FAILED, [sh(command)]) is follows_it


def test_other_tools_are_known_by_their_names_and_arguments() -> None:
    failed = Step(1, "Edit", "failed", {"file_path": "/a", "old_string": "x", "replace_all": False})
    read, edit = Step(2, "Read", "ok", {"file_path": "/a"}), Step(3, "Edit", "ok", {"replace_all": True})
    assert follows("Read the file again first", trace(2), failed, [read, edit])
    assert follows("with `replace_all`", trace(2), failed, [read, edit])
    assert not follows("with `replace_all`", trace(1), failed, [read])


def test_what_mining_says_in_the_same_words_is_followed() -> None:
    ended = trace(1, changes=(called("in `web`"),))
    assert follows("in `web`", ended, FAILED, [sh("npm run build")])
    assert follows("in `web`", trace(30, False, dead_ends=("in `web`",)), FAILED, [])


def test_calls_after_the_end_are_other_work() -> None:
    assert not follows("use `pnpm`", trace(1), FAILED, [sh("npm run build:all"), sh("pnpm install")])
    assert follows("use `pnpm`", trace(30, False), FAILED, [ELSE := sh("ls"), ELSE, sh("pnpm run build", "failed")])


@pytest.mark.parametrize(
    ("fix", "plain"),
    [("use `pnpm`", True), ("run it without rtk", True), ("think before you type", False), ("", False)],
)
def test_words_alone_are_not_told_from_the_calls(fix: str, plain: bool) -> None:
    assert is_plain(fix) is plain
