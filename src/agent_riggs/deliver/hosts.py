"""Hook events of each agent: what fires, which calls failed, and the form in which an answer reaches the model.

Shapes recorded with the clients named in ``TESTED``; Cursor's are from documentation. Payloads are recognized by
their own form first, by the environment only where two agents send the same form, because an agent may run inside
another one's shell. Nothing but built-in types on the way in: this runs at every tool call.
"""

from __future__ import annotations

import os

from agent_riggs.deliver.glance import SHELLS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

TESTED: dict[str, tuple[str, ...]] = {
    "claude_code": ("2.1.332",),
    "codex": ("0.171.0",),
    "copilot": ("1.0.102",),
    "gemini": ("0.61.0",),
    "opencode": ("1.18.33",),
}
"""Client versions that the end-to-end tests ran; a recorded payload of each lies under ``tests/deliver/payloads``."""

AFTER, BEFORE, END, START = "after", "before", "end", "start"

_MOMENTS = {
    "PostToolUse": AFTER,
    "PostToolUseFailure": AFTER,
    "PostToolBatch": AFTER,
    "AfterTool": AFTER,
    "postToolUse": AFTER,
    "postToolUseFailure": AFTER,
    "after": AFTER,
    "PreToolUse": BEFORE,
    "BeforeTool": BEFORE,
    "preToolUse": BEFORE,
    "Stop": END,
    "SessionEnd": END,
    "sessionEnd": END,
    "agentStop": END,
    "AfterAgent": END,
    "idle": END,
    "SessionStart": START,
    "sessionStart": START,
}
_GEMINI = ("BeforeTool", "AfterTool", "BeforeAgent", "AfterAgent", "BeforeModel", "AfterModel")
_FOLDERS = {"claude_code": "CLAUDE_PROJECT_DIR", "gemini": "GEMINI_PROJECT_DIR", "copilot": "COPILOT_PROJECT_DIR"}


class Call:
    """A tool call as an event tells it, in the fields of ``model.ToolCall`` and ``model.ToolResult``."""

    __slots__ = ("call_id", "error", "exit_code", "flag", "input", "status", "text", "tool")

    def __init__(self, tool: str, given: Mapping[str, Any], call_id: str, text: str = "") -> None:
        self.tool = tool
        self.input = given
        self.call_id = call_id
        self.text = text
        self.flag: bool | None = None
        self.status: str | None = None
        self.exit_code: int | None = None
        self.error = False
        """Whether the host drops additional context for this call (Gemini, when the tool threw)."""

    def said(self) -> str:
        """Every text in it: the output, and what was asked."""
        return "\n".join([self.text, *_texts(self.input)])


class Event:
    """One hook event, whichever agent sent it."""

    __slots__ = ("calls", "folder", "host", "mode", "moment", "name", "session", "transcript")

    def __init__(self, host: str, name: str, payload: Mapping[str, Any], environ: Mapping[str, str]) -> None:
        self.host = host
        self.name = name
        self.moment = _MOMENTS.get(name, "")
        self.session = text_of(payload.get("session_id") or payload.get("sessionId"))
        self.mode = text_of(payload.get("permission_mode"))
        self.transcript = text_of(payload.get("transcript_path"))
        named = environ.get(_FOLDERS.get(host, ""), "")
        self.folder = named if os.path.isabs(named) else text_of(payload.get("cwd"))
        """The folder that tells the project: the one the session was started in, else the working folder."""
        self.calls: list[Call] = []


def read(payload: object, environ: Mapping[str, str]) -> Event | None:
    """The event in a hook's input, with the calls that may have failed; ``None`` when it is of no use to us.

    Raises nothing for any JSON value.
    """
    if not isinstance(payload, dict):
        return None
    host = host_of(payload, environ)
    event = Event(host, _name(host, payload), payload, environ)
    if event.moment in (AFTER, BEFORE):
        event.calls = _READERS[host](event, payload)
        return event if event.calls else None
    return event if event.moment else None


