"""Masking: nothing of a machine, a run or an instance stays; codes and named causes do."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_riggs.judge.mask import MAX_SHAPE, clean, mask, module, subject

MASKED = [
    ("open /home/ada/shop/a.py failed", "open <path> failed"),
    ("open C:\\Users\\ada\\a.txt failed", "open <path> failed"),
    ("open \\\\srv\\share\\a.txt failed", "open <path> failed"),
    ("open ~/x/y failed", "open <path> failed"),
    ("see https://example.org/a?b=1#c now", "see <url> now"),
    ("clone git@example.org:a/b.git now", "clone <url> now"),
    ("mail ada@example.org now", "mail <email> now"),
    ("at 2026-01-02T03:04:05Z it broke", "at <time> it broke"),
    ("id 123e4567-e89b-12d3-a456-426614174000 is gone", "id <id> is gone"),
    ("commit 3f2a9c1e77 is gone", "commit <id> is gone"),
    ("pointer 0x7ffe12ab is bad", "pointer <id> is bad"),
    ("took 12.5ms and 3 tries", "took <n> and <n> tries"),
    ("host 10.1.2.3 is down", "host <ip> is down"),
    ('value "ada lovelace" is bad', "value <str> is bad"),
    ("main.py:3:7 is wrong", "<path> is wrong"),
    ("port 54321 of db.internal", "port <n> of <host>"),
]
KEPT = [
    "error E0308: mismatched types",
    "status code 404",
    "ENOENT: no such thing",
    "package.json is broken",
    "read/write is not and/or",
    "don't and can't stay words",
    "utf-8 and sha256 are names",
    "unknown option '--watch'",
]


@pytest.mark.parametrize(("line", "shape"), MASKED)
def test_masked(line: str, shape: str) -> None:
    assert mask(line) == shape


@pytest.mark.parametrize("line", KEPT)
def test_kept(line: str) -> None:
    assert mask(line) == line


def test_quoted_names_stay_only_where_they_are_the_cause() -> None:
    assert mask("variable 'total' is not defined") == "variable total is not defined"
    assert mask("cannot greet 'ada'") == "cannot greet <str>"


@pytest.mark.parametrize(
    ("word", "kept"),
    [
        ("requests", "requests"),
        ("@scope/pkg", "@scope/pkg"),
        ("a.b.c", "a.b.c"),
        ("psycopg2", "psycopg2"),
        ("--watch", "--watch"),
        ("--port=8080", "--port"),
        ("/home/ada/x", "<path>"),
        ("./x.js", "<path>"),
        ("C:\\x\\y", "<path>"),
        ("a1b2c3d4e5", "<id>"),
    ],
)
def test_subject(word: str, kept: str) -> None:
    assert subject(word) == kept


def test_module_of_a_relative_path_is_its_last_part() -> None:
    assert module("./lib/pricing.js") == module("../../pricing") == "pricing"
    assert module("/home/ada/pricing.js") == "<path>"
    assert module("node:fs") == "node:fs"


@pytest.mark.parametrize("line", ["error: fatal {} refused", "no such key: '{}'", "{}", "key={}; retry"])
@pytest.mark.parametrize(
    "token", ["AKIA" + "QX7ZNR4TPW2LKJ5H", "ghp_" + "a1B2" * 9, "sk-ant-api03-" + "Zq9" * 30, "AIza" + "Sy7Kd" * 7]
)
def test_no_part_of_a_token_gets_into_a_shape(line: str, token: str) -> None:
    """Masked first, its digits would be placeholders, and nobody would know it any more."""
    shape = mask(line.format(token))
    assert not any(token[start : start + 8] in shape for start in range(len(token) - 7)), shape


@given(st.text(max_size=400))
def test_mask_is_short_and_has_one_line(text: str) -> None:
    shape = mask(text)
    assert len(shape) <= MAX_SHAPE
    assert "\n" not in shape


def test_clean_takes_off_escapes_and_line_ends() -> None:
    assert clean("\x1b[1;31merror\x1b[0m: a\r\nb\x1b]8;;http://x\x07l\x1b]8;;\x07") == "error: a\nbl"


@pytest.mark.parametrize("piece", ["A", "a.", "/a", "'", "1:", "a@", "C:\\", '"a" ', ": ", "-", "\x1b["])
def test_long_runs_take_linear_time(piece: str) -> None:
    started = time.process_time()
    mask(piece * (262_144 // len(piece)))
    clean(piece * (262_144 // len(piece)))
    assert time.process_time() - started < 0.5
