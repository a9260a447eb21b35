"""Whatever comes in, and however it is cut: the hook's process ends with 0, says nothing on stderr, and what it says on
stdout is what that agent takes. Payloads of the genuine clients, mangled."""

from __future__ import annotations

import json
import os
import random
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agent_riggs.deliver import advice, hook, hosts, spool
from deliver import events
from deliver.events import FIX, Place, told
from deliver.test_hosts import ENVIRON, PAYLOADS

TIMES = 1000
"""Payloads for each agent."""
ODD: tuple[Any, ...] = (
    *(
        None,
        True,
        False,
        0,
        -1,
        1e308,
        10**30,
        "",
        "x",
        "\x00",
        "\ud800",
        "a\nb",
        "é🚀",
        [],
        {},
        [[]],
        [{}],
        {"a": [1]},
    ),
    *({"command": 3}, {"command": None}, {"command": ["bash", "-lc", "x"]}, [{"text": 5}], {"message": []}),
    *("../../etc/passwd", "rollout-x.jsonl", "/dev/null", "PostToolBatch", "PreToolUse", "SessionStart", "Stop"),
)
"""Values no agent sends where they are put."""


@dataclass(frozen=True)
class Said:
    """How one process of the hook ended."""

    code: int
    out: bytes
    err: bytes


@pytest.mark.parametrize("source", sorted(hosts.TESTED))
def test_a_thousand_random_and_truncated_payloads(here: Place, source: str) -> None:
    payloads = known(here, source)
    environ = {**here.environ, **ENVIRON.get(source, {})}
    answered: list[bool] = []

    @settings(max_examples=TIMES, deadline=None, suppress_health_check=list(HealthCheck))
    @given(st.integers(0, 2**64 - 1))
    def check(seed: int) -> None:
        chance = random.Random(seed)
        body = mangled({**chance.choice(payloads), _SESSION[source]: f"s{seed}"}, chance)
        said = process(body, environ)
        assert (said.code, said.err) == (0, b""), body
        assert_valid(source, body, said.out.decode("ascii"))
        answered.append(bool(said.out))

    check()
    assert len(answered) >= TIMES
    assert sum(answered) > TIMES // 10, "nearly nothing was answered: the form was looked at too rarely"


@pytest.mark.parametrize("source", sorted(hosts.TESTED))
def test_every_form_of_an_agent_is_answered_when_it_is_whole(here: Place, source: str) -> None:
    answers = []
    for number, payload in enumerate(known(here, source)):
        body = json.dumps({**payload, _SESSION[source]: f"s{number}"}).encode()
        out = process(body, {**here.environ, **ENVIRON.get(source, {})}).out.decode("ascii")
        assert_valid(source, body, out)
        answers += [out] if FIX in out else []
    assert len(answers) >= 2, "a failed command and a tool that failed otherwise"


@pytest.mark.parametrize(
    "text",
    [
        '{"additionalContext": "x", "permissionDecision": "allow"}',
        '{"hookSpecificOutput": {"hookEventName": "Stop", "additionalContext": "x"}}',
        '{"hookSpecificOutput": {"hookEventName": "PostToolUse", "additionalContext": "x"}, "note": 1}',
        '{"hookSpecificOutput": {"hookEventName": "PostToolUse", "additionalContext": 3}}',
        '{"hookSpecificOutput": {"hookEventName": "PostToolUse", "additionalContext": "%s"}}' % ("x" * 601),
        '{"hookSpecificOutput": {"hookEventName": "PostToolUse", "permissionDecision": "deny"}}',
        '{"decision": "block", "reason": "x"}',
        "[]",
        "x",
    ],
)
def test_an_answer_in_another_form_would_be_seen(text: str) -> None:
    body = json.dumps(events.codex_result()).encode()
    with pytest.raises((AssertionError, ValueError)):
        assert_valid("codex", body, text)


# --- what goes in


_SESSION: Mapping[str, str] = dict.fromkeys(hosts.TESTED, "session_id") | {"copilot": "sessionId"}


