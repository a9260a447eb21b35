"""The progress bar of an ingest: on a terminal only, on stderr, gone when it is done."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from agent_riggs.faces.render import is_terminal


@contextmanager
def bar(label: str, quiet: bool) -> Iterator[Callable[[int, int], None] | None]:
    """A function to call with (bytes done, bytes in all); ``None`` where nobody would see the bar."""
    if quiet or not is_terminal(sys.stderr):
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn

    parts = (TextColumn("{task.description}", markup=False), BarColumn(), DownloadColumn(), TimeRemainingColumn())
    with Progress(*parts, console=Console(stderr=True), transient=True) as shown:
        task = shown.add_task(label, total=None)
        yield lambda done, total: shown.update(task, completed=done, total=total)
