"""The words in which a ratchet speaks: facts with source and date, one line, nothing that could pass for markup."""

from __future__ import annotations

import re
import time
import unicodedata

from agent_riggs.deliver.recall import Ratchet

MAX_ADVICE = 600
"""Characters of one advice; hosts cut or drop much longer context."""
_MAX_SUBJECT = 80
_SIGNATURE = re.compile(r"\[agent-riggs ([\w.:/-]{1,200})\]")
_FINGERPRINT = re.compile(r"f[0-9a-f]{16}\Z")
_UNPLAIN = re.compile(r"[^\w.:/-]")
_TAG = re.compile(r"<(?=[A-Za-z/!?])")
_SPACE = re.compile(r"\s+")


def advice(ratchet: Ratchet, moment: str = "after") -> str:
    """What the agent is told: at most ``MAX_ADVICE`` characters on one line, ending with the ratchet's reference."""
    reference = f" [agent-riggs {reference_of(ratchet.key)}]"
    text = f"{_history(ratchet, moment)} Recorded fix{_day(ratchet.decided_at, ' of ')}: {plain(ratchet.fix)}"
    room = MAX_ADVICE - len(reference)
    if len(text) > room:
        return text[: room - 1].rstrip() + "…" + reference
    for dead_end in ratchet.dead_ends:
        more = f" (tried there and failed again: {plain(dead_end)})"
        if len(text) + len(more) <= room:
            text += more
    return text + reference


def reference_of(key: str) -> str:
    """What names a ratchet in a text: the fingerprint at its key's end, else the key made plain."""
    tail = key.rpartition(":")[2]
    return tail if _FINGERPRINT.match(tail) else _UNPLAIN.sub("_", key)[:200]


def references(text: str) -> list[str]:
    """The ratchets that a text found in a transcript speaks of."""
    return _SIGNATURE.findall(text) if "[agent-riggs " in text else []


def _history(ratchet: Ratchet, moment: str) -> str:
    subject = f"`{plain(ratchet.program)[:_MAX_SUBJECT]}`" if ratchet.program else plain(ratchet.tool)[:_MAX_SUBJECT]
    if moment == "before" and ratchet.trigger:
        subject = f"`{plain(' '.join(ratchet.trigger))[:_MAX_SUBJECT]}`"
    count = ratchet.sessions
    if not count:
        return f"A failure of {subject or 'this call'} recorded for this project:"
    sessions = "1 earlier session" if count == 1 else f"{count:,} earlier sessions"
    way = "failed" if moment == "before" else "failed the same way"
    last = _day(ratchet.last_seen, ", last on ")
    return f"In {sessions} of this project{last}{',' if last else ''} {subject or 'this call'} {way}."


def _day(moment: int | None, before: str) -> str:
    """A UTC date behind some words; nothing for a time that is unknown or absurd."""
    try:
        return before + time.strftime("%Y-%m-%d", time.gmtime(moment / 1_000_000)) if moment else ""
    except (OverflowError, ValueError, OSError):
        return ""


def plain(text: str) -> str:
    """One line without control, formatting or bidirectional characters, in which no tag can begin."""
    shown = "".join(" " if unicodedata.category(c)[0] in "CZ" else c for c in text)
    return _TAG.sub("\u2039", _SPACE.sub(" ", shown)).strip()
