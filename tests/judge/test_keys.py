# ruff: noqa: E501  (a row of a table reads better on one line)
"""Keys: one failure has one key whatever surrounds it, two causes have two."""

from __future__ import annotations

import pytest

from agent_riggs.judge import judge
from agent_riggs.judge.classes import CATEGORIES, CLASSES
from agent_riggs.judge.fingerprint import fingerprint
from agent_riggs.model import ToolCall, ToolResult
from judge.calls import bash, call, tool

SAME: list[tuple[ToolCall, ...]] = [
    # every shell says it in its own way
    (
        bash("frob", "bash: line 1: frob: command not found", 127),
        bash("frob", "zsh:1: command not found: frob", 127),
        bash("frob", "(eval):1: command not found: frob", 127),
        bash("frob", "sh: 1: frob: not found", 127),
        bash("frob", "fish: Unknown command: frob", 127),
        bash("frob", "bash: Zeile 1: frob: Kommando nicht gefunden.", 127),
        bash("frob", "bash: línea 3: frob: orden no encontrada", 127),
        bash("frob x", "", 127),
        bash("frob", "'frob' is not recognized as an internal or external command,\noperable program or batch file.", 1),
        bash("frob", "frob : The term 'frob' is not recognized as the name of a cmdlet\n    + CategoryInfo          : ObjectNotFound: (frob:String) [], CommandNotFoundException\n    + FullyQualifiedErrorId : CommandNotFoundException", 1),
        bash("cd /w && sudo frob -v", "sudo: frob: command not found", 127),
    ),
    # GNU and BSD
    (
        bash("cat a.txt", "cat: a.txt: No such file or directory"),
        bash("cat '/w/b c.txt' | head", "cat: '/w/b c.txt': No such file or directory"),
    ),
    # wrappers, runners, places
    (
        bash("git push origin main", "To github.com:a/b.git\n ! [rejected]        main -> main (fetch first)\nerror: failed to push some refs to 'github.com:a/b.git'"),
        bash("cd /home/ada/b && git push", "To https://example.org/x/y\n ! [rejected]        dev -> dev (fetch first)\nerror: failed to push some refs to 'https://example.org/x/y'"),
    ),
    (
        bash("npx tsc --noEmit", "src/a.ts(3,1): error TS2322: Type 'string' is not assignable to type 'number'.", 2),
        bash("pnpm -C web typecheck", "> web@1.0.0 typecheck /w/web\n> tsc --noEmit\n\nlib/deep/b.ts(99,7): error TS2322: Type 'string' is not assignable to type 'number'.", 2),
        bash("bun run typecheck 2>&1", "$ tsc --noEmit\nx.ts:1:2 - error TS2322: Type 'string' is not assignable to type 'number'.", 1),
    ),
    (
        bash("go build ./...", "# example.org/m\n./main.go:2:15: undefined: total", 1),
        bash("go vet ./...", "# example.org/n\nvet: ./x/other.go:19:15: undefined: total", 1),
        bash("go test ./...", "# example.org/n\n./x/other.go:7:1: undefined: total\nFAIL\texample.org/n [build failed]", 2),
    ),
    (
        bash("curl -s http://localhost:3001/health", "", 7),
        bash("curl http://10.0.0.7:80", "curl: (7) Failed to connect to 10.0.0.7 port 80 after 0 ms: Connection refused", 7),
    ),
    (
        bash("git checkout main", "fatal: Unable to create '/home/ada/r/.git/index.lock': File exists.\n\nAnother git process seems to be running", 128),
        bash("git add -A && git commit -m x", "fatal: Unable to create 'C:/r/.git/index.lock': File exists.", 128),
    ),
    # one tool, several agents
    (
        tool("Edit", "<tool_use_error>String to replace not found in file.\nString: abc</tool_use_error>"),
        tool("Edit", "String to replace not found in file.\nString: something else"),
        call("replace", {}, ToolResult("Could not find an exact match for 'old_string' in '/w/a.txt'.", flag=True), "gemini"),
    ),
    (
        tool("mcp__srv__run", "MCP error -32000: Connection closed"),
        tool("mcp__plugin_srv_srv__run", "MCP error -32000: Connection closed"),
    ),
    (
        bash("Get-Content a.txt", "Get-Content : Cannot find path 'C:\\u\\a.txt' because it does not exist.\n    + CategoryInfo          : ObjectNotFound: (C:\\u\\a.txt:String) [Get-Content], ItemNotFoundException\n    + FullyQualifiedErrorId : PathNotFound,Microsoft.PowerShell.Commands.GetContentCommand"),
        bash("cat b.txt", "cat : Der Pfad \"D:\\b.txt\" kann nicht gefunden werden.\n    + CategoryInfo          : ObjectNotFound: (D:\\b.txt:String) [Get-Content], ItemNotFoundException\n    + FullyQualifiedErrorId : PathNotFound,Microsoft.PowerShell.Commands.GetContentCommand"),
    ),
    # a launcher that does not know the command, whatever follows
    (
        bash("wrapx bun run test", "error: unrecognized subcommand 'bun'", 2),
        bash("wrapx bun run lint 2>&1 | tail -5", "error: unrecognized subcommand 'bun'\n\nFor more information, try '--help'.", 2),
    ),
    (
        bash("rg -n x missing", "rg: missing: No such file or directory (os error 2)", 2),
        bash("rg -n y /w/gone", "rg: /w/gone: No such file or directory (os error 2)", 2),
    ),
]  # fmt: skip

