"""The genuine agents: installed from npm into a cache folder, run with an empty home against a scripted model."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from e2e import models

CACHE_VARIABLE = "AGENT_RIGGS_E2E_CACHE"
"""Folder the clients are installed into, 100 to 420 MB each; default: the user's cache folder."""
TIMEOUT = 180
ANY_HOOK = "--dangerously-bypass-hook-trust"
"""With this word Codex runs hooks that its user has not allowed."""

ROOT = Path(__file__).parents[1]


@dataclass(frozen=True)
class Client:
    """One agent: its package, how it is started, and what it calls its tools."""

    name: str
    """As in ``install --agent``."""
    source: str
    """As transcripts of it are called."""
    package: str
    version: str
    program: str
    format: type[models.Handler]
    shell: str
    """Its shell tool, and the argument that holds the command."""
    argument: str = "command"
    extra: Mapping[str, Any] = field(default_factory=dict)


CLIENTS = (
    Client(
        "claude-code",
        "claude_code",
        "@anthropic-ai/claude-code",
        "2.1.332",
        "claude",
        models.Anthropic,
        "Bash",
        extra={"description": "run it"},
    ),
    Client("codex", "codex", "@openai/codex", "0.171.0", "codex", models.Responses, "exec_command", "cmd"),
    Client("gemini", "gemini", "@google/gemini-cli", "0.61.0", "gemini", models.Gemini, "run_shell_command"),
    Client(
        "opencode",
        "opencode",
        "opencode-ai",
        "1.18.33",
        "opencode",
        models.Chat,
        "bash",
        extra={"description": "run it"},
    ),
    Client(
        "copilot",
        "copilot",
        "@github/copilot",
        "1.0.102",
        "copilot",
        models.Chat,
        "bash",
        extra={"description": "run it"},
    ),
)


def cache() -> Path:
    """Where the clients are kept."""
    named = os.environ.get(CACHE_VARIABLE)
    base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return Path(named) if named else Path(base) / "agent-riggs-e2e"


def program(client: Client) -> Path:
    """The client's executable; installed with npm when it is not in the cache yet."""
    folder = cache() / f"{client.program}-{client.version}"
    found = folder / "node_modules" / ".bin" / client.program
    if not found.exists():
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "package.json").write_text("{}", encoding="utf-8")
        words = ["npm", "install", "--no-audit", "--no-fund", "--save-exact", f"{client.package}@{client.version}"]
        subprocess.run(words, cwd=folder, check=True, timeout=1200, stdout=subprocess.DEVNULL)
    return found


@dataclass
class Machine:
    """An empty home with one project in it."""

    home: Path
    project: Path

    def environment(self, more: Mapping[str, str] | None = None) -> dict[str, str]:
        """The whole environment of every process: nothing of the real user's gets in."""
        beside = Path(sys.executable).parent
        path = os.pathsep.join([str(beside), os.environ.get("PATH", os.defpath)])
        base = {"PATH": path, "HOME": str(self.home), "TERM": "dumb", "LANG": "C.UTF-8", "CI": "1"}
        return base | {"CLAUDE_CONFIG_DIR": str(self.home / ".claude"), **(more or {})}

    def riggs(self, *words: str, code: int | None = 0, **environ: str) -> str:
        """Run agent-riggs in the project, as its user would, and expect this exit code (``None``: any)."""
        program = Path(sys.executable).parent / "agent-riggs"
        done = subprocess.run(
            [program, *words],
            cwd=self.project,
            env=self.environment(environ),
            capture_output=True,
            text=True,
            timeout=TIMEOUT,
            stdin=subprocess.DEVNULL,
        )
        assert code in (None, done.returncode), (
            f"agent-riggs {' '.join(words)}: {done.returncode}\n{done.stdout}{done.stderr}"
        )
        return done.stdout

    def decide(self, *words: str) -> None:
        """Run a command that only a human may run: at a terminal, which is what it asks for."""
        program = Path(sys.executable).parent / "agent-riggs"
        ours, theirs = os.openpty()
        with subprocess.Popen(
            [program, *words], cwd=self.project, env=self.environment(), stdin=theirs, stdout=theirs, stderr=theirs
        ) as process:
            os.close(theirs)
            shown = b""
            with suppress(OSError):  # the terminal closes with the program
                while chunk := os.read(ours, 65536):
                    shown += chunk
            code = process.wait(TIMEOUT)
        os.close(ours)
        assert code == 0, shown.decode("utf-8", "replace")

    def state(self) -> Path:
        """The project's state folder."""
        found = [p for p in (self.home / ".local/state/agent-riggs").iterdir() if p.name.startswith("project-")]
        assert len(found) == 1, found
        return found[0]


