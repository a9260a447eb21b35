# ruff: noqa: E501, RUF001  (a row of a table reads better on one line; messages are quoted as they are printed)
# fmt: off
"""What test runners, linters, type checkers and hook runners report about the work they checked."""

from __future__ import annotations

from typing import Final

from agent_riggs.judge.diagnosis import CAUSE, DETAIL, MESSAGE, SUMMARY, WRAPPER, Row, row


def _test(needle: str, pattern: str, shape: str, owner: str = "", rank: int = DETAIL) -> Row:
    return row(rank, "r", "test_failed", needle, pattern, shape, owner)


def _lint(needle: str, pattern: str, shape: str, owner: str = "", rank: int = DETAIL) -> Row:
    return row(rank, "r", "lint_failed", needle, pattern, shape, owner)


TESTS: Final[tuple[Row, ...]] = (
    # runner could not run
    row(CAUSE, "o", "bad_path", "file or directory not found", r"file or directory not found: ", "file or directory not found", "pytest"),
    row(CAUSE, "o", "bad_path", "not found: ", r"ERROR: not found: \S+::(?P<s>\w+)", "no such test: {s}", "pytest"),
    row(CAUSE, "o", "missing_file", "Cannot read file", r"error: Cannot read file", "cannot read file", "mypy"),
    row(SUMMARY, "o", "bad_path", "no match in any of", r"no match in any of", "no such test", "pytest"),
    row(CAUSE, "o", "bad_path", "No tests found", r"^No tests found", "no tests found", ""),
    row(CAUSE, "o", "bad_path", "No test files found", r"No test files found", "no tests found", ""),
    row(SUMMARY, "o", "bad_path", "no tests ran", r"no tests ran", "no tests ran", "pytest"),
    row(DETAIL, "r", "test_failed", "` configuration option", r"'(?P<s>\w+)' not found in `markers`", "unknown marker: {s}", "pytest"),
    row(CAUSE, "o", "environment", "Executable doesn't exist", r"Executable doesn't exist at|npx playwright install|playwright install", "the browser is not installed", "playwright"),
    row(CAUSE, "o", "invalid_input", "INTERNALERROR>", r"^INTERNALERROR> (?P<t>\w+(?:Error|Exception).*)", "internal error: {t}", "pytest"),
    row(CAUSE, "r", "test_failed", "fixture '", r"fixture '(?P<s>\w+)' not found", "fixture not found: {s}", "pytest"),
    # pytest, unittest
    _test("FAILED ", r"^FAILED \S+?::(?:[\w.]+\.)?(?P<s>\w+)(?:\[[^\]]*\])?(?: - (?:(?:[\w.]*\.)?(?P<c>[A-Z]\w*(?:Error|Exception|Failed|Warning|Exit|Interrupt|Timeout))\b|(?P<ta>assert)\b)?.*)?$", "{s}: {c}{ta}", "pytest"),
    _test("ERROR ", r"^ERROR \S+\.py::(?P<s>\w+)(?: - (?:[\w.]*\.)?(?P<c>[A-Z]\w*)?.*)?$", "error in {s}: {c}", "pytest", MESSAGE),
    _test("ERROR ", r"^ERROR \S+\.py(?: - (?:[\w.]*\.)?(?P<c>[A-Z]\w*)?.*)?$", "error in collection: {c}", "pytest", MESSAGE),
    _test("FAIL: ", r"^FAIL: (?P<s>\w+) \(", "{s}", "python -m unittest"),
    _test("ERROR: ", r"^ERROR: (?P<s>\w+) \((?:[\w.]+)\)", "error in {s}", "python -m unittest"),
    _test("FAILED (", r"^FAILED \((?:failures|errors)=\d+", "tests failed", "python -m unittest", SUMMARY),
    _test("failed", r"^=+ .*\b\d+ (?:failed|errors?)\b.* in [\d.]+s", "tests failed", "pytest", SUMMARY),
    _test("assert ", r"^(?:E\s{2,})?assert (?P<t>.+)$", "assertion failed", "pytest", MESSAGE),
    # JavaScript
    _test("● ", r"^\s*● (?:.* › )?Test suite failed to run", "a test suite failed to run", "jest", SUMMARY),
    _test("● ", r"^\s*● (?!Console|Validation|Deprecation|Cannot log|process)(?P<t>\S.+)", "{t}", "jest"),
    row(DETAIL, "r", "build_failed", " x ", r"^\s+[x×] (?P<t>(?:Unexpected|Expected|Unterminated|Expression|the name) .+)", "{t}", ""),
    row(DETAIL, "r", "other", "[ERROR] ", r"^✘ \[ERROR\] (?!Could not resolve|Invalid build flag)(?P<t>.+)", "{t}", ""),
    row(DETAIL, "r", "module_missing", ".proto", r"Import \"(?:\S*/)?(?P<sm>[\w-]+)\.proto\" was not found", "import not found: {sm}", "protoc"),
    _test("✘ [fail]", r"^\s*✘ \[fail\]: (?P<t>.+)", "{t}", "ava"),
    _test("FAIL ", r"^\s*(?:❯ )?FAIL\s+(?:\|?[\w-]+\|? )?\S+\.\w+ > (?P<t>.+)", "{t}", "vitest"),
    _test("(fail) ", r"^\(fail\) (?P<t>.+?)(?: \[[\d.]+m?s\])?$", "{t}", "bun test"),
    row(DETAIL, "", "test_failed", "✗ ", r"^✗ (?!Build failed)(?P<t>.+?)(?: \[[\d.]+m?s\])?$", "{t}", ""),
    _test("not ok ", r"^\s*not ok \d+(?: -)?+ (?!\S+\.\w+(?: #|$))(?P<t>.+?)(?: # .*)?$", "{t}", ""),
    _test("FAIL", r"^\s*\[FAIL(?:ED)?(?:[.:] [^\]]*)?\] (?P<s>[A-Za-z_]\w*)\(", "{s}", ""),
    _test("FAIL", r"^\s*FAIL(?:ED)?\s+\[\s*[\d.]+m?s\] (?:[\w-]+ )?(?P<s>[\w:]+)$", "{s}", ""),
    _test("FAIL in ", r"^\s*(?:FAIL|ERROR) in \(?(?P<s>[\w./!?*+<>=-]+)\)? \(", "{s}", ""),
    _test("FAILED ", r"^\s+FAILED\s+[\w\\.]+ > (?P<t>.+?)(?:\s+[\d.]+m?s)?$", "{t}", ""),
    _test("--- FAILED", r"^(?P<s>[\w:.]+) --- FAILED", "{s}", ""),
    _test("s", r"^\s*(?:[✖⨯]|\[-\]|\[\s*FAILED\s*\]) (?P<t>\S.*?) \(?\d[\d.]*\s?m?s\b.*$", "{t}", ""),
    _test("<<< ", r"^\[ERROR\] +(?:[\w.]+\.)?(?P<s>\w+\.\w+)(?:\(\))? +(?:-- )?Time elapsed: .*<<< (?:FAILURE|ERROR)!", "{s}", ""),
    _test(": FAILED:", r"^\S+:\d+: FAILED:\s*(?P<t>.*)", "{t}", ""),
    _test("⨯ ", r"^\s*⨯ (?P<t>\S.+?)(?:\s+[\d.]+m?s)?$", "{t}", ""),
    _test("› ", r"^\s+\d+\) (?:\[[^\]]+\] ?)?(?:› )?\S+ › (?P<t>.+?)(?: ─+)?$", "{t}", "playwright"),
    _test("expect(", r"(?:^|\s)(?:Error|error): expect\((?P<t>\w+)\)\.(?:not\.)?(?P<s>\w+)\(", "expect {t} {s}", "", MESSAGE),
    _test("FAIL ", r"^\s*FAIL\s+\S+\.\w+", "tests failed", "", SUMMARY),
    _test("Tests:", r"^\s*Tests:\s+.*\b\d+ failed.*\btotal", "tests failed", "jest", SUMMARY),
    _test("Tests:", r"^\s*Tests?:\s+.*\b\d+ failed", "tests failed", "", SUMMARY),
    _test("Tests ", r"^\s*(?:Test Files|Tests)\s+\d+ failed", "tests failed", "vitest", SUMMARY),
    _test("Test Suites:", r"Test Suites: \d+ failed", "tests failed", "?jest", SUMMARY),
    _test(" fail", r"^\s*(?:# |ℹ )?fail [1-9]\d*\s*$|^\s*[1-9]\d* fail(?:ing|ed|ures?)?\s*$", "tests failed", "", SUMMARY),
    # other languages
    _test("--- FAIL: ", r"^\s+--- FAIL: (?P<s>\w+(?:/[^\s(]+)+)", "{s}", "go test"),
    _test("--- FAIL: ", r"--- FAIL: (?P<s>\w+)", "{s}", "go test", MESSAGE),
    _test("FAIL\t", r"^FAIL\t\S+", "tests failed", "go test", SUMMARY),
    _test("Failed:", r"^Failed!\s+- Failed:\s+[1-9]", "tests failed", "dotnet test", SUMMARY),
    _test("...", r"^\d+/\d+ (?:\S+\.test\.)?(?P<t>.+?)\.\.\.(?!\s*(?:OK|SKIP))", "{t}", "zig test"),
    _test(" [E]", r"^\d\d:\d\d \+\d+(?: ~\d+)?(?: -\d+)?: (?:\S+\.dart: )?(?P<t>.+) \[E\]$", "{t}", ""),
    _test(") test ", r"^\s+\d+\) (?:test|property|doctest) (?P<t>.+) \([A-Z][\w.]+\)$", "{t}", "mix test"),
    _test("#test_", r"(?:^|\) (?:Failure|Error): )(?P<s>[A-Z]\w*(?:::\w+)*#test_\w+)", "{s}", ""),
    _test(" ... FAILED (", r"^(?P<t>.+?) \.\.\. FAILED \(\d", "{t}", "deno test"),
    _test(" ... FAILED", r"^test (?P<s>[\w:]+)(?: - should panic)? \.\.\. FAILED", "{s}", "cargo test"),
    _test("test result: FAILED", r"test result: FAILED", "tests failed", "cargo test", SUMMARY),
    _test("rspec ", r"^rspec \S+ # (?P<t>.+)", "{t}", "rspec"),
    _test(" failure", r"^\d+ (?:examples?|runs|tests?), .*\b[1-9]\d* failures?", "tests failed", "", SUMMARY),
    _test("Failed test '", r"^\s*#\s+Failed test '(?P<t>[^']+)'", "{t}", "prove"),
    _test("FAILURES!", r"^FAILURES!", "tests failed", "phpunit", SUMMARY),
    _test("::", r"^\d+\) [\w\\]+::(?P<s>\w+)", "{s}", "phpunit"),
    _test("() FAILED", r"^\S*(?:\w+) > (?P<s>\w+)\(\) FAILED", "{s}", "gradle test"),
    _test("Failed ", r"^\s*Failed (?P<s>[\w.]+)(?:\(.*\))? \[", "{s}", "dotnet test"),
    _test("Tests run:", r"Tests run: \d+, Failures: (?:[1-9]\d*|0, Errors: [1-9])", "tests failed", "mvn", SUMMARY),
    _test("There were failing tests", r"There were failing tests", "tests failed", "gradle test", SUMMARY),
    _test("tests failed out of", r"tests failed out of|tests passed, [1-9]\d* tests? failed", "tests failed", "ctest", SUMMARY),
    _test("Failed tests", r"(?i)^\s*failed tests?:", "tests failed", "", SUMMARY),
    _test(" failed", r"^\s*(?:[×✗✘]\s*)?[1-9]\d* (?:tests? )?failed\b", "tests failed", "", SUMMARY),
)

