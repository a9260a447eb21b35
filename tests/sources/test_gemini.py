"""The Gemini source: both forms of a chat, whose project it is, and what damage may not do."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import reading
from agent_riggs.model import Head, Problem, ReadEnd, Transcript
from agent_riggs.sources import gemini
from agent_riggs.sources.check import check_source

HOME = reading.PAIRS / "gemini"
CASES = sorted(p for p in HOME.rglob("*.json*") if "chats" in p.parts and not p.name.endswith(".expected.json"))


@pytest.fixture
def samples(tmp_path: Path) -> Path:
    """The sample chats as a home of their own, without the expected files."""
    shutil.copytree(HOME, tmp_path / ".gemini", ignore=shutil.ignore_patterns("*.expected.json"))
    return tmp_path


def chat(home: Path, folder: str, *records: object, name: str = "session-a.jsonl") -> Path:
    return reading.write_lines(home / ".gemini/tmp" / folder / "chats" / name, records)


def said(*calls: object, **more: Any) -> dict[str, Any]:
    return {"id": "g1", "timestamp": "2026-05-04T09:00:00Z", "type": "gemini", "toolCalls": list(calls), **more}


def head_of(home: Path) -> Head | Problem | None:
    (found,) = [t for t in gemini.find({}, home) if isinstance(t, Transcript)]
    return gemini.peek(found)


@pytest.mark.parametrize("case", CASES, ids=lambda p: p.stem[:30])
def test_file_pairs(case: Path) -> None:
    expected = json.loads(case.with_name(case.name.rsplit(".", 1)[0] + ".expected.json").read_text())
    assert reading.summary(reading.read(gemini, case, home=HOME)) == expected


def test_both_forms_hold_to_the_rules_of_a_source(samples: Path) -> None:
    assert len(check_source(gemini, {}, samples)) == 3


def test_the_variable_may_name_the_folder_above_or_the_folder_itself(samples: Path) -> None:
    for value in (samples, samples / ".gemini"):
        assert len(list(gemini.find({"GEMINI_CLI_HOME": str(value)}, Path("/nowhere")))) == 3


def test_logs_and_checkpoints_are_no_chats(tmp_path: Path) -> None:
    chat(tmp_path, "shop", {"sessionId": "a"})
    for name in ("logs.json", "checkpoint-a.json"):
        (tmp_path / ".gemini/tmp/shop" / name).write_text("[]")
    assert len(list(gemini.find({}, tmp_path))) == 1


def test_project_by_its_own_marker(tmp_path: Path) -> None:
    path = chat(tmp_path, "shop", {"sessionId": "a"})
    (path.parent.parent / ".project_root").write_text("/srv/shop\n")
    assert head_of(tmp_path) == Head("a", "/srv/shop")


def test_project_by_the_hash_of_a_listed_root(tmp_path: Path) -> None:
    chat(tmp_path, hashlib.sha256(b"/srv/shop").hexdigest(), {"sessionId": "a"})
    (tmp_path / ".gemini/projects.json").write_text(json.dumps({"projects": {"/srv/shop": "shop"}}))
    assert head_of(tmp_path) == Head("a", "/srv/shop")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_listed_root_that_is_no_text_and_a_pipe_as_marker_hold_nothing_up(tmp_path: Path) -> None:
    path = chat(tmp_path, hashlib.sha256(b"/srv/shop").hexdigest(), {"sessionId": "a"})
    os.mkfifo(path.parent.parent / ".project_root")
    (tmp_path / ".gemini/projects.json").write_text('{"projects": {"/\\ud800": "x", "/srv/shop": "shop"}}')
    assert head_of(tmp_path) == Head("a", "/srv/shop")


def test_project_by_the_hash_of_the_folder_we_are_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    inner = tmp_path / "work/inner"
    inner.mkdir(parents=True)
    monkeypatch.chdir(inner)
    root = os.path.dirname(os.getcwd())
    chat(tmp_path, hashlib.sha256(root.encode()).hexdigest(), {"sessionId": "a"})
    assert head_of(tmp_path) == Head("a", root)


def test_an_unknown_project_has_no_folder(tmp_path: Path) -> None:
    chat(tmp_path, "0" * 64, {"sessionId": "a", "startTime": "2026-05-04T09:00:00Z"}, {"type": "info"})
    (tmp_path / ".gemini/projects.json").write_text("[broken")
    assert head_of(tmp_path) == Head("a", "", 1777885200000000)


@pytest.mark.parametrize("text", ["", "[]", '"x"', '{"messages": []}', "{}"])
def test_a_file_that_is_no_chat(tmp_path: Path, text: str) -> None:
    path = chat(tmp_path, "shop", name="session-a.json")
    path.write_text(text)
    assert not isinstance(head_of(tmp_path), Head)
    assert not reading.read(gemini, path).calls


def test_a_document_cut_short_is_a_problem_until_it_is_whole(tmp_path: Path) -> None:
    path = chat(tmp_path, "shop", name="session-a.json")
    text = json.dumps({"sessionId": "a", "messages": [said({"id": "c", "name": "ls", "status": "success"})]})
    path.write_text(text[:-5])
    assert [p.reason for p in reading.read(gemini, path).problems] == ["not a JSON document, or one cut short"]
    path.write_text(text)
    assert list(reading.read(gemini, path).calls) == ["a/c"]


def test_a_later_state_replaces_an_earlier_one_but_never_a_final_one_by_an_open_one(tmp_path: Path) -> None:
    states = ("scheduled", "success", "executing")
    path = chat(tmp_path, "shop", {"sessionId": "a"}, *(said({"id": "c", "name": "ls", "status": s}) for s in states))
    (call,) = reading.read(gemini, path).calls.values()
    assert call.result is not None


def test_one_call_id_in_two_sessions_is_two_calls(tmp_path: Path) -> None:
    paths = [
        chat(tmp_path, "shop", {"sessionId": s}, said({"id": "ls_1_0", "status": "success"}), name=f"session-{s}.jsonl")
        for s in "ab"
    ]
    assert {key for path in paths for key in reading.read(gemini, path).calls} == {"a/ls_1_0", "b/ls_1_0"}


@pytest.mark.parametrize("frame", ["{}", "<untrusted_context>\n{}\n</untrusted_context>"])
@pytest.mark.parametrize(
    "text", ["Command moved to background (PID: 77). Output hidden.", "Command is running in background. PID: 77."]
)
def test_a_command_left_running_has_no_outcome(tmp_path: Path, frame: str, text: str) -> None:
    told = [{"functionResponse": {"response": {"output": frame.format(text)}}}]
    raw = {"id": "c", "name": "run_shell_command", "status": "success", "result": told}
    (call,) = reading.read(gemini, chat(tmp_path, "shop", {"sessionId": "a"}, said(raw))).calls.values()
    assert call.result is not None
    assert (call.result.status, call.result.task_id) == ("running", "77")


JUNK = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8) | st.just("success") | st.just("gemini"),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=6,
)
KEYS = st.sampled_from(["id", "type", "toolCalls", "result", "status", "name", "args", "$set", "messages", "sessionId"])
RECORD = st.dictionaries(KEYS, JUNK | st.lists(st.dictionaries(KEYS, JUNK, max_size=6), max_size=3), max_size=8)


@settings(max_examples=150, deadline=None)
@given(records=st.lists(RECORD, max_size=6))
def test_no_record_breaks_a_reading(tmp_path_factory: pytest.TempPathFactory, records: list[Any]) -> None:
    folder = tmp_path_factory.mktemp("junk")
    document = folder / "session-a.json"
    document.write_text(json.dumps({"sessionId": 5, "messages": records}))
    for path in (reading.write_lines(folder / "session-a.jsonl", records), document):
        transcript = reading.transcript(gemini, path)
        gemini.peek(transcript)
        assert isinstance(list(gemini.read(transcript, None, reading.NOW))[-1], ReadEnd)
