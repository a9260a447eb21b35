"""Completion in bash of words with a colon or an equals sign in them, which bash hands over in pieces: a candidate's
key, ``--tool=Bash``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from click.shell_completion import BashComplete, CompletionItem, add_completion_class


class Completion(BashComplete):
    """As click's, with the pieces put together again, and of the answer only what bash has not got yet."""

    def get_completion_args(self) -> tuple[list[str], str]:
        args, incomplete = super().get_completion_args()
        *args, incomplete = joined([*args, incomplete])
        self.typed = incomplete
        return args, incomplete

    def format_completion(self, item: CompletionItem[Any]) -> str:
        known = self.typed.rpartition(":")
        return f"{item.type},{item.value.removeprefix(known[0] + known[1])}"


def joined(words: Sequence[str]) -> list[str]:
    """The words as they were typed: a colon joins its neighbors, an equals sign parts an option from its value."""
    out: list[str] = []
    for place, word in enumerate(words):
        if word == "=" and out and out[-1].startswith("--"):
            out.extend([""] if place == len(words) - 1 else [])
        elif out and (word == ":" or (place and words[place - 1] == ":")):
            out[-1] += word
        else:
            out.append(word)
    return out


def register() -> None:
    """Take the place of click's completion for bash."""
    add_completion_class(Completion)
