"""The three averages of trust, each with what it follows and where it is going."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from agent_riggs.store.rows import Trust


def in_words(found: Trust) -> tuple[str, str, str]:
    """A line for each of now, session and baseline."""
    from agent_riggs.report.status import direction

    now, session = direction(found.now, found.session), direction(found.session, found.baseline)
    return (
        f"{found.now:.2f}  {now:7}  the last few calls, against the session",
        f"{found.session:.2f}  {session:7}  the last dozens, against the baseline",
        f"{found.baseline:.2f}           the last hundred and more",
    )
