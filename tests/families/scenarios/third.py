"""A third round: tools that the other modules do not hold."""

# fmt: off
# ruff: noqa: E501  (a table: one family, one entry)

from __future__ import annotations

from families.dsl import Twin, family

BUILD = "check_failed"
ANY = "build_failed syntax_error type_failed"
EITHER = "check_failed failed"
PKG = '{"name": "@word@", "version": "1.0.0"}'
JS = "@dir@/@file@.js"

family("rspec/assertion", BUILD, "test_failed", "rspec @file@_spec.rb", files={"@file@_spec.rb": "@hash@describe 'cart' do\n  it '@cause@' do\n    expect(@n@).to eq 0\n  end\nend\n"}, cause="starts empty", twin="adds rows")
family("rspec/load_error", EITHER, "module_missing test_failed", "rspec @file@_spec.rb", files={"@file@_spec.rb": "@hash@require '@cause@'\n"}, cause="invoicekit", twin="rateskit")
family("rspec/no_file", EITHER, "missing_file module_missing test_failed", "rspec @dir@/@word@_spec.rb", twins=[Twin(cmd="rspec --frobnicate")])
family("rubocop/offense", BUILD, "lint_failed", "rubocop --only Lint @file@.rb", files={"@file@.rb": "@hash@def f\n  @word@ = 1\nend\n"}, twins=[Twin(files={"app.rb": "def f\n  puts 'a' if x = 1\nend\n"})])
family("phpunit/assertion", BUILD, "test_failed", "phpunit @file@Test.php", files={"@file@Test.php": "<?php\n@pad@class @file@Test extends PHPUnit\\Framework\\TestCase {\n  public function test@cause@(): void { $this->assertSame(@n@, 0); }\n}\n"}, cause="Total", twin="Discount")
family("bats/failed", BUILD, "test_failed", "bats @file@.bats", files={"@file@.bats": "@hash@@test \"@cause@\" {\n  [ @n@ -eq 0 ]\n}\n"}, cause="starts empty", twin="adds rows")
family("cppcheck/error", BUILD, "lint_failed build_failed", "cppcheck --quiet --error-exitcode=1 @file@.c", files={"@file@.c": "@pad@int f(void) { int a[2]; return a[5]; }\n"}, twins=[Twin(files={"app.c": "int f(void) { int *p = 0; return *p; }\n"})])
family("gfortran/undefined", BUILD, ANY, "gfortran -c @file@.f90", files={"@file@.f90": "@pad@program x\n  implicit none\n  @cause@ = 1\nend program\n"}, cause="total", twin="rate")
family("nasm/undefined", BUILD, ANY, "nasm -f elf64 @file@.asm", files={"@file@.asm": "@pad@  mov eax, [@cause@]\n"}, cause="total", twin="rate")
family("ant/no_target", EITHER, "bad_option build_failed missing_file", "ant @cause@", files={"build.xml": "<project name=\"shop\"><target name=\"ok\"/></project>\n"}, cause="deploy", twin="package")
family("ant/no_buildfile", EITHER, "missing_file build_failed", "ant compile", b_cmd="ant -f @dir@/build.xml compile", twins=[Twin(cmd="ant -frob")])
family("autoconf/macro", EITHER, "build_failed other syntax_error", "autoconf", files={"configure.ac": "@hash@AC_INIT([@word@], [1])\n@cause@\nAC_OUTPUT\n"}, cause="AM_FROB_X", twins=[Twin(files={})])
family("nginx/directive", EITHER, "bad_option bad_path invalid_input syntax_error lint_failed other", "nginx -t -c @project@/@word@.conf", files={"@word@.conf": "@hash@events {}\n@cause@ on;\n"}, cause="servr_tokens", twin="gzipp")
family("sbcl/undefined", "failed", "other build_failed", "sbcl --non-interactive --load @file@.lisp", files={"@file@.lisp": "@pad@(print (@cause@ @n@))\n"}, cause="charge", twin="refund")
family("hugo/no_config", EITHER, "missing_file build_failed bad_option other", "hugo", b_cmd="hugo --minify", twins=[Twin(cmd="hugo --frob")])
family("jsonnet/undefined", "failed check_failed", "other build_failed bad_path invalid_input", "jsonnet @file@.jsonnet", files={"@file@.jsonnet": "@hash@{ a: @cause@ }\n"}, cause="region", twin="bucket")
family("valac/missing", BUILD, ANY + " module_missing", "valac -C @file@.vala", files={"@file@.vala": "@pad@void main () { @cause@ (@n@); }\n"}, cause="charge", twin="refund")
family("bison/undefined", EITHER, ANY + " other", "bison @file@.y", files={"@file@.y": "@pad@%%\nstart: @cause@ ;\n"}, cause="expr", twin="term")
family("dot/syntax", EITHER, "syntax_error build_failed", "dot -Tsvg @file@.dot", files={"@file@.dot": "@pad@digraph { a -> ; }\n"}, twins=[Twin(cmd="dot -Tnope app.dot")])
family("prove/failed", BUILD, "test_failed", "prove @file@.t", files={"@file@.t": "@hash@use Test::More tests => 1;\nis(@n@, 0, '@cause@');\n"}, cause="starts empty", twin="adds rows")
family("perlcritic/finding", BUILD, "lint_failed", "perlcritic @file@.pl", files={"@file@.pl": "@hash@open FH, 'x';\n"}, twins=[Twin(files={"app.pl": "use strict;\neval 'x';\n"})])
family("dune/unbound", BUILD, ANY + " module_missing other", "dune build", files={"dune-project": "(lang dune 2.0)\n", "dune": "(executable (name @file@))\n", "@file@.ml": "@pad@let () = @cause@ @n@\n"}, cause="charge", twin="refund")
family("cabal/no_package", EITHER, "missing_file build_failed", "cabal build", b_cmd="cabal build all", twins=[Twin(cmd="cabal biuld")])
family("fpc/identifier", BUILD, ANY, "fpc @file@.pas", files={"@file@.pas": "@pad@begin\n  @cause@ := 1;\nend.\n"}, cause="total", twin="rate")
family("clangtidy/finding", BUILD, "lint_failed build_failed", "clang-tidy --quiet --warnings-as-errors='*' --checks='-*,bugprone-*,clang-analyzer-*' @file@.c --", files={"@file@.c": "@pad@int f(int a) { if (a = 1) return 1; int *p = 0; return *p; }\n"}, twins=[Twin(files={"app.c": "int f(int x) { return x / 0; }\n"})])
family("jekyll/config", EITHER, "syntax_error build_failed invalid_input missing_file", "jekyll build", files={"_config.yml": "@hash@a: b: c\n"}, twins=[Twin(cmd="jekyll biuld", files={})])

