"""Local times recorded without their zone, made UTC."""

from __future__ import annotations

from datetime import datetime, tzinfo
from functools import lru_cache
from pathlib import Path
from zoneinfo import ZoneInfo


@lru_cache(maxsize=16)
def zone_of(setting: str) -> tzinfo | None:
    """The zone that ``$TZ`` names: a zone's name or the path of its file, with or without a colon before it.

    ``None`` means the machine's own zone, also for a rule spelled out (``EST5EDT,M3.2.0,M11.1.0``), which only the
    system's own library reads.
    """
    name = setting.strip().removeprefix(":")
    if not name:
        return None
    try:
        if name.startswith("/"):
            with Path(name).open("rb") as stream:
                return ZoneInfo.from_file(stream, key=name)
        return ZoneInfo(name)
    except (ValueError, OSError, KeyError):
        return None


def utc_of(local: datetime, zone: tzinfo | None) -> tuple[int, int | None]:
    """Microseconds since 1970 UTC; the second value is the later reading of a time that came twice that night."""
    if local.tzinfo is not None:
        return _micros(local), None
    first, second = (_micros(local.replace(tzinfo=zone, fold=fold)) for fold in (0, 1))
    return first, second if second > first else None


def _micros(moment: datetime) -> int:
    return round(moment.timestamp() * 1_000_000)
