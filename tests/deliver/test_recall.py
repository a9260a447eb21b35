"""The recall index: what a hook may serve, and everything that must give no match."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_riggs.deliver import glance, recall
from agent_riggs.deliver.recall import Ratchet
from agent_riggs.model import Verdict

PROJECT = "project-1"


def ratchet(number: int = 1, **changes: object) -> Ratchet:
    fingerprint = f"f{number:016x}"
    base = Ratchet(
        key=recall.pattern_key("failure", "Bash", fingerprint),
        type="failure_pattern",
        fix="the same command without `wrap`",
        category="failure",
        tool="Bash",
        failure_class="bad_option",
        program="wrap",
        shape="unknown sub-command <word>",
        fingerprint=fingerprint,
        sessions=7,
        occurrences=12,
        last_seen=1_770_000_000_000_000,
        decided_at=1_770_100_000_000_000,
    )
    return replace(base, **changes)  # type: ignore[arg-type]


def verdict(number: int = 1, **changes: object) -> Verdict:
    base = Verdict(
        outcome="failed",
        rule="exit code",
        tool="Bash",
        category="failure",
        failure_class="bad_option",
        program="wrap",
        shape="unknown sub-command <word>",
        fingerprint=f"f{number:016x}",
    )
    return replace(base, **changes)  # type: ignore[arg-type]


@pytest.fixture
def index(tmp_path: Path) -> Path:
    return tmp_path / "state" / recall.FILE_NAME


def constraint(mode: str | None) -> Ratchet:
    return Ratchet(
        key=recall.constraint_key("failure", "Bash", mode),
        type="constraint_promotion",
        fix=f"fix for {mode}",
        category="failure",
        tool="Bash",
        mode=mode,
    )


def test_the_fingerprint_finds_its_ratchet_whole(index: Path) -> None:
    mine = ratchet(2, dead_ends=("again",), trigger=("wrap", "run"))
    assert recall.publish(index, PROJECT, [ratchet(1), mine, ratchet(3)]) == 3
    assert recall.match(index, PROJECT, verdict(2), "plan") == mine


@pytest.mark.parametrize("field", ["failure_class", "tool", "program", "shape"])
def test_a_collision_serves_nothing(index: Path, field: str) -> None:
    recall.publish(index, PROJECT, [ratchet()])
    assert recall.match(index, PROJECT, replace(verdict(), **{field: "other"})) is None


def test_order_is_fine_then_secondary_then_mode_then_any(index: Path) -> None:
    live, anywhere = constraint("plan"), constraint(None)
    recall.publish(index, PROJECT, [anywhere, live, ratchet(1), ratchet(2)])
    assert recall.match(index, PROJECT, verdict(1), "plan") == ratchet(1)
    assert recall.match(index, PROJECT, verdict(9, secondary=("f" + "0" * 16, "f" + f"{2:016x}")), "plan") == ratchet(2)
    assert recall.match(index, PROJECT, verdict(9), "plan") == live
    assert recall.match(index, PROJECT, verdict(9), "default") == anywhere
    assert recall.match(index, PROJECT, verdict(9), None) == anywhere
    assert recall.match(index, PROJECT, verdict(9, tool="Read"), "plan") is None


def test_what_is_no_failure_matches_nothing(index: Path) -> None:
    recall.publish(index, PROJECT, [constraint(None), ratchet()])
    assert recall.match(index, PROJECT, verdict(outcome="masked", category=None)) is None


def test_before_and_after_are_kept_apart(index: Path) -> None:
    before = ratchet(1, when="before", trigger=("wrap", "run"))
    recall.publish(index, PROJECT, [before])
    assert recall.match(index, PROJECT, verdict(1)) is None
    assert recall.match_before(index, PROJECT, "Bash", [["wrap", "run", "x"]]) == before
    assert recall.match_before(index, PROJECT, "Bash", [["wrap"]]) is None
    assert recall.match_before(index, PROJECT, "Bash", [["other", "run"], []]) is None
    assert recall.match_before(index, PROJECT, "Other", [["wrap", "run"]]) is None


def test_both_speaks_twice_and_the_longest_trigger_wins(index: Path) -> None:
    short = ratchet(1, when="both", trigger=("wrap",))
    long = ratchet(2, when="both", trigger=("wrap", "run"))
    recall.publish(index, PROJECT, [short, long])
    assert recall.match(index, PROJECT, verdict(1)) == short
    assert recall.match_before(index, PROJECT, "Bash", [["x"], ["wrap", "run"]]) == long


def test_a_ratchet_without_a_trigger_never_speaks_before(index: Path) -> None:
    recall.publish(index, PROJECT, [ratchet(1, when="both")])
    assert recall.match_before(index, PROJECT, "Bash", [["x"], ["wrap", "run"]]) is None


def test_another_projects_index_gives_nothing(index: Path) -> None:
    recall.publish(index, "project-2", [ratchet()])
    assert recall.match(index, PROJECT, verdict()) is None
    text = index.read_bytes().replace(b"project-2", PROJECT.encode())
    index.write_bytes(text)
    assert recall.match(index, PROJECT, verdict()) is None, "the lines carry the other project's checksum"


def test_an_altered_line_gives_nothing_and_spares_the_others(index: Path) -> None:
    recall.publish(index, PROJECT, [ratchet(1), ratchet(2, fix="keep")])
    index.write_bytes(index.read_bytes().replace(b"without", b"with no"))
    assert recall.match(index, PROJECT, verdict(1)) is None
    assert recall.match(index, PROJECT, verdict(2)) == ratchet(2, fix="keep")


@pytest.mark.parametrize(
    "content", [b"", b"\x00" * 900, b"[]", b"null", b"{" * 100_000, b'{"format": 2, "project": "project-1", ']
)
def test_broken_files_give_nothing(index: Path, content: bytes) -> None:
    index.parent.mkdir()
    index.write_bytes(content)
    index.chmod(0o600)
    assert recall.match(index, PROJECT, verdict()) is None
    assert recall.load(index, PROJECT) == ()


def test_missing_folder_or_folder_in_its_place_give_nothing(tmp_path: Path, index: Path) -> None:
    assert recall.match(index, PROJECT, verdict()) is None
    assert recall.match(tmp_path, PROJECT, verdict()) is None


def test_a_huge_index_is_not_read(index: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    recall.publish(index, PROJECT, [ratchet()])
    monkeypatch.setattr(glance, "MAX_BYTES", 100)
    assert recall.match(index, PROJECT, verdict()) is None


def test_the_file_is_private_and_one_that_others_may_write_is_refused(index: Path) -> None:
    recall.publish(index, PROJECT, [ratchet()])
    assert stat.S_IMODE(index.stat().st_mode) == 0o600
    index.chmod(0o666)
    assert recall.match(index, PROJECT, verdict()) is None


def test_it_is_json_sorted_and_replaced_whole(index: Path) -> None:
    recall.publish(index, PROJECT, [ratchet(2), ratchet(1)])
    first = index.read_bytes()
    data = json.loads(first)
    assert [entry["key"] for entry in data["ratchets"]] == [ratchet(1).key, ratchet(2).key]
    assert data["count"] == 2
    recall.publish(index, PROJECT, [ratchet(1), ratchet(2)])
    assert index.read_bytes() == first
    recall.publish(index, PROJECT, [])
    assert recall.load(index, PROJECT) == ()
    assert [path.name for path in index.parent.iterdir()] == [recall.FILE_NAME]


@given(fix=st.text(max_size=200), shape=st.text(max_size=100), cut=st.integers(0, 400))
def test_any_text_survives_and_no_cut_raises(
    tmp_path_factory: pytest.TempPathFactory, fix: str, shape: str, cut: int
) -> None:
    index = tmp_path_factory.mktemp("recall") / recall.FILE_NAME
    mine = ratchet(1, fix=fix or "x", shape=shape or None)
    recall.publish(index, PROJECT, [mine])
    assert recall.match(index, PROJECT, verdict(1, shape=shape or None)) == mine
    index.write_bytes(index.read_bytes()[:cut])
    recall.match(index, PROJECT, verdict(1))


def test_text_that_looks_like_a_key_is_not_one(index: Path) -> None:
    liar = ratchet(1, fix=f'"fingerprint":"f{2:016x}"')
    recall.publish(index, PROJECT, [liar])
    assert recall.match(index, PROJECT, verdict(2)) is None


def test_a_thousand_ratchets_cost_little_more_than_one(index: Path) -> None:
    recall.publish(index, PROJECT, [ratchet(number, fix="x" * 500) for number in range(1000)])

    def once() -> float:
        start = time.perf_counter()
        assert recall.match(index, PROJECT, verdict(999)) is not None
        return time.perf_counter() - start

    assert min(once() for _ in range(20)) < 0.005


def told_by(code: str) -> list[str]:
    """The words that a fresh interpreter prints; it imports the checkout as this one does."""
    environ = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environ)
    return done.stdout.split()


def test_only_the_standard_library_is_imported() -> None:
    code = "import sys, agent_riggs.deliver.recall; print(*sorted(n.split('.')[0] for n in sys.modules))"
    names = set(told_by(code))
    assert not names & {"duckdb", "_duckdb", "click", "rich", "msgspec", "mcp", "tree_sitter", "filelock", "tempfile"}
