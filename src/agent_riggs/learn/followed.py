"""Whether an agent did what a fix says, read off its next calls: advice that is not taken is no wrong advice."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from agent_riggs.deliver.recall import call_words
from agent_riggs.judge import tools
from agent_riggs.learn.fixes import Trace
from agent_riggs.learn.steps import Step, commands

_CODE: Final = re.compile(r"`([^`]+)`")
_WITHOUT: Final = re.compile(r"\b(?:without|instead of|rather than|not|never|avoid|drop)\s+(?:`([^`]+)`|(\S+))", re.I)
_EDGES: Final = ".,;:!?()[]{}\"'"


def is_plain(fix: str) -> bool:
    """Whether the calls alone can tell if it was followed: it names code, or what to leave out."""
    return bool(_CODE.search(fix) or _WITHOUT.search(fix))


def follows(fix: str, trace: Trace, failure: Step, later: Sequence[Step]) -> bool:
    """Whether one of the calls up to the failure's end does what the fix says.

    It does when mining would say the same of it in the same words; when it has a word of the fix that the failed call
    had not; or when the call that ended the failure leaves out what the fix says to leave out. ``later`` are the calls
    after the failure, in order.
    """
    if fix in trace.dead_ends or any(fix == change.text for change in trace.changes):
        return True
    failed = _words_of(failure)
    tried = [_words_of(step) for step in later[: trace.calls]]
    wanted, unwanted = _wanted(fix), _unwanted(fix) & failed
    if any(wanted & (words - failed) for words in tried):
        return True
    return bool(unwanted) and trace.recovered and not unwanted & tried[-1]


def _wanted(fix: str) -> frozenset[str]:
    """The words of the code in a fix; where it marks none, all its words."""
    code = _CODE.findall(fix)
    return _split(" ".join(code) if code else fix)


def _unwanted(fix: str) -> frozenset[str]:
    return _split(" ".join(code or word for code, word in _WITHOUT.findall(fix)))


def _split(text: str) -> frozenset[str]:
    return frozenset(word.strip(_EDGES) if not word.startswith(".") else word for word in text.lower().split()) - {""}


def _words_of(step: Step) -> frozenset[str]:
    """What a call can be recognized by: the words of its commands and the paths as written, or the tool and the
    arguments that are set."""
    if tools.is_shell(step.tool):
        paths = [word for word in step.command.split() if "/" in word]
        return frozenset(map(str.lower, [*paths, *(word for one in commands(step) for word in call_words(one))]))
    return frozenset(name.lower() for name in (step.tool, *(key for key, value in step.input.items() if value)))
