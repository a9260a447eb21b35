"""Which program a simple command really runs: launchers, environment prefixes, shells and transports taken off.

Option tables name only the options that take a value; every other word with a leading dash is a flag.
"""

# ruff: noqa: SIM905  (tables of names read better as words than as lists of strings)
from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Final, NamedTuple

from agent_riggs.judge.programs import SUBCOMMANDS, is_known


class Unwrapped(NamedTuple):
    """What is left of the words of a simple command."""

    program: str
    words: tuple[str, ...] = ()
    """The arguments after the program."""
    via: tuple[str, ...] = ()
    """Launchers taken off, outermost first."""
    transport: str = ""
    """The launcher that runs the program elsewhere: ``docker exec``, ``ssh`` ...; empty when local."""
    script: str | None = None
    """A further shell line to parse in place of the program."""


class _Wrapper(NamedTuple):
    valued: frozenset[str] = frozenset()
    operands: int = 0
    assigns: bool = False


def _wrapper(valued: str = "", operands: int = 0, *, assigns: bool = False) -> _Wrapper:
    return _Wrapper(frozenset(valued.split()), operands, assigns)


_RUN_PACKAGE: Final = _wrapper("-p --package --from --with --spec --python -c --call --registry --prefix")
_UV_RUN: Final = _wrapper(
    "--with --with-editable --with-requirements -p --python --project --directory --extra --group --only-group"
    " --no-group --env-file --index --index-url --extra-index-url --find-links -f --package --refresh-package"
    " --reinstall-package --upgrade-package -P --cache-dir --config-file --color --resolution --link-mode -C"
)
_COMPOSE_RUN: Final = _wrapper(
    "-e --env -u --user -w --workdir --index --name -v --volume -p --publish --entrypoint", 1
)

_LAUNCHERS: Final[Mapping[str, _Wrapper]] = {
    "env": _wrapper("-u --unset -C --chdir -S", assigns=True),
    "timeout": _wrapper("-s --signal -k --kill-after", 1),
    "sudo": _wrapper("-u -g -h -p -C -D -R -T -U -r -t --user --group --host --prompt --chdir", assigns=True),
    "doas": _wrapper("-u -C", assigns=True),
    "nohup": _wrapper(),
    "setsid": _wrapper(),
    "command": _wrapper(),
    "builtin": _wrapper(),
    "exec": _wrapper("-a"),
    "time": _wrapper("-f -o --format --output"),
    "nice": _wrapper("-n --adjustment"),
    "ionice": _wrapper("-c -n -p --class --classdata"),
    "chrt": _wrapper("", 1),
    "taskset": _wrapper("", 1),
    "stdbuf": _wrapper("-i -o -e --input --output --error"),
    "unbuffer": _wrapper(),
    "chronic": _wrapper(),
    "caffeinate": _wrapper("-t -w"),
    "xvfb-run": _wrapper("-n -s -e -f -p -w --server-num --server-args --error-file"),
    "watch": _wrapper("-n --interval"),
    "xargs": _wrapper("-n -I -i -P -L -d -a -s -E -J -R --max-args --max-procs --max-lines --delimiter --arg-file"),
    "parallel": _wrapper("-j --jobs -n -N --delay --timeout --colsep --joblog --retries"),
    "strace": _wrapper("-e -o -p -s -E -u -P -I -O -S -a -b"),
    "ltrace": _wrapper("-e -o -p -s -u -a -n -S"),
    "flock": _wrapper("-w --timeout -E", 1),
    "rlwrap": _wrapper("-f -H -p"),
    "chroot": _wrapper("", 1),
    "gosu": _wrapper("", 1),
    "su-exec": _wrapper("", 1),
    "setarch": _wrapper("", 1),
    "arch": _wrapper("-arch -e"),
    "cross-env": _wrapper(assigns=True),
    "dotenv": _wrapper("-e -f -v -p -c"),
    "entr": _wrapper(),
    "winpty": _wrapper(),
    "corepack": _wrapper(),
    "coproc": _wrapper(),
    "noglob": _wrapper(),
    "proxychains": _wrapper("-f"),
    "npx": _RUN_PACKAGE,
    "bunx": _RUN_PACKAGE,
    "pnpx": _RUN_PACKAGE,
    "uvx": _UV_RUN._replace(valued=_UV_RUN.valued | {"--from"}),
    "npm exec": _RUN_PACKAGE,
    "npm x": _RUN_PACKAGE,
    "pnpm exec": _RUN_PACKAGE,
    "pnpm dlx": _RUN_PACKAGE,
    "yarn dlx": _RUN_PACKAGE,
    "yarn exec": _RUN_PACKAGE,
    "bun x": _RUN_PACKAGE,
    "pipx run": _RUN_PACKAGE,
    "uv run": _UV_RUN,
    "uv tool run": _UV_RUN._replace(valued=_UV_RUN.valued | {"--from"}),
    "poetry run": _wrapper("-C --directory -P --project"),
    "pdm run": _wrapper("-p --project -s --site-packages"),
    "pipenv run": _wrapper(),
    "rye run": _wrapper("--pyproject"),
    "pixi run": _wrapper("-e --environment --manifest-path"),
    "hatch run": _wrapper("-e --env"),
    "conda run": _wrapper("-n --name -p --prefix --cwd"),
    "mamba run": _wrapper("-n --name -p --prefix --cwd"),
    "micromamba run": _wrapper("-n --name -p --prefix --cwd"),
    "bundle exec": _wrapper("--gemfile"),
    "direnv exec": _wrapper("", 1),
    "asdf exec": _wrapper(),
    "rbenv exec": _wrapper(),
    "pyenv exec": _wrapper(),
    "rustup run": _wrapper("", 1),
    "nvm exec": _wrapper("", 1),
    "fnm exec": _wrapper("--using"),
    "volta run": _wrapper("--node --npm --yarn --pnpm"),
}

