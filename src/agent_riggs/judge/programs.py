"""What is known about programs: their sub-commands, and which of them filter, read, ask or check."""

# ruff: noqa: SIM905  (tables of names read better as words than as lists of strings)
from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final, NamedTuple


class Subcommands(NamedTuple):
    """How a program's sub-command is found among its words."""

    valued: frozenset[str] = frozenset()
    """Global options that take a value."""
    depth: int = 1
    """Words that belong to the sub-command."""
    groups: frozenset[str] = frozenset()
    """First words that are followed by one more word."""
    builtins: frozenset[str] = frozenset()
    """For script runners: first words that are no script names."""


def _sub(valued: str = "", depth: int = 1, groups: str = "", builtins: str = "") -> Subcommands:
    return Subcommands(*(frozenset(valued.split()), depth, frozenset(groups.split()), frozenset(builtins.split())))


_JS_BUILTINS: Final = (
    "add audit bin cache ci config create dedupe deploy dlx exec fetch help import info init install i in it link ln"
    " list ls licenses login logout node outdated owner pack patch patch-commit plugin prune publish rebuild remove rm"
    " root run run-script search server set setup start-server store test-install unlink uninstall un unplug up update"
    " upgrade up-interactive upgrade-interactive version versions view why whoami workspaces x env approve-builds"
    " recursive constraints explain npm tag team policies self-update completion doctor pm repl build-binary"
)
_GH: Final = (
    "alias attestation auth cache codespace config extension gist gpg-key issue label org pr project release repo"
    " ruleset run search secret ssh-key variable workflow"
)
_RUN: Final = "run run-script task"

