"""A look at what is not there is no repeatable mistake, unless the same thing is missing again."""

from __future__ import annotations

from collections.abc import Iterator

import duckdb
import pytest

from agent_riggs.config import Ratchet
from agent_riggs.learn import candidates
from agent_riggs.learn.looking import looked
from agent_riggs.learn.waiting import waiting
from agent_riggs.report import endings
from agent_riggs.store import mining
from agent_riggs.store.mining import ALL_TIME
from learn.sessions import NOW, Call, bash, broken, fails, record, store

OK = bash("make")


@pytest.fixture
def conn() -> Iterator[duckdb.DuckDBPyConnection]:
    with store() as conn:
        mining.prepare(conn)
        yield conn


def sessions(conn: duckdb.DuckDBPyConnection, *met: tuple[Call, str]) -> None:
    """A session a day, with one failure and what came back of it."""
    for day, (call, output) in enumerate(met):
        record(conn, f"s{day}", OK, call, OK, day=day)
        for table in ("turns", "failure_stream"):
            conn.execute(
                f"UPDATE {table} SET excerpt = ? WHERE session_id = ? AND fingerprint IS NOT NULL", [output, f"s{day}"]
            )


def listing(path: str, program: str = "ls") -> tuple[Call, str]:
    missing = fails(f"{program} {path}", "missing_file", program, "no such file or directory")
    return missing, f"{program}: cannot access '{path}': No such file or directory"


def curl(page: str, status: int = 404) -> tuple[Call, str]:
    failed = fails(f"curl -f {page}", "http_error", "curl", "curl code 22")
    return failed, f"curl: (22) The requested URL returned error: {status}"


def fetch(page: str) -> tuple[Call, str]:
    return broken("WebFetch", {"url": page}, "http_error", "HTTP 404"), "Request failed with status code 404"


LOOKS = {
    "other paths": [listing(f"/opt/a{n}") for n in range(6)],
    "find": [listing(f"/opt/a{n}", "find") for n in range(6)],
    "other pages": [curl(f"https://acme.test/{n}") for n in range(6)],
    "fetched pages": [fetch(f"https://acme.test/{n}") for n in range(6)],
}
MISTAKES = {
    "the same path again": [listing(path) for path in ("/opt/a", "/opt/b", "/opt/c", "/opt/a")],
    "the same page again": [curl(f"https://acme.test/{page}") for page in ("a", "b", "a")],
    "another answer": [curl(f"https://acme.test/{n}", 403) for n in range(4)],
    "a reader": [listing(f"/opt/a{n}", "cat") for n in range(4)],
    "nothing named": [(fails("ls x", "missing_file", "ls", "not there"), "") for _ in range(4)],
}


@pytest.mark.parametrize("met", LOOKS.values(), ids=LOOKS)
def test_what_only_looks_is_no_candidate(conn: duckdb.DuckDBPyConnection, met: list[tuple[Call, str]]) -> None:
    sessions(conn, *met)
    assert looked(conn, *ALL_TIME)
    assert waiting(conn, Ratchet(), NOW, {}) == 0
    assert candidates.find_pattern_candidates(conn, now=NOW) == []
    (one,) = candidates.find_pattern_candidates(conn, now=NOW, everything=True)
    assert (one.tier, one.evidence["severity"], one.evidence["look"]) == (3, "occasional", True)
    assert candidates.find(conn, one.evidence["fingerprint"], now=NOW).tier == 3


@pytest.mark.parametrize("met", MISTAKES.values(), ids=MISTAKES)
def test_what_is_missing_again_is_a_mistake(conn: duckdb.DuckDBPyConnection, met: list[tuple[Call, str]]) -> None:
    sessions(conn, *met)
    assert looked(conn, *ALL_TIME) == frozenset()
    assert waiting(conn, Ratchet(), NOW, {}) == 1
    (one,) = candidates.find_pattern_candidates(conn, now=NOW)
    assert (one.tier, "look" in one.evidence) == (0, False)


def test_the_same_path_again_in_one_session_is_a_look_still(conn: duckdb.DuckDBPyConnection) -> None:
    sessions(conn, listing("/opt/a"), listing("/opt/a"), listing("/opt/b"))
    assert looked(conn, *ALL_TIME) == frozenset()
    conn.execute("UPDATE failure_stream SET root_session_id = 's0' WHERE session_id = 's1'")
    assert looked(conn, *ALL_TIME)


def test_looks_come_last_among_failures(conn: duckdb.DuckDBPyConnection) -> None:
    sessions(conn, *LOOKS["other paths"], *MISTAKES["a reader"][:2])
    rows = endings.failures(conn, 0, NOW, 10)
    assert [(row.program, row.sessions, row.look) for row in rows] == [("cat", 2, False), ("ls", 6, True)]
    assert [row.program for row in endings.failures(conn, 0, NOW, 1)] == ["cat"]
