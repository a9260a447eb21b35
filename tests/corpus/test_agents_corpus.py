"""Real sessions and recordings of Codex, Gemini CLI, OpenCode and Copilot: counts of an independent reader."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest

import reading
from agent_riggs.ingest import ingest
from agent_riggs.judge import judge
from agent_riggs.model import FAILURES, Problem, ToolCall, Transcript
from agent_riggs.paths import find_project, store_path
from agent_riggs.sources import SOURCES, codex, copilot, gemini, opencode, recognize
from agent_riggs.sources.base import Source
from agent_riggs.sources.check import check_source, read_all
from agent_riggs.store import open_read
from corpus.test_claude_corpus import CORPUS, NOW, expected

pytestmark = [pytest.mark.corpus]

CAPTURES = CORPUS.parent / "captures"
PLACES: Mapping[str, tuple[Source, str, Path]] = {
    "codex": (codex, "CODEX_HOME", CORPUS / "codex-home"),
    "gemini": (gemini, "GEMINI_CLI_HOME", CORPUS / "gemini-home"),
    "copilot": (copilot, "COPILOT_HOME", CORPUS / "copilot-home"),
    "opencode": (opencode, "OPENCODE_DB", CORPUS / "opencode/export"),
}
PROJECTS = [("codex", "atlas"), ("codex", "lantern"), ("gemini", "atlas"), ("gemini", "orchard"), ("copilot", "atlas")]
MCP_ERRORS = {"atlas": 6}
"""Calls of MCP servers that Codex's own event calls an error: the independent reader knew exit codes only."""


def transcripts(agent: str) -> list[Transcript]:
    source, variable, folder = PLACES[agent]
    if agent == "opencode":
        items: Iterable[Transcript | Problem] = [i for _, i in recognize.named(folder, SOURCES)]
    else:
        items = source.find({variable: str(folder)}, Path("/nowhere"))
    return [item for item in items if isinstance(item, Transcript)]


def judged(agent: str, path: str) -> Counter[str]:
    """Outcomes of the calls whose working folder lies in a project."""
    source = PLACES[agent][0]
    outcomes: Counter[str] = Counter()
    for transcript in transcripts(agent):
        for call in read_all(source, transcript, NOW).calls.values():
            if call.cwd.lower().startswith(path.lower()):
                outcomes[judge(call).outcome] += 1
    return outcomes


@pytest.mark.parametrize(("agent", "name"), [*PROJECTS, ("opencode", "meadow")])
def test_counts(agent: str, name: str) -> None:
    wanted = expected(agent, name)
    got = judged(agent, wanted["path"])
    flagged = got.total() - got["ok"] - got["pending"] - got["unknown"] - got["masked"]
    surplus = MCP_ERRORS.get(name, 0) if agent == "codex" else 0
    assert got.total() == wanted["calls"]
    assert flagged == wanted["flagged"] + surplus
    if "own" in wanted:
        assert sum(got[o] for o in ("failed", "check_failed", "benign")) == wanted["own"] + surplus
        assert got["rejected"] + got["interrupted"] == wanted["rejected"]


@pytest.mark.parametrize(("agent", "name"), [*PROJECTS, ("opencode", "meadow")])
def test_an_ingest_finds_the_project_under_its_recorded_name(tmp_path: Path, agent: str, name: str) -> None:
    wanted, source = expected(agent, name), PLACES[agent][0]
    project = find_project(tmp_path)
    summary = ingest(
        project,
        sources={source.name: source},
        environ={},
        home=Path("/nowhere"),
        now=NOW,
        recorded_as=wanted["path"],
        items=[(source.name, t) for t in transcripts(agent)],
    )
    assert not summary.problems
    with open_read(store_path(project)) as store:
        rows = store.conn.execute("SELECT count(*), count(*) FILTER (outcome = 'pending') FROM turns").fetchone()
        failures = store.conn.execute("SELECT count(*) FROM failure_stream").fetchone()
    assert rows == (wanted["calls"], 0)
    assert failures == (sum(judged(agent, wanted["path"])[o] for o in FAILURES),)


@pytest.mark.parametrize("agent", ["codex", "gemini", "copilot"])
def test_real_sessions_hold_to_the_rules_of_a_source(agent: str) -> None:
    source, variable, folder = PLACES[agent]
    assert check_source(source, {variable: str(folder)}, folder)


CLASSES = {"missing_file", "text_not_found", "unknown_tool", "timeout"}
"""Classes whose texts are the agents' own; what a script prints may be classed as the judge thinks best."""


def verdicts(calls: Iterable[ToolCall]) -> list[tuple[str, str, str | None]]:
    ordered = sorted(calls, key=lambda c: c.position)
    found = [(v.tool, v.outcome, v.failure_class) for v in map(judge, ordered)]
    return [(tool, outcome, own if own in CLASSES else None) for tool, outcome, own in found]


def test_a_recording_of_codex() -> None:
    found = reading.read(codex, CAPTURES / "codex-0.171.0-rollout.jsonl")
    assert verdicts(found.calls.values()) == [
        ("Bash", "failed", None),
        ("Bash", "ok", None),
        ("Bash", "ok", None),
        ("Bash", "benign", None),
        ("Edit", "failed", "missing_file"),
        ("no_such_tool", "failed", "unknown_tool"),
    ]
    assert not found.end.unknown
    assert {c.mode for c in found.calls.values()} == {"never/danger-full-access"}


def test_a_recording_of_gemini() -> None:
    found = reading.read(gemini, CAPTURES / "gemini-0.61.0-chat.jsonl")
    assert verdicts(found.calls.values()) == [
        ("Bash", "failed", None),
        ("Bash", "ok", None),
        ("Read", "failed", "missing_file"),
        ("Bash", "ok", None),
        ("Edit", "failed", "text_not_found"),
        ("no_such_tool", "failed", "unknown_tool"),
    ]
    assert {c.cwd for c in found.calls.values()} == {"/home/dev/proj"}


def test_a_recording_of_copilot() -> None:
    found = reading.read(copilot, CAPTURES / "copilot-1.0.102-events.jsonl")
    assert verdicts(found.calls.values()) == [
        ("Bash", "failed", None),
        ("Bash", "ok", None),
        ("Read", "failed", "missing_file"),
        ("Edit", "failed", "text_not_found"),
        ("Bash", "ok", None),
        ("no_such_tool", "failed", "unknown_tool"),
    ]


def test_a_recording_of_opencode(tmp_path: Path) -> None:
    """Its plugin saw every state of every part; the last one is what the session holds."""
    parts: dict[str, Any] = {}
    for line in (CAPTURES / "opencode-1.18.33-plugin.jsonl").read_text().splitlines():
        part = json.loads(line).get("part")
        if isinstance(part, dict):
            parts[part["id"]] = part
    document = {"info": {"id": "ses_dd7a14d96ffe3WAZNO88bDme0X", "directory": "/home/dev/proj"}}
    document["messages"] = [{"info": {"mode": "build"}, "parts": list(parts.values())}]
    found = reading.read(opencode, reading.write_lines(tmp_path / "x.json", [document]))
    assert verdicts(found.calls.values()) == [
        ("Bash", "failed", None),
        ("Bash", "ok", None),
        ("Read", "failed", "missing_file"),
        ("Edit", "failed", "text_not_found"),
        ("Bash", "ok", None),
        ("no_such_tool", "failed", "unknown_tool"),
    ]