SUBCOMMANDS: Final[Mapping[str, Subcommands]] = {
    "git": _sub(
        "-C -c --git-dir --work-tree --namespace --exec-path --super-prefix --config-env",
        groups="stash worktree submodule remote bisect notes lfs flow subtree bundle sparse-checkout maintenance",
    ),
    "jj": _sub("-R --repository --config", groups="git bookmark branch op operation workspace config"),
    "hg": _sub("-R --repository --cwd"),
    "svn": _sub(),
    "gh": _sub("-R --repo --hostname", groups=_GH),
    "glab": _sub("-R --repo", groups=_GH + " mr ci schedule token incident"),
    "docker": _sub(
        "--context -H --host --config -l --log-level -f --file -p --project-name --profile --env-file"
        " --project-directory --ansi --progress --tlscacert --tlscert --tlskey",
        groups="compose container image network volume system buildx context builder stack service swarm manifest"
        " plugin",
    ),
    "podman": _sub(
        "--url --connection --log-level", groups="compose container image network volume system machine pod"
    ),
    "kubectl": _sub(
        "-n --namespace --context --kubeconfig --cluster --user -s --server --as --token",
        groups="config rollout create auth set top certificate",
    ),
    "oc": _sub("-n --namespace --context --kubeconfig", groups="adm config rollout"),
    "helm": _sub("-n --namespace --kube-context --kubeconfig", groups="repo dependency plugin get show"),
    "npm": _sub("--prefix -w --workspace -C --loglevel --registry --userconfig", groups=_RUN + " config pkg cache"),
    "pnpm": _sub(
        "--filter -F --filter-prod -C --dir --loglevel --reporter --workspace-concurrency --config",
        groups=_RUN + " config store env",
        builtins=_JS_BUILTINS,
    ),
    "yarn": _sub(
        "--cwd --modules-folder --use-yarnrc", groups=_RUN + " config cache npm workspaces", builtins=_JS_BUILTINS
    ),
    "bun": _sub(
        "--cwd --filter -F --config -c --preload -r --env-file", groups="run pm", builtins=_JS_BUILTINS + " test build"
    ),
    "deno": _sub("--config -c --import-map", groups="task"),
    "cargo": _sub("--manifest-path --color --config -Z -C", groups="nextest tauri"),
    "rustup": _sub(groups="toolchain target component override self default show"),
    "go": _sub("-C", groups="mod tool work telemetry"),
    "pip": _sub("--python --cache-dir --log --proxy", groups="cache config index"),
    "uv": _sub("--project --directory --cache-dir --config-file --color", groups="pip tool python cache self auth"),
    "poetry": _sub("-C --directory -P --project", groups="env self cache config source"),
    "pdm": _sub("-p --project", groups="cache venv self plugin"),
    "pipenv": _sub(),
    "hatch": _sub("-e --env -p --project", groups="env dep version config"),
    "rye": _sub(),
    "pixi": _sub(groups="global project task"),
    "conda": _sub(groups="env"),
    "mamba": _sub(groups="env"),
    "terraform": _sub(groups="state workspace providers"),
    "tofu": _sub(groups="state workspace providers"),
    "pulumi": _sub("-C --cwd -s --stack", groups="stack config plugin"),
    "aws": _sub("--profile --region --output --endpoint-url --query --cli-read-timeout --color --ca-bundle", 2),
    "az": _sub("--subscription -o --output --query", 2),
    "gcloud": _sub("--project --account --configuration --format --verbosity", 3),
    "gsutil": _sub("-o -h"),
    "fly": _sub("-a --app -c --config", groups="ssh secrets volumes machine postgres"),
    "flyctl": _sub("-a --app -c --config", groups="ssh secrets volumes machine postgres"),
    "heroku": _sub("-a --app"),
    "vercel": _sub("--cwd --scope -t --token", groups="env domains project"),
    "wrangler": _sub("-c --config -e --env", groups="d1 kv r2 pages secret"),
    "netlify": _sub(),
    "firebase": _sub("-P --project"),
    "supabase": _sub("--workdir", groups="db functions migration secrets gen projects"),
    "prisma": _sub("--schema", groups="migrate db"),
    "drizzle-kit": _sub(),
    "systemctl": _sub("-n -H --host -t --type -p"),
    "service": _sub("", 2),
    "launchctl": _sub(),
    "apt": _sub("-o -t -c"),
    "brew": _sub(groups="services bundle"),
    "dnf": _sub(),
    "yum": _sub(),
    "apk": _sub(),
    "snap": _sub(),
    "choco": _sub(),
    "winget": _sub(),
    "scoop": _sub(),
    "make": _sub("-C -f -j -I -o -W --directory --file --jobs --makefile"),
    "just": _sub("-f --justfile -d --working-directory --set"),
    "task": _sub("-t --taskfile -d --dir"),
    "rake": _sub("-f -R"),
    "invoke": _sub("-c -r"),
    "gulp": _sub(),
    "grunt": _sub(),
    "mage": _sub(),
    "ant": _sub("-f"),
    "nx": _sub(groups="run run-many affected"),
    "turbo": _sub("--filter", groups="run"),
    "lerna": _sub("--scope", groups="run exec"),
    "bazel": _sub(),
    "gradle": _sub("-p -b -c -I -x --project-dir --console"),
    "mvn": _sub("-f -pl -P -s -T --file --projects --settings"),
    "sbt": _sub(),
    "lein": _sub(),
    "dotnet": _sub(groups="ef tool nuget sln workload"),
    "flutter": _sub("-d", groups="pub build"),
    "dart": _sub(groups="pub"),
    "swift": _sub(groups="package"),
    "zig": _sub(),
    "cmake": _sub(),
    "meson": _sub(),
    "stack": _sub(),
    "cabal": _sub(),
    "mix": _sub(),
    "composer": _sub("-d --working-dir", groups="run-script global"),
    "gem": _sub(),
    "bundle": _sub(groups="config"),
    "rails": _sub(),
    "pod": _sub(groups="repo"),
    "fastlane": _sub(),
    "vagrant": _sub(),
    "ruff": _sub("--config"),
    "biome": _sub(),
    "next": _sub(),
    "vite": _sub(),
    "nuxt": _sub(),
    "astro": _sub(),
    "ng": _sub(),
    "expo": _sub(),
    "playwright": _sub(),
    "cypress": _sub(),
    "storybook": _sub(),
    "pre-commit": _sub(),
    "alembic": _sub("-c"),
    "flask": _sub("--app", groups="db"),
    "tmux": _sub("-L -S -f"),
    "adb": _sub("-s"),
    "openssl": _sub(),
    "ip": _sub(),
    "nmcli": _sub("", 2),
    "mise": _sub("-C"),
    "asdf": _sub(),
    "nvm": _sub(),
    "fnm": _sub(),
    "volta": _sub(),
    "op": _sub("--account --vault", 2),
    "buf": _sub(),
    "nix": _sub(groups="flake profile store"),
    "ollama": _sub(),
    "kind": _sub("", 2),
    "minikube": _sub(),
    "skaffold": _sub(),
    "argocd": _sub("", 2),
    "security": _sub(),
}

