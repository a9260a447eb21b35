"""From the items of a line to its commands: launchers taken off, variables filled in, who decides the exit code."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, NamedTuple

from agent_riggs.judge.checks import Check, check_kind, single_purpose
from agent_riggs.judge.programs import FILTERS, READER_SUBCOMMANDS, READERS, TRIVIAL, answers, is_known, subcommand
from agent_riggs.judge.reading import read
from agent_riggs.judge.syntax import Define, Group, Items, Simple
from agent_riggs.judge.wrappers import expand, program_name, unwrap

_MAX_COMMANDS: Final = 200
_MAX_NESTING: Final = 4
_PROGRAM: Final = re.compile(r"[^()=;{}<>|&\s'\"`]+$|\$\(\)$")
"""What can be a program's name; pieces of a line that was not understood are not."""


@dataclass(frozen=True, slots=True)
class Command:
    """One command of a line, its launchers taken off."""

    program: str
    """Base name of the program; ``$NAME`` when only a variable names it."""
    words: tuple[str, ...] = ()
    """The arguments after the program, quotes removed."""
    sub: tuple[str, ...] = ()
    """Sub-command words: ``("push",)`` of git, ``("run", "build")`` of npm."""
    via: tuple[str, ...] = ()
    """Launchers taken off, outermost first: ``sudo``, ``timeout``, ``uv run`` ..."""
    transport: str = ""
    """The launcher that runs the program elsewhere (``ssh``, ``docker exec``); empty when local."""
    next: str = ""
    """Connector to the next command: ``&&`` ``||`` ``|`` ``;`` ``&`` or nothing."""
    pipe: int = 0
    """Place in its pipeline, 0 for the producer."""
    pipeline: int = 0
    """Number of the pipeline in the line; commands of one pipeline share it."""
    negated: bool = False
    err: str = ""
    """Where stderr goes: empty (shown), ``out``, ``null``, ``file``."""
    condition: bool = False
    """It only asks: the condition of ``if``, ``while``, or the body of a function never called."""
    decides: bool = False
    """A failure of this command can be the exit code of the line."""
    handled: bool = False
    """Its failure leads to another real command (``x || y``): not hidden, answered."""

    @property
    def is_filter(self) -> bool:
        """Reads what the pipe brings and only shapes it."""
        return _is_filter(self.program, self.sub, self.words, self.via)

    @property
    def is_probe(self) -> bool:
        """Some of its exit codes answer a question."""
        return bool(self.answers)

    @property
    def answers(self) -> frozenset[int]:
        """The exit codes with which it answers instead of failing."""
        codes = answers(self.program, self.sub, self.words)
        return codes | {123} if codes and "xargs" in self.via else codes

    @property
    def is_reader(self) -> bool:
        """Prints text that is not its own: files, history, logs."""
        if self.program in READERS:
            return self.program != "sed" or not any(w.startswith(("-i", "--in-place")) for w in self.words)
        known = READER_SUBCOMMANDS.get(self.program)
        return known is not None and bool(self.sub) and (self.sub[0] in known or " ".join(self.sub) in known)

    @property
    def is_trivial(self) -> bool:
        """Runs beside the real work: ``cd``, ``echo``, ``export`` ..."""
        return self.program in TRIVIAL or not self.program

    @property
    def check(self) -> Check | None:
        """What it checks (test, lint, type, build, check), or ``None``."""
        return check_kind(self.program, self.sub, self.words, self.via[-1] if self.via else "")


class _Walk:
    """The state of turning items into commands: variables, options and functions met so far."""

    __slots__ = ("errexit", "found", "functions", "pipefail", "pipelines", "values")

    def __init__(self) -> None:
        self.found: list[Command] = []
        self.values: dict[str, str] = {}
        self.functions: dict[str, Items] = {}
        self.errexit = self.pipefail = False
        self.pipelines = 0


class _Place(NamedTuple):
    """What the surrounding structure says about a command."""

    decides: bool = True
    condition: bool = False
    negated: bool = False
    handled: bool = False
    pipe: int = 0
    pipeline: int = 0
    next: str = ""
    via: tuple[str, ...] = ()
    transport: str = ""
    nesting: int = 0


