"""What changed between a failure and its recovery, as short texts that hold on any machine.

Only the agent's own calls are described. What a tool printed never becomes part of a text offered as a fix.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, Literal

from agent_riggs.folders import normal
from agent_riggs.judge import tools
from agent_riggs.judge.mask import mask
from agent_riggs.judge.shell import Command
from agent_riggs.judge.wrappers import program_name
from agent_riggs.learn.intent import attempt, prefix
from agent_riggs.learn.steps import (
    EDITS,
    Step,
    base,
    commands,
    effects,
    folder_of,
    is_search,
    label_of,
    operands,
    options,
    place,
    subject,
)

Kind = Literal["call", "step", "again", "vague"]
"""``call``: the call itself was made differently. ``step``: another step came first. ``again``: the same call,
nothing changed that we can see. ``vague``: it differs, in a way that is no advice."""

_SYSTEM: Final = ("/usr/", "/opt/", "/bin/", "/sbin/", "/snap/", "/nix/")
_SOURCES: Final = frozenset({"export", "source", ".", "set", "eval", "unset"})
_KINDS: Final = {
    str: "a text",
    bool: "true or false",
    int: "a number",
    float: "a number",
    list: "a list",
    dict: "an object",
}
_PARTS: Final = frozenset({"offset", "limit", "start_line", "end_line", "line_range", "view_range", "pages"})
_SPECIAL: Final = re.compile(r"[*?\[\](){}!$&;<>|#~ ]")
MAX_TEXT: Final = 200


@dataclass(frozen=True, slots=True)
class Change:
    """One difference: equal texts of different sessions are one change."""

    kind: Kind
    text: str


AGAIN: Final = Change("again", "the same call again, unchanged")
OTHER: Final = Change("vague", "the same call with other arguments")


def changes(failure: Step, between: Sequence[Step], recovery: Step) -> tuple[Change, ...]:
    """The differences, the call's own first, then the steps that came between; never empty."""
    if tools.is_shell(failure.tool):
        own = tuple(_shell(failure, recovery))
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
        own = tuple(_shell(failure, later))
    elif failure.tool == "Read":
        own = tuple(_read(failure, later))
    else:
        own = tuple(_arguments(failure, later))
    return next(iter(own), AGAIN if _unchanged(failure, later) else OTHER)


# ---------------------------------------------------------------- shell


def _shell(failure: Step, recovery: Step) -> Iterator[Change]:
    pair = attempt(failure, recovery)
    if pair is None:
        wanted = subject(failure)
        if wanted is not None and recovery.tool != failure.tool:
            yield _call(f"the `{recovery.tool}` tool instead of `{wanted.program}`")
        return
    wanted, found = pair
    before, after = prefix(wanted, found), prefix(found, wanted)
    if found.program != wanted.program and (before or after):
        yield _call(f"the same command {'without' if before else 'through'} `{mask(' '.join(before or after))}`")
        yield from _folder(failure, recovery)
        return
    yield from _launchers(wanted, found)
    if found.program != wanted.program:
        yield _call(f"`{found.program}` instead of `{wanted.program}`")
    yield from _spelling(failure, recovery, found)
    if found.sub != wanted.sub and found.program == wanted.program:
        if failure.outcome == "check_failed":
            yield Change("step", f"`{_named(found)}` first")
        else:
            yield _call(f"`{_named(found)}` instead of `{_named(wanted)}`")
    yield from _operands(wanted, found)
    yield from _quotes(failure, recovery, wanted, found)
    yield from _options(wanted, found)
    yield from _folder(failure, recovery)
    yield from _before(failure, recovery, found)


def _launchers(wanted: Command, found: Command) -> Iterator[Change]:
    for name in wanted.via:
        if name not in found.via:
            yield _call(f"the same command without `{name}`")
    for name in found.via:
        if name not in wanted.via:
            yield _call(f"the same command through `{name}`")


