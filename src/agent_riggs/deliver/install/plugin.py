"""A plugin folder that Claude Code, Codex and Copilot CLI all load, made from the same events as the settings.

Layout run with the clients in ``hosts.TESTED``: a marketplace with one plugin in it. The events every version knows
stand in ``hooks/hooks.json``; newer ones in a file that only Claude Code's manifest names. Codex's manifest names no
hooks: given a list it loads none.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from agent_riggs.deliver.install.clients import claude_events, claude_new_events, command

NAME = "agent-riggs"
_ABOUT = "At a failure this project has met before, the fix that ended it."
_README = """# agent-riggs

When a tool call fails in a way that earlier sessions of this project have failed, this plugin gives the agent the
fix that a human confirmed then, with its date and the number of sessions behind it. It says nothing otherwise. It
needs the program `riggs-hook` of the Python package `agent-riggs`, works without any network, and starts no server.

## Loading it

The folder above this one (FOLDER) is a marketplace with this one plugin in it.

Claude Code, for good, or with the last line for one session:

```sh
claude plugin marketplace add FOLDER
claude plugin install agent-riggs@agent-riggs
claude --plugin-dir FOLDER/agent-riggs
```

Codex, which then asks once whether it may run the plugin's hooks:

```sh
codex plugin marketplace add FOLDER
codex plugin add agent-riggs@agent-riggs
```

Copilot CLI:

```sh
copilot plugin marketplace add FOLDER
copilot plugin install agent-riggs@agent-riggs
```

Where the plugin is loaded, `agent-riggs install` for the same agent is not needed. Both at once do no harm: a failure
is answered once.
"""


def files(program: Path | None, version: str, brief: bool = False) -> dict[str, str]:
    """Path below the plugin's folder -> content."""
    author = {"name": "the authors of agent-riggs"}
    about: dict[str, Any] = {"name": NAME, "version": version.partition(" ")[0]}
    about |= {"description": _ABOUT, "author": author}
    core: dict[str, Any] = claude_events(program, brief)
    core["PostToolUse"] = {"matcher": "*", "hooks": [{"type": "command", "command": command(program), "timeout": 5}]}
    plugin = {"name": NAME, "source": f"./{NAME}", "description": _ABOUT, "version": about["version"]}
    return {
        ".claude-plugin/marketplace.json": _json(
            {"name": NAME, "owner": author, "metadata": {"description": _ABOUT}, "plugins": [plugin]}
        ),
        f"{NAME}/.claude-plugin/plugin.json": _json(about | {"hooks": ["./hooks/batch.json"]}),
        f"{NAME}/.codex-plugin/plugin.json": _json(about),
        f"{NAME}/hooks/hooks.json": _json({"hooks": {event: [group] for event, group in core.items()}}),
        f"{NAME}/hooks/batch.json": _json({"hooks": {k: [v] for k, v in claude_new_events(program).items()}}),
        f"{NAME}/README.md": _README,
    }


def write(folder: Path, program: Path | None, version: str, brief: bool = False) -> None:
    """Write the folder; files of the same names are replaced. Raises ``OSError``."""
    for name, text in files(program, version, brief).items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def _json(value: Any) -> str:
    return json.dumps(value, indent=2) + "\n"
