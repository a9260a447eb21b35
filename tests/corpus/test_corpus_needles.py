"""Real sessions: no failure is turned away by the words learnt from another failure of its key."""

from __future__ import annotations

from collections import defaultdict

import pytest

from agent_riggs.deliver import glance, hosts, recall
from agent_riggs.judge import judge
from agent_riggs.learn.needles import needle_of
from corpus.test_claude_corpus import CORPUS, NOW
from deliver import events
from learn.one_key import calls_of, transcripts_under

pytestmark = [pytest.mark.corpus]


def test_no_failure_is_turned_away() -> None:
    found = defaultdict(list)
    for call in calls_of(transcripts_under(CORPUS / "claude-home"), NOW):
        verdict = judge(call)
        if verdict.category is not None and call.result is not None:
            found[verdict.fingerprint].append(call)
    looked = 0
    for fingerprint, group in found.items():
        needle = needle_of(group[:1], fingerprint or "") or glance.NO_NEEDLE.decode()
        tool = judge(group[0]).tool
        ratchet = recall.Ratchet(key="k", type="t", fix="x", tool=tool, fingerprint=fingerprint, needle=needle)
        line = recall._line("p", ratchet).encode()
        for call in group:
            event = hosts.read(events.as_claude_event(call), {})
            assert event is not None
            assert glance.may_speak(line, call.tool, False, event.calls[0].said()), (needle, call.input)
            looked += 1
    assert looked > 600
