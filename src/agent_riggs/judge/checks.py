"""Which commands check work: run tests, lint, check types or build, directly or through a script of that name."""

# ruff: noqa: SIM905  (tables of names read better as words than as lists of strings)
from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from itertools import pairwise
from typing import Final, Literal

from agent_riggs.judge.programs import is_known

Check = Literal["test", "lint", "type", "build", "check"]
"""What a command checks; ``check`` when its name only says that it checks."""


def _table(**kinds: str) -> dict[str, Check]:
    table: dict[str, Check] = {}
    for kind, names in kinds.items():
        table.update(dict.fromkeys(names.split(), kind))  # type: ignore[arg-type]
    return table


_PROGRAMS: Final[Mapping[str, Check]] = _table(
    test="pytest jest vitest mocha ava tap karma rspec phpunit pest unittest nose2 nosetests tox nox ctest bats busted"
    " behave robot testcafe wdio nightwatch minitest doctest gotestsum jasmine tape playwright-test"
    " web-test-runner bun-test qunit uvu prove phpspec codeception pytest-3 kaocha tasty hspec",
    lint="eslint flake8 pylint pycodestyle pydocstyle pyflakes stylelint oxlint rubocop golangci-lint staticcheck"
    " shellcheck hadolint yamllint markdownlint markdownlint-cli2 actionlint ktlint detekt swiftlint phpcs tflint"
    " semgrep bandit codespell vale commitlint knip depcheck clang-tidy cppcheck lint-imports vulture deptry"
    " ansible-lint djlint xo standard checkov tfsec zizmor tslint jshint cpplint htmlhint lint-staged refurb"
    " interrogate credo typos revive errcheck cspell perlcritic textlint remark alex proselint pip-audit gosec",
    type="mypy dmypy pyright basedpyright pyre pytype tsc vue-tsc svelte-check phpstan psalm srb tsgo attw",
    build="make gcc g++ clang clang++ cc c++ rustc javac kotlinc ghc swiftc ninja msbuild xcodebuild webpack rollup"
    " esbuild tsup sphinx-build latexmk pdflatex xelatex lualatex build electron-builder wasm-pack maturin ant"
    " scons protoc ld nasm swc ng-packagr unbuild ncc microbundle gcc-ar ldc2 nvcc emcc yasm gfortran valac fpc"
    " gnatmake dmd ocamlfind ocamlopt bison tectonic cython",
)

_SUBCOMMANDS: Final[Mapping[str, Mapping[str, Check]]] = {
    "go": _table(test="test", lint="vet", build="build install"),
    "cargo": _table(
        test="test t nextest bench mutants", lint="clippy audit deny machete", build="build b check c rustc doc"
    ),
    "dotnet": _table(test="test", build="build publish pack msbuild"),
    "mvn": _table(test="test verify integration-test", build="compile package install test-compile"),
    "swift": _table(test="test", build="build"),
    "flutter": _table(test="test", lint="analyze", build="build"),
    "dart": _table(test="test", lint="analyze", build="compile"),
    "mix": _table(test="test", lint="credo", type="dialyzer", build="compile"),
    "deno": _table(test="test", lint="lint", type="check", build="compile bundle"),
    "bun": _table(test="test", build="build"),
    "npm": _table(test="test t tst", lint="audit"),
    "yarn": _table(test="test", lint="audit"),
    "pnpm": _table(test="test t", lint="audit"),
    "rails": _table(test="test"),
    "zig": _table(test="test", build="build build-exe build-lib"),
    "stack": _table(test="test", build="build"),
    "cabal": _table(test="test", build="build"),
    "bazel": _table(test="test", build="build"),
    "sbt": _table(test="test", build="compile package"),
    "lein": _table(test="test", build="compile uberjar"),
    "playwright": _table(test="test"),
    "cypress": _table(test="run"),
    "ruff": _table(lint="check"),
    "biome": _table(lint="check lint ci"),
    "dprint": _table(lint="check"),
    "sqlfluff": _table(lint="lint"),
    "buf": _table(lint="lint", build="build"),
    "pre-commit": _table(lint="run"),
    "ty": _table(type="check"),
    "pyrefly": _table(type="check"),
    "flow": _table(type="check"),
    "astro": _table(type="check", build="build"),
    "next": _table(lint="lint", build="build"),
    "vite": _table(build="build"),
    "nuxt": _table(build="build", type="typecheck"),
    "ng": _table(test="test e2e", lint="lint", build="build"),
    "parcel": _table(build="build"),
    "mkdocs": _table(build="build"),
    "jekyll": _table(build="build"),
    "docker": _table(build="build"),
    "podman": _table(build="build"),
    "poetry": _table(build="build", check="check"),
    "uv": _table(build="build"),
    "hatch": _table(test="test", build="build", lint="fmt"),
    "flit": _table(build="build"),
    "pdm": _table(build="build"),
    "meson": _table(test="test", build="compile"),
    "terraform": _table(lint="validate"),
    "tofu": _table(lint="validate"),
    "helm": _table(lint="lint", test="test"),
    "gem": _table(build="build"),
    "trunk": _table(lint="check", build="build"),
    "phpunit": _table(test="run"),
    "tauri": _table(build="build"),
    "expo": _table(build="export"),
    "storybook": _table(build="build"),
}

