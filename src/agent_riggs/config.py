"""Thresholds and weights: ``.riggs/config.toml``, checked strictly, every key with a default.

A key that does not exist or holds the wrong kind of value is an error that names it and the nearest one that does:
a setting that is silently ignored is worse than none. Keys of the public 0.2 line that have no meaning any more are
accepted and listed in ``Config.retired``, so that an old file does not stop a newer version.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from agent_riggs import regular
from agent_riggs.errors import RiggsError, UsageError, nearest

FILE: Final = "config.toml"


@dataclass(frozen=True, slots=True)
class Trust:
    """Section ``[trust]``: three moving averages and what each event scores, all between 0 and 1."""

    alpha_short: float = 0.4
    """Weight of a new score in ``trust_1``, "now" on the screen."""
    alpha_session: float = 0.08
    """Weight of a new score in ``trust_5``, "session"."""
    alpha_baseline: float = 0.02
    """Weight of a new score in ``trust_15``, "baseline"."""
    initial_trust: float = 0.4
    """Where a project nobody has seen starts."""
    score_success: float = 1.0
    """The call did what it was asked."""
    score_suboptimal: float = 0.7
    """A shell command did what a structured tool does better."""
    score_mode_switch_agent: float = 0.8
    """The agent asked for another mode."""
    score_mode_switch_controller: float = 0.3
    """kibitzer changed the mode by itself."""
    score_failure: float = 0.2
    """The call failed."""
    score_path_denial: float = 0.1
    """A permission rule, hook or sandbox refused the call."""
    score_repeated_failure: float = 0.0
    """The same failure again in one session, with no success between."""

    @property
    def weights(self) -> tuple[float, float, float]:
        """Weights of ``trust_1``, ``trust_5`` and ``trust_15``."""
        return self.alpha_short, self.alpha_session, self.alpha_baseline

    @property
    def scores(self) -> Mapping[str, float]:
        """Score by ``turns.event_category``; a category that is not in it has no score."""
        found = {f.name[6:]: getattr(self, f.name) for f in fields(self) if f.name.startswith("score_")}
        return MappingProxyType({**found, "denied": self.score_path_denial})


@dataclass(frozen=True, slots=True)
class Ratchet:
    """Section ``[ratchet]``: when a failure that comes back is worth a human's look."""

    min_frequency: int = 5
    """Occurrences before a wider key or a replacement of one tool by another is a candidate; twice as many make a
    failure "frequent". A failure itself is one from two root sessions on."""
    min_sessions: int = 3
    """Root sessions that make a failure "systemic", which is a word beside it: it is listed from two on, whatever this
    says. As many must have used a tool that another would replace."""
    lookback_days: int = 30
    """Days counted back from the project's last activity."""
    min_success_rate: float = 0.8
    """For a replacement of one tool by another: share of successes of the better tool."""
    min_nudge_trials: int = 5
    """For kibitzer's nudges: trials with and without the nudge, each."""
    min_heed_rate: float = 0.25
    """For kibitzer's nudges: share of nudges that were heeded."""
    min_heed_lift: float = 0.0
    """For kibitzer's nudges: how much larger that share must be than without the nudge."""
    max_live: int = 20
    """Live ratchets above which a promotion warns: an agent that is told too much listens to nothing."""


@dataclass(frozen=True, slots=True)
class Deliver:
    """Section ``[deliver]``: telling fixes."""

    hold_out: float = 0.0
    """Share of sessions in which a ratchet is kept back on purpose, so that ``ratchet effect`` has something
    to compare with. Which ones follows from the session and the ratchet."""


@dataclass(frozen=True, slots=True)
class Store:
    """Section ``[store]``: the DuckDB file."""

    wait_seconds: float = 10.0
    """How long to wait for another process that holds the store before giving up with exit code 4."""


@dataclass(frozen=True, slots=True)
class Config:
    """Everything that can be set for a project."""

    trust: Trust = field(default_factory=Trust)
    ratchet: Ratchet = field(default_factory=Ratchet)
    deliver: Deliver = field(default_factory=Deliver)
    store: Store = field(default_factory=Store)
    retired: tuple[str, ...] = ()
    """Dotted names of settings found that the public 0.2 knew and that have no effect any more."""


_SECTIONS: Final[Mapping[str, type[Any]]] = {"trust": Trust, "ratchet": Ratchet, "deliver": Deliver, "store": Store}

_RANGES: Final[Mapping[str, tuple[float, float]]] = {
    "store.wait_seconds": (0.0, 3600.0),
    "ratchet.min_heed_lift": (-1.0, 1.0),
    "deliver.hold_out": (0.0, 0.5),
}