def host_of(payload: Mapping[str, Any], environ: Mapping[str, str]) -> str:
    """Name of the agent (as sources are named) that sent this payload."""
    name = payload.get("hook_event_name")
    if payload.get("host") == "opencode":
        return "opencode"
    if name in _GEMINI:
        return "gemini"
    if "sessionId" in payload or "tool_result" in payload:
        return "copilot"
    if "turn_id" in payload:
        return "codex"
    if "cursor_version" in payload or "conversation_id" in payload:
        return "cursor"
    transcript = text_of(payload.get("transcript_path")).replace("\\", "/")
    if transcript.rpartition("/")[2].startswith("rollout-"):
        return "codex"
    if "/.gemini/" in transcript:
        return "gemini"
    if "/.claude/" in transcript or "CLAUDE_CODE_SESSION_ID" in environ:
        return "claude_code"
    if environ.get("GEMINI_SESSION_ID"):
        return "gemini"
    return "copilot" if "COPILOT_CLI" in environ else "claude_code"


def went_well(event: Event, call: Call) -> bool:
    """Whether the host itself says that a call succeeded: then there is nothing to judge.

    Some hosts have one event for both. Codex's exit code is looked for here, before anything is imported for it.
    """
    shell = call.tool == "Bash" or call.tool in SHELLS
    if event.moment != AFTER:
        return False
    if event.host == "codex" and shell:
        call.exit_code = exit_code_in(event.transcript, call.call_id)
        return call.exit_code == 0
    if call.flag is not False:
        return False
    if event.host == "copilot":
        return not shell or call.text.rstrip().endswith("with exit code 0>")
    signs = ("Exit Code: ", "Signal: ", "imed out", "imeout", "Background")
    return event.host == "gemini" and (
        not shell or ("Output: " in call.text and not any(s in call.text for s in signs))
    )


def encode(event: Event, text: str) -> dict[str, Any]:
    """The host's own form of "give this text to the model", and nothing else: an unknown key voids it at some hosts."""
    if event.host in ("copilot", "opencode"):
        return {"additionalContext": text}
    if event.host == "cursor":
        return {"additional_context": text}
    if event.host == "gemini" and event.calls and event.calls[0].error:
        # Additional context is dropped when a tool threw; a reason replaces the error, so the error comes with it.
        return {"decision": "deny", "reason": f"{event.calls[0].text}\n<hook_context>{text}</hook_context>"}
    return {"hookSpecificOutput": {"hookEventName": event.name, "additionalContext": text}}


def text_of(value: object) -> str:
    """The text in a JSON value that should hold one: strings as they are, blocks joined; anything else is empty."""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return "\n".join(piece for piece in map(text_of, value) if piece)
    return text_of(value.get("text")) if isinstance(value, dict) else ""


def _texts(value: object, depth: int = 0) -> list[str]:
    if isinstance(value, str):
        return [value]
    items = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [text for item in items for text in _texts(item, depth + 1)] if depth < 8 else []


def _name(host: str, payload: Mapping[str, Any]) -> str:
    """The event's name. Copilot's own events carry none: their fields tell them apart."""
    if "hook_event_name" in payload or host != "copilot":
        return text_of(payload.get("hook_event_name"))
    if "toolResult" in payload:
        return "postToolUse"
    if "toolName" in payload:
        return "postToolUseFailure" if "error" in payload else "preToolUse"
    if "source" in payload or "initialPrompt" in payload:
        return "sessionStart"
    return "sessionEnd" if "reason" in payload else "agentStop" if "stopReason" in payload else ""


def _given(value: object) -> Mapping[str, Any]:
    """Arguments as sources read them: a bare string stands under ``input``."""
    if isinstance(value, str):
        return {"input": value}
    return value if isinstance(value, dict) else {}


def _call(payload: Mapping[str, Any], text: object = "") -> Call:
    return Call(
        text_of(payload.get("tool_name")) or "unknown",
        _given(payload.get("tool_input")),
        text_of(payload.get("tool_use_id")),
        text_of(text),
    )


def _claude(event: Event, payload: Mapping[str, Any]) -> list[Call]:
    if event.moment == BEFORE:
        return [_call(payload)]
    if event.name == "PostToolUseFailure":
        call = _call(payload, payload.get("error"))
        call.flag = True
        return [] if payload.get("is_interrupt") is True else [call]
    if event.name == "PostToolBatch":
        asked = payload.get("tool_calls")
        found = [_call(item, item.get("tool_response")) for item in _dicts(asked)]
        return [call for call in found if _refused(call)]
    return []  # a call that went through


