"""One call as fix mining sees it, and the small questions about it: what it aimed at, what it ran."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import pairwise, takewhile
from typing import Any, Final

from agent_riggs.folders import drive_of, fold, normal, under
from agent_riggs.judge import shell, tools
from agent_riggs.judge.mask import mask
from agent_riggs.judge.shell import Command

EDITS: Final = frozenset({"Edit", "Write", "NotebookEdit"})
SEARCHES: Final = frozenset({"Glob", "Grep", "LS"})
_TARGETS: Final = ("file_path", "path", "notebook_path", "filePath", "absolute_path", "filename", "file", "dir_path")
_FOLDERS: Final = ("workdir", "cwd", "directory", "dir")
"""Where agents put the working folder of a shell call."""
_SEARCH_PROGRAMS: Final = frozenset({"find", "fd", "ls", "rg", "grep", "locate", "tree", "dir"})
_PLAIN: Final = re.compile(r"[A-Za-z_.][A-Za-z_.-]{0,30}")
"""A folder's name that is no id, number or date."""
_SHAPING: Final = frozenset(
    {"--json", "--jq", "--template", "--format", "--query", "--output", "--title", "--body", "--message", "--limit"}
)
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
    told: str = ""
    """Redacted excerpt of what a failure printed: compared with, never repeated."""
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
        return next(iter(self.targets), "")

    @property
    def targets(self) -> tuple[str, ...]:
        """All of them: a patch names several files."""
        found = [value for name in _TARGETS if isinstance(value := self.input.get(name), str) and value][:1]
        listed = self.input.get("files")
        if isinstance(listed, list):
            found += [value for value in listed if isinstance(value, str) and value]
        return tuple(dict.fromkeys(map(normal, found)))


def commands(step: Step) -> tuple[Command, ...]:
    """The commands of a shell step that do its work, in order."""
    return tuple(c for c in shell.parse(step.command).commands if not c.condition and c.program)


def subjects(step: Step) -> tuple[Command, ...]:
    """The commands of a failed shell step that its failure may be about, the likeliest first.

    Those of the program that the judge named: with the sub-command where the name holds one, else any of it.
    """
    line = shell.parse(step.command)
    name = step.program or ""
    last_first = tuple(reversed(line.commands))
    exact = tuple(c for c in last_first if shell.program_key(c, True) == name)
    if exact:
        return exact
    bare = name.split(" ")[0]
    found = tuple(c for c in last_first if c.program == bare or any(via.split()[0] == bare for via in c.via))
    decided = shell.deciding(line)
    return found or ((decided,) if decided else ())


def subject(step: Step) -> Command | None:
    """The likeliest of ``subjects``."""
    return next(iter(subjects(step)), None)


def operands(command: Command) -> tuple[str, ...]:
    """The words that are no options and no sub-command: what the command acts on."""
    left = list(command.sub)
    found = []
    for word in command.words:
        if word in left:
            left.remove(word)
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
    given = next((value for name in _FOLDERS if isinstance(value := step.input.get(name), str) and value), step.cwd)
    for command in commands(step):
        if command.program in ("cd", "pushd") and command.words:
            target = command.words[0]
            if target.startswith("/") or drive_of(target):
                return normal(target)
            return normal(f"{given}/{target}") if given and "$" not in target else ""
    return normal(given)


def place(folder: str, root: str) -> str:
    """A folder in words that hold on any machine: relative to the project; empty for one outside it or for one
    whose name says nothing elsewhere. A worktree is the project's own folder."""
    folder, root = normal(fold(folder)), normal(root)
    if not folder or not root or not under(folder, root):
        return ""
    inside = folder[len(root) :].strip("/")
    if not inside:
        return "the project's root folder"
    return f"`{inside}`" if len(inside) <= 60 and all(map(_PLAIN.fullmatch, inside.split("/"))) else ""


def label_of(command: Command, root: str = "", without: frozenset[str] = frozenset()) -> str:
    """The command without its options: under this text equal steps of different sessions are counted.

    Nothing in it is bound to one machine; of a path inside the project (``root``) the beginning is kept. ``without``
    are words that go without saying.
    """
    dropped = without | _values(command)
    names = [_word(word, root) for word in [word for word in operands(command) if word not in dropped][:2]]
    launchers = [f"{name} -m" if name == "python" else name for name in command.via]
    return " ".join((*launchers, command.program, *command.sub, *names))


def _values(command: Command) -> frozenset[str]:
    """Words that belong to an option which only shapes what is printed or said."""
    return frozenset(word for option, word in pairwise(command.words) if option in _SHAPING)


def _word(word: str, root: str) -> str:
    """One word, masked: names and sub-commands stay, paths, numbers, ids and texts do not."""
    if _SECRET.search(word):
        return "<secret>"
    if " " in word or "\n" in word:
        return "<text>"
    masked = mask(word)
    if masked != "<path>":
        return masked
    inside = normal(word)
    if under(inside, root):
        inside = inside[len(normal(root)) :].strip("/")
    elif inside.startswith(("/", "~", "..")) or drive_of(word):
        return masked
    parts = inside.split("/")
    kept = list(takewhile(_PLAIN.fullmatch, parts[:2]))
    if not kept:
        return masked
    return "/".join(kept) + ("/…" if len(parts) > len(kept) else "")


def effects(step: Step) -> Iterator[Command]:
    """The commands of a step that change something: no readers, searches, filters or ``cd``."""
    for command in commands(step):
        quiet = command.is_trivial or command.is_reader or command.is_filter or command.is_probe
        if not quiet and command.program not in _SEARCH_PROGRAMS:
            yield command
