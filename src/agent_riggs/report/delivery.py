"""Whether what is known really reaches the agents: the hook's place, its program, its rights, and the proof.

Looks, and changes nothing. The proof of a delivery is our own text in a later transcript.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from agent_riggs.deliver import ending, hook, hosts, install
from agent_riggs.deliver.install import clients, entries, receipts
from agent_riggs.deliver.install.clients import AGENTS
from agent_riggs.errors import RiggsError
from agent_riggs.folders import small_file
from agent_riggs.paths import state_dir, state_home, store_path
from agent_riggs.report import policies
from agent_riggs.report.clients import installed as installed_version
from agent_riggs.report.health import DAY, Check, Surroundings
from agent_riggs.store import deliveries, open_read
from agent_riggs.store.deliveries import Proof

SLOW: Final = 1000.0
"""Milliseconds, as the agent measures them, above which the hook is called slow. It normally takes 20 to 120."""
_ALLOW: Final = "start Codex once and allow its hooks"
_SOURCES: Final = {agent: agent.replace("-", "_") for agent in AGENTS}


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
    known = _known(at)
    ran = {agent: _last_ran(at, _SOURCES[agent], known) for agent in AGENTS}
    if not found and not any(ran.values()):
        yield Check(
            "hook", "note", "no agent calls it: fixes are served nowhere", "agent-riggs install --agent claude-code"
        )
    for agent in AGENTS:
        here = [one for one in found if one.agent == agent]
        yield from (_program(one, at.environ) for one in here)
        if here:
            yield from (Check(f"hook ({agent})", "wrong", *one) for one in policies.against(agent, at))
        if here or ran[agent]:
            yield from _running(agent, at, known, ran[agent], here)
            yield from _versions(_SOURCES[agent], at, known)
    yield from (check for proof in known.proofs for check in _proof(proof))
    yield from _errors(at)


def is_heard(at: Surroundings) -> bool:
    """Whether any agent calls the hook, or has called it here: else a fix that is served is told to nobody."""
    return any(True for _ in installed(at)) or any(_fired(at, source) for source in _SOURCES.values())


def installed(at: Surroundings) -> Iterator[Installed]:
    """Our hooks in the agents' files, of this user and this project."""
    for agent in AGENTS:
        for scope in policies.SCOPES:
            for part in clients.parts(agent, scope, at.project.root, at.environ, at.home, None, False):
                program = _installed_in(agent, part.path)
                if program is not None:
                    yield Installed(agent, part.path, program)


def _installed_in(agent: str, path: Path) -> str | None:
    """The program that our entries in a file run: empty when the agent cannot read the file; ``None`` without any."""
    with suppress(OSError):
        text = path.read_text(encoding="utf-8", errors="replace")
        if path.suffix == ".js":
            line = next((line for line in text.split("\n") if line.startswith("const PROGRAM = ")), "")
            return _json_text(line.partition("= ")[2]) if line else None
        settings = policies.read(agent, path)
        if settings is None:
            return "" if clients.PROGRAM in text else None
        lines = [group["hooks"][0]["command"] for _, group in entries.ours(settings)]
        hooks = settings.get("hooks")
        for groups in hooks.values() if isinstance(hooks, dict) else ():
            shells = [one.get("bash") for one in groups if isinstance(one, dict)] if isinstance(groups, list) else []
            lines += [line for line in shells if clients.is_ours(line)]
        return clients.program_of(lines[0]) if lines else None
    return None


def _program(one: Installed, environ: Mapping[str, str]) -> Check:
    name = f"hook ({one.agent})"
    if not one.program:
        found = f"{one.path} is no JSON that this agent reads: no hook in it runs"
        return Check(name, "wrong", found, "take out comments and a byte order mark")
    there = os.access(one.program, os.X_OK) if os.path.isabs(one.program) else shutil.which(one.program) is not None
    if not there and shutil.which(clients.PROGRAM) is None:
        remedy = f"agent-riggs install --agent {one.agent}"
        return Check(name, "wrong", f"{one.path} calls {one.program}, which is gone", remedy)
    if one.program == str(install.find_program()) and not _starts(one.program, environ):
        found = f"{one.program} does not start as {one.path} calls it: without PYTHONPATH and PYTHONHOME"
        return Check(name, "wrong", found, "install agent-riggs as a package for this Python")
    return Check(name, "ok", f"in {one.path}")


