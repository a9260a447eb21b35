# ruff: noqa: E501, SIM905  (tables of names read better as words than as lists of strings)
"""Masking: what is bound to one machine, run or instance becomes a placeholder; what names a cause stays.

Every expression here is a single pass without nested repetition, so the time is linear in the length of the text;
callers pass one line of at most ``MAX_LINE`` characters.
"""

from __future__ import annotations

import re
from typing import Final

from agent_riggs.judge.redact import without_tokens

MAX_LINE: Final = 600
"""Characters of a line that are looked at; masked before it is cut to ``MAX_SHAPE``."""
MAX_SHAPE: Final = 200

ANSI: Final = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b\n]{0,2000}(?:\x07|\x1b\\)?|\x1b[P^_][^\x1b\n]{0,2000}(?:\x1b\\)?"
    r"|\x1b[ -/]*[0-~]|\x9b[0-?]*[ -/]*[@-~]"
)
CONTROL: Final = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff\ud800-\udfff]"
)

WELL_KNOWN_FILES: Final[frozenset[str]] = frozenset(
    "package.json package-lock.json pnpm-lock.yaml pnpm-workspace.yaml yarn.lock bun.lock bun.lockb tsconfig.json"
    " jsconfig.json pyproject.toml setup.py setup.cfg requirements.txt uv.lock poetry.lock pipfile pytest.ini tox.ini"
    " conftest.py manage.py cargo.toml cargo.lock go.mod go.sum go.work makefile gnumakefile cmakelists.txt"
    " cmakecache.txt dockerfile docker-compose.yml docker-compose.yaml compose.yml compose.yaml pom.xml build.gradle"
    " build.gradle.kts settings.gradle gradlew gemfile gemfile.lock rakefile composer.json composer.lock artisan"
    " mix.exs package.swift justfile .env .npmrc .gitignore .eslintrc .eslintrc.json .eslintrc.js eslint.config.js"
    " eslint.config.mjs vite.config.ts next.config.js jest.config.js vitest.config.ts deno.json turbo.json nx.json"
    " index.lock docker.sock .git build.ninja chart.yaml kubeconfig .terraform.lock.hcl terraform.tfstate"
    " known_hosts id_rsa authorized_keys database.yml node.js next.js vue.js react.js express.js nuxt.js three.js"
    " console.log chart.js asp.net socket.io pubspec.yaml pubspec.lock dune-project build.zig build.zig.zon shard.yml"
    " project.toml manifest.toml rebar.config project.clj deps.edn stack.yaml cabal.project build.sbt angular.json"
    " taskfile.yml taskfile.yaml lerna.json rush.json vercel.json netlify.toml fly.toml wrangler.toml wrangler.jsonc"
    " serverless.yml cdk.json dbt_project.yml profiles.yml mkdocs.yml vagrantfile procfile podfile fastfile jenkinsfile"
    " snakefile brewfile build.bazel module.bazel workspace.bazel terragrunt.hcl skaffold.yaml kustomization.yaml"
    " values.yaml global.json nuget.config directory.build.props appsettings.json application.properties schema.prisma"
    " .tool-versions .python-version .nvmrc .node-version foundry.toml ansible.cfg galaxy.yml pre-commit-config.yaml"
    " flake.nix shell.nix default.nix devbox.json mise.toml moon.yml pants.toml meson.build configure.ac biome.json"
    " deno.jsonc bunfig.toml firebase.json containerfile drizzle.config.json".split()
)

_CONFIGURES: Final = re.compile(
    r"[\w-]+\.config\.(?:[cm]?[jt]s|json)|\.[\w-]+rc(?:\.(?:[cm]?js|json|ya?ml|toml))?|[tj]sconfig\.[\w-]+\.json|\.env\.\w+"
)
"""How tools name their settings: ``vite.config.ts``, ``.eslintrc.yml``, ``tsconfig.build.json``."""


def is_well_known(base: str) -> bool:
    """Whether a file of this name is the same one in every project."""
    return base.lower() in WELL_KNOWN_FILES or _CONFIGURES.fullmatch(base) is not None


