"""How a shell command was written differently the second time, and what its line ran before it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Final

from agent_riggs.folders import normal
from agent_riggs.judge.mask import mask
from agent_riggs.judge.shell import Command
from agent_riggs.judge.wrappers import program_name
from agent_riggs.learn.change import MAX_TEXT, Change, called
from agent_riggs.learn.enabling import SETTERS, enabler, enables, setting
from agent_riggs.learn.intent import attempt, joined, prefix
from agent_riggs.learn.steps import (
    Step,
    base,
    commands,
    effects,
    folder_of,
    label_of,
    operands,
    options,
    place,
    subject,
)

_SYSTEM: Final = ("/usr/", "/opt/", "/bin/", "/sbin/", "/snap/", "/nix/")
_EVASIVE: Final = re.compile(r"--(?:no-verify|dangerously-.*|skip-(?:checks|hooks))$")
"""Options that switch off what complained: never a fix."""
_VALUE: Final = re.compile(r"[\w.:]+")
"""A value that is no path and no text."""
_ASSIGNED: Final = re.compile(r"(?:^|[;&|(]|\s)([A-Z_][A-Z0-9_]*)=")
_SPECIAL: Final = re.compile(r"[*?\[\](){}!$&;<>|#~ ]")


def shell_changes(failure: Step, recovery: Step) -> Iterator[Change]:
    """How the later call differs, and the steps of its own line that came first."""
    pair = attempt(failure, recovery)
    if pair is None:
        wanted = subject(failure)
        if wanted is not None and recovery.tool != failure.tool:
            yield called(f"the `{recovery.tool}` tool instead of `{wanted.program}`")
        return
    wanted, found = pair
    before, after = prefix(wanted, found), prefix(found, wanted)
    if found.program != wanted.program and (before or after):
        yield called(f"the same command {'without' if before else 'through'} `{mask(' '.join(before or after))}`")
        yield from _folder(failure, recovery)
        return
    yield from _launchers(failure, recovery, wanted, found)
    for one, two in ((wanted, found), (found, wanted)):
        if joined(one, two):
            names = {one.program: one.program, two.program: f"{two.program} {two.words[0]}"}
            yield called(f"`{names[found.program]}` instead of `{names[wanted.program]}`")
            return
    if found.program != wanted.program:
        yield called(f"`{found.program}` instead of `{wanted.program}`")
    yield from _spelling(failure, recovery, found)
    yield from _variables(failure, recovery)
    if found.sub != wanted.sub and found.program == wanted.program:
        if failure.outcome == "check_failed":
            yield Change("step", f"`{_named(found)}` first")
        else:
            yield called(f"`{_named(found)}` instead of `{_named(wanted)}`")
    yield from _operands(wanted, found)
    yield from _quotes(failure, recovery, wanted, found)
    yield from _options(wanted, found)
    yield from _values(failure, wanted, found)
    yield from _folder(failure, recovery)
    yield from _before(failure, recovery, found)


def _launchers(failure: Step, recovery: Step, wanted: Command, found: Command) -> Iterator[Change]:
    for name in wanted.via:
        if name not in found.via:
            yield called(f"the same command without `{_launcher(failure, name)}`")
    for name in found.via:
        if name not in wanted.via:
            yield called(f"the same command through `{_launcher(recovery, name)}`")


def _launcher(step: Step, name: str) -> str:
    """A launcher as it is written: ``python`` runs a program as ``python3 -m``."""
    written = _spelled(step.command, name)
    return f"{_portable(written)} -m" if written and f"{written} -m " in step.command else name


def _variables(failure: Step, recovery: Step) -> Iterator[Change]:
    """Variables that the line sets for its commands and the failed one did not."""
    before = set(_ASSIGNED.findall(failure.command))
    for name in dict.fromkeys(_ASSIGNED.findall(recovery.command)):
        if name not in before and not re.search(rf"\b(?:export|set|declare)\s+{name}=", recovery.command):
            yield called(f"with `{mask(name)}` set")


def _spelling(failure: Step, recovery: Step, found: Command) -> Iterator[Change]:
    """``/usr/local/go/bin/go`` where ``go`` failed, ``python3`` for ``python``: a system path is the same on other
    machines of the kind."""
    before, after = _spelled(failure.command, found.program), _spelled(recovery.command, found.program)
    one, two = "-".join((found.program, *found.sub[:1])), " ".join((found.program, *found.sub[:1]))
    if not before and after and found.sub and one in map(base, _tokens(failure.command)):
        yield called(f"`{two}` instead of `{one}`")
    elif not after and before and found.sub and one in map(base, _tokens(recovery.command)):
        yield called(f"`{one}` instead of `{two}`")
    if not before or not after or before == after:
        return
    yield called(f"`{_portable(after)}` instead of `{_shown(before)}`")


def _portable(word: str) -> str:
    """A program's path as it is where that is the same on other machines."""
    folder = word[: len(word) - len(base(word))]
    known = not folder or folder.startswith(_SYSTEM) or folder[:1] in (".", "~")
    return word if known else f"<path>/{base(word)}"


