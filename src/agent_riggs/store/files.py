"""The store's folder and what lies in it. A repository may have brought it: nothing is made, read or written where a
link leads, and nothing that stands in the way is deleted."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import Final

from agent_riggs import regular
from agent_riggs.errors import RiggsError

README: Final = """This folder holds the memory of agent-riggs for this project.
store.duckdb is the store: `agent-riggs status` shows what is in it, docs/schema.md describes it.
Everything but your decisions can be rebuilt from the agents' transcripts with `agent-riggs ingest`, as long as the
agents keep them; your decisions are also kept in your user state folder. Nothing here is meant to be committed.
"""


def prepare_folder(folder: Path) -> None:
    """Create ``.riggs`` with what keeps it out of commits. Raises ``RiggsError`` when the folder is a link or cannot be
    written."""
    regular.refuse_link(folder)
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        for name, text in ((".gitignore", "*\n"), ("README", README)):
            with suppress(FileExistsError), open(folder / name, "x", encoding="utf-8") as file:
                file.write(text)
    except OSError as error:
        raise RiggsError(
            f"cannot write {folder}: {error.strerror or error}",
            hint="check the folder's permissions and the free space",
        ) from error


def discard_folder(folder: Path) -> None:
    """Take away what ``prepare_folder`` and a store in which nothing is left behind. What else lies there stays."""
    for name in (".gitignore", "README", "ingest.lock", "store.duckdb", "store.duckdb.wal"):
        (folder / name).unlink(missing_ok=True)
    with suppress(OSError):
        folder.rmdir()


def strays(store: Path) -> list[Path]:
    """What lies under the store's name, or one that DuckDB derives from it, and is no plain file.

    DuckDB follows a link there and writes where it leads. Only what it keeps for large queries is a folder, of files.
    """
    try:
        with os.scandir(store.parent) as entries:
            named = sorted((e for e in entries if e.name.startswith(store.name)), key=lambda entry: entry.name)
    except OSError:
        return []
    return [Path(entry.path) for entry in named if not _is_plain(entry)]


def _is_plain(entry: os.DirEntry[str]) -> bool:
    if not (entry.name.endswith(".tmp") and entry.is_dir(follow_symlinks=False)):
        return entry.is_file(follow_symlinks=False)
    try:
        with os.scandir(entry) as inside:
            return all(one.is_file(follow_symlinks=False) for one in inside)
    except FileNotFoundError:  # whoever made it is done
        return True


def set_aside(path: Path) -> Path:
    """Move a file of the store's, or a link in its place, out of the way under the first free name; returns that name.
    A store's write-ahead log goes with it."""
    number = 1
    while any(entry.startswith(f"store.broken-{number}.") for entry in os.listdir(path.parent)):
        number += 1
    target = path.with_name(f"store.broken-{number}.duckdb{path.name.partition('.duckdb')[2]}")
    log = path.with_name(path.name + ".wal")
    if os.path.lexists(log):
        os.replace(log, target.with_name(target.name + ".wal"))
    os.replace(path, target)
    return target


def keep_private(path: Path) -> None:
    """Nobody else reads it. Only what ``strays`` has found to be a plain file may be named."""
    with suppress(OSError):
        if path.lstat().st_mode & 0o777 != 0o600:
            path.chmod(0o600)
