"""The store during an ingest."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from types import TracebackType

from agent_riggs.store import Connection, open_write


class Held:
    """Opened when it is wanted, and let go of while something else takes its time: then others read and write.

    Opening and closing cost as much as writing some thousand calls.
    """

    def __init__(self, path: Path, wait: float) -> None:
        self._path, self._wait = path, wait
        self._stack = ExitStack()
        self._conn: Connection | None = None

    def __enter__(self) -> Held:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.__exit__(kind, error, trace)

    @property
    def conn(self) -> Connection:
        """The connection for what comes next; not to be kept."""
        if self._conn is None:
            self._conn = self._stack.enter_context(open_write(self._path, wait=self._wait)).conn
        return self._conn

    def let_go(self) -> None:
        """Close it until it is wanted again."""
        self._conn = None
        self._stack.close()