DIFFERENT: list[tuple[ToolCall, ToolCall]] = [
    (bash("frob", "bash: frob: command not found", 127), bash("grob", "bash: grob: command not found", 127)),
    (bash("python x.py", "ModuleNotFoundError: No module named 'a'"), bash("python x.py", "ModuleNotFoundError: No module named 'b'")),
    (bash("cargo build", "error[E0308]: mismatched types\n --> a.rs:1:1", 101), bash("cargo build", "error[E0277]: the trait bound is not satisfied\n --> a.rs:1:1", 101)),
    (bash("ls --frob", "ls: unrecognized option '--frob'", 2), bash("ls --grob", "ls: unrecognized option '--grob'", 2)),
    (bash("npm run a", 'npm error Missing script: "a"'), bash("npm run b", 'npm error Missing script: "b"')),
    (bash("git push", "! [rejected] main -> main (fetch first)"), bash("git push", "! [remote rejected] main -> main (protected branch hook declined)\nremote: error: GH006: Protected branch update failed")),
    (tool("Edit", "String to replace not found in file."), tool("Edit", "File has not been read yet. Read it first before writing to it.")),
    (tool("Edit", "Found 2 matches of the string to replace, but replace_all is false."), tool("Edit", "File has been modified since read, either by the user or by a linter.")),
    (tool("Read", "File content (52813 tokens) exceeds maximum allowed tokens (25000)."), tool("Read", "File content (533KB) exceeds maximum allowed size (256KB).")),
    (tool("WebFetch", "Request failed with status code 403"), tool("WebFetch", "Request failed with status code 404")),
    (tool("Skill", "Unknown skill: a"), tool("Skill", "Unknown skill: b")),
    (bash("psql -c x", 'ERROR:  relation "a" does not exist'), bash("psql -c x", 'ERROR:  relation "b" does not exist')),
    (bash("kubectl get x", 'error: the server doesn\'t have a resource type "x"'), bash("kubectl get y", 'error: the server doesn\'t have a resource type "y"')),
    (bash("aws s3 ls", "An error occurred (AccessDenied) when calling the ListBuckets operation: Access Denied", 254), bash("aws s3 ls", "An error occurred (ExpiredToken) when calling the ListBuckets operation: expired", 254)),
    (bash("docker run x", "docker: Error response from daemon: pull access denied for x"), bash("docker run x", "Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?")),
    (bash("./a.sh", "", 137), bash("./a.sh", "", 139)),
    (bash("terraform plan", "│ Error: Unsupported argument"), bash("terraform plan", "│ Error: Missing required argument")),
    (bash("sqlite3 a.db x", "Error: in prepare, no such table: a"), bash("sqlite3 a.db x", "Error: in prepare, no such table: b")),
    (bash("brew install a", 'Error: No available formula with the name "a".'), bash("brew install b", 'Error: No available formula with the name "b".')),
    (bash("pytest", "FAILED t.py::test_a - AssertionError"), bash("pytest", "FAILED t.py::test_b - AssertionError")),
]  # fmt: skip


def test_each_way_an_edit_is_refused_has_its_own_key() -> None:
    refused = (
        "<tool_use_error>String to replace not found in file.\nString: x</tool_use_error>",
        "<tool_use_error>File has not been read yet. Read it first before writing to it.</tool_use_error>",
        "<tool_use_error>Found 3 matches of the string to replace, but replace_all is false.</tool_use_error>",
        "<tool_use_error>File has been modified since read, either by the user or by a linter.</tool_use_error>",
    )
    verdicts = [judge(tool("Edit", text)) for text in refused]
    classes = [verdict.failure_class for verdict in verdicts]
    assert classes == ["text_not_found", "not_read_first", "many_matches", "changed_since_read"]
    assert len({verdict.fingerprint for verdict in verdicts}) == 4


