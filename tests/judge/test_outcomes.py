# ruff: noqa: E501  (a row of a table reads better on one line)
"""Outcomes: what became of a call, told apart rule by rule."""

from __future__ import annotations

from dataclasses import replace

import pytest

from agent_riggs.judge import judge
from agent_riggs.model import ToolCall, ToolResult
from judge.calls import bash, call, said, tool

OUTCOMES: list[tuple[ToolCall, str, str]] = [
    # nothing, or not yet
    (call("Bash", {"command": "ls"}, None), "pending", "no_result"),
    (call("Read", {}, ToolResult("text")), "ok", "success"),
    (call("Bash", {"command": "sleep 99 &"}, ToolResult("Command running in background with ID: b1")), "pending", "still_running"),
    (call("Bash", {"command": "npm start"}, ToolResult("", task_id="b1")), "pending", "still_running"),
    (call("exec_command", {"cmd": "top"}, ToolResult("Chunk ID: a\nWall time: 1 seconds\nProcess running with session ID 7\nOutput:\n"), "codex"), "pending", "still_running"),
    (call("Bash", {"command": "ls"}, ToolResult("a\nb", flag=None), "codex"), "unknown", "no_exit_code"),
    (tool("Bash", "Warmup"), "warmup", "warm_up"),
    # people and harnesses
    (tool("Edit", "The user doesn't want to proceed with this tool use. The tool use was rejected"), "rejected", "user_rejected"),
    (tool("Bash", "The user doesn't want to take this action right now."), "rejected", "user_rejected"),
    (tool("ExitPlanMode", "User chose to stay in plan mode and continue planning"), "rejected", "user_rejected"),
    (tool("Grep", "<tool_use_error>Sibling tool call errored</tool_use_error>"), "cancelled", "sibling_failed"),
    (tool("Read", "<tool_use_error>Cancelled: parallel tool call Bash(ls) errored</tool_use_error>"), "cancelled", "sibling_failed"),
    (tool("Bash", "[Request interrupted by user for tool use]"), "interrupted", "user_interrupted"),
    (tool("Bash", "Exit code 137\n[Request interrupted by user for tool use]"), "interrupted", "user_interrupted"),
    (tool("Bash", "Permission to use Bash with command rm -rf / has been denied."), "denied", "permission_denied"),
    (tool("Bash", "PreToolUse:Bash hook error: [guard.sh]: no force pushes here"), "denied", "hook_denied"),
    (tool("Read", "File is in a directory that is denied by your permission settings."), "denied", "path_denied"),
    (call("shell", {"command": ["bash", "-lc", "rm x"]}, ToolResult("exec command rejected by user"), "codex"), "rejected", "user_rejected"),
    (call("shell", {"command": ["rg", "x"]}, ToolResult("Wall time: 3.1 seconds\naborted by user after 3.1s"), "codex"), "interrupted", "user_interrupted"),
    (said("run_shell_command", "rejected", "[Operation Cancelled] Reason: User denied execution", "gemini"), "rejected", "user_rejected"),
    (said("read_file", "error", "Tool execution denied by policy.", "gemini"), "denied", "permission_denied"),
    (said("bash", "error", "Tool execution aborted", "opencode"), "interrupted", "user_interrupted"),
    (said("bash", "error", "The user rejected permission to use this specific tool call.", "opencode"), "rejected", "user_rejected"),
    # exit codes that answer
    (bash("grep -rn needle src", ""), "benign", "probe_answer"),
    (bash("cd app && rg needle | head -5", ""), "benign", "probe_answer"),
    (bash("diff a b", "1c1\n< x\n---\n> y"), "benign", "probe_answer"),
    (bash("which psql", ""), "benign", "probe_answer"),
    (bash("test -f x && echo there", ""), "benign", "probe_answer"),
    (bash("yes | head -1", "y", 141), "benign", "pipe_closed"),
    (bash("timeout 5 tail -f log", "line", 124), "benign", "timeout_asked_for"),
    (bash("pkill -f server", "", 144), "benign", "own_kill"),
    (call("Bash", {"command": "grep x y"}, ToolResult("", note="No matches found")), "benign", "agent_interpreted"),
    (bash("grep -r needle src", "grep: src: No such file or directory", 2), "failed", "exit_code"),
    (bash("grep '[' x", "grep: Invalid regular expression", 1), "failed", "exit_code"),
    # failures
    (bash("frob --now", "bash: line 1: frob: command not found", 127), "failed", "exit_code"),
    (tool("Bash", "Exit code 143\nCommand timed out after 2m 0s\nstarting"), "failed", "timed_out"),
    (call("shell_command", {"command": "npm ci"}, ToolResult("Exit code: 124\nWall time: 10 seconds\nOutput:\ncommand timed out after 10010 milliseconds\n"), "codex"), "failed", "timed_out"),
    (tool("Read", "File does not exist."), "failed", "error_flag"),
    (call("apply_patch", {"input": "*** Begin Patch"}, ToolResult("apply_patch verification failed: Failed to find expected lines in /w/a.py:\nx"), "codex"), "failed", "error_flag"),
    (call("bash", {"command": "false"}, ToolResult("", status="ok", exit_code=3), "opencode"), "failed", "exit_code"),
    (call("bash", {"command": "make x"}, ToolResult("boom\n<exited with exit code 2>", status="ok"), "copilot"), "failed", "exit_code"),
    (call("bash", {"command": "frob x"}, ToolResult("boom\n<shellId: 0 completed with exit code 3>\n\nTool \"bash\" succeeded. Additional guidance from postToolUse hooks:\nx", status="ok"), "copilot"), "failed", "exit_code"),
    (call("run_shell_command", {"command": "frob"}, ToolResult("Output: no\nExit Code: 3\nProcess Group PGID: 91", status="ok"), "gemini"), "failed", "exit_code"),
    # checks that worked, and checks that could not
    (bash("pytest -q", "FAILED tests/test_a.py::test_b - assert 1 == 2\n1 failed in 0.1s"), "check_failed", "check_reported"),
    (bash("npm run lint", "> app@1.0.0 lint\n> eslint .\n\n/w/a.js\n  1:5  error  'x' is never used  no-unused-vars\n\n✖ 1 problem (1 error, 0 warnings)"), "check_failed", "check_reported"),
    (bash("pnpm typecheck", "src/a.ts(3,1): error TS2304: Cannot find name 'foo'."), "check_failed", "check_reported"),
    (bash("cargo build", "error[E0308]: mismatched types\n --> src/main.rs:2:5", 101), "check_failed", "check_reported"),
    (bash("./gradlew test", "FooTest > bar() FAILED\n\nBUILD FAILED in 3s"), "check_failed", "check_reported"),
    (bash("tox", "ruidos extraños\nnada que ver\nmás ruido\ny más", 1), "check_failed", "check_reported"),
    (bash("npm run lint", 'npm error Missing script: "lint"'), "failed", "exit_code"),
    (bash("uv run pytest", "python: No module named pytest"), "failed", "exit_code"),
    (bash("pytest --frob", "ERROR: usage: pytest [options]\npytest: error: unrecognized arguments: --frob", 4), "failed", "exit_code"),
    (bash("make test", "make: *** No rule to make target 'test'.  Stop.", 2), "failed", "exit_code"),
    (bash("npx tsc --noEmit", "", 137), "failed", "exit_code"),
    (bash("bun test", "/usr/bin/bash: line 1: bun: command not found", 127), "failed", "exit_code"),
    # hidden
    (bash("pytest -q | tail -3", "FAILED tests/test_a.py::test_b - assert 1\n1 failed in 0.1s", 0), "masked", "hidden_failure"),
    (bash("grep x a.txt 2>/dev/null", "", 2), "failed", "exit_code"),
    (bash("git config user.signingkey", "", 1), "benign", "probe_answer"),
    (bash("git merge-base HEAD other", "", 1), "benign", "probe_answer"),
    (bash("head -5 a.txt 2>/dev/null", "", 1), "benign", "probe_answer"),
    (bash("git show main:a.txt 2>/dev/null", "", 128), "benign", "probe_answer"),
    (bash("git show main:a.txt", "fatal: path 'a.txt' does not exist in 'main'", 128), "failed", "exit_code"),
    (bash("npm test || true", "Tests:       1 failed, 3 passed", 0), "masked", "hidden_failure"),
    (bash("pytest -q | tail -3", "3 passed in 0.1s", 0), "ok", "success"),
    (bash("make install || true", "", 0), "ok", "unverified"),
    (bash("cd app; make install; echo done", "done", 0), "ok", "unverified"),
    (bash("make install &", "", 0), "ok", "unverified"),
    (bash("make install && echo done", "done", 0), "ok", "success"),
    (bash("echo start; make install", "", 0), "ok", "success"),
    (bash("echo done", "done", 0), "ok", "success"),
    (bash("cat build.log | tail -3", "FAILED tests/test_a.py::test_b\n1 failed in 0.1s", 0), "ok", "success"),
    (bash("git show HEAD:log.txt", "error TS2304: Cannot find name 'x'.\n2 failed", 0), "ok", "success"),
    (call("Bash", {"command": "npm test"}, ToolResult('Background command "npm test" failed with exit code 1', status="error", exit_code=1)), "masked", "background_failed"),
]  # fmt: skip


