"""A second round over the same tools: causes and wordings that the other modules do not hold."""

# fmt: off
# ruff: noqa: E501  (a table: one family, one entry)

from __future__ import annotations

import json

from families.dsl import Twin, family

PYF = "@dir@/@file@.py"
RUN = f"python3 {PYF}"


def py(body: str) -> dict[str, str]:
    return {PYF: "@pad@" + body}


family("python/zero_division", "failed", "other", RUN, files=py("print(@n@ / 0)\n"), twins=[Twin(files=py("print(3 % 0)\n"), cmd="python3 -c 'import math; math.sqrt(-1)'")])
family("python/unbound_local", "failed", "other", RUN, files=py("x = 1\n\ndef f():\n    print(@cause@)\n    @cause@ = 2\n\nf()\n"), cause="total", twin="rate")
family("python/index", "failed", "other", RUN, files=py("[][@n@]\n"), twins=[Twin(files=py("''[3]\n"))])
family("python/operand", "failed", "other", RUN, files=py("'@word@' + @n@\n"), twins=[Twin(files=py("None + 3\n"))])
family("python/not_callable", "failed", "other", RUN, files=py("x = @n@\nx()\n"), twins=[Twin(files=py("x = 'a'\nx()\n"))])
family("python/not_iterable", "failed", "other", RUN, files=py("for x in None:\n    pass\n"), twins=[Twin(files=py("len(3)\n"))])
family("python/circular_import", "failed", "module_missing other", "python3 -c 'import first'", b_cmd="python3 @file@.py", files={"first.py": "@hash@from second import b\na = 1\n", "second.py": "@hash@from first import a\nb = 1\n", "@file@.py": "@hash@import first\n"},
       twins=[Twin(files={"first.py": "from second import c\n", "second.py": "b = 1\n"})])
family("python/yaml_scanner", "failed", "syntax_error other", RUN, files=py("import yaml\nyaml.safe_load('a: b: @word@')\n"), twins=[Twin(files=py("import yaml\nyaml.safe_load('[1')\n"))])
family("python/toml_decode", "failed", "syntax_error other", RUN, files=py("import tomllib\ntomllib.loads('@word@ = ')\n"), twins=[Twin(files=py("import tomllib\ntomllib.loads('[a]\\n[a]')\n"))])
family("python/bad_zip", "failed", "other", RUN, files={**py("import zipfile\nzipfile.ZipFile('@word@.zip')\n"), "@word@.zip": "text\n"}, twins=[Twin(files=py("import zipfile\nzipfile.ZipFile('none.zip')\n"))])
family("python/jinja_undefined", "failed", "other", RUN, files=py("import jinja2\njinja2.Environment(undefined=jinja2.StrictUndefined).from_string('{{ @cause@ }}').render()\n"), cause="customer", twin="invoice")
family("python/jinja_missing", "failed", "missing_file other", RUN, files=py("import jinja2\njinja2.Environment(loader=jinja2.FileSystemLoader('.')).get_template('@cause@')\n"), cause="invoice.html", twins=[Twin(files=py("import jinja2\njinja2.Environment().from_string('{% if %}')\n"))])
family("python/click_missing", "failed", "bad_option", RUN, files=py("import click\n\n@click.command()\n@click.option('--@cause@', required=True)\ndef f(**k):\n    pass\n\nf()\n"), cause="region", twin="bucket")
family("python/click_choice", "failed", "bad_option", RUN + " --mode @word@", files=py("import click\n\n@click.command()\n@click.option('--mode', type=click.Choice(['a', 'b']))\ndef f(**k):\n    pass\n\nf()\n"), twins=[Twin(cmd=RUN + " --modus a")])
family("python/integrity", "failed", "conflict other", RUN, files=py("import sqlite3\nc = sqlite3.connect(':memory:')\nc.execute('create table @cause@ (n unique)')\nc.execute('insert into @cause@ values (@n@)')\nc.execute('insert into @cause@ values (@n@)')\n"), cause="orders", twin="rates")
family("python/timeout_expired", "failed", "timeout other", RUN, files=py("import subprocess\nsubprocess.run(['sleep', '9'], timeout=0.2)\n"), b_cmd=RUN, twins=[Twin(files=py("import subprocess\nsubprocess.run(['sleep', 'x'], check=True)\n"))])
family("python/frozen", "failed", "other", RUN, files=py("import dataclasses\n\n@dataclasses.dataclass(frozen=True)\nclass A:\n    @cause@: int = 1\n\nA().@cause@ = 2\n"), cause="price", twin="owner")
family("python/config_section", "failed", "other missing_file", RUN, files=py("import configparser\nconfigparser.ConfigParser().get('@cause@', 'x')\n"), cause="database", twin="mail")
family("python/abstract", "failed", "other", RUN, files=py("import abc\n\nclass A(abc.ABC):\n    @abc.abstractmethod\n    def @cause@(self): ...\n\nA()\n"), cause="charge", twin="refund")
family("python/jsonschema", "failed", "other invalid_input", RUN, files=py("import jsonschema\njsonschema.validate({'@word@': 1}, {'type': 'object', 'required': ['@cause@']})\n"), cause="amount", twin="owner")
family("python/httpx_refused", "failed", "network", RUN, files=py("import httpx\nhttpx.get('http://127.0.0.1:@n@/@word@')\n"), twins=[Twin(files=py("import httpx\nhttpx.get('/basket')\n"))])
family("python/sa_unique", "failed", "conflict other", RUN, files=py("import sqlalchemy as sa\ne = sa.create_engine('sqlite://')\nwith e.begin() as c:\n    c.execute(sa.text('create table t (@cause@ integer unique)'))\n    c.execute(sa.text('insert into t values (@n@)'))\n    c.execute(sa.text('insert into t values (@n@)'))\n"), cause="number", twin="code")
family("python/exit_message", "failed", "other", RUN, files=py("import sys\nsys.exit('@cause@')\n"), cause="no rate table loaded", twin="no tax table loaded")
family("python/future_annot", "failed", "syntax_error", RUN, files=py("x = 1\nfrom __future__ import annotations\n"), twins=[Twin(files=py("return 3\n"))])
family("python/fstring", "failed", "syntax_error", RUN, files=py("print(f'{@word@')\n"), twins=[Twin(files=py("x = 'abc\n"))])

