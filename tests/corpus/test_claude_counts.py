"""Claude Code: an independent reader's counts over real sessions, met to the last one."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import reading
from agent_riggs.model import Head, Transcript
from agent_riggs.sources import check, claude_code
from agent_riggs.sources.base import transcript

CORPUS = reading.SHARED / "corpus"
ENVIRON = {"CLAUDE_CONFIG_DIR": str(CORPUS / "claude-home")}
REJECTED = ("The user doesn't want to ", "User chose to stay in plan mode")
CANCELLED = ("<tool_use_error>Sibling tool call errored", "<tool_use_error>Cancelled: parallel tool call")

pytestmark = pytest.mark.corpus


def transcripts() -> Iterator[Transcript]:
    for item in claude_code.find(ENVIRON, Path("/nonexistent")):
        assert isinstance(item, Transcript)
        yield item


def project_of(item: Transcript, roots: dict[str, str]) -> tuple[str, str]:
    """(project, session) of a transcript, by the folder its main file names."""
    own = claude_code.peek(item)
    main = claude_code.peek(transcript("claude_code", item.parent, item.parent.stat())) if item.parent else own
    assert isinstance(own, Head)
    assert isinstance(main, Head)
    folder = main.cwd.replace("\\", "/").lower()
    (name,) = (n for n, root in roots.items() if f"{folder}/".startswith(f"{root}/"))
    return name, own.session_id


def test_counts_per_project() -> None:
    expected: dict[str, Any] = json.loads((CORPUS / "expected.json").read_text())["claude"]
    roots = {name: row["path"].replace("\\", "/").lower() for name, row in expected.items()}
    sessions: defaultdict[str, set[str]] = defaultdict(set)
    mains: defaultdict[str, set[str]] = defaultdict(set)
    calls: dict[str, tuple[str, bool, Any]] = {}
    for item in sorted(transcripts(), key=lambda t: not t.path.name.startswith("agent-")):
        project, session = project_of(item, roots)
        own_file = item.path.name.startswith("agent-")
        sessions[project].add(session)
        if not own_file:
            mains[project].add(session)
        whole = check.read_all(claude_code, item, reading.NOW)
        assert whole.problems == ()
        assert whole.end.unknown == {}
        for key, call in whole.calls.items():
            calls.setdefault(key, (project, bool(call.agent_id) and not own_file, call.result))
    found: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for project, nested, result in calls.values():
        flagged = result is not None and result.flag is True
        rejected = flagged and result.text.startswith(REJECTED)
        cancelled = flagged and result.text.startswith(CANCELLED)
        found[project] += Counter(
            calls=1,
            nested=nested,
            flagged=flagged,
            rejected=rejected,
            cancelled=cancelled,
            own=flagged and not rejected and not cancelled,
            without_result=result is None,
        )
    for name, row in expected.items():
        counted = {"sessions": len(sessions[name]), "mains": len(mains[name]), **found[name]}
        assert {key: counted.get(key, 0) for key in row if key != "path"} == {
            k: v for k, v in row.items() if k != "path"
        }


def test_every_session_holds_to_the_rules_of_a_source() -> None:
    assert len(check.check_source(claude_code, ENVIRON, Path("/nonexistent"), reading.NOW)) == 278


def test_the_genuine_client_of_this_year(tmp_path: Path) -> None:
    capture = reading.SHARED / "captures/claude-2.1.332-transcript.jsonl"
    whole = reading.read(claude_code, capture)
    tools = [c.tool for c in sorted(whole.calls.values(), key=lambda c: c.position)]
    assert tools == ["Bash", "Bash", "Read", "Bash", "Edit", "Bash", "Grep", "Bash", "NoSuchTool", "Bash"]
    assert (whole.problems, dict(whole.end.unknown), whole.end.versions) == ((), {}, ("2.1.332",))
    assert {(c.mode, c.mode_source) for c in whole.calls.values()} == {("default", "recorded")}
    assert "No matches found" in {c.result.note for c in whole.calls.values() if c.result}
