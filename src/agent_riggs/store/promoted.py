"""The promoted rows of any store of the contract, ours or not: what a consumer reads, and all it may rely on."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

from agent_riggs.driver import duckdb
from agent_riggs.store import documents, fence, files, scratch
from agent_riggs.store.migrations import tables


def promoted(path: Path) -> list[tuple[str, str, dict[str, Any], str | None]] | None:
    """(key, type, evidence, reason) of every promoted row, in the order of the file.

    Reads only the columns that the contract fixes. ``None`` when the file is missing or no database; an empty list
    when it holds no decisions. While another process writes the file, a copy of its last checkpoint is read.
    """
    if not path.is_file() or files.strays(path):
        return None
    try:
        return _read(path)
    except duckdb.IOException:
        return _read_copy(path)
    except duckdb.Error:
        return None


def _read_copy(path: Path) -> list[tuple[str, str, dict[str, Any], str | None]] | None:
    with scratch.place("store.duckdb") as name:
        copy = Path(name)
        try:
            shutil.copyfile(path, copy)
            return _read(copy)
        except (duckdb.Error, OSError):
            return None


def _read(path: Path) -> list[tuple[str, str, dict[str, Any], str | None]]:
    with duckdb.connect(str(path), read_only=True) as conn:
        try:
            fence.builtins_first(conn)
            if "ratchet_decisions" not in tables(conn):
                return []
            rows = conn.execute(
                """
                SELECT candidate_key, candidate_type, evidence::VARCHAR, reason FROM ratchet_decisions
                WHERE decision = 'promoted' AND candidate_key IS NOT NULL
                """
            ).fetchall()
        except duckdb.CatalogException:
            return []
    return [(key, kind or "", documents.mapping(evidence), reason) for key, kind, evidence, reason in rows]