_EXTENSION: Final = (
    r"(?:py|pyi|pyc|ipynb|js|jsx|mjs|cjs|ts|tsx|mts|cts|vue|svelte|json|jsonc|json5|jsonl|ndjson|toml|ya?ml|md|mdx|rst|txt|log|csv|tsv"
    r"|rs|go|c|h|cc|cpp|cxx|hpp|hh|mm|java|kt|kts|scala|groovy|gradle|jar|war|cs|csproj|fsproj|vbproj|sln|fs|vb"
    r"|rb|rake|gemspec|php|pl|pm|lua|swift|dart|ex|exs|erl|hs|ml|clj|jl|sql|db|sqlite3?|duckdb|sh|bash|zsh|fish|ps1"
    r"|psm1|bat|cmd|exe|dll|so|dylib|obj|lib|html?|css|scss|sass|less|xml|svg|png|jpe?g|gif|webp|ico|pdf|docx?|xlsx?"
    r"|pptx?|zip|tar|gz|tgz|bz2|xz|zst|7z|whl|egg|deb|rpm|lock|cfg|ini|conf|env|properties|proto|graphql|tf|tfvars|hcl"
    r"|cmake|mk|ninja|snap|patch|diff|tmp|bak|pem|crt|pub|bin|wasm|mp4|mp3|wav|ttf|woff2?)"
)

