"""The Copilot source: permissions, modes, commands left running, both layouts."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import reading
from agent_riggs.model import Head, ReadEnd, Transcript
from agent_riggs.sources import copilot
from agent_riggs.sources.check import check_source

HOME = reading.PAIRS / "copilot"
CASES = sorted(HOME.rglob("*.jsonl"))


def event(kind: str, second: int = 0, **data: Any) -> dict[str, Any]:
    return {"type": kind, "data": data, "timestamp": f"2026-05-04T09:00:{second:02d}Z"}


def start(**more: Any) -> dict[str, Any]:
    return event("session.start", sessionId="s-1", copilotVersion="1.0.9", context={"cwd": "/srv/shop"}, **more)


def session(home: Path, *records: object, name: str = "s-1/events.jsonl") -> Path:
    return reading.write_lines(home / ".copilot/session-state" / name, records)


def found(home: Path, **environ: str) -> list[Transcript]:
    return [t for t in copilot.find(environ, home) if isinstance(t, Transcript)]


@pytest.mark.parametrize("case", CASES, ids=lambda p: p.stem)
def test_file_pairs(case: Path) -> None:
    expected = json.loads(case.with_name(case.stem + ".expected.json").read_text())
    assert reading.summary(reading.read(copilot, case)) == expected


def test_it_holds_to_the_rules_of_a_source(tmp_path: Path) -> None:
    shutil.copytree(HOME, tmp_path / ".copilot", ignore=shutil.ignore_patterns("*.expected.json"))
    assert len(check_source(copilot, {}, tmp_path)) == len(CASES)


def test_the_old_layout_counts_unless_the_new_one_is_there(tmp_path: Path) -> None:
    session(tmp_path, start(), name="s-1.jsonl")
    session(tmp_path, {"x": 1}, name="s-1/checkpoints/notes.jsonl")
    assert [t.path.name for t in found(tmp_path)] == ["s-1.jsonl"]
    session(tmp_path, start())
    assert [t.path.name for t in found(tmp_path)] == ["events.jsonl"]


def test_homes_follow_the_variable(tmp_path: Path) -> None:
    session(tmp_path / "other", start())
    assert found(tmp_path) == []
    assert len(found(tmp_path, COPILOT_HOME=str(tmp_path / "other/.copilot"))) == 1


def test_whose_session_it_is(tmp_path: Path) -> None:
    session(tmp_path, event("session.info"), "damage", start(selectedModel="m"))
    assert [copilot.peek(t) for t in found(tmp_path)] == [Head("s-1", "/srv/shop", 1777885200000000)]


def test_the_folder_names_a_session_that_does_not_name_itself(tmp_path: Path) -> None:
    path = session(tmp_path, event("tool.execution_start", toolCallId="7", toolName="ls"), name="s-9/events.jsonl")
    (call,) = reading.read(copilot, path).calls.values()
    assert (call.session_id, call.call_id) == ("s-9", "s-9/7")


@pytest.mark.parametrize(
    ("kind", "status"),
    [
        ("approved", "error"),
        ("approved-for-session", "error"),
        ("denied-interactively-by-user", "rejected"),
        ("denied-by-rules", "denied"),
        ("denied-no-approval-rule-and-could-not-request-from-user", "denied"),
        ("denied-by-content-exclusion-policy", "denied"),
        ("denied-by-permission-request-hook", "denied"),
        ("", "error"),
    ],
)
def test_answers_to_a_permission(tmp_path: Path, kind: str, status: str) -> None:
    records = [
        start(),
        event("tool.execution_start", toolCallId="call_aaaaaaaa", toolName="bash"),
        event("permission.completed", toolCallId="call_aaaaaaaa", result={"kind": kind}),
        event("tool.execution_complete", toolCallId="call_aaaaaaaa", success=False, error={"message": "no"}),
    ]
    (call,) = reading.read(copilot, session(tmp_path, *records)).calls.values()
    assert call.result is not None
    assert call.result.status == status


@pytest.mark.parametrize(
    ("records", "mode"),
    [
        ([], None),
        ([event("session.mode_changed", newMode="autopilot")], "autopilot"),
        ([event("user.message", agentMode="plan")], "plan"),
        ([event("user.message", agentMode="shell")], None),
        ([event("session.permissions_changed", allowAllPermissions=True)], "allow-all"),
        (
            [
                event("session.mode_changed", newMode="interactive"),
                event("session.permissions_changed", allowAllPermissions=True),
            ],
            "interactive/allow-all",
        ),
        (
            [
                event("session.permissions_changed", allowAllPermissions=True),
                event("session.permissions_changed", allowAllPermissions=False),
            ],
            None,
        ),
    ],
)
def test_mode(tmp_path: Path, records: list[Any], mode: str | None) -> None:
    path = session(tmp_path, start(), *records, event("tool.execution_start", toolCallId="1", toolName="ls"))
    (call,) = reading.read(copilot, path).calls.values()
    assert (call.mode, call.mode_source) == (mode, "recorded" if mode else None)


def call(key: str, tool: str, text: str, code: int | None = None, **given: Any) -> list[dict[str, Any]]:
    shell = {} if code is None else {"shellExecution": {"exitCode": code}}
    result = {"success": True, "result": {"content": text}}
    return [
        event("tool.execution_start", toolCallId=key, toolName=tool, arguments=given),
        event("tool.execution_complete", toolCallId=key, **shell, **result),
    ]


@pytest.mark.parametrize(
    "left",
    [
        "<command started in background with shellId: s1>",
        "<command started in detached background with shellId: s1>",
        "<command with shellId: s1 is still running after 30 seconds. You will be notified.>",
    ],
)
@pytest.mark.parametrize("structured", [True, False])
def test_a_code_told_to_a_question_belongs_to_the_command_left_running(
    tmp_path: Path, left: str, structured: bool
) -> None:
    asked = call(
        "call_readbash1", "read_bash", "late\n<shellId: s1 completed with exit code 4>", 4 if structured else None
    )
    path = session(tmp_path, start(), *call("call_bash00001", "bash", left), *asked)
    found = reading.read(copilot, path)
    results = {c.tool: c.result for c in found.calls.values() if c.result}
    assert (results["bash"].status, results["bash"].task_id) == ("running", "s1")
    assert (results["read_bash"].status, results["read_bash"].exit_code) == (None, None)
    assert [(n.call_id, n.task_id, n.status, n.exit_code) for n in found.notices] == [
        ("call_bash00001", "s1", "error", 4)
    ]


JUNK = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8) | st.just("call_junk0001"),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=6,
)
KINDS = st.sampled_from([*copilot._HANDLERS, "hologram"])
KEYS = st.sampled_from(
    [
        "toolCallId",
        "toolName",
        "arguments",
        "success",
        "result",
        "error",
        "context",
        "kind",
        "requestId",
        "toolRequests",
        "sessionId",
    ]
)
RECORD = st.fixed_dictionaries({"type": KINDS | JUNK, "data": st.dictionaries(KEYS, JUNK, max_size=7) | JUNK})


@settings(max_examples=150, deadline=None)
@given(records=st.lists(RECORD, max_size=8))
def test_no_record_breaks_a_reading(tmp_path_factory: pytest.TempPathFactory, records: list[Any]) -> None:
    path = reading.write_lines(tmp_path_factory.mktemp("junk") / "events.jsonl", records)
    transcript = reading.transcript(copilot, path)
    copilot.peek(transcript)
    assert isinstance(list(copilot.read(transcript, None, reading.NOW))[-1], ReadEnd)