@pytest.mark.parametrize(("given", "outcome", "rule"), OUTCOMES)
def test_outcome_and_rule(given: ToolCall, outcome: str, rule: str) -> None:
    verdict = judge(given)
    assert (verdict.outcome, verdict.rule) == (outcome, rule)


def test_only_failures_have_a_category_and_every_failure_a_key() -> None:
    for given, outcome, _ in OUTCOMES:
        verdict = judge(given)
        failed = outcome in ("failed", "check_failed", "denied")
        assert (verdict.category is not None) == failed
        assert (verdict.fingerprint is not None) == (failed or outcome == "masked")


@pytest.mark.parametrize(
    ("given", "category"),
    [
        (bash("frob", "frob: broken", 3), "failure"),
        (bash("pytest", "FAILED a.py::test_b - assert 0"), "check_failed"),
        (tool("Bash", "Exit code 143\nCommand timed out after 2m"), "timeout"),
        (tool("Bash", "Permission to use Bash has been denied"), "denied"),
        (tool("Read", "File is in a directory that is denied by your permission settings."), "path_denial"),
        (tool("Task", "API Error: 529 overloaded_error"), "generation"),
    ],
)
def test_coarse_category(given: ToolCall, category: str) -> None:
    assert judge(given).category == category


def test_frames_of_other_agents_are_text() -> None:
    """Claude Code printing a Codex transcript, or a file that ends like Gemini's frame, did not fail."""
    for printed in ("Exit code: 1\nWall time: 1 seconds\nOutput:\nx", "Output: x\nExit Code: 1\nProcess Group PGID: 3"):
        assert judge(bash("cat log", printed, 0)).outcome == "ok"