_URL: Final = re.compile(r"\b[a-zA-Z][a-zA-Z0-9+.-]{1,20}://[^\s'\"`<>|,;)\]}]+")
_SCP: Final = re.compile(r"\b[\w.-]{1,40}@[\w.-]{1,80}:[\w./~-]+")
_EMAIL: Final = re.compile(r"(?<![\w@/])[A-Za-z_][\w.+-]{0,60}@(?=[A-Za-z])[A-Za-z0-9.-]{1,80}")
_WINDOWS: Final = re.compile(
    r"(?<![A-Za-z0-9])(?:[A-Za-z]:[\\/]{1,2}|\\\\[\w.$-]+\\)(?:[^\s'\"`<>|*?:,;()\[\]{}]|(?<=[\\/\w]) (?=[\w.!-]{1,30}[\\/]))*"
)
_PATH: Final = re.compile(r"(?<![\w@<>%])(?:~[\w-]*|\.{1,2}|[\w.@+!-]+)?[/\\][^\s'\"`<>|:,;()\[\]{}=]*")
_FILE: Final = re.compile(
    rf"(?<![\w@<>./\\-])[\w!@+-]+(?:\.[\w-]+)*\.{_EXTENSION}(?![\w.-]*\w)(?:(?::\d+)+|\(\d+(?:,\d+)*\))?", re.I
)
_LOCATION: Final = re.compile(r"(?<![\w@<>./\\-])[\w@+-]+(?:\.[\w-]+)*\.[A-Za-z]\w{0,11}:\d+(?:[.:-]\d+)*(?![\w/])")
"""A file, whatever its ending, with a line: ``grammar.y:3.8-11``."""
_UUID: Final = re.compile(r"\b[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}\b")
_STAMP: Final = re.compile(
    r"\b\d{4}[-/]\d{1,2}[-/]\d{1,2}(?:[T ]\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?)?(?:Z|[+-]\d{2}:?\d{2})?"
    r"|\b\d{1,2}:\d{2}:\d{2}(?:[.,]\d+)?\b|\b\d{1,2}/\d{1,2}/\d{2,4}\b"
)
_IP: Final = re.compile(r"\b\d{1,3}(?:\.\d{1,3}){3}\b|(?<![\w:])(?:[0-9a-fA-F]{0,4}:){3,7}[0-9a-fA-F]{1,4}\b")
_HOST: Final = re.compile(
    r"(?<![\w@./-])(?:[A-Za-z0-9](?:[A-Za-z0-9-]*)\.)+(?:com|org|net|io|dev|local|test|internal|example|cloud|app|ai|co|edu|gov"
    r"|lan|localdomain|corp|info|me|us|uk|de|fr|eu|cn|jp|in|svc|cluster)(?![\w(])(?:\.(?=\s|$))?"
)
_HEX: Final = re.compile(r"\b0[xX][0-9a-fA-F]+\b")
_HASH: Final = re.compile(
    r"\b(?=[a-f]{0,63}\d)(?=\d{0,63}[a-f])[0-9a-f]{7,64}\b|\b(?=[A-F]{0,63}\d)(?=\d{0,63}[A-F])[0-9A-F]{16,64}\b"
    r"|(?<=commit |object |vision )\d{7,64}\b|\b\d{40}\b|\b\d{64}\b"
)
"""Hexadecimal with a letter in it; digits alone are a number, but after a word that says otherwise."""
_TOKEN: Final = re.compile(r"\b(?=[A-Za-z_-]{0,80}\d)[A-Za-z0-9_-]{24,}\b")
_MIXED: Final = re.compile(r"\b(?=\w{8})(?:(?:[A-Za-z]+\d+){2,}[A-Za-z]*|(?:\d+[A-Za-z]+){2,}\d*)\b")
"""Letters and digits in turns: the number of a request, the end of a generated name."""
_QUOTED: Final = re.compile(
    r"`[^`'\n]{1,80}'(?!\w)|(?<![\w])'[^'\n]*'(?!\w)|\"[^\"\n]*\"|`[^`\n]*`|\u2018[^\u2019\n]*\u2019|\u201c[^\u201d\n]*\u201d|\u00ab[^\u00bb\n]*\u00bb"
)
_OPEN_QUOTE: Final = re.compile(r"(?<=[\s(=:])['\"][\w{\[(<][^'\"\n]*$")
"""A quote that the cut line does not close."""
_CODE: Final = re.compile(
    r"\b(?:[A-Z]{1,8}-?\d{2,6}|[A-Z]{2,}(?:_[A-Z0-9]+)+|TS\d{3,5}|E\d{3,4}|(?:HTTP|http|status code|errno|Errno|os error|SQLSTATE|curl:?)"
    r"[ =:(]{1,3}[A-Z]?\d{1,5}|(?:HTTP [Ee]rror|[Ee]rror|status|[Cc]ode)[ =:(]{1,2}[45]\d\d\b(?![.,]\d)|HTTP/\d(?:\.\d)?|(?<=- )[45]\d\d$|[45]\d\d(?= (?:Not |Forbidden|Unauthorized|Bad |Internal |Service |Too |Gateway |Conflict|Unproc|Gone|Method |Resource |Client |Server |Payment ))|utf-?(?:8|16|32)|UTF-?(?:8|16|32)|sha-?(?:1|256|384|512)|md5|base64|latin-?1|[iu](?:8|16|32|64|128)"
    r"|f(?:32|64)|u?int(?:8|16|32|64)|float(?:32|64)|x86(?:_64)?|x64|arm64|aarch64|amd64|python[23]|ipv[46]|IPv[46]|ed25519|es20\d\d"
    r"|http2|h2|[sS]3|[eE][cC]2|c\+\+\d\d|oauth2|utf8mb4|i18n|l10n|a11y|k8s|e2e|E2E|win32|psycopg[23]|lib\w+?\d?\.so)\b"
)
_NUMBER: Final = re.compile(
    r"[+-]?\b\d[\d_]*(?:[.,:]\d+)*(?:e[+-]?\d+)?(?:\s?(?:ms|s|sec|secs|seconds?|m|min|minutes?|h|kb|KB|MB|GB|KiB|MiB|GiB|B|bytes|%|px))?(?!\w)"
)
_DIGITS: Final = re.compile(r"\d+")
_LONG_NUMBER: Final = re.compile(r"\d{4,}")
_SPACE: Final = re.compile(r"\s+")
_REPEAT: Final = re.compile(r"(<\w+>)(?:[\s,:.]*\1)+")
_VERSION: Final = re.compile(r"(?<=[\w/])@[\^~v]?\d[\w.+-]*|\bv\d+(?:\.\d+)+[\w.+-]*")

