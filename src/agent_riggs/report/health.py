"""What could go wrong here, and the command that mends it. Looks, and changes nothing."""

from __future__ import annotations

import os
import platform
import shutil
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Final, Literal

from agent_riggs import config
from agent_riggs.errors import RiggsError
from agent_riggs.learn import ledger
from agent_riggs.learn.ledger import Ledger
from agent_riggs.learn.log import MEND, set_aside
from agent_riggs.model import Problem
from agent_riggs.paths import Project, state_dir, store_path
from agent_riggs.report.retention import claude_retention
from agent_riggs.report.sources import looked_in, suspicion
from agent_riggs.report.status import last_ingest
from agent_riggs.sources import BROKEN
from agent_riggs.sources.base import Source
from agent_riggs.store import Store, open_read, queries, transcripts

State = Literal["ok", "note", "wrong"]

DAY: Final = 86_400_000_000
LEAST_FREE: Final = 500_000_000
"""Free bytes below which the disk is called full."""


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was looked at."""

    name: str
    state: State
    found: str
    remedy: str = ""
    """What to do about it; empty when there is nothing to do."""


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What the checks look at."""

    project: Project
    sources: Mapping[str, Source]
    environ: Mapping[str, str]
    home: Path
    now: int
    """Microseconds since 1970 UTC."""


def checks(at: Surroundings) -> Iterator[Check]:
    """Every check, in the order in which things go wrong."""
    yield Check("project", "ok", f"{at.project.root} (key {at.project.key})")
    yield from _programs()
    yield from _settings(at)
    yield from _agents(at)
    yield from _store(at)
    yield from _decisions(at)
    yield from _folders(at)


def _programs() -> Iterator[Check]:
    names = ("agent-riggs", "duckdb", "click", "msgspec")
    versions = [f"{name} {_version(name)}" for name in names]
    yield Check("programs", "ok", ", ".join([*versions, f"Python {platform.python_version()}"]))
    if _version("tree-sitter-bash") == "missing" or _version("tree-sitter") == "missing":
        yield Check(
            "shell parser", "wrong", "tree-sitter-bash is missing: programs in shell lines are guessed",
            "pip install tree-sitter tree-sitter-bash",
        )  # fmt: skip


