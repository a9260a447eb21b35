"""The recall index: live ratchets in one small file that a hook can search without opening the store.

The file is JSON with one ratchet to a line, so that a reader finds a key by searching bytes and decodes
that line alone: a look-up among 1,000 ratchets costs no more than one among ten. Each line carries a
checksum over its own content and the project key; a line that does not verify, a file of another project,
of another user, of an unknown format or of an absurd size counts as no match. Nothing here raises for bad
content, and only the standard library is imported, because the agent waits for it.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, fields
from itertools import chain
from typing import TYPE_CHECKING, Any, Final, Literal

from agent_riggs.calls import Verdict
from agent_riggs.deliver import glance
from agent_riggs.deliver.glance import FORMAT, speaks_before
from agent_riggs.hashing import sha256

if TYPE_CHECKING:
    from pathlib import Path

    from agent_riggs.judge.shell import Command

    Index = Path | str | bytes
    """A file, or the bytes of one that ``glance.read`` gave."""

When = Literal["after", "before", "both"]
"""When a ratchet speaks: after the failure, before the call, or both."""

FILE_NAME: Final = glance.FILE_NAME
MAX_RECALLED: Final = 8
"""Secondary fingerprints looked up for one failure, as many as the judge gives."""


def constraint_key(category: str, tool: str | None = None, mode: str | None = None) -> str:
    """Key of a constraint ratchet, exactly as kibitzer 0.9.0 derives it."""
    return f"{category}-{tool or 'unknown'}-{mode or 'any'}"


def pattern_key(category: str, tool: str | None, fingerprint: str) -> str:
    """Key of a failure pattern: one exact failure, in any mode."""
    return f"{category}-{tool or 'unknown'}-any:{fingerprint}"


@dataclass(frozen=True, slots=True)
class Ratchet:
    """One live ratchet: what it matches, the fix a human confirmed, and the evidence behind it."""

    key: str
    type: str
    fix: str
    """The text a human confirmed, at most 600 characters, one line."""
    category: str = ""
    tool: str = ""
    failure_class: str | None = None
    program: str | None = None
    shape: str | None = None
    fingerprint: str | None = None
    mode: str | None = None
    """Mode of a constraint ratchet; ``None`` matches any."""
    when: When = "after"
    trigger: tuple[str, ...] = ()
    """Leading words of the shell command that a ``before`` ratchet speaks about; empty: it cannot."""
    sessions: int = 0
    """Root sessions that hit the failure."""
    occurrences: int = 0
    first_seen: int | None = None
    """Microseconds since 1970 UTC, as ``last_seen`` and ``decided_at``."""
    last_seen: int | None = None
    decided_at: int = 0
    dead_ends: tuple[str, ...] = ()
    """What was tried and failed again, as confirmed with the fix."""
    needle: str = ""
    """Words, space separated: a call with none of them in its output or arguments need not be judged. Empty: not looked
    for yet; ``*``: there are none."""
    hold_out: float = 0.0
    """Share of sessions in which it is kept back, see ``spool.is_held_out``."""


_NAMES: Final = frozenset(item.name for item in fields(Ratchet))


def publish(path: Path, project: str, ratchets: Iterable[Ratchet]) -> int:
    """Replace the index at ``path`` by these ratchets, atomically and readable by the user alone.

    The order on disk is by key, so equal ratchets give equal bytes. Returns the number written. Raises
    ``OSError`` when the folder cannot be written.
    """
    from agent_riggs import atomic

    lines = [_line(project, ratchet) for ratchet in sorted(ratchets, key=lambda ratchet: ratchet.key)]
    head = json.dumps({"format": FORMAT, "project": project, "count": len(lines)})[:-1]
    text = f'{head},"ratchets":[\n' + ",\n".join(lines) + "\n]}\n"
    atomic.replace(path, text.encode("ascii"))
    return len(lines)


def match(index: Index, project: str, verdict: Verdict, mode: str | None = None) -> Ratchet | None:
    """The ratchet that speaks after this failure, or ``None``.

    The failure's own fingerprint comes first, with class, tool, program and shape compared, so that a hash
    collision serves nothing; then its secondary fingerprints (tool compared); then the constraint key with
    the live mode; then the one for any mode.
    """
    if verdict.category is None:
        return None
    data = _load(index, project)
    if not data:
        return None
    modes = dict.fromkeys((mode or None, None))
    found = chain(
        (_exact(data, project, verdict) for _ in range(1)),
        (_second(data, project, verdict, other) for other in verdict.secondary[:MAX_RECALLED]),
        (_by_key(data, project, constraint_key(verdict.category, verdict.tool, live)) for live in modes),
    )
    return next((ratchet for ratchet in found if ratchet and ratchet.when != "before"), None)


def match_before(index: Index, project: str, tool: str, commands: Sequence[Sequence[str]]) -> Ratchet | None:
    """The ratchet that speaks before a shell line with these commands, each in its words, is run, or ``None``.

    The first command about which one speaks; of several the longest trigger wins, the first key on equal length.
    """
    data = _load(index, project)
    if not data or not speaks_before(data):
        return None
    begin = tuple({json.dumps(words[0]).encode("ascii") for words in commands if words})
    known: dict[tuple[str, ...], Ratchet] = {}
    for line in data.split(b"\n"):
        if line.partition(b'"trigger":[')[2].startswith(begin):
            ratchet = _decode(line, project)
            if ratchet is not None and ratchet.when != "after" and ratchet.tool == tool:
                known.setdefault(ratchet.trigger, ratchet)
    lengths = sorted({len(trigger) for trigger in known}, reverse=True)
    found = (known.get(tuple(words[:length])) for words in commands for length in lengths)
    return next(filter(None, found), None)


def call_words(command: Command) -> tuple[str, ...]:
    """A shell command in the words that triggers are made of and compared with: launchers, program, arguments."""
    return (*(word for launcher in command.via for word in launcher.split()), command.program, *command.words)


def load(path: Path, project: str) -> tuple[Ratchet, ...]:
    """Every ratchet of the index that verifies, ordered by key; for ``doctor`` and tests, not for the hook."""
    return tuple(sorted(_all(_load(path, project), project), key=lambda ratchet: ratchet.key))


def _exact(data: bytes, project: str, verdict: Verdict) -> Ratchet | None:
    ratchet = _by_fingerprint(data, project, verdict.fingerprint)
    if ratchet is None:
        return None
    theirs = (ratchet.failure_class, ratchet.tool, ratchet.program or None, ratchet.shape or None)
    ours = (verdict.failure_class, verdict.tool, verdict.program or None, verdict.shape or None)
    return ratchet if theirs == ours else None


def _second(data: bytes, project: str, verdict: Verdict, fingerprint: str) -> Ratchet | None:
    ratchet = _by_fingerprint(data, project, fingerprint)
    return ratchet if ratchet and ratchet.tool == verdict.tool else None


def _by_fingerprint(data: bytes, project: str, fingerprint: str | None) -> Ratchet | None:
    if not fingerprint:
        return None
    return _find(data, project, "fingerprint", fingerprint)


def _by_key(data: bytes, project: str, key: str) -> Ratchet | None:
    return _find(data, project, "key", key)


def _find(data: bytes, project: str, field: str, value: str) -> Ratchet | None:
    """Decode the one line whose ``field`` has this value.

    The searched text cannot occur inside a JSON string: its quotes would stand there with a backslash.
    """
    needle = f'"{field}":{json.dumps(value)}'.encode("ascii")
    at = data.find(needle)
    while at >= 0:
        start = data.rfind(b"\n", 0, at) + 1
        end = data.find(b"\n", at)
        ratchet = _decode(data[start : end if end >= 0 else len(data)], project)
        if ratchet is not None:
            return ratchet
        at = data.find(needle, at + 1)
    return None


def _all(data: bytes, project: str) -> Iterator[Ratchet]:
    for line in data.split(b"\n")[1:]:
        ratchet = _decode(line, project)
        if ratchet is not None:
            yield ratchet


def _load(index: Index, project: str) -> bytes:
    """The bytes of a usable index, else nothing."""
    return index if isinstance(index, bytes) else glance.read(os.fspath(index), project)


def _line(project: str, ratchet: Ratchet) -> str:
    body = {name: value for name, value in asdict(ratchet).items() if value not in (None, "", (), 0)}
    body.update(key=ratchet.key, when=ratchet.when)
    return _text({**body, "check": _check(project, body)})


def _decode(line: bytes, project: str) -> Ratchet | None:
    try:
        body: Any = json.loads(line.rstrip(b",\r"))
        check = body.pop("check")
        if check != _check(project, body) or not body.keys() <= _NAMES:
            return None
        for name in ("trigger", "dead_ends"):
            body[name] = tuple(body.get(name, ()))
        return Ratchet(**{"type": "", "fix": "", **body})
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return None


def _check(project: str, body: dict[str, Any]) -> str:
    """Checksum of a line: guards against damage and against lines of another project, not against the user."""
    text = f"{FORMAT}\x1f{project}\x1f{_text(body)}"
    return sha256(text.encode("ascii", "backslashreplace"))[:32]


def _text(body: dict[str, Any]) -> str:
    return json.dumps(body, sort_keys=True, separators=(",", ":"))
