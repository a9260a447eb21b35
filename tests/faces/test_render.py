from __future__ import annotations

import io
import json
import sys
from dataclasses import dataclass, field
from datetime import UTC, datetime
from types import SimpleNamespace

import pytest

from agent_riggs.faces import render
from agent_riggs.faces.render import Column
from agent_riggs.faces.text import width


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    encoding = "utf-8"

    def isatty(self) -> bool:
        return True


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    stream = Terminal()
    monkeypatch.setattr(render, "sys", SimpleNamespace(stdout=stream, stderr=sys.stderr))
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.delenv("NO_COLOR", raising=False)
    return stream


TITLES = [Column("n", right=True), Column("what", flexible=True), Column("key", drop=1), Column("age", drop=2)]
LONG = "an error message that is rather longer than what fits beside the others in a narrow terminal window"
ROWS: list[list[render.Cell]] = [["1", ("Bash", LONG), "f0123456789abcdef", "2 days ago"], ["23", "short", "f1", "now"]]


def test_a_sentence_is_wrapped_between_words(terminal: Terminal) -> None:
    render.paragraph(LONG, "   ")
    lines = terminal.getvalue().splitlines()
    assert len(lines) == 2
    assert all(line.startswith("   ") and len(line) <= 80 for line in lines)
    assert " ".join(line.strip() for line in lines) == LONG


def test_a_sentence_in_a_pipe_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    render.paragraph(LONG, "   ")
    assert capsys.readouterr().out == f"   {LONG}\n"


def test_a_table_in_a_pipe_is_whole(capsys: pytest.CaptureFixture[str]) -> None:
    render.table(TITLES, ROWS)
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["n", "what", "key", "age"]
    assert LONG in lines[2]
    assert "f0123456789abcdef" in lines[1]
    assert lines[3].startswith("23  short")
    assert all(line == line.rstrip() for line in lines)


@pytest.mark.parametrize("columns", [40, 60, 80, 120, 200])
def test_a_table_on_a_terminal_fits(terminal: Terminal, monkeypatch: pytest.MonkeyPatch, columns: int) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.setenv("NO_COLOR", "1")
    render.table(TITLES, ROWS)
    assert all(width(line) <= columns for line in terminal.getvalue().splitlines())
    assert "short" in terminal.getvalue()


def test_a_narrow_terminal_leaves_out_the_least_important_column_first(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "58")
    render.table(TITLES, ROWS)
    assert "f0123456789abcdef" in terminal.getvalue()
    assert "2 days ago" not in terminal.getvalue()


def test_numbers_stand_right_aligned_under_their_title(capsys: pytest.CaptureFixture[str]) -> None:
    render.table([Column("calls", right=True), Column("tool")], [["7", "Bash"], ["1,234", "Read"]])
    assert capsys.readouterr().out.splitlines() == ["calls  tool", "    7  Bash", "1,234  Read"]


def test_wide_characters_keep_columns_aligned(capsys: pytest.CaptureFixture[str]) -> None:
    render.table([Column("what"), Column("n", right=True)], [["日本語", "1"], ["abc", "2"]])
    assert [width(line) for line in capsys.readouterr().out.splitlines()] == [9, 9, 9]


