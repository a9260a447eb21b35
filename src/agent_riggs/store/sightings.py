"""Rows of ``sightings`` as Python values, and of ``nudge_trials``: what sister tools recorded."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from agent_riggs.driver import duckdb
from agent_riggs.model import SightingKind, Trial
from agent_riggs.store import columns
from agent_riggs.store.ids import stable_id
from agent_riggs.store.turns import NAMES, SELECT, TurnRow, by_column


@dataclass(slots=True)
class SightingRow:
    """One sighting: the row of the turn it may become, and what the join needs besides."""

    turn: TurnRow
    kind: SightingKind
    evidence: bool
    mode_after: str | None = None
    also_at: int | None = None


_MORE: Final = "kind, evidence, mode_after, epoch_us(also_at)"


def fetch(conn: duckdb.DuckDBPyConnection, turn_ids: Iterable[int]) -> dict[int, SightingRow]:
    """The stored ones among ``turn_ids``."""
    return {row.turn.turn_id: row for row in select(conn, "turn_id IN (SELECT unnest(?::BIGINT[]))", [list(turn_ids)])}


def select(conn: duckdb.DuckDBPyConnection, where: str, parameters: Sequence[object]) -> list[SightingRow]:
    """The stored ones for which a condition holds, in the order they were recorded."""
    rows = conn.execute(
        f"SELECT {SELECT}, {_MORE} FROM sightings WHERE {where} ORDER BY transcript_id, position, turn_id", parameters
    ).fetchall()
    return [SightingRow(TurnRow(*row[: len(NAMES)]), *row[len(NAMES) :]) for row in rows]


def save(conn: duckdb.DuckDBPyConnection, rows: Sequence[SightingRow]) -> None:
    """Insert or overwrite; they are to be joined again."""
    values = by_column([row.turn for row in rows]) | {
        "kind": [row.kind for row in rows],
        "evidence": [row.evidence for row in rows],
        "mode_after": [row.mode_after for row in rows],
        "also_at": [row.also_at for row in rows],
        "settled": [False] * len(rows),
    }
    columns.insert(conn, "sightings", values, "OR REPLACE")


def save_trials(conn: duckdb.DuckDBPyConnection, trials: Iterable[Trial]) -> None:
    """Store those trials whose session is one of this project's."""
    known = {
        row[0]
        for row in conn.execute(
            "SELECT session_id FROM turns UNION SELECT session_id FROM sightings "
            "UNION SELECT session_id FROM transcripts WHERE ours"
        ).fetchall()
    }
    mine = {_trial_id(trial): trial for trial in trials if trial.session_id in known}
    names = ("plugin", "arm", "heed", "turns_to_heed", "session_id", "ts")
    values = {name: [getattr(trial, name) for trial in mine.values()] for name in names}
    columns.insert(conn, "nudge_trials", {"trial_id": list(mine), **values}, "OR REPLACE")


def _trial_id(trial: Trial) -> int:
    return stable_id("trial", trial.session_id, trial.plugin, trial.arm, str(trial.ts))
