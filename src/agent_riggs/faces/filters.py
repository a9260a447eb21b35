"""Options that leave only some rows: how a value may be written, and what was probably meant by one that is unknown."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import click

from agent_riggs.faces import completing, render
from agent_riggs.faces.options import Body

if TYPE_CHECKING:
    from agent_riggs.store.queries import Connection, Named

SHOWN = 10
"""Known values that are named where none is near."""


def tool_option(body: Body) -> Body:
    """``--tool``: one tool's rows only."""
    return _option("tool", "Only failures of this tool, for example Bash.")(body)


def class_option(body: Body) -> Body:
    """``--class``: one class of failures only, with blanks as it is shown or with underscores as it is stored."""
    return _option("class", "Only failures of this class, for example 'module missing'.", "failure_class")(body)


def agent_option(what: str) -> Callable[[Body], Body]:
    """``--agent``: one agent's rows only."""
    return _option("agent", f"Only {what} of this agent, for example codex.")


def _option(name: Named, help: str, variable: str = "") -> Callable[[Body], Body]:
    def declare(body: Body) -> Body:
        made = click.option(
            f"--{name}", variable or name, help=help, shell_complete=completing.names(name), callback=_as_stored
        )
        return made(body)

    return declare


def _as_stored(ctx: click.Context, option: click.Parameter, value: str | None) -> str | None:
    """Agents and classes are stored in small letters with underscores."""
    if value is None or option.name == "tool":
        return value
    return value.strip().lower().replace("-", "_").replace(" ", "_")


def meant(conn: Connection, asked: Sequence[tuple[Named, str | None]]) -> list[str]:
    """Where filters left nothing: for each value that the store does not know, a sentence with what was probably
    meant."""
    from agent_riggs.errors import nearest
    from agent_riggs.store import queries

    out = []
    for name, value in asked:
        if value is None:
            continue
        known = queries.names(conn, name)
        if not known or value.casefold() in (one.casefold() for one in known):
            continue
        near = nearest(value, known)
        told = f"nearest: {', '.join(near)}" if near else f"there are: {_some(known)}"
        out.append(f"no {name} is called {value} here; {told}")
    return out


def tell(sentences: Sequence[str]) -> None:
    """What was probably meant, on stderr."""
    for sentence in sentences:
        render.hint(sentence)


def _some(known: Sequence[str]) -> str:
    more = f" and {len(known) - SHOWN} more" if len(known) > SHOWN else ""
    return ", ".join(known[:SHOWN]) + more
