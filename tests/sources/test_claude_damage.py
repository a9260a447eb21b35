"""Claude Code transcripts that are damaged, huge, cut, or read in steps."""

from __future__ import annotations

import json
import tracemalloc
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import claude
import reading
from agent_riggs.model import Cursor, Event, ReadEnd
from agent_riggs.sources import check, claude_code
from claude import call, encoded, key, nested, prompt, read_bytes, record, result

GOOD = encoded(
    prompt("go", permissionMode="default"),
    call(1, "Bash", {"command": "a"}),
    result(1, "one", True),
    call(2, "Bash", {"command": "b"}),
    result(2, "two"),
)


def joined(*lines: bytes, end: bytes = b"\n") -> bytes:
    return b"".join(line + end for line in lines)


def texts(whole: reading.Reading) -> list[str | None]:
    calls = sorted(whole.calls.values(), key=lambda c: c.position)
    return [c.result.text if c.result else None for c in calls]


@pytest.mark.parametrize(
    "bad",
    [
        b"\0" * 143_000,
        b'{"type": "user", "message": ',
        b"{not json}",
        b"[]",
        b"1",
        b'"x"',
        b"null",
        b"true",
        b"[" * 200_000,
        b'{"type": ' + b'{"a": ' * 100_000 + b"1" + b"}" * 100_000 + b"}",
        b"\x80\x81\xfe",
        b"<<<<<<< HEAD",
    ],
    ids=range(12),
)
def test_a_bad_line_is_counted_and_costs_nothing_else(tmp_path: Path, bad: bytes) -> None:
    whole = read_bytes(tmp_path, joined(*GOOD[:3], bad, *GOOD[3:]))
    assert texts(whole) == ["one", "two"]
    assert [p.line for p in whole.problems] == [4]
    assert whole.end.lines == 6
    at_the_end = read_bytes(tmp_path, joined(*GOOD, bad))
    assert (texts(at_the_end), len(at_the_end.problems)) == (["one", "two"], 1)


def test_padding_behind_a_record_and_a_nul_tail(tmp_path: Path) -> None:
    padded = GOOD[2] + b"\0" * 9000
    assert texts(read_bytes(tmp_path, joined(*GOOD[:2], padded, *GOOD[3:]))) == ["one", "two"]
    whole = read_bytes(tmp_path, joined(*GOOD) + b"\0" * 1_000_000)
    assert texts(whole) == ["one", "two"]
    assert [p.reason for p in whole.problems] == ["a run of NUL bytes"]
    assert whole.end.cursor.offset == len(joined(*GOOD)), "what is written over the padding later will be read"


def test_a_torn_line_gives_back_the_record_glued_to_it(tmp_path: Path) -> None:
    torn = joined(GOOD[0], GOOD[1], GOOD[2][:40] + GOOD[3], GOOD[4])
    whole = read_bytes(tmp_path, torn)
    assert (texts(whole), len(whole.problems)) == ([None, "two"], 1)
    assert texts(read_bytes(tmp_path, joined(*GOOD[:2], GOOD[2] + GOOD[3], GOOD[4]))) == ["one", "two"]


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        (b'"bad \xff\xfe bytes"', "bad \ufffd\ufffd bytes"),
        (b'"lone \\ud800 half"', "lone \ufffd half"),
        (b'"nul \\u0000 inside"', "nul \0 inside"),
        (b'"sep \xe2\x80\xa8 \xe2\x80\xa9 \xc2\x85"', "sep \u2028 \u2029 \u0085"),
        (b'"raw\ttab"', "raw\ttab"),
    ],
)
def test_odd_bytes_inside_a_text(tmp_path: Path, raw: bytes, text: str) -> None:
    odd = GOOD[2].replace(b'"one"', raw)
    whole = read_bytes(tmp_path, joined(*GOOD[:2], odd, *GOOD[3:]))
    assert texts(whole) == [text, "two"]
    assert whole.problems == ()


@pytest.mark.parametrize("number", [b"NaN", b"-Infinity", b"1e999", b"9" * 400, b"9" * 5000])
def test_numbers_no_database_holds(tmp_path: Path, number: bytes) -> None:
    odd = [line.replace(b'"version"', b'"effort": ' + number + b', "effort": 1, "version"') for line in GOOD]
    odd[1] = odd[1].replace(b'"a"', b'"a", "timeout": ' + number)
    whole = read_bytes(tmp_path, joined(*odd))
    assert texts(whole) == ["one", "two"]
    assert whole.calls[key(1)].input["command"] == "a"
    json.dumps(whole.calls[key(1)].input, allow_nan=False)


