# ruff: noqa: E501  (a long expression reads better on one line)
"""The envelope: what an agent's harness writes around the output of a tool, and the exit code it puts there.

Forms measured on Claude Code 2.1.38 to 2.1.332, Codex CLI 0.77 to 0.171, Gemini CLI up to 0.61, Copilot CLI 1.0 and
OpenCode 1.18. A form is looked for only at the place where its agent writes it, and only for that agent, so that a
printed transcript of another agent is never taken for one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from agent_riggs.judge.mask import clean

HEAD: Final = 16_384
TAIL: Final = 16_384
"""Characters from both ends of a text that are looked at."""
CUT: Final = "\n[...]\n"

_CLAUDE: Final = re.compile(r"(?:Error: )?Exit code (\d{1,10})(?:\n|$)")
_CODEX: Final = re.compile(
    r"(?:Command: [^\n]*\n)?(?:Exit code: (?P<old>-?\d{1,10})\n|Chunk ID: \w+\n)(?:Wall time: [^\n]*\n)"
    r"(?:Process exited with code (?P<new>-?\d{1,10})\n|Process running with session ID (?P<id>\S+)\n)?"
    r"(?:(?:Original token count|Total output lines): \d+\n)*(?:Output:(?:\n|$))?"
)
_CODEX_BARE: Final = re.compile(
    r"(?:Wall time: [^\n]*\n)?(?:Process exited with code (?P<new>-?\d{1,10})\n)(?:[A-Z][\w ]*: \d+\n)*(?:Output:(?:\n|$))?"
)
_GEMINI: Final = re.compile(r"^Exit Code: (-?\d{1,10})$", re.M)
_GEMINI_SIGNAL: Final = re.compile(r"^Signal: (?!\(none\))(\w+)$", re.M)
_COPILOT: Final = re.compile(r"<(?:shellId: \S+ completed|exited) with exit code (-?\d{1,10})>\s*$")
_COPILOT_GUIDE: Final = '\n\nTool "'
_GEMINI_LINES: Final = re.compile(
    r"^(?:Exit Code: -?\d+|Signal: .*|Process Group PGID: \d+|Background PIDs: .*|Error: \(none\)|Command: .*"
    r"|Directory: .*|Stderr: \(empty\)|Stdout: \(empty\)|</?untrusted_context>|</?tool_output_masked>)\n?",
    re.M,
)
_TAGS: Final = re.compile(
    r"</?(?:tool_use_error|error|persisted-output|bash_metadata|untrusted_context|tool_result|result|stdout|stderr)>"
)
_BLOCKS: Final = re.compile(r"<(system-reminder|hook_context|environment_details)>.*?(?:</\1>|\Z)", re.S)
_NOISE: Final = re.compile(
    r"^(?:Shell cwd was reset to .*|Output too large \(.*|Preview \(first .*|Session cwd .* does not exist.*"
    r"|\[?\.\.\. ?\[?\d+ (?:lines?|characters?|chars|tokens) (?:truncated|omitted).*|Total output lines: \d+|Command failed with exit code \d+\.?"
    r"|\(Output (?:was )?truncated.*|\[Output truncated.*|\[\d+ more lines.*)\n?",
    re.M | re.I,
)
_RUNNING: Final = re.compile(
    r"(?:Command (?:running|was manually backgrounded|is running|moved to the background|did not complete)[^\n]{0,80}(?:ID|background|backgrounded)"
    r"|<command with shellId: \S+ is still running|Process running with session ID|Command is running in background|Background process started)"
)
_TIMEOUT: Final = re.compile(
    r"^\s*(?:Error: )?(?:Command timed out after |command timed out after |Command was automatically cancelled because it exceeded the timeout"
    r"|bash tool terminated command after exceeding timeout|shell tool terminated command after exceeding timeout"
    r"|Command exceeded timeout|Command execution timed out|exec_command timed out|The command timed out)",
    re.M,
)


@dataclass(frozen=True, slots=True)
class Frame:
    """What the harness said about a result, and the text inside it, not yet cleaned."""

    body: str
    exit_code: int | None = None
    running: bool = False
    timed_out: bool = False


def ends(text: str) -> str:
    """Head and tail of an overlong text, cut at line ends where there are any."""
    if len(text) <= HEAD + TAIL:
        return text
    head, tail = text[:HEAD], text[-TAIL:]
    last, first = head.rfind("\n"), tail.find("\n")
    return (head[:last] if last > HEAD // 2 else head) + CUT + (tail[first + 1 :] if 0 <= first < TAIL // 2 else tail)


def frame(agent: str, text: str, shell: bool) -> Frame:
    """Take the frame off a result's text. ``shell``: the tool ran a shell line, so an exit code may stand there."""
    body = ends(text)
    if not shell:
        return Frame(body)
    body, code, running = _exit_code(agent, body)
    if not running and code is None:
        running = _RUNNING.match(body.lstrip()) is not None
    return Frame(body, code, running, _timed_out(body))


