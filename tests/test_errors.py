"""Exit codes and hints are part of the interface."""

from __future__ import annotations

import pytest

from agent_riggs import errors


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (errors.RiggsError("x"), 1),
        (errors.UsageError("x"), 2),
        (errors.NotFound("x"), 1),
        (errors.Ambiguous("x"), 1),
        (errors.StoreError("x"), 1),
        (errors.StoreTooNew("x"), 1),
        (errors.StoreBusy("x"), 4),
    ],
)
def test_exit_codes(error: errors.RiggsError, code: int) -> None:
    assert error.exit_code == code
    assert str(error) == error.message == "x"
    assert isinstance(error, errors.RiggsError)


def test_not_found_names_the_nearest() -> None:
    error = errors.NotFound("no key fail", ["failure-Bash-any", "failure-Edit-any"])
    assert error.hint == "nearest: failure-Bash-any, failure-Edit-any"
    assert errors.NotFound("no key").hint is None
    assert errors.NotFound("no key", ["a"], hint="list them").hint == "list them"


def test_ambiguous_names_what_it_could_be() -> None:
    error = errors.Ambiguous("f1", ["f12", "f13"])
    assert (error.hint, error.choices) == ("it could be:", ("f12", "f13"))
    many = errors.Ambiguous("f1", [f"f1{n:02}" for n in range(12)])
    assert (many.choices, len(many.matches)) == (tuple(f"f1{n:02}" for n in range(10)), 12)
    assert many.hint == "type more of it; it could be one of these, or of 2 more:"


def test_nearest_prefers_beginnings_then_parts_then_likeness() -> None:
    known = ["min_sessions", "min_frequency", "lookback_days", "days"]
    assert errors.nearest("min_f", known)[0] == "min_frequency"
    assert errors.nearest("DAYS", known) == ("days", "lookback_days")
    assert errors.nearest("min_sesions", known)[0] == "min_sessions"
    assert errors.nearest("zzz", known) == ()
    assert errors.nearest("", known) == ()
