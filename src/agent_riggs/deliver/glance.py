"""The first look at the recall index: whether it could say anything at all. Nothing is imported before it is read.

A hook runs at nearly every tool call and has something to say at few of them. Importing the rules that judge a
failure costs several times what the interpreter's start does, so bytes are searched first.
"""

from __future__ import annotations

FORMAT = 1
FILE_NAME = "recall.json"
MAX_BYTES = 8 * 1024 * 1024
"""A larger index is not read: 1,000 ratchets take about 0.7 MB."""

NO_NEEDLE = b"*"
"""In the place of words: they were looked for, and there are none."""

CANONICAL = frozenset(
    (
        "Bash",
        "BashOutput",
        "Edit",
        "Glob",
        "Grep",
        "KillShell",
        "LS",
        "NotebookEdit",
        "Read",
        "Skill",
        "Task",
        "TodoWrite",
        "WebFetch",
        "WebSearch",
        "Write",
    )
)
"""Tool names that are their own canonical names (``judge.tools``): an index without them has nothing for them."""

SHELLS = frozenset(("bash", "shell", "exec_command", "run_shell_command", "powershell"))
"""Raw names of shell tools at the hosts that do not say ``Bash``."""


def read(path: str, project: str) -> bytes:
    """The bytes of a usable index, else nothing.

    Not usable is a file of another project or format, one that anyone but the user could have written, one of
    absurd size, anything that is no regular file. Raises nothing.
    """
    from agent_riggs import folders

    data = folders.small_file(path, MAX_BYTES + 1, private=True) or b""
    return data if len(data) <= MAX_BYTES and data.startswith(head(project)) else b""


def head(project: str) -> bytes:
    """How an index of this project begins. Project keys are plain: nothing in them needs escaping."""
    return b'{"format": %d, "project": "%s",' % (FORMAT, project.encode("ascii", "backslashreplace"))


def may_speak(data: bytes, tool: str, before: bool, text: str = "") -> bool:
    """Whether a ratchet of this index could be about a call of the raw tool name ``tool``.

    ``text`` is what it printed and what it was asked. May say yes in vain, never no in vain.
    """
    if before and not speaks_before(data):
        return False
    name = "Bash" if tool in SHELLS else tool
    wanted = b'"tool":"%s"' % name.encode() if name in CANONICAL else b'"tool":"'
    if wanted not in data:
        return False
    if before or b'"needle":"' not in data:
        return True
    output = text.encode("utf-8", "replace")
    return any(wanted in line and _holds(output, line) for line in data.split(b"\n"))


def _holds(output: bytes, line: bytes) -> bool:
    """Whether an output holds one of the words without which the ratchet of this line cannot match."""
    words = line.partition(b'"needle":"')[2].partition(b'"')[0].split()
    return not words or words == [NO_NEEDLE] or any(word in output for word in words)


def speaks_before(data: bytes) -> bool:
    """Whether any ratchet of this index speaks before a call."""
    return b'"when":"before"' in data or b'"when":"both"' in data
