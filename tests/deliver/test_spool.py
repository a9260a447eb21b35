"""The session's memory: who may speak, decided by the order of one file."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from agent_riggs.deliver import spool
from agent_riggs.deliver.spool import Claim

SECOND = 1_000_000


def wish(at: float = 0, call: str = "c1", key: str = "k1", moment: str = "after", session: str = "s") -> Claim:
    return Claim(session, call, key, moment, "claude_code", 1_796_000_000_000_000 + int(at * SECOND))


def granted(*claims: Claim) -> list[str]:
    return [one.reason for one in spool.settle(claims)]


def test_advice_is_given_once_per_call() -> None:
    assert granted(wish(0), wish(10)) == ["", "told for this call"]


def test_several_ratchets_speak_once_about_one_call() -> None:
    assert granted(wish(0, key="k1"), wish(0, key="k2")) == ["", "told for this call"]


def test_advice_is_given_again_when_the_failure_comes_again_after_it() -> None:
    assert granted(wish(0, "c1"), wish(30, "c2"), wish(60, "c3")) == ["", "", ""]


def test_parallel_failures_are_told_of_once() -> None:
    assert granted(wish(0, "c1"), wish(0.1, "c2"), wish(0.2, "c3")) == ["", *["told at the same time"] * 2]


def test_of_one_event_s_calls_two_are_told_of() -> None:
    three = [wish(0, f"c{number}", key=f"k{number}") for number in range(3)]
    assert granted(*three, wish(9, "c3", key="k3")) == ["", "", "told enough at once", ""]


def test_a_ratchet_is_told_a_few_times_at_most() -> None:
    claims = [wish(30 * number, f"c{number}") for number in range(spool.OFTEN + 2)]
    assert granted(*claims) == [*[""] * spool.OFTEN, *["told often enough"] * 2]


def test_before_the_call_once_unless_the_failure_came_again() -> None:
    first, again = wish(0, "c1", moment="before"), wish(30, "c2", moment="before")
    assert granted(first, again) == ["", "told in this session"]
    assert granted(first, wish(31, "c2"), wish(60, "c3", moment="before")) == ["", "", ""]


def test_calls_without_an_identity_are_not_taken_for_one() -> None:
    assert granted(wish(0, ""), wish(30, "")) == ["", ""]


def test_a_session_drawn_to_go_without_is_kept_back_in_until_its_end() -> None:
    claims = [wish(at, f"c{at}") for at in (0, 30, 60)]
    for one in claims:
        one.held = True
    assert granted(*claims) == ["held out"] * 3


def test_held_out_is_said_only_of_what_would_have_been_told() -> None:
    told, held = wish(0, key="k1"), wish(0, key="k2")
    held.held = True
    assert granted(told, held) == ["", "told for this call"]
    assert granted(held, told) == ["held out", ""]


def test_who_goes_without_follows_from_session_and_ratchet() -> None:
    drawn = [spool.is_held_out(f"s{n}", "k1", 0.3) for n in range(2000)]
    assert drawn == [spool.is_held_out(f"s{n}", "k1", 0.3) for n in range(2000)]
    assert 0.25 < sum(drawn) / len(drawn) < 0.35
    assert drawn != [spool.is_held_out(f"s{n}", "k2", 0.3) for n in range(2000)]
    assert not any(spool.is_held_out(f"s{n}", "k1", 0.0) for n in range(100))
    wider = [spool.is_held_out(f"s{n}", "k1", 0.5) for n in range(2000)]
    assert all(more for less, more in zip(drawn, wider, strict=True) if less)


def test_a_claim_is_kept_and_judged_alike_later(tmp_path: Path) -> None:
    state = str(tmp_path / "state")
    answers = [spool.claim(state, wish(at, call)) for at, call in ((0, "c1"), (0, "c1"), (9, "c2"))]
    assert answers == [True, False, True]
    path = tmp_path / "state" / spool.FOLDER / spool.file_name("s")
    assert [not one.reason for one in spool.read(str(path))] == answers
    assert path.stat().st_mode & 0o777 == 0o600


def test_sessions_do_not_mix(tmp_path: Path) -> None:
    assert all(spool.claim(str(tmp_path), wish(session=name)) for name in ("a", "b", "../a", "a/b", ""))
    assert len(list((tmp_path / spool.FOLDER).iterdir())) == 5


def test_of_ten_hooks_at_once_one_speaks(tmp_path: Path) -> None:
    with ThreadPoolExecutor(10) as pool:
        answers = list(pool.map(lambda _: spool.claim(str(tmp_path), wish()), range(10)))
    assert sum(answers) == 1


def test_a_line_cut_short_costs_itself_only(tmp_path: Path) -> None:
    assert spool.claim(str(tmp_path), wish(0, "c1"))
    path = tmp_path / spool.FOLDER / spool.file_name("s")
    with path.open("ab") as file:
        file.write(b'\n{"at":1,"session":"s","ca')
    assert spool.claim(str(tmp_path), wish(30, "c2"))
    assert len(spool.read(str(path))) == 2


def test_a_session_that_fails_without_end_is_told_no_more(tmp_path: Path) -> None:
    folder = tmp_path / spool.FOLDER
    folder.mkdir()
    (folder / spool.file_name("s")).write_bytes(b"\n" * (spool.MAX_FILE + 1))
    size = os.path.getsize(folder / spool.file_name("s"))
    assert not spool.claim(str(tmp_path), wish())
    assert os.path.getsize(folder / spool.file_name("s")) == size


@given(st.binary(max_size=300))
def test_any_bytes_are_read_without_an_error(data: bytes) -> None:
    spool.settle(list(spool._claims(data)))
