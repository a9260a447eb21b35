from __future__ import annotations

from pathlib import Path

import pytest

from cases.scene import Scene


@pytest.fixture
def scene(home: Path, tmp_path: Path) -> Scene:
    """An empty home and an empty project."""
    root = tmp_path / "shop"
    root.mkdir()
    return Scene(home, root)
