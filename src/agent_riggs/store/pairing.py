"""Which record of a sister tool is which call of a transcript. Pure: sets in, pairs out, whatever their order.

kibitzer's rows carry the session, the raw tool name and the first text of the arguments, which a call's ``input_mark``
hashes; equal ones are told apart by time, then by order. blq's runs carry no session: a call made one when it was
running at that moment and names the command. lackpy's delegations are told by their intent.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from agent_riggs.model import SightingKind

SECOND: Final = 1_000_000
SLACK: Final = 30 * SECOND
"""How long after a call's result a hook may still be writing about it."""
RUNNING: Final = 3600 * SECOND
"""How long a call without a result is taken to have run at most."""
NEAR: Final = 120 * SECOND
"""Between two tools' records of one delegation."""


@dataclass(frozen=True, slots=True)
class Call:
    """A transcript's call. Times in microseconds; ``text`` is a shell call's command, else every text among the
    arguments, one a line."""

    turn_id: int
    session_id: str
    tool: str
    mark: int | None
    start: int | None
    end: int | None
    outcome: str
    text: str = ""


@dataclass(frozen=True, slots=True)
class Note:
    """A sister tool's record."""

    note_id: int
    session_id: str
    kind: SightingKind
    at: int | None
    position: int
    log: int
    """The file it stands in."""
    mark: int | None = None
    mode: str | None = None
    mode_after: str | None = None
    also_at: int | None = None
    words: tuple[str, ...] = ()
    """What a call must name: the intent; of a run its command, its registered name, and ``record`` where blq's hook
    recorded it."""


Pairs = dict[int, int]
"""Note id to the id of the turn that is the same event."""


def pair(calls: Sequence[Call], notes: Sequence[Note]) -> Pairs:
    """Every pair there is. ``calls`` in the order of their session."""
    by_session: dict[str, list[Call]] = {}
    for call in calls:
        by_session.setdefault(call.session_id, []).append(call)
    pairs: Pairs = {}
    for session, told in _by_session(notes):
        pairs |= _by_mark(by_session.get(session, []), told)
        pairs |= _named(by_session.get(session, []), told)
    pairs |= _runs(calls, [note for note in notes if note.kind == "run"])
    return pairs | _delegations(calls, notes, pairs)


def _by_session(notes: Iterable[Note]) -> Iterator[tuple[str, list[Note]]]:
    found: dict[str, list[Note]] = {}
    for note in sorted(notes, key=lambda note: (note.log, note.position, note.note_id)):
        found.setdefault(note.session_id, []).append(note)
    yield from found.items()


# --- by the arguments' mark ---------------------------------------------------------------------------------------


def _by_mark(calls: Sequence[Call], notes: Sequence[Note]) -> Pairs:
    waiting: dict[int, list[Call]] = {}
    for call in calls:
        if call.mark is not None:
            waiting.setdefault(call.mark, []).append(call)
    told = [note for note in notes if note.kind in ("call", "denial", "floor_block") and note.mark in waiting]
    pairs: Pairs = {}
    for first_round in (True, False):
        for note in told:
            left = waiting[note.mark or 0]
            fits = [call for call in left if (_during(call, note.at, SLACK) if first_round else _timeless(call, note))]
            if note.note_id not in pairs and fits:
                best = min(fits, key=lambda call: _distance(call, note)) if first_round else fits[0]
                pairs[note.note_id] = best.turn_id
                left.remove(best)
    return pairs


def _timeless(call: Call, note: Note) -> bool:
    """Where one of the two has no time, order is all there is."""
    return call.start is None or note.at is None


