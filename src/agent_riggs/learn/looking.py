"""Looks: a listing of what is not there, a page that does not exist. Whoever explores meets them, each time something
else, and there is nothing to learn from that. The same path or page that is missing again in another root session is a
mistake like any other."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Final

from agent_riggs.store import looks
from agent_riggs.store.looks import Connection, Look

LISTERS: Final = frozenset({"ls", "find", "fd", "tree", "dir", "get-childitem"})
_LOOKERS: Final = LISTERS | {"stat", "du", "file", "readlink", "realpath"}
_FETCHERS: Final = frozenset({"curl", "wget", "http", "invoke-webrequest", "invoke-restmethod"})
_MISSING: Final = re.compile(r"\b404\b")
_NAMED: Final = re.compile(r"""['"`/\\\u2018\u201c]""")
_PAGE: Final = re.compile(r"""https?://[^\s'"<>\\]+""")


def looked(conn: Connection, since: int, until: int) -> frozenset[str]:
    """The fingerprints that were nothing but looks in this stretch of time."""
    marks = [
        mark for mark, kind, tool, program in looks.missing(conn, since, until) if _may_be_look(kind, tool, program)
    ]
    if not marks:
        return frozenset()
    met: dict[str, dict[str, set[str]]] = {mark: {} for mark in marks}
    wrong = set()
    for look in looks.looks(conn, marks, since, until):
        if look.failure_class == "http_error" and not _MISSING.search(f"{look.shape} {look.excerpt}"):
            wrong.add(look.fingerprint)
        for target in _targets(look):
            met[look.fingerprint].setdefault(target, set()).add(look.root)
    return frozenset(mark for mark in marks if mark not in wrong and not _repeated(met[mark]))


def _may_be_look(failure_class: str, tool: str, program: str) -> bool:
    if failure_class == "missing_file":
        return program in _LOOKERS
    return program in _FETCHERS or (tool == "WebFetch" and not program)


def _repeated(met: Mapping[str, Iterable[str]]) -> bool:
    """Whether anything was missed in more than one root session; where nothing is named, that cannot be ruled out."""
    return not met or any(len(set(roots)) > 1 for roots in met.values())


def _targets(look: Look) -> set[str]:
    """What was not there: the pages of the request, or the lines of the output that name a path."""
    if look.failure_class == "http_error":
        return set(_PAGE.findall(look.input))
    lines = {line.strip() for line in look.excerpt.splitlines() if line.strip()}
    return {line for line in lines if _NAMED.search(line)} or lines
