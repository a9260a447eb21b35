"""The hook as agents run it: what it answers, when it is silent, and that nothing whatever makes it fail."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from agent_riggs.deliver import hook, hosts, recall, spool
from agent_riggs.deliver.recall import Ratchet
from agent_riggs.judge import judge
from deliver import events
from deliver.events import FIX, NOW, Place, told

SECOND = 1_000_000


def live(here: Place, payload: events.Json, **changes: Any) -> Ratchet:
    """A ratchet about this payload's failure, published."""
    made = events.ratchet(events.verdict(payload), **changes)
    here.publish(made)
    return made


def failure(here: Place, source: str) -> events.Json:
    """The host's failure, with Codex's transcript beside it."""
    payload = dict(events.FAILURES[source])
    if source == "codex":
        payload["transcript_path"] = str(events.rollout(here.root.parent / "rollout-1.jsonl"))
    return payload


# --- what is said


@pytest.mark.parametrize("source", sorted(events.FAILURES))
def test_a_failure_with_a_ratchet_is_answered_in_the_host_s_form(here: Place, source: str) -> None:
    payload = failure(here, source)
    live(here, payload)
    answer = here.ask(payload)
    assert FIX in told(answer)
    assert "In 7 earlier sessions of this project" in told(answer)
    assert answer is not None
    assert "permissionDecision" not in json.dumps(answer)


def test_a_failure_of_every_host_has_the_key_of_the_same_failure(here: Place) -> None:
    found = {events.verdict(failure(here, source)).fingerprint for source in events.FAILURES}
    assert len(found) == 1
    assert None not in found


def test_a_refused_edit_is_answered_from_the_batch(here: Place) -> None:
    text = "<tool_use_error>String to replace not found in file.\nString: nope</tool_use_error>"
    batch = events.claude_batch(("Bash", {"command": "true"}, "fine"), ("Edit", {"file_path": "a.txt"}, text))
    live(here, batch)
    answer = here.ask(batch)
    assert FIX in told(answer)
    assert answer is not None
    assert answer["hookSpecificOutput"]["hookEventName"] == "PostToolBatch"


def test_a_file_that_gemini_could_not_read_keeps_its_error(here: Place) -> None:
    payload = events.gemini_result("soft", {"message": "File not found: /w/none.txt", "type": "x"}, "read_file")
    payload["tool_input"] = {"file_path": "/w/none.txt"}
    live(here, payload)
    answer = here.ask(payload)
    assert answer is not None
    assert answer["reason"].startswith("File not found: /w/none.txt\n<hook_context>In 7 earlier")


def test_the_fine_key_comes_before_the_coarse_one_and_the_live_mode_before_any(here: Place) -> None:
    payload = events.claude_failure(permission_mode="plan")
    found = events.verdict(payload)
    assert found.category is not None

    def coarse(mode: str | None, fix: str) -> Ratchet:
        key = recall.constraint_key(str(found.category), found.tool, mode)
        return Ratchet(
            key=key, type="constraint_promotion", fix=fix, category=str(found.category), tool="Bash", mode=mode
        )

    plan, anywhere, fine = coarse("plan", "in plan"), coarse(None, "anywhere"), events.ratchet(found)
    for number, (ratchets, fix) in enumerate(
        (((plan, anywhere, fine), FIX), ((plan, anywhere), "in plan"), ((anywhere,), "anywhere"))
    ):
        here.publish(*ratchets)
        assert fix in told(here.ask(payload | {"session_id": f"s{number}"}))


def test_kibitzer_s_mode_counts_where_the_project_has_one(here: Place) -> None:
    payload = events.claude_failure(permission_mode="default")
    category = events.verdict(payload).category
    key = recall.constraint_key(str(category), "Bash", "implement")
    here.publish(Ratchet(key=key, type="constraint_promotion", fix=FIX, tool="Bash", mode="implement"))
    assert here.ask(payload) is None
    (here.root / ".kibitzer").mkdir()
    (here.root / ".kibitzer" / "state.json").write_text('{"mode": "implement"}', encoding="utf-8")
    assert FIX in told(here.ask(payload))
    (here.root / ".kibitzer" / "state.json").write_text('{"mode": ', encoding="utf-8")
    assert here.ask(payload | {"session_id": "s2"}) is None


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
@pytest.mark.parametrize("place", ["pipe", "deep", "folder"])
def test_whatever_lies_where_kibitzer_keeps_its_mode_the_fix_is_told(here: Place, place: str) -> None:
    payload = events.claude_failure()
    live(here, payload)
    path = here.root / ".kibitzer" / "state.json"
    path.parent.mkdir()
    if place == "pipe":
        os.mkfifo(path)
    elif place == "folder":
        path.mkdir()
    else:
        path.write_bytes(b"[" * 900_000)
    assert FIX in told(here.ask(payload))


