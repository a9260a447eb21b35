"""What a Codex record says about one call: its input, its output, and the outcome facts beside it.

Output forms as measured on rollouts of Codex 0.45 to 0.171 (formats differ by age, so each is recognized by content):
a JSON string with ``metadata.exit_code`` (to 0.80), a text headed ``Exit code: N`` (0.63 to 0.121), a text headed
``Chunk ID`` with ``Process exited with code N`` (from 0.106), a list of text and image items. Codes that stand
in the text stay there: the judge reads them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from agent_riggs.model import Status
from agent_riggs.sources import decode

_REJECTED: Final = re.compile(r"\A(?:exec command |patch |command )?rejected by user\b|Rejected\(\\?\"rejected by user")
_ABORTED: Final = re.compile(r"\A(?:Wall time: [^\n]{0,40}\n)?(?:aborted(?: by user)?\b(?: after [^\n]{0,40})?)\s*\Z")
_NOT_RUN: Final = re.compile(
    r"\A(?:execution error: |failed in sandbox: |exec_command failed|write_stdin failed|unsupported call: "
    r"|failed to parse function arguments|apply_patch verification failed)"
)
_HEADER: Final = re.compile(r"\A(?:Command: [^\n]*\n)?(?:Chunk ID: [^\n]*\n)?(?:Wall time: [^\n]*\n)?")
_RUNNING: Final = re.compile(r"Process running with session ID (\d+)")
_EXITED: Final = re.compile(r"Process exited with code (-?\d+)")
_HEAD_CHARS: Final = 4000


def arguments(value: object) -> dict[str, Any]:
    """The input of a call: an object as it is, a JSON string decoded, any other text under ``input``."""
    if isinstance(value, dict):
        return value
    if not isinstance(value, str) or not value:
        return {}
    decoded = loads(value) if value.lstrip()[:1] == "{" else None
    return decoded if isinstance(decoded, dict) else {"input": value}


def loads(text: str) -> Any:
    """The JSON value in a text, or ``None``; never raises on depth, size or form."""
    return decode.loads(text.encode("utf-8", "replace"))


def output(value: object) -> tuple[str, int | None]:
    """Text the model saw, and the structured exit code where the form has one."""
    if isinstance(value, str):
        if value.startswith("{") and value.rstrip().endswith("}") and '"metadata"' in value[-400:] + value[:400]:
            decoded = loads(value)
            if isinstance(decoded, dict) and isinstance(decoded.get("metadata"), dict):
                return output(decoded)
        return value, None
    if isinstance(value, list):
        return "\n".join(texts(value)), None
    if isinstance(value, dict):
        metadata = value.get("metadata")
        code = whole(metadata.get("exit_code")) if isinstance(metadata, dict) else None
        body = next((value[k] for k in ("output", "content", "text") if k in value), "")
        text, inner = output(body)
        return text, inner if code is None else code
    return "", None


def texts(items: list[Any]) -> list[str]:
    """The text items of a content list; images and unknown items carry none."""
    return [i["text"] for i in items if isinstance(i, dict) and isinstance(i.get("text"), str)]


def whole(value: object) -> int | None:
    """An exit code: a whole number of at most ten digits, never a truth value."""
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) < 10**10:
        return value
    if isinstance(value, float) and value.is_integer() and abs(value) < 10**10:
        return int(value)
    return None


def status_of(text: str) -> Status | None:
    """Codex's own fixed answers for a call that a human stopped or that it could not run; else ``None``."""
    head = text[:_HEAD_CHARS]
    if "rejected by user" in head and _REJECTED.search(head):
        return "rejected"
    if len(text) < 200 and _ABORTED.match(head):
        return "interrupted"
    return "error" if _NOT_RUN.match(head) else None


def running_session(text: str) -> str:
    """Session id of a command that was still running when the call returned (from 0.125); else empty."""
    start = _HEADER.match(text)
    found = _RUNNING.match(text, start.end() if start else 0)
    return found[1] if found else ""


def exited(text: str) -> int | None:
    """Exit code in the header line of a unified exec output, used to close a running command."""
    start = _HEADER.match(text)
    found = _EXITED.match(text, start.end() if start else 0)
    return int(found[1]) if found else None


def body(text: str) -> str:
    """The output below the header of a unified exec result."""
    return text.split("\nOutput:\n", 1)[1] if "\nOutput:\n" in text[:_HEAD_CHARS] else text


def mode_of(context: Mapping[str, Any]) -> str | None:
    """The mode of a turn: ``plan``, else ``<approval>/<sandbox>``, for example ``on-request/workspace-write``."""
    collaboration = context.get("collaboration_mode")
    if isinstance(collaboration, dict) and collaboration.get("mode") == "plan":
        return "plan"
    approval = _word(context.get("approval_policy"))
    sandbox = _word(context.get("sandbox_policy"))
    return f"{approval}/{sandbox}" if approval and sandbox else approval or sandbox


def _word(policy: object) -> str | None:
    if isinstance(policy, str):
        return policy[:60] or None
    if isinstance(policy, dict):
        for key in ("mode", "type"):
            if isinstance(policy.get(key), str):
                return _word(policy[key])
        return "granular" if policy else None
    return None


def ended_exit(item: Mapping[str, Any]) -> tuple[str, int | None, Status | None]:
    """What an end event tells of a call: call id, exit code, status.

    Understands ``exec_command_end``, ``patch_apply_end``, ``mcp_tool_call_end`` and the items of ``item_completed``
    (CommandExecution, FileChange, McpToolCall ...). Declined commands count as rejected.
    """
    call_id = next((item[k] for k in ("call_id", "id") if isinstance(item.get(k), str)), "")
    code = whole(item.get("exit_code"))
    status: Status | None = None
    if item.get("status") == "declined":
        status = "rejected"
    elif _flagged(item) or (item.get("status") == "failed" and code is None):
        status = "error"
    return call_id, code, status


def _flagged(item: Mapping[str, Any]) -> bool:
    return item.get("success") is False or bool(item.get("error")) or _mcp_failed(item.get("result"))


def _mcp_failed(result: object) -> bool:
    if not isinstance(result, dict):
        return False
    if "Err" in result:
        return True
    inner = result.get("Ok", result)
    return isinstance(inner, dict) and (inner.get("isError") is True or inner.get("is_error") is True)


def shell_action(payload: Mapping[str, Any]) -> dict[str, Any]:
    """The input of a ``local_shell_call``: its action without the environment."""
    action = payload.get("action")
    if not isinstance(action, dict):
        return {}
    kept = ("command", "timeout_ms", "working_directory", "user")
    return {("workdir" if k == "working_directory" else k): action[k] for k in kept if action.get(k) is not None}