T = "@dir@/test_@file@.py"
PT = f"pytest -q {T}"


def pt(body: str) -> dict[str, str]:
    return {T: "@pad@" + body}


family("pytest/parametrized", "check_failed", "test_failed", PT, files=pt("import pytest\n\n@pytest.mark.parametrize('n', [1, 2])\ndef test_@cause@(n):\n    assert n == @n@\n"), cause="totals", twin="limits", multi=True)
family("pytest/setup_error", "check_failed", "test_failed", PT, files=pt("import pytest\n\n@pytest.fixture\ndef db():\n    raise RuntimeError('@cause@')\n\ndef test_a(db):\n    pass\n"), cause="no data base", twin="no broker")
family("pytest/raises", "check_failed", "test_failed", PT, files=pt("import pytest\n\ndef test_@cause@():\n    with pytest.raises(ValueError):\n        pass\n"), cause="refused", twin="accepted")
family("pytest/class_method", "check_failed", "test_failed", PT, files=pt("class TestCart:\n    def test_@cause@(self):\n        assert {'@word@': @n@} == {}\n"), cause="empty_cart", twin="full_cart")
family("pytest/verbose", "check_failed", "test_failed", f"pytest -v {T}", files=pt("def test_ok():\n    pass\n\ndef test_@cause@():\n    assert [@n@] == []\n"), cause="rows", twin="columns")
family("pytest/short_tb", "check_failed", "test_failed", f"pytest -q --tb=line {T}", files=pt("def test_@cause@():\n    assert @n@ == 0\n"), cause="rows", twin="columns")
family("pytest/doctest", "check_failed", "test_failed", "pytest -q --doctest-modules @file@.py", files={"@file@.py": "@pad@def @cause@():\n    \"\"\"\n    >>> 1 + 1\n    3\n    \"\"\"\n"}, cause="add", twin="subtract")
family("unittest/error", "check_failed", "test_failed other", "python3 -m unittest -v @file@_test", files={"@file@_test.py": "@pad@import unittest\n\nclass T(unittest.TestCase):\n    def test_@cause@(self):\n        {}['@word@']\n"}, cause="total", twin="discount")
family("unittest/import", "check_failed failed", "module_missing test_failed", "python3 -m unittest @file@_test", files={"@file@_test.py": "@pad@import @cause@\n"}, cause="respx_mock", twin="vcrpyx")
family("mypy/union_attr", "check_failed", "type_failed", f"mypy {PYF}", files=py("import re\nre.match('a', 'b').@cause@()\n"), cause="group", twin="span")
family("mypy/missing_argument", "check_failed", "type_failed", f"mypy {PYF}", files=py("def f(@cause@: int) -> int:\n    return 1\n\nf()\n"), cause="amount", twin="owner")
family("mypy/return", "check_failed", "type_failed", f"mypy {PYF}", files=py("def f() -> int:\n    pass\n"), twins=[Twin(files=py("def f() -> int:\n    return 'a'\n"))])
family("mypy/syntax", "check_failed", "type_failed syntax_error", f"mypy {PYF}", files=py("def f(:\n    pass\n"), twins=[Twin(files=py("x = (1\n"))])
family("ruff/syntax", "check_failed", "lint_failed syntax_error", f"ruff check {PYF}", files=py("def f(:\n    pass\n"), twins=[Twin(files=py("import os\n"))])
family("black/missing", "failed check_failed", "missing_file bad_option lint_failed", "black --check @dir@/@word@.py", twins=[Twin(cmd="black --chek a.py")])
family("pylint/syntax", "check_failed", "syntax_error lint_failed", f"pylint -E {PYF}", files=py("def f(:\n"), twins=[Twin(files=py("print(zz)\n"))])

