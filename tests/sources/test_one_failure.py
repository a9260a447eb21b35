"""One failure is one key, whichever agent met it and however its transcript wraps it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import reading
from agent_riggs.judge import judge
from agent_riggs.model import ToolCall, Verdict
from agent_riggs.sources import cline, codex, copilot, gemini, goose, opencode, qwen
from agent_riggs.sources.base import Source

FAILURES = {
    "tsc": ("npx tsc --noEmit", 2, "src/app.ts(3,7): error TS2304: Cannot find name 'Basket'."),
    "python": (
        "python3 tool.py",
        1,
        "Traceback (most recent call last):\n  File \"tool.py\", line 1\nKeyError: 'size'",
    ),
    "missing": ("frobnicate --all", 127, "bash: line 1: frobnicate: command not found"),
    "git": ("git push origin main", 128, "fatal: 'origin' does not appear to be a git repository"),
}


def lines(folder: Path, source: Source, *records: Any) -> ToolCall:
    return next(iter(reading.read(source, reading.write_lines(folder / "x.jsonl", records)).calls.values()))


def rollout(folder: Path, call: dict[str, Any], *more: dict[str, Any]) -> ToolCall:
    items = [{"type": "response_item", "payload": p} for p in (call, *more) if "item" not in p]
    events = [{"type": "event_msg", "payload": p} for p in more if "item" in p]
    return lines(folder, codex, {"type": "session_meta", "payload": {"id": "s"}}, items[0], *events, *items[1:])


def codex_json(folder: Path, command: str, code: int, output: str) -> ToolCall:
    given = json.dumps({"command": ["bash", "-lc", command]})
    told = json.dumps({"output": output, "metadata": {"exit_code": code, "duration_seconds": 0.1}})
    call = {"type": "function_call", "name": "shell", "arguments": given, "call_id": "call_aaaaaaaa"}
    return rollout(folder, call, {"type": "function_call_output", "call_id": "call_aaaaaaaa", "output": told})


def codex_text(folder: Path, command: str, code: int, output: str) -> ToolCall:
    call = {"type": "function_call", "name": "shell_command", "arguments": json.dumps({"command": command})}
    told = f"Exit code: {code}\nWall time: 0.3 seconds\nOutput:\n{output}"
    return rollout(folder, call | {"call_id": "1"}, {"type": "function_call_output", "call_id": "1", "output": told})


def codex_chunk(folder: Path, command: str, code: int, output: str) -> ToolCall:
    call = {"type": "function_call", "name": "exec_command", "arguments": json.dumps({"cmd": command}), "call_id": "1"}
    told = f"Chunk ID: ab12cd\nWall time: 0.9 seconds\nProcess exited with code {code}\nOutput:\n{output}"
    return rollout(folder, call, {"type": "function_call_output", "call_id": "1", "output": told})


def codex_script(folder: Path, command: str, code: int, output: str) -> ToolCall:
    source = f"const r = await tools.exec_command({{cmd: {json.dumps(command)}}});\ntext(r.output);"
    call = {"type": "custom_tool_call", "name": "exec", "input": source, "call_id": "call_aaaaaaaa"}
    item = {"type": "CommandExecution", "id": "exec-aaaaaaaa", "exit_code": code, "aggregated_output": output}
    done = [{"type": "input_text", "text": "Script completed\nWall time 0.1 seconds\nOutput:\n"}]
    end = {"type": "custom_tool_call_output", "call_id": "call_aaaaaaaa", "output": done}
    return rollout(folder, call, {"type": "item_completed", "item": item | {"command": ["bash", "-lc", command]}}, end)


def of_gemini(folder: Path, command: str, code: int, output: str, source: Source = gemini) -> ToolCall:
    told = f"<untrusted_context>\nOutput: {output}\nExit Code: {code}\nProcess Group PGID: 77\n</untrusted_context>"
    call = {"id": "c", "name": "run_shell_command", "args": {"command": command}, "status": "success"}
    call["result"] = [{"functionResponse": {"id": "c", "response": {"output": told}}}]
    return lines(folder, source, {"sessionId": "s"}, {"id": "m", "type": "gemini", "toolCalls": [call]})


def of_opencode(folder: Path, command: str, code: int, output: str) -> ToolCall:
    state = {"status": "completed", "input": {"command": command}, "output": output, "metadata": {"exit": code}}
    part = {"type": "tool", "tool": "bash", "id": "prt_aaaaaaaaaa", "state": state}
    document = {"info": {"id": "ses_aaaaaaaa", "directory": "/x"}, "messages": [{"info": {}, "parts": [part]}]}
    return lines(folder, opencode, document)


def of_copilot(folder: Path, command: str, code: int, output: str) -> ToolCall:
    start = {"type": "tool.execution_start", "data": {"toolCallId": "1", "toolName": "bash"}}
    start["data"]["arguments"] = {"command": command}
    told = {"content": f"{output}\n<exited with exit code {code}>"}
    end = {"type": "tool.execution_complete", "data": {"toolCallId": "1", "success": True, "result": told}}
    return lines(folder, copilot, start, end)


def of_qwen(folder: Path, command: str, code: int, output: str) -> ToolCall:
    asked = {"functionCall": {"id": "1", "name": "run_shell_command", "args": {"command": command}}}
    told = f"Output: {output}\nExit Code: {code}\nProcess Group PGID: 5"
    answer = {"functionResponse": {"id": "1", "response": {"output": told}}}
    call = {"type": "assistant", "sessionId": "s", "uuid": "a", "message": {"parts": [asked]}}
    end = {"type": "tool_result", "sessionId": "s", "uuid": "b", "message": {"parts": [answer]}}
    return lines(folder, qwen, call, end | {"toolCallResult": {"callId": "1", "status": "success"}})


def of_goose(folder: Path, command: str, code: int, output: str) -> ToolCall:
    value = {"name": "developer__shell", "arguments": {"command": command}}
    asked = {"type": "toolRequest", "id": "1", "toolCall": {"status": "success", "value": value}}
    told = {"type": "toolResponse", "id": "1", "toolResult": {"status": "error", "error": output}}
    return lines(folder, goose, {"working_dir": "/x"}, {"content": [asked]}, {"content": [told]})


def of_cline(folder: Path, command: str, code: int, output: str) -> ToolCall:
    use = {"type": "tool_use", "id": "1", "name": "execute_command", "input": {"command": command}}
    told = {"type": "tool_result", "tool_use_id": "1", "content": output, "is_error": True}
    path = folder / "api_conversation_history.json"
    path.write_text(json.dumps([{"role": "assistant", "content": [use]}, {"role": "user", "content": [told]}]))
    return next(iter(reading.read(cline, path).calls.values()))


FORMS = [
    codex_json,
    codex_text,
    codex_chunk,
    codex_script,
    of_gemini,
    of_opencode,
    of_copilot,
    of_qwen,
    of_goose,
    of_cline,
]


def key(verdict: Verdict) -> tuple[str, str | None, str | None, str | None]:
    return verdict.tool, verdict.failure_class, verdict.program, verdict.fingerprint


@pytest.mark.parametrize("name", FAILURES)
def test_one_key_for_all(tmp_path: Path, name: str) -> None:
    found = {}
    for form in FORMS:
        folder = tmp_path / form.__name__
        folder.mkdir()
        found[form.__name__] = judge(form(folder, *FAILURES[name]))
    assert {v.outcome for v in found.values()} <= {"failed", "check_failed"}
    assert len({key(v) for v in found.values()}) == 1, {n: (v.shape, *key(v)) for n, v in found.items()}


@pytest.mark.parametrize("form", FORMS[:-2], ids=lambda f: f.__name__)
def test_a_success_is_one_in_every_form(tmp_path: Path, form: Any) -> None:
    verdict = judge(form(tmp_path, "ls -la", 0, "error.log\nfatal.txt"))
    assert verdict.outcome == "ok"
