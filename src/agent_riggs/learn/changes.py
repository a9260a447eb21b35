"""What changed between a failure and its recovery, as short texts that hold on any machine.

Only the agent's own calls are described. What a tool printed never becomes part of a text offered as a fix.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from agent_riggs.judge import tools
from agent_riggs.judge.mask import mask
from agent_riggs.judge.shell import Command
from agent_riggs.learn.change import AGAIN, MAX_TEXT, OTHER, Change, called
from agent_riggs.learn.enabling import enables
from agent_riggs.learn.intent import attempt, misused, proposed
from agent_riggs.learn.respelled import enabling, ran_already, shell_changes
from agent_riggs.learn.steps import (
    EDITS,
    Step,
    base,
    commands,
    effects,
    is_search,
    label_of,
)

_KINDS: Final = {
    str: "a text",
    bool: "true or false",
    int: "a number",
    float: "a number",
    list: "a list",
    dict: "an object",
}
_PARTS: Final = frozenset({"offset", "limit", "start_line", "end_line", "line_range", "view_range", "pages"})
LISTED: Final = "it is a folder: list it, then read a file in it"
LOOK: Final = "look for the path with a search first"


def changes(failure: Step, between: Sequence[Step], recovery: Step) -> tuple[Change, ...]:
    """The differences, the call's own first, then the steps that came between; never empty."""
    if misused(failure):
        return tuple(_parameters(failure, recovery)) or (OTHER,)
    if tools.is_shell(failure.tool):
        own = tuple(shell_changes(failure, recovery))
    elif failure.tool in EDITS:
        own = tuple(_edit(failure, recovery))
    elif failure.tool == "Read":
        own = tuple(_read(failure, recovery))
    else:
        own = tuple(_arguments(failure, recovery))
    steps = tuple(_between(failure, between))
    found = tuple(dict.fromkeys((*own, *steps)))
    return found or (AGAIN if _unchanged(failure, recovery) else OTHER,)


def tried(failure: Step, later: Step) -> Change:
    """What a later attempt did differently that failed again: a dead end."""
    if tools.is_shell(failure.tool):
        own = tuple(shell_changes(failure, later))
    elif failure.tool == "Read":
        own = tuple(_read(failure, later))
    else:
        own = tuple(_arguments(failure, later))
    return next(iter(own), AGAIN if _unchanged(failure, later) else OTHER)


# ---------------------------------------------------------------- files


def _edit(failure: Step, recovery: Step) -> Iterator[Change]:
    if recovery.tool != failure.tool:
        writer = next((c.program for c in commands(recovery) if _names(failure, c)), recovery.tool)
        yield called(f"`{writer}` instead of `{failure.tool}`")
        return
    if recovery.input.get("replace_all") is True and failure.input.get("replace_all") is not True:
        yield called("with `replace_all`")
    before, after = _length(failure), _length(recovery)
    if failure.failure_class == "many_matches" and before is not None and after is not None and after > before:
        yield called("with more of the surrounding text")


def _length(step: Step) -> int | None:
    """Length of the text to replace, as the digest keeps it."""
    value = step.input.get("old_string", step.input.get("old_str"))
    if isinstance(value, str):
        digits = re.search(r"\d+", value)
        return int(digits[0]) if digits else len(value)
    if isinstance(value, dict):
        value = next((number for number in value.values() if isinstance(number, int)), None)
    return value if isinstance(value, int) else None


def _read(failure: Step, recovery: Step) -> Iterator[Change]:
    if failure.failure_class == "too_large" and _in_parts(failure, recovery):
        yield called("not the whole file: a part of it with `offset` and `limit`, or a search in it")
    if failure.failure_class == "is_directory":
        yield Change("goal", LISTED)
    if recovery.tool != "Read":
        program = next((c.program for c in commands(recovery)), "") if tools.is_shell(recovery.tool) else ""
        yield called(f"`{program or recovery.tool}` on it instead of `Read`")
    elif recovery.target == failure.target:
        yield from _arguments(failure, recovery)
    elif failure.failure_class == "is_directory":
        yield called("a file inside the folder")
    elif base(recovery.target) == base(failure.target):
        yield called("the file was at another path")
    elif proposed(failure, recovery):
        yield called("the file that the message proposes")


