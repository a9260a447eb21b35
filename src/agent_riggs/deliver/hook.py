"""``riggs-hook``: reads one hook event on stdin and answers with what is known about the failure, or with nothing.

Always exits 0, never decides about a permission, never writes to stderr. What costs time is imported only once the
recall index has something for the tool at hand; outcome and key then come from the very functions ingest uses.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from agent_riggs.calls import ToolCall
    from agent_riggs.deliver.hosts import Call, Event
    from agent_riggs.deliver.quick import Kept
    from agent_riggs.deliver.recall import Ratchet

OFF_SWITCH = "AGENT_RIGGS_HOOK"
"""Set to ``off``, ``0``, ``no`` or ``false``: the hook reads its input and says nothing."""
MAX_INPUT = 16 * 1024 * 1024
"""Bytes of input that are kept; the rest is read and dropped, so that the agent never meets a closed pipe."""
BUDGET = 2.0
"""Seconds of processor time after which the hook falls silent. A busy machine alone does not silence it."""
PATIENCE = 5.0
"""Seconds without any input after which a writer that promised some (its pipe is open, and not to be waited for) is
given up: as long as agents wait for the hook."""
MAX_CALLS = 32
"""Calls of one event that are looked at: ``spool.TOGETHER`` of them are told of."""
MAX_COMMANDS = 100
"""Commands of one shell line that are looked at before it is run."""
BRIEF = "brief.txt"
"""File in the project's state folder with the text for a session's start."""
MAX_BRIEF = 600
MAX_STATE = 1_000_000
"""Bytes of kibitzer's state that are read."""
ERRORS = "hook-errors.log"
MAX_ERRORS = 64 * 1024


def main() -> None:
    """Entry point of the program. Does not return: a flush at the interpreter's end could fail and change the code."""
    try:
        off = os.environ.get(OFF_SWITCH, "").strip().lower() in ("off", "0", "no", "false")
        data = _drain(0)
        quicker: list[Kept] = []
        text = ""
        if not off:
            _limit_time()
            text = answer(data, os.environ, brief="--brief" in sys.argv, judging=lambda: _begin_judging(quicker))
        if text:
            os.write(1, text.encode("ascii"))
        for patterns in quicker:
            patterns.save()
    except BaseException as error:  # noqa: BLE001 (whatever goes wrong here must not reach the agent)
        _note(error)
    os._exit(0)


def answer(
    data: bytes,
    environ: Mapping[str, str],
    now: int | None = None,
    brief: bool = False,
    judging: Callable[[], None] = lambda: None,
) -> str:
    """What goes to stdout for one event: ASCII JSON in the host's own form, or nothing.

    ``now`` in microseconds since 1970 UTC, read from the clock when it is needed and not given. ``brief``: whether a
    session's start is to be told how things stand. ``judging`` is called before the part that may take time. May raise
    anything: the caller is silent then.
    """
    from agent_riggs.deliver import glance, hosts

    if len(data) > MAX_INPUT or not data.strip():
        return ""
    event = hosts.read(_parse(data.decode("utf-8", "replace")), environ)
    if event is None:
        return ""
    place = _place(event.folder, environ)
    if place is None:
        return ""
    state, key, root = place
    if event.moment == hosts.END:
        from agent_riggs.deliver import ending

        ending.session_ended(event.host, event.name, state, root, environ)
        return ""
    if event.moment == hosts.START:
        return _brief(event, state, root) if brief else ""
    index = os.path.join(state, glance.FILE_NAME)
    found = glance.read(index, key)
    before = event.moment == hosts.BEFORE
    event.calls = [
        call
        for call in event.calls[:MAX_CALLS]
        if found and glance.may_speak(found, call.tool, before, call.said()) and not hosts.went_well(event, call)
    ]
    if not event.calls:
        return ""
    judging()
    return _advise(event, found, state, key, root, now)


