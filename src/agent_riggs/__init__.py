"""The long memory of coding agents: what keeps failing, what ended it, and the fix at the moment it fails again."""

from __future__ import annotations

TYPE_CHECKING = False  # not from typing: whatever is imported here, every run of the hook waits for
if TYPE_CHECKING:
    from typing import Any

    from agent_riggs.consumer import RatchetConsumer

__all__ = ["RatchetConsumer"]


def __getattr__(name: str) -> Any:
    """Imported on first use: the hook imports this package too, and must not wait for DuckDB."""
    if name == "RatchetConsumer":
        from agent_riggs.consumer import RatchetConsumer

        return RatchetConsumer
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
