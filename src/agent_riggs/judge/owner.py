"""Whose failure it is: the program a diagnostic names, the tool behind a script, else the command of the line."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from agent_riggs.judge import shell as sh
from agent_riggs.judge.classes import WITHOUT_SUBCOMMAND
from agent_riggs.judge.commands import Command
from agent_riggs.judge.diagnosis import Finding

_ECHO: Final = re.compile(r"^(?:\$|>) (?![@\w./-]+@\S+ )(?!@)(\S.*)$", re.M)
_SCRIPT: Final = re.compile(r"\.(?:sh|bash|zsh|fish|ps1|py|rb|pl|js|mjs|cjs|ts|bat|cmd)$", re.I)
_RUNNERS: Final = frozenset(
    ("npm", "pnpm", "yarn", "bun", "npx", "deno", "composer", "turbo", "nx", "lerna", "make", "just")
)
_UNKNOWN: Final = "unknown command: "


@dataclass(frozen=True, slots=True)
class Scene:
    """The line a failure happened in, seen from its output."""

    line: sh.Line
    suspects: Sequence[Command]
    main: Command | None
    """The command looked at first."""
    behind: Command | None
    """The command a script runner printed before running it."""

    @property
    def kind(self) -> str | None:
        """What the line checks, if it does."""
        for command in (self.behind, self.main, *reversed(self.suspects)):
            if command is not None and command.check:
                return command.check
        return None


def scene(line: sh.Line, text: str, code: int | None) -> Scene:
    """The commands that may have failed. A reader at the end of a chain rarely does: its neighbours come first."""
    suspects = sh.candidates(line)
    main = sh.deciding(line)
    if main is not None and (main.is_reader or main.is_probe) and code not in main.answers:
        real = [c for c in suspects if not (c.is_reader or c.is_probe)]
        main = real[-1] if real else main
    return Scene(line, suspects, main, _behind(text, main))


def _behind(text: str, main: Command | None) -> Command | None:
    """The tool behind a script or a hook: runners print the line they run (``$ biome check``, ``> vitest run``)."""
    if main is None:
        return None
    hook = main.program == "git" and main.sub[:1] in (("commit",), ("push",))
    if not hook and main.program not in _RUNNERS:
        return None
    found = _ECHO.findall(text[:4000])
    if not found:
        return None
    command = sh.deciding(sh.parse(found[-1]))
    return command if command is not None and (command.check or not hook) else None


def key(command: Command, with_sub: bool) -> str:
    """The name failures of a command are counted under; a script of the project counts as its kind (``*.sh``)."""
    match = _SCRIPT.search(command.program)
    return f"*{match[0].lower()}" if match else sh.program_key(command, with_sub)


def program_of(finding: Finding, failure_class: str, place: Scene) -> str:
    """The program a finding is about, with its sub-command where the class calls for it."""
    owner, main = finding.owner, place.main
    with_sub = failure_class not in WITHOUT_SUBCOMMAND
    if owner.startswith("?"):
        owner = owner[1:].lower()
        if place.behind is None or place.behind.program != owner:
            owner = owner if sh.find(place.line, owner) is not None else ""
    if owner.endswith("!"):
        return owner[:-1]
    name, separator, subs = owner.partition(":")
    if separator:
        return _with_sub(name, subs.split("|"), place.line)
    if not owner and main is not None and main.via and finding.shape == _UNKNOWN + main.program:
        return main.via[-1].split()[0]
    if owner:
        if " " in owner:
            return owner
        command = place.behind
        if command is None or command.program != owner:
            command = main if main is not None and main.program == owner else sh.find(place.line, owner)
        return key(command, with_sub) if command is not None else owner
    command = place.behind or main
    return key(command, with_sub) if command is not None else ""


def _with_sub(name: str, subs: list[str], line: sh.Line) -> str:
    """The program with the sub-command of the line that such a message can come from."""
    for command in reversed(line.commands):
        if command.program == name and command.sub and command.sub[0] in subs:
            return f"{name} {command.sub[0]}"
    return f"{name} {subs[0]}"
