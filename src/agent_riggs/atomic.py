"""Files replaced at once: whoever reads one sees the old bytes or the new ones, never a part."""

from __future__ import annotations

import os
from contextlib import suppress

from agent_riggs import folders


def replace(path: str | os.PathLike[str], data: bytes, mode: int | None = 0o600) -> None:
    """Put ``data`` in the place of the file ``path``, with the permissions ``mode`` (``None``: those of any new file).

    A missing folder is made, for the user alone. Raises ``OSError``; then the old file stands as it was and nothing is
    left beside it.
    """
    folder, name = os.path.split(os.path.abspath(path))
    folders.make(folder)
    fresh = os.path.join(folder, f".{name}.{os.urandom(6).hex()}")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    try:
        with os.fdopen(os.open(fresh, flags, 0o666 if mode is None else 0o600), "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        if mode is not None:
            os.chmod(fresh, mode)
        os.replace(fresh, path)
    finally:
        with suppress(FileNotFoundError):
            os.unlink(fresh)
