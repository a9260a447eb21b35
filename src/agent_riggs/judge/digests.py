# ruff: noqa: SIM905  (tables of names read better as words than as lists of strings)
"""What may be stored of a call's arguments: enough to know what was asked, without bodies and secrets."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Final

from agent_riggs.judge.mask import CONTROL
from agent_riggs.judge.redact import redact, redact_value
from agent_riggs.judge.secrets import is_secret_name
from agent_riggs.judge.tools import COMMAND_FIELDS, canonical, command_of, is_shell

MAX_COMMAND: Final = 4000
MAX_STRING: Final = 400
_MAX_ITEMS: Final = 20
_MAX_DEPTH: Final = 4
_MAX_FILES: Final = 10
_SCALARS: Final = (str, int, float, type(None))

_BODIES: Final[frozenset[str]] = frozenset(
    "old_string new_string oldstring newstring old_str new_str content contents new_content file_text filetext patch"
    " patchtext patch_text diff new_source insert_text code_edit body text_edits replacement".split()
)
_BODY: Final = re.compile(r"<\d+ characters>")
_COMMANDS: Final[frozenset[str]] = frozenset(("command", "cmd", "script", "commandline"))
_PATCHED: Final = re.compile(r"^\*\*\* (?:Update|Add|Delete) File: (.+)$", re.M)


def shell_line(tool: str, input: Mapping[str, Any]) -> str | None:
    """The command of a shell call as a digest holds it; ``None`` when there is none."""
    fields = {name: value for name, value in input.items() if name.lower() in COMMAND_FIELDS}
    listed = any(not isinstance(value, str) for value in fields.values())
    command = command_of(tool, digest(tool, fields) if listed else fields)
    return None if command is None else _settled(command)


@lru_cache(maxsize=4096)
def _settled(command: str) -> str:
    return _string(command, MAX_COMMAND)


def digest(tool: str, input: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments as they may be stored: redacted, strings cut, bodies of edits replaced by their length.

    Commands keep ``MAX_COMMAND`` characters, other strings ``MAX_STRING``; a patch leaves the names of its files.
    Idempotent, and a call is judged alike before and after.
    """
    shell = is_shell(canonical(tool))
    found: dict[str, Any] = {}
    for name, value in input.items():
        key = str(name)[:100]
        lower = key.lower()
        if isinstance(value, str) and (lower in _BODIES or (not shell and _is_patch(value))):
            found[key] = _body(value)
            files = [_string(path.strip(), MAX_STRING) for path in _PATCHED.findall(value)[:_MAX_FILES]]
            if files and "files" not in input:
                found["files"] = files
        elif shell and isinstance(value, str) and (lower in _COMMANDS or key in ("code", "input")):
            found[key] = _string(value, MAX_COMMAND)
        elif shell and lower in _COMMANDS and isinstance(value, (list, tuple)):
            found[key] = [_string(str(word), MAX_COMMAND) for word in value[:40]]
        else:
            found[key] = _value(value, 1)
    if all(isinstance(value, _SCALARS) and _is_plain(key) for key, value in found.items()):
        return found
    cleaned: dict[str, Any] = redact_value(found, MAX_COMMAND)
    return cleaned


@lru_cache(maxsize=1024)
def _is_plain(key: str) -> bool:
    """Whether a name needs no second look: it is no secret and announces none."""
    return key.isidentifier() and not is_secret_name(key) and redact(key) == key


def _is_patch(value: str) -> bool:
    return value.startswith("*** Begin Patch")


def _body(value: str) -> str:
    return value if _BODY.fullmatch(value) else f"<{len(value)} characters>"


def _string(value: str, size: int) -> str:
    cut: str = redact_value(CONTROL.sub("", value) if not value.isprintable() else value, size)
    return cut


def _value(value: Any, depth: int) -> Any:
    if isinstance(value, str):
        return _string(value, MAX_STRING)
    if isinstance(value, bool) or value is None or isinstance(value, (int, float)):
        return value
    if depth >= _MAX_DEPTH:
        return None
    if isinstance(value, Mapping):
        return {
            str(name)[:100]: _body(item)
            if isinstance(item, str) and str(name).lower() in _BODIES
            else _value(item, depth + 1)
            for name, item in list(value.items())[:_MAX_ITEMS]
        }
    if isinstance(value, (list, tuple)):
        return [_value(item, depth + 1) for item in value[:_MAX_ITEMS]]
    return None