def test_before_the_call_as_context_and_never_as_a_decision(here: Place) -> None:
    live(here, events.claude_failure(), when="before", trigger=("acme-tool", "fetch"))
    ask = events.claude(
        "PreToolUse", tool_name="Bash", tool_input={"command": f"cd x && {events.COMMAND}"}, tool_use_id="t1"
    )
    answer = here.ask(ask)
    assert FIX in told(answer)
    assert answer == {"hookSpecificOutput": {"hookEventName": "PreToolUse", "additionalContext": told(answer)}}
    assert here.ask(ask | {"tool_input": {"command": "acme-tool list"}, "tool_use_id": "t2"}) is None
    assert here.ask(events.claude_failure(call="t3")) is None, "a ratchet for before says nothing after"


def test_a_long_line_before_many_ratchets_is_looked_through_at_once(here: Place) -> None:
    known = events.ratchet(events.verdict(events.claude_failure()), when="before", trigger=("acme-tool", "fetch"))
    others = [replace(known, key=f"k{n}", trigger=("prog", f"word{n}")) for n in range(1000)]
    here.publish(known, *others)
    line = "; ".join([*["prog other"] * (hook.MAX_COMMANDS - 1), events.COMMAND, *["prog other"] * 1000])
    ask = events.claude("PreToolUse", tool_name="Bash", tool_input={"command": line}, tool_use_id="t1")
    began = time.process_time()
    assert FIX in told(here.ask(ask))
    assert time.process_time() - began < hook.BUDGET / 2
    ask["tool_input"] = {"command": f"prog other; {line}"}
    assert here.ask(ask | {"session_id": "s2"}) is None


def test_of_a_batch_of_many_refusals_the_first_are_looked_at(here: Place) -> None:
    refused = [
        ("Edit", {"file_path": f"f{n}"}, f"<tool_use_error>Refused: reason {n}</tool_use_error>") for n in range(200)
    ]
    last = events.ratchet(events.verdict(events.claude_batch(refused[hook.MAX_CALLS - 1])))
    here.publish(last, *(replace(last, key=f"k{n}", fingerprint=f"f{n:016x}", needle="reason") for n in range(5000)))
    began = time.process_time()
    assert FIX in told(here.ask(events.claude_batch(*refused)))
    assert time.process_time() - began < hook.BUDGET
    assert here.ask(events.claude_batch(refused[0], *refused)) is None


def test_a_ratchet_for_both_speaks_at_both(here: Place) -> None:
    live(here, events.claude_failure(), when="both", trigger=("acme-tool", "fetch"))
    ask = events.claude("PreToolUse", tool_name="Bash", tool_input={"command": events.COMMAND}, tool_use_id="t1")
    assert told(here.ask(ask))
    assert told(here.ask(events.claude_failure(call="t1"), NOW + SECOND))


# --- when and how often


def test_one_line_per_call_however_often_the_hook_is_registered(here: Place) -> None:
    live(here, events.claude_failure())
    assert told(here.ask(events.claude_failure()))
    assert here.ask(events.claude_failure()) is None
    assert here.ask(events.claude_failure(), NOW + 60 * SECOND) is None


def test_copilot_s_two_spellings_of_one_event_are_answered_once(here: Place) -> None:
    live(here, events.copilot_result())
    assert told(here.ask(events.copilot_result()))
    assert here.ask(events.copilot_pascal(), NOW + 60 * SECOND) is None


def test_again_when_the_failure_comes_again(here: Place) -> None:
    live(here, events.claude_failure())
    assert told(here.ask(events.claude_failure(call="t1")))
    assert told(here.ask(events.claude_failure(call="t2"), NOW + 60 * SECOND))


