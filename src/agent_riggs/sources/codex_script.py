"""Codex ``exec`` calls: a script that calls the tools, in place of the tool calls themselves.

From 0.147 on a model may be given one tool, ``exec``, whose input is JavaScript such as
``const r = await tools.exec_command({cmd: "npm test"}); text(r.output)``. Its output is headed ``Script completed``,
``Script failed``, ``Script terminated`` or ``Script running with cell ID N``; an exit code of a command inside is
not an error of the script. Sources of these facts: openai/codex core/src/tools/code_mode, tenequm/pond#216.

Which tool ran is read from the script without running it: a scan that knows strings and comments, no parser.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Final

from agent_riggs.model import Status
from agent_riggs.sources import codex_calls

_TOKEN: Final = re.compile(
    r"""//[^\n]*|/\*.*?\*/|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`"""
    r"""|(?<![\w$.])tools(?:\?\.|\.)\s*([A-Za-z_$][\w$]*)\s*\(|(?<![\w$.])tools\[\s*["']([\w.-]+)["']\s*\]\s*\(""",
    re.DOTALL,
)
_FIELD: Final = re.compile(
    r"""(?:\A|[{,])\s*["']?(cmd|command|workdir)["']?\s*:\s*("(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\$]|\\.)*`)""",
    re.DOTALL,
)
_HEADER: Final = re.compile(
    r"\AScript (completed|failed|terminated|running with cell ID (\S{1,80}))\n(?:Wall time [^\n]*\n)?(?:Output:\n?)?"
)
_SCRIPT_CAP: Final = 200_000
_SHELLS: Final = frozenset({"exec_command", "shell_command", "shell", "local_shell"})


@dataclass(frozen=True, slots=True)
class Script:
    """What a script calls: the tool when it has exactly one place that calls one, and that place's arguments."""

    tool: str
    """Name of the one tool, or ``exec`` when the script calls none or several."""
    input: dict[str, Any]
    runs: bool
    """Whether a command is run inside: then ``Script completed`` tells nothing of how it ended."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the output of a script tells about the one call in it."""

    text: str
    exit_code: int | None = None
    status: Status | None = None
    task_id: str = ""


def scan(source: str) -> Script:
    """Find the tool calls of a script; the first 200,000 characters count."""
    source = source[:_SCRIPT_CAP]
    sites = [(m[1] or m[2], m.end()) for m in _TOKEN.finditer(source) if m[1] or m[2]]
    runs = any(name in _SHELLS for name, _ in sites)
    if len(sites) != 1:
        return Script("exec", {"javascript": source}, runs)
    name, start = sites[0]
    fields: dict[str, Any] = {}
    for found in _FIELD.finditer(source, start):
        fields.setdefault(found[1], _unquote(found[2]))
    if name in _SHELLS and not {"cmd", "command"} & fields.keys():
        fields["javascript"] = source
    return Script(name, fields or {"javascript": source}, runs)


def _unquote(literal: str) -> str:
    """The value of a JavaScript string literal, as far as JSON's escapes carry."""
    inner = literal[1:-1]
    if literal[0] != '"':
        inner = re.sub(r"\\(['`])", r"\1", inner)
        inner = re.sub(r'(?<!\\)"', r"\"", inner).replace("\n", "\\n")
    value = codex_calls.loads(f'"{inner}"')
    return value if isinstance(value, str) else literal[1:-1]


def read_output(value: object, told: bool) -> Outcome | None:
    """The outcome in a script's output, or ``None`` when the text has no script header.

    ``told``: how the commands inside ended is known otherwise, or there were none, so ``completed`` means success.
    Without it a completed script has no status, unless its text is the result object of its one command.
    """
    blocks = codex_calls.texts(value) if isinstance(value, list) else [value] if isinstance(value, str) else []
    head = _HEADER.match(blocks[0]) if blocks else None
    if head is None:
        return None
    rest = [blocks[0][head.end() :], *blocks[1:]]
    text = "\n".join(b for b in rest if b)
    if head[2]:
        return Outcome(text, task_id=f"cell-{head[2]}")
    if head[1] != "completed":
        return Outcome(text, status="error" if head[1] == "failed" else "interrupted")
    return Outcome(text, status="ok") if told else _completed(rest, text)


def _completed(blocks: list[str], text: str) -> Outcome:
    """A script that ended well: its text may hold the result object of the one command it ran."""
    results = [r for r in (_result(b) for b in blocks) if r is not None]
    if len(results) != 1:
        return Outcome(text)
    result = results[0]
    shown = result.get("output")
    code = codex_calls.whole(result.get("exit_code"))
    session = result.get("session_id")
    if code is None and session is not None:
        return Outcome(text, task_id=str(session)[:80])
    return Outcome(shown if isinstance(shown, str) else text, exit_code=code)


def _result(block: str) -> dict[str, Any] | None:
    block = block.strip()
    value = codex_calls.loads(block) if block.startswith("{") and block.endswith("}") else None
    return value if isinstance(value, dict) and {"exit_code", "session_id"} & value.keys() else None
