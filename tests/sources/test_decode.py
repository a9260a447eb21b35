"""Values: lenient JSON, times, ids, flags, texts."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_riggs.sources import decode

NOW = 1_798_761_600_000_000
MOMENT = 1_777_885_200_000_000  # 2026-05-04T09:00:00Z


@pytest.mark.parametrize(
    ("data", "value"),
    [
        (b'{"a": "\\ud800 x"}', {"a": "\ufffd x"}),
        (b'{"a": "\\ud83d\\ude00"}', {"a": "\U0001f600"}),
        (b'{"a": "\xff"}', {"a": "\ufffd"}),
        (b'{"a": "\\u0000"}', {"a": "\0"}),
        (b'{"a": "tab\there"}', {"a": "tab\there"}),
        (b'{"a": NaN, "b": -Infinity, "c": 1e999, "d": 2}', {"a": None, "b": None, "c": None, "d": 2}),
        (b'{"a": 1, "a": 2}', {"a": 2}),
        (b'{"n": NaN, "a": ' + b"9" * 5000 + b"}", {"n": None, "a": None}),
        (b"[" * 200_000, None),
        (b"[" * 200_000 + b"]" * 200_000, None),
        (b'{"half": ', None),
        (b"", None),
    ],
)
def test_json_is_read_leniently(data: bytes, value: object) -> None:
    assert decode.loads(data) == value


@given(st.binary(max_size=200))
def test_no_bytes_make_it_raise(data: bytes) -> None:
    decode.loads(data)
    decode.repaired(data)


@given(st.text())
def test_scrubbed_text_is_utf8_and_otherwise_the_same(text: str) -> None:
    clean = decode.scrub(text)
    clean.encode()
    assert clean == decode.scrub(clean)
    assert len(clean) <= len(text)


@pytest.mark.parametrize(
    "value",
    [
        "2026-05-04T09:00:00Z",
        "2026-05-04T09:00:00.000Z",
        "2026-05-04T11:00:00+02:00",
        "2026-05-04T09:00:00",
        "2026-05-04 09:00:00",
        "2026-05-04T09:00:00.000000000Z",
        1_777_885_200,
        1_777_885_200_000,
        1_777_885_200_000_000,
        1_777_885_200_000_000_000,
        1_777_885_200.0,
        "1777885200000",
        " 1777885200 ",
    ],
)
def test_a_time_in_any_of_its_forms(value: object) -> None:
    assert decode.time_of(value, NOW) == MOMENT


def test_fractions_of_a_second_are_kept_to_the_microsecond() -> None:
    assert decode.time_of("2026-05-04T09:00:00.123456789Z", NOW) == MOMENT + 123456


@pytest.mark.parametrize(
    "value",
    [
        *(None, "", "yesterday", "2026-13-45T99:00:00Z", True, [], {}, float("nan"), float("inf"), -5, 0, 10**400),
        *("1970-01-01T00:00:00Z", "2099-01-01T00:00:00Z", "0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00"),
    ],
)
def test_what_is_no_time(value: object) -> None:
    assert decode.time_of(value, NOW) is None


@given(st.one_of(st.text(), st.floats(), st.integers(), st.none(), st.lists(st.integers())))
def test_no_value_makes_the_time_raise(value: object) -> None:
    micros = decode.time_of(value, NOW)
    assert micros is None or decode.EARLIEST <= micros <= NOW + decode.DAY


def test_ids_flags_and_inputs() -> None:
    assert [decode.id_of(v) for v in ("a", " a ", 7, True, None, 1.5, [], 10**400)] == ["a", "a", "7"] + [""] * 5
    flags = (True, False, None, "true", "False", 1, 0, "maybe", [], "1")
    assert [decode.flag_of(v) for v in flags] == [True, False, None, True, False, True, False, None, None, True]
    assert [decode.input_of(v) for v in ({"a": 1}, "ls", None, [1], 3)] == [{"a": 1}, {"input": "ls"}, {}, {}, {}]


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("plain", "plain"),
        (None, ""),
        ([], ""),
        (
            [{"type": "text", "text": "a"}, {"type": "image", "source": {"data": "x"}}, {"type": "text", "text": "b"}],
            "a\nb",
        ),
        (["a", {"type": "tool_reference", "tool_name": "t"}, 5, None], "a"),
        ([{"type": "tool_result", "content": [{"type": "text", "text": "deep"}]}], "deep"),
        ([{"type": "resource", "resource": {"uri": "u", "text": "r"}}], "r"),
        ({"type": "text", "text": "one"}, "one"),
        (17, ""),
    ],
)
def test_text_of_content(content: Any, text: str) -> None:
    assert decode.text_of(content) == text
