"""What a shell completes: keys, tools, agents and classes of the project's store. Nothing at all when it cannot say.

A shell puts what it is offered on the line as it is, and the terminal shows it. A store holds names that others chose:
what would mean more to either than its own letters is not offered.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

import click

from agent_riggs.faces import here

if TYPE_CHECKING:
    from agent_riggs.store.queries import Connection, Named

Completer = Callable[[click.Context, click.Parameter, str], list[str]]

_PLAIN: Final = re.compile(r"[\w./][\w.:/@+,=-]*", re.ASCII)
"""Words that no shell reads anything into, and no command an option."""


def keys(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """Keys and fingerprints that begin as typed."""
    from agent_riggs.store import queries

    return _ask(ctx, lambda conn: queries.keys_beginning(conn, incomplete, 50))


def names(of: Named) -> Completer:
    """The tools, agents or classes that begin as typed, whatever the case."""

    def complete(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
        from agent_riggs.store import queries

        known = _ask(ctx, lambda conn: queries.names(conn, of))
        low = incomplete.casefold()
        return [name for name in known if name.casefold().startswith(low)]

    return complete


def _ask(ctx: click.Context, question: Callable[[Connection], list[str]]) -> list[str]:
    from agent_riggs.errors import RiggsError
    from agent_riggs.store import open_read

    directory = ctx.find_root().params.get("directory")
    try:
        with open_read(here.store_file(here.here(directory)), wait=0.2) as store:
            return [word for word in question(store.conn) if _PLAIN.fullmatch(word)]
    except (RiggsError, OSError):
        return []
