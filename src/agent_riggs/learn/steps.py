"""One call as fix mining sees it, and the small questions about it: what it aimed at, what it ran."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from agent_riggs.folders import drive_of, normal, under
from agent_riggs.judge import shell, tools
from agent_riggs.judge.mask import mask
from agent_riggs.judge.shell import Command

EDITS: Final = frozenset({"Edit", "Write", "NotebookEdit"})
SEARCHES: Final = frozenset({"Glob", "Grep", "LS"})
_TARGETS: Final = ("file_path", "path", "notebook_path", "filePath", "absolute_path", "filename", "file", "dir_path")
_SEARCH_PROGRAMS: Final = frozenset({"find", "fd", "ls", "rg", "grep", "locate", "tree", "dir"})
_SECRET: Final = re.compile(r"\[?redacted", re.I)


@dataclass(frozen=True, slots=True)
class Step:
    """One call of a session."""

    turn_id: int
    tool: str
    """Canonical name."""
    outcome: str
    input: Mapping[str, Any] = field(default_factory=dict)
    """The stored (redacted, shortened) arguments."""
    failure_class: str | None = None
    program: str | None = None
    fingerprint: str | None = None
    user_said: str = ""
    cwd: str = ""
    root: str = ""
    """Folder under which the transcript knows the project."""
    number: int = 0
    """``turn_number``: the distance of two steps in calls is the difference."""

    @property
    def ok(self) -> bool:
        """It succeeded, and nothing suggests otherwise. A masked call never counts."""
        return self.outcome == "ok"

    @property
    def failed(self) -> bool:
        return self.outcome in ("failed", "check_failed", "denied")

    @property
    def command(self) -> str:
        """The shell line; empty for other tools."""
        return tools.command_of(self.tool, self.input) or "" if tools.is_shell(self.tool) else ""

    @property
    def target(self) -> str:
        """The file or folder the call is about, in one spelling; empty when it names none."""
        for name in _TARGETS:
            value = self.input.get(name)
            if isinstance(value, str) and value:
                return normal(value)
        return ""


def commands(step: Step) -> tuple[Command, ...]:
    """The commands of a shell step that do its work, in order."""
    return tuple(c for c in shell.parse(step.command).commands if not c.condition and c.program)


def subject(step: Step) -> Command | None:
    """The command of a failed shell step that its failure is about."""
    line = shell.parse(step.command)
    name = (step.program or "").split(" ")[0]
    if name:
        for command in reversed(line.commands):
            if command.program == name or any(launcher.split()[0] == name for launcher in command.via):
                return command
    return shell.deciding(line)


def operands(command: Command) -> tuple[str, ...]:
    """The words that are no options and no sub-command: what the command acts on."""
    left = list(command.sub)
    found = []
    for word in command.words:
        if left and word == left[0]:
            left.pop(0)
        elif not word.startswith("-") or word == "-":
            found.append(word)
    return tuple(found)


def options(command: Command) -> tuple[str, ...]:
    """The options, without their values when those are joined by ``=``."""
    return tuple(word.split("=", 1)[0] for word in command.words if word.startswith("-") and word not in ("-", "--"))


def base(path: str) -> str:
    """Last part of a path in any spelling, in lower case."""
    return path.replace("\\", "/").rstrip("/").rsplit("/", 1)[-1].lower()


def is_search(step: Step) -> bool:
    """It looked for files: a search tool, or a shell line that lists or finds."""
    return step.tool in SEARCHES or any(c.program in _SEARCH_PROGRAMS for c in commands(step))


def folder_of(step: Step) -> str:
    """Folder in which the step's work is done: its ``cd``, else its working folder; empty when unknown."""
    for command in commands(step):
        if command.program in ("cd", "pushd") and command.words:
            target = command.words[0]
            if target.startswith("/") or drive_of(target):
                return normal(target)
            return normal(f"{step.cwd}/{target}") if step.cwd and "$" not in target else ""
    return normal(step.cwd)


def place(folder: str, root: str) -> str:
    """A folder in words that hold on any machine: relative to the project; empty for one outside it."""
    if not folder or not root or not under(folder, root):
        return ""
    inside = normal(folder)[len(normal(root)) :].strip("/")
    return f"`{inside}`" if inside else "the project's root folder"


def words_of(command: Command, limit: int = 6) -> str:
    """A command as a short text in which nothing is bound to one machine."""
    words = (*command.via, command.program, *(_word(word) for word in command.words[:limit]))
    text = " ".join(words) + (" …" if len(command.words) > limit else "")
    return text if len(text) <= 90 else text[:89].rstrip() + "…"


def label_of(command: Command) -> str:
    """The command without its options: under this text equal steps of different sessions are counted."""
    names = [_word(word) for word in operands(command)[:2]]
    return " ".join((*command.via, command.program, *command.sub, *names))


def _word(word: str) -> str:
    """One word, masked: names, options and sub-commands stay, paths, numbers, ids and texts do not."""
    if _SECRET.search(word):
        return "<secret>"
    if " " in word or "\n" in word:
        return "<text>"
    name, found, value = word.partition("=")
    if word.startswith("-") and found:
        return f"{name}={mask(value)}"
    return mask(word)


def effects(step: Step) -> Iterator[Command]:
    """The commands of a step that change something: no readers, searches, filters or ``cd``."""
    for command in commands(step):
        quiet = command.is_trivial or command.is_reader or command.is_filter or command.is_probe
        if not quiet and command.program not in _SEARCH_PROGRAMS:
            yield command
