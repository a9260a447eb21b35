# ruff: noqa: E501  (a row of a table reads better on one line)
"""Messages of tools that no table knows: their grammar tells the class, and what of them names a cause."""

from __future__ import annotations

import pytest

from agent_riggs.judge import judge
from agent_riggs.judge.sentences import of_message
from judge.calls import bash, tool

CLASSES: list[tuple[str, str]] = [
    ("another operation (install/upgrade/rollback) is in progress", "conflict"),
    ("Error acquiring the state lock", "conflict"),
    ("Git working directory not clean.", "conflict"),
    ("could not find compatible versions for pod", "conflict"),
    ("This package doesn't seem to be present in your lockfile", "conflict"),
    ("operation error S3: CreateBucket, BucketAlreadyExists", "conflict"),
    ("(ResourceGroupNotFound) Resource group 'x' could not be found.", "bad_path"),
    ("channel_not_found", "bad_path"),
    ("rpc error: code = Unauthenticated desc = invalid session", "auth"),
    ("access token is required", "auth"),
    ("You do not currently have an active account selected.", "auth"),
    ("no access token available", "auth"),
    ("A compatible .NET SDK was not found.", "environment"),
    ("DATABASE_URL must be set", "environment"),
    ("Node.js v20 is not supported by Astro!", "environment"),
    ("container db is unhealthy", "environment"),
    ("no task deploy found", "bad_option"),
    ("Invalid choice: 'instance'", "bad_option"),
    ("nginxx: unrecognized service", "bad_path"),
    ("Cannot find project 'shop-ui'", "bad_path"),
    ("No packages remain after ignoring {scope: 'x'}", "bad_path"),
    ("error parsing k8s/svc.yaml: error converting YAML to JSON", "syntax_error"),
    ("yaml: line 3: mapping values are not allowed in this context", "syntax_error"),
    ("parser error : Opening and ending tag mismatch", "syntax_error"),
    ("services.web additional properties 'portz' not allowed", "invalid_input"),
    ("I cannot find a `totl` variable", "invalid_input"),
    ("Unknown variable", "invalid_input"),
    ("could not find function charge", "invalid_input"),
    ("Could not find an SCM for dependency :jason", "module_missing"),
    ("collection not found", "module_missing"),
    ("No ruleset has been found.", "missing_file"),
    ("There is no <pkgname>.cabal package file or cabal.project file.", "missing_file"),
    ("the path 'k8s/x' does not exist", "missing_file"),
    ("This command can only be run in a Serverless service directory.", "environment"),
    ("Configuration file not available.", "missing_file"),
    ("Could not find a file with a .nimble extension", "missing_file"),
    ("Error downloading com.acme:core_2.13:1.0", "module_missing"),
    ("Could not resolve workspace.", "bad_path"),
    ("Could not resolve host: example.org", "network"),
    ("Variable not in scope: totl", "invalid_input"),
    ("expected expression, found ';'", "syntax_error"),
    ("gzip: stdin: not in gzip format", "invalid_input"),
    ("node(s) already exist for a cluster with the name 'shop'", "conflict"),
    ("in ./helmfile.yaml: environment values file matching 'a' does not exist", "missing_file"),
    ("'configure.ac' is required", "missing_file"),
    ("arg (dist) does not name a directory, bucket, or bucket subdir.", "missing_file"),
    ("unexpected symbol near '='", "syntax_error"),
    ("No package found matching input criteria.", "module_missing"),
    ("no alternatives for python", "bad_path"),
    ("No interpreter found for Python 3.14 in managed installations", "environment"),
    ("The lockfile would have been modified by this install, which is explicitly forbidden.", "conflict"),
    ("failed to find a task 'train' in the project", "bad_option"),
    ("the object you are looking for could not be found", "bad_path"),
    ("GET https://registry.example.org/left-pad - 404", "http_error"),
    ("No 'docker-compose' file found", "missing_file"),
    ("the requested nginx plugin does not appear to be installed", "module_missing"),
    ("config contains unknown keys: scriptx", "invalid_input"),
    # what a name of several words is made of says nothing
    ("cannot compile to wasm32-unknown-unknown", "invalid_input"),
    # words about rights, time and the wire are never outvoted
    ("cannot open the file: permission denied", "permission"),
    ("could not find module x: connection refused", "network"),
    ("failed to load plugin x: timed out", "timeout"),
]


@pytest.mark.parametrize(("message", "failure_class"), CLASSES)
def test_a_sentence_tells_the_class(message: str, failure_class: str) -> None:
    assert of_message(message) == failure_class


