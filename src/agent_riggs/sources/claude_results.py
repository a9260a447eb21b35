"""What a Claude Code result says: its text, the agent's own word, the human's words, background tasks.

Only what the agent itself recorded as a fact is read here. Sentences inside outputs are left to the judge.
Measured on Claude Code 1.0.17 to 2.1.332.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path, PureWindowsPath
from typing import Any, Final, NamedTuple

from agent_riggs.folders import possible
from agent_riggs.model import Status, ToolResult
from agent_riggs.sources.claude_records import NO_FACTS, Block, Facts, Record, raw_text
from agent_riggs.sources.decode import id_of, str_of

MAX_SAID: Final = 4000
"""Characters kept of a human's words."""

_SPILL_END: Final = 32 * 1024
_REJECTION: Final = "The user doesn't want to "
_SAID: Final = re.compile(r"(?:the user said:|reason for the rejection:)\s*\n?(.*)", re.DOTALL)
_SAID_NOTE: Final = "\n\nNote: The user's next message"
_BACKGROUND: Final = re.compile(r"Command running in background with ID: ?([\w-]{1,64})")
_MAX_NOTICES: Final = 256 * 1024
_MAX_NOTICE: Final = 8 * 1024
_SPILLED: Final = re.compile(r"saved to: ?([^\r\n]{1,4096})")
_NOTICE: Final = re.compile(r"<task-notification>(.*?)(?:</task-notification>|\Z)", re.DOTALL)
_TAG: Final = re.compile(r"<(task-id|tool-use-id|status|summary|exit_code)>(.*?)</\1>", re.DOTALL)
_EXIT: Final = re.compile(r"exit code:? (\d{1,10})")
_FINAL: Final[dict[str, Status]] = {
    "completed": "ok",
    "success": "ok",
    "failed": "error",
    "error": "error",
    "killed": "interrupted",
    "stopped": "interrupted",
}


class Told(NamedTuple):
    """What is told about a background task: at least one of the two ids is there."""

    task_id: str
    call_id: str
    status: Status
    exit_code: int | None
    text: str
    polled: bool = False
    """Whether it is the answer to a call that asked, and ``text`` the task's output rather than a summary."""


def status_of(record: Record, facts: Facts, told_by_hook: bool) -> Status | None:
    """The agent's own word about the call a result record belongs to; ``None`` when it has none."""
    kind = str_of(record.toolDenialKind)
    if kind:
        return "rejected" if "reject" in kind else "denied"
    decision = record.permissionDecision
    if isinstance(decision, dict) and str_of(decision.get("decision")) in ("reject", "deny"):
        return "rejected" if str_of(decision.get("source")).startswith("user") else "denied"
    raw = bytes(record.toolUseResult)
    if raw[:1] == b'"' and raw_text(record.toolUseResult).removeprefix("Error: ").startswith("User rejected tool use"):
        return "rejected"
    if told_by_hook:
        return "denied"
    if facts.interrupted is True:
        return "interrupted"
    return "error" if facts.success is False else None


def task_of(facts: Facts, text: str) -> str:
    """Id of the background task a call went on as; empty when it did not. The text counts only where the agent wrote
    no facts beside it, as for subagents: a command may print anything."""
    if task := id_of(facts.backgroundTaskId):
        return task
    if facts.isAsync is True or facts.status == "async_launched":
        return id_of(facts.agentId)
    match = _BACKGROUND.match(text) if facts is NO_FACTS else None
    return match.group(1) if match else ""


def note_of(facts: Facts) -> str:
    """The agent's reading of an exit or status code, such as ``No matches found`` or ``HTTP 404 Not Found``."""
    if note := str_of(facts.returnCodeInterpretation):
        return note[:200]
    code = facts.code
    if isinstance(code, int) and not isinstance(code, bool) and 400 <= code <= 599:
        return f"HTTP {code} {str_of(facts.codeText)}".strip()[:200]
    return ""


def is_rejection(result: ToolResult) -> bool:
    """Whether a human refused the call."""
    return result.status == "rejected" or result.text.startswith(_REJECTION)


