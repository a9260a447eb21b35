"""Payloads of the genuine clients, recorded on their way to the hook and made anonymous."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from e2e.clients import Client, Machine

FOLDER = Path(__file__).parents[1] / "tests" / "deliver" / "payloads"
_ID = re.compile(
    r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|\b(?:toolu|call|ses|msg|prt)_[0-9A-Za-z]{8,}"
)
_KEPT = ("claude_code", "codex", "copilot", "gemini", "opencode")


def recorder(on: Machine) -> Path:
    """A stand-in for ``riggs-hook`` that keeps each payload and then lets the real one answer."""
    folder = on.home / "recorded"
    folder.mkdir(exist_ok=True)
    path = on.home / "bin" / "riggs-hook"
    path.parent.mkdir(exist_ok=True)
    real = Path(sys.executable).parent / "riggs-hook"
    path.write_text(
        f'#!/bin/sh\nf=$(mktemp \'{folder}/XXXXXXXX\')\ncat >"$f"\n\'{real}\' "$@" <"$f"\n'
        'mv "$f" "$f.$(date +%s%N).json"\n',
        encoding="utf-8",
    )
    path.chmod(0o755)
    return path


def divert(client: Client, on: Machine) -> None:
    """Let an installed hook run the recorder instead."""
    real, recording = (Path(sys.executable).parent / "riggs-hook").as_posix(), recorder(on).as_posix()
    for path in settings_of(client, on):
        text = path.read_text(encoding="utf-8")
        wanted = recording if path.suffix == ".js" else f"'{recording}'"
        path.write_text(text.replace(real, wanted), encoding="utf-8")


def settings_of(client: Client, on: Machine) -> list[Path]:
    """The files in the project that an installation at project scope writes."""
    names = {
        "claude-code": (".claude/settings.json", ".claude/settings.local.json"),
        "codex": (".codex/hooks.json",),
        "gemini": (".gemini/settings.json",),
        "opencode": (".opencode/plugin/agent-riggs.js",),
        "copilot": (".github/hooks/agent-riggs.json",),
    }
    return [on.project / name for name in names[client.name]]


def recorded(on: Machine) -> list[dict[str, Any]]:
    """What came in, in order of arrival, without anything of this machine or run."""
    files = sorted((on.home / "recorded").glob("*.json"), key=lambda path: path.name.split(".")[-2])
    names: dict[str, str] = {}
    return [_anonymous(json.loads(path.read_text(encoding="utf-8")), on, names) for path in files]


def write(client: Client, payloads: list[dict[str, Any]]) -> Path:
    """Keep the recording as a sample of this client's version."""
    path = FOLDER / f"{client.source}-{client.version}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(one) + "\n" for one in payloads), encoding="utf-8")
    return path


def shape(value: object) -> object:
    """A payload without its values: names and types, as far as a client's version decides them."""
    if isinstance(value, dict):
        return {name: shape(item) for name, item in sorted(value.items())}
    if isinstance(value, list):
        return [shape(value[0])] if value else []
    return type(value).__name__


def _anonymous(value: Any, on: Machine, names: dict[str, str]) -> Any:
    if isinstance(value, dict):
        return {name: _anonymous(item, on, names) for name, item in value.items()}
    if isinstance(value, list):
        return [_anonymous(item, on, names) for item in value]
    if not isinstance(value, str):
        return value
    for text, plain in _places(on):
        value = value.replace(text, plain)
    return _ID.sub(lambda found: _renamed(found[0], names), value)


def _places(on: Machine) -> Iterator[tuple[str, str]]:
    for folder, plain in ((on.project, "/home/dev/project"), (on.home, "/home/dev")):
        yield str(folder), plain
        yield re.sub(r"[^A-Za-z0-9]", "-", str(folder)), re.sub(r"[^A-Za-z0-9]", "-", plain)


def _renamed(found: str, names: dict[str, str]) -> str:
    """The same id gets the same new one, in the form of the old."""
    if found not in names:
        number = f"{len(names) + 1:012d}"
        prefix, separator, _ = found.partition("_")
        names[found] = f"{prefix}_{number}" if separator else f"00000000-0000-4000-8000-{number}"
    return names[found]