def test_each_delivery_and_each_one_withheld_leaves_a_line(here: Place) -> None:
    made = live(here, events.claude_failure())
    here.ask(events.claude_failure())
    here.ask(events.claude_failure())
    found = spool.read(str(here.state / spool.FOLDER / spool.file_name(events.SESSION)))
    assert [(one.key, one.call, one.reason) for one in found] == [
        (made.key, "toolu_0001", ""),
        (made.key, "toolu_0001", "told for this call"),
    ]
    assert {one.fingerprint for one in found} == {made.fingerprint}


def test_where_a_ratchet_is_held_out_nothing_is_said_and_the_line_says_why(here: Place) -> None:
    made = live(here, events.claude_failure(), hold_out=0.5)
    sessions = [f"session-{number}" for number in range(20)]
    answers = {name: here.ask({**events.claude_failure(), "session_id": name}) for name in sessions}
    held = {name for name in sessions if spool.is_held_out(name, made.key, 0.5)}
    assert 0 < len(held) < len(sessions)
    assert {name for name, answer in answers.items() if answer is None} == held
    for name in sessions:
        (found,) = spool.read(str(here.state / spool.FOLDER / spool.file_name(name)))
        assert found.reason == ("held out" if name in held else "")


def test_ten_hooks_at_once_say_it_once(here: Place) -> None:
    live(here, events.claude_failure())
    data = json.dumps(events.claude_failure(cwd=str(here.root))).encode()
    with ThreadPoolExecutor(10) as pool:
        done = list(pool.map(lambda _: here.run(data), range(10)))
    assert {one.returncode for one in done} == {0}
    assert sum(FIX.encode() in one.stdout for one in done) == 1
    assert sum(bool(one.stdout) for one in done) == 1


def test_two_failures_of_a_batch_are_told_of_in_one_answer_and_a_third_is_kept_back(here: Place) -> None:
    refused = [
        ("Edit", {"file_path": "a"}, "<tool_use_error>String to replace not found in file.</tool_use_error>"),
        ("Nope", {}, "<tool_use_error>No such tool available: Nope</tool_use_error>"),
        ("Gone", {}, "<tool_use_error>No such tool available: Gone</tool_use_error>"),
    ]
    verdicts = [events.verdict(events.claude_batch(call)) for call in refused]
    here.publish(*(events.ratchet(verdict, fix=f"fix {n}") for n, verdict in enumerate(verdicts)))
    answer = told(here.ask(events.claude_batch(*refused)))
    assert ["fix 0" in answer, "fix 1" in answer, "fix 2" in answer] == [True, True, False]
    assert len(answer.split("\n")) == 2
    assert len(answer) < 2000
    found = spool.read(str(here.state / spool.FOLDER / spool.file_name(events.SESSION)))
    assert [one.reason for one in found] == ["", "", "told enough at once"]


# --- when it is silent


@pytest.mark.parametrize("value", ["off", "0", "no", "FALSE"])
def test_the_off_switch(here: Place, value: str) -> None:
    live(here, events.claude_failure())
    data = json.dumps(events.claude_failure(cwd=str(here.root))).encode()
    assert here.run(data, AGENT_RIGGS_HOOK=value).stdout == b""
    assert FIX.encode() in here.run(data, AGENT_RIGGS_HOOK="on").stdout


def test_nothing_is_imported_before_the_off_switch_and_little_on_the_silent_path(here: Place) -> None:
    path = os.pathsep.join(p for p in sys.path if p)
    code = (
        "import sys, os, json as _unused; before = set(sys.modules)\n"
        "from agent_riggs.deliver import hook\n"
        "os._exit = lambda code: print(*sorted(set(sys.modules) - before), file=sys.stderr)\n"
        "hook.main()"
    ).replace(", json as _unused", "")

    def modules(payload: events.Json, **environ: str) -> set[str]:
        done = subprocess.run(
            [sys.executable, "-I", "-S", "-c", f"import sys; sys.path[:0] = {path.split(os.pathsep)!r}\n{code}"],
            input=json.dumps(payload).encode(),
            capture_output=True,
            env={**here.environ, **environ},
            check=True,
        )
        return set(done.stderr.decode().split())

    off = modules(events.claude_failure(), AGENT_RIGGS_HOOK="off")
    assert off == {"agent_riggs", "agent_riggs.deliver", "agent_riggs.deliver.hook", "__future__"}
    here.publish(replace(events.ratchet(events.verdict(events.claude_failure())), tool="Edit"))
    silent = modules(events.claude_failure(cwd=str(here.root)))
    heavy = {
        "json",
        "re",
        "dataclasses",
        "typing",
        "pathlib",
        "agent_riggs.judge",
        "agent_riggs.deliver.recall",
        "duckdb",
    }
    assert not silent & heavy


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b"[]", b"\x00" * 100, b'{"format": 1, "project": "other-000000000000","count":1,"ratchets":[\n{}\n]}'],
)
def test_a_broken_or_foreign_index_is_silence(here: Place, content: bytes) -> None:
    live(here, events.claude_failure())
    here.index.write_bytes(content)
    assert here.ask(events.claude_failure()) is None


