"""Reading and writing the capture files: one plain text file per family, made for reading in a review.

    outcome: failed
    class: module_missing
    multi: no
    -- a --
    cwd: /home/ada/src/shop
    exit: 1
    $ python3 app.py

    <output, byte for byte>
    -- b --
    ...

Sections ``b`` and ``twin...`` follow in the same form.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from families.dsl import Shot

DATA = Path(__file__).parent / "data"
_SECTION = re.compile(r"^-- (a|b|twin[\w-]*) --\n", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Case:
    """A family as captured."""

    name: str
    outcome: str
    classes: tuple[str, ...]
    multi: bool
    shots: tuple[Shot, ...]

    @property
    def toolchain(self) -> str:
        return self.name.split("/", 1)[0]

    @property
    def a(self) -> Shot:
        return next(shot for shot in self.shots if shot.name == "a")

    @property
    def b(self) -> Shot:
        return next(shot for shot in self.shots if shot.name == "b")

    @property
    def twins(self) -> tuple[Shot, ...]:
        return tuple(shot for shot in self.shots if shot.name.startswith("twin"))


def dump(case: Case) -> str:
    head = f"outcome: {case.outcome}\nclass: {' '.join(case.classes)}\nmulti: {'yes' if case.multi else 'no'}\n"
    return head + "".join(
        f"-- {s.name} --\ncwd: {s.cwd}\nexit: {s.exit_code}\n$ {s.command}\n\n{s.output.rstrip()}\n" for s in case.shots
    )


def parse(name: str, text: str) -> Case:
    pieces = _SECTION.split(text)
    head = dict(line.split(": ", 1) for line in pieces[0].splitlines())
    shots = [_shot(tag, body) for tag, body in zip(pieces[1::2], pieces[2::2], strict=True)]
    return Case(name, head["outcome"], tuple(head["class"].split()), head["multi"] == "yes", tuple(shots))


def _shot(tag: str, body: str) -> Shot:
    cwd, code, command, _, *output = body.split("\n")
    text = "\n".join(output).rstrip("\n")
    return Shot(tag, cwd.removeprefix("cwd: "), command.removeprefix("$ "), int(code.removeprefix("exit: ")), text)


def load() -> Iterator[Case]:
    for path in sorted(DATA.glob("*/*.txt")):
        name = f"{path.parent.name}/{path.stem}"
        yield parse(name, path.read_bytes().decode())
