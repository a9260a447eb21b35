"""The judge: from a call and its result to outcome, class, program, shape and key. Pure: no I/O, no clock.

``judge`` is the one path for ingest and for the hook; a key computed in another way would match nothing. The names
below are loaded on first use: most commands read verdicts that are stored and judge nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from agent_riggs.judge.digests import digest
    from agent_riggs.judge.tools import canonical, command_of
    from agent_riggs.judge.verdict import judge

RULES_VERSION: Final = 2
"""Number of the rules behind outcome, class, shape and key; stored with each row."""

_HOMES: Final = {"canonical": "tools", "command_of": "tools", "digest": "digests", "judge": "verdict"}

__all__ = ["RULES_VERSION", "canonical", "command_of", "digest", "judge"]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(name)
    from importlib import import_module

    return getattr(import_module(f"agent_riggs.judge.{_HOMES[name]}"), name)
