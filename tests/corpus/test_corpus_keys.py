"""Real sessions: every failure has the same key at both ends, as ingest reads it and as the hook is told of it."""

from __future__ import annotations

import pytest

from corpus.test_claude_corpus import CORPUS, NOW
from learn.one_key import pairs, transcripts_under

pytestmark = [pytest.mark.corpus]


def test_every_failure_has_one_key() -> None:
    count = 0
    for pair in pairs(transcripts_under(CORPUS / "claude-home"), NOW):
        count += 1
        assert pair.hook is not None, pair.call
        assert pair.hook.fingerprint == pair.ingest.fingerprint, pair.call
        assert (pair.hook.category, pair.hook.tool) == (pair.ingest.category, pair.ingest.tool), pair.call
    assert count > 600
