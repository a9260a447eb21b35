# ruff: noqa: E501  (a long expression reads better on one line)
"""The lines of an output, put in order before anything is looked for in them."""

from __future__ import annotations

import re
from collections import Counter
from typing import Final

from agent_riggs.judge.localized import in_english
from agent_riggs.judge.mask import MAX_LINE

_COLUMN: Final = re.compile(r"^E\s{3,}")
_HEAD: Final = re.compile(
    r"(?i)(?:\berror|undefined|undeclared|panicked|went wrong|exception|failed|failure|not found|cause|\wError|In procedure \S+)\b"
    r"(?!.* (?:line|column) \d+:\s*$).*:\s*$|^[^\w#]*(?:fatal )?error\W*$|\d+ validation errors? for \w+(?: \w+)?$|: error: \[[A-Z]+-\d+\](?: \[\S+\])?$"
)
_NO_BODY: Final = re.compile(
    r"^\s*(?:[-+|>\u2502\u256d\u2570\u250c\u2514=*#~^\u2717\u00d7]|at |\d+ \||\d+\) |rspec |File \"|Traceback)"
)

_RUNNER: Final = re.compile(
    r"#\d+ (?:\d+\.\d+ )?(?=\S)|(?:[a-z@/][\w@/-]*[:#])?[a-z@/][\w@/-]*[:#][a-z][\w-]*:\s{1,2}|[a-z][\w.@/-]{0,40}\s+\| "
    r"|\[(?!info\]|warn\]|emerg\]|alert\]|crit\]|debug\])[a-z\d][\w@./-]{0,40}\] +|(?:[\w@.-]+/[\w@./-]+|\.) [a-z][\w:.-]*: "
)
"""What a runner writes before every line of what it runs: BuildKit ``#9 1.204 ``, Turborepo ``web:build: ``, Compose
``web-1  | ``, sbt and concurrently ``[error] ``, pnpm ``packages/api test: ``."""
_SHARED: Final = 3
"""So many lines begin alike when a runner wrote it."""


def _unlabelled(lines: list[str]) -> list[str]:
    """The lines without what a runner wrote before them."""
    found = [_RUNNER.match(line) for line in lines]
    counts = Counter(match[0].split(" ")[0] for match in found if match)
    often = {label for label, count in counts.items() if count >= _SHARED}
    if not often:
        return lines
    return [
        line[match.end() :] if match and match[0].split(" ")[0] in often else line
        for line, match in zip(lines, found, strict=True)
    ]


def lines_of(text: str) -> list[str]:
    """The lines of a cleaned text without blank ones; pytest's ``E`` column and a runner's labels are taken off, and a
    head that ends in a colon (``Error:``, ``panicked at src/main.rs:1:5:``) is joined to the message below it."""
    text = in_english(text)
    lines = [line.rstrip() for line in text.split("\n") if line.strip()]
    if "\nE  " in text:
        lines = [_COLUMN.sub("", line) for line in lines]
    lines = [line for line in _unlabelled(lines) if line.strip()]
    joined: list[str] = []
    open_head = False
    for line in lines:
        if open_head and len(joined[-1]) < MAX_LINE and not _NO_BODY.match(line):
            line = f"{joined.pop()} {line.strip()}"
        joined.append(line)
        open_head = (line[-1] in ":]" or "validation error" in line or len(line) < 16) and _HEAD.search(
            line[:MAX_LINE]
        ) is not None
    return joined