_SLASH_WORDS: Final[frozenset[str]] = frozenset(
    "and/or read/write i/o n/a tcp/ip application/json text/html text/plain input/output true/false yes/no client/server"
    " http/https https/http on/off either/or ssl/tls tls/ssl his/her he/she import/export get/set w/o rw/ro"
    " name/value key/value user/group origin/main origin/master upstream/main upstream/master".split()
)
_SLASH_PARTS: Final[frozenset[str]] = frozenset(
    "accept add allow attach command commit copy create delete deny detach disable download edit enable encoding get"
    " header host id install key label link load lock login logout merge method migrate mode modify move network open"
    " option output parameter password path permission pin plugin pop port post pull push put query quit read receive"
    " reject release remove rename reply request reset resolve restart restore resume revert rollback run save schema"
    " send service set show start status stop submit suspend symbol target team token uninstall unlock update upgrade"
    " upload url username validate value verify version volume write".split()
)
"""Words that a message joins with slashes: ``install/upgrade/rollback``. Folders are named after things."""
_ARITY: Final = re.compile(r"[A-Za-z_][\w.:]*[!?]?/\d{1,2}")
"""A function with the number of its arguments, as Erlang, Elixir and Prolog name it."""
_KEEP_QUOTED: Final = re.compile(
    r"--?[A-Za-z][\w-]*|[&|;(){}<>\[\]:,.=+*/\\%^~!?@#$-]{1,3}|&&|\|\||null|undefined|none|None|nil|true|false|string|number|int|str|object|array|boolean|any|never|void|unknown",
    re.A,
)

_OPEN, _CLOSE = "\ue000", "\ue001"

_NAMES_CAUSE: Final = re.compile(
    r"not found|n['o]t (?:been )?(?:defined|declared|exist|recognized|known|installed|registered|expected|provided|present|set\b|a known|a valid)"
    r"|unset\b|not in scope|undefined|undeclared|unresolved|unknown|no such|invalid (?:\w+ )?name\b|does not (?:exist|provide|implement|contain|have|support)|doesn't (?:exist|implement|have)"
    r"|missing|required|unrecognized|unexpected|unsupported|could(?: not|n't) (?:find|resolve|import|load|locate)|can(?:not|'t| not) (?:find|resolve|import|load|locate|read|index|invoke)"
    r"|unable to (?:find|resolve|import|load|locate)|no (?:module|member|attribute|matching|known|implementation|installed|session|environment|value|default)\b|has no\b|was not (?:loaded|found|built)|unable to find|with (?:the )?name\b|\bno (?:\w+ ){1,4}(?:found|defined|of|for|matching)\b|failed to (?:find|resolve|load|locate|import)"
    r"|duplicate|already (?:exists|defined|declared|registered)|violates|requires|implicit declaration|multiple definition|explicit package|is ambiguous"
    r"|not allowed|deprecated|unused (?:function|variable|class|method|property|attribute|import)|invalid (?:choice|option|key|field|argument|parameter|keyword)|named\b|nil value|too (?:few|many) arguments|conflicting types|is (?:private|protected)|redefinition|redeclared|not provide|not built|image not known|assertion\b",
    re.I,
)
"""Messages in which a quoted name is the cause, not an instance."""
_NUMBERED: Final = re.compile(r"\b(?:id|ID|Id|uuid|UUID|guid|hash|digest)[ :=]+$")
"""What stands before a quoted id: it names one instance, whatever the message says."""
_CALLED: Final = re.compile(r"(?:[\w:<>]+ )?([A-Za-z_][\w:~]{0,60})\(")
_MEMBER: Final = re.compile(r"[\w:<>*&]{1,60} ([A-Za-z_]\w{0,60}(?:::~?\w{1,60})+)")
_OF_VENDOR: Final = re.compile(r"[A-Za-z][\w.+-]{0,40}/[A-Za-z][\w+-]{0,40}")
_PACKAGE: Final = re.compile(
    r"\b(?:packages?|pods?|providers?|gems?|crates?|plugins?|images?|charts?|modules?|librar\w+)\b", re.I
)
"""What has a name with one slash: ``Firebase/Core``, ``hashicorp/aws``."""
_PLAIN_NAME: Final = re.compile(r"(?:@[\w.-]+/)?[A-Za-z_$%][\w$]*(?:(?:[.:]{1,2}|-)[A-Za-z_][\w$]*){0,5}(?:\(\))?[!?]?")


