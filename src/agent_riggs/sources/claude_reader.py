"""From Claude Code's records to calls, results and notices."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Final, NamedTuple

from agent_riggs.model import Event, LateResult, Notice, ToolCall, ToolResult, Transcript
from agent_riggs.sources import claude_results as results
from agent_riggs.sources.claude_records import (
    KNOWN_BLOCKS,
    KNOWN_TYPES,
    Attachment,
    Block,
    Facts,
    Message,
    Progress,
    Record,
    facts_of,
    parse,
    raw_text,
)
from agent_riggs.sources.claude_state import PLAN, Memory
from agent_riggs.sources.decode import flag_of, id_of, input_of, str_of, text_of, time_of
from agent_riggs.sources.ids import scoped
from agent_riggs.sources.lines import lines

NAME: Final = "claude_code"

HELPERS: Final = ("acompact", "aside_question")
"""Subagents that log the main conversation again or answer a side question: nothing of theirs counts."""

INLINE: Final = "sidechain"
"""Agent id of subagent records that stand in the main file without one (1.x)."""

_MAX_OPEN: Final = 512
_MAX_EARLY: Final = 64
_UNUSABLE: Final = frozenset({"", "REDACTED"})
_POLLS: Final = {"TaskOutput": "task_id", "BashOutput": "bash_id", "AgentOutputTool": "agentId"}
_PLANS: Final = {"EnterPlanMode": "enter", "ExitPlanMode": "exit"}
_BEGINS: Final = {"plan_mode": PLAN, "plan_mode_reentry": PLAN, "auto_mode": "auto"}
_ENDS: Final = {"plan_mode_exit": PLAN, "auto_mode_exit": "auto"}
_WARM_UP: Final = "Warmup"
_NOT_HUMAN: Final = ("<", "[Request interrupted", "Caveat: ")


class Place(NamedTuple):
    """Where a record stands: what its calls, results and prompts have in common."""

    record: Record
    offset: int
    when: int | None
    agent: str
    own: bool
    """Whether it belongs to the conversation this file is about, rather than to a subagent told of in it."""


class Reader:
    """Takes records in file order. Holds the calls whose result has not come yet, and a bounded number of those."""

    def __init__(self, transcript: Transcript, memory: Memory, session: str, agent_id: str, now: int) -> None:
        path = transcript.path
        self.path = path
        self.stem = path.stem
        self.memory = memory
        self.session = session
        """Session of records that name none."""
        self.agent_id = agent_id
        """The subagent whose file this is; empty for a main file."""
        self.now = now
        self.unknown: Counter[str] = Counter()
        self.understood = 0
        self.warmups = 0
        self._out: list[Event] = []
        self._open: dict[str, dict[str, Any]] = {}
        self._early: dict[str, LateResult] = {}
        self._seen: set[str] = set()

    def take(self, record: Record, offset: int) -> list[Event]:
        """The events of one record that begins at byte ``offset``."""
        kind = record.type
        when = self.memory.meet(record, self.stem, self.now)
        if not isinstance(kind, str) or kind not in KNOWN_TYPES:
            self.unknown[_name(kind)] += 1
            return []
        self.understood += 1
        agent = id_of(record.agentId) or self.agent_id or (INLINE if record.isSidechain is True else "")
        if agent.startswith(HELPERS):
            return []
        self._out = []
        place = Place(record, offset, when, agent, agent == self.agent_id)
        if kind == "assistant" or kind == "user":
            if record.message is not None:
                self._message(place, record.message)
        elif kind == "progress":
            if record.data is not None:
                self._nested(place, record.data)
        elif kind == "attachment":
            if record.attachment is not None:
                self._attachment(place, record.attachment)
        elif kind == "queue-operation":
            self._notices(place, raw_text(record.content))
        elif kind == "permission-mode":
            self.memory.record_mode(record.permissionMode)
        return self._out

    @property
    def undecided(self) -> bool:
        """Whether a call is open that may turn out to be a warm-up and then must never have been told of."""
        return self.memory.warming and bool(self._open)

    def forget(self) -> None:
        """Drop the open calls: they will be read again."""
        self._open.clear()

    def rest(self) -> Iterator[Event]:
        """What is still held when the transcript ends."""
        yield from (ToolCall(**held) for held in self._open.values())
        yield from self._early.values()
        self._open.clear()
        self._early.clear()

    # --- messages and calls

    def _message(self, place: Place, message: Message) -> None:
        kind = place.record.type
        user = kind == "user"
        if place.own and user:
            self.memory.record_mode(place.record.permissionMode)
        elif place.own and kind == "assistant" and message.model != "<synthetic>":
            self.memory.rejected = []
        if not isinstance(message.content, list):
            if user and message.content:
                self._prompt(place, message.content)
            return
        alone = len(message.content) == 1 or sum(map(_is_result, message.content)) == 1
        for index, block in enumerate(message.content):
            kind = block.type if isinstance(block.type, str) else ""
            if kind.endswith("tool_use"):
                self._call(place, message.model, block, index)
            elif kind.endswith("tool_result"):
                self._result(place, block, index, alone)
            elif user and kind == "text":
                self._prompt(place, raw_text(block.text))
            if kind not in KNOWN_BLOCKS:
                self.unknown[f"block:{_name(block.type)}"] += 1

    def _nested(self, outer: Place, data: Progress) -> None:
        """A subagent's record inside the parent's file: often the only copy there is (2.1.12 to 2.1.83)."""
        inner, agent = data.message, id_of(data.agentId) or INLINE
        if inner is None or inner.message is None or agent.startswith(HELPERS):
            return
        record = Record(
            type="nested",
            uuid=inner.uuid,
            sessionId=outer.record.sessionId,
            cwd=outer.record.cwd,
            gitBranch=outer.record.gitBranch,
            toolUseResult=inner.toolUseResult,
        )
        when = time_of(inner.timestamp, self.now) or outer.when
        self._message(Place(record, outer.offset, when, agent, False), inner.message)

    def _call(self, place: Place, model: object, block: Block, index: int) -> None:
        record, memory = place.record, self.memory
        session = self._session(record)
        call_id = self._key(session, block.id, record.uuid, place.offset, index)
        given = input_of(block.input)
        if call_id in self._seen:
            held = self._open.get(call_id)
            if held is not None and not held["input"]:
                held["input"] = given  # a partial copy came first
            return
        self._seen.add(call_id)
        memory.begun = True
        tool = str_of(block.name).strip() or "unknown"
        if tool in _POLLS:
            memory.ask(call_id, f"task:{id_of(given.get(_POLLS[tool]))}")
        elif place.own and tool in _PLANS:
            memory.ask(call_id, _PLANS[tool])
        held = {
            "agent": NAME,
            "session_id": session,
            "call_id": call_id,
            "tool": tool,
            "input": given,
            "position": place.offset + index,
            "timestamp": place.when,
            "cwd": str_of(record.cwd) or memory.cwd,
            "agent_id": place.agent,
            "mode": memory.mode if place.own else None,
            "mode_source": memory.mode_source if place.own else None,
            "model": str_of(model),
            "version": memory.version,
            "branch": str_of(record.gitBranch),
        }
        early = self._early.pop(call_id, None)
        if early is not None:
            self._join(held, early.result)
            return
        self._open[call_id] = held
        if len(self._open) > _MAX_OPEN:
            self._out.append(ToolCall(**self._open.pop(next(iter(self._open)))))

    # --- results

    def _result(self, place: Place, block: Block, index: int, alone: bool) -> None:
        session = self._session(place.record)
        source = place.record.sourceToolAssistantUUID
        if id_of(block.tool_use_id) in _UNUSABLE and not id_of(source):
            self.unknown["block:tool_result without id"] += 1
            return
        call_id = self._key(session, block.tool_use_id, source)
        said = place.record if alone else Record()  # of several results, which one the record speaks of is not told
        facts = facts_of(said.toolUseResult)
        position = place.offset + index
        result = self._made(said, facts, block, position, place.when, call_id)
        if asked := self.memory.asked.pop(call_id, ""):
            self._change_mode(asked, result)
        told = results.polled(facts, result.text, asked.removeprefix("task:") if asked.startswith("task:") else "")
        if told is not None and told.status != "running":
            self._notice(place, told)
        if place.own:
            self._watch_rejection(result, call_id, place.offset)
        held = self._open.pop(call_id, None)
        if held is not None:
            self._join(held, result)
        elif call_id in self._seen:
            self._out.append(LateResult(NAME, session, call_id, result))
        else:
            if call_id in self._early:
                self._out.append(self._early.pop(call_id))
            self._early[call_id] = LateResult(NAME, session, call_id, result)
            if len(self._early) > _MAX_EARLY:
                self._out.append(self._early.pop(next(iter(self._early))))

    def _made(
        self, record: Record, facts: Facts, block: Block, position: int, when: int | None, call_id: str
    ) -> ToolResult:
        text = results.whole_text(text_of(block.content), facts, self.path)
        flag = flag_of(block.is_error)
        if block.is_error is not None and not isinstance(block.is_error, bool):
            self.unknown[f"is_error:{type(block.is_error).__name__}"] += 1
        task = results.task_of(facts, text)
        status = results.status_of(record, facts, self.memory.was_blocked(call_id))
        return ToolResult(
            text=text,
            flag=True if results.error_block(block) else flag,
            status=status or ("running" if task else None),
            timestamp=when,
            note=results.note_of(facts),
            user_said=results.words_of(text) if flag else "",
            task_id=task,
            position=position,
        )

    def _join(self, held: dict[str, Any], result: ToolResult) -> None:
        if self.memory.warming and result.flag and result.text == _WARM_UP:
            self.warmups += 1
        else:
            self._out.append(ToolCall(**held, result=result))

    def _change_mode(self, asked: str, result: ToolResult) -> None:
        agreed = result.flag is not True and result.status is None
        if asked == "enter" and agreed:
            self.memory.enter(PLAN)
        elif asked == "exit" and agreed and "stay in plan mode" not in result.text[:200]:
            self.memory.leave(PLAN)

    # --- background tasks, attachments, prompts

    def _notices(self, place: Place, text: str) -> None:
        for told in results.notices(text):
            self._notice(place, told)

    def _notice(self, place: Place, told: results.Told) -> None:
        session = self._session(place.record)
        call_id = self._key(session, told.call_id) if told.call_id else ""
        mark = f"{(told.task_id or call_id)[:100]} {told.status}{' polled' if told.polled else ''}"
        if self.memory.first_told(mark):
            self._out.append(
                Notice(
                    agent=NAME,
                    session_id=session,
                    status=told.status,
                    task_id=told.task_id,
                    call_id=call_id,
                    exit_code=told.exit_code,
                    text=told.text,
                    timestamp=place.when,
                    position=place.offset,
                )
            )

    def _attachment(self, place: Place, attached: Attachment) -> None:
        """Only what the agent states about calls and modes; what hooks and reminders put in is no evidence."""
        kind = str_of(attached.type)
        if kind == "queued_command":
            self._prompt(place, text_of(attached.prompt))
        elif kind == "hook_blocking_error" or (kind == "hook_permission_decision" and attached.decision == "deny"):
            if "PreToolUse" in (attached.hookEvent, str_of(attached.hookName).partition(":")[0]):
                self.memory.block(self._key(self._session(place.record), attached.toolUseID))
        elif place.own and kind in _BEGINS:
            self.memory.enter(_BEGINS[kind])
        elif place.own and kind in _ENDS:
            self.memory.leave(_ENDS[kind])

    def _prompt(self, place: Place, text: str) -> None:
        self._notices(place, text)
        if not place.own:
            return
        if text.startswith("<system-reminder>") and "Plan mode is active" in text[:2000]:
            self.memory.enter(PLAN)
        record, words = place.record, text.strip()[: results.MAX_SAID]
        human = record.isMeta is not True and record.isCompactSummary is not True and record.promptSource != "system"
        if human and words and not words.startswith(_NOT_HUMAN):
            self.memory.warming = words == _WARM_UP and not self.memory.begun
            self.memory.begun = True
            if self.memory.rejected:
                self._explain(place, words)

    # --- a human's words after a silent rejection

    def _watch_rejection(self, result: ToolResult, call_id: str, offset: int) -> None:
        if result.flag is not True or result.user_said or not results.is_rejection(result):
            self.memory.rejected = []
        elif not self.memory.rejected:
            self.memory.rejected = [offset, call_id]

    def _explain(self, place: Place, words: str) -> None:
        """The agent stops at a rejection and waits to be told what to do: the very next prompt is the reason."""
        offset, call_id = self.memory.rejected
        self.memory.rejected = []
        result = self._reread(offset, call_id)
        if result is not None:
            result = replace(result, user_said=words)
            self._out.append(LateResult(NAME, self._session(place.record), call_id, result))

    def _reread(self, offset: int, call_id: str) -> ToolResult | None:
        """The result for a call in the record at ``offset``, read again so that no text need be remembered."""
        try:
            with open(self.path, "rb") as stream:
                stream.seek(offset)
                line = next(lines(stream, offset, 0, False), None)
        except OSError:
            return None
        record = parse(line.data) if line is not None else ""
        if isinstance(record, str) or record.message is None or not isinstance(record.message.content, list):
            return None
        when = time_of(record.timestamp, self.now)
        for index, block in enumerate(record.message.content):
            if _is_result(block) and self._key(self._session(record), block.tool_use_id) == call_id:
                return self._made(record, facts_of(record.toolUseResult), block, offset + index, when, call_id)
        return None

    # --- identities

    def _session(self, record: Record) -> str:
        return id_of(record.sessionId) or self.memory.session or self.session

    def _key(self, session: str, raw: object, uuid: object = None, offset: int = 0, index: int = 0) -> str:
        """A call's identity. Providers' ids are unique everywhere; those of proxies and local models only inside a
        session; without one the record that made the call names it."""
        call_id = id_of(raw)
        if call_id not in _UNUSABLE:
            return scoped(session, call_id)
        origin = f"{session}\x1f{id_of(uuid) or offset}\x1f{index}"
        return "h" + hashlib.sha256(origin.encode()).hexdigest()[:32]


def _is_result(block: Block) -> bool:
    return isinstance(block.type, str) and block.type.endswith("tool_result")


def _name(value: object) -> str:
    return re.sub(r"[^\w.:-]", "_", value)[:40] if isinstance(value, str) and value else "none"
