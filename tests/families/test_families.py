"""The judge's keys, held against real failures of real tools (see ``dsl.py`` for what a family is).

The expectation is what a user would want: one fix, one key; two fixes, two keys.
"""

from __future__ import annotations

import json
import random
import re
import shlex
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Final

import duckdb
import pytest

from agent_riggs.judge import digest, judge
from agent_riggs.model import FAILURES, ToolCall, ToolResult, Verdict
from families.corpus import DATA, Case, dump, load, parse
from families.dsl import Shot
from families.known import BYTE_EQUAL

CASES: Final = tuple(load())
NAMES: Final = [case.name for case in CASES]
each_family = pytest.mark.parametrize("case", CASES, ids=NAMES)
MACHINE_BOUND: Final = re.compile(
    r"/home/|/Users/|/tmp/|C:\\|\b(ada|grace|linus|shop-api|basket|ledger|tenant|4217)\b"
)


def claude_code(shot: Shot) -> ToolCall:
    result = ToolResult(f"Exit code {shot.exit_code}\n{shot.output}", flag=True)
    return _call("claude_code", "Bash", {"command": shot.command, "description": "Run it"}, shot, result)


def claude_code_no_code(shot: Shot) -> ToolCall:
    """Claude Code before 2.0.31: the bare output, flagged."""
    return replace(claude_code(shot), result=ToolResult(shot.output, flag=True, exit_code=shot.exit_code))


def codex_list(shot: Shot) -> ToolCall:
    """Codex up to 0.80: an argument list, and the code as a field of its own."""
    given = {"command": ["bash", "-lc", shot.command], "workdir": shot.cwd}
    return _call("codex", "shell", given, shot, ToolResult(shot.output, exit_code=shot.exit_code))


def codex_exec(shot: Shot) -> ToolCall:
    head = f"Chunk ID: 0f5e46\nWall time: 0.4012 seconds\nProcess exited with code {shot.exit_code}\n"
    text = f"{head}Original token count: 5\nOutput:\n{shot.output}\n"
    return _call("codex", "exec_command", {"cmd": shot.command, "workdir": shot.cwd}, shot, ToolResult(text))


def codex_shell_command(shot: Shot) -> ToolCall:
    text = f"Exit code: {shot.exit_code}\nWall time: 0.3 seconds\nOutput:\n{shot.output}\n"
    return _call("codex", "shell_command", {"command": shot.command}, shot, ToolResult(text))


def gemini(shot: Shot) -> ToolCall:
    text = f"<untrusted_context>\nOutput: {shot.output}\nExit Code: {shot.exit_code}\nProcess Group PGID: 8291\n"
    result = ToolResult(text + "</untrusted_context>", flag=False)
    return _call("gemini", "run_shell_command", {"command": shot.command}, shot, result)


def opencode(shot: Shot) -> ToolCall:
    result = ToolResult(shot.output + "\n", exit_code=shot.exit_code)
    return _call("opencode", "bash", {"command": shot.command, "description": "Run it"}, shot, result)


def copilot(shot: Shot) -> ToolCall:
    text = f"{shot.output}\n<shellId: 0 completed with exit code {shot.exit_code}>"
    result = ToolResult(text, flag=False, exit_code=shot.exit_code)
    return _call("copilot", "bash", {"command": shot.command}, shot, result)


AGENTS: Final[tuple[Callable[[Shot], ToolCall], ...]] = (
    claude_code_no_code,
    codex_list,
    codex_exec,
    codex_shell_command,
    gemini,
    opencode,
    copilot,
)


def _call(agent: str, tool: str, given: dict[str, object], shot: Shot, result: ToolResult) -> ToolCall:
    return ToolCall(agent, "s1", "c1", tool, given, cwd=shot.cwd, result=result)


def seen(shot: Shot) -> Verdict:
    return judge(claude_code(shot))


# The corpus itself


def test_corpus_is_wide_enough() -> None:
    assert len(CASES) >= 120
    assert len({case.toolchain for case in CASES}) >= 20


@each_family
def test_capture_is_whole(case: Case) -> None:
    assert parse(case.name, dump(case)) == case
    assert case.twins
    assert case.a.cwd != case.b.cwd
    assert all(shot.exit_code for shot in case.shots)
    assert all(twin.output != case.a.output for twin in case.twins)


