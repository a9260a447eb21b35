from __future__ import annotations

import pytest

from agent_riggs.learn.caution import caution


@pytest.mark.parametrize(
    ("fix", "program", "told"),
    [
        ("`rm .git/index.lock` first", "git commit", "a lock may be held"),
        ("`git add -u`", "git add", "stages every change"),
        ("with `-A`", "git add", "stages every change"),
        ("with `--force`", "git push", "force overwrites"),
        ("with `-f`", "git push", "force overwrites"),
        ("`git reset --hard origin/main` first", "git pull", "not committed"),
        ("with `--no-verify`", "git commit", "switches a check off"),
        ("with `--break-system-packages`", "pip install", "switches a check off"),
        ("`sudo apt install jq`", "apt", "more rights"),
        ("`rm -rf node_modules` first", "npm install", "is gone"),
    ],
)
def test_a_fix_that_takes_a_safeguard_away_has_a_caution(fix: str, program: str, told: str) -> None:
    assert told in caution(fix, program)


@pytest.mark.parametrize(
    ("fix", "program"),
    [
        ("read the file first", ""),
        ("with `--fix`", "ruff check"),
        ("with `--force-with-lease`", "git push"),
        ("without `--no-verify`", "git commit"),
        ("do not use sudo, use a virtual environment", "pip install"),
        ("`git add src/app.py`", "git add"),
        ("with `-f`", "tail"),
        ("`npm ci` before", "npm test"),
    ],
)
def test_most_fixes_have_none(fix: str, program: str) -> None:
    assert caution(fix, program) == ""
