"""Whether a later call tries the same thing as a failed one: the rule that says what a recovery is."""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import SequenceMatcher
from itertools import takewhile
from typing import Final

from agent_riggs.folders import normal
from agent_riggs.judge import tools
from agent_riggs.judge.shell import Command
from agent_riggs.learn.enabling import aim_of
from agent_riggs.learn.looking import LISTERS
from agent_riggs.learn.steps import EDITS, SEARCHES, Step, base, commands, is_search, operands, subject, subjects

_INTERPRETERS: Final = frozenset(
    {"python", "python3", "node", "deno", "bun", "ruby", "perl", "php", "bash", "sh", "zsh", "tsx", "ts-node", "lua"}
)
_WRITERS: Final = frozenset(
    {"sed", "perl", "awk", "gawk", "python", "python3", "node", "ruby", "tee", "cat", "patch", "ed", "ex"}
)
"""Programs that agents write files with when the edit tools refuse."""
_VIEWERS: Final = frozenset(
    {"cat", "head", "tail", "sed", "awk", "grep", "rg", "less", "more", "bat", "jq", "python", "nl"}
)
_MISSING: Final = frozenset({"bad_option", "command_not_found", "bad_path"})
"""Classes of a script, target or sub-command that does not exist."""
_CLOSE: Final = 0.75
"""Likeness of two names from which one is taken for the other misspelled."""
_PART: Final = re.compile(r"[:._-]")
_WILD: Final = re.compile(r"[*?\[{]")
_AFTER_SEARCH: Final = 4
"""Calls between a search and the read that it made possible."""


def attempt(failure: Step, later: Step) -> tuple[Command, Command] | None:
    """The failed command and the one of a later shell step that tries the same, whatever came of it.

    A command whose failure would have led to another one (``x || y``) tells nothing by the line's success.
    """
    theirs = [command for command in commands(later) if not (later.ok and _guarded(command))]
    for wanted in subjects(failure):
        missing = failure.failure_class in _MISSING and _tells(failure, wanted.sub)
        for command in theirs:
            if same(wanted, command, missing):
                return wanted, command
    return None


def _tells(failure: Step, sub: Sequence[str]) -> bool:
    """Whether the failure is about the sub-command, as far as we know what it printed."""
    return bool(sub) and (not failure.told or sub[-1] in failure.told)


def _guarded(command: Command) -> bool:
    return command.handled or command.next == "||"


def same(wanted: Command, command: Command, missing: bool = False) -> bool:
    """Whether two commands have one intent: program, sub-command and operands agree as far as they must.

    ``missing``: what was asked for does not exist, so that one of nearly its name may be meant.
    """
    if command.program == wanted.program:
        if missing and _misspelled(wanted.sub, command.sub):
            return True
        if aim_of(wanted) == aim_of(command) == "install" and operands(wanted) == operands(command):
            return True
        return _same_sub(wanted, command) and _near(wanted, command)
    if prefix(wanted, command) or prefix(command, wanted) or joined(wanted, command) or joined(command, wanted):
        return True
    if wanted.program in command.via or command.program in wanted.via:
        return False
    if aim_of(command) not in (None, aim_of(wanted)):
        return False
    mine, theirs = operands(wanted), operands(command)
    if wanted.sub and command.sub:
        return wanted.sub == command.sub and bool(mine == theirs or set(mine) & set(theirs))
    return bool(mine) and _bases(mine) == _bases(theirs)


def prefix(longer: Command, shorter: Command) -> tuple[str, ...]:
    """The words that ``longer`` has in front of ``shorter``: ``("wrap",)`` for ``wrap x y`` and ``x y``."""
    mine, theirs = (longer.program, *longer.words), (shorter.program, *shorter.words)
    ahead = len(mine) - len(theirs)
    if ahead < 1 or len(theirs) < 2 or mine[ahead:] != theirs or mine[ahead - 1].startswith("-"):
        return ()
    return mine[:ahead]


def joined(one: Command, two: Command) -> bool:
    """Whether the first is the second written as one word: ``cargo-nextest run`` and ``cargo nextest run``."""
    head = one.program.split("-", 1)
    return len(head) == 2 and head == [two.program, *two.words[:1]] and _near_words(one.words, two.words[1:])


def _near_words(mine: Sequence[str], theirs: Sequence[str]) -> bool:
    return not mine or not theirs or mine[0] == theirs[0] or bool(_bases(mine) & _bases(theirs))


def _misspelled(mine: Sequence[str], theirs: Sequence[str]) -> bool:
    """Whether the last word of a sub-command has a near one in its place: ``run tests`` for ``run test``."""
    if not mine or not theirs or mine == theirs:
        return False
    ahead, last = mine[:-1], len(mine) - 1
    if len(theirs) > last and theirs[:last] == ahead and close(mine[-1], theirs[last]):
        return True
    if set(ahead) | set(theirs[:-1]) != {"run"}:
        return False
    return mine[-1] == theirs[-1] or close(mine[-1], theirs[-1])


