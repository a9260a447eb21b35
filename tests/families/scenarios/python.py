"""Python: the interpreter, pip, pytest and the checkers."""

# fmt: off
# ruff: noqa: E501  (a table: one family, one entry)

from __future__ import annotations

from families.dsl import Twin, family

RUN = "python3 @dir@/@file@.py"


def script(body: str) -> dict[str, str]:
    return {"@dir@/@file@.py": "@pad@" + body}


family("python/module_missing", "failed", "module_missing", RUN, files=script("import @cause@\n"), cause="flask_caching",
       twin="orjson_lite", windows=True)
family("python/module_missing_m", "failed", "module_missing", "python3 -m @cause@ --port @n@", cause="gunicornx",
       twin="uvicornx")
family("python/submodule_missing", "failed", "module_missing", RUN, files=script("from json.@cause@ import dumps\n"),
       cause="fast", twin="safe")
family("python/import_name", "failed", "module_missing other syntax_error", RUN,
       files=script("from collections import @cause@\n"), cause="Mapping", twin="Callable")
family("python/own_import_name", "failed", "module_missing other", "python3 @file@.py",
       files={"shoplib.py": "x = 1\n", "@file@.py": "@pad@from shoplib import @cause@\n"}, cause="load_settings",
       twin="save_settings")
family("python/syntax_error", "failed", "syntax_error", RUN, files=script("def total(items)\n    return 1\n"),
       twins=[Twin(files=script("def total(items):\n    return (1\n"))])
family("python/indentation", "failed", "syntax_error", RUN, files=script("def total(items):\nreturn 1\n"),
       twins=[Twin(files=script("def total(items):\n    x = 1\n      y = 2\n"))])
family("python/name_error", "failed", "other build_failed", RUN, files=script("print(@cause@)\n"), cause="settingz",
       twin="configz", windows=True)
family("python/attribute_error", "failed", "other", RUN, files=script("import json\njson.@cause@('{}')\n"),
       cause="parse", twin="read")
family("python/none_attribute", "failed", "other", RUN,
       files=script("def find(name):\n    return None\n\nprint(find('@word@').@cause@)\n"), cause="price",
       twin="owner")
family("python/key_error", "failed", "other", RUN, files=script("prices = {'@word@': @n@}\nprint(prices['@cause@'])\n"),
       cause="currency", twin="country")
family("python/env_var", "failed", "other environment", RUN,
       files=script("import os\nprint(os.environ['@cause@'])\n"), cause="SHOP_DATABASE_URL", twin="SHOP_SECRET_KEY",
       windows=True)
family("python/type_args", "failed", "other invalid_input", RUN,
       files=script("def charge(amount, currency):\n    return amount\n\ncharge(@n@)\n"),
       twins=[Twin(files=script("def charge(amount, currency):\n    return amount\n\ncharge(1, 2, 3)\n"))])
family("python/unexpected_keyword", "failed", "other invalid_input", RUN,
       files=script("def charge(amount):\n    return amount\n\ncharge(@n@, @cause@=1)\n"), cause="currency",
       twin="region")
family("python/value_error_int", "failed", "other", RUN, files=script("int('@word@')\n"),
       twins=[Twin(files=script("a, b = [1, 2, @n@]\n"))])
family("python/file_not_found", "failed", "missing_file bad_path", RUN,
       files=script("open('@project@/data/@word@-@n@.csv')\n"), windows=True,
       twins=[Twin(files=script("import os\nos.mkdir('@project@/src')\n"))])
family("python/script_missing", "failed", "missing_file bad_path", "python3 @dir@/@word@.py",
       twins=[Twin(cmd="python3 -c 'print(1'")])
family("python/bad_option", "failed", "bad_option", "python3 --@cause@ @file@.py", cause="optimise", twin="warnings-as",
       files=script(""))
family("python/json_decode", "failed", "other invalid_input syntax_error", RUN,
       files={"@dir@/@file@.py": "@pad@import json\nprint(json.load(open('@word@.json')))\n", "@word@.json": "@pad@"},
       twins=[Twin(files={"src/app.py": "import json\njson.load(open('basket.json'))\n",
                          "basket.json": "{'a': 1}"})])
family("python/unicode_decode", "failed", "other", RUN,
       files=script("b'@word@ \\xe9'.decode('utf-8')\n"),
       twins=[Twin(files=script("'\\u20ac'.encode('ascii')\n"))])