family("behave/failed", BUILD, "test_failed", "behave", files={"features/@word@.feature": "@hash@Feature: cart\n  Scenario: @cause@\n    Given rows\n", "features/steps/s.py": "from behave import given\n\n@given('rows')\ndef f(c):\n    assert @n@ == 0, 'rows'\n"}, cause="starts empty", twin="adds rows")
family("behave/no_dir", EITHER, "missing_file test_failed", "behave", b_cmd="behave --no-color", twins=[Twin(cmd="behave --frob")])
family("robot/failed", BUILD, "test_failed", "robot --output NONE @file@.robot", files={"@file@.robot": "@hash@*** Test Cases ***\n@cause@\n    Should Be Equal    @n@    0\n"}, cause="Starts Empty", twin="Adds Rows")
family("commitizen/message", EITHER, "lint_failed vcs invalid_input other", "cz check --message 'fixed @word@'", wrap="plain", twins=[Twin(cmd="cz chek")])
family("pydocstyle/finding", BUILD, "lint_failed", "pydocstyle @file@.py", files={"@file@.py": "@hash@def f():\n    \"\"\"x\"\"\"\n"}, twins=[Twin(cmd="pydocstyle --frob x")])
family("interrogate/below", BUILD, "lint_failed", "interrogate --fail-under 90 @file@.py", files={"@file@.py": "@hash@def f():\n    pass\n"}, twins=[Twin(cmd="interrogate none.py")])
family("importlinter/no_config", EITHER, "missing_file lint_failed other", "lint-imports", b_cmd="lint-imports --verbose", twins=[Twin(cmd="lint-imports --frob")])
family("dbt/no_project", EITHER, "missing_file other", "dbt run", b_cmd="dbt run --select @word@", env={"DBT_SEND_ANONYMOUS_USAGE_STATS": "false"}, twins=[Twin(cmd="dbt runn")])
family("cfnlint/finding", BUILD, "lint_failed", "cfn-lint @file@.yaml", files={"@file@.yaml": "@hash@Resources:\n  A:\n    Type: AWS::@cause@::Bucket\n"}, cause="S4", twins=[Twin(files={"app.yaml": "Resources: {}\nNope: 1\n"})])
family("scrapy/no_spider", "failed", "missing_file other bad_option", "scrapy crawl @cause@", cause="prices", twins=[Twin(cmd="scrapy runspider none.py")])
family("towncrier/no_config", EITHER, "missing_file other build_failed", "towncrier build --yes", b_cmd="towncrier build --yes --version @n@", twins=[Twin(cmd="towncrier biuld")])

