"""What an import really loads, read from ``sys.modules`` of a fresh process: imports inside functions, and what
imported modules import, do not show in the static contracts of ``pyproject.toml``."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "agent_riggs"

HOOK_PATH = [
    "agent_riggs",
    "agent_riggs.errors",
    "agent_riggs.model",
    "agent_riggs.atomic",
    "agent_riggs.folders",
    "agent_riggs.paths",
    "agent_riggs.config",
    "agent_riggs.judge",
    "agent_riggs.judge.trust",
    "agent_riggs.deliver",
    "agent_riggs.deliver.recall",
    "agent_riggs.deliver.hosts",
    "agent_riggs.deliver.hook",
    "agent_riggs.deliver.glance",
    "agent_riggs.deliver.spool",
    "agent_riggs.deliver.advice",
    "agent_riggs.deliver.ending",
    "agent_riggs.samples",
]


def loaded_by(module: str) -> set[str]:
    """Top-level names of the modules that importing ``module`` adds to a fresh process."""
    code = (
        "import sys; sys.path.insert(0, sys.argv[1]); before = set(sys.modules); __import__(sys.argv[2]);"
        "print(*{name.partition('.')[0] for name in set(sys.modules) - before})"
    )
    command = [sys.executable, "-I", "-c", code, str(PACKAGE.parent), module]
    return set(subprocess.run(command, check=True, capture_output=True, text=True).stdout.split())


@pytest.mark.parametrize("module", HOOK_PATH)
def test_the_hooks_path_loads_nothing_but_the_standard_library(module: str) -> None:
    assert loaded_by(module) - {"agent_riggs"} <= set(sys.stdlib_module_names)


def test_the_lowest_floors_load_little() -> None:
    assert not loaded_by("agent_riggs.folders") & {"pathlib", "dataclasses", "typing", "re", "json", "hashlib"}
    assert not loaded_by("agent_riggs.config") & {"tomllib", "difflib", "json"}


def test_the_command_line_starts_without_the_store() -> None:
    assert not loaded_by("agent_riggs.faces.cli") & {"duckdb", "_duckdb", "msgspec", "tree_sitter", "filelock"}


def test_the_store_loads_the_core_of_duckdb_alone() -> None:
    assert loaded_by("agent_riggs.store") & {"duckdb", "_duckdb"} == {"_duckdb"}


def test_every_module_has_its_floor() -> None:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"][
        "contracts"
    ]
    floors = " ".join(contracts[0]["layers"])
    modules = {path.stem for path in PACKAGE.iterdir() if path.suffix == ".py" or (path / "__init__.py").exists()}
    missing = {name for name in modules - {"__init__", "__main__"} if f"agent_riggs.{name}" not in floors}
    assert not missing
