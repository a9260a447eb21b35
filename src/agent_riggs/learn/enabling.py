"""Steps that act on what a failure names, so that the same call works afterwards: the port freed, the package
installed, the folder made. What the failure printed is only compared with; it never becomes part of a text."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final, Literal

from agent_riggs.judge.mask import mask
from agent_riggs.judge.shell import Command
from agent_riggs.learn.steps import Step, base, label_of, operands

Aim = Literal["stop", "start", "install", "create", "set", "allow", "unlock", "record"]

SETTERS: Final = frozenset({"export", "source", ".", "set", "eval", "unset"})
_STOPPERS: Final = frozenset("kill pkill killall kill-port fkill taskkill stop-process".split())  # noqa: SIM905
_DAEMONS: Final = frozenset("redis-server mongod mysqld dockerd nginx pg_ctlcluster start-service".split())  # noqa: SIM905
_MANAGERS: Final = frozenset(
    "pip npm pnpm yarn bun deno apt apk dnf yum pacman brew port nix winget scoop choco snap cargo rustup gem bundle "  # noqa: SIM905
    "go poetry pdm uv pipx conda mamba composer dotnet mix rebar3 opam cabal stack luarocks playwright corepack asdf "
    "mise nvm fnm pyenv rbenv sdk terraform helm kubectl".split()
)
_SUPERVISORS: Final = frozenset(
    "docker podman systemctl service brew pm2 pg_ctl colima minikube supabase supervisorctl launchctl vagrant".split()  # noqa: SIM905
)
_MAKERS: Final = frozenset("mkdir touch createdb createuser cp mv ln tee new-item".split())  # noqa: SIM905
_PERMITS: Final = frozenset("chmod chown chgrp icacls takeown xattr usermod setfacl".split())  # noqa: SIM905
_WORDS: Final[tuple[tuple[Aim, frozenset[str], frozenset[str]], ...]] = (
    ("stop", _SUPERVISORS, frozenset({"stop", "down", "kill", "rm"})),
    ("start", _SUPERVISORS, frozenset({"start", "up", "restart", "unpause"})),
    (
        "install",
        _MANAGERS,
        frozenset(
            {"install", "i", "ci", "add", "sync", "get", "require", "restore", "update", "enable", "init", "use"}
            | {"download", "tidy", "setup", "deps.get"}
        ),
    ),
)
_NEW_REF: Final = frozenset({"-b", "-B", "-c", "--orphan", "--create"})
_LOCK: Final = re.compile(r"\.(?:lock|pid|lck)$|^(?:lock|lockfile)$", re.I)

_CLASSES: Final[Mapping[Aim, frozenset[str]]] = {
    "stop": frozenset({"conflict"}),
    "start": frozenset({"network"}),
    "install": frozenset({"module_missing", "command_not_found"}),
    "create": frozenset({"missing_file", "bad_path"}),
    "set": frozenset({"auth"}),
    "allow": frozenset({"permission"}),
    "unlock": frozenset({"conflict", "vcs"}),
    "record": frozenset({"vcs", "conflict"}),
}
_SIGNS: Final[Mapping[Aim, re.Pattern[str]]] = {
    "stop": re.compile(
        r"in use|already (?:running|listening|started)|another (?:process|instance|server)|EADDRINUSE", re.I
    ),
    "start": re.compile(
        r"refused|not running|could not connect|can(?:'t|not) connect|daemon running|ECONNREFUSED", re.I
    ),
    "install": re.compile(
        r"not installed|can(?:'t|not) find (?:module|package)|no module named|command not found", re.I
    ),
    "create": re.compile(
        r"no such file|does not exist|ENOENT|unknown database|not a valid (?:ref|object|branch)", re.I
    ),
    "set": re.compile(
        r"not set|unset|undefined variable|environment variable|(?:missing|required).{0,40}variable", re.I
    ),
    "allow": re.compile(r"permission denied|not permitted|EACCES|EPERM|not executable", re.I),
    "unlock": re.compile(r"\block(?:ed|file)?\b", re.I),
}
_STALE: Final = (
    r"rejected|behind|fetch first|failed to push|fast-forward|diverge|unknown revision|no such ref|find remote ref"
    r"|pathspec"
)
_DIRTY: Final = r"local changes|unstaged|uncommitted|would be overwritten|dirty|not clean"
_GIT: Final[Mapping[str, re.Pattern[str]]] = {
    word: re.compile(pattern, re.I)
    for words, pattern in (
        ("add", r"nothing (?:added )?to commit|not staged|no changes added|untracked|unmerged|pathspec|unresolved"),
        ("pull fetch rebase merge", _STALE),
        ("stash commit", _DIRTY),
        ("init clone", r"not a git repo"),
        ("config", r"identity|who you are|not set|user\.(?:name|email)|divergent"),
        ("push", r"upstream|must first push|no commits between|not (?:been )?pushed"),
        ("remote", r"remote|repository"),
    )
    for word in words.split()
}
"""What git says where one of its own steps is missing."""
_PORT: Final = re.compile(r"\bport\b|address already in use|EADDRINUSE", re.I)
_RELATIVE: Final = re.compile(r"(?:\./)?[A-Za-z_.][A-Za-z_.-]{0,30}(?:/[A-Za-z_.][A-Za-z_.-]{0,30}){0,3}")
"""A path that is the same in any checkout."""
_DATABASE: Final = "create database"
_TOKEN: Final = re.compile(r"[\w.-]+")


def aim_of(command: Command) -> Aim | None:
    """What a command does to the surroundings of other calls, if anything."""
    name, words = command.program, command.words
    early = {word.lower() for word in words[:3]}
    if name in _STOPPERS or (name == "fuser" and any(word.startswith("-") and "k" in word for word in words)):
        return "stop"
    if name in _DAEMONS:
        return "start"
    if name in SETTERS:
        return "set"
    if name in _PERMITS:
        return "allow"
    if name in ("rm", "del", "remove-item", "unlink"):
        return "unlock" if any(_LOCK.search(base(word)) for word in operands(command)) else None
    if name == "git":
        return "create" if early & {"branch", "worktree"} or _NEW_REF & set(words) else "record"
    if name in _MAKERS or any(_DATABASE in word.lower() for word in words):
        return "create"
    for aim, programs, verbs in _WORDS:
        if name in programs and early & verbs:
            return aim
    bare = not command.sub and not operands(command) and name in ("yarn", "bundle", "pnpm")
    return "install" if bare or "corepack" in command.via else None


def enables(failure: Step, command: Command) -> bool:
    """Whether a command, run before the call is made again, acts on what the failure names."""
    aim = aim_of(command)
    if aim is None:
        return False
    if aim == "record":
        return _records(failure, command)
    if command.program in ("source", ".") and failure.failure_class in _CLASSES["install"]:
        return True
    if aim == "set" and any(_variable(word) in _names(failure.told) for word in command.words[:1]):
        return True
    sign = _SIGNS.get(aim)
    fits = failure.failure_class in _CLASSES[aim] or bool(sign and sign.search(failure.told))
    return fits and (aim != "create" or _shared(failure, command))


def _records(failure: Step, command: Command) -> bool:
    """Whether a step of git is what another one waits for."""
    sign = next((_GIT[word] for word in command.sub if word in _GIT), None)
    if sign is None or (failure.program or "").split(" ")[0] not in ("git", "gh"):
        return False
    return bool(sign.search(failure.told)) if failure.told else failure.failure_class in _CLASSES["record"]


def enabler(failure: Step, command: Command, root: str) -> tuple[str, ...]:
    """The step in words, the exact one first, then, where many commands do the same, what all of them do."""
    aim = aim_of(command)
    if aim == "stop":
        goal = "free the port first" if _PORT.search(failure.told) else "stop the process that holds it first"
        how = " ".join((*command.via, command.program, *(("-k",) if command.program == "fuser" else command.sub)))
        return f"{goal} (`{how}`)", goal
    if any(_DATABASE in word.lower() for word in command.words):
        return f"create the database first (`{command.program}`)", "create the database first"
    if aim == "set":
        return (f"`{setting(command)}` first",)
    if command.program == "git" and "stash" in command.sub:
        return ("`git stash` first",)
    without = _named(failure) if aim in ("record", "allow") else frozenset()
    return (f"`{label_of(command, root, without)}` first",)


def setting(command: Command) -> str:
    """A command of the shell's own that sets something, without the value."""
    word = next(iter(command.words), "")
    name = word if "=" not in word and _RELATIVE.fullmatch(word) else mask(_variable(word))
    return f"{command.program} {name}{'…' if '=' in word else ''}".rstrip()


def _variable(word: str) -> str:
    return word.split("=", 1)[0]


def _names(text: str) -> frozenset[str]:
    return frozenset(_TOKEN.findall(text))


def _named(failure: Step) -> frozenset[str]:
    """The words of the failed line: what both calls name goes without saying."""
    return frozenset(failure.command.split())


def _shared(failure: Step, command: Command) -> bool:
    """Whether what a command makes is named by the failed call or by what it printed."""
    known = {word.lower() for word in _names(f"{failure.told} {failure.command} {failure.target}")}
    made = {part.lower() for word in operands(command) for part in _TOKEN.findall(word.replace("/", " "))}
    return bool({part for part in made if len(part) > 1} & known)
