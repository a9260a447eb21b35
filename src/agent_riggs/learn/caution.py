"""Fixes that end a failure by taking a safeguard away: what a human should think of before one is told to an agent.

A fix that was mined ended a failure; whether it should have, nobody asked. These are words of it, not verdicts.
"""

from __future__ import annotations

import re
from typing import Final

_AVOIDED: Final = re.compile(r"(?:without|instead of|rather than|do not use|never) (?:`[^`]*`|\S+)", re.I)
"""What a fix says to leave out is no part of it."""

_TABLE: Final = tuple(
    (re.compile(pattern), line)
    for pattern, line in (
        (r"\b(?:rm|unlink|del)\b[^|;&]*lock|\bforce-unlock\b", "a lock may be held: see first that nothing runs"),
        (r"\bgit add\b.*(?:\s|`)(?:-[uA]|--all|--update|\.)(?:[\s`]|$)", "it stages every change, wanted or not"),
        (r"--force(?!-with-lease)\b|\bpush\b.*(?:\s|`)-f\b", "force overwrites what stood in the way"),
        (
            r"\breset --hard\b|\bgit clean\b|\bcheckout (?:-- |\.|-f)|\bgit restore\b|\bstash drop\b",
            "it throws work away that is not committed",
        ),
        (r"\brm (?:-\w*[rf]|--recursive|--force)", "what it deletes is gone"),
        (r"\bsudo\b|\bdoas\b|\bchmod\b.*\b777\b|--privileged\b", "it needs more rights than the agent was given"),
        (r"\bkill(?:all)? |\bpkill\b|\bfuser -k\b", "it ends a program that may be somebody else's"),
        (
            r"--(?:no-verify|no-gpg-sign|dangerously-\S+|skip-\S+|exit-zero|no-check\S*|insecure|allow-unrelated\S*|"
            r"ignore-scripts|legacy-peer-deps|break-system-packages|trusted-host|disable-\S+)|\bHUSKY=0|\bSKIP=\S|"
            r"\|\| true\b|\bset \+e\b|\bnoqa\b|type: ignore|eslint-disable|\bverify=False|TLS_REJECT_UNAUTHORIZED",
            "it switches a check off instead of passing it",
        ),
    )
)


def caution(fix: str, program: str = "") -> str:
    """The line of caution that a fix deserves; empty for most. ``program`` is what failed, for a fix that names only
    its options."""
    said = f"{program} {_AVOIDED.sub('', fix)}"
    return "; ".join(line for pattern, line in _TABLE if pattern.search(said))
