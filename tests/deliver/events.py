"""Builders of hook events in the forms the agents send them, and a project with live ratchets to answer from."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agent_riggs import folders
from agent_riggs.deliver import hook, hosts, recall
from agent_riggs.deliver.recall import Ratchet
from agent_riggs.judge import judge
from agent_riggs.model import ToolCall, Verdict

NOW = 1_796_000_000_000_000
SESSION = "5f3a0000-0000-4000-8000-000000000001"
FIX = "run it with --offline"
ERROR = "tool: error: cannot reach the package mirror"
COMMAND = "acme-tool fetch --all"

Json = dict[str, Any]


def claude(event: str, /, **fields: Any) -> Json:
    common = {"session_id": SESSION, "transcript_path": "/h/.claude/projects/-w/s.jsonl", "permission_mode": "default"}
    return {**common, "hook_event_name": event, **fields}


def claude_failure(command: str = COMMAND, error: str = ERROR, call: str = "toolu_0001", **fields: Any) -> Json:
    return claude(
        "PostToolUseFailure",
        tool_name="Bash",
        tool_input={"command": command, "description": "d"},
        tool_use_id=call,
        error=f"Exit code 1\n{error}",
        is_interrupt=False,
        **fields,
    )


def claude_batch(*calls: tuple[str, Json, str], **fields: Any) -> Json:
    asked = [
        {"tool_name": tool, "tool_input": given, "tool_use_id": f"toolu_b{number}", "tool_response": text}
        for number, (tool, given, text) in enumerate(calls)
    ]
    return claude("PostToolBatch", tool_calls=asked, **fields)


def codex_result(output: str = ERROR, call: str = "call_0001", **fields: Any) -> Json:
    return {
        "session_id": SESSION,
        "turn_id": "t1",
        "hook_event_name": "PostToolUse",
        "permission_mode": "never",
        "tool_name": "Bash",
        "tool_input": {"command": COMMAND},
        "tool_response": output,
        "tool_use_id": call,
        **fields,
    }


def rollout(path: Path, call: str = "call_0001", code: int | None = 1) -> Path:
    """The end of a Codex transcript that holds the completed command."""
    item = {"type": "CommandExecution", "id": call, "aggregated_output": ERROR, "exit_code": code}
    records = [{"type": "response_item", "payload": {"call_id": call}}]
    records.append({"type": "event_msg", "payload": {"type": "item_completed", "item": item}})
    path.write_text("".join(json.dumps(record, separators=(",", ":")) + "\n" for record in records), encoding="utf-8")
    return path


def gemini_result(
    content: Any = None, error: Json | None = None, tool: str = "run_shell_command", **fields: Any
) -> Json:
    shown = f"<untrusted_context>\nOutput: {ERROR}\nExit Code: 1\nProcess Group PGID: 7\n</untrusted_context>"
    response: Json = {"llmContent": shown if content is None else content, "returnDisplay": "x"}
    if error is not None:
        response["error"] = error
    return {
        "session_id": SESSION,
        "hook_event_name": "AfterTool",
        "timestamp": "2026-11-29T17:32:58.599Z",
        "tool_name": tool,
        "tool_input": {"command": COMMAND},
        "tool_response": response,
        **fields,
    }


def copilot_result(code: int = 1, **fields: Any) -> Json:
    text = f"{ERROR}\n<shellId: 0 completed with exit code {code}>"
    return {
        "sessionId": SESSION,
        "timestamp": 1795973672238,
        "toolName": "bash",
        "toolArgs": {"command": COMMAND, "description": "d"},
        "toolResult": {"resultType": "success", "textResultForLlm": text},
        **fields,
    }


def copilot_pascal(code: int = 1, **fields: Any) -> Json:
    """The same event in the spelling that Copilot uses for Claude-like hooks."""
    text = f"{ERROR}\n<shellId: 0 completed with exit code {code}>"
    return {
        "hook_event_name": "PostToolUse",
        "session_id": SESSION,
        "timestamp": "2026-11-29T17:34:32.238Z",
        "tool_name": "Bash",
        "tool_input": {"command": COMMAND, "description": "d"},
        "tool_result": {"result_type": "success", "text_result_for_llm": text},
        **fields,
    }


def opencode_result(code: int | None = 1, **fields: Any) -> Json:
    return {
        "host": "opencode",
        "hook_event_name": "after",
        "session_id": "ses_1",
        "tool_name": "bash",
        "tool_input": {"command": COMMAND},
        "tool_use_id": "call_0001",
        "output": ERROR,
        "exit": code,
        **fields,
    }


FAILURES: Mapping[str, Json] = {
    "claude_code": claude_failure(),
    "codex": codex_result(),
    "gemini": gemini_result(),
    "copilot": copilot_result(),
    "opencode": opencode_result(),
}
"""One failed shell command per host; Codex needs a rollout besides."""


@dataclass(frozen=True)
class Place:
    """A project and the state folder beside it."""

    root: Path
    state_home: Path

    @property
    def environ(self) -> dict[str, str]:
        return {"AGENT_RIGGS_STATE_DIR": str(self.state_home), "HOME": str(self.root.parent)}

    @property
    def key(self) -> str:
        return folders.key_of(folders.root_of(str(self.root)))

    @property
    def state(self) -> Path:
        return self.state_home / self.key

    @property
    def index(self) -> Path:
        return self.state / recall.FILE_NAME

    def publish(self, *ratchets: Ratchet) -> None:
        recall.publish(self.index, self.key, ratchets)

    def ask(self, payload: object, now: int = NOW, **environ: str) -> Json | None:
        """The hook's answer inside this process."""
        if isinstance(payload, dict):
            payload = {"cwd": str(self.root), **payload}
        data = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
        text = hook.answer(data, {**self.environ, **environ}, now)
        return json.loads(text) if text else None

    def run(self, data: bytes, *words: str, **environ: str) -> subprocess.CompletedProcess[bytes]:
        """The hook as a process, as an agent runs it. A pipe that it closes too early goes unnoticed here."""
        with self.process(*words, **environ) as process:
            out, err = process.communicate(data, timeout=60)
        return subprocess.CompletedProcess(process.args, process.returncode, out, err)

    def process(self, *words: str, stdin: int = subprocess.PIPE, **environ: str) -> subprocess.Popen[bytes]:
        """The hook as a process that waits for its input."""
        path = os.pathsep.join(p for p in sys.path if p)
        return subprocess.Popen(
            [sys.executable, "-c", "from agent_riggs.deliver.hook import main; main()", *words],
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**self.environ, "PATH": os.defpath, "PYTHONPATH": path, **environ},
            cwd=self.root,
        )