_RETIRED: Final = frozenset(
    {
        "trust.tighten_threshold",
        "trust.auto_tighten_threshold",
        "trust.loosen_threshold",
        "trust.loosen_sustained_turns",
        "trust.gate_threshold",
        "trust.violation_holdoff_turns",
        "sandbox.memory_headroom",
        "sandbox.timeout_headroom",
        "sandbox.cpu_headroom",
        "sandbox.min_runs_for_tightening",
        "metrics.default_period_days",
        "briefing.lookback_days",
        "briefing.top_tools",
        "store.path",
    }
)


def config_path(root: Path) -> Path:
    """Where the settings of the project at ``root`` lie; the file need not exist."""
    return root / ".riggs" / FILE


def load(root: Path) -> Config:
    """Settings of the project at ``root``; the defaults where there is no file or no key.

    ``UsageError`` names file, key and what was expected; ``RiggsError`` when the file cannot be read, is a link, no
    file, or larger than settings are.
    """
    import tomllib

    path = config_path(root)
    try:
        regular.refuse_link(path.parent)
        text = regular.read_settings(path).decode("utf-8-sig")
    except (FileNotFoundError, NotADirectoryError):
        return Config()
    except UnicodeDecodeError:
        raise UsageError(f"{path}: not UTF-8 text") from None
    except OSError as error:
        raise RiggsError(f"{path}: {error.strerror or 'cannot be read'}") from error
    try:
        return parse(tomllib.loads(text), str(path))
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise UsageError(f"{path}: not valid TOML: {error}") from None


def parse(data: Mapping[str, Any], where: str = FILE) -> Config:
    """Settings from decoded TOML. ``where`` names the file in error messages."""
    retired = tuple(sorted(name for name in _dotted(data) if name in _RETIRED))
    sections: dict[str, Any] = {}
    for name, values in data.items():
        if name not in _SECTIONS:
            if any(entry.startswith(f"{name}.") for entry in retired) or name in _retired_sections():
                continue
            raise UsageError(f"{where}: there is no section [{name}]", _suggest(name, _SECTIONS))
        if not isinstance(values, dict):
            raise UsageError(f"{where}: {name} must be a section, not {_kind(values)}", f"write [{name}]")
        sections[name] = _section(_SECTIONS[name], name, values, where)
    return Config(**sections, retired=retired)


def describe() -> Iterator[tuple[str, Any]]:
    """Every setting as ``(section.key, default)``, in order of writing."""
    for name, kind in _SECTIONS.items():
        default = kind()
        for entry in fields(kind):
            yield f"{name}.{entry.name}", getattr(default, entry.name)


def wanted(name: str, default: Any) -> str:
    """What a setting may be, in words."""
    low, high = _range(default, name)
    return f"a number from {low:g} to {high:g}" if isinstance(default, float) else "a whole number of at least 1"


def _section(kind: type[Any], name: str, values: Mapping[str, Any], where: str) -> Any:
    default = kind()
    known = {entry.name for entry in fields(kind)}
    found: dict[str, Any] = {}
    for key, value in values.items():
        dotted = f"{name}.{key}"
        if key in known:
            found[key] = _checked(value, getattr(default, key), dotted, where)
        elif dotted not in _RETIRED:
            raise UsageError(f"{where}: there is no setting {dotted}", _suggest(key, known))
    return kind(**found)


def _checked(value: Any, default: Any, name: str, where: str) -> Any:
    """``value`` as the kind that ``default`` is, in range; ``UsageError`` otherwise."""
    wrong = UsageError(f"{where}: {name} must be {wanted(name, default)}, not {_kind(value)}")
    if isinstance(value, bool) or not isinstance(value, (int, float) if isinstance(default, float) else int):
        raise wrong
    low, high = _range(default, name)
    if not low <= value <= high:
        raise UsageError(f"{where}: {name} must be {wanted(name, default)}, not {value}")
    return float(value) if isinstance(default, float) else value


def _range(default: Any, name: str) -> tuple[float, float]:
    return _RANGES.get(name, (0.0, 1.0) if isinstance(default, float) else (1, 1_000_000))


def _kind(value: Any) -> str:
    names = {bool: "true or false", str: "text", int: "a whole number", float: "a number", list: "a list"}
    return names.get(type(value), "a section" if isinstance(value, dict) else f"a {type(value).__name__}")


def _suggest(word: str, known: Mapping[str, Any] | set[str]) -> str:
    near = nearest(word, known, 1)
    return f"did you mean {near[0]}?" if near else "known: " + ", ".join(sorted(known))


def _dotted(data: Mapping[str, Any]) -> Iterator[str]:
    for section, values in data.items():
        if isinstance(values, dict):
            yield from (f"{section}.{key}" for key in values)


def _retired_sections() -> set[str]:
    return {name.split(".")[0] for name in _RETIRED} - set(_SECTIONS)