INIT = "git init -q -b main; git config user.email a@b.c; git config user.name @word@; "
ONE = INIT + "echo @n@ > @word@.txt; git add .; git commit -qm 'first @word@'; "
TWO = ONE + "git switch -qc side; echo side > @word@.txt; git commit -qam side; git switch -q main; echo main > @word@.txt; git commit -qam main; "
family("git/no_rebase", "failed", "vcs", "git rebase --continue", b_cmd="git rebase --abort", setup=ONE, wrap="plain", twins=[Twin(cmd="git merge --abort")])
family("git/revert_conflict", "failed", "conflict vcs", "git revert --no-edit side", setup=TWO, twins=[Twin(cmd="git revert zzz")])
family("git/checked_out_push", "failed", "vcs conflict permission", "git push other HEAD:main", setup=ONE + "git clone -q . ../copy-@word@; git remote add other @home@/" + "src/copy-@word@ 2>/dev/null; git remote set-url other $(cd ../copy-@word@ && pwd); git commit -q --allow-empty -m two", twins=[Twin(cmd="git push other main:main --frob")])
family("git/remote_exists", "failed", "vcs conflict", "git remote add origin /x/@word@.git", setup=ONE + "git remote add origin /y; ", twins=[Twin(cmd="git remote remove upstream")])
family("git/detached_push", "failed", "vcs", "git push", setup=ONE + "git checkout -q --detach; git remote add origin /y", twins=[Twin(cmd="git push origin nothing")])
family("git/hook_push", "failed check_failed", "vcs other lint_failed test_failed", "git push origin main", setup=ONE + "git init -q --bare ../r-@word@.git; git remote add origin ../r-@word@.git; printf '#!/bin/sh\\necho \"@cause@\" >&2\\nexit 1\\n' > .git/hooks/pre-push; chmod +x .git/hooks/pre-push", cause="tests must pass before a push", twin="this branch is closed")
family("git/commit_msg_hook", "failed check_failed", "vcs other lint_failed", "git commit --allow-empty -m @word@", setup=ONE + "printf '#!/bin/sh\\necho \"@cause@\" >&2\\nexit 1\\n' > .git/hooks/commit-msg; chmod +x .git/hooks/commit-msg", cause="subject needs a scope", twin="subject is too long")
family("git/bad_branch_name", "failed", "vcs bad_option invalid_input", "git checkout -b '@word@ two'", setup=ONE, twins=[Twin(cmd="git checkout -b")])
family("git/worktree_dirty", "failed", "vcs conflict", "git worktree remove ../wt-@word@", setup=ONE + "git worktree add -q ../wt-@word@ -b w; touch ../wt-@word@/x", twins=[Twin(cmd="git worktree remove ../none")])
family("git/lfs", "failed", "bad_option command_not_found", "git lfs pull", b_cmd="git lfs pull origin", setup=ONE, twins=[Twin(cmd="git flow init")])
family("git/show_path", "failed", "vcs missing_file bad_path", "git show HEAD:@dir@/@word@.py", setup=ONE, twins=[Twin(cmd="git show nope:basket.txt")])
family("git/sign", "failed", "auth vcs environment", "git commit --allow-empty -S -m @word@", setup=ONE, twins=[Twin(cmd="git commit --allow-empty --frob -m x")])
family("git/stash_conflict", "failed", "conflict vcs", "git stash pop", setup=ONE + "echo a > @word@.txt; git stash -q; echo b > @word@.txt; git commit -qam b", twins=[Twin(cmd="git stash drop stash@{7}")])
family("git/am", "failed", "vcs missing_file conflict", "git am @word@.patch", setup=ONE, twins=[Twin(files={"basket.patch": "x\n"})])

RS = {"Cargo.toml": '[package]\nname = "@word@"\nversion = "0.1.0"\nedition = "2021"\n'}


def rs(body: str) -> dict[str, str]:
    return {**RS, "src/main.rs": "@pad@" + body}


BUILD = "check_failed"
ANY = "build_failed syntax_error type_failed"
family("cargo/no_method", BUILD, ANY, "cargo check", files=rs("struct A;\nfn main() { A.@cause@(); }\n"), cause="charge", twin="refund")
family("cargo/missing_field", BUILD, ANY, "cargo check", files=rs("struct A { @cause@: i32 }\nfn main() { let _ = A {}; }\n"), cause="price", twin="owner")
family("cargo/lifetime", BUILD, ANY, "cargo check", files=rs("struct A { a: &str }\nfn main() {}\n"), twins=[Twin(files=rs("fn g<'a>(x: &'b str) {}\nfn main() {}\n"))])
family("cargo/macro", BUILD, ANY, "cargo check", files=rs("fn main() { @cause@!(1); }\n"), cause="debugln", twin="traceln")
family("cargo/expected", BUILD, ANY, "cargo check", files=rs("fn main() { let x = 1 let y = 2; }\n"), twins=[Twin(files=rs("fn main() { (1; }\n"))])
family("cargo/bin_missing", "failed check_failed", "bad_option missing_file build_failed", "cargo run --bin @cause@", files=rs("fn main() {}\n"), cause="migrate", twin="seed")
family("cargo/workspace_member", "failed check_failed", "missing_file build_failed", "cargo build", files={"Cargo.toml": '[workspace]\nmembers = ["@cause@"]\n'}, cause="crates-api", twins=[Twin(files={"Cargo.toml": "[workspace]\nmember = 3\n[x]\n"})])
family("cargo/fmt_check", "check_failed", "lint_failed", "cargo fmt --check", files=rs("fn  main( ) {}\n"), twins=[Twin(files=rs("fn main( {}\n"))])
family("cargo/clippy", "check_failed", "lint_failed build_failed", "cargo clippy -- -D warnings", files=rs("fn main() { let x = 3; let y = x.clone(); println!(\"{}\", y); }\n"), twins=[Twin(files=rs("fn main() { let v: Vec<i32> = Vec::new(); if v.len() == 0 { println!(\"a\") } }\n"))])
family("cargo/test_panics", BUILD, "test_failed", "cargo test", files=rs("fn main() {}\n#[test]\nfn @cause@() { None::<i32>.unwrap(); }\n"), cause="loads", twin="saves")
family("cargo/test_compile", BUILD, ANY, "cargo test", files=rs("fn main() {}\n#[test]\nfn a() { @cause@(); }\n"), cause="setupz", twin="teardownz")

