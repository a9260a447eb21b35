"""Whether what is known really reaches the agents: the hook's place, its program, its rights, and the proof.

Looks, and changes nothing. The proof of a delivery is our own text in a later transcript.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from agent_riggs.deliver import ending, hook, hosts
from agent_riggs.deliver.install import clients, entries, receipts
from agent_riggs.deliver.install.clients import AGENTS, Scope
from agent_riggs.errors import RiggsError
from agent_riggs.paths import state_dir, state_home, store_path
from agent_riggs.report.health import DAY, Check, Surroundings
from agent_riggs.store import deliveries, open_read
from agent_riggs.store.deliveries import Proof

SLOW: Final = 1000.0
"""Milliseconds, as the agent measures them, above which the hook is called slow. It normally takes 20 to 120."""
_SOURCES: Final = {agent: agent.replace("-", "_") for agent in AGENTS}
_SCOPES: Final[tuple[Scope, ...]] = ("user", "project")


@dataclass(frozen=True, slots=True)
class Installed:
    """Our hook in one file of an agent's."""

    agent: str
    path: Path
    program: str
    """What it runs; a bare name is looked for on the PATH."""


def checks(at: Surroundings) -> Iterator[Check]:
    """Every check about delivery."""
    switch = at.environ.get(hook.OFF_SWITCH, "").strip().lower()
    if switch in ("off", "0", "no", "false"):
        yield Check("hook", "wrong", f"switched off: {hook.OFF_SWITCH} is {switch!r}", f"unset {hook.OFF_SWITCH}")
    found = list(installed(at))
    if not found and not any(state_dir(at.project, at.environ).glob(f"{ending.FIRED}*")):
        yield Check(
            "hook", "note", "no agent calls it: fixes are served nowhere", "agent-riggs install --agent claude-code"
        )
    known = _known(at)
    for agent in dict.fromkeys(one.agent for one in found):
        here = [one for one in found if one.agent == agent]
        yield from (_program(one) for one in here)
        yield from _policy(agent, at)
        yield from _running(agent, at, known, here)
    yield from (check for proof in known.proofs for check in _proof(proof))
    yield from _versions(known)
    yield from _errors(at)


def installed(at: Surroundings) -> Iterator[Installed]:
    """Our hooks in the agents' files, of this user and this project."""
    for agent in AGENTS:
        for scope in _SCOPES:
            for part in clients.parts(agent, scope, at.project.root, at.environ, at.home, None, False):
                program = _installed_in(part)
                if program is not None:
                    yield Installed(agent, part.path, program)


def _installed_in(part: clients.Part) -> str | None:
    try:
        text = part.path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return None
    if part.path.suffix == ".js":
        line = next((line for line in text.split("\n") if line.startswith("const PROGRAM = ")), "")
        return str(_json(line.partition("= ")[2]) or "") if line else None
    settings = _json(text)
    lines = [group["hooks"][0]["command"] for _, group in entries.ours(settings)]
    hooks = settings.get("hooks") if isinstance(settings, dict) else None
    for groups in hooks.values() if isinstance(hooks, dict) else ():
        shells = [one.get("bash") for one in groups if isinstance(one, dict)] if isinstance(groups, list) else []
        lines += [line for line in shells if clients.is_ours(line)]
    return clients.program_of(lines[0]) if lines else None


def _program(one: Installed) -> Check:
    name = f"hook ({one.agent})"
    there = os.access(one.program, os.X_OK) if os.path.isabs(one.program) else shutil.which(one.program) is not None
    if not there and shutil.which(clients.PROGRAM) is None:
        remedy = f"agent-riggs install --agent {one.agent}"
        return Check(name, "wrong", f"{one.path} calls {one.program or 'a program'}, which is gone", remedy)
    return Check(name, "ok", f"in {one.path}")


# --- policy


def _policy(agent: str, at: Surroundings) -> Iterator[Check]:
    name = f"hook ({agent})"
    if agent == "claude-code":
        for path in _claude_settings(at):
            settings = _object(path)
            if settings.get("disableAllHooks") is True:
                yield Check(name, "wrong", f"switched off: disableAllHooks in {path}", f"remove it from {path}")
            if settings.get("allowManagedHooksOnly") is True and path in _managed():
                yield Check(
                    name, "wrong", f"not allowed: allowManagedHooksOnly in {path}", "ask who manages this machine"
                )
    elif agent == "gemini":
        for scope in _SCOPES:
            path = clients.parts(agent, scope, at.project.root, at.environ, at.home, None, False)[0].path
            policy = _object(path).get("hooksConfig")
            if isinstance(policy, dict) and policy.get("enabled") is False:
                yield Check(name, "wrong", f"switched off: hooksConfig.enabled in {path}", f"remove it from {path}")
            if isinstance(policy, dict) and "agent-riggs" in _list(policy.get("disabled")):
                yield Check(name, "wrong", f"switched off: hooksConfig.disabled in {path}", "/hooks enable agent-riggs")
    elif agent == "codex":
        path = clients.parts(agent, "user", at.project.root, at.environ, at.home, None, False)[0].path
        path = path.with_name("config.toml")
        features = _toml(path).get("features")
        off = isinstance(features, dict) and (features.get("hooks") is False or features.get("codex_hooks") is False)
        if off:
            yield Check(name, "wrong", f"switched off: features in {path}", f"remove it from {path}")