def _starts(program: str, environ: Mapping[str, str]) -> bool:
    """Whether the program beside this Python runs in the environment that the hook gives it. No other is ever run: a
    repository's settings may name any."""
    quiet = subprocess.DEVNULL
    try:
        settings = {**environ, **clients.SETTINGS}
        done = subprocess.run([program], stdin=quiet, stdout=quiet, stderr=quiet, env=settings, timeout=30)
    except (OSError, subprocess.SubprocessError):
        return False
    return done.returncode == 0


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


def _last_ran(at: Surroundings, source: str, known: Known) -> int | None:
    """When this agent last called the hook in this project, as far as it left a trace: a session's end, a fix told."""
    told = [proof.last for proof in known.proofs if proof.agent == source]
    return max((when for when in (_fired(at, source), *told) if when), default=None)


def _fired(at: Surroundings, source: str) -> int | None:
    return _time(state_dir(at.project, at.environ) / f"{ending.FIRED}{source}")


def _running(agent: str, at: Surroundings, known: Known, ran: int | None, here: Sequence[Installed]) -> Iterator[Check]:
    """When the hook last ran, and a hook that sessions do not call: they ended, and it did not hear of it."""
    name = f"hook ({agent})"
    untrusted = list(policies.untrusted(at)) if agent == "codex" and here and not ran else []
    for path in untrusted:
        yield Check(name, "note", f"Codex has not been allowed the hooks in {path}", _ALLOW)
    if ran:
        by = "" if here else "called by a plugin or another file; "
        yield Check(name, "ok", f"{by}last ran {time.strftime('%Y-%m-%d %H:%M', time.gmtime(ran / 1e6))} UTC")
    elif not untrusted:
        yield Check(name, "ok", "has not run in this project yet")
    last = (known.sessions or {}).get(_SOURCES[agent])
    since = ran or max((_time(_receipt(at, one.path)) or 0 for one in here), default=0)
    if last is not None and since and last > since + DAY:
        said = "has not run for more than a day of sessions" if ran else "has never run, though sessions ended since"
        yield Check(name, "wrong", said, _ALLOW if agent == "codex" else f"agent-riggs install --agent {agent}")


def _proof(proof: Proof) -> Iterator[Check]:
    name = f"delivery ({proof.agent.replace('_', '-')})"
    withheld = f"{proof.withheld:,} withheld (a repeat, or held out)"
    counts = f"{proof.delivered:,} told, {withheld}, {proof.seen:,} found in transcripts"
    if proof.delivered and proof.awaited == proof.delivered:
        yield Check(name, "note", f"{counts}: no transcript of these sessions was read since", "agent-riggs ingest")
    elif proof.delivered and not proof.seen:
        yield Check(name, "wrong", f"{counts}: nothing shows that the model was given it", "agent-riggs ingest")
    elif proof.delivered:
        yield Check(name, "ok", counts)
    if proof.slowest is not None and proof.slowest > SLOW:
        yield Check(name, "note", f"the hook took {proof.slowest / 1000:.1f} s once; {SLOW / 1000:.0f} s is its limit")


def _versions(source: str, at: Surroundings, known: Known) -> Iterator[Check]:
    """A client in a version nobody tried the hook with: the one installed, and the one that wrote transcripts."""
    name, tested = source.replace("_", "-"), hosts.TESTED[source]
    wrote = max((known.versions or {}).get(source, "").split(), key=_numbers, default=None)
    here = installed_version(source, at.environ)
    for version, where in {wrote: "wrote the newest transcript", here: "is installed"}.items():
        if version is not None and version not in tested:
            found = f"{name} {version} {where}: the hook was tested with {', '.join(tested)}"
            yield Check("client version", "note", found)


def _numbers(version: str) -> list[int]:
    """A version as numbers, for comparison."""
    return [int(part) for part in re.findall(r"\d{1,9}", version)]


def _errors(at: Surroundings) -> Iterator[Check]:
    try:
        path = state_home(at.environ) / hook.ERRORS
    except RiggsError:
        return
    lines = (small_file(str(path), 2 * hook.MAX_ERRORS) or b"").decode("utf-8", "replace").splitlines()
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


def _json_text(text: str) -> str:
    try:
        return str(json.loads(text))
    except ValueError:
        return ""