GOENV = {"GOPROXY": "off", "GOFLAGS": "", "GOTOOLCHAIN": "local"}


def go(body: str) -> dict[str, str]:
    return {"go.mod": "module example.org/@word@\n\ngo 1.19\n", "main.go": "package main\n@pad@" + body}


family("go/missing_return", BUILD, ANY, "go build ./...", env=GOENV, files=go("func f() int { }\nfunc main() {}\n"), twins=[Twin(files=go("func f() (int, int) { return 1 }\nfunc main() {}\n"))])
family("go/assignment", BUILD, ANY, "go build ./...", env=GOENV, files=go("func f() (int, int) { return 1, 2 }\nfunc main() { a := f(); _ = a }\n"), twins=[Twin(files=go("func main() { a := nil; _ = a }\n"))])
family("go/missing_method", BUILD, ANY, "go build ./...", env=GOENV, files=go("type T struct{}\nfunc main() { T{}.@cause@() }\n"), cause="Charge", twin="Refund")
family("go/vet_printf", BUILD, ANY + " lint_failed", "go vet ./...", env=GOENV, files=go('import "fmt"\nfunc main() { fmt.Printf("%d", "@word@") }\n'), twins=[Twin(files=go('import "fmt"\nfunc main() { fmt.Println("a\\n") ; x := 1; x = x; _ = x }\n'))])
family("go/test_panic", BUILD, "test_failed", "go test ./...", env=GOENV, files={**go("func main() {}\n"), "m_test.go": 'package main\n@pad@import "testing"\nfunc Test@cause@(t *testing.T) { var m map[string]int; m["a"] = @n@ }\n'}, cause="Loads", twin="Saves")
family("go/subtest", BUILD, "test_failed", "go test -v ./...", env=GOENV, files={**go("func main() {}\n"), "m_test.go": 'package main\n@pad@import "testing"\nfunc TestAll(t *testing.T) { t.Run("@cause@", func(t *testing.T) { t.Error(@n@) }) }\n'}, cause="loads", twin="saves")
family("go/run_missing", "failed", "missing_file module_missing", "go run @dir@/@word@.go", env=GOENV, files=go("func main() {}\n"), twins=[Twin(cmd="go run --frob .")])
family("go/get_off", "failed", "network module_missing", "go get @cause@", env=GOENV, files=go("func main() {}\n"), cause="github.com/acme/invoicekit", twin="github.com/acme/rateskit")

CF = "@dir@/@file@.c"


def c(body: str) -> dict[str, str]:
    return {CF: "@pad@" + body}


family("gcc/few_arguments", BUILD, ANY, f"gcc -c {CF}", files=c("int @cause@(int a, int b);\nint f(void) { return @cause@(@n@); }\n"), cause="charge", twin="refund")
family("gcc/conflicting", BUILD, ANY, f"gcc -c {CF}", files=c("int @cause@(int);\nchar @cause@(char);\n"), cause="charge", twin="refund")
family("gcc/unknown_type", BUILD, ANY, f"gcc -c {CF}", files=c("@cause@ f(void);\n"), cause="rate_t", twin="stock_t")
family("gcc/libm", BUILD, "build_failed", f"gcc {CF} -o @word@", files=c("extern double @cause@(double);\nint main(int c, char **v) { return (int)@cause@(c); }\n"), cause="sqrtx", twin="cosx")
family("gcc/assert_abort", "failed", "killed other", f"gcc {CF} -o prog && ./prog", files=c("#include <assert.h>\nint main(void) { int @cause@ = 0; assert(@cause@); }\n"), cause="ready", twin="loaded", wrap="plain")
family("gcc/segfault", "failed", "killed", f"gcc {CF} -o prog && ./prog", files=c("int main(void) { volatile int *p = 0; return *p; }\n"), wrap="plain", twins=[Twin(files=c("#include <stdlib.h>\nint main(void) { abort(); }\n"))])
family("clang/expected_semi", BUILD, ANY, f"clang -c {CF}", files=c("int f(void) { int @word@ = 3 return 1; }\n"), twins=[Twin(files=c("int f(void) { return g(1; }\n"))])
family("clang/unknown_type", BUILD, ANY, f"clang -c {CF}", files=c("@cause@ f(void);\n"), cause="rate_t", twin="stock_t")
family("gxx/undefined_ref_method", BUILD, "build_failed", "g++ @dir@/@file@.cpp -o @word@", files={"@dir@/@file@.cpp": "@pad@struct A { void @cause@(); };\nint main() { A().@cause@(); }\n"}, cause="charge", twin="refund")
family("gxx/private", BUILD, ANY, "g++ -c @dir@/@file@.cpp", files={"@dir@/@file@.cpp": "@pad@class A { int @cause@; };\nint f(A a) { return a.@cause@; }\n"}, cause="price", twin="owner")
CM = "cmake_minimum_required(VERSION 3.10)\nproject(@word@ C)\n"
family("cmake/version", "failed check_failed", "build_failed environment conflict", "cmake -S . -B build-@word@", files={"CMakeLists.txt": "@hash@cmake_minimum_required(VERSION 9.1)\nproject(x)\n"}, twins=[Twin(files={"CMakeLists.txt": "project(x NONSENSE)\n"})])
family("cmake/subdirectory", "failed check_failed", "build_failed missing_file", "cmake -S . -B build", files={"CMakeLists.txt": CM + "@hash@add_subdirectory(@word@)\n"}, twins=[Twin(files={"CMakeLists.txt": CM + "include(nothing_x)\n"})])
family("cmake/target", "failed check_failed", "build_failed", "cmake -S . -B build", files={"CMakeLists.txt": CM + "@hash@target_link_libraries(@cause@ m)\n"}, cause="core_lib", twin="net_lib")
family("make/nested", BUILD + " failed", "build_failed missing_file bad_option", "make", files={"Makefile": "all:\n\t$(MAKE) -C sub @cause@\n", "sub/Makefile": "@hash@ok:\n\ttrue\n"}, cause="bundle", twin="deploy")
family("make/script_fails", BUILD + " failed", "other build_failed", "make check", files={"Makefile": "check:\n\t@python3 @file@.py\n", "@file@.py": "@pad@raise RuntimeError('@cause@')\n"}, cause="no rate table loaded", twin="no tax table loaded")