def _claude_settings(at: Surroundings) -> Iterator[Path]:
    for scope in _SCOPES:
        folder = clients.parts("claude-code", scope, at.project.root, at.environ, at.home, None, False)[0].path.parent
        yield folder / "settings.json"
        yield folder / "settings.local.json"
    yield from _managed()


def _managed() -> tuple[Path, ...]:
    """Where an administrator's policy for Claude Code lies."""
    if sys.platform == "darwin":
        return (Path("/Library/Application Support/ClaudeCode/managed-settings.json"),)
    if sys.platform == "win32":
        return (Path("C:/Program Files/ClaudeCode/managed-settings.json"),)
    return (Path("/etc/claude-code/managed-settings.json"),)


# --- the proof


@dataclass(frozen=True, slots=True)
class Known:
    """What the store knows of deliveries."""

    proofs: tuple[Proof, ...] = ()
    versions: Mapping[str, str] | None = None
    sessions: Mapping[str, int] | None = None


def _known(at: Surroundings) -> Known:
    path = store_path(at.project)
    if not path.exists():
        return Known()
    try:
        with open_read(path) as store:
            conn = store.conn
            return Known(tuple(deliveries.proofs(conn)), deliveries.versions(conn), deliveries.last_session(conn))
    except RiggsError:
        return Known()  # the check of the store itself says why


def _running(agent: str, at: Surroundings, known: Known, here: list[Installed]) -> Iterator[Check]:
    """A hook that sessions do not call: they ended, and it did not hear of it."""
    last = (known.sessions or {}).get(_SOURCES[agent])
    if last is None:
        return
    fired = _time(state_dir(at.project, at.environ) / f"{ending.FIRED}{_SOURCES[agent]}")
    since = fired or max(_time(_receipt(at, one.path)) or 0 for one in here)
    if since and last > since + DAY:
        said = "has not run for more than a day of sessions" if fired else "has never run, though sessions ended since"
        remedy = "start Codex once and allow its hooks" if agent == "codex" else f"agent-riggs install --agent {agent}"
        yield Check(f"hook ({agent})", "wrong", said, remedy)


def _proof(proof: Proof) -> Iterator[Check]:
    name = f"delivery ({proof.agent.replace('_', '-')})"
    counts = f"{proof.delivered:,} told, {proof.withheld:,} kept back, {proof.seen:,} found in transcripts"
    if proof.delivered and proof.awaited == proof.delivered:
        yield Check(name, "note", f"{counts}: no transcript of these sessions was read since", "agent-riggs ingest")
    elif proof.delivered and not proof.seen:
        yield Check(name, "wrong", f"{counts}: nothing shows that the model was given it", "agent-riggs ingest")
    elif proof.delivered:
        yield Check(name, "ok", counts)
    if proof.slowest is not None and proof.slowest > SLOW:
        yield Check(name, "note", f"the hook took {proof.slowest / 1000:.1f} s once; {SLOW / 1000:.0f} s is its limit")


def _versions(known: Known) -> Iterator[Check]:
    for source, versions in sorted((known.versions or {}).items()):
        tested = hosts.TESTED.get(source)
        newest = max(versions.split(), key=_numbers, default="")
        if tested and newest and newest not in tested:
            name = source.replace("_", "-")
            found = f"{name} {newest}: the hook was tested with {', '.join(tested)}"
            yield Check("client version", "note", found)


def _numbers(version: str) -> list[int]:
    """A version as numbers, for comparison."""
    return [int(part) for part in re.findall(r"\d{1,9}", version)]


def _errors(at: Surroundings) -> Iterator[Check]:
    try:
        path = state_home(at.environ) / hook.ERRORS
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    except (OSError, RiggsError):
        return
    if lines:
        yield Check("hook errors", "note", f"{len(lines):,} in {path}, the last: {lines[-1][:120]}", f"rm {path}")


def _receipt(at: Surroundings, path: Path) -> Path:
    return receipts.slip(state_home(at.environ), path)


def _time(path: Path) -> int | None:
    """When a file was last written, in microseconds; ``None`` when it is not there."""
    try:
        return path.stat().st_mtime_ns // 1000
    except OSError:
        return None


def _object(path: Path) -> dict[str, Any]:
    try:
        value = _json(path.read_text(encoding="utf-8-sig"))
    except (OSError, UnicodeDecodeError):
        return {}
    return value if isinstance(value, dict) else {}


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []
