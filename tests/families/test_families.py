"""The judge's keys, held against real failures of real tools (see ``dsl.py`` for what a family is).

The expectation is what a user would want: one fix, one key; two fixes, two keys. Every test takes the families of one
tool and names those that fail it.
"""

from __future__ import annotations

import json
import random
import re
import shlex
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Final

import duckdb
import pytest

from agent_riggs.judge import digest, judge
from agent_riggs.model import FAILURES, ToolResult, Verdict
from families.corpus import DATA, Case, dump, load, parse
from families.dsl import Shot
from families.known import BYTE_EQUAL
from families.recordings import AGENTS, claude_code, recorded

CASES: Final = tuple(load())
TOOLS: Final = sorted({case.toolchain for case in CASES})
each_tool = pytest.mark.parametrize("tool", TOOLS)
MACHINE_BOUND: Final = re.compile(r"/home/|/Users/|/tmp/|C:\\|\b(ada|grace|linus|shop-api|basket|ledger|tenant|4217)\b")


def families(tool: str) -> list[Case]:
    return [case for case in CASES if case.toolchain == tool]


@cache
def seen(shot: Shot) -> Verdict:
    return judge(claude_code(shot))


def parts(verdict: Verdict) -> str:
    return f"{verdict.failure_class} | {verdict.program} | {verdict.shape}"


# The corpus itself


def test_corpus_is_wide_enough() -> None:
    assert len(CASES) >= 120
    assert len(TOOLS) >= 20


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_capture_is_whole(case: Case) -> None:
    assert parse(case.name, dump(case)) == case
    assert case.twins
    assert case.a.cwd != case.b.cwd
    assert all(shot.exit_code for shot in case.shots)
    assert all((twin.output, twin.exit_code) != (case.a.output, case.a.exit_code) for twin in case.twins)


def test_equal_captures_are_named() -> None:
    """A pair that is equal byte for byte proves nothing; such families are known by name."""
    assert {case.name for case in CASES if case.a.output == case.b.output} == BYTE_EQUAL


def test_no_text_of_the_capturing_machine() -> None:
    folders = r"/root\b|/work\b|/srv/(?!\n)|/opt/(?!python|\s)|/tmp/(?!cc\w+\.o|sphinx-err|copy|none|\n|\")"
    hosts = r"npmjs|pypi\.org|rubygems\.org|packagist\.org"
    left = re.compile(f"{folders}|{hosts}|(?m:^cwd: (?!/home/ada|/Users/grace|C:.Users))")
    assert [str(path) for path in DATA.glob("*/*.txt") if left.search(path.read_text())] == []


# One fix, one key


@each_tool
def test_same_failure_has_one_key(tool: str) -> None:
    pairs = {case.name: (seen(case.a), seen(case.b)) for case in families(tool)}
    assert {name: (parts(a), parts(b)) for name, (a, b) in pairs.items() if parts(a) != parts(b)} == {}
    assert [name for name, (a, b) in pairs.items() if a.fingerprint is None or a.fingerprint != b.fingerprint] == []


@each_tool
def test_another_cause_has_another_key(tool: str) -> None:
    twins = [(case, shot) for case in families(tool) for shot in case.twins]
    same = {f"{c.name} {s.name}": parts(seen(s)) for c, s in twins if seen(s).fingerprint == seen(c.a).fingerprint}
    assert same == {}
    assert [f"{c.name} {s.name}" for c, s in twins if seen(s).fingerprint is None] == []


@each_tool
def test_outcome_and_class(tool: str) -> None:
    wrong = {}
    for case in families(tool):
        for verdict in (seen(case.a), seen(case.b)):
            fits = verdict.outcome in FAILURES and verdict.outcome in case.outcome.split()
            if not fits or verdict.failure_class not in case.classes:
                wrong[case.name] = f"{verdict.outcome} by {verdict.rule}: {parts(verdict)}"
    assert wrong == {}


@each_tool
def test_shape_names_a_cause_and_no_machine(tool: str) -> None:
    shots = [(case.name, seen(shot)) for case in families(tool) for shot in case.shots]
    assert {name: parts(v) for name, v in shots if not v.shape or MACHINE_BOUND.search(f"{v.program} {v.shape}")} == {}


@each_tool
def test_every_agent_gives_the_same_key(tool: str) -> None:
    found = [(case, agent.__name__, judge(agent(case.a))) for case in families(tool) for agent in AGENTS]
    other = [(case, name, v) for case, name, v in found if v.fingerprint != seen(case.a).fingerprint]
    assert {f"{case.name} {name}": (parts(v), parts(seen(case.a))) for case, name, v in other} == {}


@each_tool
def test_digest_keeps_the_verdict(tool: str) -> None:
    for case in families(tool):
        call = claude_code(case.b)
        assert judge(replace(call, input=digest(call.tool, call.input))) == judge(call), case.name


@each_tool
def test_line_endings_and_colors_do_not_matter(tool: str) -> None:
    for case in families(tool):
        colored = "\n".join(f"\x1b[1;31m{line}\x1b[0m" for line in case.a.output.split("\n"))
        for output in (case.a.output.replace("\n", "\r\n"), colored):
            assert parts(judge(claude_code(replace(case.a, output=output)))) == parts(seen(case.a)), case.name


