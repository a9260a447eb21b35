"""The judge's rules in plain words, for ``explain``."""

from __future__ import annotations

from typing import Final

WORDS: Final[dict[str, str]] = {
    "no_result": "the transcript holds no result for this call yet",
    "warm_up": "a cache warm-up, not a real call",
    "sibling_failed": "it never ran: another call of the same step failed or was refused first",
    "user_rejected": "the human said no",
    "user_interrupted": "the human stopped it",
    "refused": "a permission rule, a hook or a sandbox refused it",
    "background_failed": "it went on in the background, and the later notice says that it failed",
    "still_running": "it went on in the background, and no notice has come yet",
    "timed_out": "it ran longer than it was allowed to",
    "agent_interpreted": "the agent itself explains the exit code as an answer, not a failure",
    "timeout_asked_for": "the line asked for the time limit that ended it",
    "own_kill": "the line itself ended the process",
    "pipe_closed": "the reader of the pipe had seen enough",
    "probe_answer": "the exit code of such a program is an answer: nothing found, or different",
    "check_reported": "a test, lint, type or build command ran and reported problems",
    "exit_code": "it ended with an exit code that means failure",
    "error_flag": "the agent flagged the result as an error",
    "no_exit_code": "this agent records neither an exit code nor a flag for such a call",
    "hidden_failure": "it counts as done, but the last program's own summary says that it failed",
    "unverified": "the line swallows the exit code: whether it worked is not known, and trust does not grow",
    "success": "it finished, and nothing says otherwise",
}
"""Sentence by rule name."""


def in_words(rule: str | None) -> str:
    """What a rule says; for a rule of a later release its name made readable."""
    return WORDS.get(rule or "", (rule or "").replace("_", " "))
