"""What the commands have in common: how help is laid out, and the options that mean the same everywhere."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any, TypeVar

import click

from agent_riggs.faces.here import Here

Body = TypeVar("Body", bound=Callable[..., Any])

pass_here = click.make_pass_decorator(Here)


class Command(click.Command):
    """A command whose help ends with examples and with the shape of its JSON output."""

    examples: tuple[str, ...] = ()
    rows: str = ""
    """``module:Class`` (below this package) of the rows that ``--json`` prints; looked up when help is asked for."""
    many_rows: bool = True

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        write_examples(formatter, self.examples)
        if self.rows:
            with formatter.section("JSON: a list of objects with" if self.many_rows else "JSON: an object with"):
                formatter.write_text(json_shape(self.rows))


class Group(click.Group):
    """Commands in the order in which one uses them, with examples."""

    examples: tuple[str, ...] = ()

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.commands)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        write_examples(formatter, self.examples)


def write_examples(formatter: click.HelpFormatter, examples: Sequence[str]) -> None:
    """The examples as a section of the help, each as it is typed."""
    if examples:
        with formatter.section("Examples"):
            for example in examples:
                formatter.write(f"{'':>{formatter.current_indent}}{example}\n")


def json_shape(rows: str) -> str:
    """The fields of a row class (``module:Class`` below this package) with their types, as documentation."""
    module, _, name = rows.partition(":")
    kind = getattr(import_module(f"agent_riggs.{module}"), name)
    fields = [item for item in dataclasses.fields(kind) if item.metadata.get("json", True)]
    return ", ".join(f"{item.name} ({_plain_type(str(item.type))})" for item in fields)


_PLAIN = {
    "str": "text",
    "int": "number",
    "float": "number",
    "bool": "true or false",
    "When": "time",
    "Id": "text",
    "Any": "any",
    "CandidateType": "text",
    "Verdict": "text",
}


def _plain_type(annotation: str) -> str:
    name, *rest = annotation.split(" | ")
    shown = _PLAIN.get(name) or ("list" if name.startswith(("tuple[", "list[")) else "object")
    return f"{shown} or null" if "None" in rest else shown


def command(
    name: str, examples: tuple[str, ...] = (), rows: str = "", many_rows: bool = True
) -> Callable[[Callable[..., Any]], Command]:
    """Declare a command with examples and, for one that reads, the row class that ``--json`` prints."""

    def declare(body: Callable[..., Any]) -> Command:
        made = click.command(name, cls=Command)(body)
        made.examples, made.rows, made.many_rows = examples, rows, many_rows
        return made

    return declare


def json_option(body: Body) -> Body:
    """``--json``: print JSON instead of a table."""
    return click.option("--json", "as_json", is_flag=True, help="Print JSON instead of a table.")(body)


class Count(click.IntRange):
    """A whole number that says how much; one beyond all sense means all there is."""

    def __init__(self, least: int = 1, most: int = 1_000_000) -> None:
        super().__init__(min=least)
        self.most = most

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        return min(int(super().convert(value, param, ctx)), self.most)


def limit_option(default: int) -> Callable[[Body], Body]:
    """``--limit``: at most that many rows."""

    def declare(body: Body) -> Body:
        return click.option(
            "--limit", type=Count(), default=default, show_default=True, help="At most this many rows."
        )(body)

    return declare


def days_option(body: Body) -> Body:
    """``--days``: how far back, counted from the project's last activity."""
    return click.option(
        "--days",
        type=Count(),
        default=30,
        show_default=True,
        help="Look this many days back from the project's last activity.",
    )(body)
