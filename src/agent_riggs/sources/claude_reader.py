"""From Claude Code's records to calls, results and notices."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from agent_riggs.model import Event, LateResult, Notice, ToolCall, ToolResult, Transcript
from agent_riggs.sources import claude_results as results
from agent_riggs.sources.claude_records import (
    KNOWN_BLOCKS,
    KNOWN_TYPES,
    Block,
    Facts,
    Message,
    Nested,
    Record,
    facts_of,
    parse,
    raw_text,
)
from agent_riggs.sources.claude_state import PLAN, Memory
from agent_riggs.sources.decode import flag_of, id_of, input_of, str_of, text_of, time_of
from agent_riggs.sources.lines import lines

NAME: Final = "claude_code"

HELPERS: Final = ("acompact", "aside_question")
"""Subagents that log the main conversation again or answer a side question: nothing of theirs counts."""

INLINE: Final = "sidechain"
"""Agent id of subagent records that stand in the main file without one (1.x)."""

_MAX_OPEN: Final = 512
_MAX_EARLY: Final = 64
_UNIQUE: Final = re.compile(r"(?:toolu|srvtoolu|mcptoolu|tooluse|call|chatcmpl-tool)[_-][A-Za-z0-9_-]{16,}")
_UNUSABLE: Final = frozenset({"", "REDACTED"})
_POLLS: Final = {"TaskOutput": "task_id", "BashOutput": "bash_id", "AgentOutputTool": "agentId"}
_PLANS: Final = {"EnterPlanMode": "enter", "ExitPlanMode": "exit"}
_BEGINS: Final = {"plan_mode": PLAN, "plan_mode_reentry": PLAN, "auto_mode": "auto"}
_ENDS: Final = {"plan_mode_exit": PLAN, "auto_mode_exit": "auto"}
_NOT_HUMAN: Final = ("<", "[Request interrupted", "Caveat: ")


class Reader:
    """Takes records in file order. Holds the calls whose result has not come yet, and a bounded number of those."""

    def __init__(self, transcript: Transcript, memory: Memory, session: str, agent_id: str, now: int) -> None:
        self.transcript = transcript
        self.memory = memory
        self.session = session
        """Session of records that name none."""
        self.agent_id = agent_id
        """The subagent whose file this is; empty for a main file."""
        self.now = now
        self.unknown: Counter[str] = Counter()
        self.understood = 0
        self.warmups = 0
        self._open: dict[str, ToolCall] = {}
        self._early: dict[str, LateResult] = {}
        self._seen: set[str] = set()
        self._told: set[tuple[str, str, bool]] = set()

    def take(self, record: Record, offset: int) -> Iterator[Event]:
        """The events of one record that begins at byte ``offset``."""
        kind = record.type
        when = self.memory.meet(record, self.transcript.path.stem, self.now)
        if isinstance(kind, str) and kind in KNOWN_TYPES:
            self.understood += 1
        else:
            self.unknown[_name(kind)] += 1
            return
        agent = id_of(record.agentId) or self.agent_id or (INLINE if record.isSidechain is True else "")
        if agent.startswith(HELPERS):
            return
        if kind == "assistant" or kind == "user":
            if record.message is not None:
                yield from self._message(record, record.message, offset, when, agent)
        elif kind == "progress":
            if record.data is not None and record.data.message is not None:
                yield from self._nested(record, record.data.message, id_of(record.data.agentId), offset, when)
        elif kind == "attachment":
            yield from self._attachment(record, offset, when, agent)
        elif kind == "queue-operation":
            yield from self._notices(raw_text(record.content), record, offset, when)
        elif kind == "permission-mode":
            self.memory.record_mode(record.permissionMode)

    def rest(self) -> Iterator[Event]:
        """What is still held when the transcript ends."""
        yield from self._open.values()
        yield from self._early.values()
        self._open.clear()
        self._early.clear()

    # --- messages

    def _message(self, record: Record, message: Message, offset: int, when: int | None, agent: str) -> Iterator[Event]:
        user = record.type == "user"
        content = message.content
        if user and self._is_own(agent):
            self.memory.record_mode(record.permissionMode)
        elif record.type == "assistant" and self._is_own(agent) and message.model != "<synthetic>":
            self.memory.rejected = []
        if isinstance(content, str):
            if user:
                yield from self._prompt(content, record, offset, when, agent)
            return
        blocks = content or []
        alone = sum(_is_result(block) for block in blocks) == 1
        for index, block in enumerate(blocks):
            kind = block.type if isinstance(block.type, str) else ""
            if kind.endswith("tool_use"):
                yield from self._call(record, message, block, offset, index, when, agent)
            elif kind.endswith("tool_result"):
                yield from self._result(record, block, offset, index, when, alone, agent)
            elif user and kind == "text":
                yield from self._prompt(raw_text(block.text), record, offset + index, when, agent)
            if kind not in KNOWN_BLOCKS:
                self.unknown[f"block:{_name(block.type)}"] += 1

    def _nested(self, outer: Record, inner: Nested, agent: str, offset: int, when: int | None) -> Iterator[Event]:
        """A subagent's record inside the parent's file: often the only copy there is (2.1.12 to 2.1.83)."""
        if inner.message is None or not isinstance(inner.message.content, list) or agent.startswith(HELPERS):
            return
        record = Record(
            type="nested",
            uuid=inner.uuid,
            sessionId=outer.sessionId,
            cwd=outer.cwd,
            gitBranch=outer.gitBranch,
            toolUseResult=inner.toolUseResult,
        )
        moment = time_of(inner.timestamp, self.now) or when
        yield from self._message(record, inner.message, offset, moment, agent or INLINE)

    def _call(
        self, record: Record, message: Message, block: Block, offset: int, index: int, when: int | None, agent: str
    ) -> Iterator[Event]:
        session = self._session(record)
        call_id = self._key(session, block.id, record.uuid, offset, index)
        tool = str_of(block.name).strip() or "unknown"
        given = input_of(block.input)
        if call_id in self._seen:
            held = self._open.get(call_id)
            if held is not None and not held.input and given:
                self._open[call_id] = replace(held, input=given)
            return
        self._seen.add(call_id)
        own = self._is_own(agent)
        memory = self.memory
        if tool in _POLLS:
            memory.ask(call_id, f"task:{id_of(given.get(_POLLS[tool]))}")
        elif own and tool in _PLANS:
            memory.ask(call_id, _PLANS[tool])
        call = ToolCall(
            agent=NAME,
            session_id=session,
            call_id=call_id,
            tool=tool,
            input=given,
            position=offset + index,
            timestamp=when,
            cwd=str_of(record.cwd) or memory.cwd,
            agent_id=agent,
            mode=memory.mode if own else None,
            mode_source=memory.mode_source if own else None,
            model=str_of(message.model),
            version=memory.version,
            branch=str_of(record.gitBranch),
        )
        early = self._early.pop(call_id, None)
        if early is not None:
            yield from self._join(call, early.result)
            return
        self._open[call_id] = call
        if len(self._open) > _MAX_OPEN:
            yield self._open.pop(next(iter(self._open)))

    # --- results

    def _result(
        self, record: Record, block: Block, offset: int, index: int, when: int | None, alone: bool, agent: str
    ) -> Iterator[Event]:
        session = self._session(record)
        source = record.sourceToolAssistantUUID
        if id_of(block.tool_use_id) in _UNUSABLE and not id_of(source):
            self.unknown["block:tool_result without id"] += 1
            return
        call_id = self._key(session, block.tool_use_id, source)
        said = record if alone else Record()
        facts = facts_of(said.toolUseResult)
        result = self._made(said, facts, block, offset + index, when, call_id)
        asked = self.memory.asked.pop(call_id, "")
        yield from self._learn(facts, result, asked, offset + index, when, session)
        if self._is_own(agent):
            self._watch_rejection(result, call_id, offset)
        call = self._open.pop(call_id, None)
        if call is not None:
            yield from self._join(call, result)
        elif call_id in self._seen:
            yield LateResult(NAME, session, call_id, result)
        else:
            self._early[call_id] = LateResult(NAME, session, call_id, result)
            if len(self._early) > _MAX_EARLY:
                yield self._early.pop(next(iter(self._early)))

    def _made(
        self, record: Record, facts: Facts, block: Block, position: int, when: int | None, call_id: str
    ) -> ToolResult:
        """The result in a block; ``record`` is empty when what it says cannot be told to belong to this block."""
        folder = self.transcript.path.parent / self.transcript.path.stem
        if "subagents" in self.transcript.path.parts:
            folder = next(parent.parent for parent in self.transcript.path.parents if parent.name == "subagents")
        text = results.whole_text(text_of(block.content), facts, folder)
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

    def _join(self, call: ToolCall, result: ToolResult) -> Iterator[Event]:
        if result.text == "Warmup" and result.flag:
            self.warmups += 1
        else:
            yield replace(call, result=result)

    def _learn(
        self, facts: Facts, result: ToolResult, asked: str, position: int, when: int | None, session: str
    ) -> Iterator[Event]:
        """What a result tells beside itself: a mode begun or ended, a background task's outcome."""
        agreed = result.flag is not True and result.status is None
        if asked == "enter" and agreed:
            self.memory.enter(PLAN)
        elif asked == "exit" and agreed and "stay in plan mode" not in result.text[:200]:
            self.memory.leave(PLAN)
        told = results.polled(facts, result.text, asked.removeprefix("task:") if asked.startswith("task:") else "")
        if told is not None and told.status != "running":
            yield from self._notice(told, session, position, when)

    # --- background tasks and prompts

    def _notices(self, text: str, record: Record, position: int, when: int | None) -> Iterator[Event]:
        for told in results.notices(text):
            yield from self._notice(told, self._session(record), position, when)

    def _notice(self, told: results.Told, session: str, position: int, when: int | None) -> Iterator[Event]:
        call_id = self._key(session, told.call_id) if told.call_id else ""
        mark = (told.task_id or call_id, told.status, bool(call_id))
        if mark not in self._told:
            self._told.add(mark)
            yield Notice(NAME, session, told.status, told.task_id, call_id, told.exit_code, told.text, when, position)

    def _attachment(self, record: Record, offset: int, when: int | None, agent: str) -> Iterator[Event]:
        """Only what the agent states about calls and modes; what hooks and reminders put in is no evidence."""
        attached = record.attachment
        if attached is None:
            return
        kind = str_of(attached.type)
        if kind == "queued_command":
            yield from self._prompt(text_of(attached.prompt), record, offset, when, agent)
        elif kind == "hook_blocking_error" or (kind == "hook_permission_decision" and attached.decision == "deny"):
            if "PreToolUse" in (attached.hookEvent, str_of(attached.hookName).partition(":")[0]):
                self.memory.block(self._key(self._session(record), attached.toolUseID))
        elif self._is_own(agent):
            if kind in _BEGINS:
                self.memory.enter(_BEGINS[kind])
            elif kind in _ENDS:
                self.memory.leave(_ENDS[kind])

    def _prompt(self, text: str, record: Record, position: int, when: int | None, agent: str) -> Iterator[Event]:
        yield from self._notices(text, record, position, when)
        if not self._is_own(agent):
            return
        if text.startswith("<system-reminder>") and "Plan mode is active" in text[:2000]:
            self.memory.enter(PLAN)
        human = record.isMeta is not True and record.isCompactSummary is not True and record.promptSource != "system"
        if human and text.strip() and not text.lstrip().startswith(_NOT_HUMAN):
            yield from self._reason(text.strip()[: results.MAX_SAID], self._session(record), position)

    # --- a human's words after a silent rejection

    def _watch_rejection(self, result: ToolResult, call_id: str, offset: int) -> None:
        silent = result.flag is True and results.is_rejection(result) and not result.user_said
        if not silent:
            self.memory.rejected = []
        elif not self.memory.rejected:
            self.memory.rejected = [offset, call_id]

    def _reason(self, words: str, session: str, position: int) -> Iterator[Event]:
        """The agent stops at a rejection and waits to be told what to do: the very next prompt is the reason."""
        if not self.memory.rejected:
            return
        offset, call_id = self.memory.rejected
        self.memory.rejected = []
        result = self._reread(offset, call_id)
        if result is not None:
            yield LateResult(NAME, session, call_id, replace(result, user_said=words, position=position))

    def _reread(self, offset: int, call_id: str) -> ToolResult | None:
        """The result for a call in the record at ``offset``, read again so that no text need be remembered."""
        try:
            with open(self.transcript.path, "rb") as stream:
                stream.seek(offset)
                line = next(lines(stream, offset, 0, False), None)
        except OSError:
            return None
        record = parse(line.data) if line is not None else ""
        if isinstance(record, str) or record.message is None or not isinstance(record.message.content, list):
            return None
        when = time_of(record.timestamp, self.now)
        for block in record.message.content:
            if _is_result(block) and self._key(self._session(record), block.tool_use_id) == call_id:
                return self._made(record, facts_of(record.toolUseResult), block, offset, when, call_id)
        return None

    # --- identities

    def _is_own(self, agent: str) -> bool:
        return agent == self.agent_id

    def _session(self, record: Record) -> str:
        return id_of(record.sessionId) or self.memory.session or self.session

    def _key(self, session: str, raw: object, uuid: object = None, offset: int = 0, index: int = 0) -> str:
        """A call's identity. Providers' ids are unique everywhere; those of proxies and local models only inside a
        session; without one the record that made the call names it."""
        call_id = id_of(raw)
        if call_id not in _UNUSABLE:
            return call_id if _UNIQUE.fullmatch(call_id) else f"{session}:{call_id}"
        origin = f"{session}\x1f{id_of(uuid) or offset}\x1f{index}"
        return "h" + hashlib.sha256(origin.encode()).hexdigest()[:32]


def _is_result(block: Block) -> bool:
    return isinstance(block.type, str) and block.type.endswith("tool_result")


def _name(value: object) -> str:
    return re.sub(r"[^\w.:-]", "_", value)[:40] if isinstance(value, str) and value else "none"