def _refused(call: Call) -> bool:
    """Whether the harness refused the call itself: such calls fire no other event, and a batch has no error flag."""
    call.flag = True
    return call.text.startswith(("<tool_use_error>", "Permission to use ", "Claude requested permissions "))


def _codex(event: Event, payload: Mapping[str, Any]) -> list[Call]:
    return [_call(payload, payload.get("tool_response"))]


def _gemini(event: Event, payload: Mapping[str, Any]) -> list[Call]:
    response = payload.get("tool_response")
    response = response if isinstance(response, dict) else {}
    call = _call(payload, response.get("llmContent"))
    call.call_id = _stamp(payload.get("timestamp"))
    error = response.get("error")
    if isinstance(error, dict):
        call.text = text_of(error.get("message")) or call.text
        call.flag, call.status, call.error = True, "error", True
    elif event.moment == AFTER:
        call.flag = False
    return [call]


def _copilot(event: Event, payload: Mapping[str, Any]) -> list[Call]:
    result = payload.get("toolResult") or payload.get("tool_result")
    result = result if isinstance(result, dict) else {}
    tool = payload.get("toolName") or payload.get("tool_name")
    given = payload.get("toolArgs") if "toolArgs" in payload else payload.get("tool_input")
    text = result.get("textResultForLlm") or result.get("text_result_for_llm") or payload.get("error")
    if isinstance(text, dict):
        text = text.get("message")
    call = Call(text_of(tool) or "unknown", _given(given), _stamp(payload.get("timestamp")), text_of(text))
    kind = text_of(result.get("resultType") or result.get("result_type"))
    if event.moment == AFTER:
        failed = "error" in payload or kind == "failure"
        call.flag, call.status = failed, "error" if failed else None
        if kind in ("denied", "rejected"):
            return []
    return [call]


def _opencode(event: Event, payload: Mapping[str, Any]) -> list[Call]:
    call = _call(payload, payload.get("output"))
    code = payload.get("exit")
    call.exit_code = code if isinstance(code, int) and not isinstance(code, bool) else None
    if call.tool == "invalid":
        call.tool = text_of(call.input.get("tool")) or call.tool
        call.flag, call.status = True, "error"
    elif call.exit_code is None:
        return []  # went through: a tool that throws has no such event
    return [call]


def _cursor(event: Event, payload: Mapping[str, Any]) -> list[Call]:
    call = _call(payload, payload.get("error") or payload.get("error_message"))
    call.flag = True
    return [call] if event.name == "postToolUseFailure" else []


_READERS = {
    "claude_code": _claude,
    "codex": _codex,
    "copilot": _copilot,
    "cursor": _cursor,
    "gemini": _gemini,
    "opencode": _opencode,
}


def _dicts(value: object) -> Sequence[dict[str, Any]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _stamp(value: object) -> str:
    """The time of an event as the identity of its call, at hosts that give calls no id: milliseconds, whether the
    host writes a number or ISO text (Copilot writes either, by the event's spelling)."""
    if isinstance(value, (int, float)):
        return f"at-{int(value) % 86_400_000}" if abs(value) < 1e18 else ""
    text = text_of(value)
    digits = "".join(c for c in text.partition("T")[2] if c.isdecimal())[:9]
    if len(digits) < 6:
        return ""
    clock = int(digits[:2]) * 3600 + int(digits[2:4]) * 60 + int(digits[4:6])
    return f"at-{clock * 1000 + int(digits[6:].ljust(3, '0'))}"


def exit_code_in(rollout: str, call_id: str) -> int | None:
    """Exit code of a command of Codex, from the end of its transcript.

    Codex gives hooks the bare output; by then the transcript usually holds the completed item (measured on 0.171.0).
    """
    if not call_id or not rollout.endswith(".jsonl"):
        return None
    from agent_riggs import folders

    lines = (folders.small_file(rollout, _ROLLOUT_END, end=True) or b"").split(b"\n")
    wanted = call_id.encode("utf-8", "replace")
    for line in reversed(lines):
        if wanted in line and b'"exit_code":' in line and b'"item_completed"' in line:
            digits = line.rpartition(b'"exit_code":')[2].lstrip()[:12]
            code = digits.partition(b",")[0].partition(b"}")[0].strip()
            return int(code) if code.lstrip(b"-").isdigit() else None
    return None


_ROLLOUT_END = 1024 * 1024
