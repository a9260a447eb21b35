"""What every source must hold to, checked on sample transcripts. ``testing.check_source`` is this function.

The checks use nothing but the source's own three functions, so they hold for a source of any format.
"""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Final

from agent_riggs.model import (
    Cursor,
    Event,
    Head,
    LateResult,
    Notice,
    Problem,
    ReadEnd,
    ToolCall,
    ToolResult,
    Transcript,
)
from agent_riggs.sources import decode
from agent_riggs.sources.base import Source

NOW: Final = 1_893_456_000_000_000
"""2030-01-01, the time the checks pass in."""

_CUTS: Final = 12
_SMALL: Final = 60
_STATE_TEXT: Final = 400
_BINARY: Final = (b"SQLite format 3\0", b"\x28\xb5\x2f\xfd")
_LINES_DAMAGED: Final[tuple[tuple[str, bytes], ...]] = (
    ("a run of NUL bytes", b"\0" * 5000),
    ("a line that is no JSON", b'{"type": "broken", '),
    ("lines that are no objects", b'[]\n1\n"x"\nnull\ntrue'),
    ("200,000 nested brackets", b"[" * 200_000),
    ("bytes that are no UTF-8", b'{"type": "\xff\xfe\x80"}'),
    ("blank lines", b"\n \r\n"),
)


@dataclass(frozen=True, slots=True)
class Reading:
    """All events of one or more readings of one transcript, results joined to their calls."""

    calls: Mapping[str, ToolCall]
    notices: frozenset[Notice]
    problems: tuple[Problem, ...]
    end: ReadEnd


class SourceFault(AssertionError):
    """A source does not hold to what is asked of it; the text says which transcript and what."""


def check_source(source: Source, environ: Mapping[str, str], home: Path, now: int = NOW) -> list[Reading]:
    """Check ``source`` on every transcript it finds for ``environ`` and ``home``; return what it read.

    Raises ``SourceFault`` when the source finds other transcripts the second time, writes below ``home``, raises,
    yields a malformed call, ends without exactly one ``ReadEnd``, keeps transcript text in a cursor, reads other
    calls in two steps than in one, or loses calls to damage elsewhere in the file.
    """
    _demand(bool(source.name) and source.name.replace("_", "").isalnum(), "name", "must be a plain word")
    before = _listing(home)
    found = list(source.find(environ, home))
    _demand(found == list(source.find(environ, home)), "find", "finds something else the second time")
    transcripts = [item for item in found if isinstance(item, Transcript)]
    _demand(len({t.key for t in transcripts}) == len(transcripts), "find", "gives one key to two transcripts")
    readings = [_check_transcript(source, t, now) for t in transcripts]
    _demand(before == _listing(home), "read", "wrote into the agent's folder")
    return readings


def read_all(source: Source, transcript: Transcript, now: int = NOW, cursor: Cursor | None = None) -> Reading:
    """One reading, from ``cursor`` on."""
    return join(list(source.read(transcript, cursor, now)))


def join(events: Iterable[Event]) -> Reading:
    """Results joined to their calls as an ingest does it: of several results for one call the one that stands first
    in the transcript counts, unless only a later one has the human's words."""
    calls: dict[str, ToolCall] = {}
    results: dict[str, list[ToolResult]] = {}
    notices: set[Notice] = set()
    problems: list[Problem] = []
    end: ReadEnd | None = None
    for event in events:
        if isinstance(event, ToolCall | LateResult):
            if event.result is not None:
                results.setdefault(event.call_id, []).append(event.result)
            if isinstance(event, ToolCall):
                calls.setdefault(event.call_id, event)
        elif isinstance(event, Notice):
            notices.add(event)
        elif isinstance(event, Problem):
            problems.append(event)
        elif isinstance(event, ReadEnd):
            end = event
    for key, found in results.items():
        if key in calls:
            first = min(found, key=lambda result: (not result.user_said, result.position))
            calls[key] = replace(calls[key], result=first)
    if end is None:
        raise SourceFault("read: ends without a ReadEnd")
    return Reading(calls, frozenset(notices), tuple(problems), end)


