"""The only writer to stdout: tables, sentences and JSON. Narration and hints go to stderr.

Everything printed passes through ``visible``: what a transcript holds never reaches the terminal as a
control sequence. Tables fit the terminal and are never cut in a pipe; colors appear on a terminal only.
"""

from __future__ import annotations

import dataclasses
import json
import math
import os
import shutil
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, Final, TextIO

from agent_riggs.faces.text import bar, cut, hidden_in_json, iso, pad, visible, width, wrap

_STYLES: Final = {"bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33", "cyan": "36"}
_GAP: Final = 2
_LEAST_FLEXIBLE: Final = 32
_UNLIMITED: Final = 1_000_000
_SAFE: Final = 2**53
"""Many readers of JSON round whole numbers above this."""


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a table."""

    title: str
    right: bool = False
    """Numbers stand right-aligned."""
    flexible: bool = False
    """Takes what room is left on a terminal; its text wraps, then is cut."""
    drop: int = 0
    """Above zero: may be left out on a narrow terminal, highest first."""
    style: str = ""
    picture: bool = False
    """Drawn for the eye: left out where nobody looks."""


Cell = str | tuple[str, ...]
"""A cell's text; in a flexible column several paragraphs, each on lines of its own."""


def is_terminal(stream: TextIO | None = None) -> bool:
    """Whether a person looks at the stream (stdout unless told)."""
    stream = stream or sys.stdout
    return stream.isatty() and os.environ.get("TERM") != "dumb"


def has_color(stream: TextIO | None = None) -> bool:
    """Whether styles may be written: on a terminal, and not when NO_COLOR is set."""
    return is_terminal(stream) and not os.environ.get("NO_COLOR")


def is_plain(stream: TextIO | None = None) -> bool:
    """Whether the stream cannot show block characters."""
    encoding = getattr(stream or sys.stdout, "encoding", None) or "ascii"
    try:
        "▁█…".encode(encoding)
    except (UnicodeEncodeError, LookupError):
        return True
    return False


def columns() -> int:
    """Cells a line may take on stdout; without bound in a pipe."""
    return shutil.get_terminal_size().columns if is_terminal() else _UNLIMITED


def paint(text: str, style: str, stream: TextIO | None = None) -> str:
    """Visible text in a style, where the stream takes styles."""
    if not style or not text or not has_color(stream):
        return text
    return f"\x1b[{_STYLES[style]}m{text}\x1b[0m"


class ReaderLeft(Exception):
    """The program that read our output has seen enough and gone."""


class Unwritable(Exception):
    """What takes our output takes no more; the cause is the system's error."""


def _write(stream: TextIO, line: str) -> None:
    try:
        stream.write(line + "\n")
    except BrokenPipeError as error:
        raise ReaderLeft from error
    except OSError as error:
        raise Unwritable from error
    except UnicodeEncodeError:
        encoding = stream.encoding or "ascii"
        stream.write(line.encode(encoding, "backslashreplace").decode(encoding) + "\n")


def _flush(stream: TextIO) -> None:
    """Hand on what a pipe's buffer holds, so that lines on stdout and stderr keep their order."""
    try:
        stream.flush()
    except BrokenPipeError as error:
        raise ReaderLeft from error
    except OSError as error:
        raise Unwritable from error


def say(text: str = "", style: str = "") -> None:
    """One line of data on stdout."""
    _write(sys.stdout, paint(visible(text), style))


def paragraph(text: str, indent: str = "", style: str = "") -> None:
    """A sentence on stdout, wrapped and indented; whole in a pipe."""
    for line in wrap(visible(text), max(columns() - len(indent), _LEAST_FLEXIBLE), 12, _mark()):
        say(indent + line, style)


def tell(text: str, style: str = "") -> None:
    """One line of narration on stderr, behind what stdout was given before."""
    _flush(sys.stdout)
    _write(sys.stderr, paint(visible(text), style, sys.stderr))


def hint(text: str) -> None:
    """What to do next, on stderr."""
    tell(text, "dim")


def error(text: str, advice: str | None = None, choices: Sequence[str] = ()) -> None:
    """One error line on stderr, and the way out of it where there is one, with what there is to choose from a line
    each. An error may quote what was typed, and logs keep what it says: secrets are left out."""
    from agent_riggs.judge.redact import redact

    label = paint("error:", "red", sys.stderr)
    _write(sys.stderr, f"{label} {visible(redact(text))}")
    if advice:
        _write(sys.stderr, f" {paint('hint:', 'cyan', sys.stderr)} {visible(redact(advice))}")
    for choice in choices:
        _write(sys.stderr, f"   {visible(redact(choice))}")


def fields(pairs: Iterable[tuple[str, str]]) -> None:
    """Label and value per line, values aligned, wrapped on a terminal."""
    shown = [(label, visible(value)) for label, value in pairs]
    left = max((width(label) for label, _ in shown), default=0) + _GAP
    room = max(columns() - left, _LEAST_FLEXIBLE)
    for label, value in shown:
        first, *rest = wrap(value, room, 12, _mark())
        _write(sys.stdout, (paint(pad(label, left), "dim") + first).rstrip())
        for line in rest:
            _write(sys.stdout, " " * left + line)


