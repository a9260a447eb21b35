"""Lines by byte offset: what ends one, what tears one, and how long one may be."""

from __future__ import annotations

import io
import json
import tracemalloc

import pytest

from agent_riggs.sources.lines import KEPT_END, LONG_LINE, Line, lines


def read(data: bytes, offset: int = 0, number: int = 0, inside: bool = False) -> list[Line]:
    stream = io.BytesIO(data)
    stream.seek(offset)
    return list(lines(stream, offset, number, inside))


def values(data: bytes) -> list[object]:
    return [json.loads(line.data) for line in read(data) if not line.fault]


def test_only_a_line_feed_ends_a_line() -> None:
    text = "a\u2028b\u2029c\x85d\x0b\x0c\x1c"
    assert values(json.dumps(text, ensure_ascii=False).encode() + b'\n"two"\n') == [text, "two"]
    assert [line.number for line in read(b"1\r\n\r\n2\r\n")] == [1, 3], "a blank line is counted and not handed out"


def test_offsets_and_ends_lead_from_line_to_line() -> None:
    assert [(x.offset, x.end, x.whole) for x in read(b"1\n22\n333")] == [(0, 2, True), (2, 5, True), (5, 8, False)]
    assert read(b"1\n22\n333", 2, 1) == read(b"1\n22\n333")[1:]


def test_a_line_taken_before_it_had_an_end_is_not_counted_twice() -> None:
    assert [x.number for x in read(b"1\n2\n", 1, 1, inside=True)] == [2]


def test_a_byte_order_mark_is_no_part_of_a_record() -> None:
    assert values(b'\xef\xbb\xbf{"a": 1}\n{"a": 2}\n') == [{"a": 1}, {"a": 2}]


@pytest.mark.parametrize("run", [1, 143_000, LONG_LINE + 5])
def test_nul_runs_are_a_fault_of_their_own_line_alone(run: int) -> None:
    found = read(b"1\n" + b"\0" * run + b"\n2\n")
    assert [(x.number, bool(x.fault)) for x in found] == [(1, False), (2, True), (3, False)]
    assert not read(b"1\n" + b"\0" * run)[-1].whole


def test_nul_padding_behind_before_and_between_records() -> None:
    assert values(b"1" + b"\0" * 9000 + b"\n\0\0\0" + b"2\n3\0\0\0" + b"4\n") == [1, 2, 3, 4]
    assert [x.offset for x in read(b"3\0\0\0" + b"4\n")] == [0, 4]


def test_a_long_string_keeps_its_two_ends() -> None:
    text = "HEAD" + 'é\\"\n' * (LONG_LINE // 4) + "TAIL"
    data = json.dumps({"id": "x", "text": text, "after": [1]}).encode()
    assert len(data) > LONG_LINE
    (line,) = read(data + b"\n")
    record = json.loads(line.data)
    assert (record["id"], record["after"], line.end) == ("x", [1], len(data) + 1)
    assert record["text"].startswith('HEADé\\"\n')
    assert record["text"].endswith('é\\"\nTAIL')
    assert "bytes left out" in record["text"]
    assert len(record["text"]) <= 2 * KEPT_END + 100


def test_a_string_of_backslashes_is_cut_between_escapes() -> None:
    for text in ("\\" * LONG_LINE, "x" + "\\" * LONG_LINE, "\u0007" * (LONG_LINE // 5)):
        (line,) = read(json.dumps({"text": text}).encode() + b"\n")
        assert json.loads(line.data)["text"].startswith(text[:1000])


def test_a_long_line_without_long_strings_is_a_fault_and_costs_no_other() -> None:
    found = read(b"1\n[" + b"10," * LONG_LINE + b"1]\n2\n")
    assert [x.fault != "" for x in found] == [False, True, False]
    assert [x.number for x in found] == [1, 2, 3]


def test_a_line_of_any_length_is_read_in_bounded_memory() -> None:
    class Endless(io.RawIOBase):
        """One line of 264 MB that is never in memory as a whole."""

        left = 264

        def readable(self) -> bool:
            return True

        def readinto(self, buffer: object) -> int:
            view = memoryview(buffer).cast("B")  # type: ignore[arg-type]
            piece = {264: b'{"text": "', 0: b'"}\n'}.get(self.left, b"lorem \\n ipsum " * 70_000)
            if self.left < 0:
                return 0
            piece = piece[: len(view)]
            view[: len(piece)] = piece
            self.left -= 1
            return len(piece)

    tracemalloc.start()
    (line,) = lines(io.BufferedReader(Endless(), 1 << 20), 0, 0, False)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert json.loads(line.data)["text"].startswith("lorem")
    assert line.end > 200_000_000
    assert peak < 120_000_000
