"""What the store remembers when a run begins, and whether that is still all there is."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from agent_riggs.config import Trust
from agent_riggs.judge import RULES_VERSION
from agent_riggs.judge.redact import redact
from agent_riggs.store import Connection, transcripts, turns
from agent_riggs.store.transcripts import Known, TranscriptRow

SETTLED: Final = "settled"
"""Name of the mark that the last run came to its end: taken away before anything is written, set with the last word."""


@dataclass(slots=True)
class Memory:
    """The store's facts, cursors and settings as they stood before."""

    meta: Mapping[str, str]
    known: Sequence[Known]
    """Every transcript ever met; all changed where the rules of judging did."""
    aliases: tuple[str, ...]
    """Further names under which transcripts know the project."""
    trust_rules: str
    rows: Sequence[TranscriptRow] = ()
    """The whole rows of those that are looked at."""

    @property
    def other_trust_rules(self) -> bool:
        """Whether trust was computed with other settings."""
        return self.meta.get("trust_rules", self.trust_rules) != self.trust_rules

    def noted(self, now: int) -> dict[str, str]:
        """What a finished run leaves for the next one."""
        return {
            "rules_version": str(RULES_VERSION),
            "trust_rules": self.trust_rules,
            "recorded_as": "\n".join(self.aliases),
            SETTLED: "yes",
            "last_ingest": str(now),
        }


def remembered(conn: Connection, settings: Trust, recorded_as: str) -> Memory:
    """What the store behind ``conn`` knows."""
    meta, known = transcripts.get_meta(conn), transcripts.known(conn)
    names = dict.fromkeys([*meta.get("recorded_as", "").split("\n"), redact(recorded_as)])
    noted = repr((settings.initial_trust, settings.weights, sorted(settings.scores.items())))
    if _has_other_rules(meta):
        known = [row._replace(stamp="") for row in known]
    return Memory(meta, known, tuple(name for name in names if name), noted)


def take_up(conn: Connection, memory: Memory, wanted: set[int]) -> None:
    """Load what has to be known of the transcripts that are looked at; from here on the run is not finished."""
    memory.rows = transcripts.load(conn, wanted)
    if _has_other_rules(memory.meta):
        for row in memory.rows:
            row.stamp = row.head = ""
    transcripts.drop_meta(conn, SETTLED)


def stays(conn: Connection, memory: Memory, now: int) -> bool:
    """Whether nothing is left to do, where no transcript is new: then only the time of this run is noted."""
    before = {key: value for key, value in memory.noted(now).items() if key != "last_ingest"}
    if any(memory.meta.get(key) != value for key, value in before.items()) or turns.has_unsettled(conn):
        return False
    transcripts.drop_mended(conn, is_open)
    transcripts.set_meta(conn, {"last_ingest": str(now)})
    return True


def is_open(path: str) -> bool:
    """Whether it is a folder that can be looked into."""
    return os.path.isdir(path) and os.access(path, os.R_OK | os.X_OK)


def _has_other_rules(meta: Mapping[str, str]) -> bool:
    return meta.get("rules_version", str(RULES_VERSION)) != str(RULES_VERSION)
