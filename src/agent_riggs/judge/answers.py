"""Tools that report how their work ended inside a JSON answer, while the call itself counts as a success.

Measured on jetsam-mcp 1.2.1 (``confirm``: ``status`` partial or failed, ``is_error`` false) and read in blq-cli 1.2.2
(``run``, ``exec``: ``status`` FAIL, ``exit_code``) and lackpy 0.15.1 (``delegate``: ``success``). Only tools known to
do something are believed: one that lists runs or issues tells of failures that are not its own.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from agent_riggs.calls import Outcome

_DOERS: Final[Mapping[tuple[str, str], Outcome]] = {
    ("jetsam", "confirm"): "failed",
    ("lackpy", "delegate"): "failed",
    ("blq", "run"): "check_failed",
    ("blq", "exec"): "check_failed",
}
_BAD: Final = frozenset({"failed", "fail", "partial", "error", "timeout"})
_PREAMBLE: Final = 200
_LONGEST: Final = 262_144
_WORDS: Final = ("error", "message", "reason", "preview", "tail", "output")
_MOST: Final = 40


@dataclass(frozen=True, slots=True)
class Answer:
    """A failure told in an answer: what it makes of the call, and the words about it."""

    outcome: Outcome
    text: str


def failure(tool: str, text: str) -> Answer | None:
    """The failure that the answer of a canonical MCP tool tells of, if any."""
    server, _, name = tool.removeprefix("mcp__").rpartition("__")
    outcome = _DOERS.get((server, name))
    begin = text.find("{", 0, _PREAMBLE)
    if outcome is None or begin < 0 or len(text) > _LONGEST:
        return None
    try:
        told, _ = json.JSONDecoder().raw_decode(text, begin)
    except (ValueError, RecursionError):
        return None
    if not isinstance(told, dict) or not _failed(told):
        return None
    words = list(_words(told, 3))[:_MOST]
    return Answer(outcome, "\n".join(words) or f"status: {told.get('status', 'failed')}")


def _failed(told: Mapping[str, Any]) -> bool:
    status, code = told.get("status"), told.get("exit_code")
    if isinstance(status, str) and status.lower() in _BAD:
        return True
    if isinstance(code, int) and not isinstance(code, bool) and code != 0:
        return True
    return told.get("success") is False or (bool(told.get("error")) and status is None)


def _words(told: object, depth: int) -> Iterator[str]:
    """The texts about the failure: of the steps that failed first, then of the whole."""
    if isinstance(told, list):
        for item in told:
            yield from _words(item, depth)
    elif isinstance(told, dict) and depth:
        for name in ("results", "steps", "errors", "result"):
            inner = told.get(name)
            steps = inner if isinstance(inner, list) else [inner]
            yield from _words([s for s in steps if not (isinstance(s, dict) and s.get("ok") is True)], depth - 1)
        for name in _WORDS:
            value = told.get(name)
            if isinstance(value, str) and value.strip():
                yield value.strip()
            elif isinstance(value, dict | list):
                yield from _words(value, depth - 1)
