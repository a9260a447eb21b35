"""Which project a session belongs to, where a project's files lie, and where agents keep their transcripts.

A project is a repository (its worktrees and sub-folders included) or a plain folder; see ``folders.root_of``. The
folder that counts is the one in the transcript's records, never the encoded name of the transcript's own folder:
that name cannot be decoded.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from agent_riggs import folders
from agent_riggs.errors import RiggsError
from agent_riggs.folders import fold, normal, same, under, worktrees

__all__ = [
    "Project",
    "agent_homes",
    "belongs",
    "expand",
    "find_project",
    "fold",
    "home_dir",
    "homes",
    "normal",
    "project_of",
    "same",
    "state_dir",
    "state_home",
    "store_path",
    "under",
    "worktrees",
    "xdg",
]


@dataclass(frozen=True, slots=True)
class Project:
    """One project: where it lies and how it is told apart from every other."""

    name: str
    """The root folder's name. Not unique."""
    root: Path
    """Absolute, links resolved."""
    key: str
    """Unique on this machine: the name made plain and 12 hex digits over the root's path."""


_HOMES: dict[str, tuple[str, str, tuple[str, ...]]] = {
    "claude_code": ("CLAUDE_CONFIG_DIR", "", (".claude", "$XDG_CONFIG_HOME/claude")),
    "codex": ("CODEX_HOME", "", (".codex",)),
    "copilot": ("COPILOT_HOME", "", (".copilot",)),
    "gemini": ("GEMINI_CLI_HOME", ".gemini", (".gemini",)),
    "opencode": ("", "", ("$XDG_DATA_HOME/opencode",)),
}
"""Per agent: its variable, the folder inside what the variable names, and the places used when it is not set."""

_XDG = {"XDG_CONFIG_HOME": ".config", "XDG_DATA_HOME": ".local/share"}


def find_project(start: Path) -> Project:
    """The project that the folder ``start`` belongs to. Reads the disk (git's files by hand), writes nothing.

    ``RiggsError`` for a folder whose name is no text.
    """
    root = folders.root_of(os.fspath(start))
    if not folders.is_text(root):
        raise RiggsError(f"{root}: nothing can be kept about a folder whose name is no UTF-8", "rename the folder")
    return Project(name=os.path.basename(root) or "root", root=Path(root), key=folders.key_of(root))


def store_path(project: Project) -> Path:
    """The project's store; it need not exist."""
    return project.root / folders.MARK / "store.duckdb"


def state_home(environ: Mapping[str, str]) -> Path:
    """Folder for everything of this user that must not lie in a repository. ``RiggsError`` when there is no home."""
    found = folders.state_of(environ, sys.platform)
    if found is None:
        raise RiggsError("there is no home folder to keep state in", f"set {folders.STATE_VARIABLE} to a folder")
    return Path(found)


def state_dir(project: Project, environ: Mapping[str, str]) -> Path:
    """The project's own folder in ``state_home``: decisions, recall index. It need not exist."""
    return state_home(environ) / project.key


def home_dir(environ: Mapping[str, str]) -> Path:
    """The user's home folder. ``RiggsError`` when neither the environment nor the user database knows one."""
    home = folders.home_of(environ)
    if home is None:
        raise RiggsError("there is no home folder", "set HOME")
    return Path(home)


def belongs(cwd: str, project: Project, recorded_as: str | None = None) -> bool:
    """Whether a session recorded in the folder ``cwd`` is one of ``project``'s.

    Without ``recorded_as``: whether ``cwd`` leads to this very project (``folders.root_of``; for a deleted folder
    also whether it was one of the repository's worktrees). So a repository nested in another, or a neighbor with a
    longer name, does not belong. With ``recorded_as``, the folder under which the transcripts know the project, the
    text alone decides: that folder, everything inside it and its Claude Code worktrees.

    Several lookups on disk per call: ask once per distinct ``cwd``.
    """
    if not folders.possible(cwd):
        return False
    if recorded_as is not None:
        return under(fold(normal(cwd)), fold(normal(recorded_as)))
    root = os.fspath(project.root)
    here = folders.native(cwd)
    if here is None:
        return under(fold(normal(cwd)), root)
    if same(folders.root_of(here), root):
        return True
    return not os.path.isdir(here) and any(under(here, tree) for tree in worktrees(root))


def project_of(cwd: str) -> Path | None:
    """Root of the project that ``cwd`` leads to, where its folder still exists on this machine; else ``None``."""
    here = folders.native(cwd)
    root = folders.root_of(here) if here else ""
    return Path(root) if folders.possible(root) and os.path.isdir(root) else None


def agent_homes(agent: str, environ: Mapping[str, str], home: Path) -> tuple[Path, ...]:
    """Folders in which ``agent`` keeps its files, whether they exist or not, each once, in the order given.

    The agent's own variable wins, see ``homes``. For ``claude_code`` an entry may also be the ``projects`` folder
    inside. Unknown agents have no folders.
    """
    variable, inside, places = _HOMES.get(agent, ("", "", ()))
    found = homes(environ, variable, home, places)
    if inside and environ.get(variable, "").strip():
        found = [entry / inside for entry in found]
    if agent == "claude_code":
        found = [entry.parent if entry.name == "projects" else entry for entry in found]
    return tuple(dict.fromkeys(found))


def homes(environ: Mapping[str, str], variable: str, home: Path, defaults: tuple[str, ...]) -> list[Path]:
    """Folders an agent may keep its data in, whether they exist or not, each once.

    ``variable`` wins when it is set, as it does for the agents themselves: then the default folders belong to
    another set-up. It may hold several folders, separated by commas or by the system's path separator; the name of one
    existing folder is never taken apart. ``defaults`` are relative to ``home`` or begin with an XDG variable.
    """
    value = environ.get(variable, "").strip()
    whole = expand(value, home)
    if not value:
        found = [_place(part, environ, home) for part in defaults]
    elif whole.is_dir():
        found = [whole]
    else:
        parts = (part.strip() for part in value.replace(os.pathsep, ",").split(","))
        found = [expand(part, home) for part in parts if part]
    return list(dict.fromkeys(found))


def expand(text: str, home: Path) -> Path:
    """A path from a setting, with a leading ``~`` taken as the given home rather than the process's own."""
    if text == "~":
        return home
    return home / text[2:] if text.startswith(("~/", "~\\")) else Path(text)


def xdg(environ: Mapping[str, str], variable: str, home: Path) -> Path:
    """``$XDG_CONFIG_HOME`` or ``$XDG_DATA_HOME``; the XDG rules say to ignore a relative one."""
    base = environ.get(variable, "").strip()
    return Path(base) if os.path.isabs(base) else home / _XDG[variable]


def _place(place: str, environ: Mapping[str, str], home: Path) -> Path:
    variable, _, rest = place.partition("/")
    return xdg(environ, variable[1:], home) / rest if variable.startswith("$") else home / place
