"""What makes the hook's own process start judging sooner: what every run would compile anew is kept between runs.

Most of the time to the first verdict goes into compiling what the last run compiled a moment ago: regular expressions,
and the methods that ``dataclasses`` writes as text. Their compiled forms are kept in one file of the user's state
folder, for exactly this interpreter. With them ``re`` itself, and the ``enum`` it needs, need not be loaded: a module
that knows the kept patterns stands in its place until something else is asked of it. A file that is missing, foreign or
damaged costs nothing but the time it would have saved. Only whole processes call this, ``hook.main`` and
``faces.process``: it changes the process it is called in.
"""

from __future__ import annotations

import os
import sys

from agent_riggs import folders

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

PREFIX = "compiled-"
MAX_BYTES = 8 * 1024 * 1024
MAX_KEPT = 4000
"""More than the rules of one release hold: the file begins anew then."""

Module: Any = type(sys)


class Kept:
    """Compiled patterns and methods: those of earlier runs, and those that this run adds."""

    def __init__(self, path: str = "") -> None:
        self.path = path
        self.patterns: dict[tuple[str | bytes, int], tuple[Any, ...]] = {}
        """By pattern and flags: what ``_sre.compile`` makes the pattern of, its code as 32-bit numbers in bytes."""
        self.methods: dict[str, bytes] = {}
        """Marshalled code by source text. All stays bytes until it is wanted: a run needs a part of it."""
        self.added = 0

    def save(self) -> None:
        """Keep what was compiled in this run for the next one. Raises ``OSError``."""
        if not self.added or not self.path:
            return
        import marshal
        from binascii import crc32

        from agent_riggs import atomic

        full = len(self.patterns) + len(self.methods) > MAX_KEPT
        body = marshal.dumps(({}, {}) if full else (self.patterns, self.methods))
        atomic.replace(self.path, crc32(body).to_bytes(4, "big") + body)


def start(folder: str) -> Kept:
    """Use what is kept in ``folder`` from now on, and note what is missing. Raises nothing."""
    _postpone()
    kept = Kept()
    try:
        import _sre  # type: ignore[import-not-found]

        release = f"{sys.implementation.cache_tag}-{sys.hexversion:x}-{_sre.MAGIC}"
    except (ImportError, AttributeError):
        return kept  # another interpreter: it compiles as it does
    kept.path = os.path.join(folder, f"{PREFIX}{release}.bin")
    _read(kept)
    if "re" in sys.modules:
        _intercept(kept)
    else:
        sys.modules["re"] = _patterns(kept)
    _keep_methods(kept)
    return kept


class Later(Module):  # type: ignore[misc]
    """A module that stands for one of the standard library and becomes it when something is asked that it has not."""

    def __init__(self, name: str, ready: Mapping[str, Any], arrived: Callable[[], None] = lambda: None) -> None:
        super().__init__(name)
        self.__dict__.update(ready, _arrived=arrived)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)  # what the import system wants to know of any module
        return getattr(self._real(), name)

    def _real(self) -> Any:
        if sys.modules.get(self.__name__) is self:
            del sys.modules[self.__name__]
            __import__(self.__name__)
            self._arrived()
        return sys.modules[self.__name__]


def _postpone() -> None:
    """What ``dataclasses`` imports and hardly uses: ``inspect``, and with it the compiler's own parser, to look through
    wrappers of methods and (3.13) for a class's annotations, which 3.14 asks of ``annotationlib``; ``copy`` for what
    no hook does. ``typing`` is wanted for annotations alone, which nobody evaluates here."""
    asked = {"get_annotations": lambda owner, format=None: dict(owner.__annotations__)}
    names: dict[str, Any] = dict.fromkeys(("Any", "ClassVar", "Final", "_GenericAlias"), object())
    names |= {"TYPE_CHECKING": False, "Literal": _Subscripted(), "get_origin": lambda annotation: None}
    ready = {"inspect": {**asked, "unwrap": _unwrap}, "copy": {}, "typing": names}
    if sys.version_info >= (3, 14):
        ready["annotationlib"] = {**asked, "Format": _Format}
    for name, known in ready.items():
        sys.modules.setdefault(name, Later(name, known))


def _unwrap(method: Any) -> Any:
    while hasattr(method, "__wrapped__"):
        method = method.__wrapped__
    return method


