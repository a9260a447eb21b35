"""Rows of ``turns`` for tests: every column has a plausible value, override what the test is about."""

from __future__ import annotations

from typing import Any

from agent_riggs.judge import RULES_VERSION
from agent_riggs.store.ids import stable_id
from agent_riggs.store.turns import NAMES, TurnRow

SECOND = 1_000_000
START = 1_790_000_000 * SECOND

DEFAULTS: dict[str, Any] = {
    "session_id": "s1",
    "project": "shop",
    "tool_name": "Bash",
    "tool_success": True,
    "mode": None,
    "metadata": '{"input":{"command":"true"}}',
    "source": "claude_code",
    "outcome": "ok",
    "rule": "plain",
    "agent": "claude_code",
    "specific": False,
    "provenance": "transcript",
    "transcript_id": 1,
    "rules_version": RULES_VERSION,
}


def turn(number: int, **changes: Any) -> TurnRow:
    """Call ``number`` of a session, one second after the one before it."""
    values: dict[str, Any] = dict.fromkeys(NAMES) | DEFAULTS
    session = changes.get("session_id", "s1")
    values |= {"call_id": f"{session}-{number}", "timestamp": START + number * SECOND, "position": number}
    values |= changes
    values["turn_id"] = changes.get("turn_id", stable_id(values["agent"], values["call_id"]))
    if "outcome" in changes and "tool_success" not in changes:
        values["tool_success"] = {
            "ok": True,
            "benign": True,
            "failed": False,
            "check_failed": False,
            "denied": False,
        }.get(values["outcome"])
    return TurnRow(**values)


def failed(number: int, **changes: Any) -> TurnRow:
    """A failed call with a fingerprint."""
    defaults = {
        "outcome": "failed",
        "category": "failure",
        "failure_class": "command_not_found",
        "program": "frob",
        "shape": "frob: command not found",
        "fingerprint": "f0123456789abcdef",
        "specific": True,
    }
    return turn(number, **(defaults | changes))