def test_a_missing_index_and_a_missing_state_folder_are_silence(here: Place) -> None:
    assert here.ask(events.claude_failure()) is None
    assert not here.state_home.exists()


def test_an_index_that_others_may_write_is_silence(here: Place) -> None:
    live(here, events.claude_failure())
    here.index.chmod(0o666)
    assert here.ask(events.claude_failure()) is None


def test_another_failure_of_the_same_tool_is_silence(here: Place) -> None:
    live(here, events.claude_failure())
    assert (
        here.ask(events.claude_failure("ls nowhere", "ls: cannot access 'nowhere': No such file or directory")) is None
    )


def test_a_success_is_silence_at_every_host(here: Place) -> None:
    rollout = events.rollout(here.root.parent / "rollout-1.jsonl", code=0)
    good = [
        events.codex_result(transcript_path=str(rollout)),
        events.codex_result(),
        events.gemini_result(
            f"<untrusted_context>\nOutput: {events.ERROR}\nProcess Group PGID: 7\n</untrusted_context>"
        ),
        events.copilot_result(0),
        events.opencode_result(0),
        events.claude(
            "PostToolUse", tool_name="Bash", tool_input={"command": "x"}, tool_response={"stdout": events.ERROR}
        ),
        events.claude_batch(("Bash", {"command": events.COMMAND}, events.ERROR)),
    ]
    live(here, events.claude_failure())
    assert [here.ask(payload) for payload in good] == [None] * len(good)


def test_a_project_of_its_own_inside_another_does_not_hear_its_ratchets(here: Place) -> None:
    live(here, events.claude_failure())
    inner = here.root / "vendor" / "inner"
    (inner / ".git" / "objects").mkdir(parents=True)
    (inner / ".git" / "refs").mkdir()
    (inner / ".git" / "HEAD").write_text("ref: refs/heads/main\n", encoding="utf-8")
    assert here.ask(events.claude_failure(cwd=str(inner))) is None
    assert told(here.ask(events.claude_failure(cwd=str(here.root / "src"), call="t2")))
    assert told(
        here.ask(events.claude_failure(cwd=str(inner), call="t3"), NOW + 60 * SECOND, CLAUDE_PROJECT_DIR=str(here.root))
    )


# --- B70 to B74: whatever comes in


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"   \n",
        b"not json",
        b"[1, 2]",
        b'"text"',
        b"null",
        b'{"hook_event_name": "PostToolUseFailure", "tool_na',
        b'{"tool_input": "\\q"}',
        b"{} {}",
        b"\xff\xfe\x00",
        b"\xef\xbb\xbf{}",
        b'{"a": NaN, "b": -Infinity}',
        b"[" * 100_000,
        b'{"hook_event_name": "PostToolUseFailure", "cwd": "a\\u0000b"}',
        b"x" * 350,
    ],
)
def test_input_that_is_no_event_is_silence(here: Place, data: bytes) -> None:
    done = here.run(data)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


@pytest.mark.parametrize("size", [1 << 20, 50 << 20])
@pytest.mark.parametrize("switch", ["on", "off"])
def test_large_input_is_read_to_its_end(here: Place, size: int, switch: str) -> None:
    live(here, events.claude_failure())
    payload = events.claude_failure(error=events.ERROR + "\n" + "x" * size, cwd=str(here.root))
    with here.process(AGENT_RIGGS_HOOK=switch) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(json.dumps(payload).encode())  # BrokenPipeError where nobody reads to the end
        process.stdin.close()
        said = process.stdout.read()
    assert process.returncode == 0
    assert (FIX.encode() in said) == (size < hook.MAX_INPUT and switch == "on")


