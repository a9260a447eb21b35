"""Settings: every key counts or is refused."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from agent_riggs import config
from agent_riggs.errors import RiggsError, UsageError
from agent_riggs.judge import trust


def write(root: Path, text: str | bytes) -> Path:
    (root / ".riggs").mkdir()
    path = config.config_path(root)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return root


def test_no_file_means_defaults(tmp_path: Path) -> None:
    assert config.load(tmp_path) == config.Config()
    assert not (tmp_path / ".riggs").exists()


def test_the_defaults_are_those_of_the_contract() -> None:
    settings = config.Config()
    assert settings.trust.weights == (0.4, 0.08, 0.02)
    assert settings.trust.initial_trust == 0.4
    assert settings.ratchet == config.Ratchet(5, 3, 30, 0.8, 5, 0.25, 0.0)


def test_trust_defaults_agree_with_the_judge() -> None:
    settings = config.Config().trust
    assert settings.weights == tuple(trust.WEIGHTS)
    assert settings.scores == dict(trust.SCORES)
    assert {settings.initial_trust} == set(trust.START)


def test_settings_are_read(tmp_path: Path) -> None:
    text = "[trust]\nalpha_short = 0.5\nscore_failure = 0\n[ratchet]\nmin_frequency = 3\n"
    found = config.load(write(tmp_path, text))
    assert found.trust.alpha_short == 0.5
    assert found.trust.scores["failure"] == 0.0
    assert isinstance(found.trust.score_failure, float)
    assert found.ratchet.min_frequency == 3
    assert found.ratchet.min_sessions == 3


def test_a_byte_order_mark_is_no_error(tmp_path: Path) -> None:
    assert config.load(write(tmp_path, b"\xef\xbb\xbf[ratchet]\r\nmin_sessions = 2\r\n")).ratchet.min_sessions == 2


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        ("[ratchet]\nmin_frequncy = 3", "there is no setting ratchet.min_frequncy", "did you mean min_frequency?"),
        ("[rachet]\nx = 1", "there is no section [rachet]", "did you mean ratchet?"),
        ("[zzz]", "there is no section [zzz]", "known: deliver, ratchet, store, trust"),
        ("[deliver]\nhold_out = 0.6", "deliver.hold_out must be a number from 0 to 0.5, not 0.6", ""),
        ('[ratchet]\nmin_frequency = "five"', "must be a whole number of at least 1, not text", ""),
        ("[ratchet]\nmin_frequency = 0", "must be a whole number of at least 1, not 0", ""),
        ("[ratchet]\nmin_frequency = true", "not true or false", ""),
        ("[ratchet]\nmin_frequency = 2.5", "not a number", ""),
        ("[trust]\nalpha_short = 1.5", "must be a number from 0 to 1, not 1.5", ""),
        ("[trust]\nalpha_short = nan", "must be a number from 0 to 1, not nan", ""),
        ("[trust]\nalpha_short = 2020-01-01", "not a date", ""),
        ("trust = 1", "trust must be a section, not a whole number", "write [trust]"),
        ("[trust", "not valid TOML", ""),
    ],
)
def test_what_does_not_fit_is_refused_by_name(tmp_path: Path, text: str, message: str, hint: str) -> None:
    with pytest.raises(UsageError) as caught:
        config.load(write(tmp_path, text))
    assert message in caught.value.message
    assert str(config.config_path(tmp_path)) in caught.value.message
    assert hint in (caught.value.hint or "")


def test_text_that_is_not_utf8(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="not UTF-8"):
        config.load(write(tmp_path, b"\xff\xfe\x00"))


def test_a_folder_in_place_of_the_file(tmp_path: Path) -> None:
    config.config_path(tmp_path).mkdir(parents=True)
    with pytest.raises(RiggsError):
        config.load(tmp_path)


LONG = {"many parts": ".".join("a" * 30_000) + " = 1", "large": "# x\n" * 20_000}


@pytest.mark.parametrize("text", LONG.values(), ids=LONG)
def test_what_no_human_writes_is_one_clear_line_at_once(tmp_path: Path, text: str) -> None:
    with pytest.raises(RiggsError, match=r"1,000 bytes|larger than"):
        config.load(write(tmp_path, text))


@pytest.mark.parametrize("make", [os.mkfifo, lambda path: os.symlink("/dev/zero", path)], ids=["pipe", "endless"])
def test_what_a_repository_ships_in_place_of_the_file_is_not_read(tmp_path: Path, make: Callable[[Path], None]) -> None:
    (tmp_path / ".riggs").mkdir()
    make(config.config_path(tmp_path))
    with pytest.raises(RiggsError, match=r"is no file|is a link to /dev/zero") as caught:
        config.load(tmp_path)
    assert str(config.config_path(tmp_path)) in caught.value.message


def test_the_folder_of_the_settings_is_no_link(tmp_path: Path) -> None:
    write(tmp_path, "")
    (tmp_path / "shop").mkdir()
    (tmp_path / "shop" / ".riggs").symlink_to(tmp_path / ".riggs")
    with pytest.raises(RiggsError, match=r"shop/\.riggs is a link to"):
        config.load(tmp_path / "shop")


def test_settings_of_the_public_0_2_do_not_stop_us_and_are_named(tmp_path: Path) -> None:
    text = (
        "[trust]\ngate_threshold = 0.5\nalpha_short = 0.3\n[sandbox]\nmemory_headroom = 2.0\n"
        '[store]\npath = ".riggs/store.duckdb"\n[metrics]\ndefault_period_days = 30\n'
    )
    found = config.load(write(tmp_path, text))
    assert found.trust.alpha_short == 0.3
    assert found.retired == (
        "metrics.default_period_days",
        "sandbox.memory_headroom",
        "store.path",
        "trust.gate_threshold",
    )


def test_every_setting_can_be_listed() -> None:
    listed = dict(config.describe())
    assert listed["ratchet.lookback_days"] == 30
    assert len(listed) == 21