family("jasmine/failed", BUILD, "test_failed", f"jasmine {JS}", files={JS: "@pad@describe('cart', () => { it('@cause@', () => { expect(@n@).toBe(0) }) })\n"}, cause="starts empty", twin="adds rows")
family("gulp/no_task", EITHER, "bad_option missing_file other build_failed", "gulp @cause@", files={"gulpfile.js": "@pad@exports.ok = async () => {}\n", "package.json": PKG}, cause="deploy", twin="package")
family("gulp/no_file", EITHER, "missing_file build_failed", "gulp", b_cmd="gulp build", files={"package.json": PKG}, twins=[Twin(files={"gulpfile.js": "const {\n"})])
family("grunt/no_task", EITHER, "bad_option missing_file other build_failed", "grunt @cause@", files={"Gruntfile.js": "@pad@module.exports = () => {}\n", "package.json": PKG}, cause="deploy", twin="package")
family("standard/finding", BUILD, "lint_failed", f"standard {JS}", files={JS: "@pad@debugger\n".replace("@pad@", "")}, twins=[Twin(files={JS: "if (globalThis.a == 1) { b() }\n"})])
family("cspell/unknown", BUILD, "lint_failed", "cspell --no-progress @file@.md", files={"@file@.md": "@dash@We @cause@ it\n"}, cause="recieveb", twin="seperatez")
family("knex/no_file", "failed", "missing_file other", "knex migrate:latest", b_cmd="knex migrate:latest --env @word@", twins=[Twin(cmd="knex migrate:latst")])
family("parcel/import", EITHER, "build_failed module_missing", f"parcel build {JS} --no-cache", files={JS: "@pad@import '@cause@'\n", "package.json": PKG}, cause="left-padx", twin="right-padx")
family("playwright/failed", BUILD, "test_failed", "playwright test", files={"@file@.spec.js": "@pad@const {test, expect} = require('@playwright/test')\ntest('@cause@', () => { expect(@n@).toBe(0) })\n"}, cause="starts empty", twin="adds rows")
family("qunit/failed", BUILD, "test_failed", f"qunit {JS}", files={JS: "@pad@QUnit.test('@cause@', a => a.equal(@n@, 0))\n"}, cause="starts empty", twin="adds rows")
family("lintstaged/no_git", EITHER, "vcs other lint_failed", "lint-staged", files={"package.json": PKG}, wrap="cd", twins=[Twin(cmd="lint-staged --frob")])
family("depcruise/no_path", EITHER, "missing_file bad_path other lint_failed", "depcruise --no-config @dir@/@word@", twins=[Twin(cmd="depcruise --frob src")])
