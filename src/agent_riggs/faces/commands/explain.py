"""``explain``: one call, and why it was judged the way it was."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from agent_riggs.errors import Ambiguous, NotFound
from agent_riggs.faces import here, render, text
from agent_riggs.faces.here import Here
from agent_riggs.faces.options import command, json_option, pass_here
from agent_riggs.faces.rules import in_words
from agent_riggs.judge.trust import SCORES

if TYPE_CHECKING:
    from agent_riggs.store.queries import Connection
    from agent_riggs.store.rows import LaterCall, TurnDetail

LESS = "it worked, in a shell where a tool of the agent's would do"
SHOWN = 3
"""Calls after a failure that are shown, before the last ones."""
_KEY = re.compile(r"(?:^|:)f[0-9a-f]{6,16}$")
_INTO = re.compile(r"""^cd (?:"[^"]*"|'[^']*'|\S+) && """)
"""What most lines of some agents begin with, and tells nothing about how two calls differ."""
MOST = 101
"""Calls that a beginning is looked up for at most."""


@command(
    "explain",
    ("agent-riggs explain 1", "agent-riggs explain toolu_01ABC", "agent-riggs explain 4611686018427387904 --json"),
    "store.rows:TurnDetail",
    many_rows=False,
)
@click.argument("turn")
@json_option
@pass_here
def explain(at: Here, turn: str, as_json: bool) -> None:
    """One call, what decided about it, and what ended a failure.

    Of a failure the next calls are listed, up to the one that ended it.

    TURN is a row number of the table just listed, a turn id, the agent's own id of the call (its beginning will do), or
    the key of a failure: its latest call.
    """
    from agent_riggs.report import endings

    with here.reading(at) as conn:
        found = _find(at, conn, turn)
        if found.category:
            found = replace(found, later=endings.later(conn, found.turn_id))
    if as_json:
        render.emit_json(found)
        return
    _show(found, at.now)


def _find(at: Here, conn: Connection, word: str) -> TurnDetail:
    from agent_riggs.store import queries

    row = here.listed_row(at, word)
    if row is not None and row.turn_id is not None:
        wanted = [(row.turn_id, word)]
    elif word.isascii() and word.isdecimal() and int(word) < 2**63:
        wanted = [(int(word), word)]
    else:
        latest = queries.latest_failure(conn, word.rpartition(":")[2]) if _KEY.search(word) else None
        wanted = [(latest, word)] if latest is not None else queries.turn_ids(conn, word, MOST)
    if len(wanted) > 1:
        raise Ambiguous(f"{word!r} is the beginning of {_count(len(wanted))} calls", [call_id for _, call_id in wanted])
    found = queries.turn(conn, wanted[0][0]) if wanted else None
    if found is None:
        raise NotFound(f"there is no call {word!r} here", hint="calls that failed, with numbers: agent-riggs failures")
    return found


def _count(number: int) -> str:
    return f"more than {number - 1:,}" if number == MOST else f"{number:,}"


def _show(found: TurnDetail, now: int) -> None:
    render.fields([(label, value) for label, value in _facts(found, now) if value])
    if found.user_said:
        render.say("the user said", "dim")
        render.block(found.user_said)
    if found.excerpt:
        render.say("what came back", "dim")
        render.block(found.excerpt)
    if found.later:
        ended = found.later[-1].ended_it
        render.say(
            "what came next" if ended else f"what came next; nothing of {text.many(len(found.later), 'call')} ended it",
            "dim",
        )
        for line in _next(found.later):
            render.say(f"  {line}")


def _next(later: Sequence[LaterCall]) -> Iterator[str]:
    """The first of the later calls and the last, a line each."""
    first, rest = later[:SHOWN], later[SHOWN:]
    last = rest[-SHOWN:] if later[-1].ended_it else ()
    left_out = len(rest) - len(last)
    yield from map(_line, first)
    if left_out:
        yield f"... {text.many(left_out, 'more call')}"
    yield from map(_line, last)


def _line(one: LaterCall) -> str:
    mark = f"   <- what ended it: agent-riggs explain {one.turn_id}" if one.ended_it else ""
    said = text.cut(render.one_line(_INTO.sub("", _said(one.input))), 100)
    return f"{one.outcome.replace('_', ' '):<12}  {one.tool}  {said}{mark}"


def _facts(found: TurnDetail, now: int) -> list[tuple[str, str]]:
    number = f"call {found.turn_number:,} of " if found.turn_number else ""
    who = " ".join(word for word in (found.agent, found.model, f"(subagent {found.agent_id})") if word)
    return [
        ("tool", found.tool or "unknown"),
        ("input", _input(found)),
        ("when", f"{text.ago(found.called_at, now)}, {number}session {found.session_id}"),
        ("agent", who if found.agent_id else " ".join(word for word in (found.agent, found.model) if word)),
        ("mode", found.mode or "unknown"),
        ("outcome", (found.outcome or "unknown").replace("_", " ")),
        ("because", _because(found)),
        ("exit code", "" if found.exit_code is None else str(found.exit_code)),
        ("class", (found.failure_class or "").replace("_", " ")),
        ("program", found.program or ""),
        ("shape", found.shape or ""),
        ("key", _key(found)),
        ("trust", _trust(found)),
        ("transcript", found.transcript or ""),
        ("call id", found.call_id or ""),
        ("turn id", str(found.turn_id)),
    ]


def _input(found: TurnDetail) -> str:
    return _said(found.metadata.get("input") if isinstance(found.metadata, Mapping) else None)


def _said(value: object) -> str:
    """An input as it is read: a command by itself, anything else as JSON."""
    if isinstance(value, Mapping) and set(value) <= {"command", "description", "timeout"} and "command" in value:
        value = value["command"]
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False) if value else ""


def _because(found: TurnDetail) -> str:
    return f"{in_words(found.rule)}  (rule {found.rule})" if found.rule else ""


def _key(found: TurnDetail) -> str:
    if not found.fingerprint:
        return ""
    return found.fingerprint if found.specific else f"{found.fingerprint}  (names no cause)"


def _trust(found: TurnDetail) -> str:
    if found.trust_after is None:
        return ""
    if found.trust_score is None:
        return f"{found.trust_after:.2f}, unmoved: this outcome says nothing about trust"
    before = "" if found.trust_before is None else f"{found.trust_before:.2f} -> "
    why = f": {LESS}" if found.outcome == "ok" and found.trust_score == SCORES["suboptimal"] else ""
    return f"{before}{found.trust_after:.2f}  (this call scored {found.trust_score:.2f}{why})"
