"""Claude Code: the agent's own word about a call, the human's words, background tasks, spilled outputs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import claude
import reading
from agent_riggs.model import Notice, ToolResult
from claude import REJECTED, STOP, attached, call, key, prompt, read_records, record, result, says, use


def given(tmp_path: Path, *records: Any) -> ToolResult:
    """The result of the first call."""
    found = read_records(tmp_path, *records).calls[key(1)].result
    assert found is not None
    return found


# --- the agent's own word


@pytest.mark.parametrize(
    ("fields", "status"),
    [
        ({}, None),
        ({"toolDenialKind": "user-rejected"}, "rejected"),
        ({"toolDenialKind": "permission-rule"}, "denied"),
        ({"toolDenialKind": "something-new"}, "denied"),
        ({"toolDenialKind": 7}, None),
        ({"toolUseResult": "User rejected tool use"}, "rejected"),
        ({"toolUseResult": "Error: User rejected tool use"}, "rejected"),
        ({"toolUseResult": "Error: a file says: User rejected tool use"}, None),
        ({"toolUseResult": {"success": False}}, "error"),
        ({"toolUseResult": {"success": True}}, None),
        ({"toolUseResult": {"interrupted": True, "stdout": ""}}, "interrupted"),
        ({"toolUseResult": {"interrupted": False, "stdout": "\ud800"}}, None),
        ({"toolUseResult": [{"type": "text", "text": "x"}]}, None),
        ({"toolUseResult": None}, None),
        ({"permissionDecision": {"decision": "reject", "source": "user"}}, "rejected"),
        ({"permissionDecision": {"decision": "reject", "source": "hook"}}, "denied"),
        ({"permissionDecision": {"decision": "accept", "source": "config"}}, None),
    ],
)
def test_status(tmp_path: Path, fields: dict[str, Any], status: str | None) -> None:
    assert given(tmp_path, call(1), result(1, "text", **fields)).status == status


@pytest.mark.parametrize(
    ("facts", "note"),
    [
        ({"returnCodeInterpretation": "No matches found"}, "No matches found"),
        ({"code": 404, "codeText": "Not Found"}, "HTTP 404 Not Found"),
        ({"code": 200, "codeText": "OK"}, ""),
        ({"code": True}, ""),
        ({"returnCodeInterpretation": 5}, ""),
    ],
)
def test_what_the_agent_notes_about_a_code(tmp_path: Path, facts: dict[str, Any], note: str) -> None:
    assert given(tmp_path, call(1), result(1, "", toolUseResult=facts)).note == note


@pytest.mark.parametrize(
    "hook",
    [
        attached("hook_blocking_error", toolUseID=key(1), hookName="PreToolUse:Bash", hookEvent="PreToolUse"),
        attached("hook_blocking_error", toolUseID=key(1), hookName="PreToolUse:Bash"),
        attached("hook_permission_decision", toolUseID=key(1), hookEvent="PreToolUse", decision="deny"),
    ],
)
def test_a_call_that_a_hook_refused_is_denied_even_when_only_the_attachment_says_so(tmp_path: Path, hook: Any) -> None:
    assert given(tmp_path, call(1), hook, result(1, "no pushing on fridays", True)).status == "denied"
    whole = read_records(tmp_path, call(1), call(2), hook, result(2, "x", True), result(1, "x", True))
    assert [c.result and c.result.status for c in whole.calls.values()] == [None, "denied"]


def test_a_hook_that_complains_after_the_call_or_allows_it_denies_nothing(tmp_path: Path) -> None:
    after = attached("hook_blocking_error", toolUseID=key(1), hookName="PostToolUse:Bash", hookEvent="PostToolUse")
    allowed = attached("hook_permission_decision", toolUseID=key(1), hookEvent="PreToolUse", decision="allow")
    assert given(tmp_path, call(1), after, allowed, result(1, "fine")).status is None


# --- the human's words


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (f"{REJECTED} To tell you how to proceed, the user said:\nuse pnpm\nnot npm", "use pnpm\nnot npm"),
        (f"{REJECTED} The user provided the following reason for the rejection: too risky", "too risky"),
        (
            f"{REJECTED} To tell you how to proceed, the user said:\nyes\n\nNote: The user's next message may differ",
            "yes",
        ),
        ("The user doesn't want to take this action right now. STOP what you are doing.", ""),
        (STOP, ""),
        ("log: the user said:\nnothing of the kind", ""),
    ],
)
def test_words_inside_a_rejection(tmp_path: Path, text: str, words: str) -> None:
    assert given(tmp_path, call(1), result(1, text, True)).user_said == words
    assert given(tmp_path, call(1), result(1, text)).user_said == "", "without the flag it is printed text"


def test_the_next_prompt_explains_a_silent_rejection(tmp_path: Path) -> None:
    interrupted = prompt([{"type": "text", "text": "[Request interrupted by user for tool use]"}])
    found = given(tmp_path, call(1), result(1, STOP, True), interrupted, prompt("use make lint instead"))
    assert (found.user_said, found.text, found.timestamp) == ("use make lint instead", STOP, claude.at(1))


def test_a_prompt_queued_while_the_agent_stopped_explains_it_too(tmp_path: Path) -> None:
    queued = attached("queued_command", prompt=[{"type": "text", "text": "wrong folder"}], commandMode="prompt")
    assert given(tmp_path, call(1), result(1, STOP, True), queued).user_said == "wrong folder"


@pytest.mark.parametrize(
    "between",
    [
        [says({"type": "text", "text": "Sorry. What next?"})],
        [call(2), result(2)],
        [prompt("<command-name>/clear</command-name>"), says(use(key(2)))],
    ],
)
def test_once_the_agent_went_on_a_prompt_explains_nothing(tmp_path: Path, between: list[Any]) -> None:
    assert given(tmp_path, call(1), result(1, STOP, True), *between, prompt("thanks")).user_said == ""


@pytest.mark.parametrize(
    "said",
    [
        prompt("<local-command-stdout>ok</local-command-stdout>"),
        prompt("<task-notification><task-id>b</task-id><status>completed</status></task-notification>"),
        prompt("Caveat: the messages below", isMeta=True),
        prompt("continue", promptSource="system"),
        prompt("summary", isCompactSummary=True),
        prompt("side question", isSidechain=True),
        prompt("  "),
    ],
)
def test_what_no_human_said_explains_nothing(tmp_path: Path, said: Any) -> None:
    assert given(tmp_path, call(1), result(1, STOP, True), said).user_said == ""
    assert given(tmp_path, call(1), result(1, STOP, True), said, prompt("do b")).user_said == "do b"


def test_of_several_rejected_at_once_the_first_is_explained(tmp_path: Path) -> None:
    whole = read_records(tmp_path, call(1), call(2), result(1, STOP, True), result(2, STOP, True), prompt("not so"))
    assert [c.result and c.result.user_said for c in whole.calls.values()] == ["not so", ""]


# --- background tasks


def told(task: str, status: str, summary: str = "", more: str = "") -> str:
    return (
        f"<task-notification>\n<task-id>{task}</task-id>\n{more}<status>{status}</status>\n"
        f"<summary>{summary}</summary>\n</task-notification>"
    )


STARTED = "Command running in background with ID: b1f2. Output is being written to: /tmp/b1f2.output"
FAILED = told("b1f2", "failed", 'Background command "make" failed with exit code 3')


def notices(tmp_path: Path, *records: Any) -> list[tuple[Any, ...]]:
    found = sorted(read_records(tmp_path, *records).notices, key=lambda n: n.position)
    return [(n.task_id, n.call_id, n.status, n.exit_code) for n in found]


@pytest.mark.parametrize(
    ("text", "facts", "task"),
    [
        (STARTED, {"stdout": "", "backgroundTaskId": "b1f2"}, "b1f2"),
        (STARTED, ..., "b1f2"),
        (STARTED, {"stdout": STARTED, "stderr": ""}, ""),
        ("moved to the background", {"backgroundTaskId": "b1f2"}, "b1f2"),
        ("Async agent launched", {"isAsync": True, "status": "async_launched", "agentId": "b1f2"}, "b1f2"),
        ("done", {"agentId": "b1f2", "status": "completed"}, ""),
    ],
)
def test_a_call_that_goes_on_in_the_background(tmp_path: Path, text: str, facts: Any, task: str) -> None:
    found = given(tmp_path, call(1), result(1, text, toolUseResult=facts))
    assert (found.task_id, found.status) == (task, "running" if task else None)


@pytest.mark.parametrize(
    "where",
    [
        record("queue-operation", operation="enqueue", content=FAILED, timestamp="2026-05-04T09:00:03Z"),
        prompt(FAILED),
        prompt([{"type": "text", "text": FAILED}]),
        attached("queued_command", prompt=FAILED, commandMode="task-notification"),
        prompt(FAILED + "\nand please go on"),
    ],
)
def test_its_outcome_is_told_in_any_of_three_places_and_once(tmp_path: Path, where: Any) -> None:
    assert notices(tmp_path, where) == [("b1f2", "", "error", 3)]
    assert notices(tmp_path, where, where, prompt(FAILED)) == [("b1f2", "", "error", 3)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (told("b1", "completed", 'Background command "exit code 4" completed (exit code 0)'), ("b1", "", "ok", 0)),
        (told("b1", "killed", "Background command was killed"), ("b1", "", "interrupted", None)),
        (told("a1", "completed", "Agent done", f"<tool-use-id>{key(1)}</tool-use-id>"), ("a1", key(1), "ok", None)),
        (told("b1", "completed", "completed with exit code 2"), ("b1", "", "error", 2)),
    ],
)
def test_how_a_task_ended(tmp_path: Path, text: str, expected: tuple[Any, ...]) -> None:
    assert notices(tmp_path, prompt(text)) == [expected]


@pytest.mark.parametrize(
    "text",
    [told("b1", "running"), told("", "failed"), "<task-notification>", "see <task-notification>", told("b1", "?")],
)
def test_what_tells_no_outcome(tmp_path: Path, text: str) -> None:
    assert notices(tmp_path, prompt(text)) == []


def test_two_outcomes_in_one_prompt(tmp_path: Path) -> None:
    both = told("b1", "failed") + "\n" + told("b2", "completed")
    assert sorted(n[0] for n in notices(tmp_path, prompt(both))) == ["b1", "b2"]


def test_the_answer_to_a_question_about_a_task_tells_its_outcome_and_its_output(tmp_path: Path) -> None:
    facts = {
        "retrieval_status": "success",
        "task": {"task_id": "b1", "status": "completed", "exitCode": 2, "output": "E"},
    }
    whole = read_records(tmp_path, call(1, "TaskOutput", {"task_id": "b1"}), result(1, "text", toolUseResult=facts))
    assert whole.notices == {
        Notice(
            "claude_code",
            claude.SESSION,
            "error",
            "b1",
            "",
            2,
            "E",
            claude.at(1),
            whole.end.cursor.offset - size(whole),
        )
    }


def size(whole: reading.Reading) -> int:
    """Bytes of the last record, whose offset is the notice's position."""
    (found,) = whole.notices
    return whole.end.cursor.offset - found.position