@pytest.mark.parametrize("cwd", ["/w/" + "x" * 9000, "/w" + "/d" * 30_000, "a\0b", "\ud800"])
def test_an_event_from_a_folder_that_cannot_be_is_silence(here: Place, cwd: str) -> None:
    assert here.ask(events.claude_failure(cwd=cwd)) is None
    assert not (here.state_home / hook.ERRORS).exists()


@pytest.mark.skipif(os.name == "nt", reason="pipes of Unix")
@pytest.mark.parametrize("closed", [True, False])
def test_a_pipe_that_is_not_to_be_waited_for_is_waited_for(here: Place, closed: bool) -> None:
    """Some agents' pipes do not block; the event comes a moment later, in parts."""
    live(here, events.claude_failure())
    data = json.dumps(events.claude_failure(cwd=str(here.root))).encode()
    reading, writing = os.pipe()
    os.set_blocking(reading, False)
    with here.process(stdin=reading) as process:
        for part in (data[:100], data[100:]):
            time.sleep(0.3)
            os.write(writing, part)
        if closed:
            os.close(writing)
        assert process.stdout is not None
        said = process.stdout.read()
    if not closed:
        os.close(writing)
    os.close(reading)
    assert process.returncode == 0
    assert (FIX.encode() in said) == closed, "an event that never ends is none"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_pipe_in_the_place_of_a_file_of_the_hook_s_own_is_not_waited_for(here: Place) -> None:
    payload = events.claude_failure(cwd=str(here.root))
    live(here, payload)
    os.mkfifo(here.state_home / hook.ERRORS)
    assert here.run(b"{").returncode == 0
    here.run(json.dumps(payload).encode())
    for path in here.state_home.glob("compiled-*"):
        path.unlink()
        os.mkfifo(path)
    assert FIX.encode() in here.run(json.dumps(payload | {"session_id": "s2"}).encode()).stdout
    (here.state / hook.BRIEF).unlink(missing_ok=True)
    os.mkfifo(here.state / hook.BRIEF)
    start = events.claude("SessionStart", source="startup", cwd=str(here.root))
    assert hook.answer(json.dumps(start).encode(), here.environ, brief=True) == ""


def test_what_went_wrong_is_noted_in_one_place_without_the_payload(here: Place) -> None:
    done = here.run(b'{"secret": "hunter2"')
    assert done.returncode == 0
    log = here.state_home / hook.ERRORS
    assert "ValueError" in log.read_text(encoding="utf-8") or "JSONDecodeError" in log.read_text(encoding="utf-8")
    assert "hunter2" not in log.read_text(encoding="utf-8")
    assert os.name == "nt" or log.stat().st_mode & 0o777 == 0o600
    log.write_bytes(b"x" * (hook.MAX_ERRORS + 1))
    here.run(b"{")
    assert log.stat().st_size == hook.MAX_ERRORS + 1


def test_a_byte_order_mark_before_the_event_is_passed_over(here: Place) -> None:
    live(here, events.claude_failure())
    body = json.dumps(events.claude_failure(cwd=str(here.root))).encode()
    assert FIX.encode() in here.run(b"\xef\xbb\xbf" + body).stdout


@pytest.mark.parametrize(
    "environ",
    [
        {"PYTHONIOENCODING": "cp1252"},
        {"PYTHONIOENCODING": "cp932"},
        {"LC_ALL": "C", "LANG": "C"},
        {"PYTHONUTF8": "0"},
    ],
)
def test_the_console_s_encoding_does_not_matter(here: Place, environ: dict[str, str]) -> None:
    payload = events.claude_failure(error=events.ERROR + "\n🚀 café \ud83d")
    live(here, payload, fix="запусти 🚀 --offline")
    done = here.run(json.dumps(payload | {"cwd": str(here.root)}, ensure_ascii=True).encode(), **environ)
    assert done.returncode == 0
    assert done.stdout.isascii()
    assert "запусти 🚀 --offline" in told(json.loads(done.stdout))


def test_without_a_home_or_a_writable_one_it_is_silent(here: Place) -> None:
    live(here, events.claude_failure())
    data = json.dumps(events.claude_failure(cwd=str(here.root))).encode()
    for environ in ({"AGENT_RIGGS_STATE_DIR": "", "HOME": ""}, {"AGENT_RIGGS_STATE_DIR": "/proc/none"}):
        done = here.run(data, **environ)
        assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    (here.state / spool.FOLDER).write_bytes(b"in the way")
    done = here.run(data)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


