"""Capture the error families by running the real tools: ``python -m families.capture [NAME-PREFIX ...]``.

Run it from ``tests`` in a throw-away container, with the tools on PATH that you want to capture. Every scenario runs
in a folder of its own for two invented users; the folders are made below ``--base`` (with ``--base /`` the paths in
the output are the real ones, otherwise the base is cut off). What the machine adds (its own tool folders, package
mirrors) is replaced by invented paths before anything is written. A scenario whose tool is missing is reported, and
its old capture stays.
"""

from __future__ import annotations

import argparse
import importlib
import os
import pkgutil
import re
import shutil
import subprocess
import sys
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from families import scenarios
from families.corpus import DATA, Case, dump, load
from families.dsl import REGISTRY, A, B, Family, Place, Shot, W

HEAD = TAIL = 1900
WRAPS = {
    "plain": "{cmd}",
    "cd": "cd {project} && {cmd}",
    "timeout": "timeout 120 {cmd}",
    "merged": "{cmd} 2>&1",
    "env": "FORCE_COLOR=0 {cmd}",
    "tail": "set -o pipefail; {cmd} 2>&1 | tail -60",
    "bash": 'bash -c "{cmd}"',
}
SIMPLE = re.compile(r"^[^'\"$`\\;&|<>]+$")


def wrapped(fam: Family, place: Place, cmd: str) -> str:
    """The command as another agent would write it; every family takes the next form in turn."""
    if place.name != "b":
        return cmd
    names = [n for n in WRAPS if n != "plain"] if SIMPLE.match(cmd) else ["cd", "cd", "merged"]
    if "|" in cmd or ";" in cmd or "&&" in cmd or "\n" in cmd or "2>&1" in cmd:
        names = ["cd"]
    wrap = fam.wrap or names[zlib.crc32(fam.name.encode()) % len(names)]
    return WRAPS[wrap].format(cmd=cmd, project=place.project)


def fill(text: str, place: Place, cause: str) -> str:
    for key, value in {**place.words, "cause": cause, "project": place.project, "home": place.home}.items():
        text = text.replace(f"@{key}@", value)
    return text


class Box:
    """Where the scenarios run, and how this machine's own names are kept out of the captures."""

    def __init__(self, base: Path, path: str, tools: Sequence[tuple[str, str]]) -> None:
        self.base = "" if str(base) == "/" else str(base)
        self.path = path
        self.tools = tools

    def run(self, fam: Family, place: Place, cmd: str, files: Mapping[str, str], setup: str, cause: str) -> Shot:
        project, home = Path(self.base + place.project), Path(self.base + place.home)
        _fresh(home, project)
        for name, body in files.items():
            target = project / fill(name, place, cause)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(fill(body, place, cause))
        env = self._env(fam, place, home)
        if setup:
            done = self._sh(fill(setup, place, cause), project, env, user=False)
            if done.returncode:
                raise RuntimeError(f"setup of {fam.name} failed in {place.name}: {done.stdout.decode()[-800:]}")
        if fam.user:
            subprocess.run(["chown", "-R", "1500:1500", str(home)], check=True)
        command = fill(wrapped(fam, place, cmd), place, cause)
        done = self._sh(self._real(command, place), project, env, user=fam.user)
        code = done.returncode if done.returncode >= 0 else 128 - done.returncode
        output = self._clean(done.stdout.decode(errors="replace"), place)
        return Shot("", self._clean(place.project, place), self._clean(command, place), code, output)

    def _real(self, command: str, place: Place) -> str:
        return command.replace(place.home, self.base + place.home) if self.base else command

    def _env(self, fam: Family, place: Place, home: Path) -> dict[str, str]:
        first = f"{os.environ.get('CAPTURE_PATH_' + place.name.upper(), '')}:"
        user = home.name
        env = {"PATH": first + self.path, "HOME": str(home), "USER": user, "LOGNAME": user, "LANG": "C.UTF-8"}
        env |= {k: v for k, v in os.environ.items() if k.startswith(("PG", "RUSTUP_HOME", "NPM_CONFIG_"))}
        env |= {"TERM": "dumb", "GIT_CONFIG_NOSYSTEM": "1", "GIT_TERMINAL_PROMPT": "0", "GOFLAGS": "-mod=mod"}
        env |= {"PIP_CONFIG_FILE": "/dev/null", "PIP_DISABLE_PIP_VERSION_CHECK": "1", "TMPDIR": "/tmp"}
        return env | {key: fill(value, place, fam.cause) for key, value in fam.env.items()}

    @staticmethod
    def _sh(command: str, cwd: Path, env: Mapping[str, str], user: bool) -> subprocess.CompletedProcess[bytes]:
        argv = ["setpriv", "--reuid", "1500", "--regid", "1500", "--clear-groups"] if user else []
        return subprocess.run(
            [*argv, "bash", "-c", command],
            cwd=cwd,
            env=dict(env),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=False,
            timeout=240,
        )

    def _clean(self, text: str, place: Place) -> str:
        for real, invented in self.tools:
            text = text.replace(real, fill(invented, place, ""))
        if self.base:
            text = text.replace(self.base + "/", "/")
        lines = [line for line in text.splitlines(keepends=True) if not re.search(_MIRROR, line)]
        text = "".join(lines)
        if place.windows:
            text = re.sub(re.escape(place.home) + r"[\w./@+-]*", _as_windows, text)
        if len(text) > HEAD + TAIL + 100:
            left = len(text) - HEAD - TAIL
            text = f"{text[:HEAD]}\n[... {left} characters left out ...]\n{text[-TAIL:]}"
        return text


