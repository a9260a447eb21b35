"""Claude Code: calls and results out of records of every shape."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import claude
import reading
from agent_riggs.model import LateResult, ToolCall
from agent_riggs.sources import claude_code
from agent_riggs.sources.check import check_source
from claude import answer, at, call, key, nested, prompt, read_records, record, result, says, use

CASES = sorted((reading.PAIRS / "claude_code").glob("*.jsonl"))


@pytest.mark.parametrize("case", CASES, ids=lambda p: p.stem)
def test_file_pairs(case: Path) -> None:
    expected = json.loads(case.with_name(f"{case.stem}.expected.json").read_text())
    assert reading.summary(claude.read(case)) == expected


def test_every_case_holds_to_the_rules_of_a_source(tmp_path: Path) -> None:
    for case in CASES:
        target = claude.place(tmp_path, case.stem)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(case.read_bytes())
    assert len(check_source(claude_code, {}, tmp_path)) == len(CASES) > 3


def only(whole: reading.Reading) -> ToolCall:
    (found,) = whole.calls.values()
    return found


def test_a_call_carries_everything_its_record_tells(tmp_path: Path) -> None:
    found = only(read_records(tmp_path, prompt("go", permissionMode="acceptEdits"), call(1), result(1, "ok", False)))
    assert found.result is not None
    assert (found.call_id, found.tool, found.input, found.session_id) == (
        key(1),
        "Bash",
        {"command": "make"},
        claude.SESSION,
    )
    assert (found.timestamp, found.result.timestamp) == (at(1), at(2))
    assert (found.cwd, found.branch, found.version, found.model) == (claude.CWD, "main", "2.1.90", "claude-opus-4-5")
    assert (found.mode, found.mode_source, found.agent_id) == ("acceptEdits", "recorded", "")
    assert (found.result.text, found.result.flag, found.result.status) == ("ok", False, None)
    assert 0 < found.position < found.result.position


def test_parallel_calls_pair_by_id_in_any_order(tmp_path: Path) -> None:
    whole = read_records(tmp_path, call(1), call(2), call(3), result(3, "c"), result(1, "a"), result(2, "b"))
    assert [c.result and c.result.text for c in whole.calls.values()] == ["c", "a", "b"]
    assert sorted(c.position for c in whole.calls.values()) == [whole.calls[key(n)].position for n in (1, 2, 3)]


def test_several_blocks_in_one_record(tmp_path: Path) -> None:
    text = {"type": "text", "text": "two at once"}
    both = [answer(key(n), f"r{n}", n == 2)["message"]["content"][0] for n in (1, 2)]
    facts = {"stdout": "", "interrupted": True, "backgroundTaskId": "b1"}
    whole = read_records(tmp_path, says(text, use(key(1)), use(key(2))), prompt(both, toolUseResult=facts))
    assert [(c.call_id, c.result and c.result.flag) for c in whole.calls.values()] == [(key(1), False), (key(2), True)]
    statuses = {c.result and c.result.status for c in whole.calls.values()}
    assert statuses == {None}, "which of the two the facts beside them speak of is not told"


def test_one_call_however_often_it_is_recorded(tmp_path: Path) -> None:
    part = says({"type": "thinking", "thinking": "hm"})
    partial = says(use(key(1), "Bash", {}))
    whole = read_records(tmp_path, part, partial, call(1), result(1, "first"), call(1), result(1, "first"), part)
    found = only(whole)
    assert found.input == {"command": "make"}
    assert found.result is not None
    assert found.result.text == "first"
    assert found.position == whole.calls[key(1)].position


def test_a_result_before_its_call(tmp_path: Path) -> None:
    found = only(read_records(tmp_path, result(1, "early"), call(1)))
    assert found.result is not None
    assert found.result.text == "early"


def test_a_result_for_a_call_that_is_not_here_is_kept_for_it(tmp_path: Path) -> None:
    path = claude.write(tmp_path, result(7, "elsewhere", True))
    events = list(claude_code.read(reading.transcript(claude_code, path), None, reading.NOW))
    (late,) = (e for e in events if isinstance(e, LateResult))
    assert (late.call_id, late.result.text, late.result.flag) == (key(7), "elsewhere", True)


def test_a_call_without_a_result_has_none_until_it_comes(tmp_path: Path) -> None:
    path = claude.write(tmp_path, call(1))
    first = claude.read(path)
    assert only(first).result is None
    claude.write(tmp_path, call(1), result(1, "at last"))
    assert claude.read(path, first.end.cursor).calls == {}
    assert only(claude.read(path)).result is not None


def test_very_many_open_calls_are_let_go_and_corrected_later(tmp_path: Path) -> None:
    many = 700
    whole = read_records(tmp_path, *(call(n) for n in range(many)), *(result(n, f"r{n}") for n in range(many)))
    assert len(whole.calls) == many
    assert all(c.result is not None for c in whole.calls.values())


@pytest.mark.parametrize(
    ("given", "expected"), [(None, {}), ("ls", {"input": "ls"}), ([1], {}), (3, {}), ({"a": None}, {"a": None})]
)
def test_odd_arguments(tmp_path: Path, given: Any, expected: Any) -> None:
    block = {"type": "tool_use", "id": key(1), "name": "Bash", "input": given}
    assert only(read_records(tmp_path, says(block))).input == expected


@pytest.mark.parametrize("name", [None, "", 7, []])
def test_a_tool_without_a_name_is_unknown(tmp_path: Path, name: Any) -> None:
    assert only(read_records(tmp_path, says(use(key(1), name)))).tool == "unknown"
    assert only(read_records(tmp_path, says({"type": "tool_use", "id": key(1)}))).tool == "unknown"


@pytest.mark.parametrize("message", [None, "text", [], 5, {}, {"content": None}, {"content": "x"}, {"content": 7}])
def test_odd_messages_cost_nothing_else(tmp_path: Path, message: Any) -> None:
    odd = [record(kind, message=message) for kind in ("user", "assistant")]
    odd.append(record("progress", data={"message": message}))
    odd.append(record("progress", data=message))
    odd.append(record("attachment", attachment=message))
    whole = read_records(tmp_path, call(1), *odd, result(1))
    assert (len(whole.calls), whole.problems, only(whole).result is not None) == (1, (), True)


def test_blocks_that_are_no_objects_are_passed_over(tmp_path: Path) -> None:
    strange = [None, "text", 5, [], {"type": None}, {"type": ["x"]}, {"type": "hologram"}, {}]
    whole = read_records(
        tmp_path, says(*strange, use(key(1))), prompt([*strange, answer(key(1))["message"]["content"][0]])
    )
    assert only(whole).result is not None
    assert whole.problems == ()
    assert whole.end.unknown == {"block:hologram": 2, "block:none": 6}


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("plain", "plain"),
        (None, ""),
        ([], ""),
        ([{"type": "text", "text": "a"}, {"type": "image", "source": {}}, {"type": "text", "text": "b"}], "a\nb"),
        ([{"type": "tool_reference", "tool_name": "x"}], ""),
        (["bare"], "bare"),
        ({"type": "text", "text": "one"}, "one"),
    ],
)
def test_text_of_a_result(tmp_path: Path, content: Any, text: str) -> None:
    found = only(read_records(tmp_path, call(1), result(1, content)))
    assert found.result is not None
    assert found.result.text == text


@pytest.mark.parametrize(
    ("value", "flag", "counted"),
    [
        *((True, True, {}), (False, False, {}), (..., None, {}), (None, None, {})),
        *(("true", True, {"is_error:str": 1}), (1, True, {"is_error:int": 1}), (0, False, {"is_error:int": 1})),
        *(([], None, {"is_error:list": 1}), ("perhaps", None, {"is_error:str": 1})),
    ],
)
def test_odd_error_flags_are_taken_and_counted(tmp_path: Path, value: Any, flag: Any, counted: Any) -> None:
    block = {"type": "tool_result", "tool_use_id": key(1), "content": "x", "is_error": value}
    whole = read_records(tmp_path, call(1), prompt([{k: v for k, v in block.items() if v is not ...}]))
    found = only(whole)
    assert found.result is not None
    assert (found.result.flag, dict(whole.end.unknown)) == (flag, counted)


def test_unknown_types_are_counted_under_a_harmless_name(tmp_path: Path) -> None:
    whole = read_records(
        tmp_path, record("hologram"), record("hologram"), record("a\x1b[31m b" * 30), {"x": 1}, call(1)
    )
    assert whole.end.unknown["hologram"] == 2
    assert whole.end.unknown["none"] == 1
    assert all(len(name) <= 40 and name.isprintable() for name in whole.end.unknown)
    assert (whole.end.lines, whole.end.understood, len(whole.calls)) == (5, 1, 1)


@pytest.mark.parametrize(
    ("stamp", "moment"),
    [
        ("2026-05-04T11:00:00+02:00", at(0)),
        ("2026-05-04T09:00:00", at(0)),
        ("2026-05-04T09:00:00.000000001Z", at(0)),
        (at(0) // 1_000_000, at(0)),
        (at(0) // 1000, at(0)),
        (at(0) / 1_000_000, at(0)),
        ("", None),
        (None, None),
        (..., None),
        ("1970-01-01T00:00:00Z", None),
        ("2099-01-01T00:00:00Z", None),
        ({}, None),
    ],
)
def test_times(tmp_path: Path, stamp: Any, moment: int | None) -> None:
    assert only(read_records(tmp_path, call(1, timestamp=stamp))).timestamp == moment


def test_times_that_run_backwards_change_no_order(tmp_path: Path) -> None:
    whole = read_records(tmp_path, call(1, timestamp="2026-05-04T10:00:00Z"), call(2, timestamp="2026-05-04T09:30:00Z"))
    assert whole.calls[key(1)].position < whole.calls[key(2)].position
    assert whole.end.started is not None
    assert whole.end.ended is not None
    assert whole.end.started <= whole.end.ended


def test_a_record_without_a_folder_has_the_one_last_known(tmp_path: Path) -> None:
    whole = read_records(
        tmp_path, call(1, cwd=None), call(2, cwd="/srv/shop/api"), call(3, cwd=...), call(4, cwd=5), call(5)
    )
    assert [c.cwd for c in whole.calls.values()] == ["", "/srv/shop/api", "/srv/shop/api", "/srv/shop/api", claude.CWD]


def test_ids_of_a_provider_stand_alone_others_are_bound_to_their_session(tmp_path: Path) -> None:
    ids = [key(1), "srvtoolu_01AbCdEfGhIjKlMnOpQr", "call_9XyZ0aBcDeFgHiJkLmNo", "call_0", "functions.Bash:3", 12]
    whole = read_records(tmp_path, *(says(use(i)) for i in ids), *(answer(i) for i in ids))
    prefix = f"{claude.SESSION}/"
    assert list(whole.calls) == [*ids[:3], f"{prefix}call_0", f"{prefix}functions.Bash:3", f"{prefix}12"]
    assert all(c.result is not None for c in whole.calls.values())


@pytest.mark.parametrize("missing", [None, "", "REDACTED"])
def test_a_call_without_a_usable_id_is_named_by_its_record(tmp_path: Path, missing: Any) -> None:
    records = [says(use(missing), uuid="rec-1"), answer(missing, "r1", sourceToolAssistantUUID="rec-1")]
    records += [says(use(missing), uuid="rec-2"), answer(missing, "nobody's")]
    whole = read_records(tmp_path, *records)
    first, second = whole.calls.values()
    assert first.call_id != second.call_id
    assert (first.result and first.result.text, second.result) == ("r1", None)
    assert list(claude.read(claude.place(tmp_path)).calls) == list(whole.calls)


def test_a_copied_session_keeps_its_call_ids_under_its_own_session(tmp_path: Path) -> None:
    original = read_records(tmp_path, call(1), result(1))
    fork = read_records(tmp_path, call(1), result(1), call(2), session_id="fork", name="fork", sessionKind="bg")
    assert set(original.calls) < set(fork.calls)
    assert {c.session_id for c in fork.calls.values()} == {"fork"}
    assert (original.end.background, fork.end.background) == (False, True)


def test_the_sessions_id_is_the_one_that_names_the_file_when_a_record_has_it(tmp_path: Path) -> None:
    copied = [call(1, sessionId="older"), call(2)]
    assert read_records(tmp_path, *copied).end.session_id == claude.SESSION
    assert read_records(tmp_path, *copied, name="renamed").end.session_id == "older"


def test_inline_subagents_of_early_releases_are_told_apart_from_the_session(tmp_path: Path) -> None:
    whole = read_records(
        tmp_path,
        prompt("go", permissionMode="plan"),
        call(1, "Task", {"prompt": "look"}),
        prompt("look", isSidechain=True, permissionMode="default"),
        call(2, isSidechain=True),
        result(2, isSidechain=True),
        result(1),
        call(3),
    )
    assert [(c.agent_id, c.mode) for c in sorted(whole.calls.values(), key=lambda c: c.position)] == [
        ("", "plan"),
        ("sidechain", None),
        ("", "plan"),
    ]


def test_a_subagents_file_belongs_to_its_session(tmp_path: Path) -> None:
    path = claude.place(tmp_path).parent / claude.SESSION / "subagents/agent-aa11.jsonl"
    lines = [prompt("look", permissionMode="plan"), call(1), result(1)]
    reading.write_lines(path, claude.session(*lines, isSidechain=True, agentId="aa11"))
    found = only(claude.read(path))
    assert (found.session_id, found.agent_id, found.mode) == (claude.SESSION, "aa11", "plan")
    reading.write_lines(path, claude.session(*lines[1:], isSidechain=True, agentId="aa11"))
    assert only(claude.read(path)).mode is None, "nobody recorded it there"


def test_calls_that_only_the_parents_progress_records_hold(tmp_path: Path) -> None:
    inner = {**call(2), "uuid": "inner-1", "timestamp": "2026-05-04T09:30:00Z"}
    whole = read_records(
        tmp_path,
        prompt("go", permissionMode="plan"),
        call(1, "Task", {"prompt": "look"}),
        nested("aa11", inner),
        nested("aa11", inner),
        nested("aa11", result(2, "Exit code 2", True)),
        record("progress", data={"type": "bash_progress", "output": '"tool_use"'}),
        result(1),
    )
    found = whole.calls[key(2)]
    assert (found.agent_id, found.session_id, found.cwd, found.mode) == ("aa11", claude.SESSION, claude.CWD, None)
    assert found.timestamp == at(1800)
    assert found.result is not None
    assert (found.result.text, found.result.flag) == ("Exit code 2", True)
    assert len(whole.calls) == 2


@pytest.mark.parametrize("agent", ["acompact-12ab", "aside_question-12ab"])
def test_helpers_that_log_the_conversation_again_are_ignored(tmp_path: Path, agent: str) -> None:
    whole = read_records(tmp_path, call(1, agentId=agent), result(1, agentId=agent), nested(agent, call(2)))
    assert whole.calls == {}


def test_warm_up_calls_are_dropped_and_counted(tmp_path: Path) -> None:
    whole = read_records(
        tmp_path,
        prompt("Warmup"),
        call(1),
        call(2),
        result(1, "Warmup", True),
        result(2, "Warmup"),
        result(3, "Warmup", True),
        call(3),
    )
    assert list(whole.calls) == [key(2)]
    assert whole.end.warmups == 2


def test_failures_of_the_service_are_nobodys_failure(tmp_path: Path) -> None:
    overload = says({"type": "text", "text": "API Error: 529 overloaded"}, model="<synthetic>", isApiErrorMessage=True)
    retry = record("system", subtype="api_error", retryAttempt=1)
    whole = read_records(tmp_path, call(1), retry, overload, result(1))
    assert (len(whole.calls), len(whole.notices), whole.end.unknown) == (1, 0, {})


def test_tools_the_provider_runs_itself(tmp_path: Path) -> None:
    ask = {
        "type": "server_tool_use",
        "id": "srvtoolu_01AbCdEfGhIjKlMnOpQr",
        "name": "web_search",
        "input": {"query": "x"},
    }
    refused = {"type": "web_search_tool_result_error", "error_code": "max_uses_exceeded"}
    got = {"type": "web_search_tool_result", "tool_use_id": ask["id"], "content": refused}
    found = only(read_records(tmp_path, says(ask, got)))
    assert found.result is not None
    assert (found.tool, found.result.flag) == ("web_search", True)


def test_links_between_records_are_not_followed(tmp_path: Path) -> None:
    circle = [call(1, uuid="a", parentUuid="b"), result(1, uuid="b", parentUuid="a"), call(2, parentUuid="nowhere")]
    assert len(read_records(tmp_path, *circle).calls) == 2


def test_compaction_counts_nothing_twice_and_tells_nothing(tmp_path: Path) -> None:
    boundary = record("system", subtype="compact_boundary", parentUuid=None, logicalParentUuid="u1")
    text = f"Earlier: {claude.STOP} Exit code 1"
    compacted = prompt(text, isCompactSummary=True, isVisibleInTranscriptOnly=True)
    carried = [call(1, uuid="new"), result(1, "boom", True, uuid="new2")]
    whole = read_records(tmp_path, call(1), result(1, "boom", True), boundary, compacted, *carried, call(2))
    assert [(c.call_id, c.result and c.result.user_said) for c in whole.calls.values()] == [
        (key(1), ""),
        (key(2), None),
    ]


def test_printed_transcripts_are_only_text(tmp_path: Path) -> None:
    inside = json.dumps(call(9)) + "\n" + json.dumps(result(9, "Exit code 1", True))
    inside += "\n<task-notification><task-id>b1</task-id><status>failed</status></task-notification>"
    whole = read_records(tmp_path, call(1), result(1, inside, toolUseResult={"stdout": inside, "stderr": ""}))
    assert (list(whole.calls), len(whole.notices)) == ([key(1)], 0)


def test_what_hooks_put_in_is_no_evidence(tmp_path: Path) -> None:
    said = [
        claude.attached("hook_additional_context", content=[claude.STOP], toolUseID=key(1), hookEvent="PostToolUse"),
        claude.attached("hook_success", stdout=json.dumps(result(1, "boom", True)), toolUseID=key(1)),
        claude.attached("edited_text_file", snippet="Exit code 1"),
    ]
    found = only(read_records(tmp_path, call(1), *said, result(1, "fine")))
    assert found.result is not None
    assert (found.result.text, found.result.flag, found.result.status) == ("fine", None, None)


def test_what_claude_code_notes_about_its_requests_is_known(tmp_path: Path) -> None:
    """Written by 2.1.332 in a session that was asked one thing (``-p``): more lines than of anything else."""
    kinds = ("api-request", "api-request-blob", "api-request-shape", "cost-state", "atis-latch", "tools-used")
    whole = read_records(tmp_path, *({"type": kind, "sessionId": key(1)} for kind in kinds))
    assert (whole.end.understood, whole.end.unknown) == (len(kinds), {})