_PLAIN: Final = frozenset(
    "ls cat cp mv rm mkdir rmdir touch ln chmod chown chgrp find fd locate grep rg ag ack sed awk head tail less more"
    " sort uniq wc cut tr tee diff cmp comm join paste column file stat du df mount umount ps top htop kill pkill"
    " killall pgrep lsof fuser free uptime uname whoami id groups hostname date cal sleep echo printf true false test"
    " [ : pwd cd pushd popd export unset set source eval read exit return wait jobs fg bg trap alias type which"
    " whereis command hash tar zip unzip gzip gunzip zcat bzip2 xz 7z rsync scp sftp ssh curl wget http https ping nc"
    " ncat telnet dig nslookup host traceroute netstat ss ifconfig iptables crontab at python node ruby perl php lua"
    " java javac kotlinc rustc gcc g++ clang clang++ cc c++ ld ar nm objdump strings ghc swiftc tsc tsx ts-node deno"
    " bash sh zsh fish dash ksh powershell pwsh cmd jq yq xmllint pytest jest vitest mocha ava karma rspec phpunit tox"
    " nox unittest eslint prettier flake8 pylint mypy pyright basedpyright black isort shellcheck hadolint yamllint"
    " stylelint rubocop tslint golangci-lint webpack rollup esbuild parcel psql mysql sqlite3 redis-cli mongo mongosh"
    " duckdb bat nl tac rev xxd hexdump od base64 md5sum sha1sum sha256sum env timeout sudo nohup time nice xargs"
    " watch seq yes basename dirname realpath readlink mktemp tree vim vi nano emacs code open xdg-open pbcopy pbpaste"
    " clip xclip man info help getent useradd passwd su ffmpeg convert identify magick pdftotext pandoc rustfmt gofmt"
    " clang-format ninja xcodebuild xcrun codesign plutil defaults sysctl journalctl dmesg uvicorn gunicorn vue-tsc"
    " cloc tokei findstr dir copy del move ren set where tasklist taskkill sc reg wmic robocopy attrib icacls cls ver"
    " vol ctest pg_dump pg_restore pg_dumpall createdb dropdb mysqldump mongodump mongorestore redis-server zstd ar"
    " gdb lldb ldd strip objcopy readelf pkg-config m4 autoconf automake autoreconf mkfs losetup dd install truncate"
    " gofmt goimports raku octave racket sbcl guile tclsh swipl escript erlc lessc sass coffee zx tsx bats dot gnuplot"
    " mlr qpdf tidy exiftool rclone aria2c lftp sftp grpcurl uuidgen envsubst expr let local declare readonly shift"
    " getopts ulimit umask".split()
)


_CMDLET: Final = re.compile(
    r"(?:get|set|select|new|remove|where|foreach|write|test|invoke|start|stop|out|sort|measure|format|copy|move|rename|add"
    r"|clear|import|export|convertto|convertfrom|join|split|resolve|compare|group|push|pop|read|wait|tee)-[a-z]+"
)


def is_known(program: str) -> bool:
    """Whether the tables say anything about the program."""
    return program in SUBCOMMANDS or program in _PLAIN or _CMDLET.fullmatch(program) is not None


_SUBWORD: Final = re.compile(r"[A-Za-z][\w:.@+-]{0,39}")
_LOOSE_SUBWORD: Final = re.compile(r"[a-z][a-z0-9]*(?:[-:_][a-z0-9]+)*")
_QUIET: Final = frozenset(
    "-q -v -vv -y -d --quiet --verbose --debug --yes --json --silent --no-color --no-input".split()
)
"""Options that take no value in any program worth the name, so that the sub-command may follow."""
_RUNNERS: Final = frozenset({"pnpm", "yarn", "bun"})
_TARGETS: Final = frozenset({"gradle"})


