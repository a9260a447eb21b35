"""The trigger: how the failed commands begin, for ratchets that speak before the call."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from agent_riggs.judge.mask import mask
from agent_riggs.learn.fixes import Trace

MAX_WORDS: Final = 4


def trigger_of(traces: Sequence[Trace]) -> tuple[str, ...]:
    """The words with which the failed commands of at least two root sessions all begin; empty when there are none.

    Only words that hold on any machine: the first path, number or text ends it.
    """
    found = [trace.words for trace in traces if trace.words and not trace.outage]
    if len({trace.root for trace in traces if trace.words}) < 2:
        return ()
    common: list[str] = []
    for column in zip(*found, strict=False):
        word = column[0]
        if len(set(column)) > 1 or len(common) == MAX_WORDS or " " in word or mask(word) != word:
            break
        common.append(word)
    return tuple(common) if len(common) > 1 else ()