def package(**keys: object) -> str:
    return json.dumps({"name": "@word@", "version": "1.@n@.0", **keys}, indent=2)


JS, TS = "@dir@/@file@.js", "@dir@/@file@.ts"


def js(body: str) -> dict[str, str]:
    return {JS: "@pad@" + body}


def ts(body: str) -> dict[str, str]:
    return {TS: "@pad@" + body, "tsconfig.json": '{"compilerOptions": {"strict": true, "noEmit": true, "types": []}, "include": ["**/*.ts"]}'}


family("tsc/argument", BUILD, "type_failed", "tsc -p .", files=ts("function f(a: number) {}\nf('@word@')\n"), twins=[Twin(files=ts("let a: { b: number } = {}\na\n"))])
family("tsc/missing_property", BUILD, "type_failed", "tsc -p .", files=ts("let a: { @cause@: number } = {}\na\n"), cause="price", twin="owner")
family("tsc/possibly_null", BUILD, "type_failed", "tsc -p .", files=ts("declare let @word@: string | null\n@word@.length\n"), twins=[Twin(files=ts("declare let a: unknown\na.length\n"))])
family("tsc/unused_expect", BUILD, "type_failed", "tsc -p .", files=ts("// @ts-expect-error\nlet @word@ = 1\n@word@\n"), twins=[Twin(files=ts("let a = 1\nlet a = 2\na\n"))])
family("node/err_arg_type", "failed", "other invalid_input", f"node {JS}", files=js("require('fs').readFileSync(undefined)\n"), twins=[Twin(files=js("require('path').join(1)\n"))])
family("node/range", "failed", "other", f"node {JS}", files=js("new Array(-@n@)\n"), twins=[Twin(files=js("'x'.repeat(-1)\n"))])
family("node/eexist", "failed", "conflict", f"node {JS}", files=js("require('fs').mkdirSync('@project@')\n"), twins=[Twin(files=js("require('fs').rmdirSync('@project@')\n"))])
family("node/class_error", "failed", "other", f"node {JS}", files=js("class @cause@ extends Error {}\nthrow new @cause@('order @n@')\n"), cause="StockError", twin="PriceError")
family("node/stack_overflow", "failed", "other", f"node {JS}", files=js("function @word@() { @word@() }\n@word@()\n"), twins=[Twin(files=js("null.x\n"))])
family("node/exit_message", "failed", "other environment", f"node {JS}", files=js("console.error('Error: @cause@')\nprocess.exit(1)\n"), cause="STRIPE_KEY is missing", twin="MAIL_KEY is missing")
family("npm/no_test", "failed check_failed", "other missing_file test_failed", "npm test", b_cmd="npm run test", files={"package.json": package(scripts={"test": "echo \"Error: no test specified\" && exit 1"})}, twins=[Twin(cmd="npm start")])
family("npm/need_auth", "failed", "auth", "npm publish --registry http://127.0.0.1:@n@", files={"package.json": package()}, twins=[Twin(cmd="npm whoami --registry http://127.0.0.1:3 --fetch-retries 0 --frob=1")])
family("npm/lint_script", "check_failed", "lint_failed", "npm run lint", files={"package.json": package(scripts={"lint": "eslint ."}), "eslint.config.js": "module.exports = [{ rules: { 'no-undef': 2, 'no-var': 2 } }]\n", JS: "@pad@@cause@ = 1\n".replace("@cause@ = 1", "var a = 1")}, twins=[Twin(files={"package.json": package(scripts={"lint": "eslint ."}), "eslint.config.js": "module.exports = [{ rules: { eqeqeq: 2 } }]\n", "src/app.js": "1 == 2\n"})])
family("npm/jest_script", "check_failed", "test_failed", "npm test", files={"package.json": package(scripts={"test": "jest"}), "@dir@/@file@.test.js": "@pad@describe('cart', () => { test('@cause@', () => { expect({ a: @n@ }).toEqual({}) }) })\n"}, cause="starts empty", twin="adds rows")
family("npm/tsc_script", "check_failed", "type_failed", "npm run build", files={"package.json": package(scripts={"build": "tsc -p ."}), **ts("const a: number = '@word@'\na\n")}, twins=[Twin(files={"package.json": package(scripts={"build": "tsc -p ."}), **ts("function f(x: number) {}\nf()\n")})])
family("npm/workspace", "failed", "bad_option missing_file other", "npm run build -w @cause@", files={"package.json": package(workspaces=["packages/*"])}, cause="api", twins=[Twin(cmd="npm run buildz")])
family("yarn/add_404", "failed", "http_error module_missing network", "yarn add @cause@", cause="acme-shop-internal-kit-x", twin="acme-stock-internal-kit-x", files={"package.json": package()})
family("pnpm/add_404", "failed", "http_error module_missing network", "pnpm add @cause@", cause="acme-shop-internal-kit-x", twin="acme-stock-internal-kit-x", files={"package.json": package()})
family("jest/nested", "check_failed", "test_failed", "jest", files={"package.json": package(), "@dir@/@file@.test.js": "@pad@describe('cart', () => { describe('rows', () => { it('@cause@', () => { expect([@n@]).toContain('@word@') }) }) })\n"}, cause="starts empty", twin="adds rows")
family("jest/type_error", "check_failed", "test_failed", "jest", files={"package.json": package(), "@dir@/@file@.test.js": "@pad@test('@cause@', () => { undefined.x })\n"}, cause="starts empty", twin="adds rows")
family("jest/timeout", "check_failed", "test_failed timeout", "jest --testTimeout 50", files={"package.json": package(), "@dir@/@file@.test.js": "@pad@test('@cause@', () => new Promise(() => {}))\n"}, cause="starts empty", twin="adds rows")
family("vitest/nested", "check_failed", "test_failed", "vitest run", files={"@dir@/@file@.test.js": "@pad@import {describe, it, expect} from 'vitest'\ndescribe('cart', () => { it('@cause@', () => { expect({ a: @n@ }).toEqual({}) }) })\n"}, cause="starts empty", twin="adds rows")
family("vitest/type_error", "check_failed", "test_failed", "vitest run", files={"@dir@/@file@.test.js": "@pad@import {it} from 'vitest'\nit('@cause@', () => { undefined.x })\n"}, cause="starts empty", twin="adds rows")
family("mocha/nested", "check_failed", "test_failed", "mocha @dir@", files={"@dir@/@file@.test.js": "@pad@describe('cart', () => { it('@cause@', () => { throw new TypeError('bad row @n@') }) })\n"}, cause="starts empty", twin="adds rows")
family("nodetest/nested", "check_failed", "test_failed", "node --test", files={"@dir@/@file@.test.js": "@pad@const {describe, it} = require('node:test')\ndescribe('cart', () => { it('@cause@', () => { throw new Error('bad row @n@') }) })\n"}, cause="starts empty", twin="adds rows")
family("deno/test", "check_failed", "test_failed", "deno test --no-remote @dir@", files={"@dir@/@file@_test.ts": "@pad@Deno.test('@cause@', () => { throw new Error('bad row @n@') })\n"}, cause="starts empty", twin="adds rows")
family("deno/lint", "check_failed", "lint_failed", f"deno lint {TS}", files={TS: "@pad@var a = 1;\n"}, twins=[Twin(files={TS: "const a: any = 1;\n"})])
family("deno/check", "check_failed failed", "type_failed", f"deno check {TS}", files={TS: "@pad@const a: number = '@word@';\n"}, twins=[Twin(files={TS: "zz();\n"})])
family("eslint/rule_missing", "failed check_failed", "other lint_failed missing_file invalid_input", "eslint .", files={"eslint.config.js": "@pad@module.exports = [{ rules: { '@cause@': 2 } }]\n", "a.js": "1\n"}, cause="no-such-rule", twin="no-other-rule")
family("prettier/syntax", "check_failed failed", "syntax_error lint_failed", "prettier --check @file@.json", files={"@file@.json": "@pad@{\"@word@\": }\n"}, twins=[Twin(files={"app.json": "[1 2]\n"})])

