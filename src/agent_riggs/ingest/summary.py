"""What an ingest did, for people and machines."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from agent_riggs.ingest.discover import Discovery
from agent_riggs.paths import Project
from agent_riggs.store import Connection, turns


@dataclass(frozen=True, slots=True)
class Summary:
    """Counts of one ingest. ``sessions``, ``calls`` and ``outcomes`` are what the store holds afterwards."""

    project: Project
    found: int
    """Transcripts on disk, of whatever project."""
    ours: int
    """Those of this project."""
    read: int
    """Those read in this run because they were new or had changed."""
    lines: int
    """Lines looked at in this run."""
    understood: int
    """Of these, lines of a known type."""
    unknown: Mapping[str, int]
    """Unknown record types with counts, this run."""
    new_calls: int
    changed_calls: int
    """Calls that were known and learnt something: a result, an owner."""
    warmups: int
    problems: int
    """Problems met for the first time in this run."""
    sessions: int
    calls: int
    outcomes: Mapping[str, int]
    strange: int
    """Transcripts in which not one record was of a known kind."""
    other_folders: tuple[str, ...]
    """Folders of the transcripts that belong to other projects, most frequent first."""
    set_aside: Path | None
    """Where a broken or foreign store that stood in the way was moved."""
    taken_over: bool
    """Whether the store held what somebody else, or an earlier release, had put there."""

    @property
    def is_nothing(self) -> bool:
        """Whether nothing of the project was found, now or before, nor anything to tell of it."""
        return not (self.ours or self.calls or self.sessions or self.problems or self.set_aside)


@dataclass(slots=True)
class Tally:
    """The counts while they grow."""

    read: int = 0
    lines: int = 0
    understood: int = 0
    unknown: Counter[str] = field(default_factory=Counter)
    new_calls: int = 0
    changed_calls: int = 0
    warmups: int = 0
    problems: int = 0
    sessions: int = 0
    calls: int = 0
    outcomes: dict[str, int] = field(default_factory=dict)
    set_aside: Path | None = None
    taken_over: bool = False

    def totals(self, conn: Connection) -> None:
        """Take the store's totals."""
        self.sessions, self.outcomes = turns.totals(conn)
        self.calls = sum(self.outcomes.values())

    def summary(self, project: Project, found: Discovery) -> Summary:
        """The finished counts."""
        return Summary(
            project=project,
            found=found.found,
            ours=found.ours,
            read=self.read,
            lines=self.lines,
            understood=self.understood,
            unknown=dict(sorted(self.unknown.items())),
            new_calls=self.new_calls,
            changed_calls=self.changed_calls,
            warmups=self.warmups,
            problems=self.problems,
            sessions=self.sessions,
            calls=self.calls,
            outcomes=self.outcomes,
            strange=found.strange,
            other_folders=found.folders,
            set_aside=self.set_aside,
            taken_over=self.taken_over,
        )