def _spelled(line: str, program: str) -> str:
    """How a line writes a program: with its path, with its version."""
    return next((word for word in _tokens(line) if program_name(word) == program), "")


def _tokens(line: str) -> list[str]:
    return re.findall(r"[^\s;&|()'\"`]+", line)


def _shown(word: str) -> str:
    return word if "/" not in word else f"<path>/{base(word)}"


def _options(wanted: Command, found: Command) -> Iterator[Change]:
    lost = [option for option in options(wanted) if option not in options(found)]
    gained = [o for o in options(found) if o not in options(wanted) and not _EVASIVE.match(o)]
    if _nothing_named(wanted, found):
        return
    if len(lost) == 1 and len(gained) == 1:
        yield called(f"`{gained[0]}` instead of `{lost[0]}`")
        return
    for option in gained[:2]:
        yield called(f"with `{option}`")
    for option in lost[:2]:
        yield called(f"without `{option}`")


def _values(failure: Step, wanted: Command, found: Command) -> Iterator[Change]:
    """Options whose value the failure names and that got another one: the port that is taken."""
    before, after = dict(pairwise(wanted.words)), dict(pairwise(found.words))
    for option, value in before.items():
        other = after.get(option, value)
        plain = option.startswith("-") and _VALUE.fullmatch(value) and _VALUE.fullmatch(other)
        if plain and other != value and value in failure.told:
            yield called(f"with another value of `{option}`")


def _operands(wanted: Command, found: Command) -> Iterator[Change]:
    mine, theirs = operands(wanted), operands(found)
    if mine == theirs:
        return
    if _nothing_named(wanted, found):
        yield called(f"`{' '.join((_named(found), *options(found)[:1]))}` without naming anything")
    by_name = {base(word): word for word in mine if "/" in word or "\\" in word or "." in word}
    for word in theirs:
        other = by_name.get(base(word))
        if other is not None and other != word:
            yield called(_respelled(other, word))
            return


def _nothing_named(wanted: Command, found: Command) -> bool:
    """Whether what the call acted on was left away, and not only as the value of an option, or brought by a pipe."""
    mine = operands(wanted)
    if not mine or operands(found) or "xargs" in found.via:
        return False
    return not set(mine) <= _lost_values(wanted, found) | set(found.sub)


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
            yield called("with the argument in quotes")
            return


def _lost_values(wanted: Command, found: Command) -> set[str]:
    """Words that stood behind an option which is gone: its value went with it."""
    kept = options(found)
    return {
        word
        for option, word in pairwise(wanted.words)
        if option.startswith("-")
        and option not in ("-", "--")
        and option.split("=", 1)[0] not in kept
        and not word.startswith("-")
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
    yield called(f"from {where}" if where else "from another folder")


def _before(failure: Step, recovery: Step, found: Command) -> Iterator[Change]:
    """Steps of the recovery's own line that stand before the command and were not in the failed line."""
    known = ran_already(failure)
    ran = {(command.program, command.words) for command in commands(failure)}
    changing = set(effects(recovery))
    for command in commands(recovery):
        if command is found:
            return
        if (command.program, command.words) not in ran and enables(failure, command):
            yield from enabling(failure, command, recovery.root)
        elif command.program in SETTERS and command.words:
            yield Change("step", f"`{setting(command)}` first")
        elif command in changing and (command.program, command.sub) not in known:
            yield Change("step", f"`{label_of(command, recovery.root)}` first"[:MAX_TEXT])


def ran_already(failure: Step) -> frozenset[tuple[str, tuple[str, ...]]]:
    """What the failed line ran already: the same again is no new step."""
    return frozenset((command.program, command.sub) for command in commands(failure))


def enabling(failure: Step, command: Command, root: str) -> Iterator[Change]:
    """A step that acts on what the failure names, as a change."""
    exact, *goals = enabler(failure, command, root)
    yield Change("enabler", exact[:MAX_TEXT])
    for goal in goals:
        yield Change("goal", goal[:MAX_TEXT])


def _named(command: Command) -> str:
    return " ".join((command.program, *command.sub))