def place(folder: Path) -> Place:
    root = folder / "project"
    root.mkdir(parents=True)
    (root / ".riggs").mkdir()
    return Place(root, folder / "state")


def verdict(payload: Json, environ: Mapping[str, str] | None = None) -> Verdict:
    """What the judge says about the first call of an event."""
    event = hosts.read(payload, environ or {})
    assert event is not None
    return judged(event)


def judged(event: hosts.Event) -> Verdict:
    """What the judge says about the first call of an event that was read."""
    return judge(hook.to_tool_call(event, event.calls[0]))


def ratchet(found: Verdict, **changes: Any) -> Ratchet:
    """The ratchet somebody promoted for a failure."""
    assert found.category is not None
    assert found.fingerprint is not None
    base: dict[str, Any] = {
        "key": recall.pattern_key(found.category, found.tool, found.fingerprint),
        "type": "failure_pattern",
        "fix": FIX,
        "category": found.category,
        "tool": found.tool,
        "failure_class": found.failure_class,
        "program": found.program,
        "shape": found.shape,
        "fingerprint": found.fingerprint,
        "sessions": 7,
        "occurrences": 12,
        "last_seen": 1_795_000_000_000_000,
        "decided_at": 1_795_100_000_000_000,
    }
    return Ratchet(**(base | changes))


def told(answer: Json | None) -> str:
    """The text in an answer, whichever host's form it has; empty for silence."""
    if answer is None:
        return ""
    inner = answer.get("hookSpecificOutput", answer)
    return str(inner.get("additionalContext") or inner.get("additional_context") or inner.get("reason") or "")


def lines(path: Path) -> Iterable[Json]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def as_claude_event(call: ToolCall) -> Json:
    """The event that Claude Code sends for a call its transcript holds as a failure."""
    assert call.result is not None
    if call.result.text.startswith(("<tool_use_error>", "Permission to use ", "Claude requested permissions ")):
        return claude_batch((call.tool, dict(call.input), call.result.text))
    return claude(
        "PostToolUseFailure",
        tool_name=call.tool,
        tool_input=dict(call.input),
        tool_use_id=call.call_id,
        error=call.result.text,
        is_interrupt=False,
    )
