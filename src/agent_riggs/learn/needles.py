"""Words a failure cannot do without: what lets the hook turn an output away without judging it.

A word qualifies when it went from the call into the shape: put another in its place there, judge again, and the same
other word stands in the shape. Whatever has that shape then holds the word, in its output or in what it was asked.
Words that the rules themselves put into a shape ("command not found") fail that test.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any, Final

from agent_riggs.deliver.glance import NO_NEEDLE
from agent_riggs.deliver.recall import Ratchet
from agent_riggs.judge import judge
from agent_riggs.model import ToolCall, ToolResult, Verdict
from agent_riggs.store.deliveries import Failed, failures
from agent_riggs.store.verdicts import Connection

MAX_NEW: Final = 50
"""Ratchets looked at in one publication: each costs a few milliseconds."""
MAX_TRIED: Final = 8
"""Words of a shape that are tried, the longest first."""
_PLACEHOLDER: Final = re.compile(r"<\w+>|\[redacted(?::\w+)?\]")
_WORD: Final = re.compile(r"[A-Za-z]{3,40}")
_OTHER: Final = "qzkwvjx"


def with_needles(ratchets: Sequence[Ratchet], published: Sequence[Ratchet], conn: Connection | None) -> list[Ratchet]:
    """The ratchets with the words found for them: those of an earlier index stay, new ones are looked for in the
    store, ``MAX_NEW`` at a time, once each."""
    known = {one.fingerprint: one.needle for one in published if one.needle}
    left = MAX_NEW
    found = []
    for one in ratchets:
        needle = known.get(one.fingerprint, "")
        if not needle and one.fingerprint and conn is not None and left:
            left -= 1
            calls = [_call(row) for row in failures(conn, one.fingerprint)]
            needle = needle_of(calls, one.fingerprint) or (NO_NEEDLE.decode() if calls else "")
        found.append(replace(one, needle=needle))
    return found


def _call(row: Failed) -> ToolCall:
    result = ToolResult(row.excerpt, flag=True, exit_code=row.exit_code)
    return ToolCall(row.agent, "", "", row.tool, json.loads(row.input), result=result)


def needle_of(calls: Sequence[ToolCall], fingerprint: str) -> str:
    """The two longest such words of these failures, space separated; empty when there is none, or when one of them,
    told as it is here, has another fingerprint (a text cut short).

    Two, because rules may give one shape to two wordings: an output that holds neither is turned away."""
    verdict: Verdict | None = None
    for call in calls:
        verdict = judge(call)
        if verdict.fingerprint != fingerprint:
            return ""
    if verdict is None:
        return ""
    found = verdict
    tried = dict.fromkeys([*_words(verdict.shape)[:MAX_TRIED], *_words(verdict.program)])
    copied = (word for word in tried if all(_copied(call, found, word) for call in calls))
    return " ".join(islice(copied, 2))


def _words(text: str | None) -> list[str]:
    """The words of a shape or program, the longest first."""
    return sorted(set(_WORD.findall(_PLACEHOLDER.sub(" ", text or ""))), key=lambda word: (-len(word), word))


def _copied(call: ToolCall, found: Verdict, word: str) -> bool:
    other = "".join(_OTHER[place % len(_OTHER)] for place in range(len(word)))
    other = other.upper() if word.isupper() else other.capitalize() if word[0].isupper() else other
    result = call.result or ToolResult("")
    changed = replace(
        call, input=_replaced(call.input, word, other), result=replace(result, text=result.text.replace(word, other))
    )
    after = judge(changed)
    if after.failure_class != found.failure_class:
        return False
    pairs = ((found.shape, after.shape), (found.program, after.program))
    return all((before or "").replace(word, other) == (now or "") for before, now in pairs)


def _replaced(value: Any, word: str, other: str) -> Any:
    if isinstance(value, str):
        return value.replace(word, other)
    if isinstance(value, Mapping):
        return {name: _replaced(item, word, other) for name, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_replaced(item, word, other) for item in value]
    return value
