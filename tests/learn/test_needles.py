"""Words a failure cannot do without: they must never turn a failure of the same key away."""

from __future__ import annotations

import json
from collections import defaultdict
from dataclasses import replace
from pathlib import Path

import pytest

from agent_riggs.deliver import glance, hook, hosts, recall
from agent_riggs.judge import judge
from agent_riggs.learn.needles import needle_of, with_needles
from agent_riggs.model import ToolCall
from agent_riggs.store import open_write
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


def test_words_are_looked_for_once_and_stay(tmp_path: Path) -> None:
    call = failed("acme-tool fetch", "acme-tool: error: cannot reach the package mirror")
    verdict = judge(call)
    one = recall.Ratchet(key="k", type="t", fix="x", tool="Bash", fingerprint=verdict.fingerprint)
    silent = replace(one, key="s", fingerprint="f" + "1" * 16)
    with open_write(tmp_path / ".riggs" / "store.duckdb") as store:
        store.conn.execute(
            "INSERT INTO turns (turn_id, agent, tool_name, metadata, fingerprint, excerpt, exit_code) VALUES "
            "(1, 'claude_code', 'Bash', ?, ?, ?, 1), (2, 'claude_code', 'Bash', '{}', ?, 'x', 1)",
            [json.dumps({"input": dict(call.input)}), verdict.fingerprint, verdict.excerpt, silent.fingerprint],
        )
        found = with_needles([one, silent], [], store.conn)
    assert [ratchet.needle for ratchet in found] == ["package cannot", "*"]
    assert with_needles([one, silent], found, None) == found
    assert [ratchet.needle for ratchet in with_needles([one], [], None)] == [""]


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
