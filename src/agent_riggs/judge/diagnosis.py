"""Diagnostics: the lines of an output that say what is wrong, each turned into a class, a shape and an owner.

The tables live in ``known/``. A row is a cheap substring test, an expression for one line, and a template for the
shape. Groups of the expression fill the template: names starting with ``s`` are subjects (the named cause, kept),
``sm`` is a module (folders and extension do not count), ``n`` a name with namespaces, ``t`` free text (masked),
``c`` codes (kept as they stand).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from agent_riggs.judge.classes import CHECK_CLASSES
from agent_riggs.judge.compiled import compiled
from agent_riggs.judge.mask import MAX_LINE, MAX_SHAPE, mask, module, subject
from agent_riggs.judge.sentences import of_message

CAUSE: Final = 0
"""Says what has to change: a missing module, an unknown option, a refused connection."""
DETAIL: Final = 1
"""One finding of a compiler, linter or test runner."""
MESSAGE: Final = 2
"""A message of a program about itself."""
SUMMARY: Final = 3
"""Says that there were findings, not which."""
WRAPPER: Final = 4
"""A runner repeating that what it ran has failed."""

_VAGUE: Final = frozenset(("other", "invalid_input", *CHECK_CLASSES.values()))
MAX_FINDINGS: Final = 400
_HEAD: Final = 4
_LABEL: Final = re.compile(r"(?:\S*/)?([A-Za-z][\w.+-]*): ")
"""A line that begins with the name of the program that says it."""
_CODE: Final = re.compile(r"[^\w.:/\[\]@()# -]")


@dataclass(frozen=True, slots=True)
class Finding:
    """One diagnostic. ``owner`` is the program it names, perhaps with sub-commands it can only come from
    (``git:add|stage``); ``stopped`` means the program could not do its work at all (so that a check did not run);
    ``report`` means a check did its work and reports a problem."""

    rank: int
    failure_class: str
    shape: str
    owner: str = ""
    stopped: bool = False
    report: bool = False
    line: str = ""
    record: bool = False
    """Told by a whole error record, not by a line that could be printed text."""
    placed: bool = False
    """The output says where in a file it found something."""

    @property
    def order(self) -> tuple[int, bool, str, str, str]:
        """Which finding speaks for the output: the same one whatever the order of the lines. Of messages one whose
        class is known goes before one that only some exception carries."""
        vague = self.rank == MESSAGE and self.failure_class in _VAGUE
        return (self.rank, vague, self.shape, self.failure_class, self.owner)


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """Class, program and shape of a failure, and the line that tells it. Of a shell line also the other findings' keys,
    and whether a check did its work."""

    failure_class: str
    program: str
    shape: str
    line: str = ""
    specific: bool = False
    reported: bool = False
    """A check reports problems in its own words."""
    stopped: bool = False
    """A program says that it could not work at all."""
    found: bool = False
    """A line of the output speaks; otherwise only the exit code does."""
    secondary: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Row:
    """One known diagnostic; see the module's text for the groups. Without a class the words of ``t`` suggest it."""

    rank: int
    kind: str
    failure_class: str
    needle: str
    pattern: str
    shape: str
    owner: str

    def read(self, line: str) -> Finding | None:
        match = compiled(self.pattern).search(line)
        if match is None:
            return None
        values = {name: _value(name, text) for name, text in match.groupdict().items()}
        shape = self.shape.format_map(values) if self.shape else mask(line, _kept(match))
        owner = self.owner
        if "{" in owner:
            owner = owner.format_map(values)
        elif not owner and self.kind == "o":
            label = _LABEL.match(line)
            owner = f"?{label[1].lower()}" if label else ""
        failure_class = self.failure_class or of_message(values.get("t") or line).replace("other", "invalid_input")
        return Finding(
            self.rank, failure_class, shape[:MAX_SHAPE].strip(), owner, "o" in self.kind, "r" in self.kind, line
        )


def _value(name: str, text: str | None) -> str:
    if text is None:
        return ""
    if name[0] == "s":
        return module(text) if name == "sm" else subject(text)
    if name[0] == "n":
        return subject(text.replace("\\", "."))
    if name[0] == "c":
        return _CODE.sub("", text)[:60]
    return mask(text)


def _kept(match: re.Match[str]) -> tuple[str, ...]:
    """Subjects to keep inside a masked line: those that a key may hold as they stand."""
    return tuple(text for name, text in match.groupdict().items() if text and name[0] in "sc" and subject(text) == text)


def row(rank: int, kind: str, failure_class: str, needle: str, pattern: str, shape: str = "", owner: str = "") -> Row:
    """A row of a table. ``kind``: ``o`` the program could not work, ``r`` a check's own report, empty neither."""
    return Row(rank, kind, failure_class, needle, pattern, shape, owner)


class Table:
    """Rows in order, found by their needles; the needles by their first letters, so that a text is searched only for
    those that can be in it."""

    def __init__(self, rows: Iterable[Row]) -> None:
        self.rows = tuple(rows)
        places: dict[str, list[int]] = {}
        for place, item in enumerate(self.rows):
            places.setdefault(item.needle, []).append(place)
        self.groups: dict[str, list[tuple[str, list[int]]]] = {}
        self.short: list[tuple[str, list[int]]] = []
        for needle, found in places.items():
            group = self.groups.setdefault(needle[:_HEAD], []) if len(needle) >= _HEAD else self.short
            group.append((needle, found))
        self.heads = frozenset(self.groups)

    def possible(self, text: str) -> list[Row]:
        """The rows whose needle is anywhere in the text, in order."""
        heads = self.heads.intersection([text[i : i + _HEAD] for i in range(len(text) - _HEAD + 1)])
        groups = [self.short, *(self.groups[head] for head in heads)]
        found = [place for group in groups for needle, places in group if needle in text for place in places]
        found.sort()
        return [self.rows[place] for place in found]


def scan(lines: Sequence[str], table: Table) -> list[Finding]:
    """The findings in these lines, first matching row per line, at most ``MAX_FINDINGS``."""
    rows = table.possible("\n".join(lines))
    found: list[Finding] = []
    seen: set[str] = set()
    for line in lines:
        text = line[:MAX_LINE]
        if text in seen:
            continue
        seen.add(text)
        for item in rows:
            if item.needle in text:
                finding = item.read(text)
                if finding is not None:
                    found.append(finding)
                    break
        if len(found) >= MAX_FINDINGS:
            break
    return found
