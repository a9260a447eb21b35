"""Producer and consumer agree on every key, and what is promoted is found by the failure that the hook is told of."""

from __future__ import annotations

from pathlib import Path

import pytest

from agent_riggs import samples
from agent_riggs.deliver import recall
from agent_riggs.ingest import ingest
from agent_riggs.learn import candidates, decisions
from agent_riggs.learn.ledger import Ledger, live
from agent_riggs.learn.publish import publish
from agent_riggs.paths import find_project, store_path
from agent_riggs.sources import SOURCES
from agent_riggs.store import open_write
from learn.one_key import Pair, pairs, transcripts_under

NOW = samples.UNTIL + 1_000_000


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("home")
    samples.write(folder, folder / "project")
    return folder


@pytest.fixture(scope="module")
def failures(home: Path) -> list[Pair]:
    return list(pairs(transcripts_under(home / ".claude"), NOW))


def test_every_failure_has_one_key_at_both_ends(failures: list[Pair]) -> None:
    assert len(failures) > 20
    for pair in failures:
        assert pair.hook is not None, pair.call
        ours, theirs = pair.ingest, pair.hook
        assert (ours.fingerprint, ours.category, ours.tool) == (theirs.fingerprint, theirs.category, theirs.tool)
        assert (ours.failure_class, ours.program, ours.shape) == (theirs.failure_class, theirs.program, theirs.shape)


def test_what_is_promoted_is_found_at_the_next_failure(home: Path, failures: list[Pair]) -> None:
    folder = home / "project"
    folder.mkdir()
    project = find_project(folder)
    sources = {"claude_code": SOURCES["claude_code"]}
    environ = {"CLAUDE_CONFIG_DIR": str(home / ".claude")}
    ingest(project, sources=sources, environ=environ, home=home, now=NOW)
    mine = Ledger(home / "state", project.key, "me")
    with open_write(store_path(project)) as store:
        found = candidates.find_pattern_candidates(store.conn, now=NOW)
        assert found
        for one in found:
            decisions.promote(store.conn, mine, one, fix=one.fix or "ask first", now=NOW)
        publish(mine, store.conn)
    fixes = {one.evidence["fingerprint"]: one.fix for one in live(mine.read())}
    met = [pair for pair in failures if pair.ingest.fingerprint in fixes]
    assert len(met) > 10
    for pair in met:
        assert pair.hook is not None
        spoken = recall.match(mine.index, mine.project, pair.hook, pair.call.mode)
        assert spoken is not None
        assert spoken.fix == fixes[pair.ingest.fingerprint]
