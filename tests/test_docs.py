"""The documentation's own machinery: pages come from the code, and examples are run."""

from __future__ import annotations

import re
from fnmatch import fnmatch
from pathlib import Path
from typing import get_args

import duckdb
import pytest
from tools import docs, examples

from agent_riggs import config
from agent_riggs.calls import Outcome
from agent_riggs.judge.classes import CATEGORIES, CLASSES


def test_the_schema_page_names_every_table_and_column_with_its_type() -> None:
    sql = docs.SCHEMA.read_text(encoding="utf-8")
    page = docs.schema_page(sql)
    with duckdb.connect() as connection:
        connection.execute(sql)
        columns = connection.execute(
            "SELECT table_name, column_name, data_type, comment FROM duckdb_columns() WHERE NOT internal"
        ).fetchall()
    assert columns
    for table, column, kind, comment in columns:
        section = page.split(f"\n## {table}\n")[1].split("\n## ")[0]
        written = kind.replace("TIMESTAMP WITH TIME ZONE", "TIMESTAMPTZ")
        assert f"| {column} | {written} | {comment} |" in section


def test_a_column_without_a_comment_is_an_error() -> None:
    with pytest.raises(SystemExit, match=r"a\.b has no comment"):
        docs.schema_page("-- Head.\nCREATE TABLE IF NOT EXISTS a (\n    b INTEGER\n);\nCOMMENT ON TABLE a IS 'x';\n")


@pytest.mark.parametrize(
    ("shown", "printed", "expected"),
    [
        ("", "anything", True),
        ("read 3 files\n", "read 3 files", True),
        ("read 3  files\n\n", "read 3 files\n", True),
        ("read ... files\nend\n", "read 12\nand more files\nend\n", True),
        ("read 3 files\n", "read 4 files", False),
        ("read 3 files\n", "read 3 files and more", False),
        ("a.b\n", "axb", False),
    ],
)
def test_what_an_example_shows_is_compared(shown: str, printed: str, expected: bool) -> None:
    assert examples.matches(shown, printed) is expected


def test_the_settings_page_has_every_setting_with_its_default_and_effect() -> None:
    page = docs.settings_page(docs.CONFIG.read_text(encoding="utf-8"))
    for name, default in config.describe():
        section, _, key = name.partition(".")
        part = page.split(f"\n## [{section}]\n")[1].split("\n## ")[0]
        assert re.search(rf"^\| {key} \| {default} \| a .+ \| [^|]+\. \|$", part, re.MULTILINE), name


def test_a_setting_without_words_is_an_error() -> None:
    with pytest.raises(SystemExit, match=r"trust has no comment"):
        docs.settings_page("")


def test_examples_are_found_with_their_lines() -> None:
    page = "intro\n\n```sh\n$ not run\n```\n\n```console\n$ one\nout\n\nmore\n$ two\n```\n"
    assert list(examples.read(page)) == [(8, "one", "out\n\nmore\n"), (12, "two", "")]


def test_an_example_that_is_wrong_is_named(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("```console\n$ echo yes\nyes\n$ echo yes\nno\n$ exit 3\n```\n")
    wrong = examples.check(page)
    assert [line.split(": ")[0] for line in wrong] == ["page.md:4", "page.md:6"]
    assert "ended with 3" in wrong[1]


def test_examples_stay_where_they_went_and_are_answered(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "```console\n$ cd /\n$ pwd\n/\n$ export WORD='to say'\n$ echo $WORD\nto say\n"
        "$ test -t 0 && read answer && echo $answer\ny\n```\n"
    )
    assert examples.check(page) == []


def test_links_that_lead_nowhere_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(docs, "ROOT", tmp_path)
    (tmp_path / "README.md").write_text("[a](docs/a.md) [b](docs/b.md#part) [c](https://example.org) [d](#part)")
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.md").write_text("x")
    assert docs.dead_links() == ["README.md: there is no docs/b.md"]


def test_the_map_is_short_and_names_what_exists() -> None:
    page = (docs.ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    assert len(page.splitlines()) <= 220
    package = docs.ROOT / "src" / "agent_riggs"
    part = ""
    for line in page.splitlines():
        heading = re.match(r"### `(\w+/)`", line)
        part = heading[1] if heading else "" if line.startswith("#") else part
        for name in re.findall(r"`(\w[\w./]*(?:\.py|\.sql|/))(?::\w+)?`", line):
            assert any((base / name).exists() for base in (docs.ROOT, package, package / part)), name
    assert all(f"`{folder.name}/`" in page for folder in package.iterdir() if (folder / "__init__.py").exists())


def test_the_map_names_every_module() -> None:
    """By its name, by the beginning of it (``codex*.py``), or by its folder in the section of the one above."""
    page = (docs.ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    package = docs.ROOT / "src" / "agent_riggs"
    sections = page.split("\n### ")
    for module in package.rglob("*.py"):
        part, _, name = module.relative_to(package).as_posix().rpartition("/")
        top, _, folder = part.partition("/")
        about = next(one for one in sections if f"`{top}/`" in one.partition("\n")[0]) if top else page
        wanted = (name, f"{folder}/{name}", f"{folder}/")
        named = re.findall(r"`([\w*./]+(?:\.py|/))(?::\w+)?`", about)
        assert name.startswith("__") or any(fnmatch(one, like) for like in named for one in wanted), module


def test_the_glossary_has_every_outcome_class_and_category() -> None:
    page = (docs.ROOT / "docs" / "glossary.md").read_text(encoding="utf-8")
    words, outcomes, classes = re.split(r"^## .+$", page, flags=re.MULTILINE)
    assert re.findall(r"^\| (\w+) \|", outcomes, re.MULTILINE)[1:] == [
        one for one in get_args(Outcome) if one != "warmup"
    ]
    rows = re.findall(r"^\| ([\w, ]+) \|", classes, re.MULTILINE)[1:]
    assert sorted(", ".join(rows).split(", ")) == sorted(CLASSES)
    assert all(category in words for category in CATEGORIES)


def test_every_make_target_is_phony_and_told_of() -> None:
    makefile = (docs.ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z][a-z0-9-]*):(?!=)", makefile, re.MULTILINE))
    assert set(re.findall(r"^\.PHONY: (.+)$", makefile, re.MULTILINE)[0].split()) == targets
    told = (docs.ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8") + makefile.partition("\n\n")[0]
    assert {target for target in targets if not re.search(rf"make {target}\b|\b{target}[,.]", told)} == {"help"}