def to_tool_call(event: Event, call: Call) -> ToolCall:
    """The call as ingest would read it from the transcript."""
    from agent_riggs.calls import ToolCall, ToolResult
    from agent_riggs.deliver import hosts

    if event.host == "codex" and call.exit_code is None:
        call.exit_code = hosts.exit_code_in(event.transcript, call.call_id)
    result = ToolResult(call.text, call.flag, call.status, call.exit_code)  # type: ignore[arg-type]
    return ToolCall(event.host, event.session, call.call_id, call.tool, call.input, result=result)


def _advise(event: Event, index: bytes, state: str, key: str, root: str, now: int | None) -> str:
    import json
    import time

    from agent_riggs.deliver import advice, hosts, spool
    from agent_riggs.judge.redact import redact

    session = redact(event.session)  # as ingest stores it
    moment = now if now is not None else time.time_ns() // 1000
    mode = _mode(event, root)
    found = [(call, *_ratchet(event, call, index, key, mode)) for call in event.calls]
    # Judged first, claimed after: a hook that runs out of time has claimed nothing that it did not say.
    told: list[str] = []
    for call, ratchet, fingerprint in found:
        if ratchet is None:
            continue
        named = redact(_identity(call))
        wanted = spool.Claim(session, named, ratchet.key, event.moment, event.host, moment, fingerprint)
        wanted.held = spool.is_held_out(session, ratchet.key, ratchet.hold_out)
        if spool.claim(state, wanted):
            told.append(advice.advice(ratchet, event.moment))
    return json.dumps(hosts.encode(event, "\n".join(told))) if told else ""


def _ratchet(event: Event, call: Call, index: bytes, key: str, mode: str | None) -> tuple[Ratchet | None, str]:
    """The ratchet that speaks about a call, and the failure's fingerprint."""
    from agent_riggs.deliver import hosts, recall

    if event.moment == hosts.BEFORE:
        found = _before(call, index, key)
        return found, (found.fingerprint or "") if found else ""
    from agent_riggs.judge.verdict import judge

    verdict = judge(to_tool_call(event, call))
    return recall.match(index, key, verdict, mode), verdict.fingerprint or ""


def _before(call: Call, index: bytes, key: str) -> Ratchet | None:
    from agent_riggs.deliver import recall
    from agent_riggs.judge import canonical, shell
    from agent_riggs.judge.digests import shell_line

    commands = shell.parse(shell_line(call.tool, call.input) or "").commands[:MAX_COMMANDS]
    return recall.match_before(index, key, canonical(call.tool), [recall.call_words(command) for command in commands])


def _identity(call: Call) -> str:
    """What tells one call from another: its id, or where the host gives it only a time, that and what it asked."""
    if not call.call_id.startswith("at-"):
        return call.call_id
    import json

    from agent_riggs.hashing import sha256

    asked = json.dumps(call.input, sort_keys=True, default=str)
    return call.call_id + "-" + sha256(asked.encode("utf-8", "replace"))[:16]


def _place(folder: str, environ: Mapping[str, str]) -> tuple[str, str, str] | None:
    """State folder, project key and project root for a working folder, exactly as ``paths`` finds them."""
    from agent_riggs import folders

    here = folders.native(folder) if folder else os.getcwd()
    home = folders.state_of(environ, sys.platform)
    if here is None or home is None:
        return None
    root = folders.root_of(here)
    key = folders.key_of(root)
    return os.path.join(home, key), key, root


def _mode(event: Event, root: str) -> str | None:
    """The mode in force: kibitzer's where the project has one, else the agent's own."""
    from agent_riggs import folders

    for folder in dict.fromkeys((event.folder, root)):
        data = folders.small_file(os.path.join(folder, ".kibitzer", "state.json"), MAX_STATE)
        try:
            state = _parse(data.decode("utf-8", "replace")) if data else None
        except (ValueError, RecursionError):
            continue
        mode = state.get("mode") if isinstance(state, dict) else None
        if isinstance(mode, str) and mode:
            return mode
    return event.mode or None