def test_the_exact_code_and_the_harness_lines_are_no_part_of_the_key() -> None:
    """Windows makes every code a one."""
    plain = judge(bash("frob x", "frob: cannot open the valve", 1))
    assert plain.fingerprint == judge(bash("frob x", "frob: cannot open the valve", 3)).fingerprint
    around = "Shell cwd was reset to /w\nfrob: cannot open the valve\nShell cwd was reset to /w/app"
    wrapped = judge(tool("Bash", f"Exit code 2\n{around}", {"command": "frob x"}))
    assert (wrapped.fingerprint, wrapped.shape) == (plain.fingerprint, plain.shape)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (
            "error[E0308]: mismatched types\n --> src/a.rs:2:5",
            "error[E0308]: mismatched types\n --> b/c.rs:92:15",
            True,
        ),
        (
            "error[E0308]: mismatched types\n --> src/a.rs:2:5",
            "error[E0277]: mismatched types\n --> src/a.rs:2:5",
            False,
        ),
    ],
)
def test_places_are_masked_and_codes_are_kept(one: str, other: str, same: bool) -> None:
    first, second = (judge(bash("cargo build", text, 101)).fingerprint for text in (one, other))
    assert (first == second) is same


@pytest.mark.parametrize("calls", SAME)
def test_one_failure_one_key(calls: tuple[ToolCall, ...]) -> None:
    found = [judge(given) for given in calls]
    assert {(v.failure_class, v.program, v.shape) for v in found} == {
        (found[0].failure_class, found[0].program, found[0].shape)
    }
    assert len({v.fingerprint for v in found}) == 1
    assert all(v.specific for v in found)


@pytest.mark.parametrize(("first", "second"), DIFFERENT)
def test_two_causes_two_keys(first: ToolCall, second: ToolCall) -> None:
    assert judge(first).fingerprint != judge(second).fingerprint


def test_vocabularies_are_closed() -> None:
    for given in (*(c for calls in SAME for c in calls), *(c for pair in DIFFERENT for c in pair)):
        verdict = judge(given)
        assert verdict.failure_class in CLASSES
        assert verdict.category in CATEGORIES
    assert not any("-" in name for name in (*CLASSES, *CATEGORIES))


def test_key_is_text_over_all_four_parts() -> None:
    keys = {
        fingerprint(*parts)
        for parts in (("a", "b", "c", "d"), ("a", "b", "cd", ""), ("a", "b", "", "cd"), ("ab", "", "c", "d"))
    }
    assert len(keys) == 4
    assert all(len(key) == 17 and key[0] == "f" for key in keys)


def test_order_of_diagnostics_does_not_matter() -> None:
    lines = [
        f"src/m{n}.ts({n},1): error TS{code}: Something is {code}." for n, code in enumerate((2345, 2322, 7006, 2304))
    ]
    first = judge(bash("tsc", "\n".join(lines), 2))
    second = judge(bash("tsc", "\n".join(reversed(lines)), 2))
    assert first.fingerprint == second.fingerprint
    assert first.secondary == second.secondary
    assert len(first.secondary) == 3


def test_secondary_keys_are_few_sorted_and_not_the_primary() -> None:
    lines = "\n".join(f"a.ts(1,1): error TS{2000 + n}: Word{n} is wrong." for n in range(40))
    verdict = judge(bash("tsc", lines, 2))
    assert len(verdict.secondary) == 8
    assert list(verdict.secondary) == sorted(verdict.secondary)
    assert verdict.fingerprint not in verdict.secondary


def test_excerpt_is_short_and_redacted() -> None:
    secret = "ghp_" + "a1B2" * 9
    verdict = judge(bash("frob", f"start\nError: bad token {secret} for the request\n" + "x" * 2000, 1))
    assert secret not in verdict.excerpt
    assert secret not in str(verdict)
    assert 0 < len(verdict.excerpt) <= 400


