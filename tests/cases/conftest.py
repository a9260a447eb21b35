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


@pytest.fixture(autouse=True)
def at_home(request: pytest.FixtureRequest, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Commands look into the scene's home, also where a scene serves all tests of a module."""
    if "scene" in request.fixturenames:
        found = request.getfixturevalue("scene")
        for name, place in {"HOME": "", "USERPROFILE": "", "AGENT_RIGGS_STATE_DIR": "state"}.items():
            monkeypatch.setenv(name, str(found.home / place))