def test_harness_refusing_the_arguments_is_no_shell_failure() -> None:
    text = "<tool_use_error>InputValidationError: Bash failed due to the following issue:\nAn unexpected parameter `foo` was provided</tool_use_error>"
    verdict = judge(tool("Bash", text, {"command": "ls"}))
    assert (verdict.outcome, verdict.failure_class, verdict.program) == ("failed", "invalid_input", None)
    assert verdict.shape == "unexpected parameter: foo"


def test_commit_stopped_by_a_hook_belongs_to_the_tool_behind_it() -> None:
    output = "[STARTED] Running tasks for staged files...\n[FAILED] markdownlint --fix [FAILED]\nhusky - pre-commit script failed (code 1)"
    verdict = judge(bash("git add a.md && git commit -m x", output))
    assert (verdict.outcome, verdict.failure_class, verdict.program) == ("failed", "lint_failed", "markdownlint")


def test_result_of_a_codex_call_without_flag_can_fail_by_its_words() -> None:
    given = call("apply_patch", {}, ToolResult("Success. Updated the following files:\nM a.py"), "codex")
    assert judge(given).outcome == "ok"
    assert judge(replace(given, result=ToolResult("unsupported call: frob"))).failure_class == "unknown_tool"


HIDDEN: list[tuple[str, str, str]] = [
    ("flake8 src | tail -5", "src/a.py:1:7: F821 undefined name 'totals'", "lint_failed"),
    ("go build ./... 2>&1 | head", "# example.org/m\n./main.go:3:20: missing return", "build_failed"),
    ("prettier --check src | tail", "Checking formatting...\n[warn] src/a.js\n[warn] Code style issues found in the above file. Run Prettier with --write to fix.", "lint_failed"),
    ("black --check . 2>&1 | tail -2", "would reformat src/app.py\n\nOh no!\n1 file would be reformatted.", "lint_failed"),
    ("pylint src | tail", "src/a.py:2:0: E1101: Module 'json' has no 'parse' member (no-member)\n\nYour code has been rated at 0.00/10", "lint_failed"),
    ("rubocop | tail", "app.rb:2:3: W: Lint/UselessAssignment: Useless assignment to variable - x.\n\n1 file inspected, 1 offense detected", "lint_failed"),
    ("valac -C app.vala | cat", "app.vala:1.16-1.21: error: The name `charge' does not exist in the context of `main'", "build_failed"),
]  # fmt: skip
CLEAN: list[tuple[str, str]] = [
    ('npx eslint src | tail -5','/w/a.js\n  3:5  warning  Unexpected console statement  no-console\n\n✖ 1 problem (0 errors, 1 warning)\n'),
    ('go test -v ./... | tail','=== RUN   TestA\n    a_test.go:12: starting\n2026/01/02 03:04:05 main.go:12: listening\n--- PASS: TestA (0.00s)\nPASS\nok  \tx\t0.1s'),
    ('cargo build 2>&1 | tail','warning: unused variable: `x`\n --> src/main.rs:3:5\n  |\n3 |   let x = 1;\n\nwarning: `a` (bin "a") generated 1 warning\n    Finished dev [unoptimized] target(s) in 0.3s'),
    ('gcc -Wall a.c -o a 2>&1 | head','a.c: In function "main":\na.c:3:5: warning: unused variable "x" [-Wunused-variable]\n    3 | int x;'),
    ('npm run build 2>&1 | tail -20','> vite build\n\ndist/assets/error-3f2a.js   1.2 kB │ gzip: 0.5 kB\ndist/assets/index.js:12 kB\n✓ built in 1.2s'),
    ('ruff check . | tail','All checks passed!'),
    ('rubocop | tail','Inspecting 12 files\n............\n\n12 files inspected, no offenses detected'),
    ('pylint src | tail','\n-----------------------------------\nYour code has been rated at 10.00/10'),
    ('mypy src | tail','Success: no issues found in 12 source files'),
    ('npx next build 2>&1 | tail','   Creating an optimized production build ...\n ✓ Compiled successfully\n   Generating static pages (3/3)\nError: could not fetch rates, using fallback\n    at x (/w/a.js:3:4)\nRoute (app)  Size\n┌ ○ /   1 kB'),
    ('npx tsc --noEmit | head -20; cat notes.txt | head','src/a.ts(3,1): error TS2322: Type'),
    ('flake8 src | head; cat report.txt','src/a.py:1:1: F401 x imported but unused'),
    ('npx prettier --check . | tail','Checking formatting...\nAll matched files use Prettier code style!'),
    ('cppcheck src 2>&1 | tail','Checking src/error.c ...\n1/2 files checked 50% done'),
    ('make 2>&1 | tail','gcc -c error.c -o error.o\ngcc -o a a.o error.o\nDone. 0 errors'),
    ('docker build . 2>&1 | tail','#5 [2/3] RUN npm ci\n#5 3.2 npm warn deprecated glob@7: Error handling changed\n#6 naming to docker.io/library/x done'),
    ('yamllint . | tail','a.yml\n  3:81      warning  line too long (90 > 80 characters)  (line-length)'),
    ('npx oxlint | tail',"  ! eslint(no-unused-vars): Variable 'x' is declared but never used.\n   ,-[a.js:1:7]\n\nFound 1 warning and 0 errors."),
    ('npx biome check . | tail','lint/style/useConst ━━━━\n\n  ! This let declares a variable\n\nChecked 3 files in 10ms. No fixes applied.\nFound 1 warning.'),
    ('javac A.java 2>&1 | tail','Note: A.java uses unchecked or unsafe operations.\nA.java:3: warning: [deprecation] x() in B has been deprecated\n1 warning'),
    ('swiftlint | tail','/w/A.swift:3:1: warning: Line Length Violation: Line should be 120 characters or less (line_length)\nDone linting! Found 1 violation, 0 serious in 1 file.'),
    ('dotnet build | tail','/w/P.cs(3,5): warning CS0168: The variable x is declared but never used [/w/a.csproj]\nBuild succeeded.\n    1 Warning(s)\n    0 Error(s)'),
    ('mvn -q compile | tail','[WARNING] /w/A.java:[3,5] unchecked'),
    ('sphinx-build . _b | tail','/w/a.rst:3: WARNING: Unknown target name: "x".\nbuild succeeded, 1 warning.'),
    ('npx webpack | tail','WARNING in ./a.js 3:5\nexport x was not found\nwebpack 5.1 compiled with 1 warning in 300 ms'),
]  # fmt: skip


@pytest.mark.parametrize(("command", "output", "failure_class"), HIDDEN)
def test_a_check_behind_a_pipe_is_a_suspect(command: str, output: str, failure_class: str) -> None:
    verdict = judge(bash(command, output, 0))
    assert (verdict.outcome, verdict.failure_class) == ("masked", failure_class)


@pytest.mark.parametrize(("command", "output"), CLEAN)
def test_warnings_logs_and_readers_are_no_suspects(command: str, output: str) -> None:
    assert judge(bash(command, output, 0)).outcome == "ok"