def _version(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "missing"


def _settings(at: Surroundings) -> Iterator[Check]:
    path = config.config_path(at.project.root)
    try:
        settings = config.load(at.project.root)
    except RiggsError as error:
        yield Check("settings", "wrong", error.message, error.hint or f"edit {path}")
        return
    if settings.retired:
        yield Check(
            "settings", "note", f"no effect any more: {', '.join(settings.retired)}", f"remove them from {path}"
        )
    else:
        yield Check("settings", "ok", str(path) if path.exists() else "defaults")


def _agents(at: Surroundings) -> Iterator[Check]:
    absent = []
    for name, source in at.sources.items():
        found = list(source.find(at.environ, at.home))
        broken = [item for item in found if isinstance(item, Problem)]
        count = len(found) - len(broken)
        places = ", ".join(str(folder) for folder in looked_in(name, source, at.environ, at.home) if folder.is_dir())
        if broken:
            yield Check(name, "wrong", f"{broken[0].path}: {broken[0].reason}", "check the permissions there")
        elif count:
            yield Check(name, "ok", f"{count:,} transcripts{' in ' if places else ''}{places}")
        else:
            absent.append(name)
    if absent:
        yield Check("other agents", "note", f"no transcripts of {', '.join(absent)}", "agent-riggs sources")
    for problem in BROKEN:
        yield Check("sources", "wrong", f"{problem.path}: {problem.reason}", "upgrade or remove that package")
    if "claude_code" in at.sources:
        yield _retention(at)


def _retention(at: Surroundings) -> Check:
    rule = claude_retention(at.project.root, at.environ, at.home)
    where = f"cleanupPeriodDays in {rule.file}" if rule.file else "its default"
    if rule.days == 0:
        return Check(
            "retention",
            "wrong",
            f"Claude Code writes no transcripts ({where} is 0)",
            "set cleanupPeriodDays to 30 or more",
        )
    return Check("retention", "ok", f"Claude Code deletes transcripts after {rule.days} days ({where})")


def _store(at: Surroundings) -> Iterator[Check]:
    path = store_path(at.project)
    if not path.exists():
        yield Check("store", "note", f"{path} does not exist yet", "agent-riggs ingest")
        return
    try:
        with open_read(path) as store:
            yield from _open_store(at, store)
    except RiggsError as error:
        yield Check("store", "wrong", error.message, error.hint or "agent-riggs ingest")


def _open_store(at: Surroundings, store: Store) -> Iterator[Check]:
    meta = transcripts.get_meta(store.conn)
    size = store.path.stat().st_size
    yield Check("store", "ok", f"{store.path}, {size / 1e6:.1f} MB, schema version {meta.get('schema_version', '?')}")
    if store.snapshot:
        holder = _holder(store.path) or "another process"
        yield Check("lock", "note", f"{holder} is writing the store", "wait until it has finished")
    yield _age(at, last_ingest(meta))
    for row in queries.coverage(store.conn):
        why = suspicion(row)
        if why:
            yield Check(row.source, "wrong", why, "agent-riggs sources")
    count = queries.totals(store.conn).problems
    if count:
        yield Check(
            "problems", "note", f"{count:,} input{'' if count == 1 else 's'} could not be read", "agent-riggs problems"
        )


def _decisions(at: Surroundings) -> Iterator[Check]:
    try:
        book = Ledger(state_dir(at.project, at.environ), at.project.key)
        with open_read(store_path(at.project)) as store:
            log = book.read()
            trouble, remedy = ledger.trouble(store.conn, log, book.log)
            theirs = sum(not one.lost for one in ledger.foreign(store.conn, log)) if log.readable else 0
    except RiggsError:
        return  # told with the store or the state folder
    if trouble:
        yield Check("decisions", "wrong", trouble, remedy)
    elif log.entries:
        yield Check("decisions", "ok", f"{len(log.entries):,} in {book.log}, {len(ledger.live(log)):,} served")
    if theirs:
        yield Check("decisions", "note", f"{theirs:,} of others in this store, not served", "agent-riggs ratchet list")
    for path in set_aside(book.log):
        found = f"a broken log was kept as {path}: what stands in it behind the break is not served"
        yield Check("decisions", "note", found, f"{MEND}; then remove that file")


def _age(at: Surroundings, when: int | None) -> Check:
    if when is None:
        return Check("last ingest", "note", "never", "agent-riggs ingest")
    days = max(at.now - when, 0) // DAY
    limit = claude_retention(at.project.root, at.environ, at.home).days
    shown = "today" if days == 0 else "1 day ago" if days == 1 else f"{days:,} days ago"
    if limit and days >= limit:
        return Check("last ingest", "wrong", f"{shown}: older transcripts may be deleted by now", "agent-riggs ingest")
    if limit and days * 2 >= limit:
        return Check("last ingest", "note", f"{shown}; transcripts are kept for {limit} days", "agent-riggs ingest")
    return Check("last ingest", "ok", shown)


def _folders(at: Surroundings) -> Iterator[Check]:
    folder = store_path(at.project).parent
    if folder.is_dir():
        yield _private(store_path(at.project))
        if not (folder / ".gitignore").is_file():
            yield Check("gitignore", "wrong", f"{folder} could be committed", "agent-riggs init")
    yield _state(at)
    free = shutil.disk_usage(at.project.root).free
    if free < LEAST_FREE:
        yield Check("disk", "wrong", f"{free / 1e6:.0f} MB free", "free some space before the next ingest")
    else:
        yield Check("disk", "ok", f"{free / 1e9:.1f} GB free")


def _private(path: Path) -> Check:
    if not path.exists() or os.name == "nt":
        return Check("permissions", "ok", str(path.parent))
    mode = stat.S_IMODE(path.stat().st_mode)
    if mode & 0o077:
        return Check("permissions", "wrong", f"others can read {path} (mode {mode:o})", f"chmod 600 {path}")
    if not os.access(path, os.W_OK):
        return Check("permissions", "wrong", f"{path} cannot be written", f"chmod u+w {path}")
    return Check("permissions", "ok", f"only you can read {path.name}")


def _state(at: Surroundings) -> Check:
    try:
        folder = state_dir(at.project, at.environ)
    except RiggsError as error:
        return Check("state folder", "wrong", error.message, error.hint or "")
    nearest = next(place for place in (folder, *folder.parents) if place.exists())
    if not nearest.is_dir() or not os.access(nearest, os.W_OK):
        return Check("state folder", "wrong", f"{nearest} cannot be written", "set AGENT_RIGGS_STATE_DIR")
    return Check("state folder", "ok", str(folder))


def _holder(path: Path) -> str | None:
    """The process that holds a lock on the file, from Linux's own list; ``None`` where there is none."""
    try:
        inode = str(path.stat().st_ino)
        lines = Path("/proc/locks").read_text(encoding="ascii").splitlines()
        pid = next(words[4] for words in map(str.split, lines) if words[5].endswith(f":{inode}"))
        name = Path(f"/proc/{pid}/comm").read_text(encoding="utf-8", errors="replace").strip()
    except (OSError, StopIteration, IndexError):
        return None
    return f"{name} (process {pid})"