def _distance(call: Call, note: Note) -> int:
    """From the moment the record must have been made: a refusal before the call ran, everything else after it."""
    moment = call.start if note.kind != "call" or call.end is None else call.end
    return abs((moment or 0) // SECOND - (note.at or 0) // SECOND)


def _during(call: Call, at: int | None, after: int = 2 * SECOND) -> bool:
    """Whether a moment told in whole seconds lies within a call."""
    if at is None or call.start is None:
        return False
    end = call.end if call.end is not None else call.start + RUNNING
    return call.start - 2 * SECOND <= at <= max(end, call.start) + after


# --- by what a call names -----------------------------------------------------------------------------------------


def _named(calls: Sequence[Call], notes: Sequence[Note]) -> Pairs:
    """Mode switches and generations: the call in whose time they fall and whose arguments name them."""
    pairs: Pairs = {}
    used: set[int] = set()
    for note in notes:
        if note.kind not in ("mode_switch", "generation"):
            continue
        test = _switches if note.kind == "mode_switch" else _delegates
        found = (call for call in calls if call.turn_id not in used and test(call, note) and _during(call, note.at))
        call = next(found, None)
        if call is not None:
            pairs[note.note_id] = call.turn_id
            used.add(call.turn_id)
    return pairs


def _switches(call: Call, note: Note) -> bool:
    mode = note.mode_after or ""
    if call.tool.rpartition("__")[2] == "ChangeToolMode":
        return mode in call.text.split("\n")
    return call.tool == "Bash" and re.search(rf"\bkibitzer\s+mode\s+{re.escape(mode)}\b", call.text) is not None


def _delegates(call: Call, note: Note) -> bool:
    if "lackpy" not in call.tool and not (call.tool == "Bash" and "lackpy" in call.text):
        return False
    return all(word in call.text for word in note.words)


# --- runs ---------------------------------------------------------------------------------------------------------


def _runs(calls: Sequence[Call], notes: Sequence[Note]) -> Pairs:
    """A call may have made several runs; of two calls at once the one begun last is taken."""
    if not notes:
        return {}
    able = sorted(
        (call for call in calls if call.start is not None and (call.tool == "Bash" or "blq" in call.tool)),
        key=lambda call: (call.start or 0, call.turn_id),
    )
    starts = [call.start or 0 for call in able]
    pairs: Pairs = {}
    for note in notes:
        for at in (note.at, note.also_at):
            until = bisect_right(starts, (at or 0) + 2 * SECOND)
            since = bisect_right(starts, (at or 0) - RUNNING)
            found = (c for c in reversed(able[since:until]) if _during(c, at, SECOND) and _ran(c, note.words))
            call = next(found, None)
            if call is not None and note.note_id not in pairs:
                pairs[note.note_id] = call.turn_id
    return pairs


def _ran(call: Call, words: Sequence[str]) -> bool:
    """Whether a call names a run's command or its registered name, or is that very command (recorded by a hook).

    blq joins the words of a command without their quotes, so quotes say nothing.
    """
    command, name, via = (_unquoted(word) for word in words)
    text = _unquoted(call.text)
    if call.tool == "Bash" and "blq" not in call.text:
        return via == "record" and bool(command) and text == command
    return any(word and re.search(rf"(?<![\w-]){re.escape(word)}(?![\w-])", text) for word in (command, name))


def _unquoted(text: str) -> str:
    return " ".join(re.sub(r"[\"'\\]", "", text).split())


def _delegations(calls: Sequence[Call], notes: Sequence[Note], pairs: Mapping[int, int]) -> Pairs:
    """lackpy told two tools of one delegation, or a transcript's call made it."""
    generations = [note for note in notes if note.kind == "generation"]
    found: Pairs = {}
    used: set[int] = set()
    for note in sorted(notes, key=lambda note: (note.at or 0, note.note_id)):
        if note.kind != "delegate" or note.at is None:
            continue
        near = [
            (abs(other.at - moment), other.note_id)
            for other in generations
            for moment in (note.at, note.also_at)
            if other.at is not None and moment is not None and other.note_id not in used
            if other.words == note.words and abs(other.at - moment) <= NEAR
        ]
        if near:
            twin = min(near)[1]
            used.add(twin)
            found[note.note_id] = pairs.get(twin, twin)
            continue
        call = next((call for call in calls if _delegates(call, note) and _during(call, note.at)), None)
        if call is not None:
            found[note.note_id] = call.turn_id
    return found


# --- modes --------------------------------------------------------------------------------------------------------


class Timeline:
    """kibitzer's modes in one log: which was in force at a moment."""

    def __init__(self, notes: Iterable[Note]) -> None:
        self.notes = sorted(
            (note for note in notes if note.at is not None and note.mode_after),
            key=lambda note: (note.position, note.note_id),
        )
        self.times = [note.at or 0 for note in self.notes]

    def at(self, moment: int, without: frozenset[int] = frozenset()) -> str | None:
        """The mode at a moment. ``without``: notes known to have been made later, though in the same second."""
        place = bisect_right(self.times, moment)
        while place and self.notes[place - 1].note_id in without:
            place -= 1
        if place:
            return self.notes[place - 1].mode_after
        return self.notes[0].mode if self.notes else None


def modes(calls: Sequence[Call], notes: Sequence[Note], pairs: Mapping[int, int], timeline: Timeline) -> dict[int, str]:
    """kibitzer's mode for each call of one session it watched: that of the call's own row (before what the call
    caused), else the one in force at the time."""
    own: dict[int, list[Note]] = {}
    for note in notes:
        if note.note_id in pairs:
            own.setdefault(pairs[note.note_id], []).append(note)
    found: dict[int, str] = {}
    later: set[int] = set()
    for call in reversed(calls):
        mine = sorted(own.get(call.turn_id, ()), key=lambda note: (note.kind != "mode_switch", note.position))
        later.update(note.note_id for note in mine)
        mode = next((note.mode for note in mine if note.mode), None)
        if mode is None and call.start is not None:
            mode = timeline.at(call.start, frozenset(later))
        if mode is not None:
            found[call.turn_id] = mode
    return found