SHAPES: list[tuple[str, str, str]] = [
    # words joined by a slash are no path, a function's arity is none, options in two spellings are one
    ("hlm upgrade x", "Error: another operation (install/upgrade/rollback) is in progress", "another operation (install/upgrade/rollback) is in progress"),
    ("erlx src/a.erl", "src/a.erl:3:8: function total/1 undefined", "function total/<n> undefined"),
    ("azx blob", "error: the following arguments are required: --container-name/-c", "missing arguments: --container-name"),
    # files that every project has one of
    ("fluttr build", "Error: No pubspec.yaml file found.", "No pubspec.yaml file found."),
    ("vitx build", "error: cannot load /home/ada/x/vite.settings.mts", "cannot load <path>"),
    ("vitx build", "error: cannot load /home/ada/x/vite.config.mjs", "cannot load vite.config.mjs"),
    # numbers of requests
    ("cloudx up", "error: request 0A1B2C3D4E5F failed: no quota left", "request <id> failed: no quota left"),
    # a name with one slash, of a package
    ("podx install", 'Error: could not find a version of pod "Firebase/Core"', "could not find a version of pod Firebase/Core"),
    ("catx a", 'Error: could not find a line of "src/Core"', "could not find a line of <str>"),
    # the last cause of a chain, not the head; a code alone is joined to what follows
    ("cliup x", "error: API request failed\n  caused by: invalid token (http status: 401)", "invalid token (http status: 401)"),
    ("cliup x", "Error: cannot start\n\nCaused by:\n    0: reading settings\n    1: file settings.toml not found", "file <path> not found"),
    ("turbx run e2e", "  x Missing tasks in project\n  `->   x Could not find task `e2e` in project", "Could not find task e2e in project"),
    ("migrate x", "Error: P3009\n\nthe database has failed migrations", "P3009: the database has failed migrations"),
    # lines that only repeat that something failed come last
    ("tarx a", "zipx: stdin: not in the right format\ntarx: Child returned status 1\ntarx: Error is not recoverable: exiting now", "zipx: stdin: not in the right format"),
    # a warning that leads on is none, neither is a page of HTML
    ("cfgx x", "No config path provided, using default 'a.json'\n/w/a.json file does not exist", "<path> file does not exist"),
    ("httx x", "httx: warning: HTTP 404 File not found\n<html>\n<p>Message: File not found.</p>", "HTTP 404"),
    # a message among fields, with escaped quotes, below a bare verdict; a logger's own prefix
    ("cqlx", 'InvalidRequest: code=2200 [Invalid query] message="unconfigured table orders"', "unconfigured table orders"),
    ("cqlx", '{"error":{"message":"no such column \\"price\\" in orders"}}', "no such column price in orders"),
    ("cfx push", "FAILED\nNot logged in. Use 'cfx login' to log in.", "Not logged in. Use <str> to log in."),
    ("auditx", "ERROR:audit_x._cli:invalid requirements input", "invalid requirements input"),
    ("xfetch", "Error 404: the page is gone", "Error 404: the page is gone"),
    ("payx", "error: No such product: 'prod_Nx12abC'", "No such product: <str>"),
    # failing tests, however a runner writes them
    ("nextestx test", "        FAIL [   0.004s] shop tests::adds_items\n1 failed", "tests::adds_items"),
    ("forgex test", "[FAIL. Reason: assertion failed] test_total() (gas: 8211)", "test_total"),
    ("cljx test", "FAIL in shop.cart-test/adds-items (cart_test.clj:7)", "shop.cart-test/adds-items"),
    ("pestx test", "   FAILED  Tests\\Unit\\CartTest > it adds items    0.02s", "it adds items"),
    ("tapx test", "    not ok 1 - adds items # time=8ms\nnot ok 1 - test/a.js # time=66ms", "adds items"),
    ("nodex test", "  ✖ adds items (2.81ms)\n    AssertionError: 1 == 2", "adds items"),
    ("gtestx", "[  FAILED  ] CartTest.AddsItems (0 ms)\n[  FAILED  ] 1 test, listed below:", "CartTest.AddsItems"),
    ("catchx", "/w/cart.cpp:6: FAILED:\n  REQUIRE( total == 3 )", "REQUIRE( total == <n> )"),
    ("golangci-lint run", "a/b.go:12:2: ineffectual assignment to total (ineffassign)", "ineffassign"),
    # a tag is a label, the subject of a sentence is none
    ("espx compile", "[pinx] is an invalid option for [sensor]", "[pinx] is an invalid option for [sensor]"),
    ("bunx.sh", "error: GET https://registry.example.org/left-pad - 404", "GET <url> - 404"),
    ("sqlx", 'column "price" of relation "orders" already exists', "column price already exists"),
    ("nextx build", "Module not found: Can't resolve '@/lib/cart'", "module not found: cart"),
    # an exception with nothing but a list below; what a timeout cancels
    ("condax", "ResolvePackageNotFound:\n  - cudatoolkitx", "ResolvePackageNotFound: - cudatoolkitx"),
    ("python a.py", "Traceback (most recent call last):\n  File \"a.py\", line 1, in m\nasyncio.exceptions.CancelledError\n\nThe above exception was the direct cause of the following exception:\n\nTraceback (most recent call last):\n  File \"a.py\", line 2, in m\nTimeoutError", "TimeoutError"),
    ("sqlplusx", "ERROR at line 1:\nORA-00942: table or view does not exist", "at line <n>: ORA-00942: table or view does not exist"),
    ("hasurax up", 'FATA[0002] error applying migrations: database not found', "applying migrations: database not found"),
    ("mvn test", "[ERROR] shop.CartTest.addsItems -- Time elapsed: 0.01 s <<< FAILURE!", "CartTest.addsItems"),
    # what a runner writes before each line
    ("turbx run x", "web:build: > tsc\nweb:build: a\nweb:build: error: no such table: a\n", "no such table: a"),
    ("compx up", "api-1  | starting\napi-1  | Error: no such table: a\napi-1  | bye", "no such table: a"),
    # level and program without a colon, other languages
    ("misx run x", "misx ERROR no task deploy found\nmisx ERROR Run with --verbose for more", "no task deploy found"),
    ("werkz x", "Fehler: Tabelle fehlt", "Fehler: Tabelle fehlt"),
    # one answer of a server is not another; GNU and BSD mean the same
    ("curl -f https://example.org", "curl: (22) The requested URL returned error: 401", "HTTP 401"),
    ("sed -i 'foo' a", 'sed: 1: "foo": invalid command code f', "unknown command: f"),
    ("sed -i 'foo' a", "sed: -e expression #1, char 1: unknown command: `f'", "unknown command: f"),
]  # fmt: skip