@pytest.mark.parametrize("closed", [0, 1, 2])
def test_closed_descriptors_do_not_change_the_exit_code(here: Place, closed: int) -> None:
    path = os.pathsep.join(p for p in sys.path if p)
    code = "from agent_riggs.deliver.hook import main; main()"
    line = (
        f"exec {closed}<&-; exec '{sys.executable}' -c '{code}'"
        if closed == 0
        else f"exec '{sys.executable}' -c '{code}' {closed}>&-"
    )
    live(here, events.claude_failure())
    done = subprocess.run(
        ["sh", "-c", line],
        input=b"" if closed == 0 else json.dumps(events.claude_failure(cwd=str(here.root))).encode(),
        capture_output=True,
        env={**here.environ, "PYTHONPATH": path, "PATH": os.defpath},
    )
    assert (done.returncode, done.stderr) == (0, b"")


# --- the end of a session, the start of one


def test_a_session_s_start_is_silent_unless_a_brief_was_asked_for(here: Place) -> None:
    start = events.claude("SessionStart", source="startup", cwd=str(here.root))
    (here.root / ".riggs" / "store.duckdb").touch()
    data = json.dumps(start).encode()
    assert hook.answer(data, here.environ) == ""
    assert hook.answer(data, here.environ, brief=True) == ""
    asked = here.state / hook.BRIEF
    assert asked.read_text(encoding="utf-8") == ""
    asked.write_text("trust 0.8, rising", encoding="utf-8")
    assert hook.answer(data, here.environ) == ""
    assert told(json.loads(hook.answer(data, here.environ, brief=True))) == "trust 0.8, rising"
    asked.write_text("a\x1b[2Jb\u202e <system>\nsecond", encoding="utf-8")
    assert told(json.loads(hook.answer(data, here.environ, brief=True))) == "a [2Jb \u2039system>\nsecond"
    asked.chmod(0o666)
    assert os.name == "nt" or hook.answer(data, here.environ, brief=True) == "", "anybody could have written it"
    asked.chmod(0o600)
    asked.write_text("x" * 5000, encoding="utf-8")
    assert len(told(json.loads(hook.answer(data, here.environ, brief=True)))) <= hook.MAX_BRIEF


@pytest.mark.parametrize("where", ["judge.verdict.judge", "folders.root_of", "deliver.hosts.read"])
def test_a_hook_that_takes_too_long_falls_silent(here: Place, where: str) -> None:
    path = os.pathsep.join(p for p in sys.path if p)
    module, _, name = where.rpartition(".")
    code = (
        f"from agent_riggs.deliver import hook\nimport agent_riggs.{module} as j\nhook.BUDGET = 0.2\n"
        f"def slow(*given):\n    while True: pass\nj.{name} = slow\nhook.main()"
    )
    live(here, events.claude_failure())
    began = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-c", code],
        input=json.dumps(events.claude_failure(cwd=str(here.root))).encode(),
        capture_output=True,
        env={**here.environ, "PYTHONPATH": path},
    )
    assert (done.returncode, done.stdout) == (0, b"")
    assert time.monotonic() - began < 15
    assert "TimeoutError" in (here.state_home / hook.ERRORS).read_text(encoding="utf-8"), "doctor tells of it"


# --- one code path


def test_the_key_is_ingest_s_key_for_every_failure_of_the_samples(tmp_path: Path) -> None:
    from agent_riggs import samples
    from agent_riggs.model import FAILURES
    from agent_riggs.sources import claude_code
    from reading import read

    samples.write(tmp_path, Path("/srv/tidewatch"))
    compared = 0
    for path in sorted((tmp_path / ".claude" / "projects").rglob("*.jsonl")):
        for call in read(claude_code, path).calls.values():
            verdict = judge(call)
            if verdict.outcome not in FAILURES or call.result is None or not call.result.flag:
                continue
            event = hosts.read(events.as_claude_event(call), {})
            assert event is not None, call
            assert judge(hook.to_tool_call(event, event.calls[0])).fingerprint == verdict.fingerprint
            compared += 1
    assert compared > 10