def _brief(event: Event, state: str, root: str) -> str:
    """What the last ingest wrote down for the start of a session. The first time there is nothing yet: the empty file
    left here asks for it."""
    from agent_riggs import folders

    path = os.path.join(state, BRIEF)
    if not os.path.lexists(path):
        if os.path.isfile(os.path.join(root, ".riggs", "store.duckdb")):
            folders.make(state)
            os.close(os.open(path, os.O_WRONLY | os.O_CREAT, 0o600))
        return ""
    data = folders.small_file(path, 4 * MAX_BRIEF, private=True)
    if not data or not data.strip():
        return ""
    import json

    from agent_riggs.deliver import advice, hosts

    lines = data.decode("utf-8", "replace")[:MAX_BRIEF].split("\n")
    text = "\n".join(advice.plain(line) for line in lines).strip()
    return json.dumps(hosts.encode(event, text))


def _parse(text: str) -> Any:
    """``json.loads`` by the interpreter's own scanner: importing ``json`` compiles regular expressions, which takes
    longer than all the rest of a silent run. Raises ``ValueError`` for what is no JSON."""
    text = text.lstrip("\ufeff").strip(" \t\n\r")
    try:
        from _json import make_scanner

        value, end = make_scanner(_Options)(text, 0)  # type: ignore[arg-type]
        if end == len(text):
            return value
    except (ImportError, AttributeError, TypeError, ValueError, StopIteration, SystemError):
        pass  # another interpreter, or no JSON: json says which (the scanner alone cannot raise json's own error)
    import json

    return json.loads(text)


class _Options:
    """What the scanner wants to know; ``json.JSONDecoder`` with these values."""

    strict = False
    object_hook = None
    object_pairs_hook = None
    parse_float = float
    parse_int = int
    parse_constant = float


def _drain(descriptor: int) -> bytes:
    """All of stdin, so that the writer never sees a broken pipe. Nothing when it is closed."""
    chunks: list[bytes] = []
    kept = 0
    try:
        while True:
            try:
                chunk = os.read(descriptor, 1 << 20)
            except BlockingIOError:
                if _is_waited_for(descriptor):
                    continue
                return b""
            if not chunk:
                break
            if kept <= MAX_INPUT:
                chunks.append(chunk)
                kept += len(chunk)
    except OSError:
        return b""
    return b"".join(chunks)


def _is_waited_for(descriptor: int) -> bool:
    """Whether more has come on a descriptor that somebody has set not to block."""
    import select

    return bool(select.select([descriptor], [], [], PATIENCE)[0])


def _begin_judging(quicker: list[Kept]) -> None:
    from agent_riggs import folders
    from agent_riggs.deliver import quick

    home = folders.state_of(os.environ, sys.platform)
    if home is not None:
        quicker.append(quick.start(home))


def _limit_time() -> None:
    """End the process in silence once the budget is used up. Works on the main thread of systems with timers only.

    ``signal`` itself makes enums of all it has, which takes longer than a look-up.
    """
    try:
        import _signal as timers  # type: ignore[import-not-found]
    except ImportError:
        import signal as timers
    if not hasattr(timers, "setitimer"):
        return
    try:
        timers.signal(timers.SIGPROF, _give_up)
        timers.setitimer(timers.ITIMER_PROF, BUDGET)
    except ValueError:
        return


def _give_up(number: int, frame: object) -> None:
    _note(TimeoutError())
    os._exit(0)


def _note(error: BaseException) -> None:
    """One line in the user's state folder: what went wrong and where, nothing of the payload."""
    try:
        from agent_riggs import folders

        home = folders.state_of(os.environ, sys.platform)
        path = os.path.join(home, ERRORS) if home else ""
        if not path or (os.path.lexists(path) and not (os.path.isfile(path) and os.path.getsize(path) <= MAX_ERRORS)):
            return
        folders.make(home or "")
        frame = error.__traceback__
        while frame is not None and frame.tb_next is not None:
            frame = frame.tb_next
        where = f"{os.path.basename(frame.tb_frame.f_code.co_filename)}:{frame.tb_lineno}" if frame else "?"
        import time

        line = f"{time.strftime('%Y-%m-%dT%H:%M:%SZ', time.gmtime())} {type(error).__name__} {where}\n"
        with open(path, "a", encoding="utf-8", opener=lambda name, flags: os.open(name, flags, 0o600)) as file:
            file.write(line)
    except BaseException:  # noqa: BLE001 (there is nobody left to tell)
        return
