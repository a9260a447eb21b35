"""Where each source looks, as it tells the human, is where it really looks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from agent_riggs.model import Problem
from agent_riggs.sources import cline, codex, copilot, gemini, goose, opencode, qwen

FILES: dict[Any, tuple[str, str]] = {
    codex: (".codex", "sessions/2026/05/04/rollout-a.jsonl"),
    copilot: (".copilot", "session-state/a/events.jsonl"),
    gemini: (".gemini", "tmp/shop/chats/session-a.json"),
    opencode: (".local/share/opencode", "storage/session/p/ses_aaaaaaaa.json"),
    goose: (".local/share/goose/sessions", "a.jsonl"),
    qwen: (".qwen", "projects/p/chats/a.jsonl"),
    cline: (".cline/data", "tasks/1/api_conversation_history.json"),
}
VARIABLES: dict[Any, str] = {
    codex: "CODEX_HOME",
    copilot: "COPILOT_HOME",
    gemini: "GEMINI_CLI_HOME",
    qwen: "QWEN_HOME",
    cline: "CLINE_DATA_DIR",
}


@pytest.mark.parametrize("source", FILES, ids=lambda s: s.name)
def test_the_default_place(tmp_path: Path, source: Any) -> None:
    folder, file = FILES[source]
    path = tmp_path / folder / file
    path.parent.mkdir(parents=True)
    path.write_text("{}\n")
    assert tmp_path / folder in source.places({}, tmp_path)
    found = [item for item in source.find({}, tmp_path) if not isinstance(item, Problem)]
    assert [item.path for item in found] == [path]


@pytest.mark.parametrize("source", VARIABLES, ids=lambda s: s.name)
def test_a_variable_replaces_it(tmp_path: Path, source: Any) -> None:
    named = tmp_path / "named"
    path = named / FILES[source][1]
    path.parent.mkdir(parents=True)
    path.write_text("{}\n")
    environ = {VARIABLES[source]: str(named)}
    assert source.places(environ, tmp_path)[0] == named
    found = [item for item in source.find(environ, tmp_path) if not isinstance(item, Problem)]
    assert [item.path for item in found] == [path]


def test_editors_that_are_not_there_are_not_named(tmp_path: Path) -> None:
    assert cline.places({}, tmp_path) == [tmp_path / ".cline/data"]
    editor = tmp_path / ".config/Code/User/globalStorage/saoudrizwan.claude-dev"
    editor.mkdir(parents=True)
    assert cline.places({}, tmp_path) == [tmp_path / ".cline/data", editor]