def text_of(body: str) -> str:
    """The tool's own words: no escapes, LF only, without the harness's tags and notices."""
    text = clean(body)
    if "<" in text:
        text = _TAGS.sub("", _BLOCKS.sub("", text))
    return _NOISE.sub("", text).strip("\n")


def _exit_code(agent: str, body: str) -> tuple[str, int | None, bool]:
    """The text without the agent's frame, the exit code in the frame, and whether the command goes on."""
    if agent == "claude_code":
        match = _CLAUDE.match(body)
        return (body[match.end() :], int(match[1]), False) if match else (body, None, False)
    if agent == "codex":
        return _codex(body)
    if agent in ("gemini", "qwen"):
        return _gemini(body)
    if agent == "copilot":
        return _copilot(body)
    if agent == "opencode":
        return body, None, False
    for reader in (_codex, _copilot, _gemini):
        rest, code, running = reader(body)
        if code is not None or running:
            return rest, code, running
    match = _CLAUDE.match(body)
    return (body[match.end() :], int(match[1]), False) if match else (body, None, False)


def _codex(body: str) -> tuple[str, int | None, bool]:
    match = _CODEX.match(body)
    if match:
        code = match["old"] or match["new"]
        return body[match.end() :], int(code) if code else None, match["id"] is not None
    match = _CODEX_BARE.match(body)
    return (body[match.end() :], int(match["new"]), False) if match else (body, None, False)


def _gemini(body: str) -> tuple[str, int | None, bool]:
    found = list(_GEMINI.finditer(body))
    code: int | None = None
    framed = "Process Group PGID: " in body or body.startswith(("Command: ", "Output: ", "<untrusted_context>"))
    if found and (framed or not body[found[-1].end() :].strip()):
        code = int(found[-1][1])
    elif _GEMINI_SIGNAL.search(body) and framed:
        code = 143
    if not framed and code is None:
        return body, None, False
    text = _GEMINI_LINES.sub("", body)
    if body.startswith("Command: "):
        for label in ("Stdout: ", "\nStderr: ", "\nError: "):
            text = text.replace(label, label[:1].strip("S"), 1)
    text = text.replace("Output: ", "", 1) if "Output: " in text[:200] else text
    text = text.strip("\n")
    return ("" if text in ("(empty)", "Output:") else text), code, False


def _copilot(body: str) -> tuple[str, int | None, bool]:
    position = body.rfind(_COPILOT_GUIDE)
    if position >= 0 and "Additional guidance from" in body[position : position + 200]:
        body = body[:position]
    match = _COPILOT.search(body[-200:])
    if match:
        return body[: len(body) - len(match[0])] if body.endswith(match[0]) else body, int(match[1]), False
    return body, None, "is still running after" in body[-400:] and "<command with shellId" in body[-400:]


def _timed_out(body: str) -> bool:
    """A time-out notice stands on the first lines (Claude Code, Codex, Gemini) or in the last ones (OpenCode)."""
    return _TIMEOUT.search(body[:300]) is not None or _TIMEOUT.search(body[-500:]) is not None
