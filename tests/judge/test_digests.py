"""Digests: what may be stored of the arguments, and that judging does not depend on it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from agent_riggs.judge import digest, judge
from agent_riggs.model import ToolCall, ToolResult

TOOLS = ("Bash", "shell", "Edit", "Write", "Read", "apply_patch", "mcp__a__b", "run_shell_command")
WORDS = st.sampled_from(
    [
        "git",
        "push",
        "&&",
        "|",
        "tail -5",
        "FOO=bar",
        "--token",
        "abc",
        "'",
        '"',
        "$(",
        ")",
        "password=hunter2secret",
        "cd /w",
        ";",
    ]
)
COMMANDS = st.one_of(
    st.lists(WORDS, max_size=30).map(" ".join), st.text(max_size=200), st.text(max_size=60).map(lambda t: t * 100)
)
VALUES: Any = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(),
        st.floats(allow_nan=False),
        st.text(max_size=60),
        st.text(max_size=30).map(lambda t: t * 40),
    ),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(st.text(max_size=12), inner, max_size=4)),
    max_leaves=12,
)
INPUTS = st.dictionaries(
    st.sampled_from(["command", "cmd", "file_path", "old_string", "new_string", "content", "input", "x", "api_key"]),
    VALUES,
    max_size=6,
)


@given(st.sampled_from(TOOLS), INPUTS)
def test_digest_is_idempotent(tool: str, given_input: dict[str, Any]) -> None:
    once = digest(tool, given_input)
    assert digest(tool, once) == once


@given(
    COMMANDS,
    st.sampled_from(["", "error: broken", "FAILED a.py::test_b", "bash: git: command not found"]),
    st.sampled_from([0, 1, 2, 127, 137]),
)
def test_digested_call_is_judged_alike(command: str, output: str, code: int) -> None:
    result = ToolResult(f"Exit code {code}\n{output}", flag=True) if code else ToolResult(output)
    call = ToolCall("claude_code", "s", "c", "Bash", {"command": command}, result=result)
    assert judge(replace(call, input=digest("Bash", call.input))) == judge(call)


def test_bodies_are_dropped_to_their_length() -> None:
    stored = digest("Edit", {"file_path": "/w/a.py", "old_string": "x" * 10, "new_string": "secret body"})
    assert stored == {"file_path": "/w/a.py", "old_string": "<10 characters>", "new_string": "<11 characters>"}


def test_patch_leaves_its_files() -> None:
    patch = "*** Begin Patch\n*** Update File: src/a.py\n@@\n-x\n+y\n*** Add File: b.py\n+z\n*** End Patch"
    assert digest("apply_patch", {"input": patch}) == {
        "input": f"<{len(patch)} characters>",
        "files": ["src/a.py", "b.py"],
    }


def test_strings_are_cut() -> None:
    stored = digest("Bash", {"command": "x " * 9000, "description": "y" * 9000})
    assert len(stored["command"]) <= 4000
    assert len(stored["description"]) <= 400


def test_secrets_are_gone() -> None:
    stored = str(digest("Bash", {"command": "curl -H 'Authorization: Bearer abcdefghijklmnop1234567890' x"}))
    assert "abcdefghijklmnop1234567890" not in stored
