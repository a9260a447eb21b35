"""Words a failure cannot do without: they must never turn a failure of the same key away."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace

import pytest

from agent_riggs.deliver import glance, hook, hosts, recall
from agent_riggs.judge import judge
from agent_riggs.learn.needles import needle_of
from agent_riggs.model import ToolCall
from deliver import events
from families.corpus import load
from families.recordings import claude_code


def failed(command: str, text: str) -> ToolCall:
    event = hosts.read(events.claude_failure(command, text), {})
    assert event is not None
    return hook.to_tool_call(event, event.calls[0])


def words(*calls: ToolCall) -> list[str]:
    return needle_of(calls, judge(calls[0]).fingerprint or "").split()


def test_words_of_the_output_that_stand_in_the_shape() -> None:
    assert words(failed("acme-tool fetch", "acme-tool: error: cannot reach the package mirror")) == [
        "package",
        "cannot",
    ]


def test_words_that_only_some_of_them_hold_do_not_count() -> None:
    one, other = failed("zzz x", "zsh: command not found: zzz"), failed("zzz x", "sh: 1: zzz: not found")
    assert judge(one).fingerprint == judge(other).fingerprint
    assert words(one, other) == ["zzz"]


def test_words_the_rules_put_there_do_not_count() -> None:
    assert "command" not in words(failed("zzz x", "sh: 1: zzz: not found"))


def test_a_text_that_is_cut_and_gives_another_key_has_none() -> None:
    whole = failed("acme-tool fetch", "acme-tool: error: cannot reach the package mirror")
    cut = replace(whole, result=replace(whole.result, text="Exit code 1"))  # type: ignore[type-var]
    assert needle_of([cut], judge(whole).fingerprint or "") == ""
    assert needle_of([], "f0") == ""


@pytest.mark.parametrize("known_by", ["itself", "another"])
def test_no_failure_of_a_family_is_turned_away(known_by: str) -> None:
    found = defaultdict(list)
    for case in load():
        for shot in case.shots:
            call = claude_code(shot)
            verdict = judge(call)
            if verdict.category is not None:
                found[verdict.fingerprint].append((verdict, call))
    named = 0
    for fingerprint, group in found.items():
        learnt = group[:1] if known_by == "another" else group
        needle = needle_of([call for _, call in learnt], fingerprint or "")
        named += bool(needle)
        ratchet = recall.Ratchet(key="k", type="t", fix="x", tool="Bash", fingerprint=fingerprint, needle=needle)
        line = recall._line("p", ratchet).encode()
        for _, call in group:
            payload = events.claude_failure(call.input["command"], call.result.text)  # type: ignore[union-attr]
            event = hosts.read(payload, {})
            assert event is not None
            assert glance.may_speak(line, "Bash", False, event.calls[0].said()), (needle, payload)
    assert named > 100
