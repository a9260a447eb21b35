"""What the reader of a Claude Code transcript remembers from record to record, and from one reading to the next."""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from dataclasses import dataclass, field
from typing import Any, Final

from agent_riggs.model import ModeSource
from agent_riggs.sources.claude_records import Record
from agent_riggs.sources.decode import id_of, str_of, time_of

_KEPT: Final = 256
_MAX_NAME: Final = 64

PLAN: Final = "plan"


@dataclass(slots=True)
class Memory:
    """Small and free of transcript text: ids, times, names, the working folder."""

    session: str = ""
    """The transcript's session: the id that names the file once a record carries it, else the first one met."""
    cwd: str = ""
    version: str = ""
    versions: list[str] = field(default_factory=list)
    started: int | None = None
    ended: int | None = None
    background: bool = False
    mode: str | None = None
    mode_source: ModeSource | None = None
    before: str | None = None
    """Mode that was left for the present one, to return to."""
    asked: dict[str, str] = field(default_factory=dict)
    """Open calls whose result changes what we know: call id to ``enter``, ``exit`` or ``task:ID``."""
    blocked: list[str] = field(default_factory=list)
    """Calls a hook refused and whose result is still to come."""

    told: list[str] = field(default_factory=list)
    """Background outcomes passed on: the agent records each up to three times."""
    begun: bool = False
    """Whether a prompt or call has been met."""
    warming: bool = False
    """Whether it began with the agent's own prompt to warm its cache (2.1.1 to 2.1.5), the latest so far."""
    rejected: list[Any] = field(default_factory=list)
    """The call a human just refused without a word, while their next words may still tell why: byte offset of the
    result, call id."""

    @classmethod
    def of(cls, state: Mapping[str, Any]) -> Memory:
        """The memory a cursor carries."""
        return cls(**{name: copy(state[name]) for name in cls.__dataclass_fields__ if name in state})

    def state(self) -> dict[str, Any]:
        """What a cursor is to carry."""
        return {name: value for name in self.__dataclass_fields__ if (value := getattr(self, name))}

    def meet(self, record: Record, stem: str, now: int) -> int | None:
        """Take in a record's envelope; returns its time."""
        if record.sessionId != self.session:
            session = id_of(record.sessionId)
            if session and (not self.session or session == stem):
                self.session = session
        if isinstance(record.cwd, str) and record.cwd:
            self.cwd = record.cwd
        if record.version != self.version and (version := str_of(record.version)[:_MAX_NAME]):
            self.version = version
            if version not in self.versions and len(self.versions) < _KEPT:
                self.versions.append(version)
        if record.sessionKind == "bg":
            self.background = True
        when = time_of(record.timestamp, now) if record.timestamp is not None else None
        if when is not None:
            if self.started is None:
                self.started = when
            if self.ended is None or self.ended < when:
                self.ended = when
        return when

    def record_mode(self, mode: object) -> None:
        """The transcript states the mode in force."""
        if isinstance(mode, str) and mode:
            self._enter(mode[:_MAX_NAME], "recorded")

    def enter(self, mode: str) -> None:
        """An event shows that ``mode`` begins."""
        if self.mode != mode:
            self._enter(mode, "inferred")

    def _enter(self, mode: str, source: ModeSource) -> None:
        if mode != self.mode:
            self.before = None if self.mode == PLAN else self.mode
        self.mode, self.mode_source = mode, source

    def leave(self, mode: str) -> None:
        """An event shows that ``mode`` ends. What follows is written at the next prompt; until then the mode before
        is the best guess, and without one the mode is unknown."""
        if self.mode == mode:
            self.mode, self.before = self.before, None
            self.mode_source = "inferred" if self.mode else None

    def ask(self, call_id: str, what: str) -> None:
        """A call whose result matters later; the oldest are forgotten when too many stay open."""
        if what and len(what) <= 2 * _MAX_NAME:
            self.asked[call_id] = what
            while len(self.asked) > _KEPT:
                del self.asked[next(iter(self.asked))]

    def block(self, call_id: str) -> None:
        """A hook refused this call."""
        self.blocked = [*self.blocked, call_id][-_KEPT:]

    def was_blocked(self, call_id: str) -> bool:
        """Whether a hook refused the call; asked once, when its result is there."""
        if call_id not in self.blocked:
            return False
        self.blocked.remove(call_id)
        return True

    def first_told(self, mark: str) -> bool:
        """Whether this outcome is news."""
        if mark in self.told:
            return False
        self.told = [*self.told, mark][-_KEPT:]
        return True
