"""Real sessions: what leads each project is its real recurring failures, with the fix that ended them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from agent_riggs.learn import candidates
from agent_riggs.learn.evidence import Candidate
from agent_riggs.paths import store_path
from agent_riggs.store import open_read
from corpus.test_claude_corpus import NOW, PROJECTS, run

pytestmark = [pytest.mark.corpus]


@pytest.fixture(scope="module")
def leading(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], list[Candidate]]:
    """The candidates of a project, best first; each project is read once."""
    read: dict[str, list[Candidate]] = {}

    def of(name: str) -> list[Candidate]:
        if name not in read:
            folder: Path = tmp_path_factory.mktemp(name)
            project, _ = run(folder, name)
            with open_read(store_path(project)) as store:
                read[name] = candidates.find_candidates(store.conn, now=NOW)
        return read[name]

    return of


LEADERS = [
    ("teapot", 3, "text_not_found", "Edit", "", "read the file first"),
    ("teapot", 3, "bad_option", "Bash", "rtk", "the same command without `rtk`"),
    ("teapot", 3, "lint_failed", "Bash", "", "lint:fix` first"),
    ("harbour", 15, "lint_failed", "Bash", "markdownlint", ""),
    ("harbour", 15, "auth", "Bash", "git commit", ""),
    ("harbour", 15, "conflict", "Bash", "git", "index.lock` first"),
    ("atlas", 3, "missing_file", "Read", "", "search first"),
    ("atlas", 3, "vcs", "Bash", "git add", "without naming anything"),
    ("atlas", 3, "too_large", "Read", "", "`offset` and `limit`"),
]


@pytest.mark.parametrize(("project", "within", "kind", "tool", "program", "fix"), LEADERS)
def test_the_known_failures_lead(
    leading: Callable[[str], list[Candidate]], project: str, within: int, kind: str, tool: str, program: str, fix: str
) -> None:
    found = [
        one
        for one in leading(project)[:within]
        if one.evidence.get("class") == kind
        and one.evidence.get("tool") == tool
        and program in (one.evidence.get("program") or "")
    ]
    assert found, [(one.evidence.get("class"), one.evidence.get("program")) for one in leading(project)[:within]]
    assert any(fix in one.fix for one in found), [one.fix for one in found]


def test_the_same_signing_again_is_a_dead_end(leading: Callable[[str], list[Candidate]]) -> None:
    (one,) = [c for c in leading("harbour")[:15] if c.evidence.get("class") == "auth" and c.evidence["days"] > 5]
    assert one.evidence["dead_ends"][0]["text"] == "the same call again, unchanged"


@pytest.mark.parametrize("project", PROJECTS)
def test_no_coarse_key_outranks_a_pattern_it_covers(leading: Callable[[str], list[Candidate]], project: str) -> None:
    places = {one.candidate_key: place for place, one in enumerate(leading(project))}
    patterns = [one for one in leading(project) if one.candidate_type == "failure_pattern" and one.tier == 0]
    coarse = [one for one in leading(project) if one.candidate_type == "constraint_promotion"]
    assert patterns
    assert all(places[fine.candidate_key] < places[one.candidate_key] for fine in patterns for one in coarse)


@pytest.mark.parametrize("project", PROJECTS)
def test_no_fix_is_bound_to_a_machine(leading: Callable[[str], list[Candidate]], project: str) -> None:
    for one in leading(project):
        assert not any(bound in one.fix for bound in ("/home/", "C:\\", "C:/", "/Users/", "/tmp/")), one.fix
