"""The nouns of the family captures: a place to run in, a scenario to run, a shot that came out.

A *family* is one failure of one tool. Its captures ``a`` and ``b`` are the same failure in two places (another
folder, user, file name, line number, value); each ``twin`` is a failure of the same tool that needs another fix.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Place:
    """A user's project folder, and the words that differ from place to place."""

    name: str
    home: str
    project: str
    words: Mapping[str, str]
    windows: bool = False
    """Paths below ``home`` are written the Windows way in the capture, under ``C:\\Users``."""


def _place(name: str, home: str, project: str, lines: int, windows: bool = False, **words: str) -> Place:
    """``lines`` is how far the failing line is pushed down, as blank lines or as comments."""
    pads = {"pad": "\n" * lines, "hash": "# note\n" * lines, "dash": "-- note\n" * lines}
    return Place(name, home, f"{home}/{project}", pads | words, windows)


A = _place(
    "a",
    "/home/ada",
    "src/shop",
    0,
    file="app",
    other="helper",
    dir="src",
    n="3",
    word="basket",
    mirror="registry.example.org",
)
B = _place(
    "b",
    "/Users/grace",
    "code/clients/shop-api",
    17,
    file="billing_job",
    other="money_tools",
    dir="core/lib",
    n="4217",
    word="ledger",
    mirror="npm.corp.example",
)
W = _place(
    "b",
    "/home/linus",
    "source/repos/Shop.Web",
    40,
    windows=True,
    file="report",
    other="charts",
    dir="pkg",
    n="88",
    word="tenant",
    mirror="mirror.example.net",
)


@dataclass(frozen=True, slots=True)
class Twin:
    """Another cause. What is ``None`` is taken over from the family."""

    name: str = "twin"
    cause: str | None = None
    cmd: str | None = None
    files: Mapping[str, str] | None = None
    setup: str | None = None


@dataclass(frozen=True, slots=True)
class Family:
    """One failure: how to bring it about, and what a user would want to be told about it.

    ``@file@``, ``@dir@``, ``@pad@`` and the other words of a place are replaced in ``cmd``, ``files`` and ``setup``;
    ``@cause@`` is the subject of the failure and the same in ``a`` and ``b``.
    """

    name: str
    outcome: str
    classes: tuple[str, ...]
    cmd: str
    files: Mapping[str, str] = field(default_factory=dict)
    setup: str = ""
    cause: str = ""
    twins: tuple[Twin, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict)
    multi: bool = False
    """Several diagnostics in one output: their order must not matter."""
    user: bool = False
    """Run without the rights of the super user."""
    windows: bool = False
    b_cmd: str | None = None
    wrap: str | None = None
    """How ``b`` wraps the command; ``None`` takes the next wrapper in turn, ``plain`` none."""


REGISTRY: dict[str, Family] = {}


_NEAR = {"missing_file": "bad_path", "bad_path": "missing_file", "other": "invalid_input"}


def _widened(classes: list[str]) -> list[str]:
    """Classes that no user would tell apart: a file and a path that are not there; a value that the program refused
    with an exception of its own, for which no finer class exists."""
    return list(dict.fromkeys(classes + [_NEAR[name] for name in classes if name in _NEAR]))


def family(
    name: str,
    outcome: str,
    classes: str,
    cmd: str,
    *,
    twins: Sequence[Twin] = (),
    twin: str | None = None,
    files: Mapping[str, str] | None = None,
    setup: str = "",
    cause: str = "",
    env: Mapping[str, str] | None = None,
    multi: bool = False,
    user: bool = False,
    windows: bool = False,
    b_cmd: str | None = None,
    wrap: str | None = None,
) -> None:
    """Register a family. ``twin`` is short for one twin that differs only in its cause."""
    if name in REGISTRY:
        raise ValueError(f"family {name} is there twice")
    all_twins = ((Twin(cause=twin),) if twin is not None else ()) + tuple(twins)
    REGISTRY[name] = Family(
        name,
        outcome,
        tuple(_widened(classes.split())),
        cmd,
        files or {},
        setup,
        cause,
        all_twins,
        env or {},
        multi,
        user,
        windows,
        b_cmd,
        wrap,
    )


@dataclass(frozen=True, slots=True)
class Shot:
    """One captured run."""

    name: str
    cwd: str
    command: str
    exit_code: int
    output: str