def _spelling(failure: Step, recovery: Step, found: Command) -> Iterator[Change]:
    """``/usr/local/go/bin/go`` where ``go`` failed, ``python3`` for ``python``: a system path is the same on other
    machines of the kind."""
    before, after = _spelled(failure.command, found.program), _spelled(recovery.command, found.program)
    if not before or not after or before == after:
        return
    folder = after[: len(after) - len(base(after))]
    known = not folder or folder.startswith(_SYSTEM) or folder[:1] in (".", "~")
    yield _call(f"`{after if known else '<path>/' + base(after)}` instead of `{_shown(before)}`")


def _spelled(line: str, program: str) -> str:
    """How a line writes a program: with its path, with its version."""
    words = re.findall(r"[^\s;&|()'\"`]+", line)
    return next((word for word in words if program_name(word) == program), "")


def _shown(word: str) -> str:
    return word if "/" not in word else f"<path>/{base(word)}"


def _options(wanted: Command, found: Command) -> Iterator[Change]:
    lost = [option for option in options(wanted) if option not in options(found)]
    gained = [option for option in options(found) if option not in options(wanted)]
    if len(lost) == 1 and len(gained) == 1:
        yield _call(f"`{gained[0]}` instead of `{lost[0]}`")
        return
    for option in gained[:2]:
        yield _call(f"with `{option}`")
    for option in lost[:2]:
        yield _call(f"without `{option}`")


def _operands(wanted: Command, found: Command) -> Iterator[Change]:
    mine, theirs = operands(wanted), operands(found)
    if mine == theirs:
        return
    if mine and not theirs and not set(mine) <= _lost_values(wanted, found):
        yield _call(f"`{_named(found)}` without naming anything")
    by_name = {base(word): word for word in mine if "/" in word or "\\" in word or "." in word}
    for word in theirs:
        other = by_name.get(base(word))
        if other is not None and other != word:
            yield _call(_respelled(other, word))
            return


def _quotes(failure: Step, recovery: Step, wanted: Command, found: Command) -> Iterator[Change]:
    """The same words, once left to the shell to expand and once in quotes."""
    for word in operands(found):
        quoted = (f"'{word}'", f'"{word}"')
        if (
            word in operands(wanted)
            and _SPECIAL.search(word)
            and any(one in recovery.command for one in quoted)
            and not any(one in failure.command for one in quoted)
        ):
            yield _call("with the argument in quotes")
            return


def _lost_values(wanted: Command, found: Command) -> set[str]:
    """Words that stood behind an option which is gone: its value went with it."""
    kept = options(found)
    return {
        word
        for option, word in pairwise(wanted.words)
        if option.startswith("-") and option.split("=", 1)[0] not in kept and not word.startswith("-")
    }


def _respelled(before: str, after: str) -> str:
    if normal(after) == normal(before):
        return f"the path written `{after[: len(after) - len(after.lstrip('./'))]}<path>`"
    if "/" not in after.replace("\\", "/"):
        return "the file named from its own folder"
    if normal(after).endswith("/" + normal(before).lstrip("./")):
        return "the path in full"
    if normal(before).endswith("/" + normal(after).lstrip("./")):
        return "the path from inside its folder"
    return "the file of that name in another folder"


def _folder(failure: Step, recovery: Step) -> Iterator[Change]:
    before, after = folder_of(failure), folder_of(recovery)
    if before == after or not after:
        return
    where = place(after, recovery.root or failure.root)
    yield _call(f"from {where}" if where else "from another folder")


def _before(failure: Step, recovery: Step, found: Command) -> Iterator[Change]:
    """Steps of the recovery's own line that stand before the command and were not in the failed line."""
    known = _ran(failure)
    changing = set(effects(recovery))
    for command in commands(recovery):
        if command is found:
            return
        if command.program in _SOURCES and command.words:
            name = command.words[0].split("=", 1)[0]
            yield Change("step", f"`{command.program} {mask(name)}…` first")
        elif command in changing and (command.program, command.sub) not in known:
            yield Change("step", f"`{label_of(command, recovery.root)}` first"[:MAX_TEXT])


def _ran(failure: Step) -> frozenset[tuple[str, tuple[str, ...]]]:
    """What the failed line ran already: the same again is no new step."""
    return frozenset((command.program, command.sub) for command in commands(failure))


# ---------------------------------------------------------------- files