def walk(items: Items) -> tuple[tuple[Command, ...], bool, bool]:
    """The commands of the items, and whether the line sets ``-e`` and ``pipefail``."""
    state = _Walk()
    state.errexit, state.pipefail = _options(items)
    _walk_items(state, items, _Place())
    return tuple(state.found), state.errexit, state.pipefail


def _options(items: Items) -> tuple[bool, bool]:
    """Whether the line sets ``-e`` and ``pipefail`` anywhere at its top."""
    errexit = pipefail = False
    for item in items:
        if isinstance(item.node, Simple) and item.node.words[:1] == ("set",):
            words = item.node.words[1:]
            pipefail = pipefail or "pipefail" in words
            errexit = errexit or any(w[:1] == "-" and w[1:2] != "-" and "e" in w for w in words) or "errexit" in words
    return errexit, pipefail


def _walk_items(walk: _Walk, items: Items, place: _Place) -> None:
    """Walk and-or lists in order; only the last one decides, unless ``set -e`` is on."""
    lists = _split(items, (";", "&", ""))
    final = _final(lists)
    for number, part in enumerate(lists):
        decides = place.decides and part[-1].next != "&" and (number == final or walk.errexit)
        inner = place if decides == place.decides else place._replace(decides=decides)
        _walk_list(walk, part, inner, number == len(lists) - 1)


def _final(lists: list[Items]) -> int:
    """Index of the list whose exit code counts: the last, or the one whose code ``exit $?`` or ``exit $kept`` tells."""
    final = len(lists) - 1
    node = lists[final][-1].node if lists else None
    if final <= 0 or len(lists[final]) > 1 or not isinstance(node, Simple):
        return final
    if node.words[:1] not in (("exit",), ("return",)):
        return final
    code = node.words[1] if len(node.words) > 1 else "$?"
    if code[:1] != "$":
        return final
    name = code.strip("${}")
    for position in range(final - 1, 0, -1):
        kept = lists[position][-1].node
        if isinstance(kept, Simple) and not kept.words and any(a == name and v[:1] == "$" for a, v in kept.assigns):
            return position - 1
    return final - 1


def _split(items: Items, at: tuple[str, ...]) -> list[Items]:
    parts: list[Items] = []
    start = 0
    for position, item in enumerate(items):
        if item.next in at or position == len(items) - 1:
            parts.append(items[start : position + 1])
            start = position + 1
    return parts


def _walk_list(walk: _Walk, items: Items, place: _Place, last: bool) -> None:
    pipelines = _split(items, ("&&", "||", ";", "&", ""))
    for number, part in enumerate(pipelines):
        decides, handled = _caught(pipelines, number, place)
        walk.pipelines += 1
        outermost = last and number == len(pipelines) - 1
        for pipe, item in enumerate(part):
            ends = pipe == len(part) - 1
            inner = _Place(
                decides and (ends or walk.pipefail),
                place.condition,
                place.negated,
                handled,
                pipe or place.pipe,
                walk.pipelines if len(part) > 1 or not place.pipe else place.pipeline,
                place.next if outermost and ends and not item.next else item.next,
                place.via,
                place.transport,
                place.nesting,
            )
            _walk_node(walk, item.node, inner)


def _caught(pipelines: list[Items], number: int, place: _Place) -> tuple[bool, bool]:
    """Whether a failure of the pipeline decides, and whether another real command answers it (``x || y``)."""
    for position in range(number, len(pipelines) - 1):
        if pipelines[position][-1].next == "||":
            answer = pipelines[position + 1]
            if _raises(answer[-1].node):
                continue
            return False, place.handled or not all(_is_small(item.node) for item in answer)
    repeats = number > 0 and pipelines[number - 1][-1].next == "||" and _raises(pipelines[number][-1].node)
    return place.decides and not repeats, place.handled


