from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from agent_riggs.report.sources import report, suspicion
from agent_riggs.sources import SOURCES
from agent_riggs.store.rows import SourceCoverage

GOOD = SourceCoverage(
    source="claude_code",
    transcripts=3,
    read=3,
    elsewhere=0,
    gone=0,
    lines=1000,
    not_understood=10,
    unknown={},
    versions=("2.1.38",),
    homes=("/home/u/.claude",),
    warmups=0,
    calls=400,
    failures=12,
    last_read=None,
)


def test_good_figures_are_not_suspicious() -> None:
    assert suspicion(GOOD) is None
    assert suspicion(replace(GOOD, lines=0, not_understood=0, calls=0, failures=0)) is None
    assert suspicion(replace(GOOD, calls=20, failures=0)) is None


@pytest.mark.parametrize(
    ("row", "part"),
    [
        (replace(GOOD, failures=0), "not one failure in 400 calls"),
        (replace(GOOD, not_understood=1000), "no line was understood"),
        (replace(GOOD, not_understood=200), "many lines were not understood"),
        (replace(GOOD, calls=0, failures=0), "not one call"),
    ],
)
def test_figures_that_cannot_be_right_are(row: SourceCoverage, part: str) -> None:
    assert part in str(suspicion(row))


def test_every_source_says_where_it_looked(home: Path) -> None:
    (home / ".claude").mkdir()
    rows = report(SOURCES, [replace(GOOD, source="of_another_package")], {}, home)
    assert [row.source for row in rows] == sorted([*SOURCES, "of_another_package"])
    claude = next(row for row in rows if row.source == "claude_code")
    assert next((place.folder, place.exists) for place in claude.places) == (str(home / ".claude"), True)
    assert (claude.found, claude.calls) == (0, 0)
    assert next(row for row in rows if row.source == "of_another_package").calls == 400


def test_a_sister_tool_is_shown_where_the_project_has_it_and_is_never_suspicious(tmp_path: Path) -> None:
    """kibitzer's rows are mostly the transcripts' own calls: that none stands alone says nothing."""
    covered = [replace(GOOD, source="kibitzer", calls=0, failures=0)]
    rows = report({}, covered, {}, tmp_path, {"kibitzer": [tmp_path], "blq": [tmp_path]})
    assert [(row.source, row.found, row.suspicious) for row in rows] == [("blq", 1, None), ("kibitzer", 1, None)]
    assert report({}, [], {}, tmp_path) == []