def test_what_little_a_program_says_is_its_message() -> None:
    found = judge(bash("./deploy.sh", "Deployment aborted because reasons"))
    assert (found.failure_class, found.specific) == ("invalid_input", True)
    assert judge(bash("./deploy.sh; cat notes", "Deployment aborted because reasons")).specific is False


def test_a_refused_input_is_told_apart_by_what_was_wrong_with_it() -> None:
    refused = '<tool_use_error>InputValidationError: [\n  {\n    "code": "too_small",\n    "message": "%s"\n  }\n]</tool_use_error>'
    shapes = [judge(tool("AskUserQuestion", refused % said)).shape for said in ("Too few options", "Required")]
    assert shapes == ["invalid input: Too few options", "invalid input: Required"]


PROGRAMS: list[tuple[str, str, str]] = [
    # a sub-command that is called as another program, an operand in a folder of that name
    ("elm make src/Main.elm", "", "elm make"),
    ("wrapx make test", "", "make test"),
    ("cookiecutter ~/templates/service --no-input", "", "cookiecutter"),
    ("git am a.patch", "*** Please tell me who you are.\nfatal: unable to auto-detect email address", "git am"),
    ("hlint src", "src/A.hs:4:9-20: Warning: Use fmap", "hlint"),
    ("corepack use pnpm@9", "", "corepack use"),
    ("corepack pnpm install", "", "pnpm install"),
    ("timeout 9 frob x", "timeout: failed to run command 'frob': No such file or directory", "frob"),
    # whose message it is
    ("pg_dump shop", 'pg_dump: error: connection to server at "x", port 1 failed: Connection refused', "pg_dump"),
    ("nomad plan", 'a.hcl:1,3-9: Unsupported argument; An argument named "driverx" is not expected here.', "nomad plan"),
    ("ssh -i k ada@10.1.2.3 uptime", "ada@10.1.2.3: Permission denied (publickey).", "ssh"),
    ("git push", "ada@10.1.2.3: Permission denied (publickey).\nfatal: Could not read from remote repository.", "git push"),
    ("zig build-exe a.zig", "a.zig:1:2: error: use of undeclared identifier 'total'", "zig"),
    ("clang a.c", "a.c:1:2: error: use of undeclared identifier 'total'", "cc"),
]  # fmt: skip


@pytest.mark.parametrize(("command", "output", "program"), PROGRAMS)
def test_the_program_is_the_one_that_failed(command: str, output: str, program: str) -> None:
    assert judge(bash(command, output)).program == program


@pytest.mark.parametrize(("command", "output", "shape"), SHAPES)
def test_the_shape_keeps_the_cause(command: str, output: str, shape: str) -> None:
    assert judge(bash(command, output)).shape == shape


def test_a_download_is_no_question() -> None:
    assert judge(bash("curl -sf http://localhost:9/health", "", 22)).outcome == "benign"
    assert judge(bash("curl -sf -o /dev/null http://localhost:9/health", "", 22)).outcome == "benign"
    assert judge(bash("curl -sfO http://localhost:9/a.tgz", "", 22)).outcome == "failed"