WRAPPERS: Final = (
    "cd {cwd} && {cmd}",
    "timeout 300 {cmd}",
    "PYTHONUNBUFFERED=1 {cmd}",
    "bash -lc {quoted}",
    "({cmd}) 2>&1",
)
_COMPOUND = re.compile(r"&&|;|\||^cd |ulimit|^[A-Z_]+=|\n|^\(|'s ")


def wrapped(shot: Shot) -> list[Shot]:
    """The same run, its command written as other agents would."""
    wrappers = WRAPPERS if not _COMPOUND.search(shot.command) else WRAPPERS[:1]
    values = {"cwd": shot.cwd, "cmd": shot.command, "quoted": shlex.quote(shot.command)}
    return [replace(shot, command=wrapper.format_map(values)) for wrapper in wrappers]


@each_tool
def test_wrapping_the_command_does_not_matter(tool: str) -> None:
    lines = [(case, shot) for case in families(tool) for shot in wrapped(case.a)]
    found = {
        f"{case.name}: {shot.command}": (parts(judge(claude_code(shot))), parts(seen(case.a))) for case, shot in lines
    }
    assert {name: pair for name, pair in found.items() if pair[0] != pair[1]} == {}


# A failure that is hidden, or only printed

READERS: Final = ("cat build.log", "git show HEAD:build.log", "sed -n 1,40p notes.md", "gh run view 7 --log-failed")


def printed(shot: Shot, command: str) -> Verdict:
    return judge(recorded("claude_code", "Bash", {"command": command}, shot, ToolResult(shot.output)))


@each_tool
def test_printed_failure_is_no_failure(tool: str) -> None:
    found = {(case.name, line): printed(case.a, line).outcome for case in families(tool) for line in READERS}
    assert {key: outcome for key, outcome in found.items() if outcome != "ok"} == {}


@each_tool
def test_hidden_failure_has_the_same_key(tool: str) -> None:
    for case in families(tool):
        if case.outcome == "check_failed" and not _COMPOUND.search(case.a.command):
            hidden = printed(case.a, f"{case.a.command} 2>&1 | tail -80")
            assert hidden.outcome in {"masked", "ok"}, case.name
            assert hidden.outcome == "ok" or parts(hidden) == parts(seen(case.a)), case.name


# Many diagnostics, one failure


_FAILED_TEST: Final = re.compile(r"(?m)^(?=FAILED )")
_DIAGNOSTIC: Final = re.compile(
    r"(?m)^(?=\S*?[\w)]\.\w+[:(]\d+|error(?:\[\w+\])?:|\s+\d+:\d+ |L: +\d+ |  [!x] \S+\(\S+\): )"
)


def shuffled(output: str, chance: random.Random) -> str:
    """The same diagnostics in another order; what stands before the first and the summary line stay in place."""
    start = _FAILED_TEST if _FAILED_TEST.search(output) else _DIAGNOSTIC
    body, _, summary = output.rpartition("\n")
    if start.match(summary):
        body, summary = output, ""
    head, *pieces = start.split(body)
    assert len(pieces) > 1
    pieces = [piece.rstrip("\n") + "\n" for piece in pieces]
    chance.shuffle(pieces)
    return head + "".join(pieces) + summary


several = [case for case in CASES if case.multi]


@pytest.mark.parametrize("case", several, ids=[case.name for case in several])
def test_order_of_diagnostics_does_not_matter(case: Case) -> None:
    key, chance = seen(case.a).fingerprint, random.Random(7)
    for _ in range(6):
        assert seen(replace(case.a, output=shuffled(case.a.output, chance))).fingerprint == key


# Keys stay text


def test_keys_survive_type_sniffing(tmp_path: Path) -> None:
    keys = sorted({str(seen(shot).fingerprint) for case in CASES for shot in case.shots})
    table, lines = tmp_path / "keys.csv", tmp_path / "keys.json"
    table.write_text("key\n" + "\n".join(keys) + "\n")
    lines.write_text("\n".join(json.dumps({"key": key}) for key in keys))
    with duckdb.connect() as conn:
        from_csv = conn.execute("SELECT key FROM read_csv_auto(?) ORDER BY key", [str(table)]).fetchall()
        from_json = conn.execute("SELECT key FROM read_json_auto(?) ORDER BY key", [str(lines)]).fetchall()
    assert [row[0] for row in from_csv] == [row[0] for row in from_json] == keys


def test_keys_are_plain_words_to_yaml_and_the_shell() -> None:
    number = re.compile(r"[-+.\d].*|0x.*|(?i:true|false|yes|no|on|off|null|nan|inf|~)")
    for case in CASES:
        key = str(seen(case.a).fingerprint)
        assert re.fullmatch(r"f[0-9a-f]{16}", key)
        assert not number.fullmatch(key)
        assert shlex.split(key) == [key]


def test_most_keys_are_specific() -> None:
    specific = [seen(shot).specific for case in CASES for shot in (case.a, case.b)]
    assert sum(specific) >= 0.9 * len(specific)
