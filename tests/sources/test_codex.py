"""The Codex source: every generation of rollout, and what damage may not do to them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import reading
from agent_riggs.model import Head, LateResult, Problem, ReadEnd, Transcript
from agent_riggs.sources import codex, codex_calls, codex_script
from agent_riggs.sources.check import check_source

SESSION = "0199dddd-0000-7000-8000-000000000001"
CASES = sorted(p for p in (reading.PAIRS / "codex").glob("*.jsonl"))


def line(kind: str, second: int = 0, **payload: Any) -> dict[str, Any]:
    return {"timestamp": f"2026-05-04T09:00:{second:02d}Z", "type": kind, "payload": payload}


def meta(session: str = SESSION, **more: Any) -> dict[str, Any]:
    return line("session_meta", id=session, cwd="/srv/shop", cli_version="0.118.0", source="cli", **more)


def call(key: str, command: str = "ls", second: int = 1) -> dict[str, Any]:
    given = json.dumps({"command": command})
    return line("response_item", second, type="function_call", name="shell_command", arguments=given, call_id=key)


def output(key: str, text: Any, second: int = 2) -> dict[str, Any]:
    return line("response_item", second, type="function_call_output", call_id=key, output=text)


def rollout(home: Path, *records: object, session: str = SESSION) -> Path:
    path = home / ".codex/sessions/2026/05/04" / f"rollout-2026-05-04T09-00-00-{session}.jsonl"
    return reading.write_lines(path, records)


@pytest.mark.parametrize("case", CASES, ids=lambda p: p.stem[:30])
def test_file_pairs(case: Path) -> None:
    expected = json.loads(case.with_name(case.name.rsplit(".", 1)[0] + ".expected.json").read_text())
    assert reading.summary(reading.read(codex, case)) == expected


def test_every_generation_holds_to_the_rules_of_a_source(tmp_path: Path) -> None:
    folder = tmp_path / ".codex/archived_sessions"
    folder.mkdir(parents=True)
    for case in CASES:
        name = case.name if case.name.startswith("rollout-") else f"rollout-{case.name}"
        (folder / name).write_bytes(case.read_bytes())
    assert len(check_source(codex, {}, tmp_path)) == len(CASES)


def test_a_compressed_rollout_reads_like_the_plain_one(tmp_path: Path) -> None:
    path = rollout(tmp_path, meta(), call("call_zst00001"), output("call_zst00001", "Exit code: 3\nOutput:\nno"))
    plain = reading.summary(reading.read(codex, path))
    packed = path.with_name(path.name + ".zst")
    packed.write_bytes(reading.zstd(path.read_bytes()))
    (twin,) = list(codex.find({}, tmp_path))
    assert isinstance(twin, Transcript)
    assert twin.path == path, "the plain file wins over its compressed twin"
    cursor = reading.read(codex, path).end.cursor
    path.unlink()
    (found,) = list(codex.find({}, tmp_path))
    assert isinstance(found, Transcript)
    assert found.path == packed
    assert found.key == str(path), "compressing a rollout makes no other transcript of it"
    assert reading.summary(reading.read(codex, packed)) == plain
    assert codex.peek(found) == Head(SESSION, "/srv/shop", 1777885200000000)
    again = reading.read(codex, packed, cursor)
    assert not again.calls
    assert again.end.lines == 0, "reading goes on where the plain file's reading ended"


@pytest.mark.parametrize("keep", [0, 10, 60])
def test_damage_in_a_compressed_rollout_is_a_problem(tmp_path: Path, keep: int) -> None:
    path = rollout(tmp_path, meta(), *(call(f"call_zst0000{i}") for i in range(9)))
    packed = path.with_name(path.name + ".zst")
    packed.write_bytes(reading.zstd(path.read_bytes())[:keep] + b"garbage" * 3)
    found = reading.read(codex, packed)
    assert len(found.problems) == 1
    assert "cannot be read" in found.problems[0].reason


def test_the_session_of_a_rollout_with_a_damaged_first_line_is_in_its_name(tmp_path: Path) -> None:
    path = rollout(tmp_path, "{broken", line("turn_context", cwd="/srv/shop"), call("call_a0000001"))
    (found,) = list(codex.find({}, tmp_path))
    assert isinstance(found, Transcript)
    assert codex.peek(found) == Head(SESSION, "/srv/shop", 1777885200000000)
    assert [c.session_id for c in reading.read(codex, path).calls.values()] == [SESSION]


def test_a_very_long_first_line_is_read(tmp_path: Path) -> None:
    path = rollout(tmp_path, meta(base_instructions={"text": "x" * 300_000}), call("call_a0000001"))
    assert len(reading.read(codex, path).calls) == 1


def test_a_file_that_holds_no_rollout_is_none(tmp_path: Path) -> None:
    rollout(tmp_path, {"hello": 1}, session="0199dddd-0000-7000-8000-000000000002")
    rollout(tmp_path, session="0199dddd-0000-7000-8000-000000000003")
    assert [codex.peek(t) for t in codex.find({}, tmp_path) if isinstance(t, Transcript)] == [None, None]


def test_homes_follow_the_variable(tmp_path: Path) -> None:
    rollout(tmp_path / "other", meta())
    assert list(codex.find({}, tmp_path)) == []
    assert len(list(codex.find({"CODEX_HOME": str(tmp_path / "other/.codex")}, tmp_path))) == 1


def test_a_fork_repeats_calls_of_its_parent_under_the_parents_name(tmp_path: Path) -> None:
    parent = "0199cccc-0000-7000-8000-000000000001"
    turn = line("turn_context", 0, turn_id="0199cccc-1111-7000-8000-000000000001", cwd="/srv/shop")
    own = line("turn_context", 0, turn_id="0199dddd-1111-7000-8000-000000000001", cwd="/srv/shop")
    path = rollout(tmp_path, meta(), meta(parent), turn, call("call_p0000001"), own, call("functions.shell:0"))
    calls = reading.read(codex, path).calls
    assert {c.call_id: c.session_id for c in calls.values()} == {
        "call_p0000001": parent,
        f"{SESSION}/functions.shell:0": SESSION,
    }


def test_without_turn_ids_the_replay_ends_with_its_burst(tmp_path: Path) -> None:
    parent = "0199cccc-0000-7000-8000-000000000001"
    path = rollout(tmp_path, meta(), meta(parent), call("call_p0000001", second=0), call("call_o0000001", second=9))
    assert [c.session_id for c in reading.read(codex, path).calls.values()] == [parent, SESSION]


def test_an_open_call_is_answered_by_a_later_reading(tmp_path: Path) -> None:
    path = rollout(tmp_path, meta(), call("call_a0000001"))
    first = reading.read(codex, path)
    assert first.calls["call_a0000001"].result is None
    with path.open("a") as stream:
        stream.write(json.dumps(output("call_a0000001", "Exit code: 0\nOutput:\n")) + "\n")
    events = list(codex.read(reading.transcript(codex, path), first.end.cursor, reading.NOW))
    assert [type(e).__name__ for e in events] == ["LateResult", "ReadEnd"]


@pytest.mark.parametrize(
    ("policy", "mode"),
    [
        ({"approval_policy": "never", "sandbox_policy": {"mode": "read-only"}}, "never/read-only"),
        (
            {"approval_policy": "on-request", "sandbox_policy": {"type": "workspace-write"}},
            "on-request/workspace-write",
        ),
        ({"approval_policy": {"granular": {}}, "sandbox_policy": "read-only"}, "granular/read-only"),
        ({"approval_policy": "never", "collaboration_mode": {"mode": "plan"}}, "plan"),
        ({"approval_policy": "never", "collaboration_mode": {"mode": "default"}}, "never"),
        ({"approval_policy": 3, "sandbox_policy": None}, None),
        ({}, None),
    ],
)
def test_mode(policy: dict[str, Any], mode: str | None) -> None:
    assert codex_calls.mode_of(policy) == mode


@pytest.mark.parametrize(
    ("source", "tool", "command"),
    [
        ('await tools.exec_command({cmd:"git log"})', "exec_command", "git log"),
        ("await tools.exec_command({ 'cmd' : 'it\\'s' })", "exec_command", "it's"),
        ('await tools["shell_command"]({"command": "a\\nb"})', "shell_command", "a\nb"),
        ("tools?.exec_command({workdir: '/x', cmd: `printf \"%s\"`})", "exec_command", 'printf "%s"'),
        ('// tools.a()\n/* tools.b() */ "tools.c()"; tools.exec_command({cmd:"x"})', "exec_command", "x"),
        ("my.tools.exec_command({cmd:'x'})", "exec", None),
        ("tools.a(); tools.b()", "exec", None),
        ("const c = 'x'; tools.exec_command({cmd: c})", "exec_command", None),
        ("", "exec", None),
    ],
)
def test_the_tool_a_script_calls(source: str, tool: str, command: str | None) -> None:
    script = codex_script.scan(source)
    assert script.tool == tool
    assert script.input.get("cmd", script.input.get("command")) == command


def test_a_script_of_a_megabyte_is_scanned_in_time() -> None:
    assert codex_script.scan("`" * 1_000_000).tool == "exec"
    assert codex_script.scan("tools." * 200_000).tool == "exec"
    assert codex_script.scan('tools.exec_command({cmd:"' + "\\" * 500_000).tool == "exec_command"


JUNK = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=6,
)
WORDS = st.sampled_from(
    [
        "session_meta",
        "turn_context",
        "response_item",
        "event_msg",
        "compacted",
        "function_call",
        "custom_tool_call",
        "exec",
        "wait",
        "user",
        "function_call_output",
        "local_shell_call",
        "exec_command_end",
        "item_completed",
        "turn_aborted",
        "write_stdin",
        "plan",
        "message",
        "CommandExecution",
        "call_junk0001",
        "exec-junk0001",
    ]
)
KEYS = st.sampled_from(
    [
        "type",
        "payload",
        "id",
        "call_id",
        "name",
        "arguments",
        "input",
        "output",
        "action",
        "item",
        "source",
        "cwd",
        "content",
        "status",
        "exit_code",
        "result",
        "git",
        "turn_id",
        "collaboration_mode",
        "namespace",
        "changes",
    ]
)
RECORD = st.fixed_dictionaries(
    {"type": WORDS | JUNK, "payload": st.dictionaries(KEYS, WORDS | JUNK, max_size=7) | JUNK},
    optional={"timestamp": JUNK | st.just("2026-05-04T09:00:00Z")},
)


@settings(max_examples=150, deadline=None)
@given(records=st.lists(RECORD, max_size=8))
def test_no_record_breaks_a_reading(tmp_path_factory: pytest.TempPathFactory, records: list[Any]) -> None:
    path = reading.write_lines(tmp_path_factory.mktemp("junk") / "rollout-x.jsonl", [meta(), *records])
    events = list(codex.read(reading.transcript(codex, path), None, reading.NOW))
    assert isinstance(events[-1], ReadEnd)
    assert not any(isinstance(e, Problem) for e in events)


def script(key: str, source: str) -> dict[str, Any]:
    return line("response_item", 1, type="custom_tool_call", name="exec", input=source, call_id=key)


def ended(command: str, code: int, key: str = "exec-aaaaaaaa") -> dict[str, Any]:
    item = {"type": "CommandExecution", "id": key, "command": ["bash", "-lc", command], "exit_code": code}
    return line("event_msg", 2, type="item_completed", item=item | {"aggregated_output": f"ran {command}"})


def finished(key: str, text: str = "done") -> dict[str, Any]:
    blocks = ["Script completed\nWall time 0.1 seconds\nOutput:\n", text]
    return output(key, [{"type": "input_text", "text": block} for block in blocks], 3)


def codes(path: Path) -> dict[str, int | None]:
    calls = reading.read(codex, path).calls
    return {key: call.result.exit_code if call.result else None for key, call in calls.items()}


def test_commands_of_scripts_at_once_go_to_the_script_that_names_them(tmp_path: Path) -> None:
    first, second = (
        script("call_one00001", "tools.exec_command({cmd:'a'})"),
        script("call_two00001", "tools.shell({cmd:'b'})"),
    )
    path = rollout(tmp_path, meta(), first, second, ended("b", 2), ended("a", 1), finished("call_one00001"))
    assert codes(path) == {"call_one00001": 1, "call_two00001": 2}


def test_a_command_no_script_names_is_a_call_of_its_own(tmp_path: Path) -> None:
    first, second = script("call_one00001", "tools.shell({cmd:x})"), script("call_two00001", "tools.shell({cmd:y})")
    path = rollout(tmp_path, meta(), first, second, ended("c", 3), finished("call_one00001"))
    assert codes(path) == {"call_one00001": None, "call_two00001": None, "exec-aaaaaaaa": 3}


def test_a_loop_in_a_script_makes_further_calls(tmp_path: Path) -> None:
    again = ended("a", 4, "exec-bbbbbbbb")
    one = script("call_one00001", "for (;;) tools.exec_command({cmd:'a'})")
    assert codes(rollout(tmp_path, meta(), one, ended("a", 0), again)) == {"call_one00001": 0, "exec-bbbbbbbb": 4}


def test_a_script_that_goes_on_is_answered_by_its_command_or_by_the_wait(tmp_path: Path) -> None:
    running = output("call_one00001", "Script running with cell ID 8\nWall time 0.5 seconds\nOutput:\n")
    wait = line(
        "response_item", 3, type="function_call", name="wait", arguments='{"cell_id": "8"}', call_id="call_wait0001"
    )
    one = script("call_one00001", "tools.exec_command({cmd:'a'})")
    events = [meta(), one, running, wait]
    path = rollout(tmp_path, *events, ended("a", 6), finished("call_wait0001"))
    told = [
        e.result for e in codex.read(reading.transcript(codex, path), None, reading.NOW) if isinstance(e, LateResult)
    ]
    assert [(r.status, r.exit_code) for r in told] == [("running", None), (None, 6), (None, None)]
    path = rollout(
        tmp_path, *events, finished("call_wait0001"), script("call_two00001", "tools.shell({cmd:z})"), ended("q", 1)
    )
    told = [
        e.result for e in codex.read(reading.transcript(codex, path), None, reading.NOW) if isinstance(e, LateResult)
    ]
    assert [(r.status, r.exit_code, r.text) for r in told] == [
        ("running", None, ""),
        (None, None, "Script completed\nWall time 0.1 seconds\nOutput:\n\ndone"),
        (None, None, "done"),
        (None, 1, "ran q"),
    ]