def block(text: str, indent: str = "  ") -> None:
    """Text of several lines, indented, each hidden character visible."""
    for line in text.splitlines() or [""]:
        say(indent + line.expandtabs(4))


def explain(words: Mapping[str, str], shown: Sequence[str]) -> None:
    """What columns of a table mean, of those that are shown."""
    told = [f"{name}: {meaning}" for name, meaning in words.items() if name in shown]
    if told:
        hint("; ".join(told))


def table(titles: Sequence[Column], rows: Sequence[Sequence[Cell]]) -> list[str]:
    """Aligned columns under a head; on a terminal fitted to its width, in a pipe whole. Returns the heads of those that
    had room."""
    titles = [dataclasses.replace(column, title=visible(column.title)) for column in titles]
    shown = [[_paragraphs(cell) for cell in row] for row in rows]
    keep, widths = _fit(titles, shown, columns())
    head = [(pad(titles[place].title, widths[place], titles[place].right), "dim") for place in keep]
    _write(sys.stdout, _join(head))
    for row in shown:
        cells = [_lines(row[place], titles[place], widths[place]) for place in keep]
        for level in range(max(map(len, cells))):
            line = [
                (pad(cell[level] if level < len(cell) else "", widths[place], titles[place].right), titles[place].style)
                for place, cell in zip(keep, cells, strict=True)
            ]
            _write(sys.stdout, _join(line))
    return [titles[place].title for place in keep]


def _paragraphs(cell: Cell) -> tuple[str, ...]:
    return tuple(visible(text) for text in ((cell,) if isinstance(cell, str) else cell)) or ("",)


def _lines(cell: tuple[str, ...], column: Column, cells: int) -> list[str]:
    if not column.flexible:
        return list(cell)
    return [line for paragraph in cell for line in wrap(paragraph, cells, 3, _mark())]


def _join(cells: list[tuple[str, str]]) -> str:
    last = len(cells) - 1
    parts = [paint(text.rstrip() if place == last else text, style) for place, (text, style) in enumerate(cells)]
    return (" " * _GAP).join(parts).rstrip()


def _fit(titles: Sequence[Column], rows: list[list[tuple[str, ...]]], room: int) -> tuple[list[int], dict[int, int]]:
    """Which columns are kept, and how wide each is."""
    widths = {
        place: max([width(column.title), *(width(text) for row in rows for text in row[place])])
        for place, column in enumerate(titles)
    }
    keep = [place for place in widths if is_terminal() or not titles[place].picture]
    while True:
        fixed = sum(widths[place] for place in keep if not titles[place].flexible) + _GAP * (len(keep) - 1)
        flexible = [place for place in keep if titles[place].flexible]
        left = room - fixed
        if left >= min(sum(widths[place] for place in flexible), _LEAST_FLEXIBLE * len(flexible)):
            break
        droppable = [place for place in keep if titles[place].drop]
        if not droppable:
            break
        keep.remove(max(droppable, key=lambda place: titles[place].drop))
    return keep, {**widths, **_share(flexible, widths, left)}


def _share(flexible: list[int], widths: Mapping[int, int], left: int) -> dict[int, int]:
    """Room for the flexible columns: what they need, else equal parts of what is left."""
    out: dict[int, int] = {}
    for done, place in enumerate(sorted(flexible, key=lambda place: widths[place])):
        part = max((left - sum(out.values())) // (len(flexible) - done), 8)
        out[place] = min(widths[place], part)
    return out


def _mark() -> str:
    return "..." if is_plain() else "…"


BAR: Final = 10
"""Cells of the longest bar of a column."""


def bars(values: Sequence[float]) -> list[str]:
    """Values, none below 0, as bars beside each other, the longest for the greatest."""
    most = max(values, default=0.0) or 1.0
    return [bar(value / most, BAR, is_plain()) for value in values]


def one_line(text: str, indent: int = 0) -> str:
    """Visible text cut to the terminal's width; whole in a pipe."""
    return cut(visible(text), columns() - indent, _mark())


def as_json(value: Any) -> Any:
    """Rows as JSON values: a dataclass becomes an object in field order, times become ISO 8601 in UTC, ids text."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {
            item.name: _field(item.type, getattr(value, item.name))
            for item in dataclasses.fields(value)
            if item.metadata.get("json", True)
        }
    if isinstance(value, Mapping):
        return {str(key): _member(str(key), item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        items = sorted(value, key=str) if isinstance(value, set | frozenset) else value
        return [as_json(item) for item in items]
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, int) and abs(value) > _SAFE:
        return str(value)
    return value if isinstance(value, str | int | None) else str(value)


def _member(key: str, value: Any) -> Any:
    """A value of a mapping; an id is text, however small it happens to be."""
    return str(value) if key.endswith("_id") and type(value) is int else as_json(value)


def _field(annotation: object, value: Any) -> Any:
    kind = annotation.removesuffix(" | None") if isinstance(annotation, str) else ""
    if value is None or kind not in {"When", "Id"}:
        return as_json(value)
    return iso(value) if kind == "When" else str(value)


def emit_json(value: Any) -> None:
    """One JSON document on stdout."""
    document = json.dumps(as_json(value), indent=2, ensure_ascii=is_plain(), allow_nan=False)
    _write(sys.stdout, hidden_in_json(document))
