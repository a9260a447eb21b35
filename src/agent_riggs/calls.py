"""The nouns the judge speaks in: a call, what came back, and the verdict about it. Frozen, slotted, no behaviour.

They stand apart from the others of :mod:`agent_riggs.model` because a hook loads them while an agent waits.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

Outcome = Literal[
    "ok",
    "benign",
    "failed",
    "check_failed",
    "denied",
    "rejected",
    "interrupted",
    "cancelled",
    "masked",
    "pending",
    "unknown",
    "warmup",
]
"""What became of a call. ``warmup`` calls are dropped before the store; every other value is a column value."""

FAILURES: Final[frozenset[str]] = frozenset({"failed", "check_failed", "denied"})
"""The outcomes that get a row in ``failure_stream``."""

SUCCESSES: Final[frozenset[str]] = frozenset({"ok", "benign"})
"""The outcomes for which ``turns.tool_success`` is true."""

UNVERIFIED: Final = "unverified"
"""The rule of a shell line that swallows its commands' exit codes: nobody could have seen it fail."""

Status = Literal["ok", "error", "rejected", "denied", "interrupted", "cancelled", "running"]
"""The agent's own word about a call, where its format has one, in words common to all agents."""

ModeSource = Literal["recorded", "inferred", "kibitzer", "settings"]
"""Where a mode was learnt. A mode nobody recorded is ``None``, never a default."""


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What came back from a tool call, as the agent recorded it."""

    text: str
    """The text the model saw, text blocks joined by newlines, images dropped; uncut (the judge caps it)."""
    flag: bool | None = None
    """The agent's error flag; ``None`` where it wrote none (for Claude Code: no complaint)."""
    status: Status | None = None
    """The agent's own word, where the format carries one."""
    exit_code: int | None = None
    """A structured exit code. Codes that stand in the text are found by the judge, not by the source."""
    timestamp: int | None = None
    note: str = ""
    """Structured facts that explain a code, for example Claude Code's ``returnCodeInterpretation``."""
    user_said: str = ""
    """The human's own words on a rejection."""
    task_id: str = ""
    """Set when the command went on in the background: its outcome arrives later under this id."""
    position: int = 0
    """Byte offset of the record plus the block's index: orders two results for one call."""


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One request to a tool, with its result where the transcript holds one. The contract calls it a turn."""

    agent: str
    """Source name: ``claude_code``, ``codex``, ``gemini``, ``opencode``, ``copilot`` ..."""
    session_id: str
    """The session the record belongs to; for a subagent's call the session that started the subagent."""
    call_id: str
    """Identity of the call inside the agent: the provider's id, or one derived from session and record."""
    tool: str
    """The raw tool name; ``unknown`` where the record has none."""
    input: Mapping[str, Any]
    """The arguments as recorded. A bare string becomes ``{"input": text}``; anything else that is no object ``{}``."""
    position: int = 0
    """Byte offset of the record plus the block's index: the order of calls inside one transcript."""
    timestamp: int | None = None
    cwd: str = ""
    agent_id: str = ""
    """Subagent id; empty for the main thread."""
    mode: str | None = None
    mode_source: ModeSource | None = None
    model: str = ""
    version: str = ""
    branch: str = ""
    result: ToolResult | None = None


@dataclass(frozen=True, slots=True)
class Verdict:
    """The judge's finding about one call. A pure function of the call: ingest and hook get the same one."""

    outcome: Outcome
    rule: str
    """Name of the rule that decided, for audit."""
    tool: str
    """Canonical tool name."""
    category: str | None = None
    """The contract's coarse category; ``None`` unless the outcome is a failure."""
    failure_class: str | None = None
    """The finer class, see ``judge.classes``; also set on a ``masked`` suspect."""
    program: str | None = None
    """For a shell call the program that failed (with its sub-command where the class calls for it); on a success
    the program the line runs."""
    shape: str | None = None
    """The error line with paths, numbers, ids and quoted content masked."""
    fingerprint: str | None = None
    """``f`` and 16 hex digits over class, tool, program and shape."""
    secondary: tuple[str, ...] = ()
    """Up to 8 further fingerprints of other diagnostics in the same output, sorted; for recall only."""
    specific: bool = False
    """Whether the key names a cause; ``False`` for class ``other`` and for keys without a telling shape."""
    exit_code: int | None = None
    excerpt: str = ""
    """Redacted, at most 400 characters."""
