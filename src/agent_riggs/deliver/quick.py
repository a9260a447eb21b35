"""What makes the hook's own process start judging sooner: compiled patterns kept between runs, ``inspect`` left out.

Half of the time to the first verdict goes into compiling regular expressions that were compiled a moment ago by the
last run. Their compiled form (lists of numbers) is kept in one file of the user's state folder, for exactly this
interpreter. The interpreter checks such a form before it uses it; a file that cannot be used costs nothing but the
time it would have saved. Only ``hook.main`` calls this: it changes the process it is called in.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

PREFIX = "patterns-"
MAX_BYTES = 8 * 1024 * 1024
MAX_PATTERNS = 4000
"""More than the rules of one release hold: the file begins anew then."""


class Patterns:
    """The compiled patterns of this process, those of the last run and those added."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.table: dict[tuple[str, int], tuple[Any, ...]] = {}
        self.added = 0

    def save(self) -> None:
        """Keep what was compiled in this run for the next one. Raises ``OSError``."""
        if not self.added:
            return
        import marshal

        data = marshal.dumps(self.table if len(self.table) <= MAX_PATTERNS else {})
        os.makedirs(os.path.dirname(self.path), mode=0o700, exist_ok=True)
        fresh = f"{self.path}.{os.urandom(6).hex()}"
        descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o600)
        try:
            os.write(descriptor, data)
        finally:
            os.close(descriptor)
        os.replace(fresh, self.path)


def start(folder: str) -> Patterns:
    """Use the patterns kept in ``folder`` from now on, and note those that are missing. Raises nothing."""
    _postpone_inspect()
    held = Patterns("")
    try:
        import re

        compiler: Any = re._compiler  # type: ignore[attr-defined]
        engine: Any = compiler._sre
        held.path = os.path.join(
            folder, f"{PREFIX}{sys.implementation.cache_tag}-{sys.hexversion:x}-{engine.MAGIC}.bin"
        )
        held.table = _read(held.path)
        _intercept(compiler, engine, held)
    except (ImportError, AttributeError, TypeError):
        return held
    return held


def _intercept(compiler: Any, engine: Any, held: Patterns) -> None:
    """Put the kept form in the place of compiling. ``re`` compiles through ``re._compiler.compile``, and that builds
    the pattern by ``_sre.compile(pattern, flags, code, groups, groupindex, indexgroup)`` (CPython 3.11 to 3.14)."""
    plain, build = compiler.compile, engine.compile
    last: list[tuple[Any, ...]] = []

    class Engine:
        """``_sre`` with its ``compile`` listened to."""

        def __getattr__(self, name: str) -> Any:
            return getattr(engine, name)

        @staticmethod
        def compile(*arguments: Any) -> Any:
            last[:] = [arguments]
            return build(*arguments)

    def compile(pattern: Any, flags: Any = 0) -> Any:
        key = (pattern, int(flags))
        known = held.table.get(key) if isinstance(pattern, str) else None
        if known is not None:
            try:
                return build(pattern, *known)
            except (RuntimeError, TypeError, ValueError, OverflowError):
                del held.table[key]
        compiler._sre = Engine()
        made = plain(pattern, flags)
        if isinstance(pattern, str) and last and last[0][0] == pattern:
            _, all_flags, code, groups, names, order = last[0]
            held.table[key] = (int(all_flags), [int(number) for number in code], groups, dict(names), tuple(order))
            held.added += 1
        return made

    compiler.compile = compile


def _read(path: str) -> dict[tuple[str, int], tuple[Any, ...]]:
    """The kept patterns; none when the file is not there, not this user's own, or damaged."""
    import marshal

    try:
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0))
    except OSError:
        return {}
    try:
        status = os.fstat(descriptor)
        mine = os.name == "nt" or (status.st_uid == os.getuid() and not status.st_mode & 0o022)
        if not mine or status.st_size > MAX_BYTES:
            return {}
        table = marshal.loads(os.read(descriptor, status.st_size))
    except (OSError, ValueError, EOFError, TypeError):
        return {}
    finally:
        os.close(descriptor)
    return table if isinstance(table, dict) else {}


def _postpone_inspect() -> None:
    """``dataclasses`` imports ``inspect``, and with it the compiler's own parser, for classes without a docstring. Put
    in a module that becomes the real one when something is asked of it."""

    class Later(type(sys)):  # type: ignore[misc]
        def __getattr__(self, name: str) -> Any:
            if sys.modules.get("inspect") is self:
                del sys.modules["inspect"]
            import inspect

            return getattr(inspect, name)

    sys.modules.setdefault("inspect", Later("inspect"))
