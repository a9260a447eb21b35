"""The lines of an output, put in order before anything is looked for in them."""

from __future__ import annotations

import re
from typing import Final

from agent_riggs.judge.localized import in_english
from agent_riggs.judge.mask import MAX_LINE

_COLUMN: Final = re.compile(r"^E\s{3,}")
_HEAD: Final = re.compile(
    r"(?i)(?:\berror|undefined|panicked|went wrong|exception|failed|failure|not found|cause|\wError|In procedure \S+)\b"
    r"(?!.* (?:line|column) \d+:\s*$).*:\s*$|^[^\w#]*(?:fatal )?error\W*$|\d+ validation errors? for \w+(?: \w+)?$"
)
_NO_BODY: Final = re.compile(
    r"^\s*(?:[-+|>\u2502\u256d\u2570\u250c\u2514=*#~^\u2717\u00d7]|at |\d+ \||\d+\) |rspec |File \"|Traceback)"
)


def lines_of(text: str) -> list[str]:
    """The lines of a cleaned text without blank ones; pytest's ``E`` column is taken off, and a head that ends in a
    colon (``Error:``, ``panicked at src/main.rs:1:5:``) is joined to the message below it."""
    text = in_english(text)
    lines = [line.rstrip() for line in text.split("\n") if line.strip()]
    if "\nE  " in text:
        lines = [_COLUMN.sub("", line) for line in lines]
    joined: list[str] = []
    open_head = False
    for line in lines:
        if open_head and len(joined[-1]) < MAX_LINE and not _NO_BODY.match(line):
            line = f"{joined.pop()} {line.strip()}"
        joined.append(line)
        open_head = (line[-1] == ":" or "validation error" in line or len(line) < 16) and _HEAD.search(
            line[:MAX_LINE]
        ) is not None
    return joined
