"""Claude Code's record shapes, as far as calls, results and modes need them.

Measured on Claude Code 1.0.17 to 2.1.332. The format is internal to the agent: fields come, go and change their
type. So every scalar is ``Any`` here, bulky parts nobody reads are skipped while decoding, and a record whose
message or blocks have another shape is brought into this one first.
"""

from __future__ import annotations

import json
import re
from itertools import islice
from typing import Any, Final

import msgspec

from agent_riggs.sources.decode import loads

KNOWN_TYPES: Final = frozenset(
    [
        "user",
        "assistant",
        "system",
        "progress",
        "attachment",
        "summary",
        "custom-title",
        "ai-title",
        "agent-name",
        "agent-color",
        "last-prompt",
        "mode",
        "permission-mode",
        "file-history-snapshot",
        "file-history-delta",
        "queue-operation",
        "pr-link",
        "tag",
        "task-summary",
        "atis-latch",
        "tools-used",
        "api-request",
        "api-request-blob",
        "api-request-shape",
        "cost-state",
        "worktree-state",
    ]
)
"""Record types seen; one that is not here is counted, so that a change of format is noticed."""

KNOWN_BLOCKS: Final = frozenset(
    [
        "text",
        "thinking",
        "redacted_thinking",
        "tool_use",
        "tool_result",
        "image",
        "document",
        "server_tool_use",
        "web_search_tool_result",
        "web_fetch_tool_result",
        "code_execution_tool_result",
        "mcp_tool_use",
        "mcp_tool_result",
        "tool_reference",
        "fallback",
    ]
)

ENVELOPED: Final = ("user", "assistant", "system", "progress", "attachment")
"""Record types that carry session, time, folder and version."""

_NO_RAW: Final = msgspec.Raw(b"")


class Block(msgspec.Struct, gc=False):
    """A block of a message: text, a call, a result or something else."""

    type: Any = None
    id: Any = None
    name: Any = None
    input: Any = None
    tool_use_id: Any = None
    content: Any = None
    is_error: Any = None
    text: msgspec.Raw = _NO_RAW


class Message(msgspec.Struct, gc=False):
    """What went to or came from the model."""

    model: Any = None
    content: list[Block] | str | None = None


class Nested(msgspec.Struct, gc=False):
    """A subagent's record inside a progress record of its parent (2.1.11 to 2.1.83)."""

    type: Any = None
    uuid: Any = None
    timestamp: Any = None
    message: Message | None = None
    toolUseResult: msgspec.Raw = _NO_RAW


class Progress(msgspec.Struct, gc=False):
    """The body of a progress record."""

    type: Any = None
    agentId: Any = None
    message: Nested | None = None


class Attachment(msgspec.Struct, gc=False):
    """The body of an attachment record (since 2.1.90)."""

    type: Any = None
    toolUseID: Any = None
    hookEvent: Any = None
    hookName: Any = None
    decision: Any = None
    prompt: Any = None


class Record(msgspec.Struct, gc=False):
    """One line."""

    type: Any = None
    uuid: Any = None
    timestamp: Any = None
    sessionId: Any = None
    cwd: Any = None
    gitBranch: Any = None
    version: Any = None
    agentId: Any = None
    isSidechain: Any = None
    isMeta: Any = None
    isCompactSummary: Any = None
    sessionKind: Any = None
    permissionMode: Any = None
    permissionDecision: Any = None
    promptSource: Any = None
    toolDenialKind: Any = None
    sourceToolAssistantUUID: Any = None
    message: Message | None = None
    attachment: Attachment | None = None
    data: Progress | None = None
    toolUseResult: msgspec.Raw = _NO_RAW
    content: msgspec.Raw = _NO_RAW


class Facts(msgspec.Struct, gc=False):
    """What ``toolUseResult`` says beside the text the model saw."""

    backgroundTaskId: Any = None
    isAsync: Any = None
    agentId: Any = None
    status: Any = None
    success: Any = None
    interrupted: Any = None
    returnCodeInterpretation: Any = None
    persistedOutputPath: Any = None
    code: Any = None
    codeText: Any = None
    task: Any = None
    shellId: Any = None
    exitCode: Any = None
    stdout: msgspec.Raw = _NO_RAW
    stderr: msgspec.Raw = _NO_RAW


_record: Final = msgspec.json.Decoder(Record)
_facts: Final = msgspec.json.Decoder(Facts)
NO_FACTS: Final = Facts()
"""What is said beside a result whose record says nothing in particular."""
_STARTS: Final = re.compile(rb'\{"(?:parentUuid|type|sessionId|uuid)":')
_MAX_STARTS: Final = 8


def parse(data: bytes) -> Record | str:
    """The record in a line, or in one sentence why there is none."""
    try:
        return _record.decode(data)
    except (msgspec.DecodeError, RecursionError):
        value = loads(data)
    if value is None and data.strip() != b"null":
        return "line is not JSON"
    if not isinstance(value, dict):
        return "line is not a JSON object"
    try:
        return _record.decode(json.dumps(_reshaped(value)))
    except (msgspec.DecodeError, RecursionError):
        return "record is nested too deep"


def rescued(data: bytes) -> list[tuple[int, Record]]:
    """Whole records in a line that is none, with their offsets: a crash in the middle of a line leaves its beginning
    glued to the next record. At most one before the seam and one behind it."""
    for match in islice(_STARTS.finditer(data, 1), _MAX_STARTS):
        seam = match.start()
        behind = parse(data[seam:])
        if isinstance(behind, Record) and behind.type in ENVELOPED:
            before = parse(data[:seam])
            return [(0, before), (seam, behind)] if isinstance(before, Record) else [(seam, behind)]
    return []


def facts_of(raw: msgspec.Raw) -> Facts:
    """The structured facts of a result; none of them when the agent wrote a string, a list or nothing."""
    data = bytes(raw)
    if data[:1] != b"{":
        return NO_FACTS
    try:
        return _facts.decode(data)
    except (msgspec.DecodeError, RecursionError):
        value = loads(data)
        return _facts.decode(json.dumps(value)) if isinstance(value, dict) else NO_FACTS


def raw_text(raw: msgspec.Raw) -> str:
    """The string a raw value holds, else nothing."""
    data = bytes(raw)
    value = loads(data) if data[:1] == b'"' else None
    return value if isinstance(value, str) else ""


def _reshaped(value: dict[str, Any]) -> dict[str, Any]:
    fixed = {**value, "message": _message(value.get("message"))}
    if not isinstance(value.get("attachment"), dict):
        fixed["attachment"] = None
    data = value.get("data")
    fixed["data"] = None
    if isinstance(data, dict):
        nested = data.get("message")
        shaped = {**nested, "message": _message(nested.get("message"))} if isinstance(nested, dict) else None
        fixed["data"] = {**data, "message": shaped}
    return fixed


def _message(message: Any) -> dict[str, Any] | None:
    if not isinstance(message, dict):
        return None
    content = message.get("content")
    if isinstance(content, list):
        blocks = (({"type": "text", "text": block} if isinstance(block, str) else block) for block in content)
        return {**message, "content": [block for block in blocks if isinstance(block, dict)]}
    return {**message, "content": content if isinstance(content, str) else None}