def test_color_on_a_terminal_only(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    render.say("x", "bold")
    assert terminal.getvalue() == "\x1b[1mx\x1b[0m\n"
    monkeypatch.setenv("NO_COLOR", "1")
    render.say("y", "bold")
    assert terminal.getvalue().endswith("y\n")
    monkeypatch.delenv("NO_COLOR")
    monkeypatch.setenv("TERM", "dumb")
    assert not render.has_color()


def test_no_color_in_a_pipe(capsys: pytest.CaptureFixture[str]) -> None:
    render.say("x", "bold")
    render.error("bad", "do this")
    render.hint("h")
    out, err = capsys.readouterr()
    assert out == "x\n"
    assert err == "error: bad\n hint: do this\nh\n"


EVIL = "a\x1b]52;c;ZXZpbA==\x07\u202e\u200b\nb\x9b2J"


@pytest.mark.parametrize(
    "write",
    [
        lambda: render.say(EVIL),
        lambda: render.tell(EVIL),
        lambda: render.hint(EVIL),
        lambda: render.error(EVIL, EVIL),
        lambda: render.fields([("x", EVIL)]),
        lambda: render.block(EVIL),
        lambda: render.table([Column("x"), Column("y", flexible=True)], [[EVIL, EVIL]]),
        lambda: render.table([Column(EVIL), Column(EVIL, flexible=True)], [["", ""]]),
        lambda: render.emit_json({"x": EVIL}),
    ],
)
def test_nothing_hidden_reaches_a_stream(write: object, capsys: pytest.CaptureFixture[str]) -> None:
    assert callable(write)
    write()
    shown = "".join(capsys.readouterr()).replace("\n", "")
    assert not any(character in shown for character in "\x1b\x07\x9b\u202e\u200b")
    assert "202e" in shown


def test_fields_wrap_under_their_value(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    monkeypatch.setenv("NO_COLOR", "1")
    render.fields([("label", "some words that do not fit into one line of it"), ("x", "")])
    assert terminal.getvalue().splitlines() == [
        "label  some words that do not fit into", "       one line of it", "x"
    ]  # fmt: skip


def test_an_ascii_stream_gets_escapes_instead_of_an_exception(monkeypatch: pytest.MonkeyPatch) -> None:
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding="ascii", write_through=True)
    monkeypatch.setattr(sys, "stdout", stream)
    render.say("日 ok")
    render.emit_json(["日"])
    assert raw.getvalue() == b'\\u65e5 ok\n[\n  "\\u65e5"\n]\n'
    assert render.is_plain()


@dataclass(frozen=True, slots=True)
class Row:
    turn_id: Id  # noqa: F821 (annotations are text here, as in the row classes)
    seen_at: When | None  # noqa: F821
    share: float
    tags: tuple[str, ...] = ()
    inner: object = field(default=None, metadata={"json": False})


def test_json_of_rows(capsys: pytest.CaptureFixture[str]) -> None:
    render.emit_json([Row(2**62, 1_700_000_000_000_000, float("nan"), ("a",)), Row(1, None, 0.5)])
    assert json.loads(capsys.readouterr().out) == [
        {"turn_id": str(2**62), "seen_at": "2023-11-14T22:13:20Z", "share": None, "tags": ["a"]},
        {"turn_id": "1", "seen_at": None, "share": 0.5, "tags": []},
    ]


def test_json_of_whatever_sql_returns(capsys: pytest.CaptureFixture[str]) -> None:
    render.emit_json(
        {"t": datetime(2026, 1, 2, tzinfo=UTC), "b": b"\x00", "s": {"b", "a"}, "m": {1: (2,), "turn_id": 3, "n": 2**60}}
    )
    assert json.loads(capsys.readouterr().out) == {
        "t": "2026-01-02T00:00:00+00:00", "b": "b'\\x00'", "s": ["a", "b"],
        "m": {"1": [2], "turn_id": "3", "n": str(2**60)},
    }  # fmt: skip


def test_a_picture_is_left_out_where_nobody_looks(capsys: pytest.CaptureFixture[str]) -> None:
    titles = [Column("n"), Column("bar", picture=True)]
    render.table(titles, list(zip(["2", "0"], render.bars([2.0, 0.0]), strict=True)))
    assert capsys.readouterr().out == "n\n2\n0\n"


def test_bars_stand_beside_each_other(terminal: Terminal) -> None:
    render.table(
        [Column("n"), Column("bar", picture=True)], list(zip("210", render.bars([2.0, 1.0, 0.0]), strict=True))
    )
    assert [line.split() for line in terminal.getvalue().splitlines()[1:]] == [["2", "█" * 10], ["1", "█" * 5], ["0"]]
    assert render.bars([0.0, 0.0]) == ["", ""]


def test_a_cell_is_cut_after_its_third_line(terminal: Terminal) -> None:
    words = " ".join(f"word{n:02}" for n in range(30))
    render.table([Column("left"), Column("what", flexible=True)], [["x" * 40, words]])
    lines = terminal.getvalue().splitlines()[1:]
    assert len(lines) == 3
    assert lines[-1].endswith("…")