family("python/permission", "failed", "permission", RUN, user=True,
       files=script("open('/etc/@word@.conf', 'w')\n"),
       twins=[Twin(files=script("import os\nos.chown('/etc/passwd', 0, 0)\n"))])
family("python/port_in_use", "failed", "network conflict other environment", "python3 -W ignore @dir@/@file@.py",
       files=script("import socket, http.server\nheld = socket.socket()\nheld.bind(('127.0.0.1', 0))\nheld.listen()\n"
                    "http.server.HTTPServer(held.getsockname(), None)\n"),
       twins=[Twin(files=script("import socket\nsocket.socket().bind(('203.0.113.9', 8000))\n"))])
family("python/connection_refused", "failed", "network", RUN,
       files=script("import urllib.request\nurllib.request.urlopen('http://127.0.0.1:@n@/@word@')\n"),
       twins=[Twin(files=script("import urllib.request\n"
                                "urllib.request.urlopen('http://shop.invalid/basket')\n"))])
family("python/recursion", "failed", "other", RUN, files=script("def @word@(n):\n    return @word@(n + 1)\n\n@word@(0)\n"),
       twins=[Twin(files=script("def f():\n    yield 1\n\nnext(iter([]))\n"))])
family("python/assertion", "failed", "other test_failed", RUN, files=script("total = @n@\nassert total == 0, 'totals differ'\n"),
       twins=[Twin(files=script("total = 3\nassert total == 0, 'currency missing'\n"))])
family("python/own_exception", "failed", "other", RUN,
       files=script("class @cause@(Exception):\n    pass\n\nraise @cause@('order @n@ is gone')\n"),
       cause="StockError", twin="PriceError")
family("python/argparse_required", "failed", "bad_option invalid_input", RUN,
       files=script("import argparse\np = argparse.ArgumentParser()\np.add_argument('--@cause@', required=True)\n"
                    "p.parse_args()\n"), cause="region", twin="bucket")
family("python/argparse_unknown", "failed", "bad_option invalid_input", RUN + " --@cause@ @n@",
       files=script("import argparse\np = argparse.ArgumentParser()\np.add_argument('--all')\np.parse_args()\n"),
       cause="dry-run", twin="verbose")
family("python/chained", "failed", "other", RUN,
       files=script("try:\n    int('@word@')\nexcept ValueError as e:\n    raise RuntimeError('@cause@') from e\n"),
       cause="no rate table loaded", twin="no tax table loaded")
family("python/sqlite_no_table", "failed", "other", RUN,
       files=script("import sqlite3\nsqlite3.connect(':memory:').execute('select * from @cause@ where id = @n@')\n"),
       cause="orders", twin="customers")
family("python/sqlite_no_column", "failed", "other", RUN,
       files=script("import sqlite3\nc = sqlite3.connect(':memory:')\nc.execute('create table t (a)')\n"
                    "c.execute('select @cause@ from t')\n"), cause="amount", twin="owner")
family("python/subprocess_failed", "failed", "other", RUN,
       files=script("import subprocess\nsubprocess.run(['false', '@word@'], check=True)\n"),
       twins=[Twin(files=script("import subprocess\nsubprocess.run(['lessc-x', 'a'], check=True)\n"))])
family("python/unittest_failed", "check_failed", "test_failed", "python3 -m unittest @file@_test",
       files={"@file@_test.py": "@pad@import unittest\n\nclass T(unittest.TestCase):\n    def test_@cause@(self):\n"
                                "        self.assertEqual(1, @n@)\n"}, cause="total", twin="discount")

family("pip/no_distribution", "failed", "module_missing missing_file network other",
       "pip install --no-index @cause@", cause="shopkit-internal", twin="ledgerkit-internal")
family("pip/version_missing", "failed", "module_missing conflict other",
       "pip install --no-index 'requests==@cause@'", cause="99.0", twins=[Twin(cmd="pip install --no-index rich==77")])
family("pip/bad_option", "failed", "bad_option", "pip install --@cause@ requests", cause="upgrade-all", twin="localonly")
family("pip/unknown_command", "failed", "bad_option", "pip @cause@", cause="instal", twin="updat")
family("pip/requirements_missing", "failed", "missing_file bad_path", "pip install -r @dir@/@word@.txt",
       twins=[Twin(cmd="pip install -e @dir@/nothing")])