def _edit(failure: Step, recovery: Step) -> Iterator[Change]:
    if recovery.tool != failure.tool:
        writer = next((c.program for c in commands(recovery) if _names(failure, c)), recovery.tool)
        yield _call(f"`{writer}` instead of `{failure.tool}`")
        return
    if recovery.input.get("replace_all") is True and failure.input.get("replace_all") is not True:
        yield _call("with `replace_all`")
    before, after = _length(failure), _length(recovery)
    if failure.failure_class == "many_matches" and before is not None and after is not None and after > before:
        yield _call("with more of the surrounding text")


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
        yield _call("not the whole file: a part of it with `offset` and `limit`, or a search in it")
    if recovery.tool != "Read":
        program = next((c.program for c in commands(recovery)), "") if tools.is_shell(recovery.tool) else ""
        yield _call(f"`{program or recovery.tool}` on it instead of `Read`")
    elif recovery.target == failure.target:
        yield from _arguments(failure, recovery)
    elif failure.failure_class == "is_directory":
        yield _call("a file inside the folder")
    elif base(recovery.target) == base(failure.target):
        yield _call("the file was at another path")
    else:
        yield _call("another file, found by a search")


def _in_parts(failure: Step, recovery: Step) -> bool:
    if recovery.tool != "Read":
        return True
    return any(recovery.input.get(name) != failure.input.get(name) for name in _PARTS)


def _arguments(failure: Step, recovery: Step) -> Iterator[Change]:
    if recovery.tool != failure.tool:
        yield _call(f"`{recovery.tool}` instead of `{failure.tool}`")
        return
    mine, theirs = failure.input, recovery.input
    gained = sorted(name for name in theirs if name not in mine)
    lost = sorted(name for name in mine if name not in theirs)
    if gained:
        yield _call("with " + " and ".join(f"`{mask(name)}`" for name in gained[:3]))
    if lost:
        yield _call("without " + " and ".join(f"`{mask(name)}`" for name in lost[:3]))
    for name in sorted(mine.keys() & theirs.keys()):
        if mine[name] != theirs[name] and type(mine[name]) is not type(theirs[name]):
            yield _call(f"`{mask(name)}` as {_kind(theirs[name])}")


def _kind(value: object) -> str:
    kinds = {
        str: "a text",
        bool: "true or false",
        int: "a number",
        float: "a number",
        list: "a list",
        dict: "an object",
    }
    return kinds.get(type(value), "nothing")


# ---------------------------------------------------------------- steps between


def _between(failure: Step, between: Sequence[Step]) -> Iterator[Change]:
    known = _ran(failure) if tools.is_shell(failure.tool) else frozenset()
    for step in between:
        if not step.ok:
            continue
        if tools.is_shell(step.tool):
            for command in effects(step):
                if (command.program, command.sub) not in known:
                    yield Change("step", f"`{label_of(command, step.root)}` first"[:MAX_TEXT])
            if failure.tool in EDITS and any(_names(failure, command) for command in commands(step)):
                yield Change("step", "read the file first")
            elif failure.tool == "Read" and is_search(step):
                yield Change("step", "look for it with a search first")
        elif step.tool == "Read" and set(failure.targets) & set(step.targets):
            yield Change("step", "read the file first")
        elif is_search(step) and failure.tool == "Read":
            yield Change("step", "look for it with a search first")
        elif step.tool not in EDITS and step.tool not in ("Read", "Glob", "Grep", "LS", "TodoWrite", "Task"):
            yield Change("step", f"`{step.tool}` first")


def _names(failure: Step, command: Command) -> bool:
    """Whether a command is about a file of the failed call."""
    return bool(set(map(base, failure.targets)) & set(map(base, command.words)))


def _unchanged(failure: Step, recovery: Step) -> bool:
    if tools.is_shell(failure.tool):
        pair = attempt(failure, recovery)
        return pair is not None and (pair[0].program, pair[0].words) == (pair[1].program, pair[1].words)
    return failure.tool == recovery.tool and failure.input == recovery.input


def _named(command: Command) -> str:
    return " ".join((command.program, *command.sub))


def _call(text: str) -> Change:
    return Change("call", text[:MAX_TEXT])
