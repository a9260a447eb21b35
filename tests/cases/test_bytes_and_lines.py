"""Damaged and odd transcripts, all read by one ingest: each costs itself at most, and every call around it counts."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import claude
from cases.scene import NOT_FOUND, Scene, shared

Bytes = Callable[[list[bytes]], bytes]

WHOLE = {"ok": 2, "failed": 1}
"""What becomes of the three calls of each session."""


def joined(lines: list[bytes], end: bytes = b"\n") -> bytes:
    return b"".join(line + end for line in lines)


def inserted(*bad: bytes) -> Bytes:
    return lambda lines: joined([*lines[:2], *bad, *lines[2:]])


def replaced(old: bytes, new: bytes) -> Bytes:
    def make(lines: list[bytes]) -> bytes:
        data = joined(lines)
        assert old in data
        return data.replace(old, new)

    return make


def beside(given: bytes) -> Bytes:
    """A further argument beside the command that fails."""
    return replaced(b'"command": "frob"', b'"command": "frob", ' + given)


IMAGE = json.dumps(claude.result(999, [{"type": "image", "source": {"type": "base64", "data": "A" * 1_300_000}}]))
NOTES = claude.encoded(
    {"type": "queue-operation", "operation": "enqueue", "content": "x"},
    {"type": "file-history-snapshot", "messageId": "m", "sessionId": ...},
    {"type": "summary", "summary": "s", "leafUuid": "l", "sessionId": ...},
)
ODD = [
    json.dumps({"type": kind, "message": message}).encode()
    for kind in ("user", "assistant")
    for message in (None, "text", [], 5, {}, {"content": None}, {"content": 7}, {"content": ["x", None, {}]})
]
SEPARATORS = "a\u2028b\u2029c\u0085d".encode()

UNHARMED: dict[str, Bytes] = {
    "plain": joined,
    "padding": lambda lines: joined([*lines[:3], lines[3] + b"\0" * 9000, *lines[4:]]),
    "nul-in-text": replaced(b"frob:", b"frob\\u0000:"),
    "nul-in-command": replaced(b'"frob"', b'"frob a\\u0000b"'),
    "no-utf8": lambda lines: joined(lines).replace(b'"built"', b'"b\xff\xfe"').replace(b'"frob"', b'"frob \xff"'),
    "half-character": replaced(b'"built"', b'"\\ud800"'),
    "half-character-in-command": replaced(b'"frob"', b'"frob \\udfff"'),
    "byte-order-mark": lambda lines: b"\xef\xbb\xbf" + joined(lines),
    "carriage-returns": lambda lines: joined(lines, b"\r\n"),
    "separators": replaced(b'"built"', b'"' + SEPARATORS + b'"'),
    "separators-in-command": replaced(b'"frob"', b'"frob ' + SEPARATORS + b'"'),
    "blank-lines": lambda lines: joined(lines, b"\n\n  \n"),
    "not-a-number": beside(b'"x": NaN'),
    "endless": beside(b'"x": 1e999'),
    "long-number": beside(b'"x": ' + b"9" * 400),
    "twice-the-key": beside(b'"command": "frob"'),
    "image": inserted(IMAGE.encode()),
    "long-line": replaced(b'"built"', b'"' + b"a line of text\\n" * 1_150_000 + b'"'),
    "notes-first": lambda lines: joined([*NOTES, *lines]),
    "odd-messages": inserted(*ODD),
    "session-null": replaced(b'"sessionId": "session-null"', b'"sessionId": null'),
    "session-empty": replaced(b'"sessionId": "session-empty"', b'"sessionId": ""'),
    "session-missing": replaced(b'"sessionId": "session-missing", ', b""),
    "17": replaced(b'"sessionId": "17"', b'"sessionId": 17'),
    "no-last-end": lambda lines: joined(lines)[:-1],
    "links-in-a-circle": lambda lines: joined(lines).replace(b'"version"', b'"parentUuid": "u1", "version"'),
    "links-to-nothing": lambda lines: joined(lines).replace(b'"version"', b'"parentUuid": "gone", "version"'),
    "flag-as-text": replaced(b'"is_error": true', b'"is_error": "true"'),
    "flag-as-number": replaced(b'"is_error": true', b'"is_error": 1'),
    "flag-missing": replaced(b', "is_error": true', b""),
    "flag-null": replaced(b'"is_error": true', b'"is_error": null'),
    "command-as-list": replaced(b'"command": "frob"', b'"command": ["frob"]'),
    "arguments-as-text": replaced(b'{"command": "frob"}', b'"frob"'),
    "arguments-null": replaced(b'{"command": "frob"}', b"null"),
    "arguments-as-list": replaced(b'{"command": "frob"}', b"[1]"),
    "times-as-numbers": replaced(b'"timestamp": "', b'"timestamp": 3, "t": "'),
    "times-odd": replaced(b'"timestamp": "', b'"timestamp": {}, "t": "'),
}  # fmt: skip
"""Nothing is lost and nothing is said about it."""

COUNTED: dict[str, tuple[Bytes, list[int]]] = {
    "nul-line": (inserted(b"\0" * 143_000), [3]),
    "nul-tail": (lambda lines: joined(lines) + b"\0" * 1_000_000, [7]),
    "nul-tail-line": (lambda lines: joined(lines) + b"\0" * 1000 + b"\n", [7]),
    "broken-line": (inserted(b"{broken"), [3]),
    "no-object": (inserted(b"[]", b"1", b'"x"', b"null", b"true"), [3, 4, 5, 6, 7]),
    "brackets": (inserted(b"[" * 200_000), [3]),
    "deep-object": (inserted(b'{"a": ' * 5000 + b"1" + b"}" * 5000), [3]),
    "conflict": (inserted(b"<<<<<<< HEAD", b"======="), [3, 4]),
}
"""The lines that cannot be read are counted, by their number."""

SILENT: dict[str, bytes] = {
    "empty": b"",
    "blank": b"\n\n  \n\r\n",
    "notes": joined(
        claude.encoded({"type": "summary", "summary": "s"}, {"type": "queue-operation"}, session_id="notes", cwd=...)
    ),
}


def session(number: int) -> list[Any]:
    return [
        claude.call(10 * number + 1),
        claude.result(10 * number + 1, "built"),
        claude.call(10 * number + 2, "Bash", {"command": "frob"}),
        claude.result(10 * number + 2, NOT_FOUND, True),
        claude.call(10 * number + 3),
        claude.result(10 * number + 3, "done"),
    ]


@pytest.fixture(scope="module")
def scene(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scene]:
    """Everything above, read once."""
    with shared(tmp_path_factory) as found:
        cases = UNHARMED | {name: make for name, (make, _) in COUNTED.items()}
        for number, (name, make) in enumerate(cases.items()):
            found.put(make(found.lines(*session(number), name=name)), name)
        for name, data in SILENT.items():
            found.put(data, name)
        ran = found.run("ingest")
        assert ran.code == 0, ran.err
        assert "Traceback" not in ran.err
        yield found


def outcomes(scene: Scene, name: str) -> dict[str, int]:
    return dict(scene.rows(f"SELECT outcome, count(*) FROM turns WHERE session_id = '{name}' GROUP BY 1"))


def problems(scene: Scene, name: str) -> list[int]:
    found = scene.rows(f"SELECT line FROM problems WHERE ends_with(path, '/{name}.jsonl') ORDER BY 1")
    return [row[0] for row in found]


@pytest.mark.parametrize("name", UNHARMED)
def test_what_can_be_read_is_read_without_a_word(scene: Scene, name: str) -> None:
    assert outcomes(scene, name) == WHOLE
    assert problems(scene, name) == []
    failed = f"SELECT failure_class, program FROM failure_stream WHERE session_id = '{name}'"
    assert scene.rows(failed) == [("command_not_found", "frob")]


@pytest.mark.parametrize("name", COUNTED)
def test_what_cannot_be_read_is_counted_and_costs_no_other_call(scene: Scene, name: str) -> None:
    assert outcomes(scene, name) == WHOLE
    assert problems(scene, name) == COUNTED[name][1]


@pytest.mark.parametrize("name", SILENT)
def test_a_session_without_calls_is_no_noise(scene: Scene, name: str) -> None:
    assert outcomes(scene, name) == {}
    assert problems(scene, name) == []


def test_counts_are_exact_and_the_same_in_every_command(scene: Scene) -> None:
    sessions = len(UNHARMED) + len(COUNTED)
    bad = sum(len(lines) for _, lines in COUNTED.values())
    again = scene.ingest()
    assert (again["new_calls"], again["problems"], again["transcripts_read"]) == (0, 0, 0)
    assert (again["calls"], again["outcomes"]) == (3 * sessions, {"ok": 2 * sessions, "failed": sessions})
    assert scene.rows("SELECT count(*), count(DISTINCT turn_id) FROM turns") == [(3 * sessions, 3 * sessions)]
    assert len(scene.run("problems", "--json", "--limit", "99").json) == bad
    assert len(scene.run("sessions", "--json", "--limit", "99").json) == sessions
    (row,) = scene.run("failures", "--json").json
    assert (row["times"], row["sessions"]) == (sessions, sessions)
    totals = scene.run("status", "--json").json["totals"]
    assert (totals["calls"], totals["failures"]) == (3 * sessions, sessions)


def test_records_nobody_knows_are_counted_by_their_type(tmp_path_factory: pytest.TempPathFactory) -> None:
    with shared(tmp_path_factory) as alone:
        blocks = [{"type": "hologram"}, {"type": "hologram"}, {"type": "image"}, {"type": "document"}]
        alone.write(claude.record("of-tomorrow"), claude.says(*blocks), *session(1))
        counts = alone.ingest()
        assert (counts["unknown"], counts["outcomes"]) == ({"block:hologram": 2, "of-tomorrow": 1}, WHOLE)
        assert (counts["lines"], counts["lines_understood"]) == (8, 7)
        assert "1 of 8 lines not understood" in alone.run("status").out


def test_what_was_stored_is_text_that_any_program_takes(scene: Scene) -> None:
    found = scene.rows("SELECT metadata::VARCHAR, excerpt FROM turns")
    assert all(json.loads(metadata) for metadata, _ in found)
    assert all(len(excerpt or "") <= 400 for _, excerpt in found)


def test_a_nul_is_shown_as_an_escape(tmp_path_factory: pytest.TempPathFactory) -> None:
    with shared(tmp_path_factory) as alone:
        said = f"{claude.REJECTED} To tell you how to proceed, the user said:\nuse a\0b"
        alone.write(claude.call(1), claude.result(1, said, True))
        alone.ingest()
        ((turn_id, words),) = alone.rows("SELECT turn_id, user_said FROM turns")
        assert words == "use a\0b"
        for more, escape in (([], "a\\x00b"), (["--json"], "a\\u0000b")):
            shown = alone.run("explain", str(turn_id), *more).out
            assert "\0" not in shown
            assert escape in shown


def test_a_finished_line_without_its_end_is_read_once(scene: Scene) -> None:
    before = scene.rows("SELECT count(*) FROM turns")
    path = claude.place(scene.home, "no-last-end")
    path.write_bytes(path.read_bytes() + b"\n")
    assert scene.ingest()["new_calls"] == 0
    assert scene.rows("SELECT count(*) FROM turns") == before


@pytest.mark.parametrize("data", SILENT.values(), ids=SILENT)
def test_an_empty_session_alone_is_no_error(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    """A file that was opened and not yet written must not look like a format nobody knows."""
    with shared(tmp_path_factory) as alone:
        alone.put(data)
        ran = alone.run("ingest")
        assert (ran.code, "error" in ran.err) == (0, False)
        assert alone.run("problems", "--json").json == []


@pytest.mark.parametrize("bad", ["/w/p\0x", "\0", "/w/\udc00\ud800", "/w/" + "x" * 9000, "/w" + "/d" * 30_000])
@pytest.mark.parametrize("words", [[], ["--all"]], ids=["here", "all"])
def test_a_folder_that_no_system_could_have_costs_its_own_session_at_most(
    scene_alone: Scene, bad: str, words: list[str]
) -> None:
    """One such transcript, of whatever project, must not keep every project from being read."""
    scene_alone.write(*session(1), name="good")
    scene_alone.write(*session(2), name="bad", cwd=bad)
    (scene_alone.root / ".git").write_text("gitdir: /w/\0nowhere\n")
    ran = scene_alone.run("ingest", *words)
    assert (ran.code, "Traceback" in ran.err) == (0, False), ran.err
    assert outcomes(scene_alone, "good") == WHOLE
    assert outcomes(scene_alone, "bad") == {}


@pytest.fixture
def scene_alone(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scene]:
    with shared(tmp_path_factory) as alone:
        yield alone