def test_equal_captures_are_named() -> None:
    """A pair that is equal byte for byte proves nothing; such families are known by name."""
    assert {case.name for case in CASES if case.a.output == case.b.output} == BYTE_EQUAL


def test_no_text_of_the_capturing_machine() -> None:
    folders = r"/root\b|/work\b|/srv/(?!\n)|/opt/(?!python|\s)|/tmp/(?!cc\w+\.o|sphinx-err|copy|none|\n|\")"
    hosts = r"npmjs|pypi\.org|rubygems\.org|packagist\.org"
    left = re.compile(f"{folders}|{hosts}|(?m:^cwd: (?!/home/ada|/Users/grace|C:.Users))")
    assert [str(path) for path in DATA.glob("*/*.txt") if left.search(path.read_text())] == []


# One fix, one key


@each_family
def test_same_failure_has_one_key(case: Case) -> None:
    a, b = seen(case.a), seen(case.b)
    assert (a.failure_class, a.program, a.shape) == (b.failure_class, b.program, b.shape)
    assert a.fingerprint == b.fingerprint is not None


@each_family
def test_another_cause_has_another_key(case: Case) -> None:
    keys = {seen(shot).fingerprint for shot in case.twins}
    assert None not in keys
    assert seen(case.a).fingerprint not in keys


@each_family
def test_outcome_and_class(case: Case) -> None:
    for shot in (case.a, case.b):
        verdict = seen(shot)
        assert verdict.outcome in case.outcome.split()
        assert verdict.outcome in FAILURES
        assert verdict.failure_class in case.classes


@each_family
def test_shape_names_a_cause_and_no_machine(case: Case) -> None:
    for shot in case.shots:
        verdict = seen(shot)
        assert verdict.shape
        assert not MACHINE_BOUND.search(f"{verdict.program} {verdict.shape}")


@each_family
def test_every_agent_gives_the_same_key(case: Case) -> None:
    key = seen(case.a).fingerprint
    found = {agent.__name__: judge(agent(case.a)).fingerprint for agent in AGENTS}
    assert found == dict.fromkeys(found, key)


@each_family
def test_digest_keeps_the_verdict(case: Case) -> None:
    call = claude_code(case.b)
    assert judge(replace(call, input=digest(call.tool, call.input))) == judge(call)


@each_family
def test_line_endings_and_colors_do_not_matter(case: Case) -> None:
    key = seen(case.a).fingerprint
    assert seen(replace(case.a, output=case.a.output.replace("\n", "\r\n"))).fingerprint == key
    colored = "\n".join(f"\x1b[1;31m{line}\x1b[0m" for line in case.a.output.split("\n"))
    assert seen(replace(case.a, output=colored)).fingerprint == key


WRAPPERS: Final = (
    "cd {cwd} && {cmd}",
    "timeout 300 {cmd}",
    "PYTHONUNBUFFERED=1 {cmd}",
    "bash -lc {quoted}",
    "({cmd}) 2>&1",
)
_COMPOUND = re.compile(r"&&|;|\||^cd |ulimit|^[A-Z_]+=")


@each_family
def test_wrapping_the_command_does_not_matter(case: Case) -> None:
    command = case.a.command
    wrappers = WRAPPERS if not _COMPOUND.search(command) else (WRAPPERS[0], WRAPPERS[3])
    for wrapper in wrappers:
        line = wrapper.format(cwd=case.a.cwd, cmd=command, quoted=shlex.quote(command))
        assert seen(replace(case.a, command=line)).fingerprint == seen(case.a).fingerprint, line


# A failure that is hidden, or only printed


def printed(shot: Shot, command: str) -> Verdict:
    return judge(_call("claude_code", "Bash", {"command": command}, shot, ToolResult(shot.output)))


@each_family
def test_printed_failure_is_no_failure(case: Case) -> None:
    for reader in ("cat build.log", "git show HEAD:build.log", "sed -n 1,40p notes.md", "gh run view 7 --log-failed"):
        assert printed(case.a, reader).outcome == "ok", reader


checks = [case for case in CASES if case.outcome == "check_failed" and ";" not in case.a.command]


@pytest.mark.parametrize("case", checks, ids=[case.name for case in checks])
def test_hidden_failure_has_the_same_key(case: Case) -> None:
    hidden = printed(case.a, f"{case.a.command} 2>&1 | tail -80")
    assert hidden.outcome in {"masked", "ok"}
    if hidden.outcome == "masked":
        assert hidden.fingerprint == seen(case.a).fingerprint


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