_AFTER_DASHES: Final = frozenset(
    {"mise exec", "mise x", "op run", "doppler run", "dotenvx run", "infisical run", "aws-vault exec", "devbox run"}
)
"""Launchers whose command stands after ``--``."""

_TRANSPORTS: Final[Mapping[str, _Wrapper]] = {
    "docker exec": _wrapper("-e --env -u --user -w --workdir --env-file --detach-keys", 1),
    "podman exec": _wrapper("-e --env -u --user -w --workdir --env-file", 1),
    "docker compose exec": _COMPOSE_RUN,
    "docker compose run": _COMPOSE_RUN,
    "podman compose exec": _COMPOSE_RUN,
    "podman compose run": _COMPOSE_RUN,
    "kubectl exec": _wrapper("-n --namespace -c --container --context --kubeconfig", 1),
    "oc exec": _wrapper("-n --namespace -c --container --context", 1),
    "lxc exec": _wrapper("--env --user --cwd", 1),
    "adb shell": _wrapper(),
    "ssh": _wrapper("-i -p -o -l -F -J -L -R -D -b -c -E -e -I -m -O -Q -S -W -w -B", 1),
    "wsl": _wrapper("-d --distribution -u --user --cd"),
    "heroku run": _wrapper("-a --app -r --remote -s --size"),
}
_JOINED: Final = frozenset({"ssh", "adb shell", "watch"})
"""Their remaining words are one shell line."""

_GROUPS: Final = frozenset(key.split()[0] for key in (*_LAUNCHERS, *_TRANSPORTS, *_AFTER_DASHES) if " " in key)
_GLOBAL_VALUED: Final[Mapping[str, frozenset[str]]] = {name: spec.valued for name, spec in SUBCOMMANDS.items()}

_OWN_JOBS: Final[Mapping[str, frozenset[str]]] = {
    "command": frozenset({"-v", "-V"}),
    "corepack": frozenset("use enable disable prepare install up pack cache".split()),
}
"""What a launcher does itself."""
_VERBS: Final = frozenset({"make", "service", "task", "next", "go", "at"})
"""Programs whose names are sub-commands of others as well."""
_SHELLS: Final = frozenset("bash sh zsh dash ksh fish ash rbash".split())
_POWERSHELLS: Final = frozenset({"powershell", "pwsh"})
_MODULES: Final = {
    name: name
    for name in (
        "pytest pip mypy ruff black isort flake8 pylint pyright coverage build tox nox unittest pre_commit twine venv"
        " uv virtualenv pdm poetry pipx pycodestyle pydocstyle bandit vulture nose2 alembic celery uvicorn gunicorn"
        " flask playwright sphinx mkdocs cython IPython jupyter notebook nbconvert py_compile compileall basedpyright"
        " ty behave robot locust ansible yamllint django pyflakes autopep8 yapf pyupgrade doctest"
    ).split()
} | {"pre_commit": "pre-commit", "py.test": "pytest", "IPython": "ipython", "sphinx": "sphinx-build"}