def clean(text: str) -> str:
    """Escape sequences out, CRLF to LF, a lone CR to a line break (progress bars), control characters out."""
    if "\x1b" in text or "\x9b" in text:
        text = ANSI.sub("", text)
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return text if text.replace("\n", " ").replace("\t", " ").isprintable() else CONTROL.sub("", text)


def mask(line: str, keep: tuple[str, ...] = (), names: bool = False) -> str:
    """The shape of one line. ``keep`` are substrings that name the cause and stay as they are; with ``names`` every
    quoted name stays, otherwise only where the words around it make it the cause.

    Returns at most ``MAX_SHAPE`` characters, whitespace collapsed. Placeholders: ``<url> <email> <path> <time> <id>
    <ip> <host> <str> <n>``.
    """
    text = without_tokens(line[:MAX_LINE])  # first: with its digits masked nobody would know a token any more
    saved: list[str] = []

    def save(value: str) -> str:
        saved.append(value)
        return f"{_OPEN}{chr(0xE100 + len(saved) - 1)}{_CLOSE}"

    for word in keep:
        if word and word in text and len(saved) < 64:
            text = text.replace(word, save(word))

    named = names or _NAMES_CAUSE.search(text) is not None

    def quoted(match: re.Match[str]) -> str:
        inner = match[0][1:-1]
        if named and _NUMBERED.search(match.string, max(0, match.start() - 24), match.start()):
            return "<str>"
        called = _CALLED.match(inner) if named else None
        if called and len(inner) <= 200:
            return save(called[1]) + "()"
        member = _MEMBER.fullmatch(inner) if named else None
        if member:
            return save(member[1])
        name = inner.partition("=")[0]
        if named and len(name) <= 60 and _PLAIN_NAME.fullmatch(name) and subject(name) == name:
            return save(name)
        if named and _OF_VENDOR.fullmatch(name) and _PACKAGE.search(match.string) and subject(name) == name:
            return save(name)
        if _OPEN in inner or _KEEP_QUOTED.fullmatch(inner):
            return match[0] if _OPEN not in inner or _only_saved(inner) else "<str>"
        return "<str>"

    if ":" in text:
        text = _URL.sub("<url>", text)
    if "@" in text:
        text = _SCP.sub("<url>", text)
        text = _VERSION.sub("@<n>", text)
        text = _EMAIL.sub("<email>", text)
    text = _QUOTED.sub(quoted, text)
    text = _OPEN_QUOTE.sub("<str>", text)
    text = _WINDOWS.sub(_path, text)
    if "/" in text or "\\" in text:
        text = _PATH.sub(_path, text)
    if "." in text:
        text = _FILE.sub(_path, text)
        text = _LOCATION.sub("<path>", text)
    if _DIGITS.search(text):
        text = _UUID.sub("<id>", text)
        text = _STAMP.sub("<time>", text)
        text = _IP.sub("<ip>", text)
        text = _HEX.sub("<id>", text)
        text = _HASH.sub("<id>", text)
        text = _CODE.sub(lambda match: save(match[0]) if len(saved) < 512 else match[0], text)
        text = _TOKEN.sub("<id>", text)
        text = _MIXED.sub("<id>", text)
        text = _NUMBER.sub("<n>", text)
        text = _DIGITS.sub("<n>", text)
    if "." in text:
        text = _HOST.sub("<host>", text)
    text = _SPACE.sub(" ", text).strip()
    text = _REPEAT.sub(lambda match: match[1], text)
    for index, value in enumerate(saved):
        text = text.replace(f"{_OPEN}{chr(0xE100 + index)}{_CLOSE}", value)
    return text[:MAX_SHAPE].rstrip()


def _only_saved(inner: str) -> bool:
    return inner.startswith(_OPEN) and inner.endswith(_CLOSE) and inner.count(_OPEN) == 1


