"""``init``, ``doctor`` and ``completion``: setting up, and finding out what is wrong."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

import click

from agent_riggs.errors import EXIT_ERROR, EXIT_OK
from agent_riggs.faces import here, render, text
from agent_riggs.faces.here import Here
from agent_riggs.faces.options import command, json_option, pass_here
from agent_riggs.faces.render import Column


@command("init", ("agent-riggs init",))
@pass_here
def init(at: Here) -> None:
    """Prepare this project: folder, empty store, settings file.

    Not needed before an ingest, and harmless when done twice: nothing that exists is changed.
    """
    from agent_riggs import config
    from agent_riggs.store import open_write

    project = here.project(at)
    with open_write(here.store_file(at)) as store:
        moved = store.set_aside
    path = config.config_path(project.root)
    with suppress(FileExistsError), open(path, "x", encoding="utf-8") as file:
        file.write(settings_text())
    if moved:
        render.tell(f"the file that stood in the way is kept as {moved}", "yellow")
    render.say(f"{project.root} is ready (project key {project.key})")
    render.hint("next: agent-riggs ingest")


def settings_text() -> str:
    """A settings file that names every setting with its default, all of them commented out."""
    from agent_riggs import config

    lines = ["# Settings of agent-riggs for this project. Each line shows a default: remove the # to change it."]
    section = ""
    for name, default in config.describe():
        head, _, key = name.partition(".")
        if head != section:
            section = head
            lines += ["", f"[{section}]"]
        lines.append(f"# {key} = {_toml(default)}")
    return "\n".join(lines) + "\n"


def _toml(value: Any) -> str:
    return json.dumps(list(value) if isinstance(value, tuple) else value)


@command("doctor", ("agent-riggs doctor", "agent-riggs doctor --json | jq '.[] | select(.state != \"ok\")'"))
@json_option
@pass_here
def doctor(at: Here, as_json: bool) -> int:
    """What could go wrong here, and the command that mends it.

    With --json: a list of objects with name, state (ok, note or wrong), found, remedy. Ends with 1 when something is
    wrong.
    """
    from agent_riggs.report import delivery
    from agent_riggs.report.health import Check, Surroundings, checks
    from agent_riggs.sources import SOURCES

    around = Surroundings(here.project(at), SOURCES, at.environ, at.home, at.now)
    found = [*checks(around), *delivery.checks(around)]
    wrong = sum(check.state == "wrong" for check in found)

    def show(check: Check) -> list[render.Cell]:
        return [check.state, check.name, (check.found, *([f"-> {check.remedy}"] if check.remedy else []))]

    if as_json:
        render.emit_json(found)
    else:
        render.table([Column("", style="cyan"), Column("what"), Column("found", flexible=True)], list(map(show, found)))
        render.hint(f"{text.many(wrong, 'thing')} to mend" if wrong else "nothing is wrong")
    return EXIT_ERROR if wrong else EXIT_OK


@command(
    "completion",
    (
        'eval "$(agent-riggs completion bash)"        # in ~/.bashrc',
        'eval "$(agent-riggs completion zsh)"         # in ~/.zshrc',
        "agent-riggs completion fish | source         # in ~/.config/fish/config.fish",
    ),
)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def completion(ctx: click.Context, shell: str) -> None:
    """Teach a shell to complete commands, options and keys.

    Prints the lines that the shell has to run.
    """
    from click.shell_completion import get_completion_class

    from agent_riggs.faces.cli import COMPLETING

    kind = get_completion_class(shell)
    assert kind is not None
    root = ctx.find_root()
    render.block(kind(root.command, {}, "agent-riggs", COMPLETING).source(), "")