_ALIASES: Final[Mapping[str, str]] = {
    "py": "python",
    "nodejs": "node",
    "gmake": "make",
    "mvnw": "mvn",
    "gradlew": "gradle",
    "egrep": "grep",
    "fgrep": "grep",
    "batcat": "bat",
    "fdfind": "fd",
    "gtimeout": "timeout",
    "gsed": "sed",
    "ggrep": "grep",
    "gawk": "awk",
    "mawk": "awk",
    "nawk": "awk",
    "tofu": "tofu",
    "py.test": "pytest",
    "python3-config": "python-config",
    "source": "source",
    ".": "source",
    "test": "[",
    "[[": "[",
    "docker-compose": "docker compose",
    "podman-compose": "podman compose",
    "apt-get": "apt",
}
_VERSIONED: Final = re.compile(
    r"(python|pypy|pip|php|ruby|perl|lua|node|clang|clang\+\+|gcc|g\+\+|clang-format|clang-tidy|llvm-[a-z]+|gdb|java)"
    r"w?-?\d+(?:\.\d+)*"
)
_SUFFIX: Final = re.compile(r"\.(?:exe|cmd|bat|com)$", re.IGNORECASE)
_VERB_NOUN: Final = re.compile(r"[A-Za-z]+-[A-Za-z]+")
_AT_VERSION: Final = re.compile(r"(?<=.)@[^/@]*$")
_ASSIGN: Final = re.compile(r"(?a:[A-Za-z_]\w*)=")
_LOCATED: Final = re.compile(r"(?:\$\(|`)\s*(?:which|command\s+-v|type\s+-P)\s+([^\s)`]+)\s*[)`]")
_EXPANSION: Final = re.compile(r"\$(?:\{(\w+)\}|(\w+))")


@lru_cache(maxsize=4096)
def program_name(word: str) -> str:
    """The name a program is known by: no folder, no ``.exe``, no version number, one name for known twins."""
    name = word.strip()
    if name.startswith(("$(", "`")):
        name = _substituted(name)
    name = name.rstrip("/\\")
    if name not in (".", "[[", "["):
        name = name.replace("\\", "/").rsplit("/", 1)[-1]
    bare = _SUFFIX.sub("", name)
    if bare != name or (_VERB_NOUN.fullmatch(bare) and bare[:1].isupper()):
        bare = bare.lower()
    match = _VERSIONED.fullmatch(bare)
    if match:
        bare = match[1]
    return _ALIASES.get(bare, bare)


def _substituted(word: str) -> str:
    """``$(which node)`` -> ``node``, ``$(npm bin)/jest`` -> ``jest``, anything else ``$()``."""
    match = _LOCATED.fullmatch(word)
    if match:
        return match[1]
    end = max(word.rfind(")/"), word.rfind("`/"))
    return word[end + 2 :] if end > 0 else "$()"


def expand(word: str, values: Mapping[str, str]) -> str:
    """The word with variables assigned earlier in the same line filled in."""
    if "$" not in word:
        return word
    return _EXPANSION.sub(lambda m: values.get(m[1] or m[2], m[0]), word)


def unwrap(words: tuple[str, ...], document: str = "") -> Unwrapped:
    """The program below all launchers. ``words`` is not empty; ``document`` is a here-document's text."""
    via: list[str] = []
    transport = ""
    for _ in range(16):
        name = program_name(words[0])
        rest = words[1:]
        if " " in name:
            name, _, first = name.partition(" ")
            rest = (first, *rest)
        step = _step(name, rest, document)
        if step is None:
            return Unwrapped(name, rest, tuple(via), transport)
        via.extend(step.via)
        transport = step.transport or transport
        if step.script is not None or not step.words:
            return step._replace(via=tuple(via), transport=transport)
        words = step.words
    return Unwrapped(program_name(words[0]), words[1:], tuple(via), transport)


