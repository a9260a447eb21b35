"""Events of each agent: who sent it, what failed, in which form the answer goes back."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_riggs.deliver import hosts
from deliver import events
from reading import SHARED

PAYLOADS = Path(__file__).parent / "payloads"
ENVIRON = {"copilot": {"COPILOT_CLI": "1"}, "gemini": {"GEMINI_SESSION_ID": "g"}}
"""What these two set for their hooks."""

ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=12), inner, max_size=5),
    max_leaves=15,
)


@pytest.mark.parametrize("source", sorted(events.FAILURES))
def test_the_host_is_known_by_the_form(source: str) -> None:
    payload = events.FAILURES[source]
    for environ in ({}, {"GEMINI_SESSION_ID": "g", "COPILOT_CLI": "1", "CLAUDE_CODE_SESSION_ID": "c"}):
        event = hosts.read(payload, environ)
        assert event is not None
        assert event.host == source, environ


@pytest.mark.parametrize(
    ("payload", "environ", "host"),
    [
        (events.copilot_pascal(), {}, "copilot"),
        ({"hook_event_name": "SessionEnd", "session_id": "s"}, {"GEMINI_SESSION_ID": "g"}, "gemini"),
        ({"hook_event_name": "SessionEnd", "session_id": "s"}, {"COPILOT_CLI": "1"}, "copilot"),
        ({"hook_event_name": "Stop", "transcript_path": "/h/sessions/rollout-1.jsonl"}, {}, "codex"),
        ({"hook_event_name": "Stop", "transcript_path": "C:\\h\\rollout-1.jsonl"}, {}, "codex"),
        (
            {"hook_event_name": "Stop", "transcript_path": "/h/.claude/projects/x/s.jsonl"},
            {"COPILOT_CLI": "1"},
            "claude_code",
        ),
        ({"hook_event_name": "Stop"}, {}, "claude_code"),
        ({"hook_event_name": "postToolUseFailure", "cursor_version": "1"}, {}, "cursor"),
    ],
)
def test_two_agents_with_one_form_are_told_apart(payload: events.Json, environ: dict[str, str], host: str) -> None:
    assert hosts.host_of(payload, environ) == host


def calls(payload: events.Json) -> list[tuple[str, str]]:
    event = hosts.read(payload, {})
    return [(call.tool, call.text) for call in event.calls] if event else []


def test_a_failure_of_claude_code_is_taken_and_an_interruption_is_not() -> None:
    assert calls(events.claude_failure()) == [("Bash", f"Exit code 1\n{events.ERROR}")]
    assert calls(events.claude_failure() | {"is_interrupt": True}) == []


def test_of_a_batch_only_what_the_harness_refused_is_taken() -> None:
    refused = "<tool_use_error>String to replace not found in file.</tool_use_error>"
    batch = events.claude_batch(
        ("Bash", {"command": "x"}, "Exit code 1\nno"), ("Edit", {"file_path": "a"}, refused), ("Bash", {}, "fine")
    )
    assert calls(batch) == [("Edit", refused)]
    blocks = events.claude_batch(("Edit", {}, ""))
    blocks["tool_calls"][0]["tool_response"] = [{"type": "text", "text": refused}]
    assert calls(blocks) == [("Edit", refused)]


def test_a_good_result_of_claude_code_is_of_no_use() -> None:
    assert hosts.read(events.claude("PostToolUse", tool_name="Bash", tool_response={"stdout": "x"}), {}) is None


def test_the_same_call_of_copilot_has_one_identity_in_both_spellings() -> None:
    one, other = (hosts.read(p, {}) for p in (events.copilot_result(), events.copilot_pascal()))
    assert one is not None
    assert other is not None
    assert one.calls[0].call_id == other.calls[0].call_id != ""


def test_an_error_of_gemini_says_its_message() -> None:
    event = hosts.read(events.gemini_result("soft", {"message": "hard", "type": "x"}), {})
    assert event is not None
    assert event.calls[0].text == "hard"
    assert event.calls[0].error


def test_opencode_tells_of_failed_commands_and_unknown_tools_only() -> None:
    assert calls(events.opencode_result(2)) == [("bash", events.ERROR)]
    assert calls(events.opencode_result(None)) == []
    unknown = events.opencode_result(None) | {"tool_name": "invalid", "tool_input": {"tool": "nope"}}
    assert calls(unknown) == [("nope", events.ERROR)]


@pytest.mark.parametrize(
    ("records", "code"),
    [
        ('{"item":{"id":"call_0001","exit_code":3},"type":"item_completed"}\n', 3),
        ('{"item":{"id":"call_0001","exit_code": -1 },"type":"item_completed"}\n', -1),
        ('{"item":{"id":"call_0001","exit_code":null},"type":"item_completed"}\n', None),
        ('{"item":{"id":"call_0002","exit_code":3},"type":"item_completed"}\n', None),
        ('{"item":{"id":"call_0001","exit_code":3},"type":"item_started"}\n', None),
        ('{"item":{"id":"call_0001","exit_co', None),
        ("", None),
    ],
)
def test_the_exit_code_of_a_codex_command_stands_in_its_transcript(
    tmp_path: Path, records: str, code: int | None
) -> None:
    path = tmp_path / "rollout-1.jsonl"
    path.write_text(records, encoding="utf-8")
    assert hosts.exit_code_in(str(path), "call_0001") == code


def test_a_rollout_that_cannot_be_read_gives_no_exit_code(tmp_path: Path) -> None:
    assert hosts.exit_code_in(str(tmp_path / "none.jsonl"), "call_0001") is None
    assert hosts.exit_code_in("/dev/zero", "call_0001") is None
    assert hosts.exit_code_in("a\0b.jsonl", "call_0001") is None


def test_what_the_host_calls_a_success_is_not_judged(tmp_path: Path) -> None:
    def well(payload: events.Json) -> bool:
        event = hosts.read(payload, {})
        assert event is not None
        return hosts.went_well(event, event.calls[0])

    good, bad = (str(events.rollout(tmp_path / f"rollout-{code}.jsonl", code=code)) for code in (0, 1))
    assert well(events.codex_result(transcript_path=good))
    assert not well(events.codex_result(transcript_path=bad))
    assert not well(events.codex_result())
    assert well(events.copilot_result(0))
    assert not well(events.copilot_result(1))
    assert well(events.copilot_result(1, toolName="view"))
    assert well(events.gemini_result("<untrusted_context>\nOutput: fine\nProcess Group PGID: 7\n</untrusted_context>"))
    assert not well(events.gemini_result())
    assert not well(events.gemini_result("Command timed out after 5 minutes. Output: x"))
    assert not well(events.gemini_result(error={"message": "no"}, tool="read_file"))
    assert not well(events.claude_failure())
    assert not well(events.opencode_result())


def test_only_what_a_host_accepts_is_in_its_answer() -> None:
    def keys(payload: events.Json) -> set[str]:
        event = hosts.read(payload, {})
        assert event is not None
        return set(hosts.encode(event, "text"))

    assert keys(events.claude_failure()) == {"hookSpecificOutput"}
    assert keys(events.codex_result()) == {"hookSpecificOutput"}
    assert keys(events.copilot_result()) == {"additionalContext"}
    assert keys(events.opencode_result()) == {"additionalContext"}
    assert keys(events.gemini_result()) == {"hookSpecificOutput"}
    assert keys(events.gemini_result(error={"message": "m"})) == {"decision", "reason"}


def test_an_error_of_gemini_keeps_its_text_before_the_advice() -> None:
    event = hosts.read(events.gemini_result(error={"message": "not found"}), {})
    assert event is not None
    assert hosts.encode(event, "advice")["reason"] == "not found\n<hook_context>advice</hook_context>"


@given(ANY_JSON)
def test_any_json_is_read_without_an_error(value: Any) -> None:
    hosts.read(value, {})


@pytest.mark.parametrize(
    "value", [float("inf"), float("-inf"), float("nan"), 1e300, 10**400, "2026-01-01T\u00b2\u00b2:34:56"]
)
@pytest.mark.parametrize("source", sorted(events.FAILURES))
def test_a_time_that_is_none_is_no_identity(source: str, value: object) -> None:
    event = hosts.read(dict(events.FAILURES[source]) | {"timestamp": value}, {})
    assert event is not None
    assert not any(call.call_id.startswith("at-") for call in event.calls)


@given(st.sampled_from(sorted(events.FAILURES)), st.data())
def test_a_payload_with_any_values_is_read_without_an_error(source: str, data: st.DataObject) -> None:
    payload = dict(events.FAILURES[source])
    for name in data.draw(st.sets(st.sampled_from(sorted(payload)))):
        payload[name] = data.draw(ANY_JSON)
    event = hosts.read(payload, {})
    if event is not None and event.calls:
        json.dumps(hosts.encode(event, "x"))


def test_captured_payloads_are_read_where_they_are_at_hand() -> None:
    found = sorted((SHARED / "captures").glob("*-hooks.jsonl"))
    for path in found:
        source = {"claude": "claude_code"}.get(path.name.partition("-")[0], path.name.partition("-")[0])
        read = [hosts.read(line["in"], ENVIRON.get(source, {})) for line in events.lines(path)]
        assert {event.host for event in read if event} == {source}, path.name
        assert any(event.moment == hosts.AFTER for event in read if event)


@pytest.mark.parametrize("name", [None, True, 3, [], {"a": 1}])
@pytest.mark.parametrize("payload", [events.claude("x", source="startup"), events.copilot_result()])
def test_an_event_whose_name_is_no_text_is_no_event(payload: events.Json, name: object) -> None:
    assert hosts.read(payload | {"hook_event_name": name}, {}) is None
