"""The pinned requirement files: complete, hashed, and free of any index's address."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]


def declared() -> dict[str, Any]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def names(entries: list[Any]) -> set[str]:
    """Package names of dependency entries, made plain; included groups are followed."""
    found: set[str] = set()
    for entry in entries:
        if isinstance(entry, dict):
            found |= names(declared()["dependency-groups"][entry["include-group"]])
        else:
            found.add(re.split(r"[^\w.-]", entry)[0].replace(".", "-").replace("_", "-").lower())
    return found


def pinned(file: str) -> dict[str, str]:
    """Package name to everything its entry says."""
    text = (ROOT / "requirements" / file).read_text(encoding="utf-8")
    entries = re.split(r"\n(?=\S)", text.strip())
    return {entry.split("==")[0]: entry for entry in entries}


@pytest.mark.parametrize(("file", "groups"), [("run.txt", ["build"]), ("dev.txt", ["dev"])])
def test_everything_declared_is_pinned(file: str, groups: list[str]) -> None:
    project = declared()
    wanted = names(project["project"]["dependencies"])
    for group in groups:
        wanted |= names(project["dependency-groups"][group])
    assert wanted <= pinned(file).keys()


@pytest.mark.parametrize("file", ["run.txt", "dev.txt"])
def test_every_pin_has_hashes_and_no_address_is_named(file: str) -> None:
    for name, entry in pinned(file).items():
        assert re.match(r"[\w.-]+==\S+", entry), name
        assert "--hash=sha256:" in entry, name
    assert "http" not in (ROOT / "requirements" / file).read_text(encoding="utf-8")


def test_both_files_agree() -> None:
    run, dev = pinned("run.txt"), pinned("dev.txt")
    assert run.keys() <= dev.keys()
    assert all(run[name] == dev[name] for name in run)