def words_of(text: str) -> str:
    """The human's own words inside a rejection; empty when there are none."""
    match = _SAID.search(text) if text.startswith(_REJECTION) else None
    return match.group(1).partition(_SAID_NOTE)[0].strip()[:MAX_SAID] if match else ""


def whole_text(text: str, facts: Facts, transcript: Path) -> str:
    """The text of a result whose output was too large and went to a side file: head and tail of that file.

    The recorded path names a place on the machine that wrote it. Only a regular file of that name inside this very
    session's ``tool-results`` folder is opened; without one the preview in the transcript has to do.
    """
    if not text.startswith("<persisted-output>"):
        return text
    match = _SPILLED.search(text[:5000])
    recorded = str_of(facts.persistedOutputPath) or (match.group(1).strip() if match else "")
    name = PureWindowsPath(recorded).name if possible(recorded) else ""
    folder = os.path.realpath(_session_folder(transcript) / "tool-results")
    path = os.path.realpath(os.path.join(folder, name)) if name else folder
    if os.path.dirname(path) != folder or not os.path.isfile(path):
        return text
    try:
        with open(path, "rb") as stream:
            head = stream.read(_SPILL_END)
            size = stream.seek(0, os.SEEK_END)
            stream.seek(max(len(head), size - _SPILL_END))
            tail = stream.read(_SPILL_END)
    except OSError:
        return text
    gap = size - len(head) - len(tail)
    middle = f"\n[{gap} bytes left out]\n" if gap > 0 else ""
    return head.decode("utf-8", "replace") + middle + tail.decode("utf-8", "replace")


def _session_folder(transcript: Path) -> Path:
    """The session's own folder, where outputs too large for the transcript lie."""
    return next((up.parent for up in transcript.parents if up.name == "subagents"), transcript.with_suffix(""))


def error_block(block: Block) -> bool:
    """Whether a provider-side tool (web search ...) says in its result block that it failed."""
    content = block.content
    return isinstance(content, dict) and str_of(content.get("type")).endswith("_error")


def notices(text: str) -> Iterator[Told]:
    """Background outcomes told in a prompt the agent itself queued: the text is nothing but notifications first."""
    if not text.startswith("<task-notification>"):
        return
    for match in _NOTICE.finditer(text[:_MAX_NOTICES]):
        body = match.group(1).partition("<result>")[0][:_MAX_NOTICE]
        tags = {name: value.strip() for name, value in _TAG.findall(body)}
        status = _FINAL.get(tags.get("status", ""))
        if status and (tags.get("task-id") or tags.get("tool-use-id")):
            summary = tags.get("summary", "")
            codes = _EXIT.findall(summary[-40:])
            code = codes[-1] if codes else None
            yield _told(tags.get("task-id", ""), tags.get("tool-use-id", ""), status, code, summary, False)


def polled(facts: Facts, text: str, asked: str) -> Told | None:
    """A task's outcome as the answer to a call that asked for it; ``asked`` is the task that call named."""
    task = facts.task
    if isinstance(task, dict) and "task_id" in task:
        status = _FINAL.get(str_of(task.get("status")))
        return _told(id_of(task["task_id"]), "", status, task.get("exitCode"), str_of(task.get("output")))
    if shell := id_of(facts.shellId):
        output = "\n".join(part for part in (raw_text(facts.stdout), raw_text(facts.stderr)) if part)
        return _told(shell, "", _FINAL.get(str_of(facts.status)), facts.exitCode, output)
    if not asked or "<status>" not in text[:2000]:
        return None
    tags = dict(_TAG.findall(text[:2000].partition("<output>")[0].partition("<stdout>")[0]))
    return _told(asked, "", _FINAL.get(tags.get("status", "")), tags.get("exit_code"), text)


def _told(task: str, call: str, status: Status | None, code: Any, text: str, polled: bool = True) -> Told:
    number = int(code) if isinstance(code, int) or (isinstance(code, str) and code.isdigit()) else None
    if status == "ok" and number:
        status = "error"
    return Told(task, call, status or "running", number, text, polled)