family("pip/not_a_project", "failed", "missing_file bad_path other invalid_input", "pip install -e @project@/@dir@",
       files={"@dir@/a.txt": ""}, twins=[Twin(cmd="pip install 'requests=>2'")])
family("pip/invalid_requirement", "failed", "invalid_input bad_option other syntax_error",
       "pip install -r @word@.txt", files={"@word@.txt": "@pad@rich=>@n@\n"},
       twins=[Twin(files={"basket.txt": "rich==1 --hsh=x\n"})])

TEST = "@dir@/test_@file@.py"
PYTEST = f"pytest -q {TEST}"


def case(body: str) -> dict[str, str]:
    return {TEST: "@pad@" + body}


family("pytest/assertion", "check_failed", "test_failed", PYTEST,
       files=case("def test_@cause@():\n    total = @n@\n    assert total == 0\n"), cause="total_with_tax",
       twin="discount_limit", windows=True)
family("pytest/two_failures", "check_failed", "test_failed", PYTEST, multi=True,
       files=case("def test_refund():\n    assert @n@ == 0\n\ndef test_@cause@():\n    assert '@word@' == ''\n"),
       cause="invoice", twins=[Twin(files=case("def test_login():\n    assert 0\n\ndef test_logout():\n    assert 0\n"))])
family("pytest/exception", "check_failed", "test_failed", PYTEST,
       files=case("def load():\n    return {'@word@': 1}['@cause@']\n\ndef test_load():\n    load()\n"),
       cause="rate", twins=[Twin(files=case("def test_load():\n    raise TimeoutError('slow')\n"))])
family("pytest/collection_module", "check_failed", "module_missing test_failed", PYTEST,
       files=case("import @cause@\n\ndef test_a():\n    pass\n"), cause="freezegunx", twin="hypothesisx")
family("pytest/collection_syntax", "check_failed", "syntax_error test_failed", PYTEST,
       files=case("def test_a()\n    pass\n"), twins=[Twin(files=case("def test_a():\n    assert (1\n"))])
family("pytest/fixture_missing", "check_failed", "test_failed other", PYTEST,
       files=case("def test_a(@cause@):\n    pass\n"), cause="db_session", twin="client")
family("pytest/no_file", "failed", "missing_file bad_path test_failed", "pytest -q @dir@/test_@word@.py",
       twins=[Twin(cmd="pytest -q --color=perhaps")])
family("pytest/bad_option", "failed", "bad_option", "pytest -q --@cause@", cause="cov=src",
       twin="reruns=3")
family("pytest/test_not_found", "failed check_failed", "test_failed other missing_file", PYTEST + "::test_@cause@",
       files=case("def test_a():\n    pass\n"), cause="refund", twins=[Twin(cmd="pytest -q src/test_none.py::test_refund")])
family("pytest/marker", "check_failed failed", "test_failed other bad_option invalid_input", f"pytest -q --strict-markers {TEST}",
       files=case("import pytest\n\n@pytest.mark.@cause@\ndef test_a():\n    pass\n"), cause="slowdb",
       twin="browser")
family("pytest/conftest_import", "check_failed failed", "module_missing test_failed", "pytest -q",
       files={"conftest.py": "@pad@from @cause@ import x\n", TEST: "def test_a():\n    pass\n"}, cause="factory_boyx",
       twin="respxx")
family("pytest/xdist_worker_flag", "failed", "bad_option", "pytest -p no:xdist -n @n@ @dir@",
       twins=[Twin(cmd="pytest --timeoutt=3 src")], files=case("def test_a():\n    pass\n"))

CODE = "@dir@/@file@.py"
family("mypy/arg_type", "check_failed", "type_failed", f"mypy {CODE}", windows=True,
       files=script("def f(a: int) -> int:\n    return a\n\nf('@word@')\n"),
       twins=[Twin(files=script("def f(a: int) -> int:\n    return a\n\nf(1, 2)\n"))])
family("mypy/import_not_found", "check_failed", "type_failed module_missing", f"mypy {CODE}",
       files=script("import @cause@\n"), cause="kafka_clientx", twin="redis_clientx")
family("mypy/name_defined", "check_failed", "type_failed", f"mypy {CODE}", files=script("print(@cause@)\n"),
       cause="undefined_total", twin="undefined_rate")
