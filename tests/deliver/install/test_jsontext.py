"""Changing JSON as text: the result says what a program would have written, and nothing else has moved."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_riggs.deliver.install import jsontext
from agent_riggs.errors import RiggsError

VALUE = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
OBJECT = st.dictionaries(st.text(max_size=5), VALUE, max_size=4)
LAYOUT = st.sampled_from([None, 2, 4, "\t"])


def top(text: str) -> int:
    span = jsontext.find(text)
    assert span is not None
    return span.start


@given(OBJECT, LAYOUT, VALUE)
def test_a_member_is_added_at_the_end_and_taken_out_again_to_the_byte(value: Any, layout: Any, new: Any) -> None:
    text = json.dumps(value, indent=layout)
    added = jsontext.insert(text, top(text), new, "added by us")
    assert json.loads(added) == {**value, "added by us": new}
    assert list(json.loads(added))[-1] == "added by us"
    back = jsontext.remove(added, top(added), lambda member: member.name == "added by us")
    assert json.loads(back) == value
    assert back == text or not value


@given(st.lists(VALUE, min_size=1, max_size=5), LAYOUT, st.data())
def test_any_member_of_a_list_can_be_taken_out(value: list[Any], layout: Any, data: st.DataObject) -> None:
    text = json.dumps({"list": value}, indent=layout)
    span = jsontext.find(text, "list")
    assert span is not None
    place = data.draw(st.integers(0, len(value) - 1))
    unwanted = list(jsontext.members(text, span.start))[place]
    back = jsontext.remove(text, span.start, lambda member: member == unwanted)
    assert json.loads(back) == {"list": value[:place] + value[place + 1 :]}


def test_the_file_s_own_indentation_is_kept() -> None:
    text = '{\n    "a": 1\n}\n'
    assert jsontext.insert(text, 0, [{"b": 2}], "c") == (
        '{\n    "a": 1,\n    "c": [\n        {\n            "b": 2\n        }\n    ]\n}\n'
    )
    assert jsontext.insert('{"a": 1}', 0, 2, "b") == '{"a": 1, "b": 2}'
    assert jsontext.insert("{}", 0, 2, "b") == '{\n  "b": 2\n}'


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "nonsense",
        '{"a": 1,}',
        '{"a": 1} // why',
        '/* why */ {"a": 1}',
        '\ufeff{"a": 1}',
        '{"a": 1, "a": 2}',
        '{"a": NaN}',
        '{"a": 1}{}',
        '{"a": "\x01"}',
        '{"a":' * 5000,
    ],
)
def test_what_a_strict_reader_refuses_is_refused(text: str) -> None:
    with pytest.raises(RiggsError):
        jsontext.check(text)


def test_find_follows_keys_only() -> None:
    assert jsontext.find('{"a": {"b": [1]}}', "a", "b") == jsontext.Span(12, 15, "b", 7)
    assert jsontext.find('{"a": [1]}', "a", "b") is None
    assert jsontext.find("{}", "a") is None
