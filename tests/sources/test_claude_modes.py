"""Claude Code: the mode in force, and how it is known."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import claude
from claude import attached, call, key, prompt, read_records, result

IN_PLAN = [prompt("go", permissionMode="acceptEdits"), prompt("plan it", permissionMode="plan")]


def modes(tmp_path: Path, *records: Any) -> list[tuple[str | None, str | None]]:
    """(mode, source) of the Bash calls, in order."""
    found = sorted(read_records(tmp_path, *records).calls.values(), key=lambda c: c.position)
    return [(c.mode, c.mode_source) for c in found if c.tool == "Bash"]


def test_nothing_recorded_is_no_mode(tmp_path: Path) -> None:
    assert modes(tmp_path, prompt("go"), call(1)) == [(None, None)]
    assert modes(tmp_path, {"type": "mode", "mode": "normal"}, call(1)) == [(None, None)]
    assert modes(tmp_path, prompt("go", permissionMode=5), call(1)) == [(None, None)]


def test_a_mode_is_carried_forward_from_prompt_to_prompt(tmp_path: Path) -> None:
    records = [call(1), prompt("a", permissionMode="default"), call(2), result(2), call(3), prompt("b"), call(4)]
    records += [prompt("c", permissionMode="bypassPermissions"), call(5)]
    default = ("default", "recorded")
    assert modes(tmp_path, *records) == [(None, None), default, default, default, ("bypassPermissions", "recorded")]


def test_state_lines_tell_the_mode(tmp_path: Path) -> None:
    line = {"type": "permission-mode", "permissionMode": "auto"}
    assert modes(tmp_path, line, call(1)) == [("auto", "recorded")]


def test_any_mode_is_taken(tmp_path: Path) -> None:
    assert modes(tmp_path, prompt("go", permissionMode="delegate"), call(1)) == [("delegate", "recorded")]


def test_entering_plan_mode_and_leaving_it_by_tool(tmp_path: Path) -> None:
    records = [prompt("go", permissionMode="default"), call(8, "EnterPlanMode", {}), call(1), result(8, "Entered")]
    records += [call(2), call(9, "ExitPlanMode", {"plan": "p"}), result(9, "User has approved your plan."), call(3)]
    assert modes(tmp_path, *records) == [("default", "recorded"), ("plan", "inferred"), ("default", "inferred")]


@pytest.mark.parametrize(
    "refused",
    [
        result(9, claude.STOP, True),
        result(9, "User chose to stay in plan mode and continue planning"),
        result(9, "no", toolDenialKind="user-rejected"),
    ],
)
def test_a_plan_that_is_not_accepted_stays_in_plan_mode(tmp_path: Path, refused: Any) -> None:
    exit_plan = call(9, "ExitPlanMode", {"plan": "p"})
    assert modes(tmp_path, *IN_PLAN, exit_plan, refused, call(1)) == [("plan", "recorded")]


def test_the_mode_before_the_plan_is_the_guess_after_it_and_none_without_one(tmp_path: Path) -> None:
    approved = [call(9, "ExitPlanMode", {}), result(9, "User has approved your plan."), call(1)]
    assert modes(tmp_path, *IN_PLAN, *approved) == [("acceptEdits", "inferred")]
    assert modes(tmp_path, IN_PLAN[1], *approved) == [(None, None)]
    assert modes(tmp_path, *approved) == [(None, None)]
    after = [prompt("on", permissionMode="default"), call(2)]
    assert modes(tmp_path, *IN_PLAN, *approved, *after)[-1] == ("default", "recorded")


def test_attachments_begin_and_end_modes(tmp_path: Path) -> None:
    start = prompt("go", permissionMode="default")
    plan = [attached("plan_mode", reminderType="full"), call(1), attached("plan_mode_exit"), call(2)]
    assert modes(tmp_path, start, *plan) == [("plan", "inferred"), ("default", "inferred")]
    auto = [attached("auto_mode"), call(1), attached("auto_mode_exit"), call(2)]
    assert modes(tmp_path, start, *auto) == [("auto", "inferred"), ("default", "inferred")]
    again = [attached("plan_mode_reentry"), call(1)]
    assert modes(tmp_path, start, *again) == [("plan", "inferred")]
    end_without_begin = [attached("plan_mode_exit"), call(1)]
    assert modes(tmp_path, start, *end_without_begin) == [("default", "recorded")]


def test_a_reminder_proves_plan_mode_and_a_file_that_says_so_does_not(tmp_path: Path) -> None:
    reminder = prompt("<system-reminder>\nPlan mode is active. The user wants no edits.", isMeta=True)
    assert modes(tmp_path, reminder, call(1)) == [("plan", "inferred")]
    printed = [call(8, "Read", {}), result(8, "<system-reminder>Plan mode is active"), prompt("Plan mode is active?")]
    assert modes(tmp_path, *printed, call(1)) == [(None, None)]


def test_a_subagents_steps_do_not_change_the_sessions_mode(tmp_path: Path) -> None:
    side = [prompt("x", permissionMode="plan", isSidechain=True), attached("plan_mode") | {"isSidechain": True}]
    side += [call(8, "EnterPlanMode", {}, isSidechain=True), result(8, isSidechain=True)]
    assert modes(tmp_path, prompt("go", permissionMode="default"), *side, call(1)) == [("default", "recorded")]


def test_the_mode_survives_from_one_reading_to_the_next(tmp_path: Path) -> None:
    records = [*IN_PLAN, call(9, "ExitPlanMode", {}), result(9, "User has approved your plan."), call(1)]
    for cut in range(1, len(records)):
        path = claude.write(tmp_path, *records[:cut])
        cursor = claude.read(path).end.cursor
        path = claude.write(tmp_path, *records)
        later = claude.read(path, cursor)
        assert (later.calls[key(1)].mode, later.calls[key(1)].mode_source) == ("acceptEdits", "inferred"), cut