def test_older_forms_of_that_answer(tmp_path: Path) -> None:
    text = "<retrieval_status>success</retrieval_status>\n<status>failed</status>\n<exit_code>7</exit_code>\n<output>x"
    asked = call(1, "TaskOutput", {"task_id": "b1"})
    assert notices(tmp_path, asked, result(1, text)) == [("b1", "", "error", 7)]
    assert notices(tmp_path, call(1, "Bash"), result(1, text)) == [], "no other tool's output is believed"
    shell = {"shellId": "s1", "status": "completed", "exitCode": 0, "stdout": "ok", "stderr": ""}
    assert notices(tmp_path, call(1, "BashOutput", {"bash_id": "s1"}), result(1, "t", toolUseResult=shell)) == [
        ("s1", "", "ok", 0)
    ]


def test_a_task_that_still_runs_or_a_to_do_item_is_no_outcome(tmp_path: Path) -> None:
    running = {"task": {"task_id": "b1", "status": "running", "exitCode": None}}
    todo = {"task": {"id": "1", "subject": "x", "status": "completed"}}
    assert notices(tmp_path, call(1), result(1, toolUseResult=running), call(2), result(2, toolUseResult=todo)) == []


# --- outputs too large for the transcript


def spilled(path: str) -> str:
    return f"<persisted-output>\nOutput too large (90KB). Full output saved to: {path}\n\nPreview (first 2KB):\nhead\n"


