"""The same failure through both ends: as ingest reads it from the transcript, as the hook is told of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from agent_riggs.deliver import hook, hosts
from agent_riggs.judge import judge
from agent_riggs.model import FAILURES, LateResult, ToolCall, Transcript, Verdict
from agent_riggs.sources import SOURCES


@dataclass(frozen=True)
class Pair:
    """One failed call, judged twice."""

    call: ToolCall
    ingest: Verdict
    hook: Verdict | None
    """``None`` when no event of the agent's tells the hook of it."""


def calls_of(transcripts: Iterable[Transcript], now: int) -> Iterator[ToolCall]:
    """Every call with its result, results that come in another record included."""
    for transcript in transcripts:
        calls: dict[str, ToolCall] = {}
        for event in SOURCES[transcript.source].read(transcript, None, now):
            if isinstance(event, ToolCall):
                calls[event.call_id] = event
            elif isinstance(event, LateResult) and event.call_id in calls:
                calls[event.call_id] = replace(calls[event.call_id], result=event.result)
        yield from calls.values()


def pairs(transcripts: Iterable[Transcript], now: int) -> Iterator[Pair]:
    """Every failure of Claude Code transcripts, with what the hook would have made of it."""
    for call in calls_of(transcripts, now):
        verdict = judge(call)
        if verdict.outcome in FAILURES and call.result is not None:
            yield Pair(call, verdict, _hooked(call))


def _hooked(call: ToolCall) -> Verdict | None:
    text = call.result.text if call.result else ""
    common = {"session_id": call.session_id, "transcript_path": "/home/me/.claude/projects/x/s.jsonl", "cwd": call.cwd}
    asked = {"tool_name": call.tool, "tool_input": dict(call.input), "tool_use_id": call.call_id}
    if text.startswith("<tool_use_error>"):
        batch = {"tool_calls": [{**asked, "tool_response": text}]}
        payload = {**common, "hook_event_name": "PostToolBatch", **batch}
    else:
        payload = {**common, **asked, "hook_event_name": "PostToolUseFailure", "error": text}
    event = hosts.read(payload, {})
    return judge(hook.to_tool_call(event, event.calls[0])) if event and event.calls else None


def transcripts_under(home: Path) -> list[Transcript]:
    """The Claude Code transcripts of an agent home."""
    found = SOURCES["claude_code"].find({"CLAUDE_CONFIG_DIR": str(home)}, Path("/nowhere"))
    return [one for one in found if isinstance(one, Transcript)]
