from __future__ import annotations

from pathlib import Path

import pytest

from deliver.events import Place, place


@pytest.fixture
def here(tmp_path: Path) -> Place:
    """A project without any ratchet."""
    return place(tmp_path)
