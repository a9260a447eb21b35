"""The nouns every other module speaks in: frozen, slotted, no behaviour beyond what they hold.

Times are integers, microseconds since 1970-01-01 UTC, because they are compared, stored and hashed by
the hundred thousand; ``None`` means that the transcript gives no usable time.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from agent_riggs.calls import (
    FAILURES,
    SUCCESSES,
    UNVERIFIED,
    ModeSource,
    Outcome,
    Status,
    ToolCall,
    ToolResult,
    Verdict,
)

if TYPE_CHECKING:
    from pathlib import Path

SightingKind = Literal[
    "call", "denial", "floor_block", "generation", "mode_switch", "transition", "event", "run", "delegate"
]
"""What a sister tool's record is about. ``event`` tells the mode and nothing else; ``delegate`` is a run that another
tool reported about itself."""


@dataclass(frozen=True, slots=True)
class LateResult:
    """A result whose call is not in this reading: it stands in another file or was read by an earlier ingest."""

    agent: str
    session_id: str
    call_id: str
    result: ToolResult


@dataclass(frozen=True, slots=True)
class Notice:
    """The outcome of a background task, told after the call had returned. ``task_id`` or ``call_id`` names it."""

    agent: str
    session_id: str
    status: Status
    task_id: str = ""
    call_id: str = ""
    exit_code: int | None = None
    text: str = ""
    timestamp: int | None = None
    position: int = 0


@dataclass(frozen=True, slots=True)
class Problem:
    """An input that could not be read: where, and why in one plain sentence."""

    path: str
    reason: str
    line: int | None = None
    """One-based line number; ``None`` when the whole file is meant."""


@dataclass(frozen=True, slots=True)
class Transcript:
    """One transcript a source found on disk (a file, or one session inside a database)."""

    source: str
    key: str
    """Stable identity, normally ``str(path)``; for a database ``path#session``."""
    file: str | Path
    """Where it lies; text is enough, for of the many files that did not change nobody wants the ``path``."""
    size: int
    stamp: str
    """Changes whenever the content may have changed, for example ``device:inode:size:mtime_ns``."""
    parent: Path | None = None
    """The main transcript of the session when this one is a subagent's; decides the project."""
    home: str = ""
    """The agent's home folder it was found under."""
    zone: str = ""
    """Time zone of times that it records without one, as ``$TZ`` names it; empty: the machine's."""

    @property
    def path(self) -> Path:
        """Where it lies."""
        from pathlib import Path

        return Path(self.file)


@dataclass(frozen=True, slots=True)
class Head:
    """What the first records of a transcript tell: enough to know whose it is without reading the rest."""

    session_id: str
    cwd: str
    """Working folder of the first record that has one; empty when none has."""
    started: int | None = None


@dataclass(frozen=True, slots=True)
class Cursor:
    """How far a transcript has been read, and what the reader must remember to go on from there."""

    offset: int = 0
    """Byte after the last whole line read."""
    line: int = 0
    """Lines read so far."""
    head: str = ""
    """Hash of the first bytes: another hash means another file under the same name."""
    state: Mapping[str, Any] = field(default_factory=dict)
    """The reader's own memory (mode in force, session id, versions ...): JSON-able, free of transcript text."""


@dataclass(frozen=True, slots=True)
class ReadEnd:
    """The last value of every reading: where it stopped and what it covered."""

    cursor: Cursor
    lines: int = 0
    """Lines looked at in this reading."""
    understood: int = 0
    """Lines of a type this source knows."""
    unknown: Mapping[str, int] = field(default_factory=dict)
    """Unknown record and block types with their counts."""
    warmups: int = 0
    """Cache warm-up calls dropped."""
    versions: tuple[str, ...] = ()
    session_id: str = ""
    started: int | None = None
    """Time of the transcript's first record."""
    ended: int | None = None
    background: bool = False
    """The transcript says it is a background copy (a fork) of another session."""
    unsettled: bool = False
    """Something in it was not told to its end, or was being written: read it again even when it looks unchanged."""


@dataclass(frozen=True, slots=True)
class Sighting:
    """What a sister tool recorded about an event that a transcript may hold as well.

    It is joined to the transcript's call, whichever of the two is read first; only one that no transcript holds, and
    that is evidence, becomes a turn of its own.
    """

    call: ToolCall
    """The event as the sister tool saw it; ``mode`` is the one in force when it happened."""
    kind: SightingKind
    evidence: bool = True
    """Whether its outcome is to be believed."""
    mark: str = ""
    """The recorded arguments as text, cut where the tool cuts them: what a transcript's call is compared by."""
    category: str | None = None
    """Category of a failure where the kind of record decides it."""
    mode_after: str | None = None
    """The mode from then on."""
    also_at: int | None = None
    """The other reading of a local time that came twice when a clock was set back."""


@dataclass(frozen=True, slots=True)
class Trial:
    """One closed trial of a nudge, as kibitzer records it for all projects of a user."""

    plugin: str
    """The sister tool that was suggested, or would have been."""
    arm: str
    """``nudge``, ``control`` (nothing was said) or ``suppressed``."""
    heed: bool | None
    """Whether the agent went on to use the tool."""
    turns_to_heed: int | None
    session_id: str
    ts: int | None


Event = ToolCall | LateResult | Notice | Sighting | Problem | ReadEnd
"""What a source yields; exactly one ``ReadEnd`` comes, and it comes last."""

__all__ = [
    "FAILURES",
    "SUCCESSES",
    "UNVERIFIED",
    "Cursor",
    "Event",
    "Head",
    "LateResult",
    "ModeSource",
    "Notice",
    "Outcome",
    "Problem",
    "ReadEnd",
    "Sighting",
    "SightingKind",
    "Status",
    "ToolCall",
    "ToolResult",
    "Transcript",
    "Trial",
    "Verdict",
]
