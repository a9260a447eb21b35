"""Which version of a client is installed, told without running it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from agent_riggs.deliver import hosts
from agent_riggs.report import clients

PACKAGES = {
    "claude_code": ("claude", "@anthropic-ai/claude-code", "bin/claude.exe"),
    "codex": ("codex", "@openai/codex", "bin/codex.js"),
    "copilot": ("copilot", "@github/copilot", "npm-loader.js"),
    "gemini": ("gemini", "@google/gemini-cli", "bundle/gemini.js"),
    "opencode": ("opencode", "opencode-ai", "bin/opencode.exe"),
}
"""Program, package, and what npm's link leads to: as the tested versions lie."""


def program(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\nexit 1\n", encoding="utf-8")
    path.chmod(0o755)
    return path


def link(folder: Path, name: str, to: Path) -> dict[str, str]:
    (folder / "bin").mkdir()
    (folder / "bin" / name).symlink_to(to)
    return {"PATH": str(folder / "bin")}


def package(folder: Path, source: str, version: object) -> dict[str, str]:
    name, called, inside = PACKAGES[source]
    root = folder / "node_modules" / called
    found = program(root / inside)
    (root / "package.json").write_text(json.dumps({"name": called, "version": version}), encoding="utf-8")
    (folder / "package.json").write_text('{"name": "somebody-s", "version": "9.9.9"}', encoding="utf-8")
    return link(folder, name, found)


def test_every_tested_client_is_known() -> None:
    assert set(PACKAGES) == set(hosts.TESTED)


@pytest.mark.parametrize("source", sorted(PACKAGES))
def test_a_package_says_its_version(tmp_path: Path, source: str) -> None:
    assert clients.installed(source, package(tmp_path, source, "1.2.3")) == "1.2.3"


@pytest.mark.parametrize(
    ("place", "version"),
    [
        (".local/share/claude/versions/2.1.340", "2.1.340"),
        ("Caskroom/claude-code/2.1.341/claude", "2.1.341"),
        ("Cellar/claude/2.2.0-beta.1/bin/claude", "2.2.0-beta.1"),
        ("usr/lib/claude/claude", None),
    ],
)
def test_a_folder_is_named_after_the_version(tmp_path: Path, place: str, version: str | None) -> None:
    environ = link(tmp_path, "claude", program(tmp_path / place))
    assert clients.installed("claude_code", environ) == version


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"name": "@openai/codex"}', '{"name": "@openai/codex", "version": 3}']
)
def test_a_package_that_says_nothing_is_no_version(tmp_path: Path, text: str) -> None:
    environ = package(tmp_path, "codex", "1.2.3")
    (tmp_path / "node_modules" / "@openai/codex" / "package.json").write_text(text, encoding="utf-8")
    assert clients.installed("codex", environ) is None


def test_what_is_not_installed_has_no_version(tmp_path: Path) -> None:
    assert clients.installed("codex", {"PATH": str(tmp_path)}) is None
    assert clients.installed("codex", {}) is None
    assert clients.installed("goose", {"PATH": str(tmp_path)}) is None