def _path(match: re.Match[str]) -> str:
    text = match[0]
    trimmed = text.rstrip(".!?")
    if trimmed.lower() in _SLASH_WORDS or _OPEN in text or text in ("/", "\\") or _ARITY.fullmatch(trimmed):
        return text
    if "." not in trimmed and "\\" not in trimmed and _SLASH_PARTS.issuperset(trimmed.lower().split("/")):
        return text
    base = trimmed.replace("\\", "/").rstrip("/").rsplit("/", 1)[-1]
    if is_well_known(base):
        return base + text[len(trimmed) :]
    return "<path>" + text[len(trimmed) :]


_SUBJECT: Final = re.compile(r"(?:@[\w.-]+/)?[A-Za-z_$][\w.$+#-]*(?:(?:::|/|:)[\w.$+@-]+)*[!?]?")
_OPTION: Final = re.compile(r"--?[A-Za-z0-9?][\w.-]*(?:=.*)?|/[A-Za-z][\w-]*")
_GIVEN: Final = re.compile(r"[a-z]{2,8}_(?=[A-Za-z]*\d)(?=[a-z\d]*[A-Z])[A-Za-z\d]{6,}")
"""A number that a service gave: ``prod_Nx12abC``."""
_ID_LIKE: Final = re.compile(r"[0-9a-f]{7,}|[0-9A-F]{12,}")


def subject(word: str) -> str:
    """A named cause (module, command, option, symbol, package ...) fit for a key: paths, ids and runs of digits masked.

    ``requests``, ``@scope/pkg``, ``--watch`` and ``psycopg2`` stay; ``/home/a/x``, ``./x.js`` and ``a1b2c3d4e5`` do not.
    """
    text = word.strip().strip("'\"`\u2018\u2019\u201c\u201d")
    if not text:
        return "<str>"
    if text[0] == "-" and "/-" in text:  # ``-f/--file``: one option, two spellings
        text = max(text.split("/"), key=len)
    if text.startswith(("/", "./", "../", "~", "\\")) or (len(text) > 2 and text[1] == ":" and text[2] in "/\\"):
        if _OPTION.fullmatch(text):
            return text[:40]
        return _known_base(text)
    if _OPTION.fullmatch(text):
        return _DIGITS.sub("<n>", text.split("=", 1)[0])[:40] if len(text) > 3 else text
    if "\\" in text or text.count("/") > 4 or len(text) > 80:
        return "<path>" if "\\" in text or "/" in text else "<str>"
    if not _SUBJECT.fullmatch(text):
        return mask(text)
    if is_well_known(text):
        return text
    if _FILE.fullmatch(text) and (text.count(".") == 1 or len(text.rsplit(".", 1)[1]) > 1):
        return "<path>"
    if _ID_LIKE.fullmatch(text) and any(c.isdigit() for c in text):
        return "<id>"
    if _GIVEN.fullmatch(text):
        return "<id>"
    if "@" in text[1:]:
        text = _VERSION.sub("@<n>", text)
    if _LONG_NUMBER.search(text):
        text = _DIGITS.sub("<n>", text)
    return text


_MODULE_PATH: Final = re.compile(
    r"(?:file:)?[./~\\]|[@#]/|[A-Za-z]:[\\/]|.*\.(?:[cm]?[jt]sx?|vue|svelte|css|scss|json|h|hh|hpp|proto)$"
)
_MODULE_END: Final = re.compile(r"(?<=\w)\.(?:d\.)?\w{1,6}$")


def module(word: str) -> str:
    """A missing module's name: of a path only the last part, without extension; ``node:fs`` and ``a.b`` stay whole."""
    text = word.strip().strip("'\"`")
    if text.startswith(("/", "~", "\\")) or text[1:3] in (":\\", ":/"):
        return subject(text)
    if _MODULE_PATH.match(text):
        base = text.replace("\\", "/").rstrip("/").rsplit("/", 1)[-1]
        return subject(_MODULE_END.sub("", base)) if base.strip(".") else "<path>"
    return subject(text)


def _known_base(text: str) -> str:
    base = text.replace("\\", "/").rstrip("/").rsplit("/", 1)[-1]
    return base if is_well_known(base) else "<path>"