def machine(folder: Path) -> Machine:
    """A home and a project with a program in it that fails in one way and works in another."""
    made = Machine(folder / "home dir", folder / "work" / "project")
    made.home.mkdir(parents=True)
    made.project.mkdir(parents=True)
    (made.project / "build.sh").write_text(
        '#!/bin/sh\n[ "$1" = --offline ] && { echo built; exit 0; }\n'
        'echo "build: error: cannot reach the package mirror, use the offline bundle" >&2\nexit 3\n',
        encoding="utf-8",
    )
    (made.project / "build.sh").chmod(0o755)
    (made.project / "notes.txt").write_text("one\ntwo\n", encoding="utf-8")
    git = ["git", "-c", "init.defaultBranch=main", "init", "-q"]
    subprocess.run(git, cwd=made.project, check=True, env=made.environment())
    return made


def shell(client: Client, line: str) -> models.Step:
    """A step in which the client's shell tool runs a line."""
    return client.shell, {client.argument: line, **client.extra}


def run(
    client: Client,
    on: Machine,
    steps: Sequence[models.Step],
    more: Mapping[str, str] | None = None,
    words: Sequence[str] = (),
    without: Sequence[str] = (),
) -> models.Script:
    """One session of the client over these steps; what the model was sent comes back. ``words`` are added to those
    the client is started with, those in ``without`` left out."""
    script = models.Script(steps)
    with models.playing(client.format, script) as port:
        own, settings = _PREPARE[client.name](client, on, port)
        done = subprocess.run(
            [str(program(client)), *(word for word in own if word not in without), *words],
            cwd=on.project,
            env=on.environment({**settings, **(more or {})}),
            capture_output=True,
            text=True,
            timeout=TIMEOUT,
            stdin=subprocess.DEVNULL,
        )
    assert script.requests, (
        f"{client.name} asked nothing: {done.returncode}\n{done.stdout[-3000:]}{done.stderr[-3000:]}"
    )
    return script


def ask(client: Client, on: Machine, *words: str) -> str:
    """A command of the client's own that asks no model."""
    _, settings = _PREPARE[client.name](client, on, 9)
    done = subprocess.run(
        [str(program(client)), *words],
        cwd=on.project,
        env=on.environment(settings),
        capture_output=True,
        text=True,
        timeout=TIMEOUT,
        stdin=subprocess.DEVNULL,
    )
    assert done.returncode == 0, f"{client.name} {' '.join(words)}: {done.returncode}\n{done.stdout}{done.stderr}"
    return done.stdout + done.stderr


def allow_hooks(on: Machine) -> None:
    """Tell Codex that its user trusts every hook it knows of, as its own settings page does it."""
    client = next(one for one in CLIENTS if one.name == "codex")
    _, settings = _PREPARE["codex"](client, on, 9)
    words = [str(program(client)), "app-server"]
    pipe = subprocess.PIPE
    with subprocess.Popen(
        words, cwd=on.project, env=on.environment(settings), stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL
    ) as server:
        try:
            _rpc(server, 1, "initialize", {"clientInfo": {"name": "e2e", "version": "1"}})
            found = _rpc(server, 2, "hooks/list", {"cwds": [str(on.project)]})
            hooks = [hook for folder in found["data"] for hook in folder["hooks"]]
            state = {hook["key"]: {"trusted_hash": hook["currentHash"]} for hook in hooks}
            edit = {"keyPath": "hooks.state", "value": state, "mergeStrategy": "upsert"}
            _rpc(server, 3, "config/batchWrite", {"edits": [edit]})
        finally:
            server.kill()


def _rpc(server: subprocess.Popen[bytes], number: int, method: str, params: object) -> Any:
    assert server.stdin is not None
    assert server.stdout is not None
    message = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
    server.stdin.write(json.dumps(message).encode() + b"\n")
    server.stdin.flush()
    for line in server.stdout:
        answer = json.loads(line)
        if answer.get("id") == number:
            assert "result" in answer, answer
            return answer["result"]
    raise AssertionError(f"{method}: the server is gone")


def settled(on: Machine, seconds: float = 30) -> None:
    """Wait until no ingest that a session's end started is running."""
    from agent_riggs.deliver.ending import is_running

    end = time.monotonic() + seconds
    while time.monotonic() < end and is_running(str(on.project)):
        time.sleep(0.1)


# --- how each client is started