def _raises(node: Simple | Group | Define) -> bool:
    """Whether what follows ``||`` only passes the failure on: ``exit 1``, ``false``, ``{ echo no; exit 1; }``."""
    if isinstance(node, Group):
        branch = node.branches[0] if node.branches else ()
        return bool(branch) and all(_is_small(item.node) for item in branch) and _raises(branch[-1].node)
    if not isinstance(node, Simple) or not node.words:
        return False
    if node.words[0] == "false":
        return True
    return node.words[0] in ("exit", "return") and node.words[1:2] != ("0",)


def _is_small(node: Simple | Group | Define) -> bool:
    """Whether a node does no work of its own: ``true``, ``echo failed``, a group of such."""
    if isinstance(node, Group):
        return all(_is_small(item.node) for branch in node.branches for item in branch)
    if isinstance(node, Define):
        return True
    return not node.inner and (not node.words or program_name(node.words[0]) in TRIVIAL or node.words[0] == "cat")


def _walk_node(walk: _Walk, node: Simple | Group | Define, place: _Place) -> None:
    if len(walk.found) >= _MAX_COMMANDS:
        return
    if isinstance(node, Define):
        walk.functions[node.name] = node.body
    elif isinstance(node, Group):
        negated = place.negated or node.negated
        for asked in node.conditions:
            _walk_items(walk, asked, place._replace(decides=False, condition=True, negated=negated))
        for branch in node.branches:
            _walk_items(walk, branch, place._replace(negated=negated))
    else:
        _walk_simple(walk, node, place)


def _walk_simple(walk: _Walk, node: Simple, place: _Place) -> None:
    if not node.words:
        walk.values.update((name, value) for name, value in node.assigns if "$" not in value and "`" not in value)
        _walk_items(walk, node.inner, place)
        return
    words = _filled(walk, node.words) if "$" in node.words[0] else node.words
    body = walk.functions.get(words[0])
    if body is not None and place.nesting < _MAX_NESTING:
        _walk_items(walk, body, place._replace(nesting=place.nesting + 1))
        return
    found = unwrap(words, node.document)
    via = place.via + found.via
    transport = found.transport or place.transport
    if found.script is not None and place.nesting < _MAX_NESTING:
        inner, _ = read(found.script)
        if inner:
            _walk_script(walk, inner, place._replace(via=via, transport=transport, nesting=place.nesting + 1))
            return
    program = found.program or (via[-1].split()[0] if via else "")
    if not _PROGRAM.match(program):
        return
    sub = () if single_purpose(program) and not is_known(program) else subcommand(program, found.words)
    negated = place.negated or node.negated
    walk.found.append(
        Command(program, found.words, sub, via, transport, place.next, place.pipe, place.pipeline, negated, node.err,
                place.condition, place.decides, place.handled)
    )  # fmt: skip
    if node.inner and len(walk.found) < _MAX_COMMANDS:
        _walk_items(walk, node.inner, place._replace(decides=False))


def _walk_script(walk: _Walk, items: Items, place: _Place) -> None:
    """The line of ``bash -c``: it has options of its own."""
    outer = walk.errexit, walk.pipefail
    walk.errexit, walk.pipefail = _options(items)
    _walk_items(walk, items, place)
    walk.errexit, walk.pipefail = outer


def _filled(walk: _Walk, words: tuple[str, ...]) -> tuple[str, ...]:
    """The words with the program's variable filled in; a value of several words is split."""
    first = expand(words[0], walk.values)
    if first != words[0] and " " in first.strip():
        return (*first.split(), *words[1:])
    return (first if first.strip() else words[0], *words[1:])


def _is_filter(program: str, sub: tuple[str, ...], words: tuple[str, ...], via: tuple[str, ...]) -> bool:
    if via and "xargs" in via:
        return False
    if program in FILTERS:
        return True
    if program == "python":
        return words[:2] == ("-m", "json.tool")
    if program in ("perl", "ruby"):
        return any(w.startswith(("-pe", "-ne", "-nle", "-ple")) for w in words[:2])
    return program == "xargs" and not words
