"""The tables of known diagnostics, in the order in which they are tried on a line."""

from __future__ import annotations

from typing import Final

from agent_riggs.judge.diagnosis import Table
from agent_riggs.judge.known.languages import COMPILERS, NODE, OTHERS, PYTHON
from agent_riggs.judge.known.operations import GIT, HUB, INFRA
from agent_riggs.judge.known.options import OPTIONS
from agent_riggs.judge.known.reports import ANY, LINTS, TESTS, WRAPPERS
from agent_riggs.judge.known.shells import NOT_FOUND, SYNTAX, SYSTEM

KNOWN: Final = Table(
    (
        *COMPILERS,
        *TESTS,
        *LINTS,
        *NOT_FOUND,
        *OPTIONS,
        *PYTHON,
        *NODE,
        *OTHERS,
        *GIT,
        *HUB,
        *INFRA,
        *SYNTAX,
        *SYSTEM,
        *WRAPPERS,
        *ANY,
    )
)
