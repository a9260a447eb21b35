"""One difference between a failure and its recovery, in words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

Kind = Literal["call", "enabler", "goal", "step", "again", "vague"]
"""``call``: the call itself was made differently. ``enabler``: a step that acts on what the failure names came first;
``goal``: what such a step does, where many commands do it. ``step``: another step came first. ``again``: the same
call, nothing changed that we can see. ``vague``: it differs, in a way that is no advice."""

MAX_TEXT: Final = 200


@dataclass(frozen=True, slots=True)
class Change:
    """One difference: equal texts of different sessions are one change."""

    kind: Kind
    text: str


AGAIN: Final = Change("again", "the same call again, unchanged")
OTHER: Final = Change("vague", "the same call with other arguments")


def called(text: str) -> Change:
    """The call made differently."""
    return Change("call", text[:MAX_TEXT])
