"""Claude Code's transcripts: one JSONL file per session below ``projects``, appended to line by line.

Measured on Claude Code 1.0.17 to 2.1.332. The folder names encode the project's path beyond recovery, so nothing
is read from them: the project comes from the records' ``cwd``.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, BinaryIO, Final

from agent_riggs.model import Cursor, Event, Head, Problem, ReadEnd, Transcript
from agent_riggs.paths import agent_homes
from agent_riggs.sources import base
from agent_riggs.sources.claude_reader import HELPERS, NAME, Reader
from agent_riggs.sources.claude_records import KNOWN_TYPES, parse, rescued
from agent_riggs.sources.claude_state import Memory
from agent_riggs.sources.decode import id_of, str_of, time_of
from agent_riggs.sources.lines import Line, lines

name: Final = NAME

_AGENT: Final = "agent-"
_SUBAGENTS: Final = f"{os.sep}subagents{os.sep}"
_NOT_TRANSCRIPTS: Final = frozenset({"journal.jsonl", "history.jsonl"})
_NO_TRANSCRIPTS: Final = frozenset({"tool-results", "memory", "file-history", "shell-snapshots", "todos", "debug"})
_PEEK_LINES: Final = 2000
_PEEK_BYTES: Final = 4 * 1024 * 1024
_ANY_TIME: Final = 4_102_444_800_000_000  # 2100: a head is no place to doubt a clock
_BUFFER: Final = 256 * 1024


def places(environ: Mapping[str, str], home: Path) -> list[Path]:
    """The folders it looks in."""
    return list(agent_homes(name, environ, home))


def find(environ: Mapping[str, str], home: Path) -> Iterator[Transcript | Problem]:
    """Every transcript; a subagent's with the main file of its session as ``parent``."""
    seen: set[tuple[int, int]] = set()
    for folder in places(environ, home):
        mains, helpers = [], []
        for item in base.files(_projects(folder), (".jsonl",), seen, _NO_TRANSCRIPTS):
            if isinstance(item, Problem):
                yield item
            elif item.name in _NOT_TRANSCRIPTS:
                continue
            elif item.name.startswith(_AGENT) or _SUBAGENTS in item.path:
                if not _agent_id(item.name).startswith(HELPERS):
                    helpers.append(item)
            else:
                mains.append(item.path)
                yield base.transcript(name, item.path, item.info, None, folder)
        by_session = {_stem(path): path for path in sorted(mains, key=_parts, reverse=True)} if helpers else {}
        paths = {*mains, *(item.path for item in helpers)} if helpers else set()
        for item in helpers:
            parent = _parent(item.path, by_session, paths)
            yield base.transcript(name, item.path, item.info, Path(parent) if parent else None, folder)


def peek(transcript: Transcript) -> Head | Problem | None:
    """The session and the working folder. A file of JSON objects of which none is of a known type is a problem: the
    format may have changed. An empty one is no transcript."""
    session, cwd, started, known, stranger = "", "", None, False, ""
    try:
        with open(transcript.file, "rb") as stream:
            for line in lines(stream, 0, 0, False):
                record = parse(line.data) if not line.fault else line.fault
                if not isinstance(record, str):
                    known = known or str_of(record.type) in KNOWN_TYPES
                    stranger = stranger or f"records of unknown type {str_of(record.type)[:40]!r}"
                    session = session or id_of(record.sessionId)
                    cwd = cwd or str_of(record.cwd)
                    started = started or time_of(record.timestamp, _ANY_TIME)
                elif line.whole:
                    stranger = stranger or record
                if (known and session and cwd and started) or line.number > _PEEK_LINES or line.end > _PEEK_BYTES:
                    break
    except OSError as error:
        return base.unreadable(transcript.path, error)
    if known:
        return Head(session or _fallback_session(transcript), cwd, started)
    return Problem(str(transcript.path), f"no record of Claude Code in it, but {stranger}") if stranger else None


@dataclass(slots=True)
class _Progress:
    """How far a reading has come."""

    offset: int
    number: int
    state: Mapping[str, Any]
    seen: int = 0

    def pass_by(self, line: Line) -> None:
        """The line has been dealt with."""
        self.offset, self.number, self.seen = line.end, line.number, self.seen + 1


