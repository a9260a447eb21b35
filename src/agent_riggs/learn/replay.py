"""Replay: a candidate run over the history that it was made from. How often would it have spoken, and rightly?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from agent_riggs.deliver.recall import call_words
from agent_riggs.judge import shell
from agent_riggs.learn import fixes
from agent_riggs.learn.candidates import Span, covered
from agent_riggs.learn.evidence import Candidate
from agent_riggs.learn.fixes import Trace
from agent_riggs.store import mining, windows
from agent_riggs.store.mining import ALL_TIME, Connection

ROOTS: Final = 200
"""Root sessions replayed per fingerprint, the latest ones."""
PER_ROOT: Final = 10
SHAPES: Final = 50
"""Fingerprints replayed of a coarse key, those of most sessions."""


@dataclass(frozen=True, slots=True)
class Replay:
    """What would have happened. Counts are of failures, except ``sessions`` (root sessions)."""

    fired: int
    sessions: int
    agreed: int
    """Recovered in the way the fix says."""
    otherwise: int
    """Recovered in another way: the advice would have been beside the point."""
    never: int
    """Not recovered at all."""
    saved: int
    """Calls between failure and recovery that the advice would have spared, over those that agreed."""
    comparable: bool = True
    """Whether the fix text is one that mining knows; a human's own words cannot be compared."""
    early: int = 0
    """Calls that begin like the trigger, for advice before the call."""
    early_wrong: int = 0
    """Of these, calls that succeeded: advice before them would have been wrong."""
    named: bool = True
    """Whether there is a fix text at all."""

    def line(self) -> str:
        """The one line that ``show`` and ``review`` print."""
        if not self.fired:
            return "nothing to replay: no failure in the store belongs to it"
        text = f"would have fired {_many(self.fired, 'time')} in {_many(self.sessions, 'session')}"
        if not self.named:
            text += f": {self.otherwise} recovered, {self.never} never; there is no fix to compare with yet"
        elif not self.comparable:
            text += f": {self.agreed + self.otherwise} recovered, {self.never} never; your own words cannot be compared"
        else:
            text += f": {self.agreed} recovered this way, {self.otherwise} another way, {self.never} never"
            text += f"; at most {_many(self.saved, 'call')} saved, each time taken at once" if self.saved else ""
        if self.early:
            spoken = _many(self.early, "time")
            text += f"; before the call it would have spoken {spoken}, {self.early_wrong} of them wrongly"
        return text


def _many(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def replay(conn: Connection, candidate: Candidate, fix: str | None = None) -> Replay:
    """Run a candidate over all history; ``fix`` is the text to compare with, else the mined one."""
    mining.prepare(conn)
    text = candidate.fix if fix is None else fix
    traces = _traces(conn, _fingerprints(conn, candidate))
    known = any(text == change.text for trace in traces for change in trace.changes)
    agreed = [t for t in traces if t.recovered and any(text == change.text for change in t.changes)]
    recovered = [t for t in traces if t.recovered]
    early, wrong = _early(conn, candidate)
    return Replay(
        fired=len(traces),
        sessions=len({trace.root for trace in traces}),
        agreed=len(agreed),
        otherwise=len(recovered) - len(agreed),
        never=len(traces) - len(recovered),
        saved=sum(max(trace.calls - 1, 0) for trace in agreed),
        comparable=known or not text,
        early=early,
        early_wrong=wrong,
        named=bool(text),
    )


def _fingerprints(conn: Connection, candidate: Candidate) -> list[str]:
    mark = candidate.evidence.get("fingerprint")
    if isinstance(mark, str) and mark:
        return [mark]
    return [total.fingerprint for total in covered(conn, candidate)[:SHAPES] if total.fingerprint]


def _traces(conn: Connection, marks: Sequence[str]) -> list[Trace]:
    span = Span(*ALL_TIME, 0)
    found = windows.windows(conn, marks, span.since, span.until, roots=ROOTS, per_root=PER_ROOT, ahead=fixes.AHEAD)
    return [fixes.trace(window) for window in found]


def _early(conn: Connection, candidate: Candidate) -> tuple[int, int]:
    """(calls that begin like the trigger, those of them that succeeded)."""
    trigger = candidate.evidence.get("trigger")
    words = tuple(trigger.get("words", ())) if isinstance(trigger, dict) else ()
    if not words:
        return 0, 0
    tool = str(candidate.evidence.get("tool") or "")
    met = [
        ok
        for line, ok in mining.commands_with(conn, tool, words[0])
        if any(call_words(command)[: len(words)] == words for command in shell.parse(line).commands)
    ]
    return len(met), sum(met)
