"""Codex CLI: rollouts below ``sessions`` and ``archived_sessions`` of ``$CODEX_HOME`` or ``~/.codex``.

Facts measured on rollouts of Codex 0.69 to 0.171; compressed rollouts (``.jsonl.zst``, from 0.137 on, after a week
without use) and the flat form before 0.20 are from the producer's source. The plain file wins over its compressed
twin. Searches run by the provider (``web_search_call``) leave no outcome in a rollout and are not reported.
"""

from __future__ import annotations

import os
import sys
from collections import deque
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from pathlib import Path
from typing import BinaryIO, Final, cast

from agent_riggs.model import Cursor, Event, Head, Problem, Transcript
from agent_riggs.paths import agent_homes
from agent_riggs.sources import base, codex_state, codex_steps, jsonl

name: Final = codex_state.AGENT
_SUFFIXES: Final = (".jsonl", ".jsonl.zst")
_FOLDERS: Final = ("sessions", "archived_sessions")
_PEEKED: Final = 40
_ANY_TIME: Final = 1 << 62


def places(environ: Mapping[str, str], home: Path) -> list[Path]:
    """The folders it looks in."""
    return list(agent_homes(name, environ, home))


def find(environ: Mapping[str, str], home: Path) -> Iterator[Transcript | Problem]:
    """Every rollout, plain or compressed, each session once."""
    seen: set[tuple[int, int]] = set()
    for root in places(environ, home):
        for folder in _FOLDERS:
            yield from transcripts(root / folder, seen, root)


def transcripts(root: Path, seen: set[tuple[int, int]], home: Path | None = None) -> Iterator[Transcript | Problem]:
    """The rollouts below one folder. Both forms of a rollout have one key, the plain file's path."""
    for found in base.files(root, _SUFFIXES, seen):
        if isinstance(found, Problem):
            yield found
        elif found.name.startswith("rollout-") and found.name.endswith(".jsonl"):
            yield base.transcript(name, found.path, found.info, None, home)
        elif found.name.startswith("rollout-"):
            yield from one(Path(found.path), found.info, home)


def one(path: Path, info: os.stat_result, home: Path | None = None) -> Iterator[Transcript]:
    """The transcript in one file; none for the compressed twin of a plain file."""
    plain = path.with_name(path.name.removesuffix(".zst"))
    if plain == path or not plain.exists():
        yield Transcript(name, str(plain), path, info.st_size, base.stamp(info), None, str(home) if home else "")


def peek(transcript: Transcript) -> Head | Problem | None:
    """Whose rollout it is; the file name tells the session when the first line is damaged."""
    state, known = codex_state.load(transcript.path.name, {}), False
    for record in jsonl.first_records(transcript.path, plain_or_compressed, _PEEKED):
        if isinstance(record, Problem):
            return record
        events = codex_steps.step(state, record, _ANY_TIME, 0)
        known = known or events is not None
        deque(events or (), maxlen=0)
        if state.cwd:
            break
    if not known:
        return None
    return Head(codex_state.session_of(state), state.cwd, state.started)


def read(transcript: Transcript, cursor: Cursor | None, now: int) -> Iterator[Event]:
    """Everything after ``cursor``; offsets of a compressed rollout count bytes of the plain text."""
    yield from jsonl.read(transcript, cursor, now, _form(transcript))


def _form(transcript: Transcript) -> jsonl.Format[codex_state.State]:
    load = partial(codex_state.load, transcript.path.name)
    return jsonl.Format(load, codex_steps.step, codex_steps.type_of, plain_or_compressed)


def plain_or_compressed(path: Path) -> AbstractContextManager[BinaryIO]:
    """A rollout as a stream of its plain text."""
    return _decompressed(path) if path.name.endswith(".zst") else jsonl.plain(path)


@contextmanager
def _decompressed(path: Path) -> Iterator[BinaryIO]:
    """A compressed rollout as a stream; damage inside is an ``OSError``, as for any other file."""
    if sys.version_info >= (3, 14):
        from compression import zstd
    else:
        from backports import zstd
    try:
        with zstd.ZstdFile(path, "rb") as stream:
            yield cast(BinaryIO, stream)
    except zstd.ZstdError as error:
        raise OSError(f"damaged compression: {error}") from error
