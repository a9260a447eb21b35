from __future__ import annotations

import pytest

from corpus.test_claude_corpus import CORPUS


@pytest.fixture(autouse=True)
def corpus_is_there() -> None:
    """Asked for by name, so its absence is an error and not a skip."""
    assert (CORPUS / "expected.json").is_file(), "the corpus is not beside this checkout"