def _in_parts(failure: Step, recovery: Step) -> bool:
    if recovery.tool != "Read":
        return True
    return any(recovery.input.get(name) != failure.input.get(name) for name in _PARTS)


def _arguments(failure: Step, recovery: Step) -> Iterator[Change]:
    if recovery.tool != failure.tool:
        nowhere = failure.tool == "Grep" and failure.failure_class in ("missing_file", "bad_path")
        looked = nowhere and (recovery.tool == "Glob" or is_search(recovery))
        yield called(LOOK if looked else f"`{recovery.tool}` instead of `{failure.tool}`")
        return
    mine, theirs = failure.input, recovery.input
    gained = sorted(name for name in theirs if name not in mine)
    lost = sorted(name for name in mine if name not in theirs)
    if gained:
        yield called("with " + " and ".join(f"`{mask(name)}`" for name in gained[:3]))
    if lost:
        yield called("without " + " and ".join(f"`{mask(name)}`" for name in lost[:3]))
    for name in sorted(mine.keys() & theirs.keys()):
        if mine[name] != theirs[name] and type(mine[name]) is not type(theirs[name]):
            yield called(f"`{mask(name)}` as {_kind(theirs[name])}")


def _parameters(failure: Step, recovery: Step) -> Iterator[Change]:
    """Arguments that the tool refused and those it missed; those it named, where we know what it said."""
    gone = sorted(failure.input.keys() - recovery.input.keys())
    new = sorted(recovery.input.keys() - failure.input.keys())
    if failure.told:
        gone, new = ([name for name in names if name in failure.told] for names in (gone, new))
    if new:
        yield called("with " + " and ".join(f"`{mask(name)}`" for name in new[:3]))
    if gone:
        yield called("without " + " and ".join(f"`{mask(name)}`" for name in gone[:3]))
    if not new and not gone:
        yield from _arguments(failure, recovery)


def _kind(value: object) -> str:
    return _KINDS.get(type(value), "nothing")


# ---------------------------------------------------------------- steps between


def _between(failure: Step, between: Sequence[Step]) -> Iterator[Change]:
    for step in between:
        if not step.ok:
            continue
        if tools.is_shell(step.tool):
            yield from _ran_between(failure, step)
            if failure.tool in EDITS and any(_names(failure, command) for command in commands(step)):
                yield Change("step", "read the file first")
            elif failure.tool == "Read" and is_search(step):
                yield Change("step", "look for it with a search first")
        elif step.tool == "Read" and set(failure.targets) & set(step.targets):
            yield Change("step", "read the file first")
        elif is_search(step) and failure.tool == "Read":
            yield Change("step", "look for it with a search first")
        elif step.tool == "Write" and failure.failure_class == "missing_file" and base(step.target) in failure.told:
            yield Change("enabler", "write the file first")
        elif step.tool not in EDITS and step.tool not in ("Read", "Glob", "Grep", "LS", "TodoWrite", "Task"):
            yield Change("step", f"`{step.tool}` first")


def _ran_between(failure: Step, step: Step) -> Iterator[Change]:
    """What a shell step between did. For the failure of another tool only what acts on what it names."""
    shell = tools.is_shell(failure.tool)
    known = ran_already(failure) if shell else frozenset()
    ran = {(command.program, command.words) for command in commands(failure)} if shell else set()
    changing = set(effects(step)) if shell else set()
    for command in commands(step):
        if (command.program, command.words) not in ran and enables(failure, command):
            yield from enabling(failure, command, step.root)
        elif command in changing and (command.program, command.sub) not in known:
            yield Change("step", f"`{label_of(command, step.root)}` first"[:MAX_TEXT])


def _names(failure: Step, command: Command) -> bool:
    """Whether a command is about a file of the failed call."""
    return bool(set(map(base, failure.targets)) & set(map(base, command.words)))


def _unchanged(failure: Step, recovery: Step) -> bool:
    if tools.is_shell(failure.tool):
        pair = attempt(failure, recovery)
        return pair is not None and (pair[0].program, pair[0].words) == (pair[1].program, pair[1].words)
    return failure.tool == recovery.tool and failure.input == recovery.input
