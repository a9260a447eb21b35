"""The errors a user may meet: one plain sentence, a hint, an exit code. Everything else is a bug (exit code 3)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

EXIT_OK = 0
EXIT_ERROR = 1
EXIT_USAGE = 2
EXIT_BUG = 3
EXIT_BUSY = 4
EXIT_INTERRUPTED = 130


class RiggsError(Exception):
    """An expected error. ``str(error)`` is the message; ``hint`` says what to do about it."""

    choices: tuple[str, ...] = ()
    """What the hint offers, each shown on a line of its own."""

    def __init__(self, message: str, hint: str | None = None, exit_code: int = EXIT_ERROR) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.exit_code = exit_code


class UsageError(RiggsError):
    """The request itself is wrong: an option, a value, a line of the configuration."""

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(message, hint, EXIT_USAGE)


class NotFound(RiggsError):
    """A name or key that does not exist here. ``nearest`` holds what was probably meant, best first."""

    def __init__(self, message: str, nearest: Sequence[str] = (), hint: str | None = None) -> None:
        self.nearest = tuple(nearest)
        if hint is None and self.nearest:
            hint = "nearest: " + ", ".join(self.nearest)
        super().__init__(message, hint, EXIT_ERROR)


class Ambiguous(RiggsError):
    """A prefix that names more than one thing. ``matches`` holds them; the first ``SHOWN`` are offered."""

    SHOWN = 10

    def __init__(self, message: str, matches: Sequence[str] = (), hint: str | None = None) -> None:
        self.matches = tuple(matches)
        self.choices = self.matches[: self.SHOWN]
        if hint is None and self.matches:
            more = len(self.matches) - len(self.choices)
            hint = f"type more of it; it could be one of these, or of {more:,} more:" if more else "it could be:"
        super().__init__(message, hint, EXIT_ERROR)


class StoreError(RiggsError):
    """The store cannot be used as it is."""


class StoreBusy(StoreError):
    """Another process holds the store, and went on holding it for as long as we were willing to wait."""

    def __init__(self, message: str, hint: str | None = "try again when the other agent-riggs has finished") -> None:
        super().__init__(message, hint, EXIT_BUSY)


class StoreTooNew(StoreError):
    """The store was written by a newer agent-riggs or a newer DuckDB than this one."""


class StoreBroken(StoreError):
    """The file cannot be opened as a store: damaged, cut short, or another program's."""


def nearest(wanted: str, known: Iterable[str], count: int = 3) -> tuple[str, ...]:
    """Up to ``count`` members of ``known`` that ``wanted`` was probably meant to be, best first.

    A common beginning or a part counts before likeness of letters, because keys are typed cut short.
    """
    import difflib

    low = wanted.casefold()
    names = sorted(set(known))
    starts = [name for name in names if low and name.casefold().startswith(low)]
    parts = [name for name in names if low and low in name.casefold()]
    alike = difflib.get_close_matches(wanted, names, n=count, cutoff=0.5)
    return tuple(dict.fromkeys([*starts, *parts, *alike]))[:count]