def close(one: str, other: str) -> bool:
    """Whether two names are nearly one: a typing error, a plural, a variant (``test`` and ``test:unit``)."""
    one, other = one.lower(), other.lower()
    short, long = sorted((one, other), key=len)
    if len(short) >= 3 and long.startswith(short):
        return True
    parts, others = set(_PART.split(one)), set(_PART.split(other))
    if (one in others or other in parts) and len(short) >= 3:
        return True
    return len(short) >= 3 and SequenceMatcher(None, one, other).ratio() >= _CLOSE


def misused(failure: Step) -> bool:
    """Whether the tool refused its own arguments: no program ran."""
    return failure.failure_class == "invalid_input" and not failure.program


def recovers(failure: Step, later: Step, between: Sequence[Step]) -> bool:
    """Whether ``later``, a success, ends the failure."""
    if not later.ok:
        return False
    if misused(failure) and tools.is_shell(failure.tool):
        return later.tool == failure.tool and failure.input.keys() != later.input.keys()
    if tools.is_shell(failure.tool):
        return _shell(failure, later)
    if failure.tool in EDITS:
        return _touches(failure, later)
    if failure.tool == "Read":
        return _reads(failure, later, between)
    if failure.tool in SEARCHES:
        return later.tool == failure.tool or is_search(later)
    return later.tool == failure.tool


def _shell(failure: Step, later: Step) -> bool:
    if tools.is_shell(later.tool):
        return attempt(failure, later) is not None
    wanted = subject(failure)
    if wanted is None or later.tool in EDITS or not (wanted.is_reader or wanted.program in LISTERS):
        return False
    if later.tool in SEARCHES:
        places = [later.target, str(later.input.get("pattern", ""))]
        return wanted.program in LISTERS and _meet(operands(wanted), places)
    return bool(later.target) and base(later.target) in _bases(operands(wanted))


def _same_sub(wanted: Command, command: Command) -> bool:
    """Equal sub-commands, or a variant of the script's name: ``lint`` and ``lint:fix``."""
    if wanted.sub == command.sub:
        return True
    if len(wanted.sub) != len(command.sub) or wanted.sub[:-1] != command.sub[:-1]:
        return False
    mine, theirs = wanted.sub[-1], command.sub[-1]
    return any(theirs.startswith(mine + mark) or mine.startswith(theirs + mark) for mark in ":-_.")


def _near(wanted: Command, command: Command) -> bool:
    """Programs with sub-commands act on what they like; of others the operands must have something in common."""
    mine, theirs = operands(wanted), operands(command)
    if mine == theirs:
        return True
    if wanted.program in _INTERPRETERS and not wanted.sub:
        return not mine or not theirs or base(mine[0]) == base(theirs[0])
    if wanted.program in LISTERS and mine:
        return _meet(mine, theirs) or bool(_bases(mine) & _bases(theirs))
    return bool(wanted.sub) or not mine or not theirs or bool(_bases(mine) & _bases(theirs))


def _meet(mine: Sequence[str], theirs: Sequence[str]) -> bool:
    """Whether two listings look into the same folder, or one into a folder above the other's."""
    folders = {_folder(word) for word in mine} - {""}
    others = {_folder(word) for word in theirs} - {""}
    return any(
        one == other or one.startswith(other + "/") or other.startswith(one + "/")
        for one in folders
        for other in others
    )


def _folder(word: str) -> str:
    """The folder of a path or pattern: what stands before the first part with a wildcard."""
    parts = normal(word).split("/")
    kept = list(takewhile(lambda part: not _WILD.search(part), parts))
    return "/".join(kept)


def _bases(words: Sequence[str]) -> frozenset[str]:
    return frozenset(base(word) for word in words if word.strip("./\\"))


def _touches(failure: Step, later: Step) -> bool:
    """A later edit of the same file, by an edit tool or by a command that changes it."""
    if later.tool in EDITS:
        return bool(set(failure.targets) & set(later.targets))
    names = set(map(base, failure.targets))
    return any(
        command.program in _WRITERS and not command.is_reader and names & set(map(base, command.words))
        for command in commands(later)
    )


def proposed(failure: Step, later: Step) -> bool:
    """Whether a later read is of a file that the failure proposed."""
    return "did you mean" in failure.told.lower() and bool(base(later.target)) and base(later.target) in failure.told


def _reads(failure: Step, later: Step, between: Sequence[Step]) -> bool:
    """A later read of the same file or of one of its name elsewhere, of one that the failure proposed, or of another
    one after a search; for a folder its listing, for a file too large a search in it."""
    name = base(failure.target)
    if later.tool == "Read":
        searched = any(step.ok and is_search(step) for step in between[-_AFTER_SEARCH:])
        missing = failure.failure_class in ("missing_file", "bad_path", None)
        inside = failure.failure_class == "is_directory" and later.target.startswith(failure.target + "/")
        return (
            (bool(name) and base(later.target) == name)
            or inside
            or (missing and (searched or proposed(failure, later)))
        )
    if failure.failure_class in ("missing_file", "bad_path") or not name:
        return False
    if later.tool in SEARCHES:
        return bool(later.target) and later.target == failure.target
    listing = failure.failure_class == "is_directory"
    return any(
        name in _bases(operands(command)) and (command.program in LISTERS if listing else command.program in _VIEWERS)
        for command in commands(later)
    )