_CHECK_FLAGS: Final[tuple[tuple[str, str, frozenset[str], Check], ...]] = (
    ("ruff", "format", frozenset({"--check", "--diff"}), "lint"),
    ("madge", "", frozenset({"--circular", "-c"}), "lint"),
    ("black", "", frozenset({"--check", "--diff"}), "lint"),
    ("isort", "", frozenset({"--check", "--check-only", "-c", "--diff"}), "lint"),
    ("prettier", "", frozenset({"--check", "-c", "-l", "--list-different"}), "lint"),
    ("cargo", "fmt", frozenset({"--check"}), "lint"),
    ("rustfmt", "", frozenset({"--check"}), "lint"),
    ("terraform", "fmt", frozenset({"-check"}), "lint"),
    ("deno", "fmt", frozenset({"--check"}), "lint"),
    ("dart", "format", frozenset({"--set-exit-if-changed"}), "lint"),
    ("clang-format", "", frozenset({"--dry-run", "-n"}), "lint"),
    ("node", "", frozenset({"--test"}), "test"),
    ("node", "", frozenset({"--check"}), "build"),
    ("bash", "", frozenset({"-n"}), "lint"),
    ("cmake", "", frozenset({"--build"}), "build"),
    ("zig", "fmt", frozenset({"--check"}), "lint"),
    ("mix", "format", frozenset({"--check-formatted"}), "lint"),
    ("gleam", "format", frozenset({"--check"}), "lint"),
    ("elm-format", "", frozenset({"--validate"}), "lint"),
    ("ocamlformat", "", frozenset({"--check"}), "lint"),
    ("swiftformat", "", frozenset({"--lint"}), "lint"),
    ("stylua", "", frozenset({"--check", "-c"}), "lint"),
    ("shfmt", "", frozenset({"-d", "--diff"}), "lint"),
    ("perl", "", frozenset({"-c"}), "lint"),
    ("php", "", frozenset({"-l"}), "lint"),
    ("python", "", frozenset({"py_compile", "compileall"}), "build"),
)

_NAMED: Final = frozenset(
    "npm pnpm yarn bun deno make just task rake invoke gulp grunt mage ant nx turbo lerna gradle hatch pdm poetry"
    " composer poe"
    " mise pixi rye mvn sbt wireit taskipy fastlane moon".split()
)
"""Runners whose words are names that people gave to jobs."""

_SCRIPT_LAUNCHERS: Final = frozenset({"hatch run", "pdm run", "pixi run", "rye run", "devbox run"})
"""Launchers that also run jobs by a name given in the project's settings."""

_WORDS: Final[tuple[tuple[Check, frozenset[str]], ...]] = (
    (
        "type",
        frozenset("typecheck types type typing tsc mypy pyright typescript tc checktypes dialyzer phpstan".split()),
    ),
    (
        "lint",
        frozenset(
            "lint eslint ruff flake8 pylint prettier stylelint rubocop clippy biome oxlint linter linting fmt"
            " fmtcheck formatcheck checkstyle spotless ktlint detekt vet lints style".split()
        ),
    ),
    (
        "test",
        frozenset(
            "test tests spec specs e2e unit integration jest vitest pytest coverage cypress playwright smoke"
            " unittest testall mocha rspec phpunit nextest testing cov".split()
        ),
    ),
    (
        "build",
        frozenset("build compile bundle dist assemble package webpack rollup tsup rebuild builds compilejava".split()),
    ),
    (
        "check",
        frozenset("check checks verify ci validate qa precommit prepush preflight audit sanity".split()),
    ),
)
_SPLIT: Final = re.compile(r"[^A-Za-z0-9]+|(?<=[a-z])(?=[A-Z])")
_SCRIPT: Final = re.compile(r"\.(?:sh|bash|zsh|ps1|mjs|cjs|js|ts|py|rb|pl)$")


def name_kind(name: str) -> Check | None:
    """What a script or target of that name checks: ``test:unit``, ``type-check``, ``run_lint.sh``."""
    parts = [part.lower() for part in _SPLIT.split(name) if part]
    if len(parts) > 6:
        return None
    pairs = {a + b for a, b in pairwise(parts)}
    known = {*parts, *pairs}
    for kind, names in _WORDS:
        if known & names:
            return kind
    return None


def single_purpose(program: str) -> bool:
    """Whether the program does nothing but check, so that its first word is no sub-command but a file."""
    if program in _SUBCOMMANDS:
        return False
    return program in _PROGRAMS or program.endswith(("lint", "linter"))


@lru_cache(maxsize=4096)
def check_kind(program: str, sub: tuple[str, ...], words: tuple[str, ...], launcher: str = "") -> Check | None:
    """What the command checks, or ``None`` when it does other work. ``launcher`` is the one it was started by."""
    first = sub[0] if sub else ""
    for name, wanted, flags, kind in _CHECK_FLAGS:
        if name == program and (not wanted or wanted == first) and not flags.isdisjoint(words[:12]):
            return kind
    found = _SUBCOMMANDS.get(program, {}).get(first) if first else None
    if found is not None:
        return found
    if program in ("docker", "podman") and sub[:2] in (("compose", "build"), ("buildx", "build"), ("image", "build")):
        return "build"
    if program in _NAMED and sub:
        named = name_kind(sub[-1])
        return "build" if named is None and sub[-1] == "all" else named
    if program in _PROGRAMS:
        return _PROGRAMS[program]
    if launcher in _SCRIPT_LAUNCHERS:
        return name_kind(program)
    if _SCRIPT.search(program):
        return name_kind(_SCRIPT.sub("", program))
    if is_known(program):
        return None
    return _own_name(program) or (name_kind(first) if len(sub) == 1 else None)


def _own_name(program: str) -> Check | None:
    """What a tool checks that is called after it: ``djlint``, ``spellcheck``, ``check-manifest``."""
    if program.endswith(("lint", "linter")):
        return "lint"
    if program.endswith(("typecheck", "type-check")):
        return "type"
    return "check" if program.endswith(("check", "checker")) or program.startswith("check-") else None
