"""What a shell line runs: its commands in order, which of them decides the exit code, and what hides a failure.

The value is frozen and cached. Structure comes from :mod:`syntax`, launchers are taken off by :mod:`wrappers`, what
is known about programs stands in :mod:`programs` and :mod:`checks`. Nothing here raises, whatever the text.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final

from agent_riggs.judge.checks import Check, check_kind
from agent_riggs.judge.programs import FILTERS, READER_SUBCOMMANDS, READERS, TRIVIAL, answers, subcommand
from agent_riggs.judge.syntax import Define, Group, Item, Items, Simple, read
from agent_riggs.judge.wrappers import expand, program_name, unwrap

MAX_COMMAND: Final = 4000
"""Characters of a command that are looked at."""
_MAX_COMMANDS: Final = 200
_MAX_NESTING: Final = 4


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
        return known is not None and (" ".join(self.sub) in known or self.sub[:1] != () and self.sub[0] in known)

    @property
    def is_trivial(self) -> bool:
        """Runs beside the real work: ``cd``, ``echo``, ``export`` ..."""
        return self.program in TRIVIAL or not self.program

    @property
    def check(self) -> Check | None:
        """What it checks (test, lint, type, build, check), or ``None``."""
        return check_kind(self.program, self.sub, self.words)


@dataclass(frozen=True, slots=True)
class Line:
    """A parsed shell line."""

    commands: tuple[Command, ...] = ()
    errexit: bool = False
    pipefail: bool = False
    clean: bool = True
    """The grammar understood the whole line."""


class _Walk:
    """The state of turning items into commands: variables, options and functions met so far."""

    __slots__ = ("errexit", "found", "functions", "pipefail", "pipelines", "values")

    def __init__(self) -> None:
        self.found: list[Command] = []
        self.values: dict[str, str] = {}
        self.functions: dict[str, Items] = {}
        self.errexit = self.pipefail = False
        self.pipelines = 0


@dataclass(frozen=True, slots=True)
class _Place:
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


def parse(command: str) -> Line:
    """The commands of a shell line. Only the first ``MAX_COMMAND`` characters count."""
    return _parse(command[:MAX_COMMAND])


@lru_cache(maxsize=4096)
def _parse(command: str) -> Line:
    text = _callable(command)
    items, clean = read(text)
    walk = _Walk()
    walk.errexit, walk.pipefail = _options(items)
    _walk_items(walk, items, _Place())
    return Line(tuple(walk.found), walk.errexit, walk.pipefail, clean)


def _callable(command: str) -> str:
    """The line without PowerShell's call operator."""
    text = command.lstrip()
    return text[1:].lstrip() if text.startswith("& ") else command


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
    for number, part in enumerate(lists):
        last = number == len(lists) - 1
        decides = place.decides and part[-1].next != "&" and (last or walk.errexit)
        _walk_list(walk, part, replace(place, decides=decides) if decides != place.decides else place, last)


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
        decides, handled = place.decides, place.handled
        later = pipelines[number:]
        catcher = next((i for i in range(len(later) - 1) if later[i][-1].next == "||"), None)
        if catcher is not None:
            answer = later[catcher + 1]
            if _raises(answer[-1].node):
                pass
            else:
                decides = False
                handled = handled or not all(_is_small(i.node) for i in answer)
        elif number and pipelines[number - 1][-1].next == "||" and _raises(part[-1].node):
            decides = False
        walk.pipelines += 1
        for pipe, item in enumerate(part):
            ends = pipe == len(part) - 1
            following = item.next if not (ends and last and number == len(pipelines) - 1 and not item.next) else place.next
            inner = replace(
                place,
                decides=decides and (ends or walk.pipefail),
                handled=handled,
                pipe=pipe or place.pipe,
                pipeline=walk.pipelines if len(part) > 1 or not place.pipe else place.pipeline,
                next=following,
            )
            _walk_node(walk, item.node, inner)


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
            _walk_items(walk, asked, replace(place, decides=False, condition=True, negated=negated))
        for branch in node.branches:
            _walk_items(walk, branch, replace(place, negated=negated))
    else:
        _walk_simple(walk, node, place)


def _walk_simple(walk: _Walk, node: Simple, place: _Place) -> None:
    if not node.words:
        walk.values.update((name, value) for name, value in node.assigns if "$" not in value and "`" not in value)
        _walk_items(walk, node.inner, place)
        return
    words = node.words
    if "$" in words[0]:
        words = (expand(words[0], walk.values), *words[1:])
        if " " in words[0] and words[0] != node.words[0]:
            words = (*words[0].split(), *words[1:])
    body = walk.functions.get(words[0])
    if body is not None and place.nesting < _MAX_NESTING:
        _walk_items(walk, body, replace(place, nesting=place.nesting + 1))
        return
    found = unwrap(words, node.document)
    via, transport = place.via + found.via, found.transport or place.transport
    if found.script is not None and place.nesting < _MAX_NESTING:
        inner, _ = read(found.script)
        if inner:
            deeper = replace(place, via=via, transport=transport, nesting=place.nesting + 1)
            _walk_items(walk, inner, deeper)
            return
    program = found.program or (via[-1].split()[0] if via else "")
    walk.found.append(
        Command(
            program,
            found.words,
            subcommand(program, found.words),
            via,
            transport,
            place.next,
            place.pipe,
            place.pipeline,
            place.negated or node.negated,
            node.err,
            place.condition,
            place.decides,
            place.handled,
        )
    )
    if node.inner and len(walk.found) < _MAX_COMMANDS:
        _walk_items(walk, node.inner, replace(place, decides=False))


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
    found: list[Command] = []
    for command in line.commands:
        if not command.condition and not (command.pipe and command.is_filter):
            found.append(command)
    return found


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
    "Item",
    "Line",
    "candidates",
    "deciding",
    "find",
    "hidden",
    "masks_failure",
    "parse",
    "program_key",
    "returns",
]
