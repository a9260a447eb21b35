# ruff: noqa: E501  (a row of a table reads better on one line; messages are quoted as they are printed)
# fmt: off
"""What option parsers say about a wrong call: unknown option, sub-command, script, target; missing argument."""

from __future__ import annotations

from typing import Final

from agent_riggs.judge.diagnosis import CAUSE, Row, row

_Q: Final = r"[`'\"\u2018\u201c]?"
_E: Final = r"[`'\"\u2019\u201d]?"
_O: Final = rf"{_Q}(?P<s>--?[\w?][\w.-]*)"


def _bad(needle: str, pattern: str, shape: str, owner: str = "") -> Row:
    return row(CAUSE, "o", "bad_option", needle, pattern, shape, owner)


OPTIONS: Final[tuple[Row, ...]] = (
    # sub-commands, scripts, targets
    _bad("nrecognized subcommand", rf"unrecognized subcommand {_Q}(?P<s>[^'\"`\s]+)", "unknown command: {s}"),
    _bad("wasn't recognized", rf"The subcommand {_Q}(?P<s>[^'\"`\s]+){_E} wasn't recognized", "unknown command: {s}"),
    _bad("no such command", rf"no such (?:sub)?command: {_Q}(?P<s>[^'\"`\s]+)", "unknown command: {s}"),
    _bad("no such subcommand", rf"no such subcommand:? {_Q}(?P<s>[^'\"`\s]+)", "unknown command: {s}"),
    _bad("No such command", rf"No such command:? {_Q}(?P<s>[^'\"`\s.]+)", "unknown command: {s}"),
    _bad("is not a git command", r"'(?P<s>[^']+)' is not a git command", "unknown command: {s}", "git"),
    _bad("is not a docker command", r"'(?P<s>[^']+)' is not a docker command", "unknown command: {s}", "docker"),
    _bad("unknown docker command", r"unknown docker command: \"(?:docker )?(?P<s>[^\"]+)\"", "unknown command: {s}", "docker"),
    _bad("nknown command", rf"[Uu]nknown (?:sub)?command:? {_Q}(?:docker |podman |git )?(?P<s>[^'\"`\s]+)", "unknown command: {s}"),
    _bad("nknown subcommand", rf"[Uu]nknown subcommand:? {_Q}(?P<s>[^'\"`\s]+)", "unknown command: {s}"),
    _bad("nvalid command", rf"[Ii]nvalid (?:sub)?command(?: name| code)?:? {_Q}(?P<s>[\w:.-]+)", "unknown command: {s}"),
    _bad("has no command named", r"(?P<sp>\w+) has no command named \"(?P<s>[^\"]+)\"", "unknown command: {s}"),
    _bad("invalid choice", rf"(?:argument (?P<sa>[\w/,<>-]+): )?invalid choice: {_Q}(?P<s>[^'\"`,\s]+)", "invalid choice: {s}"),
    _bad("Invalid choice", r"argument (?P<sa>[\w-]+): Invalid choice", "invalid choice for {sa}"),
    _bad("Unrecognized command or argument", r"Unrecognized command or argument '(?P<s>[^']+)'", "unknown argument: {s}"),
    _bad("is not defined", r"Command \"(?P<s>[^\"]+)\" is not defined", "unknown command: {s}"),
    _bad("requested command", r"requested command (?P<s>\S+) does not exist", "unknown command: {s}"),
    _bad("unknown command", r"^\w+ (?P<s>[\w-]+): unknown command", "unknown command: {s}"),
    _bad("not found", r"\b[Tt]ask (?:not found:? )?[\"'`](?P<s>[\w:./@-]+)[\"'`](?: not found\b.*)?$", "unknown task: {s}"),
    _bad("how to make", r"[Dd]o(?:n't| not) know how to make (?:File target )?[`'](?P<s>[^']+)'", "no rule to make target: {s}"),
    _bad("does not contain this feature", r"does not contain this feature: (?P<s>[\w-]+)", "unknown feature: {s}", "cargo"),
    _bad("essions not found", r"[Ss]essions not found: (?P<s>[\w.-]+)", "unknown session: {s}"),
    _bad("No idea what", r"No idea what '(?P<s>[^']+)' is", "unknown task: {s}"),
    _bad("build flag", r"Invalid build flag: \"(?P<s>--?[\w-]+)", "unknown option: {s}"),
    _bad("unknown field", r"^\s*unknown field `(?P<s>[\w.-]+)`", "unknown field: {s}"),
    _bad("issing script", rf"[Mm]issing script:? {_Q}(?P<s>[\w:./@-]+)", "missing script: {s}"),
    _bad("Script not found", r"Script not found \"(?P<s>[^\"]+)\"", "missing script: {s}"),
    _bad("a script named", r"ouldn't find a script named \"(?P<s>[^\"]+)\"", "missing script: {s}"),
    _bad("RECURSIVE_RUN_NO_SCRIPT", r"ERR_PNPM_RECURSIVE_RUN_NO_SCRIPT.* (?:has|have) an? \"(?P<s>[^\"]+)\" script", "missing script: {s}"),
    _bad("Command \"", r"Command \"(?P<s>[^\"]+)\" not found", "unknown command: {s}"),
    _bad("\" not found", r"ERR_PNPM_\w+\s+\w+ \"(?P<s>[^\"]+)\" not found", "unknown command: {s}"),
    _bad("No rule to make target", r"No rule to make target [`'](?P<s>[^']+)'(?!, needed)", "no rule to make target: {s}", "make"),
    _bad("No rule to make target", r"No rule to make target [`'](?:\S*/)?(?P<sm>[^'/.]+)[^']*', needed by", "no rule to make target, needed by another: {sm}", "make"),
    row(CAUSE, "o", "missing_file", "makefile found", r"no makefile found", "no makefile found", "make"),
    _bad("unknown target", r"unknown target '(?P<s>[^']+)'", "unknown target: {s}", "ninja"),
    _bad("does not contain recipe", r"does not contain recipe [`'](?P<s>[^`']+)", "unknown recipe: {s}", "just"),
    _bad("task: Task", r"task: Task \"(?P<s>[^\"]+)\" does not exist", "unknown task: {s}", "task"),
    _bad("how to build task", r"Don't know how to build task '(?P<s>[^']+)'", "unknown task: {s}", "rake"),
    _bad("(Mix) The task", r"\(Mix\) The task \"(?P<s>[^\"]+)\" could not be found", "unknown task: {s}", "mix"),
    _bad("' not found in ", r"Task '(?P<s>[^']+)' not found in (?:root )?project", "unknown task: {s}", "gradle"),
    _bad("annot locate tasks that match", r"Cannot locate tasks that match '(?P<s>[^']+)'", "unknown task: {s}", "gradle"),
    _bad("Unknown lifecycle phase", r"Unknown lifecycle phase \"(?P<s>[^\"]+)\"", "unknown lifecycle phase: {s}", "mvn"),
    # options
    _bad("nexpected argument", rf"unexpected argument {_O}", "unknown option: {s}"),
    _bad("nexpected argument", r"unexpected argument ['\"`]", "unexpected argument"),
    _bad("which wasn't expected", rf"Found argument {_O}", "unknown option: {s}"),
    _bad("which wasn't expected", r"Found argument '", "unexpected argument"),
    _bad("nrecognized arguments", r"unrecognized arguments:.*? (?P<s>--?[\w?][\w.-]*)", "unknown option: {s}"),
    _bad("nrecognized arguments", r"unrecognized arguments: ", "unexpected argument"),
    _bad("o such option", rf"no such option:? {_O}|No such option:? {_O.replace('<s>', '<s2>')}", "unknown option: {s}{s2}"),
    _bad("option -- ", r"(?:invalid|unknown|illegal|unrecognized) option -- '?(?P<s>[\w?-])", "unknown option: -{s}"),
    _bad("ecognized option", rf"(?:un|not )recognized option:? {_O}", "unknown option: {s}"),
    _bad("recognized command-line option", rf"unrecognized command-line option {_O}", "unknown option: {s}"),
    _bad("recognized command line option", rf"unrecognized command line option {_O}", "unknown option: {s}"),
    _bad("nrecognized argument", rf"[Uu]nrecognized arguments?:? {_O}", "unknown option: {s}"),
    _bad("nrecognized option", rf"[Uu]nrecognized option:? {_O}", "unknown option: {s}"),
    _bad("nrecognized flag", rf"unrecognized flag:? {_O}", "unknown option: {s}"),
    _bad("nknown option", rf"[Uu]nknown options?:? {_Q}(?P<s>-{{0,2}}[\w?][\w.-]*)", "unknown option: {s}"),
    _bad("nknown switch", rf"[Uu]nknown switch {_Q}(?P<s>.)", "unknown option: {s}"),
    _bad("nknown argument", rf"[Uu]nknown arguments?:? {_Q}(?P<s>-{{0,2}}[\w?][\w.-]*)", "unknown option: {s}"),
    _bad("nknown flag", rf"[Uu]nknown flags?:? {_O}", "unknown option: {s}"),
    _bad("nknown shorthand flag", r"unknown shorthand flag: '(?P<s>.)'", "unknown option: -{s}"),
    _bad("flag provided but not defined", r"flag provided but not defined: (?P<s>--?[\w-]+)", "unknown option: {s}"),
    _bad("nvalid option", rf"[Ii]nvalid option:? {_O}", "unknown option: {s}"),
    _bad("llegal option", rf"[Ii]llegal option:? {_O}", "unknown option: {s}"),
    _bad("bad option", rf"bad option: {_O}", "unknown option: {s}"),
    _bad("option does not exist", r"The \"(?P<s>--?[\w-]+)\" option does not exist", "unknown option: {s}"),
    _bad(": is unknown", r"option (?P<s>--?[\w-]+): is unknown", "unknown option: {s}"),
    _bad("nknown JSON field", r"Unknown JSON field: \"(?P<s>\w+)\"", "unknown field: {s}"),
    _bad("parameter cannot be found that matches", r"matches parameter name '(?P<s>[^']+)'", "unknown parameter: {s}"),
    _bad("positional parameter cannot be found", r"positional parameter cannot be found", "unexpected argument"),
    _bad("unknown pr", r"unknown (?:predicate|primary or operator)[ `':]*(?P<s>-[\w-]+)?", "unknown option: {s}", "find"),
    _bad("paths must precede expression", r"paths must precede expression", "paths must precede the expression", "find"),
    _bad("--", rf"^(?:\S+: )?(?:option |flag |argument )?{_O}{_E} (?:is )?(?:not (?:allowed|supported|recognized|valid|available)|unknown|invalid|unsupported|ambiguous|deprecated and)", "unknown option: {s}"),
    # arguments
    _bad("arguments are required", r"the following arguments are required: (?P<s>[\w,/ -]+)", "missing arguments: {s}"),
    _bad("required arguments were not provided", r"required arguments were not provided", "missing arguments"),
    _bad("issing required argument", rf"[Mm]issing required arguments?:? {_Q}(?P<s>[\w-]+)?", "missing arguments: {s}"),
    _bad("issing argument", rf"[Mm]issing argument(?: for)?:? {_Q}(?P<s>[\w-]+)?", "missing arguments: {s}"),
    _bad("issing option", rf"[Mm]issing option {_O}", "missing option: {s}"),
    _bad("required option '", r"required option '(?:-\w, )?(?P<s>--?[\w-]+)[^']*' not specified", "missing option: {s}"),
    _bad("issing expected argument", r"[Mm]issing expected argument '?<?(?P<s>[\w-]+)", "missing arguments: {s}"),
    _bad("non-option arguments", r"Not enough non-option arguments", "missing arguments"),
    _bad("nsufficient arguments", r"[Ii]nsufficient arguments", "missing arguments"),
    _bad("ot enough arguments", r"[Nn]ot enough arguments(?: \(missing: \"(?P<s>[\w-]+))?", "missing arguments: {s}"),
    _bad("issing required parameter", r"[Mm]issing required parameters?: '?<?(?P<s>[\w-]+)", "missing arguments: {s}"),
    _bad("equired argument", r"[Rr]equired argument(?:s)? (?:was )?missing for (?P<t>command|option|argument):? '?(?P<s>[\w-]+)", "missing arguments of {t} {s}"),
    _bad("equired argument", r"no value for the required arguments?: (?P<s>[\w-]+)", "missing arguments: {s}"),
    _bad("unexpected option", rf"[Uu]nexpected option:? {_O}", "unknown option: {s}"),
    _bad("required flag(s)", r"required flag\(s\) \"(?P<s>[^\"]+)\"", "missing option: {s}"),
    _bad("requires an argument", r"option (?:requires an argument)?:? ?(?:-- )?'?(?P<s>-{0,2}[\w-]+)'?(?: requires an argument)?", "option requires an argument: {s}"),
    _bad("requires a value", rf"{_O}.*requires a value", "option requires an argument: {s}"),
    _bad("a value is required for", rf"a value is required for {_O}", "option requires an argument: {s}"),
    _bad("expected one argument", r"argument (?P<s>[\w/-]+): expected (?:one|at least one) argument", "option requires an argument: {s}"),
    _bad("unexpected extra argument", r"[Gg]ot unexpected extra arguments?", "unexpected argument"),
    _bad("arg(s), ", r"(?:accepts|requires) (?P<t>.*arg\(s\)), ", "wrong number of arguments"),
    _bad("argument", r"requires (?:at least|exactly|at most|a minimum of) \d+ arguments?", "wrong number of arguments"),
    _bad("oo many arguments", r"[Tt]oo many arguments", "too many arguments"),
    _bad("oo few arguments", r"[Tt]oo few arguments", "too few arguments"),
    _bad("missing operand", r"missing (?:file )?operand", "missing operand"),
    _bad("invalid value", rf"invalid value .* for {_Q}(?P<s>--[\w-]+)", "invalid value for {{s}}".replace("{{", "{").replace("}}", "}")),
    _bad("nvalid value for", rf"[Ii]nvalid value for {_Q}(?P<s>--?[\w-]+)", "invalid value for {s}"),
)