family("shell/integer", "failed", "syntax_error other invalid_input", "bash release.sh", files={"release.sh": "@hash@[ @word@ -gt 3 ] || exit 2\n"}, wrap="plain", twins=[Twin(files={"release.sh": "[ a b c ] || exit 2\n"})])
family("shell/source_missing", "failed", "missing_file", "bash @dir@/release.sh", files={"@dir@/release.sh": "@hash@set -e\nsource ./@word@.env\n"}, twins=[Twin(files={"src/release.sh": "set -e\ncat ./basket.env\n"})])
family("shell/identifier", "failed", "syntax_error other invalid_input", "bash release.sh", files={"release.sh": "@hash@set -e\nexport @cause@=1\n"}, cause="shop-key", twin="rate-key")
family("shell/cd_args", "failed", "other bad_option", "bash release.sh", files={"release.sh": "@hash@set -e\ncd @word@ two\n"}, twins=[Twin(files={"release.sh": "set -e\ncd none\n"})])
family("shell/own_message", "failed", "other", "bash release.sh", files={"release.sh": "@hash@echo 'error: @cause@' >&2\nexit 3\n"}, cause="tag is not signed", twin="tag is missing")
family("shell/quote", "failed", "syntax_error", "echo 'it's @word@'", b_cmd="echo 'it's @word@ @n@'", wrap="plain", twins=[Twin(cmd="echo $(ls")])
family("shell/and_chain", "failed", "missing_file", "mkdir -p out && cp @dir@/@word@.txt out/", wrap="plain", twins=[Twin(cmd="mkdir -p out && cp --frob a out/")])
family("shell/subshell_tool", "failed", "command_not_found", "(cd . && @cause@ build)", wrap="plain", cause="gruntx", twin="gulpx")
family("zsh/bad_pattern", "failed", "syntax_error other bad_path", "zsh -c 'ls @word@['", wrap="plain", twins=[Twin(cmd="zsh -c 'if true'")])
family("psql/not_null", "failed", "conflict other", "psql -v ON_ERROR_STOP=1 -q -d postgres -f @word@.sql", files={"@word@.sql": "@dash@CREATE TEMP TABLE t (@cause@ int NOT NULL, n int);\nINSERT INTO t (n) VALUES (@n@);\n"}, cause="amount", twin="owner")
family("psql/function", "failed", "other missing_file", "psql -v ON_ERROR_STOP=1 -d postgres -c 'select @cause@(@n@)'", cause="to_rate", twin="to_stock", wrap="plain")
family("psql/operator", "failed", "other type_failed bad_path", "psql -v ON_ERROR_STOP=1 -d postgres -c \"select 1 + true\"", b_cmd="psql -v ON_ERROR_STOP=1 -d postgres -c \"select @n@ + true\"", wrap="plain", twins=[Twin(cmd="psql -v ON_ERROR_STOP=1 -d postgres -c \"select 'a'::date\"")])
family("psql/schema", "failed", "other missing_file", "psql -v ON_ERROR_STOP=1 -d postgres -c 'create table @cause@.t (n int)'", cause="billing", twin="stock", wrap="plain")
family("jq/iterate", "failed", "other invalid_input", "jq '.@word@[]' @file@.json", files={"@file@.json": "@pad@{}"}, twins=[Twin(cmd="jq '.a + 1 | keys' app.json")])
family("unzip/not_zip", "failed", "other invalid_input missing_file", "unzip -q @word@.zip", files={"@word@.zip": "plain\n"}, twins=[Twin(cmd="unzip -q none.zip")])
family("javac/unreported", BUILD, ANY, "javac @dir@/Main.java", files={"@dir@/Main.java": "@pad@class Main { void f() { throw new @cause@(); } }\n"}, cause="Exception", twins=[Twin(files={"src/Main.java": "class Main { static void f() { this.g(); } }\n"})])
family("javac/public_name", BUILD, ANY, "javac @dir@/Main.java", files={"@dir@/Main.java": "@pad@public class Other { }\n"}, twins=[Twin(files={"src/Main.java": "class Main extends Nope { }\n"})])
family("java/class_cast", "failed", "other", "java @dir@/Main.java", files={"@dir@/Main.java": "@pad@class Main { public static void main(String[] a) { Object o = \"@word@\"; Integer i = (Integer) o; } }\n"}, twins=[Twin(files={"src/Main.java": "class Main { public static void main(String[] a) { throw new IllegalStateException(\"no stock\"); } }\n"})])
family("java/no_main", "failed", "other missing_file module_missing", "java @dir@/Main.java", files={"@dir@/Main.java": "@pad@class Main { }\n"}, twins=[Twin(files={"src/Main.java": "interface Main { int f() }\n"})])
family("kotlin/mismatch", BUILD, ANY, "kotlinc @file@.kt", files={"@file@.kt": "@pad@fun main() { val a: Int = \"@word@\" }\n"}, twins=[Twin(files={"app.kt": "fun f(): Int { }\n"})])
family("gradle/script", "failed check_failed", "build_failed other", "gradle --offline --no-daemon help", files={"build.gradle": "@pad@@cause@()\n", "settings.gradle": ""}, cause="frobnicate", twin="widgetize")
family("ruby/arguments", "failed", "other", "ruby @file@.rb", files={"@file@.rb": "@pad@def charge(a); end\ncharge(1, @n@)\n"}, twins=[Twin(files={"app.rb": "Integer('x')\n"})])
family("ruby/const", "failed", "other module_missing", "ruby @file@.rb", files={"@file@.rb": "@pad@puts @cause@.new\n"}, cause="InvoiceKit", twin="RatesKit")
family("ruby/raise", "failed", "other", "ruby @file@.rb", files={"@file@.rb": "@pad@raise '@cause@'\n"}, cause="no rate table", twin="no tax table")
family("rake/command_failed", "failed check_failed", "other command_not_found build_failed", "rake build", files={"Rakefile": "@hash@task(:build) { sh '@cause@ --all' }\n"}, cause="gruntx", twin="gulpx")
family("perl/method", "failed", "other module_missing", "perl @file@.pl", files={"@file@.pl": "@hash@my $x = bless {}, 'Shop';\n$x->@cause@(@n@);\n"}, cause="charge", twin="refund")
family("lua/call_nil", "failed", "other", "lua5.4 @file@.lua", files={"@file@.lua": "@pad@@cause@(@n@)\n"}, cause="charge", twin="refund")
family("r/function", "failed", "other module_missing bad_path", "Rscript @file@.R", files={"@file@.R": "@hash@@cause@(@n@)\n"}, cause="charge", twin="refund")
family("elixir/argument", "failed", "other", "elixir @file@.exs", files={"@file@.exs": "@hash@String.to_integer(\"@word@\")\n"}, twins=[Twin(files={"app.exs": "{:ok, x} = {:error, 3}\n"})])
family("ocaml/type", "failed check_failed", "type_failed build_failed other", "ocaml @file@.ml", files={"@file@.ml": "@pad@let x : int = \"@word@\"\n"}, twins=[Twin(files={"app.ml": "let f (a : int) = a\nlet x = f 1 2\n"})])
family("ghc/type", "failed check_failed", "type_failed build_failed other", "runghc @file@.hs", files={"@file@.hs": "@pad@main = putStrLn (@n@ :: Int)\n"}, twins=[Twin(files={"app.hs": "main = do { return }\n"})])
family("nim/mismatch", "failed check_failed", "type_failed build_failed other", "nim check --hints:off @file@.nim", files={"@file@.nim": "@pad@let x: int = \"@word@\"\n"}, twins=[Twin(files={"app.nim": "proc f(a: int) = discard\nf(1, 2)\n"})])
family("php/class", "failed", "other module_missing", "php @file@.php", files={"@file@.php": "<?php\n@pad@class A extends @cause@ {}\n"}, cause="InvoiceKit", twin="RatesKit")
family("terraform/block", "failed check_failed", "other invalid_input lint_failed syntax_error", "terraform validate -no-color", files={"main.tf": "@hash@@cause@ \"x\" {}\n"}, cause="resorce", twin="modul")
family("terraform/duplicate", "failed check_failed", "conflict other invalid_input lint_failed", "terraform validate -no-color", files={"main.tf": "@hash@variable \"@cause@\" {}\nvariable \"@cause@\" {}\n"}, cause="region", twin="bucket")
family("ansible/syntax", "failed check_failed", "syntax_error invalid_input other", "ansible-playbook --syntax-check @word@.yml", files={"@word@.yml": "---\n@hash@- hosts: all\n  tasks:\n  - nam: x\n    @cause@:\n      a: b: c\n"}, cause="debug", twins=[Twin(files={"basket.yml": "---\n- hosts: all\n  taskz: []\n"})])
family("alembic/multiple_heads", "failed", "conflict other vcs", "alembic upgrade head", setup="alembic init m >/dev/null; sed -i 's|^sqlalchemy.url.*|sqlalchemy.url = sqlite:///x.db|' alembic.ini; for i in a b; do printf 'revision=\"%s@n@\"\\ndown_revision=None\\nbranch_labels=None\\ndepends_on=None\\ndef upgrade(): pass\\ndef downgrade(): pass\\n' $i > m/versions/$i.py; done", twins=[Twin(cmd="alembic downgrade zz99")])
MANAGE = "import os, sys\nos.environ.setdefault('DJANGO_SETTINGS_MODULE', 'conf')\nfrom django.core.management import execute_from_command_line\nexecute_from_command_line(sys.argv)\n"
CONF = "SECRET_KEY = 'x'\nINSTALLED_APPS = []\nROOT_URLCONF = 'urls'\nDATABASES = {'default': {'ENGINE': 'django.db.backends.sqlite3', 'NAME': '@word@.db'}}\nUSE_TZ = True\n"
family("django/urlconf", "failed check_failed", "module_missing other", "python3 manage.py check", files={"manage.py": MANAGE, "conf.py": CONF.replace("'urls'", "'@cause@'")}, cause="shop_urls", twin="stock_urls")
family("poetry/check", "failed check_failed", "other invalid_input lint_failed", "poetry check", files={"pyproject.toml": "[project]\nname = '@word@'\n"}, twins=[Twin(files={"pyproject.toml": "[project\n"})])
family("uv/unsat", "failed", "conflict module_missing network", "uv pip install --offline --system --break-system-packages '@cause@'", cause="acmekit-internal", twin="stockkit-internal")
family("nox/session_fails", "failed check_failed", "command_not_found other test_failed", "nox -s tests", files={"noxfile.py": "@hash@import nox\n\n@nox.session(venv_backend='none')\ndef tests(session):\n    session.run('@cause@', external=True)\n"}, cause="gruntx", twin="gulpx")
family("tox/command", "failed check_failed", "command_not_found other test_failed", "tox -e lint", files={"tox.ini": "[tox]\nskipsdist = true\n[testenv:lint]\nskip_install = true\nallowlist_externals = *\ncommands = @cause@ @word@\n"}, cause="gruntx", twin="gulpx")
family("curl/not_found", "failed", "http_error", "curl -sSf http://127.0.0.1:$(cat port)/@word@", wrap="plain", setup="python3 -c 'import http.server,os,sys; s=http.server.HTTPServer((\"127.0.0.1\",0),http.server.SimpleHTTPRequestHandler); open(\"port\",\"w\").write(str(s.server_port)); sys.stdout.flush(); os.fork() and os._exit(0); os.setsid(); f=os.open(\"/dev/null\",2); [os.dup2(f,i) for i in range(3)]; s.timeout=15; s.handle_request()'", twins=[Twin(cmd="curl -sSf http://127.0.0.1:3/basket")])
family("openssl/bad_pem", "failed", "other invalid_input", "openssl x509 -in @word@.pem -noout", files={"@word@.pem": "text\n"}, twins=[Twin(cmd="openssl rsa -in none.pem")])
family("coreutils/dd_bad_number", "failed", "invalid_input bad_option other", "dd if=/dev/zero of=/dev/null bs=@word@ count=1", twins=[Twin(cmd="dd iff=/dev/zero")])
family("coreutils/key_sort", "failed", "invalid_input other bad_option", "sort -k @word@ @file@.txt", files={"@file@.txt": "a\n"}, twins=[Twin(cmd="sort -t ab app.txt")])
family("coreutils/ln_hard_dir", "failed", "is_directory permission other", "ln @dir@ link-@word@", setup="mkdir -p @dir@", twins=[Twin(cmd="ln none link")])
