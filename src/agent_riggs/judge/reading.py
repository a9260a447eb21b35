"""One line, the right reader: scanner, grammar or PowerShell; always an answer."""

from __future__ import annotations

from agent_riggs.judge.grammar import tree
from agent_riggs.judge.powershell import looks_like_powershell, scan_powershell
from agent_riggs.judge.syntax import Items, scan


def read(text: str) -> tuple[Items, bool]:
    """The items of a line, and whether it was understood without errors."""
    if looks_like_powershell(text):
        items: Items | None = scan_powershell(text)
        if items:
            return items, True
    plain = text.lstrip()
    if plain.startswith("& "):
        text = plain[2:]
    items = scan(text)
    if items is not None:
        return items, True
    items, clean = tree(text)
    if items:
        return items, clean
    return scan(text, lenient=True) or (), False