family("mypy/several", "check_failed", "type_failed", f"mypy {CODE}", multi=True,
       files=script("x: int = 'a'\n\ndef f() -> str:\n    return 1\n\ny: str = f(1)\n"),
       twins=[Twin(files=script("import nothing_here_x\n\nclass A: ...\n\nA().missing\n"))])
family("mypy/attr_defined", "check_failed", "type_failed", f"mypy {CODE}",
       files=script("import json\njson.@cause@('@word@')\n"), cause="parse", twin="encode")
family("mypy/bad_option", "failed", "bad_option", f"mypy --@cause@ {CODE}", cause="stricter", twin="no-cache-dir",
       files=script(""))
family("mypy/no_file", "failed", "missing_file bad_path", "mypy @dir@/@word@.py",
       twins=[Twin(cmd="mypy")])
family("ruff/unused_import", "check_failed", "lint_failed", f"ruff check {CODE}",
       files=script("import os\n"), twins=[Twin(files=script("def f():\n    x = 1\n"))])
family("ruff/undefined_name", "check_failed", "lint_failed", f"ruff check {CODE}", files=script("print(@cause@)\n"),
       cause="totals", twin="rates", windows=True)
family("ruff/several", "check_failed", "lint_failed", f"ruff check --output-format concise {CODE}", multi=True,
       files=script("import os\n\n\ndef f():\n    y = 1\n    print(zz)\n"),
       twins=[Twin(files=script("try:\n    pass\nexcept:\n    pass\n\nlambda_ = 1\nif lambda_ == None:\n    pass\n"))])
family("ruff/format_check", "check_failed", "lint_failed", f"ruff format --check {CODE}",
       files={CODE: "@hash@x = {  'a':1 }\n"}, twins=[Twin(files=script("def f(:\n"))])
family("ruff/bad_option", "failed", "bad_option", f"ruff check --@cause@ {CODE}", cause="fix-all", twin="autofix",
       files=script(""))
family("ruff/config", "failed", "other invalid_input bad_option syntax_error", f"ruff check {CODE}",
       files={CODE: "", "ruff.toml": "@pad@@cause@ = @n@\n"}, cause="line-lenght", twin="target-versoin")
family("black/check", "check_failed", "lint_failed", f"black --check {CODE}", files={CODE: "@hash@x = {  'a':1 }\n"},
       twins=[Twin(files=script("def f(:\n"))])
family("flake8/undefined_name", "check_failed", "lint_failed", f"flake8 {CODE}",
       files={CODE: "@hash@print(@cause@)\n"}, cause="totals", twin="rates")
family("flake8/several", "check_failed", "lint_failed", f"flake8 {CODE}", multi=True,
       files={CODE: "@hash@import os\nx=1\nprint(zz)\n"}, twins=[Twin(files=script("if x == None:\n  pass\n"))])
family("pylint/no_member", "check_failed", "lint_failed", f"pylint --disable=C,W {CODE}",
       files=script("import json\njson.@cause@('@word@')\n"), cause="parse", twin="encode")
family("pylint/import_error", "check_failed", "lint_failed module_missing", f"pylint --disable=C,W {CODE}",
       files=script("import @cause@\n"), cause="kafka_clientx", twin="redis_clientx")
family("bandit/finding", "check_failed", "lint_failed", f"bandit -q {CODE}",
       files=script("import subprocess\nsubprocess.call('ls @word@', shell=True)\n"),
       twins=[Twin(files=script("eval('1')\n"))])
family("pyright/attribute", "check_failed", "type_failed", f"pyright {CODE}",
       files=script("import json\njson.@cause@('@word@')\n"), cause="parse", twin="encode")
family("isort/check", "check_failed", "lint_failed", f"isort --check-only {CODE}",
       files=script("import sys\nimport os\n"), twins=[Twin(cmd=f"isort --check-onyl {CODE}")])
family("yamllint/indent", "check_failed", "lint_failed syntax_error", "yamllint @word@.yaml",
       files={"@word@.yaml": "---\n@hash@a:\n  b: 1\n   c: 2\n"},
       twins=[Twin(files={"basket.yaml": "---\na: 1\na: 2\n"})])
family("codespell/finding", "check_failed", "lint_failed other", "codespell @word@.md",
       files={"@word@.md": "@pad@we @cause@ it\n"}, cause="recieve", twin="seperate")
