"""The sample sessions: the same bytes each time, and what the demo needs in them."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

from agent_riggs import samples


def records() -> list[dict[str, object]]:
    found = []
    for _, content in samples.files("/demo/tidewatch"):
        for line in content.splitlines():
            try:
                found.append(json.loads(line))
            except json.JSONDecodeError:
                found.append({})
    return found


def test_the_same_arguments_give_the_same_bytes(tmp_path: Path) -> None:
    assert list(samples.files("/demo/tidewatch")) == list(samples.files("/demo/tidewatch"))
    assert samples.write(tmp_path, Path("/demo/tidewatch")) == 11
    folder = tmp_path / ".claude" / "projects" / "-demo-tidewatch"
    written = {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*.jsonl")}
    assert written == dict(samples.files("/demo/tidewatch"))


def test_every_record_names_the_folder_it_ran_in() -> None:
    assert {record["cwd"] for record in records() if "cwd" in record} == {"/demo/tidewatch"}


def test_the_last_session_ends_when_it_should() -> None:
    times = sorted(str(record["timestamp"]) for record in records() if "timestamp" in record)
    assert times[0].startswith("2026-10-")
    assert times[-1].startswith("2026-11-0")
    earlier = [content for _, content in samples.files("/demo/tidewatch", samples.UNTIL - 86_400_000_000)]
    assert earlier != [content for _, content in samples.files("/demo/tidewatch")]


def test_call_ids_are_unique_and_every_call_has_its_result() -> None:
    asked: Counter[str] = Counter()
    answered: Counter[str] = Counter()
    for record in records():
        message = record.get("message")
        content = message.get("content", []) if isinstance(message, dict) else []
        for block in content if isinstance(content, list) else []:
            asked.update([block["id"]] if block["type"] == "tool_use" else [])
            answered.update([block["tool_use_id"]] if block["type"] == "tool_result" else [])
    assert asked == answered
    assert set(asked.values()) == {1}


def test_there_is_one_damaged_line_and_one_subagent() -> None:
    assert sum(1 for record in records() if not record) == 1
    assert sum(1 for path, _ in samples.files("/demo/tidewatch") if "/subagents/" in path) == 1
