"""Reading a transcript of JSON lines record by record, for sources whose memory fits in one state object."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO, Final, Generic, Protocol, TypeVar

from agent_riggs.model import Cursor, Event, Problem, ReadEnd, Transcript
from agent_riggs.sources import base, decode
from agent_riggs.sources.lines import lines

DAMAGE: Final[tuple[type[Exception], ...]] = (OSError, EOFError)
"""What reading a damaged file raises; a compressed format adds its own error by raising OSError."""

_TYPES_COUNTED: Final = 200


class State(Protocol):
    """What a reading remembers between records and between readings."""

    def dump(self) -> dict[str, Any]:
        """JSON-able, free of transcript text."""

    @property
    def told(self) -> Mapping[str, Any]:
        """Fields of ``ReadEnd`` known to the state: session_id, versions, started, ended, background."""


S = TypeVar("S", bound=State)


def plain(path: Path) -> AbstractContextManager[BinaryIO]:
    """An ordinary file as a stream."""
    return path.open("rb")


@dataclass(frozen=True, slots=True)
class Format(Generic[S]):
    """How one kind of transcript is read."""

    load: Callable[[Mapping[str, Any]], S]
    """The state to go on with; called with an empty mapping at a file's beginning."""
    step: Callable[[S, dict[str, Any], int, int], Iterator[Event] | None]
    """Events of one record, given the state, the record, ``now`` and the byte offset; ``None``: unknown type."""
    type_of: Callable[[dict[str, Any]], str]
    opener: Callable[[Path], AbstractContextManager[BinaryIO]] = plain


@dataclass(slots=True)
class Tally:
    """Counts of one reading."""

    lines: int = 0
    understood: int = 0
    unknown: Counter[str] = field(default_factory=Counter)

    def count_unknown(self, kind: str) -> None:
        """Count an unknown type; at most 200 different names are kept apart."""
        name = kind[:80] if len(self.unknown) < _TYPES_COUNTED or kind[:80] in self.unknown else "other"
        self.unknown[name] += 1


def read(transcript: Transcript, cursor: Cursor | None, now: int, form: Format[S]) -> Iterator[Event]:
    """All events after ``cursor``, then one ``ReadEnd``; a file that cannot be read to its end is a problem."""
    path, tally = str(transcript.path), Tally()
    start, place = cursor or Cursor(), (0, 0)
    state = form.load({})
    try:
        with form.opener(transcript.path) as stream:
            start = base.resume(stream, cursor)
            state = form.load(start.state)
            place = (start.offset, start.line)
            inside = base.starts_inside_line(stream, start.offset)
            stream.seek(start.offset)
            for line in lines(stream, start.offset, start.line, inside):
                record = decode.loads(line.data) if line.data else None
                if not line.whole and not isinstance(record, dict):
                    break
                tally.lines += 1
                place = (line.end, line.number)
                if isinstance(record, dict):
                    yield from _events(form, state, record, now, line.offset, tally)
                else:
                    yield Problem(path, line.fault or _fault(record), line.number)
            end = base.advance(stream, start, place[0], place[1], state.dump())
    except DAMAGE as error:
        yield Problem(path, f"cannot be read: {_why(error)}", place[1] + 1 if place[1] else None)
        end = Cursor(start.offset, start.line, start.head, start.state)
    told = state.told
    yield ReadEnd(end, tally.lines, tally.understood, dict(tally.unknown), **told)


def _events(form: Format[S], state: S, record: dict[str, Any], now: int, offset: int, tally: Tally) -> Iterator[Event]:
    events = form.step(state, record, now, offset)
    if events is None:
        tally.count_unknown(form.type_of(record))
        return
    tally.understood += 1
    yield from events


def _fault(record: object) -> str:
    return "not a JSON object" if record is None else f"a JSON {type(record).__name__} where an object belongs"


def _why(error: Exception) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or str(error)[:200] or type(error).__name__


def first_records(
    path: Path, opener: Callable[[Path], AbstractContextManager[BinaryIO]], limit: int
) -> Iterator[dict[str, Any] | Problem]:
    """The objects among a file's first ``limit`` lines, damaged ones left out: enough to tell whose it is."""
    try:
        with opener(path) as stream:
            for line in islice(lines(stream, 0, 0, False), limit):
                record = decode.loads(line.data) if line.data else None
                if isinstance(record, dict):
                    yield record
    except DAMAGE as error:
        yield Problem(str(path), f"cannot be read: {_why(error)}")