def known(here: Place, source: str) -> list[events.Json]:
    """Recorded payloads of an agent, with a ratchet for each failure in them that speaks before and after, and what is
    told at a session's start."""
    payloads = [events.FAILURES[source]]
    for path in sorted(PAYLOADS.glob(f"{source}-*.jsonl")):
        payloads += list(events.lines(path))
    if source == "claude_code":
        payloads.append(events.claude_batch(("Edit", {"file_path": "a"}, "<tool_use_error>no</tool_use_error>")))
    if source == "gemini":
        payloads.append(events.gemini_result("x", {"message": "File not found: /w/none.txt"}, "read_file"))
    payloads = [payload | {"cwd": str(here.root)} for payload in payloads]
    if source == "codex":
        payloads = [_with_rollout(here, number, payload) for number, payload in enumerate(payloads)]
    here.publish(*_ratchets(payloads, source).values())
    (here.state / hook.BRIEF).write_text(FIX, encoding="utf-8")
    return payloads


def _with_rollout(here: Place, number: int, payload: events.Json) -> events.Json:
    """The transcript in which Codex's exit codes stand, for those calls that failed."""
    if "tool_response" not in payload or "mirror" not in payload["tool_response"]:
        return payload
    path = here.root.parent / f"rollout-{number}.jsonl"
    return payload | {"transcript_path": str(events.rollout(path, payload["tool_use_id"]))}


def _ratchets(payloads: Sequence[events.Json], source: str) -> dict[str, Any]:
    found = {}
    for payload in payloads:
        event = hosts.read(payload, ENVIRON.get(source, {}))
        for call in event.calls if event is not None and event.moment == hosts.AFTER else ():
            assert event is not None
            event.calls = [call]
            verdict = events.judged(event)
            if verdict.fingerprint:
                words = str(call.input.get("command", "")).split()
                made = events.ratchet(verdict)
                found[made.key] = replace(made, when="both", trigger=tuple(words[:1])) if words else made
    return found


def mangled(payload: events.Json, chance: random.Random) -> bytes:
    """The payload with some of its values exchanged, and often cut short or with a byte changed. The name of the host
    stays: only our own program writes one."""
    made = dict(payload)
    for name in chance.sample(sorted(made.keys() - {"host"}), chance.choice((0, 0, 1, 2, 3))):
        made[name] = chance.choice(ODD)
    if isinstance(made.get("tool_calls"), list):
        made["tool_calls"] = [*made["tool_calls"], chance.choice(ODD)]
    body = json.dumps(made).encode()
    if chance.random() < 0.3:
        body = body[: chance.randint(0, len(body))]
    if body and chance.random() < 0.2:
        place = chance.randrange(len(body))
        body = body[:place] + bytes([chance.randrange(256)]) + body[place + 1 :]
    return body


# --- what comes out


def process(body: bytes, environ: Mapping[str, str]) -> Said:
    """The hook's ``main`` in a process of its own: a copy of this one, which has everything imported already."""
    with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        given.write(body)
        given.seek(0)
        child = os.fork()
        if child == 0:
            _become_the_hook([given.fileno(), out.fileno(), err.fileno()], environ)
        _, status = os.waitpid(child, 0)
        out.seek(0)
        err.seek(0)
        return Said(os.waitstatus_to_exitcode(status), out.read(), err.read())


def _become_the_hook(files: Sequence[int], environ: Mapping[str, str]) -> None:
    try:
        for descriptor, file in enumerate(files):
            os.dup2(file, descriptor)
        os.environ.clear()
        os.environ.update(environ)
        sys.argv = ["riggs-hook", "--brief"]
        hook.main()
    finally:
        os._exit(99)


def assert_valid(source: str, body: bytes, text: str) -> None:
    """Nothing, or exactly what this agent takes: its own keys and no other, a text in them, short lines."""
    if not text:
        return
    answer = json.loads(text)
    assert isinstance(answer, dict)
    if source in ("copilot", "opencode"):
        assert list(answer) == ["additionalContext"]
    elif "reason" in answer:
        assert source == "gemini"
        assert answer == {"decision": "deny", "reason": answer["reason"]}
        assert answer["reason"].endswith("</hook_context>")
    else:
        asked = json.loads(body.decode("utf-8", "replace"), strict=False)
        inner = {"hookEventName": asked["hook_event_name"], "additionalContext": told(answer)}
        assert answer == {"hookSpecificOutput": inner}
    said = told(answer).rpartition("<hook_context>")[2].removesuffix("</hook_context>")
    assert said
    assert all(len(line) <= advice.MAX_ADVICE for line in said.split("\n"))
    assert said.count("\n") < spool.TOGETHER