_MIRROR = r"Looking in (indexes|links)|is ignored: it is neither a file|Picked up _JAVA_OPTIONS|Picked up JAVA_TOOL"


def _as_windows(match: re.Match[str]) -> str:
    return match.group().replace("/home/", "C:/Users/").replace("/", "\\")


def _fresh(home: Path, project: Path) -> None:
    """An empty project in a home folder that this tool made itself."""
    if home.exists() and not (home / ".capture").exists():
        raise SystemExit(f"{home} exists and was not made by this tool: choose another --base")
    if home.exists():
        subprocess.run(["chmod", "-R", "u+rwX", str(home)], check=False)
        shutil.rmtree(home)
    project.mkdir(parents=True)
    (home / ".capture").touch()
    if modules := os.environ.get("CAPTURE_NODE_MODULES"):
        (home / "node_modules").symlink_to(modules)


def capture(fam: Family, box: Box) -> Case:
    second = W if fam.windows else B
    shots = [
        box.run(fam, A, fam.cmd, fam.files, fam.setup, fam.cause),
        box.run(fam, second, fam.b_cmd or fam.cmd, fam.files, fam.setup, fam.cause),
    ]
    names = ["a", "b"]
    for twin in fam.twins:
        cause = fam.cause if twin.cause is None else twin.cause
        files = fam.files if twin.files is None else twin.files
        setup = fam.setup if twin.setup is None else twin.setup
        shots.append(box.run(fam, A, twin.cmd or fam.cmd, files, setup, cause))
        names.append(twin.name if len(fam.twins) == 1 else f"twin-{len(names) - 1}")
    named = [Shot(n, s.cwd, s.command, s.exit_code, s.output) for n, s in zip(names, shots, strict=True)]
    return Case(fam.name, fam.outcome, fam.classes, fam.multi, tuple(named))


def complaints(case: Case) -> list[str]:
    """What makes a capture useless: a run that did not fail, a tool that is not there."""
    missing = re.compile(r"(?m)^bash: line \d+: \S+: (command not found|No such file)")
    bad = [f"{s.name} exits 0" for s in case.shots if s.exit_code == 0]
    if not case.twins:
        bad.append("no twin")
    if case.toolchain != "shell":
        bad += [f"{s.name}: {m.group()}" for s in case.shots if (m := missing.search(s.output))]
    return bad


def rewrite_heads() -> int:
    """Bring outcome and class of the captures up to date with the scenarios; name the captures without one."""
    orphans = 0
    for case in load():
        if fam := REGISTRY.get(case.name):
            new = replace(case, outcome=fam.outcome, classes=fam.classes, multi=fam.multi)
            (DATA / f"{case.name}.txt").write_bytes(dump(new).encode())
        else:
            orphans += 1
            sys.stdout.write(f"no scenario: {case.name}\n")
    return 1 if orphans else 0


def main(argv: Sequence[str] | None = None) -> int:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("names", nargs="*", help="families, or the beginning of their names (default: all)")
    options.add_argument("--base", type=Path, help="where the invented home folders are made")
    options.add_argument("--heads", action="store_true", help="only rewrite outcome and class; run nothing")
    options.add_argument("--replace", action="append", default=[], help="REAL=INVENTED, a tool folder of this machine")
    chosen = options.parse_args(argv)
    for module in pkgutil.iter_modules(scenarios.__path__):
        importlib.import_module(f"families.scenarios.{module.name}")
    if chosen.heads:
        return rewrite_heads()
    if chosen.base is None:
        options.error("--base is needed to run anything")
    pairs = [pair.partition("=")[::2] for pair in chosen.replace]
    box = Box(chosen.base, os.environ["PATH"], sorted(pairs, key=lambda pair: -len(pair[0])))
    failed = 0
    for name, fam in REGISTRY.items():
        if chosen.names and not name.startswith(tuple(chosen.names)):
            continue
        try:
            case = capture(fam, box)
            bad = complaints(case)
        except (RuntimeError, subprocess.TimeoutExpired) as error:
            bad = [str(error)]
        if bad:
            failed += 1
            sys.stdout.write(f"NOT CAPTURED {name}: {'; '.join(bad)}\n")
            continue
        target = DATA / f"{name}.txt"
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(dump(case).encode())
        sys.stdout.write(f"captured {name}\n")
    return 1 if failed else 0


if __name__ == "__main__":
    raise SystemExit(main())