def _step(name: str, rest: tuple[str, ...], document: str) -> Unwrapped | None:
    """One launcher taken off: ``words`` start with the next program. ``None`` when ``name`` is the program."""
    if name in _SHELLS:
        return _shell(name, rest, document)
    if name in _POWERSHELLS or name == "cmd":
        return _windows(name, rest)
    if name == "python":
        return _module(rest)
    if name == "eval":
        return Unwrapped("", via=("eval",), script=" ".join(rest)) if rest else None
    if name == "find":
        return _find(rest)
    if name in ("su", "script", "nix-shell", "runuser"):
        return _option_script(name, rest)
    if name == "coverage":
        return _coverage(rest)
    key, rest = _key(name, rest)
    if key in _AFTER_DASHES:
        return Unwrapped("", rest[rest.index("--") + 1 :], (key,)) if "--" in rest[:-1] else None
    spec = _LAUNCHERS.get(key)
    remote = spec is None
    if spec is None:
        spec = _TRANSPORTS.get(key)
    if spec is None:
        return _unknown_launcher(name, rest)
    if rest and rest[0] in _OWN_JOBS.get(key, ()):
        return None
    return _launch(key, spec, rest, key if remote else "", document)


def _key(name: str, rest: tuple[str, ...]) -> tuple[str, tuple[str, ...]]:
    """The launcher's key in the tables and the words after it, global options skipped."""
    if name not in _GROUPS:
        return name, rest
    valued = _GLOBAL_VALUED.get(name, frozenset())
    key = name
    position = 0
    for _ in range(2):
        position = _skip_options(rest, position, valued)
        if position >= len(rest):
            break
        key = f"{key} {rest[position]}"
        position += 1
        if key in _LAUNCHERS or key in _TRANSPORTS or key in _AFTER_DASHES:
            return key, rest[position:]
        valued = frozenset({"-f", "--file", "-p", "--project-name", "--profile", "--env-file", "--project-directory"})
    return name, rest


def _skip_options(words: tuple[str, ...], position: int, valued: frozenset[str]) -> int:
    while position < len(words):
        word = words[position]
        if word == "--":
            return position + 1
        if len(word) < 2 or word[0] not in "-+":
            return position
        position += 2 if word in valued else 1
    return position


def _launch(key: str, spec: _Wrapper, rest: tuple[str, ...], transport: str, document: str) -> Unwrapped | None:
    position = 0
    if spec is _RUN_PACKAGE or key in ("npx", "env"):
        script = _valued_script(rest, {"-c", "--call", "-S"})
        if script is not None:
            return Unwrapped("", via=(key,), script=script)
    if spec.valued & {"--with"}:
        module = _module_of(rest, spec)
        if module is not None:
            return Unwrapped("", ("python", "-m", *module), (key,))
    for turn in range(spec.operands + 1):
        position = _skip_options(rest, position, spec.valued)
        while spec.assigns and position < len(rest) and _ASSIGN.match(rest[position]):
            position = _skip_options(rest, position + 1, spec.valued)
        if turn < spec.operands:
            position += 1
    left = rest[position:]
    if left[:1] == ("--",):
        left = left[1:]
    if not left:
        return Unwrapped("", via=(key,), transport=transport, script=document) if transport and document else None
    if key in _JOINED or (len(left) == 1 and " " in left[0].strip() and key in ("parallel", "xargs", "time")):
        return Unwrapped("", via=(key,), transport=transport, script=" ".join(left))
    if spec.valued & {"--package", "--from"}:
        left = (_AT_VERSION.sub("", left[0]), *left[1:])
    if spec is _UV_RUN and left[0].endswith(".py"):
        left = ("python", *left)
    return Unwrapped("", left, (key,), transport)


def _valued_script(rest: tuple[str, ...], options: set[str]) -> str | None:
    for position, word in enumerate(rest[:-1]):
        if word in options:
            return rest[position + 1]
        if not word.startswith("-"):
            return None
    return None


