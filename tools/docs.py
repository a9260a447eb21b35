"""The generated pages of the documentation: ``docs/schema.md`` from the schema, ``docs/cli.md`` from the commands,
``docs/settings.md`` from the settings.

``python -m tools.docs`` writes them, ``python -m tools.docs --check`` fails when they are not what it would write,
when a link in the documentation leads nowhere, or when an example of the README does not do what it says.
"""

from __future__ import annotations

import ast
import itertools
import re
import sys
from collections.abc import Iterator
from pathlib import Path

from tools import examples

ROOT = Path(__file__).parents[1]
SCHEMA = ROOT / "src" / "agent_riggs" / "store" / "schema.sql"
KEYS = ROOT / "tools" / "schema_notes.md"
CONFIG = ROOT / "src" / "agent_riggs" / "config.py"
NOTE = "<!-- Written by `make docs`; do not edit. -->\n\n"


def pages() -> dict[Path, str]:
    """Path and content of every generated page."""
    return {
        ROOT / "docs" / "schema.md": NOTE
        + schema_page(SCHEMA.read_text(encoding="utf-8"))
        + KEYS.read_text(encoding="utf-8"),
        ROOT / "docs" / "cli.md": NOTE + cli_page(),
        ROOT / "docs" / "settings.md": NOTE + settings_page(CONFIG.read_text(encoding="utf-8")),
    }


def schema_page(sql: str) -> str:
    """The store's tables as Markdown, from the statements and comments of the schema."""
    comments = Comments(_comments(sql))
    parts = ["# The store\n", _preamble(sql)]
    for table, body in re.findall(r"CREATE TABLE IF NOT EXISTS (\w+) \(\n(.*?)\n\);", sql, re.DOTALL):
        parts.append(f"\n## {table}\n\n{comments[table]}\n\n| column | type | what it holds |\n|---|---|---|\n")
        for name, kind in re.findall(r"^ {4}([a-z]\w*) ([A-Z]+(?:\[\])?)", body, re.MULTILINE):
            parts.append(f"| {name} | {kind} | {_cell(comments[f'{table}.{name}'])} |\n")
    return "".join(parts)


class Comments(dict[str, str]):
    """Comments by table and ``table.column``; asking for one that does not exist says what is missing."""

    def __missing__(self, name: str) -> str:
        raise SystemExit(f"{name} has no comment")


def _comments(sql: str) -> Iterator[tuple[str, str]]:
    for name, text in re.findall(r"COMMENT ON (?:TABLE|COLUMN) ([\w.]+) IS '((?:[^']|'')*)';", sql):
        yield name, text.replace("''", "'")


def _preamble(sql: str) -> str:
    """The comment at the head of the schema; its version history as a preformatted block."""
    lines = [line[2:].removeprefix(" ") for line in re.match(r"(?:--.*\n)+", sql)[0].splitlines()]  # type: ignore[index]
    blocks = "\n".join(lines).split("\n\n") if "" in lines else ["\n".join(lines)]
    found = []
    for block in blocks:
        title, _, rest = block.partition("\n")
        found.append(f"\n{title}:\n\n```\n{rest}\n```\n" if title == "Version history" else f"\n{block}\n")
    return "".join(found)


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def cli_page() -> str:
    """The help of every command, as the command line prints it at a width of 100."""
    import click

    from agent_riggs.faces.cli import cli

    parts = ["# Commands\n"]
    settings = {"terminal_width": 100, "max_content_width": 100}
    top = click.Context(cli, info_name="agent-riggs", **settings)  # type: ignore[arg-type]
    parts.append(f"\n```\n{cli.get_help(top)}\n```\n")
    parts += _commands(cli, top)
    return "".join(parts)


def _commands(group: object, context: object) -> Iterator[str]:
    import click

    assert isinstance(group, click.Group)
    assert isinstance(context, click.Context)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if command is None or command.hidden:
            continue
        inner = click.Context(command, info_name=name, parent=context, terminal_width=100, max_content_width=100)
        yield f"\n## {inner.command_path}\n\n```\n{command.get_help(inner)}\n```\n"
        if isinstance(command, click.Group):
            yield from _commands(command, inner)


SETTINGS = """# Settings

`.riggs/config.toml` in a project holds its settings. There need not be one: everything has a default.
`agent-riggs init` writes a file that names them all, each commented out. A setting that does not exist, or a value of
the wrong kind, is an error that names it (exit code 2); settings of the public 0.2 that have lost their meaning are
passed over, and `agent-riggs doctor` lists them. When trust is weighed differently, the next ingest computes it anew.

```toml
[deliver]
hold_out = 0.1

[store]
wait_seconds = 30
```
"""


def settings_page(code: str) -> str:
    """Every setting with its default, what it may be and what it does, from the dataclasses and their docstrings."""
    from agent_riggs import config

    told = Comments(_attributes(code))
    parts, section = [SETTINGS], ""
    for name, default in config.describe():
        head, _, key = name.partition(".")
        if head != section:
            section = head
            parts.append(
                f"\n## [{head}]\n\n{told[head]}\n\n| setting | default | may be | effect |\n|---|---|---|---|\n"
            )
        effect = _cell(" ".join(told[name].replace("``", "`").split()))
        parts.append(f"| {key} | {default} | {config.wanted(name, default)} | {effect} |\n")
    return "".join(parts)


def _attributes(code: str) -> Iterator[tuple[str, str]]:
    """Docstrings of classes, without the words up to a colon that name their section, and of their attributes."""
    for kind in ast.parse(code).body:
        if isinstance(kind, ast.ClassDef):
            name = kind.name.lower()
            told = (ast.get_docstring(kind) or "").partition(": ")[2]
            yield name, told[:1].upper() + told[1:]
            for entry, text in itertools.pairwise(kind.body):
                if isinstance(entry, ast.AnnAssign) and isinstance(text, ast.Expr):
                    assert isinstance(entry.target, ast.Name)
                    assert isinstance(text.value, ast.Constant)
                    yield f"{name}.{entry.target.id}", str(text.value.value)


def stale() -> list[str]:
    """Generated pages that are not what they should be."""
    return [
        f"{path.relative_to(ROOT)} is stale: run make docs"
        for path, content in pages().items()
        if not path.exists() or path.read_text(encoding="utf-8") != content
    ]


def dead_links() -> list[str]:
    """Relative links in Markdown files that lead to no file."""
    return [
        f"{page.relative_to(ROOT)}: there is no {target}"
        for page in [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")]
        for target in re.findall(r"\]\((?!https?:|#|mailto:)([^)#\s]+)", page.read_text(encoding="utf-8"))
        if not (page.parent / target).exists()
    ]


def main(arguments: list[str]) -> int:
    if arguments == ["--check"]:
        wrong = (
            stale() + dead_links() + examples.check(ROOT / "README.md") + examples.check(ROOT / "docs" / "tutorial.md")
        )
        for line in wrong:
            print(line, file=sys.stderr)
        return 1 if wrong else 0
    if arguments:
        print("usage: python -m tools.docs [--check]", file=sys.stderr)
        return 2
    for path, content in pages().items():
        path.parent.mkdir(exist_ok=True)
        path.write_text(content, encoding="utf-8")
        print(f"wrote {path.relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
