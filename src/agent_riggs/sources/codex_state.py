"""What is in force at one point of a Codex rollout: session, mode, open calls. JSON-able, free of transcript text."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any, Final

from agent_riggs.model import LateResult, Notice, Status, ToolCall, ToolResult
from agent_riggs.sources import ids

AGENT: Final = "codex"
_UUID7: Final = re.compile(r"\A([0-9a-f]{8})-([0-9a-f]{4})-7[0-9a-f]{3}-")
_NAME: Final = re.compile(r"([0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})(?=\.jsonl)")
_REPLAY_BURST: Final = 1_000_000


@dataclass(slots=True)
class State:
    """What is in force at one point of a rollout."""

    session: str = ""
    """Id of the rollout itself: from the first ``session_meta``, else from the file name."""
    parent: str = ""
    """The session that started this one as a subagent."""
    replay: str = ""
    """While the lines of a forked session's parent are repeated: the parent's id."""
    turned: bool = False
    """Whether a turn's id was seen since the replay began: then only such ids end it."""
    began: int | None = None
    started: int | None = None
    ended: int | None = None
    cwd: str = ""
    mode: str | None = None
    model: str = ""
    version: str = ""
    branch: str = ""
    open: dict[str, str] = field(default_factory=dict)
    """Calls without a result yet: id to raw tool name."""
    facts: dict[str, list[Any]] = field(default_factory=dict)
    """Exit code and status told by an end event before the output came."""
    scripts: dict[str, int] = field(default_factory=dict)
    """Open ``exec`` scripts: id to the number of their calls whose end was seen."""
    commands: dict[str, str] = field(default_factory=dict)
    """Open scripts that run one command known from their text: id to the command's hash."""
    silent: dict[str, bool] = field(default_factory=dict)
    """Open scripts and running tasks of which only an exit code would tell the outcome."""
    tasks: dict[str, str] = field(default_factory=dict)
    """Commands still running after their call returned: task id to call id."""
    polls: dict[str, str] = field(default_factory=dict)
    """Open calls that ask after a running task: call id to task id."""
    weak: dict[str, int] = field(default_factory=dict)
    """How often a provider's id that is unique only inside the session was used."""

    def dump(self) -> dict[str, Any]:
        """For the cursor."""
        return asdict(self)

    @property
    def told(self) -> Mapping[str, Any]:
        """For ``ReadEnd``."""
        versions = (self.version,) if self.version else ()
        return {"session_id": self.parent or self.session, "versions": versions, **self._times()}

    def _times(self) -> dict[str, int | None]:
        return {"started": self.started, "ended": self.ended}


def load(name: str, saved: Mapping[str, Any]) -> State:
    """The state an earlier reading left, or the one at the beginning of the file ``name``."""
    known = {f.name for f in fields(State)}
    values: dict[str, Any] = {k: dict(v) if isinstance(v, dict) else v for k, v in saved.items() if k in known}
    return State(**values) if values else State(session=session_in_name(name))


def session_in_name(name: str) -> str:
    """The id a rollout's file name ends with: it holds even when the first line is damaged."""
    found = _NAME.search(name)
    return found[1] if found else name.split(".")[0]


def session_of(state: State) -> str:
    """The session a call counts for: the replayed parent, the session that spawned this one, or the rollout."""
    return state.replay or state.parent or state.session


def leave_replay(state: State, payload: Mapping[str, Any], when: int | None) -> None:
    """A fork first repeats its parent: until a turn begins that is younger than the fork, or the burst ends."""
    if not state.replay:
        return
    turn, own = _uuid_ms(payload.get("turn_id")), _uuid_ms(state.session)
    if turn is not None and own is not None:
        state.turned = True
        if turn >= own:
            state.replay = ""
    elif not state.turned and when is not None and state.began and when - state.began > _REPLAY_BURST:
        state.replay = ""


def _uuid_ms(value: object) -> int | None:
    """Milliseconds in a version 7 UUID, which Codex gives to sessions and turns."""
    found = _UUID7.match(value) if isinstance(value, str) else None
    return int(found[1] + found[2], 16) if found else None


def call_id(state: State, payload: Mapping[str, Any], at: int, *, new: bool = False) -> str:
    """Identity of a call: the provider's id, with the session before it when it is unique only inside one."""
    raw = payload.get("call_id") or payload.get("id")
    session = state.replay or state.session
    if not isinstance(raw, str) or not raw:
        return f"{session}/{at}"
    if ids.is_unique(raw):
        return raw
    key = f"{session}/{raw}"
    if new and len(state.weak) < 20_000:
        state.weak[key] = state.weak.get(key, 0) + 1
    count = state.weak.get(key, 1)
    return key if count == 1 else f"{key}#{count}"


def tool_call(
    state: State,
    key: str,
    tool: str,
    given: dict[str, Any],
    when: int | None,
    at: int,
    result: ToolResult | None = None,
) -> ToolCall:
    """A call made now, with everything in force."""
    return ToolCall(
        agent=AGENT,
        session_id=session_of(state),
        call_id=key,
        tool=tool,
        input=given,
        position=at,
        timestamp=when,
        cwd=state.cwd,
        agent_id=state.session if state.parent and not state.replay else "",
        mode=state.mode,
        mode_source="recorded" if state.mode else None,
        model=state.model,
        version=state.version,
        branch=state.branch,
        result=result,
    )


def late(state: State, key: str, result: ToolResult) -> LateResult:
    """The result of a call made earlier."""
    return LateResult(AGENT, session_of(state), key, result)


def notice(
    state: State, task: str, key: str, code: int | None, status: Status | None, text: str, when: int | None, at: int
) -> Notice:
    """How a command that was left running ended."""
    told: Status = status or ("ok" if not code else "error")
    return Notice(AGENT, session_of(state), told, task, key, code, text, when, at)
