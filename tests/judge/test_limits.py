"""Odd and huge inputs: judged in time, without an error."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agent_riggs.judge import judge
from agent_riggs.model import ToolResult
from judge.calls import bash, call, tool

HUGE = [
    "A",
    "a.",
    "/a",
    "error: ",
    "'",
    "1:",
    " ",
    "C:\\",
    ": ",
    "\x1b[",
    "x failed\n",
    "a.c:1:1: error: x\n",
    "Exit Code: 1\n",
]


@pytest.mark.parametrize("piece", HUGE)
def test_huge_texts_are_judged_in_time(piece: str) -> None:
    started = time.process_time()
    assert judge(bash("make", piece * (262_144 // len(piece)), 2)).fingerprint
    assert time.process_time() - started < 1.5


@settings(max_examples=150)
@given(
    st.text(max_size=300),
    st.text(max_size=80),
    st.sampled_from(["claude_code", "codex", "gemini", "copilot", "opencode", "other"]),
)
def test_any_text_is_judged(text: str, command: str, agent: str) -> None:
    verdict = judge(call("Bash", {"command": command}, ToolResult(text, flag=True), agent))
    assert verdict == judge(call("Bash", {"command": command}, ToolResult(text, flag=True), agent))
    assert verdict.outcome
    assert judge(call("Edit", {}, ToolResult(text, flag=True), agent)).outcome


def test_a_lone_surrogate_is_no_error() -> None:
    assert judge(tool("Read", "bad \ud800 text")).fingerprint
    assert judge(bash("frob \ud800", "frob: bad \ud800 text")).fingerprint


def test_the_error_is_found_at_either_end_of_a_long_text() -> None:
    noise = "\n".join(f"line {number} of the log" for number in range(4000))
    key = judge(bash("frob", "frob: fatal error: disk is upside down")).fingerprint
    assert judge(bash("frob", f"frob: fatal error: disk is upside down\n{noise}")).fingerprint == key
    assert judge(bash("frob", f"{noise}\nfrob: fatal error: disk is upside down")).fingerprint == key
