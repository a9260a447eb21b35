"""What an agent's own settings, and its administrator's, say against hooks: read as that agent reads them.

Seen with the clients in ``hosts.TESTED``: Claude Code passes over a byte order mark and drops a whole file for a
comment; Gemini CLI passes over comments and does not start for a mark; Codex and Copilot CLI take neither.
"""

from __future__ import annotations

import json
import re
import sys
import tomllib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from agent_riggs.deliver.install import clients
from agent_riggs.deliver.install.clients import Scope
from agent_riggs.report.health import Surroundings

Against = tuple[str, str]
"""What stands against the hook, and the remedy."""

SCOPES: Final[tuple[Scope, ...]] = ("user", "project")
_PLACES: Final = {
    "claude-code": ("/etc/claude-code", "/Library/Application Support/ClaudeCode", "C:/Program Files/ClaudeCode"),
    "codex": ("/etc/codex", "/etc/codex", "C:/ProgramData/OpenAI/Codex"),
    "gemini": ("/etc/gemini-cli", "/Library/Application Support/GeminiCli", "C:/ProgramData/gemini-cli"),
}
"""Where an administrator's settings lie on Linux, macOS and Windows."""
_MACHINE: Final = {agent: Path(of[{"darwin": 1, "win32": 2}.get(sys.platform, 0)]) for agent, of in _PLACES.items()}
_COMMENT: Final = re.compile(r'("(?:[^"\\]|\\.)*")|//[^\n]*|/\*.*?\*/', re.DOTALL)


def read(agent: str, path: Path) -> dict[str, Any] | None:
    """A settings file as its agent understands it; ``None`` when it does not, and when there is none."""
    try:
        text = path.read_text(encoding="utf-8-sig" if agent == "claude-code" else "utf-8")
        value = json.loads(_COMMENT.sub(lambda found: found[1] or " ", text) if agent == "gemini" else text)
    except (OSError, ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def against(agent: str, at: Surroundings) -> Iterator[Against]:
    """Everything that keeps this agent from running hooks of ours that stand in its settings."""
    look = _AGAINST.get(agent)
    if look is not None:
        yield from look(at)


def untrusted(at: Surroundings) -> Iterator[Path]:
    """Codex's files with our hooks, none of which its user has allowed yet: Codex does not run them."""
    states = _codex_states(at)
    for scope in SCOPES:
        path = _files("codex", scope, at)[0]
        allowed = any(key.startswith(f"{path}:") and state.get("trusted_hash") for key, state in states.items())
        if not allowed and read("codex", path) is not None:
            yield path


# --- by agent


def _claude(at: Surroundings) -> Iterator[Against]:
    folder = _files("claude-code", "user", at)[0].parent
    managed = list(_managed(folder))
    own = [path for scope in SCOPES for path in _both(_files("claude-code", scope, at)[0].parent)]
    for path in [*own, *managed]:
        settings = read("claude-code", path) or {}
        if settings.get("disableAllHooks") is True:
            yield _off("disableAllHooks", path)
        if path not in managed:
            continue
        if settings.get("allowManagedHooksOnly") is True:
            yield f"not allowed: allowManagedHooksOnly in {path}", _ADMINISTRATOR
        strict = settings.get("strictPluginOnlyCustomization")
        if strict is True or (isinstance(strict, list) and "hooks" in strict):
            yield (
                f"allowed in plugins only: strictPluginOnlyCustomization in {path}",
                "agent-riggs install --plugin FOLDER",
            )


def _gemini(at: Surroundings) -> Iterator[Against]:
    named = at.environ.get("GEMINI_CLI_SYSTEM_SETTINGS_PATH")
    system = Path(named) if named else _MACHINE["gemini"] / "settings.json"
    for path in [system, *(_files("gemini", scope, at)[0] for scope in SCOPES)]:
        policy = (read("gemini", path) or {}).get("hooksConfig")
        if not isinstance(policy, dict):
            continue
        if policy.get("enabled") is False:
            yield _off("hooksConfig.enabled", path)
        disabled = policy.get("disabled")
        if isinstance(disabled, list) and "agent-riggs" in disabled:
            yield f"switched off: hooksConfig.disabled in {path}", "/hooks enable agent-riggs"


def _codex(at: Surroundings) -> Iterator[Against]:
    for scope in SCOPES:
        path = _files("codex", scope, at)[0].with_name("config.toml")
        if _features_off(_toml(path)):
            yield _off("features", path)
    path = _MACHINE["codex"] / "requirements.toml"
    required = _toml(path)
    if _features_off(required):
        yield f"switched off: features in {path}", _ADMINISTRATOR
    if required.get("allow_managed_hooks_only") is True:
        yield f"not allowed: allow_managed_hooks_only in {path}", _ADMINISTRATOR
    ours = tuple(f"{_files('codex', scope, at)[0]}:" for scope in SCOPES)
    for key, state in _codex_states(at).items():
        if key.startswith(ours) and state.get("enabled") is False:
            yield f"switched off in Codex: {key}", "/hooks in Codex"


def _copilot(at: Surroundings) -> Iterator[Against]:
    root = at.project.root
    paths = [*_both(root / ".github" / "copilot"), *_both(root / ".claude")]
    for path in [*paths, *(_files("copilot", scope, at)[0] for scope in SCOPES)]:
        if (read("copilot", path) or {}).get("disableAllHooks") is True:
            yield _off("disableAllHooks", path)


def _opencode(at: Surroundings) -> Iterator[Against]:
    if at.environ.get("OPENCODE_PURE", "").lower() in ("1", "true"):
        yield "switched off: OPENCODE_PURE is set", "unset OPENCODE_PURE"


_AGAINST: Final[Mapping[str, Callable[[Surroundings], Iterator[Against]]]] = {
    "claude-code": _claude,
    "gemini": _gemini,
    "codex": _codex,
    "copilot": _copilot,
    "opencode": _opencode,
}
_ADMINISTRATOR: Final = "ask who manages this machine"


def _off(what: str, path: Path) -> Against:
    return f"switched off: {what} in {path}", f"remove it from {path}"


def _both(folder: Path) -> tuple[Path, Path]:
    return folder / "settings.json", folder / "settings.local.json"


def _files(agent: str, scope: Scope, at: Surroundings) -> list[Path]:
    return [part.path for part in clients.parts(agent, scope, at.project.root, at.environ, at.home, None, False)]


def _managed(folder: Path) -> Iterator[Path]:
    """Where an administrator's policy for Claude Code lies: on this machine, and in the user's ``folder`` the copy of
    what a server said (from documentation: without such an account the client does not look at it)."""
    machine = _MACHINE["claude-code"]
    yield machine / "managed-settings.json"
    yield from sorted((machine / "managed-settings.d").glob("*.json"))
    yield folder / "remote-settings.json"


def _codex_states(at: Surroundings) -> dict[str, dict[str, Any]]:
    """What Codex's user said about single hooks, by ``FILE:EVENT:GROUP:HOOK``."""
    hooks = _toml(_files("codex", "user", at)[0].with_name("config.toml")).get("hooks")
    states = hooks.get("state") if isinstance(hooks, dict) else None
    found = states.items() if isinstance(states, dict) else ()
    return {key: state for key, state in found if isinstance(state, dict)}


def _features_off(settings: Mapping[str, Any]) -> bool:
    features = settings.get("features")
    return isinstance(features, dict) and (features.get("hooks") is False or features.get("codex_hooks") is False)


def _toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