UNKNOWN_TOOLS: list[tuple[ToolCall, str, str]] = [
    (bash("node c.js run", "error: required option '-e, --env <name>' not specified"), "bad_option", "missing option: --env"),
    (bash("node c.js", "Commands:\n  up  start\n\nNot enough non-option arguments: got 0, need at least 1"), "bad_option", "missing arguments"),
    (bash("node c.js run", "  ERROR\n    Insufficient arguments!\n\n  Run `$ c run --help` for more info."), "bad_option", "missing arguments"),
    (bash("php bin/console a:b", '\n  Not enough arguments (missing: "name").  \n'), "bad_option", "missing arguments: name"),
    (bash("./load.py", "Usage:\n  load.py FILE [--n=<n>]\n  load.py list"), "bad_option", "usage"),
    (bash("./s.py", "Traceback (most recent call last):\n  File \"s.py\", line 1, in <module>\nshop.core.LedgerMismatch: sum differs"), "invalid_input", "LedgerMismatch: sum differs"),
    (bash("node z.js", 'ZodError: [\n  {\n    "code": "invalid_type",\n    "path": [\n      "port"\n    ],\n    "message": "Required"\n  }\n]\n    at x (/w/z.js:1:1)'), "invalid_input", "ZodError: port: Required"),
    (bash("php artisan x", "\n   App\\Errors\\StoreException \n\n  The store is closed.\n\n  at app/Store.php:9"), "invalid_input", "StoreException: The store is closed."),
    (bash("./api", 'time="2026-01-02T03:04:05Z" level=fatal msg="worker pool exhausted" caller=main.go:33'), "invalid_input", "worker pool exhausted"),
    (bash("make release", "make: Entering directory '/w/b'\nchangelog is empty\nmake: *** [Makefile:44: release] Error 1", 2), "invalid_input", "changelog is empty"),
    (bash("go run .", "2026/01/02 03:04:05 rates are stale\nexit status 1"), "invalid_input", "rates are stale"),
    (bash("cat -A", "cat: illegal option -- A\nusage: cat [-b] [file ...]"), "bad_option", "unknown option: -A"),
    (bash("./release.sh", "release.sh: working tree is dirty, commit first"), "invalid_input", "working tree is dirty, commit first"),
    (bash("kubectl get pods", 'Error from server (Forbidden): pods is forbidden: User "ada" cannot list resource "pods"'), "permission", "Forbidden: pods"),
    (bash("kubectl apply -f a.yaml", 'The Deployment "web" is invalid: spec.replicas: Required value'), "invalid_input", "Deployment is invalid: spec.replicas: Required value"),
]  # fmt: skip


@pytest.mark.parametrize(("given", "failure_class", "shape"), UNKNOWN_TOOLS)
def test_tools_no_table_knows(given: ToolCall, failure_class: str, shape: str) -> None:
    verdict = judge(given)
    assert (verdict.outcome, verdict.failure_class, verdict.shape) == ("failed", failure_class, shape)
    assert verdict.specific


def test_locale_does_not_matter() -> None:
    english = judge(bash("cat a.txt", "cat: a.txt: No such file or directory"))
    for said in ("Datei oder Verzeichnis nicht gefunden", "Aucun fichier ou dossier de ce type", "没有那个文件或目录"):
        assert judge(bash("cat /w/b.txt", f"cat: /w/b.txt: {said}")).fingerprint == english.fingerprint


def test_frames_of_source_and_rows_of_tables_are_no_shape() -> None:
    output = (
        "$ biome check\n\n  178 166 │   \tname: 'Conflict is missing',\n  267     │ + → → x*>*0*?*undefined\n"
        '│ ── │ Invalid range │\nerror: script "lint" exited with code 1'
    )
    assert judge(bash("bun run lint", output)).shape == "problems found"


def test_a_quoted_id_is_no_cause() -> None:
    first, second = (
        judge(tool("NotebookEdit", f'Cell with ID "{name}" not found in notebook.')) for name in ("a1", "zz")
    )
    assert first.fingerprint == second.fingerprint


def test_checks_that_go_on_have_not_failed() -> None:
    assert judge(bash("gh pr checks 12", "build\tpending\t0\thttps://example.org/x\t", 8)).outcome == "benign"


MORE_TOOLS: list[tuple[ToolCall, str, str]] = [
    (bash("node a.mjs", 'The promise rejected with the reason "ledger closed".] {'), "invalid_input", "unhandled rejection: ledger closed"),
    (bash("semantic-release", "[3:04:05 AM] [semantic-release] > ✘  ENOGHTOKEN No GitHub token specified."), "invalid_input", "ENOGHTOKEN No GitHub token specified."),
    (bash("frob x", "'frob' não é reconhecido como um comando interno\nou externo."), "command_not_found", "command not found: frob"),
    (bash("flyway --debug migrate", "ERROR: unable to connect to the ledger"), "network", "unable to connect to the ledger"),
    (bash("yt-dlp x", "ERROR: [generic] abc: Unable to download webpage: HTTP Error 404: Not Found"), "http_error", "HTTP 404"),
    (bash("conda install acme", "PackagesNotFoundError: The following packages are not available:\n\n  - acme"), "module_missing", "PackagesNotFoundError: The following packages are not available: acme not found"),
    (bash("node main.js", "[Nest] 123  - 01/02/2026, 3:04:05 AM   ERROR [ExceptionHandler] rates cannot be read"), "invalid_input", "rates cannot be read"),
    (tool("Read", "PDF has 45 pages, which is too many to read at once."), "too_large", "PDF has <n> pages, which is too many to read at once."),
]  # fmt: skip


@pytest.mark.parametrize(("given", "failure_class", "shape"), MORE_TOOLS)
def test_more_tools_no_table_knows(given: ToolCall, failure_class: str, shape: str) -> None:
    verdict = judge(given)
    assert (verdict.failure_class, verdict.shape, verdict.specific) == (failure_class, shape, True)