def _check_transcript(source: Source, transcript: Transcript, now: int) -> Reading:
    place = transcript.key
    _demand(transcript.source == source.name, place, "source differs from the module's name")
    head = source.peek(transcript)
    _demand(head is None or isinstance(head, Head | Problem), place, "peek gives something else than a Head")
    events = list(source.read(transcript, None, now))
    ends = [e for e in events if isinstance(e, ReadEnd)]
    _demand(len(ends) == 1 and events[-1] is ends[0], place, "must end with exactly one ReadEnd")
    for event in events:
        _check_event(source, place, event, now)
    _demand(events == list(source.read(transcript, None, now)), place, "reads something else the second time")
    whole = join(events)
    _check_again(source, transcript, whole, now)
    if not _binary(transcript.path):
        _check_steps(source, transcript, whole, now)
        _check_damage(source, transcript, whole, now)
    return whole


def _check_event(source: Source, place: str, event: Event, now: int) -> None:
    if isinstance(event, ToolCall):
        _demand(event.agent == source.name, place, f"call {event.call_id} names another agent")
        _demand(bool(event.call_id and event.session_id and event.tool), place, "a call lacks its id, session or tool")
        _demand(isinstance(event.input, Mapping), place, f"the input of {event.call_id} is no mapping")
        _demand((event.mode is None) == (event.mode_source is None), place, "a mode without its origin, or the reverse")
        _check_time(place, event.timestamp, now)
        if event.result is not None:
            _check_time(place, event.result.timestamp, now)
    elif isinstance(event, LateResult):
        _demand(bool(event.call_id), place, "a late result lacks its call id")
        _check_time(place, event.result.timestamp, now)
    elif isinstance(event, ReadEnd):
        _check_cursor(place, event.cursor)


def _check_time(place: str, value: int | None, now: int) -> None:
    fits = value is None or decode.EARLIEST <= value <= now + decode.DAY
    _demand(fits, place, f"time {value} lies before 2015 or in the future")