def test_a_byte_order_mark_and_other_line_ends_change_nothing(tmp_path: Path) -> None:
    plain = texts(read_bytes(tmp_path, joined(*GOOD)))
    assert texts(read_bytes(tmp_path, b"\xef\xbb\xbf" + joined(*GOOD))) == plain
    assert texts(read_bytes(tmp_path, joined(*GOOD, end=b"\r\n"))) == plain
    assert texts(read_bytes(tmp_path, joined(*GOOD, end=b"\n\n  \n"))) == plain


def test_a_last_line_without_an_end_is_taken_when_it_is_whole_and_never_twice(tmp_path: Path) -> None:
    data = joined(*GOOD)[:-1]
    whole = read_bytes(tmp_path, data)
    assert (texts(whole), whole.end.cursor.offset, whole.end.cursor.line) == (["one", "two"], len(data), 5)
    claude.place(tmp_path).write_bytes(data + b"\n" + joined(*encoded(call(3))))
    later = claude.read(claude.place(tmp_path), whole.end.cursor)
    assert (list(later.calls), later.end.lines, later.end.cursor.line) == ([key(3)], 1, 6)


def test_a_half_written_last_line_is_left_for_later(tmp_path: Path) -> None:
    data = joined(*GOOD)
    for cut in (1, 10, len(GOOD[4]) // 2):
        whole = read_bytes(tmp_path, data[: len(data) - len(GOOD[4]) - 1 + cut])
        assert (texts(whole), whole.problems) == (["one", None], ())
        claude.place(tmp_path).write_bytes(data)
        events = list(claude_code.read(transcript(tmp_path), whole.end.cursor, reading.NOW))
        assert texts(check.join([*whole.calls.values(), *events])) == ["one", "two"]


def test_a_shorter_or_other_file_is_read_anew(tmp_path: Path) -> None:
    cursor = read_bytes(tmp_path, joined(*GOOD)).end.cursor
    claude.place(tmp_path).write_bytes(joined(*GOOD[:3]))
    assert list(claude.read(claude.place(tmp_path), cursor).calls) == [key(1)]
    claude.place(tmp_path).write_bytes(joined(*encoded(call(5)), *GOOD))
    assert set(claude.read(claude.place(tmp_path), cursor).calls) == {key(5), key(1), key(2)}


def test_two_writers_in_one_file(tmp_path: Path) -> None:
    mixed = [call(1), call(2, parentUuid="u0"), result(2, "two", parentUuid="u1"), result(1, "one", parentUuid="u0")]
    assert texts(claude.read_records(tmp_path, *mixed)) == ["one", "two"]


def transcript(home: Path) -> Any:
    return reading.transcript(claude_code, claude.place(home))


@pytest.mark.parametrize("size", [1_300_000, 64_000_000])
def test_a_record_of_any_size_is_read_in_bounded_memory(tmp_path: Path, size: int) -> None:
    text = "start " + "line of output\n" * (size // 15) + "error: the end"
    path = claude.write(tmp_path, call(1), result(1, text, True, toolUseResult="Error"), call(2), result(2, "two"))
    del text
    tracemalloc.start()
    whole = claude.read(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    first, second = texts(whole)
    assert first is not None
    assert first.startswith("start line of output")
    assert first.endswith("error: the end")
    assert (second, whole.problems) == ("two", ())
    assert peak < 150_000_000


def test_an_image_of_megabytes_leaves_the_text_beside_it(tmp_path: Path) -> None:
    image = {"type": "image", "source": {"type": "base64", "data": "iVBOR" * 300_000}}
    whole = claude.read_records(tmp_path, call(1), result(1, [image, {"type": "text", "text": "a button"}]))
    assert texts(whole) == ["a button"]


# --- reading in steps

OUTPUTS = ["ok", claude.STOP, "Exit code 1", "Warmup"]
STEPS = st.lists(
    st.one_of(
        st.builds(call, st.integers(0, 5), st.sampled_from(["Bash", "EnterPlanMode", "ExitPlanMode", "TaskOutput"])),
        st.builds(
            result, st.integers(0, 5), st.sampled_from(["ok", claude.STOP, "Exit code 1", "Warmup"]), st.booleans()
        ),
        st.builds(
            lambda text, mode: prompt(text, permissionMode=mode),
            st.sampled_from(["do it", "<system-reminder>Plan mode is active", "[Request interrupted by user]"]),
            st.sampled_from([None, "default", "plan"]),
        ),
        st.builds(lambda n: nested("aa11", call(n)), st.integers(3, 7)),
        st.builds(lambda n: nested("aa11", result(n, "nested")), st.integers(3, 7)),
        st.builds(
            lambda n: prompt(f"<task-notification><task-id>b{n}</task-id><status>failed</status></task-notification>"),
            st.integers(0, 2),
        ),
        st.builds(
            lambda n: claude.attached("hook_blocking_error", toolUseID=key(n), hookEvent="PreToolUse"),
            st.integers(0, 5),
        ),
        st.sampled_from([record("system", subtype="compact_boundary"), claude.attached("plan_mode_exit")]),
    ),
    min_size=1,
    max_size=14,
)
UNHURRIED = settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)


@UNHURRIED
@given(records=STEPS, data=st.data())
def test_reading_in_steps_gives_the_calls_of_one_reading(
    tmp_path: Path, records: list[Any], data: st.DataObject
) -> None:
    lines = encoded(*records)
    whole = read_bytes(tmp_path, joined(*lines))
    cuts = sorted(data.draw(st.sets(st.integers(1, len(lines)), max_size=3)))
    cursor: Cursor | None = None
    events: list[Event] = []
    for cut in [*cuts, len(lines)]:
        claude.place(tmp_path).write_bytes(joined(*lines[:cut]))
        events += claude_code.read(transcript(tmp_path), cursor, reading.NOW)
        end = events[-1]
        assert isinstance(end, ReadEnd)
        state = json.loads(json.dumps(dict(end.cursor.state)))
        cursor = Cursor(end.cursor.offset, end.cursor.line, end.cursor.head, state)
    stepwise = check.join(events)
    assert stepwise.calls == whole.calls
    assert stepwise.notices == whole.notices
    assert end.cursor.line == whole.end.cursor.line


@UNHURRIED
@given(records=STEPS)
def test_line_ends_change_no_call(tmp_path: Path, records: list[Any]) -> None:
    lines = encoded(*records)
    plain = read_bytes(tmp_path, joined(*lines))
    other = read_bytes(tmp_path, joined(*lines, end=b"\r\n"))
    assert list(plain.calls) == list(other.calls)
    assert texts(plain) == texts(other)


@UNHURRIED
@given(records=STEPS, noise=st.binary(max_size=40), data=st.data())
def test_damage_of_one_line_loses_that_record_alone(
    tmp_path: Path, records: list[Any], noise: bytes, data: st.DataObject
) -> None:
    lines = encoded(*records)
    index = data.draw(st.integers(0, len(lines) - 1))
    without = read_bytes(tmp_path, joined(*lines[:index], *lines[index + 1 :]))
    damaged = b"#" + noise.replace(b"\n", b"").replace(b"{", b"")
    found = read_bytes(tmp_path, joined(*lines[:index], damaged, *lines[index + 1 :]))
    assert list(found.calls) == list(without.calls)
    assert texts(found) == texts(without)
    assert [p.line for p in found.problems] == [index + 1] * len(found.problems)
    assert found.problems


def test_a_cursor_holds_no_text_of_the_transcript(tmp_path: Path) -> None:
    secret = "hunter2 " * 50
    records = [
        prompt(secret),
        call(1, "TaskOutput", {"task_id": secret}),
        result(2, secret),
        result(3, claude.STOP, True),
    ]
    state = json.dumps(dict(claude.read_records(tmp_path, *records, key_=secret).end.cursor.state))
    assert "hunter2" not in state
    assert len(state) < 2000


def test_a_warm_up_is_not_told_of_before_it_is_known_to_be_none(tmp_path: Path) -> None:
    records = [prompt("Warmup"), call(1), result(1, "Warmup", True), prompt("go"), call(2)]
    path = claude.write(tmp_path, *records[:2])
    first = claude.read(path)
    assert first.calls == {}
    claude.write(tmp_path, *records)
    later = claude.read(path, first.end.cursor)
    assert (list(later.calls), later.end.warmups) == ([key(2)], 1)