def read(transcript: Transcript, cursor: Cursor | None, now: int) -> Iterator[Event]:
    """Calls with their results, later results, notices and problems, and last where to go on from."""
    try:
        stream = open(transcript.file, "rb", buffering=_BUFFER)  # noqa: SIM115
    except OSError as error:
        yield base.unreadable(transcript.path, error)
        yield ReadEnd(cursor or Cursor())
        return
    with stream:
        start = base.resume(stream, cursor)
        memory = Memory.of(start.state)
        session = _fallback_session(transcript)
        reader = Reader(transcript, memory, session, _agent_id(os.path.basename(transcript.file)), now)
        progress = _Progress(start.offset, start.line, start.state)
        try:
            yield from _events(stream, start, reader, progress)
        except OSError as error:
            yield base.unreadable(transcript.path, error)
        yield from reader.rest()
        yield ReadEnd(
            cursor=base.advance(stream, start, progress.offset, progress.number, progress.state),
            lines=progress.seen,
            understood=reader.understood,
            unknown=dict(reader.unknown),
            warmups=reader.warmups,
            versions=tuple(memory.versions),
            session_id=memory.session or session,
            started=memory.started,
            ended=memory.ended,
            background=memory.background,
        )


def _events(stream: BinaryIO, start: Cursor, reader: Reader, progress: _Progress) -> Iterator[Event]:
    """The events of every whole line from ``start`` on; ``progress`` tells where the next reading begins."""
    path, memory = str(reader.path), reader.memory
    inside = base.starts_inside_line(stream, start.offset)
    stream.seek(start.offset)
    before = replace(progress)
    for line in lines(stream, start.offset, start.line, inside):
        if memory.warming and not reader.undecided:
            before = replace(progress, state=memory.state())
        record = parse(line.data) if not line.fault else line.fault
        if not isinstance(record, str):
            yield from reader.take(record, line.offset)
        elif not line.whole:
            if line.fault:
                yield Problem(path, record, line.number)
            break  # still being written
        else:
            yield Problem(path, record, line.number)
            for place, saved in rescued(line.data):
                yield from reader.take(saved, line.offset + place)
        progress.pass_by(line)
    progress.state = memory.state()
    if reader.undecided:
        reader.forget()
        progress.offset, progress.number, progress.state = before.offset, before.number, before.state


def _projects(folder: Path) -> Path:
    """The folder that holds the transcripts: a setting may name the configuration folder or that one itself."""
    inner = folder / "projects"
    if os.path.isdir(inner) or folder.name.endswith("claude") or os.path.exists(folder / "settings.json"):
        return inner
    return folder


def _agent_id(file: str) -> str:
    return os.path.splitext(file)[0].removeprefix(_AGENT) if file.startswith(_AGENT) else ""


def _stem(path: str) -> str:
    return os.path.basename(path).removesuffix(".jsonl")


def _parts(path: str) -> list[str]:
    return path.split(os.sep)


def _session_folder(path: str) -> str:
    """``<project>/<session>`` for anything below its ``subagents``; empty for anything else."""
    return path.rpartition(_SUBAGENTS)[0]


def _parent(path: str, mains: Mapping[str, str], paths: set[str]) -> str:
    """The main file of a subagent's session: beside the session's folder, or wherever that session was filed; empty
    when there is none."""
    folder = _session_folder(path)
    session = os.path.basename(folder) if folder else _first_session(path)
    beside = os.path.join(os.path.dirname(folder or path), f"{session}.jsonl")  # up to 2.1.1 both files lay flat
    return beside if beside in paths else mains.get(session, "")


def _first_session(path: str) -> str:
    head = peek(Transcript(name, path, path, 0, ""))
    return head.session_id if isinstance(head, Head) else ""


def _fallback_session(transcript: Transcript) -> str:
    """The session a file belongs to when its records do not say."""
    if transcript.parent is not None:
        return transcript.parent.stem
    return os.path.basename(_session_folder(str(transcript.file))) or transcript.path.stem