def _check_cursor(place: str, cursor: Cursor) -> None:
    try:
        text = json.dumps(cursor.state, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise SourceFault(f"{place}: the cursor's state is not JSON: {error}") from error
    longest = max((len(s) for s in _strings(json.loads(text))), default=0)
    _demand(longest <= _STATE_TEXT, place, f"the cursor's state holds a text of {longest} characters")


def _strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, item in value.items():
            yield str(key)
            yield from _strings(item)
    elif isinstance(value, list):
        for item in value:
            yield from _strings(item)


def _check_again(source: Source, transcript: Transcript, whole: Reading, now: int) -> None:
    """Going on where the reading ended changes nothing."""
    saved = json.loads(json.dumps(dict(whole.end.cursor.state)))
    again = list(source.read(transcript, replace(whole.end.cursor, state=saved), now))
    joined = join([*whole.calls.values(), *whole.notices, *again])
    _demand(joined.calls == whole.calls, transcript.key, "a second ingest changes calls")


def _check_steps(source: Source, transcript: Transcript, whole: Reading, now: int) -> None:
    """Cut at any whole line and read on later: the same calls."""
    data = transcript.path.read_bytes()
    ends = [i + 1 for i, byte in enumerate(data) if byte == 0x0A]
    for cut in ends[:: max(1, len(ends) // _CUTS)]:
        for tail in (0, 7):
            with _Copy(transcript) as copy:
                copy.path.write_bytes(data[: cut + tail])
                first = list(source.read(copy, None, now))
                end = first[-1]
                assert isinstance(end, ReadEnd)
                copy.path.write_bytes(data)
                second = source.read(
                    copy, replace(end.cursor, state=json.loads(json.dumps(dict(end.cursor.state)))), now
                )
                both = join([*first, *second])
            _same(transcript.key, f"read in two steps, cut at byte {cut + tail}", whole, both)


def _check_damage(source: Source, transcript: Transcript, whole: Reading, now: int) -> None:
    """Damage costs the damaged lines, never the file; a document that is one JSON value may be lost as a whole."""
    data = transcript.path.read_bytes()
    by_line = _by_line(data)
    middle = data.find(b"\n", len(data) // 2) + 1
    for what, line in _LINES_DAMAGED:
        changed = data[:middle] + line + b"\n" + data[middle:]
        reading = _read_changed(source, transcript, changed, now)
        if by_line:
            _same_ids(transcript.key, what, whole, reading)
    if by_line:
        _same_ids(transcript.key, "CRLF line ends", whole, _read_changed(source, transcript, _crlf(data), now))
        _same_ids(
            transcript.key, "a byte order mark", whole, _read_changed(source, transcript, b"\xef\xbb\xbf" + data, now)
        )
    for changed in (b"", data[: len(data) // 3], data[len(data) // 3 :], b"\0" * 4096, b"{}\n", b"[]", data[::-1]):
        _read_changed(source, transcript, changed, now)


def _crlf(data: bytes) -> bytes:
    return data.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n")


def _by_line(data: bytes) -> bool:
    first, _, rest = data.strip().partition(b"\n")
    return bool(rest) and isinstance(decode.loads(first), dict)


def _read_changed(source: Source, transcript: Transcript, data: bytes, now: int) -> Reading:
    with _Copy(transcript) as copy:
        copy.path.write_bytes(data)
        source.peek(copy)
        return read_all(source, copy, now)


class _Copy:
    """The transcript in a copy of the folders around it, which a source may look into."""

    def __init__(self, transcript: Transcript) -> None:
        self.transcript = transcript
        self.folder = tempfile.TemporaryDirectory()

    def __enter__(self) -> Transcript:
        path = self.transcript.path
        base = Path(self.transcript.home) if self.transcript.home else path.parent
        inside = path.relative_to(base) if base in path.parents else Path(path.name)
        target = Path(self.folder.name) / inside
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target)
        for side in _near(base):
            copy = Path(self.folder.name) / side.relative_to(base)
            copy.parent.mkdir(parents=True, exist_ok=True)
            if side != path:
                shutil.copyfile(side, copy)
        return replace(self.transcript, file=target, home=self.folder.name if self.transcript.home else "")

    def __exit__(self, *_: object) -> None:
        self.folder.cleanup()


def _near(folder: Path) -> list[Path]:
    """Files a source may look into beside a transcript: all below a small folder, else the JSON files right in it."""
    everything = list(islice((p for p in folder.rglob("*") if p.is_file()), _SMALL + 1)) if folder.is_dir() else []
    if len(everything) <= _SMALL:
        return everything
    return [p for p in folder.glob("*.json") if p.is_file()]


def _same(place: str, when: str, left: Reading, right: Reading) -> None:
    _same_ids(place, when, left, right)
    for key, call in left.calls.items():
        _demand(right.calls[key] == call, place, f"{when}: call {key} differs: {right.calls[key]!r} for {call!r}")
    _demand(left.notices == right.notices, place, f"{when}: other notices")


def _same_ids(place: str, when: str, left: Reading, right: Reading) -> None:
    lost, new = left.calls.keys() - right.calls.keys(), right.calls.keys() - left.calls.keys()
    _demand(
        not lost and not new, place, f"{when}: {len(lost)} calls lost, {len(new)} appeared: {sorted(lost | new)[:3]}"
    )


def _binary(path: Path) -> bool:
    try:
        with path.open("rb") as stream:
            return stream.read(16).startswith(_BINARY)
    except OSError:
        return True


def _listing(root: Path) -> list[tuple[str, int, int]]:
    files = (p for p in root.rglob("*") if p.is_file()) if root.is_dir() else ()
    return sorted((str(p), p.stat().st_size, p.stat().st_mtime_ns) for p in files)


def _demand(holds: bool, place: str, what: str) -> None:
    if not holds:
        raise SourceFault(f"{place}: {what}")