class _Format:
    """The numbers of ``annotationlib.Format``."""

    VALUE, VALUE_WITH_FAKE_GLOBALS, FORWARDREF, STRING = 1, 2, 3, 4


class _Subscripted:
    def __getitem__(self, values: Any) -> Any:
        return values


def _patterns(kept: Kept) -> Any:
    """A module in the place of ``re`` that builds the kept patterns as ``re`` would; the others it leaves to ``re``.

    ``re`` builds a pattern by ``_sre.compile(pattern, flags, code, groups, groupindex, indexgroup)`` (CPython 3.11 to
    3.14), which checks the code before it is used.
    """
    import _sre

    def compile(pattern: Any, flags: Any = 0) -> Any:
        known = kept.patterns.get((pattern, int(flags))) if isinstance(pattern, str | bytes) else None
        if known is not None:
            try:
                return _build(_sre.compile, pattern, known)
            except (RuntimeError, TypeError, ValueError):
                del kept.patterns[pattern, int(flags)]
        return stand_in._real().compile(pattern, flags)

    nothing = _sre.compile("", 0, [1], 0, {}, (None,))
    ready = {"compile": compile, "Pattern": type(nothing), "Match": type(nothing.match(""))}
    flags = {"IGNORECASE": 2, "LOCALE": 4, "MULTILINE": 8, "DOTALL": 16, "UNICODE": 32, "VERBOSE": 64, "ASCII": 256}
    letters = {"I": 2, "L": 4, "M": 8, "S": 16, "U": 32, "X": 64, "A": 256}
    stand_in = Later("re", {**ready, **flags, **letters, "NOFLAG": 0}, lambda: _intercept(kept))
    return stand_in


def _intercept(kept: Kept) -> None:
    """Put the kept forms in the place of compiling in ``re`` itself, and keep what it compiles.

    ``re`` compiles through ``re._compiler.compile``.
    """
    import re

    compiler: Any = getattr(re, "_compiler", None)
    engine: Any = getattr(compiler, "_sre", None)
    if engine is None:
        return
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
        known = kept.patterns.get(key) if isinstance(pattern, str | bytes) else None
        if known is not None:
            try:
                return _build(build, pattern, known)
            except (RuntimeError, TypeError, ValueError):
                del kept.patterns[key]
        compiler._sre = Engine()
        made = plain(pattern, flags)
        if isinstance(pattern, str | bytes) and last and last[0][0] == pattern:
            _, all_flags, code, groups, names, order = last[0]
            numbers = b"".join(int(number).to_bytes(4, sys.byteorder) for number in code)
            kept.patterns[key] = (int(all_flags), numbers, groups, dict(names), tuple(order))
            kept.added += 1
        return made

    compiler.compile = compile


def _build(build: Any, pattern: str | bytes, known: tuple[Any, ...]) -> Any:
    flags, numbers, *groups = known
    return build(pattern, flags, memoryview(numbers).cast("I").tolist(), *groups)


def _keep_methods(kept: Kept) -> None:
    """``dataclasses`` writes the methods of a class as text and runs that by ``exec(text, globals, names)`` (CPython
    3.11 to 3.14): let it run the kept code of the same text."""
    import dataclasses
    import marshal

    def run(text: str, scope: dict[str, Any], names: dict[str, Any]) -> None:
        known = kept.methods.get(text)
        if known is None:
            known = kept.methods[text] = marshal.dumps(compile(text, "<string>", "exec", dont_inherit=True))
            kept.added += 1
        exec(marshal.loads(known), scope, names)

    dataclasses.exec = run  # type: ignore[attr-defined]


def _read(kept: Kept) -> None:
    """Take in the file; nothing of it when it is not there, not this user's own, or damaged."""
    data = folders.small_file(kept.path, MAX_BYTES, private=True)
    if not data:
        return
    import marshal
    from binascii import crc32

    if data[:4] != crc32(data[4:]).to_bytes(4, "big"):
        return  # code of a damaged file could end the process
    try:
        patterns, methods = marshal.loads(memoryview(data)[4:])
    except (ValueError, EOFError, TypeError):
        return
    if isinstance(patterns, dict) and isinstance(methods, dict):
        kept.patterns, kept.methods = patterns, methods