def subcommand(program: str, words: tuple[str, ...]) -> tuple[str, ...]:
    """The words that say which of its jobs the program does; empty when it has none or none was given."""
    spec = SUBCOMMANDS.get(program)
    if spec is None:
        return _unknown_subcommand(program, words)
    if program == "python":
        return ()
    found: list[str] = []
    wanted = spec.depth
    position = 0
    while position < len(words) and len(found) < wanted:
        word = words[position]
        position += 1
        if word in spec.valued:
            position += 1
            continue
        if word[:1] in ("-", "+") or ("=" in word and not found):
            continue
        if program == "yarn" and not found and word == "workspace":
            position += 1
            continue
        if not _SUBWORD.fullmatch(word):
            if program in _TARGETS and word.startswith(":"):
                word = word.rsplit(":", 1)[-1]
            else:
                break
        found.append(word)
        if len(found) == 1:
            wanted = max(wanted, 2 if word in spec.groups else 1)
            if program in ("docker", "podman") and word == "compose":
                wanted = 2
    if program in _RUNNERS and len(found) == 1 and found[0] not in spec.builtins:
        return () if "." in found[0] else ("run", found[0])
    return tuple(found)


def _unknown_subcommand(program: str, words: tuple[str, ...]) -> tuple[str, ...]:
    if not words or program in _PLAIN or "." in program or program[:1] == "$":
        return ()
    word = next((word for word in words if word not in _QUIET), "")
    return (word,) if len(word) <= 24 and _LOOSE_SUBWORD.fullmatch(word) and not _CMDLET.fullmatch(program) else ()


FILTERS: Final = frozenset(
    "head tail tee grep rg ag ack sed awk cat sort uniq wc cut tr less more jq yq column fold fmt nl paste rev tac"
    " xxd hexdump od strings iconv base64 bat pr ts sponge comm join pbcopy clip xclip wl-copy fzf delta xcbeautify"
    " xcpretty pino-pretty gron sha256sum sha1sum md5sum shasum gzip gunzip zcat findstr select-string select-object"
    " out-string out-null foreach-object where-object sort-object measure-object format-table format-list"
    " convertfrom-json convertto-json out-file tee-object"
    " group-object get-unique select where sls ft fl colrm expand unexpand ansi2txt strip-ansi col cmp".split()
)
"""Programs that only shape what a pipe brings them."""

READERS: Final = frozenset(
    "cat bat rg grep ag ack sed awk head tail less more echo printf jq yq nl tac rev xxd hexdump od strings sort uniq"
    " wc cut tr column get-content select-string gc type find fd ls tree stat file diff cmp comm base64 zcat pbpaste"
    " write-output write-host"
    " get-childitem gci dir findstr man pandoc pdftotext journalctl dmesg history".split()
)
"""Programs whose output is somebody else's text: what reads like a failure in it is none."""

READER_SUBCOMMANDS: Final[Mapping[str, frozenset[str]]] = {
    "git": frozenset(
        "show log diff blame grep cat-file status ls-files ls-tree shortlog reflog branch tag config".split()
    ),
    "gh": frozenset(("run view", "pr view", "pr diff", "issue view", "pr list", "issue list", "run list", "api")),
    "docker": frozenset(("logs", "compose logs", "ps", "inspect", "compose ps", "images", "compose config")),
    "kubectl": frozenset("logs get describe".split()),
    "jj": frozenset("show log diff status".split()),
    "hg": frozenset("log diff cat status".split()),
    "npm": frozenset("view ls list info".split()),
    "heroku": frozenset(("logs",)),
    "fly": frozenset(("logs",)),
    "tmux": frozenset(("capture-pane",)),
}

TRIVIAL: Final = frozenset(
    "cd pushd popd echo printf true false : exit return sleep export set unset source pwd date wait shift local"
    " declare read trap umask alias ulimit clear hash shopt [ continue break readonly typeset set-location"
    " write-output write-host cls rem"
    " title setlocal let start-sleep reset whoami".split()
)
"""Programs that a line runs beside its real work."""

NEVER_FAILS: Final = frozenset(
    "echo printf true : exit return sleep date pwd write-output write-host start-sleep break continue".split()
)
"""Trivial programs whose failure nobody looks for."""