def _module_of(rest: tuple[str, ...], spec: _Wrapper) -> tuple[str, ...] | None:
    """The words after ``-m`` of ``uv run -m module``."""
    position = 0
    while position < len(rest) and rest[position].startswith("-"):
        if rest[position] in ("-m", "--module"):
            return rest[position + 1 :] or None
        position += 2 if rest[position] in spec.valued else 1
    return None


def _shell(name: str, rest: tuple[str, ...], document: str) -> Unwrapped | None:
    position = 0
    while position < len(rest) and rest[position][:1] in ("-", "+") and len(rest[position]) > 1:
        option = rest[position]
        if option[0] == "-" and not option.startswith("--") and "c" in option:
            later = _skip_options(rest, position + 1, frozenset({"-o", "-O"}))
            return Unwrapped("", via=(name,), script=rest[later]) if later < len(rest) else None
        position += 2 if option in ("-o", "-O", "+o", "--rcfile", "--init-file") else 1
    if position < len(rest) and rest[position] != "-":
        return Unwrapped("", rest[position:], (name,))
    return Unwrapped("", via=(name,), script=document) if document else None


def _windows(name: str, rest: tuple[str, ...]) -> Unwrapped | None:
    for position, word in enumerate(rest):
        option = word.lower()
        left = rest[position + 1 :]
        if name == "cmd":
            if option in ("/c", "/k", "//c", "/s", "/d", "/q"):
                if option in ("/c", "/k", "//c"):
                    return Unwrapped("", via=(name,), script=" ".join(left)) if left else None
                continue
            return None
        if option in ("-command", "-c", "/command", "/c"):
            return Unwrapped("", via=("powershell",), script=" ".join(left)) if left else None
        if option in ("-file", "-f"):
            return Unwrapped("", left, ("powershell",)) if left else None
        if not option.startswith("-") and (position == 0 or not rest[position - 1].lower().startswith("-ex")):
            return Unwrapped("", via=("powershell",), script=" ".join(rest[position:]))
    return None


def _module(rest: tuple[str, ...]) -> Unwrapped | None:
    position = 0
    while position < len(rest) and rest[position].startswith("-") and rest[position] not in ("-m", "-c", "-"):
        position += 2 if rest[position] in ("-W", "-X", "-Q") else 1
    if position + 1 < len(rest) and rest[position] == "-m":
        module = _MODULES.get(rest[position + 1].split(".")[0])
        if module is not None:
            return Unwrapped("", (module, *rest[position + 2 :]), ("python",))
    return None


def _coverage(rest: tuple[str, ...]) -> Unwrapped | None:
    if rest[:1] != ("run",):
        return None
    module = _module_of(rest[1:], _wrapper("--source --rcfile --omit --include --data-file --context --concurrency"))
    return Unwrapped("", ("python", "-m", *module), ("coverage",)) if module is not None else None


def _find(rest: tuple[str, ...]) -> Unwrapped | None:
    for position, word in enumerate(rest[:-1]):
        if word in ("-exec", "-execdir", "-ok", "-okdir"):
            left = rest[position + 1 :]
            end = next((i for i, w in enumerate(left) if w in (";", "\\;", "+")), len(left))
            return Unwrapped("", left[:end], ("find",)) if end else None
    return None


def _option_script(name: str, rest: tuple[str, ...]) -> Unwrapped | None:
    for position, word in enumerate(rest[:-1]):
        if word in ("-c", "--command", "--run"):
            return Unwrapped("", via=(name,), script=rest[position + 1])
        if word == "--" and name == "runuser":
            return Unwrapped("", rest[position + 1 :], (name,))
    return None


def _unknown_launcher(name: str, rest: tuple[str, ...]) -> Unwrapped | None:
    """A tool nobody knows whose first word is a program with sub-commands is taken for a launcher."""
    if len(rest) < 2 or is_known(name) or "/" in rest[0] or program_name(rest[0]) not in SUBCOMMANDS:
        return None
    if rest[0] in _VERBS and "." in rest[1] and not rest[1].startswith("-"):
        return None  # ``elm make src/Main.elm``
    return Unwrapped("", rest, (name,))
