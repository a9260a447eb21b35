"""kibitzer's trials of its own nudges: ``~/.kibitzer/nudge_trials.jsonl``, one file for all projects of a user.

Measured on kibitzer 0.9.0: ``plugin``, ``arm`` (nudge, control, suppressed), ``heed``, ``turns_to_heed``,
``session``, ``ts`` (seconds since 1970); a line is written when a trial closes.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from agent_riggs.model import Problem, Trial
from agent_riggs.sources import base, decode

_FILE: Final = Path(".kibitzer", "nudge_trials.jsonl")
_ARMS: Final = ("nudge", "control", "suppressed")


def read(home: Path, now: int) -> Iterator[Trial | Problem]:
    """Every trial of this user, of whatever project, in the order they closed; lines that are none are problems.

    A last line without its end is still being written and comes the next time.
    """
    path = home / _FILE
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return
    except OSError as error:
        yield base.unreadable(path, error)
        return
    for number, line in enumerate(data.split(b"\n")[:-1], 1):
        if not line.strip():
            continue
        value = decode.loads(line)
        trial = _trial(value, now) if isinstance(value, dict) else None
        yield trial if trial is not None else Problem(str(path), "no trial of a nudge", number)


def _trial(value: dict[str, Any], now: int) -> Trial | None:
    plugin, arm = decode.str_of(value.get("plugin")).strip(), value.get("arm")
    if not plugin or arm not in _ARMS:
        return None
    turns = value.get("turns_to_heed")
    counted = isinstance(turns, int) and not isinstance(turns, bool) and 0 <= turns < 1 << 31
    return Trial(
        plugin=plugin,
        arm=str(arm),
        heed=decode.flag_of(value.get("heed")),
        turns_to_heed=turns if counted else None,
        session_id=decode.id_of(value.get("session")),
        ts=decode.time_of(value.get("ts"), now),
    )
