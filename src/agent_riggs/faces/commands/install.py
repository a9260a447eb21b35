"""``install`` and ``uninstall``: the hook in an agent's settings."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from agent_riggs.errors import RiggsError
from agent_riggs.faces import here, render
from agent_riggs.faces.here import Here
from agent_riggs.faces.options import Body, command, pass_here

if TYPE_CHECKING:
    from agent_riggs.deliver.install import Change, Scope

    _Choice = click.Choice[str]
else:
    _Choice = click.Choice  # no generic before click 8.2

AGENTS = ("claude-code", "codex", "gemini", "opencode", "copilot")


class _Agent(_Choice):
    """One of the agents, written with hyphens or as it is stored."""

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        return super().convert(value.lower().replace("_", "-"), param, ctx)


def _agent_options(body: Body) -> Body:
    for option in (
        click.option("--dry-run", is_flag=True, help="Show what would change, and change nothing."),
        click.option(
            "--scope",
            type=click.Choice(["user", "project"]),
            default="user",
            show_default=True,
            help="In your own settings for every project, or in this project's.",
        ),
    ):
        body = option(body)
    return body


@command(
    "install",
    (
        "agent-riggs install --agent claude-code --dry-run",
        "agent-riggs install --agent codex --scope project",
        "agent-riggs install --plugin ./agent-riggs-plugin",
    ),
)
@click.option("--agent", type=_Agent(AGENTS), help="The agent whose failures are to be met with what is known.")
@click.option("--plugin", type=click.Path(path_type=Path), metavar="FOLDER", help="Write a plugin folder instead.")
@click.option("--brief", is_flag=True, help="Also tell the agent at each session's start how things stand (short).")
@_agent_options
@pass_here
def install(at: Here, agent: str | None, plugin: Path | None, brief: bool, scope: str, dry_run: bool) -> None:
    """Put the hook into an agent's settings.

    Appends to what is there, keeps a backup, and does nothing when it is done already. Settings that are no plain
    JSON are left as they are. The plugin folder is one that Claude Code, Codex and Copilot CLI all load.
    """
    from agent_riggs.deliver import install as installing
    from agent_riggs.deliver.install import plugin as plugins

    if (agent is None) == (plugin is None):
        raise click.UsageError("name either --agent or --plugin")
    program = installing.find_program()
    if plugin is not None:
        plugin = at.start / plugin
        if dry_run:
            render.say("\n".join(str(plugin / name) for name in plugins.files(program, here.version(), brief)))
            return
        plugins.write(plugin, program, here.version(), brief)
        render.say(f"a plugin for Claude Code, Codex and Copilot CLI is in {plugin}")
        render.hint(f"to try it: claude --plugin-dir {shlex.quote(str(plugin / 'agent-riggs'))}")
        render.hint("its README.md says how each of the three loads it for good")
        return
    if program is None:
        raise RiggsError("riggs-hook is not installed beside agent-riggs", "install the package again")
    assert agent is not None
    root = here.project(at).root
    kind: installing.Scope = "project" if scope == "project" else "user"
    changes = installing.plan_install(agent, kind, root, at.environ, at.home, program, brief)
    if _shown(changes, dry_run, "installed already: nothing to change"):
        return
    for path in installing.apply(changes, _state(at)):
        render.say(f"{path} now calls {program}")
    if agent == "codex":
        render.hint("Codex asks once whether it may run these hooks: say yes there")
    if agent == "opencode" and brief:
        render.hint("OpenCode has no place for a brief: nothing is told there at a session's start")
    if agent == "claude-code" and scope == "user":
        render.hint("edits and reads that Claude Code refuses reach the hook in a project's settings alone; there:")
        render.hint("  agent-riggs install --agent claude-code --scope project")
    if scope == "project":
        render.tell("warning: these settings name a path of this machine: keep them out of commits", "yellow")


@command("uninstall", ("agent-riggs uninstall --agent claude-code", "agent-riggs uninstall --agent codex --dry-run"))
@click.option("--agent", type=_Agent(AGENTS), required=True, help="The agent whose settings are to be cleaned.")
@_agent_options
@pass_here
def uninstall(at: Here, agent: str, scope: str, dry_run: bool) -> None:
    """Take the hook out of an agent's settings.

    A file that nobody else changed meanwhile gets its earlier bytes back; of any other only our entries are taken.
    """
    from agent_riggs.deliver import install as installing

    root = here.project(at).root
    kind: installing.Scope = "project" if scope == "project" else "user"
    state = _state(at)
    changes = installing.plan_uninstall(agent, kind, root, at.environ, at.home, state)
    if _shown(changes, dry_run, "not installed: nothing to change"):
        if not dry_run:
            installing.apply(changes, state, uninstall=True)
        if not any(change.needed for change in changes):
            _tell_other_scope(at, agent, kind)
        return
    for path in installing.apply(changes, state, uninstall=True):
        render.say(f"{path} is as it was" if path.exists() else f"{path} is removed")


def _tell_other_scope(at: Here, agent: str, kind: Scope) -> None:
    """Where the hook stands after all, when it was looked for in the other place."""
    from agent_riggs.deliver import install as installing

    other: installing.Scope = "user" if kind == "project" else "project"
    try:
        elsewhere = installing.plan_uninstall(agent, other, here.project(at).root, at.environ, at.home, _state(at))
    except RiggsError:
        return  # settings nobody asked about, and nobody can read
    if any(change.needed for change in elsewhere):
        render.hint(f"it is installed elsewhere: agent-riggs uninstall --agent {agent} --scope {other}")


def _shown(changes: Sequence[Change], dry_run: bool, nothing: str) -> bool:
    """Show what needs no writing: a dry run's differences, or that there is nothing to do."""
    needed = [change for change in changes if change.needed]
    if not needed:
        render.say(nothing)
        return True
    if dry_run:
        for change in needed:
            render.block(change.diff().rstrip("\n"), "")
    return dry_run


def _state(at: Here) -> Path:
    from agent_riggs.paths import state_home

    return state_home(at.environ)
