"""The command line: which commands there are, and the one place where errors become exit codes.

A command's module is imported when the command is asked for, so that ``--version`` and the hook of a shell's
completion do not pay for what they do not use.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Final

import click

from agent_riggs.errors import (
    EXIT_BUG,
    EXIT_ERROR,
    EXIT_INTERRUPTED,
    EXIT_OK,
    EXIT_USAGE,
    RiggsError,
    UsageError,
    nearest,
)
from agent_riggs.faces import render
from agent_riggs.faces.here import here, version
from agent_riggs.faces.options import Group
from agent_riggs.folders import is_text

GROUPS: Final[dict[str, dict[str, str]]] = {
    "Start": {"demo": "demo", "init": "setup", "ingest": "reading"},
    "Look": {
        "status": "status",
        "failures": "failures",
        "explain": "explain",
        "sessions": "sessions",
        "trust": "sessions",
        "metrics": "reports",
        "brief": "reports",
    },
    "Decide": {"ratchet": "ratchet"},
    "Deliver": {"install": "install", "uninstall": "install"},
    "Look after": {"sources": "sources", "problems": "sources", "doctor": "setup", "sql": "sql", "completion": "setup"},
}
"""Commands by what one wants to do, with the module under ``commands`` that holds each."""

COMPLETING: Final = "_AGENT_RIGGS_COMPLETE"
"""Variable by which a shell asks for completions."""

MODULES: Final = {name: module for group in GROUPS.values() for name, module in group.items()}


class Commands(Group):
    """The commands, imported one by one as they are needed."""

    examples = (
        "agent-riggs demo        # what keeps failing on this machine, nothing kept",
        "agent-riggs ingest      # in a project's folder: read its sessions",
        "agent-riggs failures    # then see what keeps failing there",
    )

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(MODULES)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in MODULES:
            return None
        found = getattr(import_module(f"agent_riggs.faces.commands.{MODULES[cmd_name]}"), cmd_name)
        assert isinstance(found, click.Command)
        return found

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and self.get_command(ctx, args[0]) is None and not args[0].startswith("-"):
            guesses = nearest(args[0], MODULES)
            meant = f" Did you mean {' or '.join(guesses)}?" if guesses else ""
            ctx.fail(f"there is no command {args[0]!r}.{meant}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        for title, members in GROUPS.items():
            found = [(name, self.get_command(ctx, name)) for name in members]
            with formatter.section(title):
                formatter.write_dl([(name, item.get_short_help_str(100)) for name, item in found if item], col_max=14)


def _show_version(ctx: click.Context, option: click.Parameter, wanted: bool) -> None:
    if wanted:
        render.say(f"agent-riggs {version()}")
        ctx.exit()


@click.command("agent-riggs", cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "-C",
    "--directory",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Run as if started in this folder.",
)
@click.option(
    "--version", is_flag=True, is_eager=True, expose_value=False, callback=_show_version, help="Show the version."
)
@click.pass_context
def cli(ctx: click.Context, directory: Path | None) -> None:
    """The long memory of coding agents: what keeps failing, what ended it, and the fix when it fails again."""
    ctx.obj = here(directory)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return the exit code: 0 done, 1 an expected error, 2 wrong usage, 3 a bug in agent-riggs,
    4 the store is busy, 130 interrupted."""
    _stand_in_for_closed_streams()
    words = list(sys.argv[1:] if arguments is None else arguments)
    if os.environ.get(COMPLETING, "").startswith("bash"):
        from agent_riggs.faces import bash

        bash.register()
    try:
        code = _run(words)
        sys.stdout.flush()
    except (render.ReaderLeft, BrokenPipeError):
        _give_up_stdout()
        return EXIT_OK
    except (render.Unwritable, OSError) as error:
        _give_up_stdout()
        render.error(f"the output could not be written: {_system_error(error.__cause__ or error)}")
        return EXIT_ERROR
    return code


def _run(words: list[str]) -> int:
    try:
        if not all(map(is_text, words)):
            raise UsageError("an argument is no UTF-8 text")
        result = cli.main(words, prog_name="agent-riggs", standalone_mode=False)
    except RiggsError as error:
        render.error(error.message, error.hint, error.choices)
        return error.exit_code
    except click.exceptions.NoArgsIsHelpError as error:
        render.block(error.format_message(), "")
        return EXIT_USAGE
    except click.UsageError as error:
        return _wrong_usage(error)
    except click.ClickException as error:
        render.error(error.format_message())
        return EXIT_ERROR
    except (click.Abort, KeyboardInterrupt):
        render.tell("interrupted")
        return EXIT_INTERRUPTED
    except (render.ReaderLeft, render.Unwritable, BrokenPipeError):
        raise
    except OSError as error:
        render.error(_system_error(error), "check the permissions and the free space: agent-riggs doctor")
        return EXIT_ERROR
    except Exception as error:  # noqa: BLE001 (the one handler at the top)
        return _bug(error, words)
    return result if isinstance(result, int) else EXIT_OK


def _wrong_usage(error: click.UsageError) -> int:
    path = error.ctx.command_path if error.ctx else "agent-riggs"
    render.error(" ".join(error.format_message().split()), f"see: {path} --help")
    return EXIT_USAGE


def _system_error(error: BaseException) -> str:
    where = f"{error.filename}: " if isinstance(error, OSError) and error.filename else ""
    return f"{where}{getattr(error, 'strerror', None) or error}"


def _stand_in_for_closed_streams() -> None:
    """A process may be started with its streams closed. What is opened next would get their numbers: the store must
    not be what standard output is written to."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115 (as long as the process lives)


def _give_up_stdout() -> None:
    """Nobody reads our output any more, or there is no room for it: Python must not try again at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _bug(error: Exception, words: list[str]) -> int:
    from agent_riggs.faces.bug import headline, write_report

    where = write_report(error, words, os.environ)
    render.error(
        f"this is a bug in agent-riggs: {headline(error)}",
        f"a report is in {where}: read it through, then send it in" if where else "no report could be written",
    )
    return EXIT_BUG
