from __future__ import annotations

import json
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_riggs.faces import text

MINUTE = 60_000_000
HOUR = 60 * MINUTE
DAY = 24 * HOUR
NOW = 1_800_000_000_000_000


def test_every_control_format_and_separator_character_is_escaped() -> None:
    leaks = [
        hex(code)
        for code in range(0x110000)
        if unicodedata.category(chr(code)) in {"Cc", "Cf", "Cs", "Zl", "Zp"} and text.visible(chr(code)) == chr(code)
    ]
    assert leaks == []


@pytest.mark.parametrize(
    ("hidden", "shown"),
    [
        ("\x1b[31mred", r"\x1b[31mred"),
        ("\x1b]8;;http://x\x07link", r"\x1b]8;;http://x\x07link"),
        ("\x9b31m", r"\x9b31m"),
        ("a\u202eb", r"a\u202eb"),
        ("a\u200bb\u2066", r"a\u200bb\u2066"),
        ("\U000e0041", r"\U000e0041"),
        ("\ud800", r"\ud800"),
        ("a\ufe0f", r"a\ufe0f"),
        ("two\nlines\r\tand", r"two\nlines\r\tand"),
        ("日本語 é ñ", "日本語 é ñ"),
    ],
)
def test_hidden_characters_are_shown_as_escapes(hidden: str, shown: str) -> None:
    assert text.visible(hidden) == shown


@given(st.text(st.characters()))
def test_visible_text_holds_nothing_hidden_and_stays_as_it_is(value: str) -> None:
    once = text.visible(value)
    assert text.visible(once) == once
    assert not any(unicodedata.category(character) in {"Cc", "Cf", "Cs"} for character in once)


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_json_with_escapes_is_the_same_value(value: str) -> None:
    shown = text.hidden_in_json(json.dumps([value], ensure_ascii=False, indent=1))
    assert json.loads(shown) == [value]
    assert not any(unicodedata.category(character) in {"Cc", "Cf", "Cs"} and character != "\n" for character in shown)


def test_width_counts_cells() -> None:
    assert text.width("abc") == 3
    assert text.width("日本") == 4
    assert text.width("e\u0301") == 1


def test_cut_marks_what_is_missing() -> None:
    assert text.cut("abcdef", 6) == "abcdef"
    assert text.cut("abcdefg", 6) == "abcde…"
    assert text.cut("日本語日本語", 6) == "日本…"
    assert text.cut("abcdefg", 6, "...") == "abc..."


@given(st.text(st.sampled_from("ab 日é"), max_size=60), st.integers(8, 40), st.integers(1, 4))
def test_wrapped_lines_fit(value: str, cells: int, lines: int) -> None:
    wrapped = text.wrap(value, cells, lines)
    assert 1 <= len(wrapped) <= lines
    assert all(text.width(line) <= cells for line in wrapped)


@given(st.text(st.sampled_from("abc "), max_size=60))
def test_wrapping_loses_only_spaces_where_there_is_room(value: str) -> None:
    assert "".join(text.wrap(value, 10, 100)).replace(" ", "") == value.replace(" ", "")


def test_wrapping_breaks_at_spaces() -> None:
    assert text.wrap("one two three four", 9, 3) == ["one two", "three", "four"]


@pytest.mark.parametrize(
    ("age", "shown"),
    [
        (0, "just now"),
        (59_000_000, "just now"),
        (MINUTE, "1 minute ago"),
        (119 * MINUTE, "119 minutes ago"),
        (2 * HOUR, "2 hours ago"),
        (47 * HOUR, "47 hours ago"),
        (2 * DAY, "2 days ago"),
        (13 * DAY, "13 days ago"),
        (14 * DAY, "2 weeks ago"),
        (90 * DAY, "12 weeks ago"),
        (91 * DAY, "2026-10-16"),
        (-30_000_000, "just now"),
        (-2 * DAY, "2027-01-17"),
    ],
)
def test_ago(age: int, shown: str) -> None:
    assert text.ago(NOW - age, NOW) == shown


def test_an_unknown_time_says_so() -> None:
    assert text.ago(None, NOW) == "unknown"


def test_percent_never_claims_what_is_not() -> None:
    assert [text.percent(part, 1000) for part in (0, 1, 10, 500, 990, 999, 1000)] == [
        "0%", "<1%", "1%", "50%", "99%", ">99%", "100%"
    ]  # fmt: skip
    assert text.percent(0, 0) == "-"


def test_amounts_in_words() -> None:
    assert [text.many(count, "session") for count in (0, 1, 1204)] == ["0 sessions", "1 session", "1,204 sessions"]
    assert [text.seconds(value) for value in (0.04, 12, 600, 9000, 200_000)] == [
        "0.0 s", "12 s", "10 min", "2.5 h", "2.3 days"
    ]  # fmt: skip
    assert [text.size(value) for value in (12, 1500, 250_000, 3_200_000, 5e15)] == [
        "12 bytes", "1.5 kB", "250 kB", "3.2 MB", "5000.0 TB"
    ]  # fmt: skip


def test_sparkline() -> None:
    assert text.sparkline([]) == ""
    assert text.sparkline([0.1, 0.5, 0.9]) == "▁▅█"
    assert text.sparkline([0.5, 0.501]) == "▄▄"
    assert text.sparkline([0.0, 1.0], plain=True) == "_#"


def test_a_bar_shows_more_than_nothing_and_no_more_than_all() -> None:
    shown = [text.bar(share, 2) for share in (0.0, 0.001, 0.25, 0.5, 0.8, 1.0, 3.0)]
    assert shown == ["", "▏", "▌", "█", "█▋", "██", "██"]
    assert [text.bar(share, 4, plain=True) for share in (0.0, 0.01, 0.5, 1.0)] == ["", "#", "##", "####"]