ANY: Final[tuple[Row, ...]] = (
    row(MESSAGE, "r", "other", ":", r"^(?:\./)?[\w./@+-]+\.\w{1,8}(?::\d+(?::\d+)?:?|\(\d+(?:, ?\d+)?\):?)\s+(?:[Ee]rror:? |[Ww]arning:? )?(?!(?:[Ee]rror:? )?\[[\w-]+\](?: \[.*\])?$)(?!.*\bThere (?:was|were) \d+ error)(?P<t>[^\d\s|]\S*\s.*[A-Za-z].*)$", "{t}", ""),
)
"""The common form of a finding, for checks no other row knows."""

LINTS: Final[tuple[Row, ...]] = (
    row(CAUSE, "o", "missing_file", "couldn't find", r"ESLint couldn't find (?:an? |the )(?P<t>.+?)(?:\.|$)", "no configuration: {t}", "eslint"),
    row(CAUSE, "o", "missing_file", "is not a file", r"(?:config|yaml|toml|json|cfg|ini)\S* is not a file", "the configuration is not a file", ""),
    row(CAUSE, "o", "bad_path", "No files matching", r"No files matching", "no files match the pattern", ""),
    row(DETAIL, "r", "type_failed", " error: ", r"\.pyi?:\d+(?::\d+)?: error: (?P<t>.+?)\s+\[(?P<c>[a-z-]+)\]$", "{c}: {t}", "mypy"),
    row(DETAIL, "r", "type_failed", " error: ", r"\.pyi?:\d+(?::\d+)? - error: (?P<t>.+?)(?: \((?P<c>report\w+)\))?$", "{c}: {t}", "pyright"),
    row(DETAIL, "r", "other", "error[", r"^error\[(?P<c>[a-z][a-z-]+)\]:? (?P<t>.+)", "{c}: {t}", ""),
    row(SUMMARY, "r", "type_failed", "Found ", r"^Found \d+ errors? in \d+ (?:source )?files?", "type errors", ""),
    _lint(".py:", r"\.pyi?:\d+:\d+: (?P<c>[A-Z]{1,4}\d{3,4}):? (?:\[\*\] )?(?P<t>.+)", "{c}: {t}", ""),
    _lint("", r"^(?P<c>[A-Z]{1,4}\d{3,4}) (?:\[\*\] )?(?P<t>[`A-Z].+)", "{c}: {t}", ""),
    _lint("Issue: [", r"Issue: \[(?P<c>B\d{3}):(?P<s>\w+)\] (?P<t>.+)", "{c}: {t}", "bandit"),
    _lint("error", r"^\s+\d+:\d+\s+✖\s+.*?\s{2,}(?P<c>[@\w/-]+)\s*$", "{c}", "stylelint"),
    _lint("✖", r"^\s+\d+:\d+\s+✖\s+.*?\s{2,}(?P<c>[@\w/-]+)\s*$", "{c}", "stylelint"),
    _lint("error", r"^\s+\d+:\d+\s+error\s+.*?\s{2,}(?P<c>[@\w/-]+)\s*$", "{c}", "?eslint"),
    _lint("error", r"^\s+\d+:\d+\s+error\s+(?P<t>.+)", "{t}", "?eslint"),
    _lint("problem", r"✖ \d+ problems?", "problems found", "", SUMMARY),
    _lint("lint/", r"(?<![\w/])lint/(?:a11y|complexity|correctness|nursery|performance|security|style|suspicious)/(?P<s>\w+)", "{s}", "biome"),
    _lint("Formatter would have printed", r"Formatter would have printed", "format", "biome"),
    _lint("assist/", r"\bassist/\w+/(?P<s>\w+)", "{s}", "biome"),
    _lint("Some errors were emitted while", r"Some errors were emitted while", "problems found", "biome", SUMMARY),
    _lint("Found ", r"^Found \d+ (?:errors?|warnings?)\.?", "problems found", "", SUMMARY),
    _lint("MD0", r"(?P<c>MD\d{3})(?:/(?P<t>[a-z-]+)[\w/-]*)? ", "{c} {t}", "markdownlint"),
    _lint("SC", r"\b(?P<c>SC\d{4})\b", "{c}", "shellcheck"),
    _lint("DL3", r"\b(?P<c>DL\d{4})\b", "{c}", "hadolint"),
    _lint("clippy::", r"clippy::(?P<s>\w+)", "{s}", "cargo clippy"),
    _lint(": C: ", r":\d+:\d+: [CWEF]: (?:\[\w+\] )?(?P<s>[A-Z]\w+/\w+)", "{s}", "rubocop"),
    _lint(" W: ", r":\d+:\d+: [CWEF]: (?:\[\w+\] )?(?P<s>[A-Z]\w+/\w+)", "{s}", "rubocop"),
    _lint("reformat", r"(?i)^would reformat|\d+ files? would be reformatted|File would be reformatted", "would reformat", ""),
    _lint("Code style issues", r"Code style issues", "code style issues", "prettier"),
    _lint("incorrectly sorted", r"Imports are incorrectly sorted", "imports are incorrectly sorted", "isort"),
    _lint("(stylelint", r"\(?(?P<s>[a-z-]+)\)?\s+stylelint", "{s}", "stylelint"),
    _lint("eslint(", r"(?:eslint|oxc|typescript-eslint|unicorn|react)\((?P<s>[\w-]+)\)", "{s}", "oxlint"),
    _lint(" | ", r"^L:\s+\d+ \| P:\s+\d+ \| (?P<c>[A-Z]{2}\d{2}) \| (?P<t>.+)", "{c}: {t}", "sqlfluff"),
    _lint("✖", r"^\s*✖\s+(?P<t>.+) \[(?P<c>[a-z-]+)\]$", "{c}: {t}", "commitlint"),
    _lint(" • ", r"^\s*(?:error|warning|info) • (?P<t>.+?) • \S+ • (?P<s>[a-z_]+)$", "{s}: {t}"),
    _lint(" Violation: ", r":\d+:\d+: (?:error|warning): (?P<t>[\w ]+) Violation: .*\((?P<s>[a-z_]+)\)$", "{s}", "swiftlint"),
    _lint("overage failure", r"Coverage failure: total of", "coverage is below the limit", ""),
    _lint("[FAILED] ", r"^\[FAILED\] (?P<sp>[\w@./-]+)(?: .*)?(?: \[FAILED\])?$", "{sp} failed in the commit hook", "{sp}", SUMMARY),
    _lint("✖ ", r"^\s*✖ (?P<sp>[\w@./-]+)(?: --?[\w-]+.*)?:?$", "{sp} failed in the commit hook", "{sp}", SUMMARY),
    _lint("- hook id: ", r"^- hook id: (?P<s>[\w-]+)", "hook failed: {s}", "pre-commit"),
    row(DETAIL, "r", "build_failed", "PARSE_ERROR", r"\[(?P<c>[A-Z]+_[A-Z]+)\] (?P<t>.+)", "{c}: {t}", ""),
    row(DETAIL, "r", "build_failed", "UNRESOLVED", r"\[(?P<c>UNRESOLVED_[A-Z]+)\] (?P<t>.+)", "{c}: {t}", ""),
)

WRAPPERS: Final[tuple[Row, ...]] = (
    row(WRAPPER, "", "other", "husky - ", r"husky - (?P<s>[\w-]+) (?:script|hook) (?:failed|exited)", "hook failed: {s}", "git:commit|push"),
    row(WRAPPER, "", "other", "BUILD FAILED", r"^BUILD FAILED", "build failed", ""),
    row(WRAPPER, "r", "build_failed", "Failed to compile", r"Failed to compile", "failed to compile", ""),
    row(WRAPPER, "r", "build_failed", "Build failed", r"Build failed (?:in|with)", "build failed", ""),
)
"""Lines that only repeat that something failed; tried last."""
