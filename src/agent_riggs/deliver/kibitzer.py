"""What flows back to kibitzer: our key in ``.kibitzer/state.json``, and a plugin's mode in ``.kibitzer/config.toml``.

Only where the project has kibitzer, only what is ours, never half a file, through a link or outside the project.
kibitzer 0.9.0 rewrites its state at every tool call (measured), so it is read again right before it is replaced.
"""

from __future__ import annotations

import json
import os
import tomllib
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from agent_riggs import folders, regular
from agent_riggs.deliver import tomltext
from agent_riggs.errors import RiggsError

KEY: Final = "riggs"
FOLDER: Final = ".kibitzer"
CONFIG: Final = f"{FOLDER}/config.toml"
REDIRECT: Final = "redirect"
"""The mode of a plugin in which kibitzer sends the agent to the structured tool instead of suggesting it."""
_TRIES: Final = 5
_MAX_STATE: Final = 1 << 24


def advise(root: Path, value: Mapping[str, Any], moment: str) -> bool:
    """Put ``value`` with its time under our key; returns whether anything was written.

    Nothing is written where the value is there already but for its time, where there is no state, or where the state
    cannot be read: kibitzer will write a good one at the next call.
    """
    path = root / FOLDER / "state.json"
    for _ in range(_TRIES):
        try:
            _refuse_foreign(path, root)
            before = path.stat()
            state = json.loads(regular.read(path, _MAX_STATE))
        except (OSError, ValueError, RecursionError, RiggsError):
            return False
        if not isinstance(state, dict):
            return False
        there = state.get(KEY)
        if isinstance(there, dict) and {**there, "updated_at": ""} == {**value, "updated_at": ""}:
            return False
        state[KEY] = {**value, "updated_at": moment}
        if _replace(path, json.dumps(state, indent=2), before):
            return True
    return False


def _refuse_foreign(path: Path, root: Path) -> None:
    """Raise ``RiggsError`` where the file is a link, or lies outside the project because its folder is one."""
    regular.refuse_other(path)
    real = os.path.realpath(path)
    if not folders.under(real, os.path.realpath(root)):
        raise RiggsError(f"{path} leads out of the project, to {real}", hint="remove the link")


def _replace(path: Path, text: str, before: os.stat_result) -> bool:
    """Put a new file in the place of one that has not changed since; what was written meanwhile is never lost."""
    fresh = path.with_name(f"{path.name}.riggs-{os.getpid()}")
    try:
        with open(fresh, "x", encoding="utf-8") as file:
            file.write(text)
        fresh.chmod(before.st_mode & 0o777)
        now = path.stat()
        if (now.st_ino, now.st_size, now.st_mtime_ns) != (before.st_ino, before.st_size, before.st_mtime_ns):
            return False
        os.replace(fresh, path)
    except OSError:
        return False
    finally:
        with suppress(OSError):
            fresh.unlink()
    return True


# --- config.toml --------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Change:
    """A change to kibitzer's configuration that a promotion makes, ready to be written."""

    path: Path
    plugin: str
    before: str | None
    """The mode that stood there; ``None`` when none did."""
    text: str
    """The whole new file."""
    stat: os.stat_result

    def note(self) -> dict[str, Any]:
        """What ``ratchet_decisions.config_change`` keeps."""
        place = f"plugins.{self.plugin}.mode"
        return {"file": CONFIG, "key": place, "plugin": self.plugin, "before": self.before, "after": REDIRECT}


def has_config(root: Path) -> bool:
    """Whether the project configures kibitzer."""
    return (root / CONFIG).is_file()


def plan(root: Path, plugin: str, mode: str | None = REDIRECT) -> Change:
    """The change that gives a plugin a mode, or with ``None`` takes it away; comments and order are kept.

    Raises ``RiggsError`` when the file is not there, is a link, is no TOML, or cannot be changed without touching the
    rest.
    """
    path = root / CONFIG
    try:
        _refuse_foreign(path, root)
        info = path.stat()
        text = regular.read_settings(path).decode("utf-8")
        before = _mode(tomllib.loads(text), plugin)
    except (OSError, ValueError, RecursionError) as error:
        raise RiggsError(f"{CONFIG} cannot be read: {error}", hint="nothing was changed") from error
    return Change(path, plugin, before, tomltext.with_value(text, ("plugins", plugin), "mode", mode), info)


def _mode(config: Mapping[str, Any], plugin: str) -> str | None:
    plugins = config.get("plugins")
    own = plugins.get(plugin) if isinstance(plugins, dict) else None
    mode = own.get("mode") if isinstance(own, dict) else None
    return mode if isinstance(mode, str) else None


def apply(change: Change) -> None:
    """Write a planned change. Raises ``RiggsError`` when the file was changed by somebody else meanwhile."""
    if not _replace(change.path, change.text, change.stat):
        raise RiggsError(f"{CONFIG} was not changed: it was being written", hint=f"set [plugins.{change.plugin}] mode")


def undo(root: Path, note: Mapping[str, Any]) -> str | None:
    """Put back what a promotion changed; returns the mode that is in force again, ``None`` when nothing was to be
    done because the file says something else by now. Raises ``RiggsError``."""
    plugin, before = note.get("plugin"), note.get("before")
    if note.get("file") != CONFIG or not isinstance(plugin, str) or not has_config(root):
        return None
    change = plan(root, plugin, before if isinstance(before, str) else None)
    if change.before != note.get("after"):
        return None
    apply(change)
    return before if isinstance(before, str) else "default"
