"""``sql``: the store is an open file, and this is the quickest way into it."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator
from typing import Any

import click

from agent_riggs.faces import here, render
from agent_riggs.faces.here import Here
from agent_riggs.faces.options import command, json_option, pass_here
from agent_riggs.faces.render import Column


@command(
    "sql",
    (
        'agent-riggs sql "SELECT outcome, count(*) FROM turns GROUP BY 1 ORDER BY 2 DESC"',
        'agent-riggs sql --csv "FROM session_summaries" > sessions.csv',
        'agent-riggs sql "SHOW ALL TABLES"',
    ),
)
@click.argument("query")
@click.option("--csv", "as_csv", is_flag=True, help="Print CSV with a header line.")
@json_option
@pass_here
def sql(at: Here, query: str, as_csv: bool, as_json: bool) -> None:
    """Ask the store in SQL, read-only.

    DuckDB's SQL, without access to files or the network. A control character in a value is shown as an escape.

    With --json: a list of objects, one per row, with the query's own columns. Ids, and whole numbers that many readers
    of JSON would round, come as text.
    """
    from agent_riggs.store.readonly import run_sql

    with here.reading(at) as conn:
        names, rows = run_sql(conn, query)
        if as_json:
            render.emit_json([dict(zip(names, row, strict=True)) for row in rows])
        elif as_csv:
            _csv(names, rows)
        else:
            _table(names, rows)


def _csv(names: tuple[str, ...], rows: Iterator[tuple[Any, ...]]) -> None:
    for row in (names, *rows):
        line = io.StringIO()
        csv.writer(line, lineterminator="").writerow(["" if value is None else value for value in row])
        render.say(line.getvalue())


def _table(names: tuple[str, ...], rows: Iterable[tuple[Any, ...]]) -> None:
    held = list(rows)
    titles = [Column(name, right=_is_numeric(held, place), flexible=True) for place, name in enumerate(names)]
    render.table(titles, [[_cell(value) for value in row] for row in held])
    render.hint("1 row" if len(held) == 1 else f"{len(held):,} rows")


def _cell(value: Any) -> str:
    """A value for the eye: fractions without the noise of their last binary digits."""
    if value is None:
        return ""
    return f"{value:.12g}" if isinstance(value, float) else str(value)


def _is_numeric(rows: list[tuple[Any, ...]], place: int) -> bool:
    values = [row[place] for row in rows if row[place] is not None]
    return bool(values) and all(isinstance(value, int | float) and not isinstance(value, bool) for value in values)
