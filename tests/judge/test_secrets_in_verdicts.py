"""No part of a verdict holds a secret, also where only a neighboring line tells that it is one."""

from __future__ import annotations

import pytest

from agent_riggs.judge import judge
from judge.calls import bash, tool
from judge.secret_kinds import ANY, STRONG, VALUE

FRAMES = [
    "{}",
    "frob: fatal: it broke\n{}",
    "{}\nmake: *** [x] Error 2",
    'Traceback (most recent call last):\n  File "x.py", line 1, in <module>\nValueError: {}',
    "failed: the rest is this\n{}\n\n\nDone.",
]


@pytest.mark.parametrize("frame", FRAMES)
def test_no_verdict_holds_a_secret(frame: str) -> None:
    for name, kind in {**ANY, **STRONG}.items():
        text = kind.format(VALUE)
        output = frame.format(text)
        calls = [bash("make", output, 2), tool("mcp__x__y", output), tool("Read", output), bash(text, output, 2)]
        for verdict in map(judge, calls):
            assert VALUE not in repr(verdict), name


def test_a_value_beside_its_name_has_one_key_whatever_it_is() -> None:
    outputs = [f"env:\n- name: DB_PASSWORD\n  value: {value}\n" for value in ("Zq7vX9kP2mWr4Tb", "zebrahunter")]
    first, second = (judge(tool("mcp__x__y", output)) for output in outputs)
    assert first.fingerprint == second.fingerprint
    assert first.shape is not None
    assert "redacted" in first.shape


def test_a_denial_by_a_hook_names_no_secret() -> None:
    told = "PreToolUse:Bash hook error: [check]: do not set PASSWORD=zebrahunter here"
    assert "zebrahunter" not in repr(judge(bash("make", told, None)))