def _claude(client: Client, on: Machine, port: int) -> tuple[list[str], dict[str, str]]:
    folder = on.home / ".claude"
    folder.mkdir(exist_ok=True)
    trusted = {"hasCompletedOnboarding": True, "projects": {str(on.project): {"hasTrustDialogAccepted": True}}}
    config = folder / ".claude.json"
    if not config.exists():
        config.write_text(json.dumps(trusted), encoding="utf-8")
    return ["-p", "run it", "--output-format", "json", "--allowedTools", "Bash", "Read", "Edit"], {
        "ANTHROPIC_BASE_URL": f"http://127.0.0.1:{port}",
        "ANTHROPIC_API_KEY": "fake",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_AUTOUPDATER": "1",
    }


def _codex(client: Client, on: Machine, port: int) -> tuple[list[str], dict[str, str]]:
    folder = on.home / ".codex"
    folder.mkdir(exist_ok=True)
    path = folder / "config.toml"
    if not path.exists():
        path.write_text(
            'model = "gpt-5.5-codex"\nmodel_provider = "fake"\napproval_policy = "never"\n'
            'sandbox_mode = "danger-full-access"\n'
            '[model_providers.fake]\nname = "fake"\nbase_url = "http://127.0.0.1:9/v1"\n'
            'wire_api = "responses"\nrequires_openai_auth = false\n'
            f'[projects.{json.dumps(str(on.project))}]\ntrust_level = "trusted"\n[analytics]\nenabled = false\n',
            encoding="utf-8",
        )
    server = ["-c", f'model_providers.fake.base_url="http://127.0.0.1:{port}/v1"']
    words = ["exec", *server, ANY_HOOK, "--skip-git-repo-check", "run it"]
    return words, {"CODEX_HOME": str(folder)}


def _gemini(client: Client, on: Machine, port: int) -> tuple[list[str], dict[str, str]]:
    folder = on.home / ".gemini"
    folder.mkdir(exist_ok=True)
    path = folder / "settings.json"
    held = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    wanted = {
        "privacy": {"usageStatisticsEnabled": False},
        "telemetry": {"enabled": False},
        "general": {"enableAutoUpdate": False, "disableAutoUpdate": True},
        "security": {"folderTrust": {"enabled": False}, "auth": {"selectedType": "gemini-api-key"}},
    }
    if not all(name in held for name in wanted):
        path.write_text(json.dumps(wanted | held, indent=2), encoding="utf-8")
    return ["--yolo", "-m", "gemini-2.5-flash", "-p", "run it"], {
        "GEMINI_API_KEY": "fake",
        "GOOGLE_GEMINI_BASE_URL": f"http://127.0.0.1:{port}",
    }


def _opencode(client: Client, on: Machine, port: int) -> tuple[list[str], dict[str, str]]:
    provider = {
        "npm": "@ai-sdk/openai-compatible",
        "name": "fake",
        "options": {"baseURL": f"http://127.0.0.1:{port}/v1", "apiKey": "x"},
        "models": {"m1": {"name": "m1", "tool_call": True}},
    }
    config = {
        "$schema": "https://opencode.ai/config.json",
        "autoupdate": False,
        "share": "disabled",
        "permission": "allow",
        "model": "fake/m1",
        "small_model": "fake/m1",
        "provider": {"fake": provider},
    }
    (on.project / "opencode.json").write_text(json.dumps(config), encoding="utf-8")
    return ["run", "run it"], {
        "OPENCODE_DISABLE_AUTOUPDATE": "1",
        "OPENCODE_DISABLE_MODELS_FETCH": "1",
        "OPENCODE_DISABLE_LSP_DOWNLOAD": "1",
    }


def _copilot(client: Client, on: Machine, port: int) -> tuple[list[str], dict[str, str]]:
    return ["-p", "run it", "--allow-all-tools"], {
        "GITHUB_COPILOT_PROMPT_MODE_REPO_HOOKS": "true",
        "COPILOT_AUTO_UPDATE": "false",
        "COPILOT_OFFLINE": "true",
        "COPILOT_PROVIDER_BASE_URL": f"http://127.0.0.1:{port}/v1",
        "COPILOT_PROVIDER_TYPE": "openai",
        "COPILOT_PROVIDER_API_KEY": "x",
        "COPILOT_MODEL": "m1",
    }


_PREPARE = {
    "claude-code": _claude,
    "codex": _codex,
    "gemini": _gemini,
    "opencode": _opencode,
    "copilot": _copilot,
}


def available() -> bool:
    """Whether node and npm are here."""
    return shutil.which("node") is not None and shutil.which("npm") is not None
