"""What a shell line runs: its commands in order, which of them decides the exit code, and what hides a failure.

The value is frozen and cached. :mod:`reading` finds the structure, :mod:`commands` takes launchers off and settles who
decides; what is known about programs stands in :mod:`programs` and :mod:`checks`. Nothing here raises, whatever the
text.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final

from agent_riggs.judge.commands import Command, walk
from agent_riggs.judge.programs import NEVER_FAILS
from agent_riggs.judge.reading import read
from agent_riggs.judge.wrappers import program_name

MAX_COMMAND: Final = 4000
"""Characters of a command that are looked at."""


@dataclass(frozen=True, slots=True)
class Line:
    """A parsed shell line."""

    commands: tuple[Command, ...] = ()
    errexit: bool = False
    pipefail: bool = False
    clean: bool = True
    """The grammar understood the whole line."""


def parse(command: str) -> Line:
    """The commands of a shell line. Only the first ``MAX_COMMAND`` characters count."""
    return _parse(command[:MAX_COMMAND])


@lru_cache(maxsize=4096)
def _parse(command: str) -> Line:
    items, clean = read(command)
    commands, errexit, pipefail = walk(items)
    return Line(commands, errexit, pipefail, clean)


# ---------------------------------------------------------------- questions about a line


def returns(line: Line) -> Command | None:
    """The command whose exit code the line returns, whatever its part in the work; ``None`` when none can fail."""
    return next((c for c in reversed(line.commands) if c.decides), None)


def deciding(line: Line) -> Command | None:
    """The command a failure of the line is first looked for in: the last real one that decides.

    In a pipe that ends in filters it is the producer. Without a deciding command (``x || true``, ``x &``,
    ``x; echo done``) it is the last real command.
    """
    found = _last_real(c for c in _work(line) if c.decides or _feeds(line, c))
    if found is None:
        found = _last_real(_work(line)) or _last_real(line.commands)
    if found is None:
        found = next((c for c in reversed(line.commands) if c.program not in NEVER_FAILS), None)
    return found or returns(line) or (line.commands[-1] if line.commands else None)


def candidates(line: Line) -> tuple[Command, ...]:
    """Every command whose failure may be the line's, in order: both of ``a && b``, the producer of a filtered pipe."""
    found = tuple(c for c in _work(line) if (c.decides or _feeds(line, c)) and not c.is_trivial)
    if found:
        return found
    command = deciding(line)
    return (command,) if command is not None else ()


def hidden(line: Line) -> tuple[Command, ...]:
    """The real commands whose failure the line's exit code cannot tell, in order."""
    return tuple(c for c in _work(line) if not (c.decides or c.is_trivial or c.handled))


def masks_failure(line: Line) -> bool:
    """Whether the deciding command may fail while the line succeeds: ``| tail``, ``|| true``, ``; echo``, ``&``."""
    command = deciding(line)
    return command is not None and not command.decides


def swallows(line: Line) -> bool:
    """Whether the line says nothing about any of its real commands, not even through a filter: ``|| true``,
    ``; echo done``, ``&``."""
    work = [c for c in _work(line) if not c.is_trivial]
    return bool(work) and not any(c.decides or _feeds(line, c) for c in work)


def find(line: Line, name: str) -> Command | None:
    """The command a diagnostic's owner names, the last one first; a launcher is found too and then is the program."""
    wanted = program_name(name)
    for command in reversed(line.commands):
        if command.program == wanted:
            return command
    for command in reversed(line.commands):
        for position, launcher in enumerate(command.via):
            words = launcher.split()
            if words[0] == wanted or launcher == wanted:
                return replace(command, program=words[0], sub=tuple(words[1:]), via=command.via[:position])
    return None


def program_key(command: Command, with_subcommand: bool) -> str:
    """The name under which failures of the command are counted: ``git`` or ``git push``."""
    return " ".join((command.program, *command.sub)) if with_subcommand and command.sub else command.program


def _work(line: Line) -> list[Command]:
    """The commands that do the line's work: no conditions, and of a filtered pipe only the producer."""
    return [c for c in line.commands if not c.condition and not (c.pipe and c.is_filter)]


def _feeds(line: Line, command: Command) -> bool:
    """Whether only filters stand between the command and a deciding end of its pipeline."""
    if command.next != "|":
        return False
    rest = [c for c in line.commands if c.pipeline == command.pipeline and c.pipe > command.pipe]
    return bool(rest) and rest[-1].decides and all(c.is_filter or c.is_trivial for c in rest)


def _last_real(commands: Iterable[Command]) -> Command | None:
    return next((c for c in reversed(list(commands)) if not c.is_trivial), None)


__all__ = [
    "MAX_COMMAND",
    "Command",
    "Line",
    "candidates",
    "deciding",
    "find",
    "hidden",
    "masks_failure",
    "parse",
    "program_key",
    "returns",
    "swallows",
]