_ASKING: Final[Mapping[str, frozenset[int]]] = {
    **dict.fromkeys(
        "grep rg ag ack zgrep diff cmp [ which type pgrep pkill killall kill lsof fuser expr let hash".split(),
        frozenset({1}),
    ),
    **dict.fromkeys("false where findstr git-grep select-string zdiff colordiff".split(), frozenset({1})),
    "ls": frozenset({1, 2}),
    "stat": frozenset({1}),
    "find": frozenset({1}),
    "getent": frozenset({2}),
    "pg_isready": frozenset({1, 2}),
    "ping": frozenset({1, 2}),
    "id": frozenset({1}),
    "taskkill": frozenset({128}),
    "test-path": frozenset({1}),
    "get-command": frozenset({1}),
}
_ASKING_SUB: Final[Mapping[tuple[str, str], frozenset[int]]] = {
    ("git", "grep"): frozenset({1}),
    ("git", "check-ignore"): frozenset({1}),
    ("git", "config"): frozenset({1}),
    ("git", "merge-base"): frozenset({1}),
    ("git", "show-ref"): frozenset({1}),
    ("systemctl", "is-active"): frozenset({1, 3, 4}),
    ("systemctl", "is-enabled"): frozenset({1, 3, 4}),
    ("systemctl", "status"): frozenset({3, 4}),
    ("tmux", "has-session"): frozenset({1}),
    ("pip", "show"): frozenset({1}),
    ("npm", "outdated"): frozenset({1}),
    ("npm", "ls"): frozenset({1}),
    ("pnpm", "outdated"): frozenset({1}),
    ("kubectl", "diff"): frozenset({1}),
}
_PENDING: Final = frozenset({8})
"""With it ``gh pr checks`` and ``gh run view --exit-status`` say that checks go on."""
_ASKING_OPTIONS: Final[tuple[tuple[str, str, frozenset[str], frozenset[int]], ...]] = (
    ("git", "diff", frozenset({"--quiet", "--exit-code", "--check", "--no-index"}), frozenset({1, 2})),
    ("git", "rev-parse", frozenset({"--verify"}), frozenset({1, 128})),
    ("git", "ls-files", frozenset({"--error-unmatch"}), frozenset({1})),
    ("git", "cat-file", frozenset({"-e"}), frozenset({1, 128})),
    ("git", "ls-remote", frozenset({"--exit-code"}), frozenset({2})),
    ("git", "symbolic-ref", frozenset({"-q", "--quiet"}), frozenset({1})),
    ("curl", "", frozenset({"-f", "--fail", "--fail-with-body"}), frozenset({22})),
    ("nc", "", frozenset({"-z"}), frozenset({1})),
    ("jq", "", frozenset({"-e", "--exit-status"}), frozenset({1, 4})),
    ("command", "", frozenset({"-v", "-V"}), frozenset({1, 127})),
    ("dpkg", "", frozenset({"-s", "-l", "-L"}), frozenset({1})),
    ("rpm", "", frozenset({"-q"}), frozenset({1})),
    ("terraform", "plan", frozenset({"-detailed-exitcode"}), frozenset({2})),
)
_SAVES: Final = frozenset({"-O", "-o", "--output", "--remote-name", "-T", "--upload-file"})
"""With these curl is sent for a file, not with a question."""


def answers(program: str, sub: tuple[str, ...], words: tuple[str, ...]) -> frozenset[int]:
    """The exit codes with which the command answers a question instead of failing; empty for all others."""
    codes = _ASKING.get(program)
    if codes is not None:
        printed = program == "type" and any(c in word for word in words for c in "./\\")  # of a file, on Windows
        return frozenset() if printed else codes
    first = sub[0] if sub else ""
    if program == "gh" and sub[1:2] == ("checks",):
        return _PENDING
    codes = _ASKING_SUB.get((program, first))
    if codes is not None:
        return codes
    if program == "curl" and "/dev/null" not in words and _has_option(words, _SAVES):
        return frozenset()
    for name, wanted, options, found in _ASKING_OPTIONS:
        if name == program and (not wanted or wanted == first) and _has_option(words, options):
            return found
    return frozenset()


def _has_option(words: tuple[str, ...], options: frozenset[str]) -> bool:
    """Whether one of the options is given, alone or inside a cluster such as ``-fsS``."""
    letters = [o[1] for o in options if len(o) == 2]
    for word in words:
        if word in options:
            return True
        if word[:1] == "-" and word[1:2] != "-" and any(c in word[1:8] for c in letters) and word[1:8].isalpha():
            return True
    return False