@pytest.fixture
def side_file(tmp_path: Path) -> Path:
    path = claude.place(tmp_path).with_suffix("") / "tool-results/out1.txt"
    path.parent.mkdir(parents=True)
    path.write_text("first line\n" + "x" * 90_000 + "\nerror: the last line")
    return path


@pytest.mark.parametrize(
    "recorded", ["{path}", "C:\\Users\\d\\.claude\\projects\\p\\s\\tool-results\\out1.txt", "/gone/out1.txt"]
)
def test_a_spilled_output_is_read_from_its_own_sessions_folder(tmp_path: Path, side_file: Path, recorded: str) -> None:
    text = given(tmp_path, call(1), result(1, spilled(recorded.format(path=side_file)))).text
    assert text.startswith("first line")
    assert text.endswith("error: the last line")
    assert len(text) < 70_000
    facts = {"persistedOutputPath": str(side_file)}
    assert given(tmp_path, call(1), result(1, "<persisted-output>\n", toolUseResult=facts)).text == text


def test_a_subagents_spilled_output_lies_in_the_sessions_folder(tmp_path: Path, side_file: Path) -> None:
    path = side_file.parent.parent / "subagents/agent-aa11.jsonl"
    reading.write_lines(path, claude.session(call(1), result(1, spilled(str(side_file)))))
    (found,) = claude.read(path).calls.values()
    assert found.result is not None
    assert found.result.text.endswith("the last line")


@pytest.mark.parametrize("recorded", ["/etc/hostname", "../../secret.txt", "..", "", "link.txt", "tool-results"])
def test_no_other_file_is_ever_opened(tmp_path: Path, side_file: Path, recorded: str) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("hunter2")
    (side_file.parent / "link.txt").symlink_to(secret)
    text = spilled(recorded)
    assert given(tmp_path, call(1), result(1, text)).text == text


def test_without_the_file_the_preview_has_to_do(tmp_path: Path) -> None:
    text = spilled("/gone/out1.txt")
    assert given(tmp_path, call(1), result(1, text)).text == text
