"""More project tools, each with a few failures."""

# fmt: off
# ruff: noqa: E501  (a table: one family, one entry)

from __future__ import annotations

from families.dsl import Twin, family

PY = "@dir@/@file@.py"
family("invoke/no_task", "failed", "bad_option missing_file other", "invoke @cause@", files={"tasks.py": "@hash@from invoke import task\n\n@task\ndef ok(c):\n    pass\n"},
       cause="deploi", twin="migrat")
family("invoke/no_file", "failed", "missing_file module_missing other", "invoke build", twins=[Twin(files={"tasks.py": "x = 1\n"})])
family("doit/no_task", "failed", "bad_option missing_file other invalid_input", "doit @cause@", files={"dodo.py": "@hash@def task_ok():\n    return {'actions': ['true']}\n"}, cause="deploi", twin="migrat")
family("scons/no_file", "failed check_failed", "missing_file build_failed", "scons", b_cmd="scons -j2", twins=[Twin(files={"SConstruct": "x = \n"})])
family("scons/no_target", "failed check_failed", "bad_option missing_file build_failed other", "scons @cause@", files={"SConstruct": "@hash@Command('x', [], 'touch x')\n"}, cause="deploi", twin="migrat")
family("fabric/no_task", "failed", "bad_option missing_file other", "fab @cause@", files={"fabfile.py": "@hash@from fabric import task\n"}, cause="deploi", twin="migrat")
family("hatch/unknown_env", "failed", "missing_file bad_option other environment", "hatch env create @cause@", files={"pyproject.toml": "[project]\nname = '@word@'\nversion = '1'\n"}, cause="lintx", twin="docsx")
family("pdm/no_script", "failed", "missing_file bad_option command_not_found other", "pdm run @cause@", files={"pyproject.toml": "[project]\nname = '@word@'\nversion = '1'\nrequires-python = '>=3.11'\n"}, cause="lintx", twin="docsx")
family("pipenv/no_pipfile", "failed", "missing_file other command_not_found", "pipenv run @cause@", cause="lintx", twin="docsx", files={"Pipfile": "[packages]\n"}, env={"PIPENV_NOSPIN": "1", "PIPENV_IGNORE_VIRTUALENVS": "1"})
family("piptools/conflict", "failed", "module_missing conflict other", "pip-compile --no-index @word@.in -q", files={"@word@.in": "@hash@@cause@\n"}, cause="shopkit-internal", twin="ledgerkit-internal")
family("pybuild/no_project", "failed", "missing_file build_failed other", "pyproject-build --no-isolation ./@dir@", setup="mkdir -p @dir@", twins=[Twin(cmd="pyproject-build --frob")])
family("twine/no_dist", "failed", "missing_file bad_path invalid_input", "twine check @dir@/*", setup="mkdir -p @dir@", twins=[Twin(cmd="twine chek dist")])
family("coverage/fail_under", "check_failed failed", "test_failed lint_failed other", "coverage report --fail-under=90", setup="coverage run --source=. @file@.py",
       files={"@file@.py": "@hash@import sys\nif len(sys.argv) > 5:\n    a = 1\n    b = 2\nc = 3\n"}, twins=[Twin(setup="")])
family("coverage/no_data", "failed", "missing_file other", "coverage report", b_cmd="coverage report -m", twins=[Twin(cmd="coverage repot")])
family("vulture/dead_code", "check_failed", "lint_failed", f"vulture {PY}", files={PY: "@hash@def @cause@():\n    return 1\n"}, cause="unused_total", twin="unused_rate")
family("pycodestyle/finding", "check_failed", "lint_failed", f"pycodestyle {PY}", files={PY: "@hash@x=1\n"}, twins=[Twin(files={PY: "import os,sys\n"})])
family("pyflakes/several", "check_failed", "lint_failed", f"pyflakes {PY}", multi=True, files={PY: "@hash@import os\nprint(zz)\n"}, twins=[Twin(files={PY: "def f():\n    x = 1\n"})])
family("jsonschema/invalid", "check_failed failed", "lint_failed invalid_input other", "check-jsonschema --schemafile s.json @word@.json",
       files={"s.json": '{"type": "object", "required": ["@cause@"]}', "@word@.json": '{"@word@": @n@}'}, cause="amount", twin="owner")
family("yapf/diff", "check_failed failed", "lint_failed other", f"yapf --diff {PY}", files={PY: "@hash@x = {  'a':1 }\n"}, twins=[Twin(cmd="yapf --dif a.py")])
family("uvicorn/app_missing", "failed", "module_missing other", "uvicorn @cause@:app --port 5@n@", b_cmd="uvicorn @cause@:app --port @n@", cause="storefrontx", twin="backofficex")
family("uvicorn/attribute_missing", "failed", "module_missing bad_path other", "uvicorn web:@cause@ --port 5@n@", b_cmd="uvicorn web:@cause@ --port @n@", files={"web.py": "@pad@app = 1\n"}, cause="api", twin="admin")
family("gunicorn/app_missing", "failed", "module_missing other", "gunicorn --bind 127.0.0.1:5@n@ @cause@:app", b_cmd="gunicorn --bind 127.0.0.1:@n@ @cause@:app", cause="storefrontx", twin="backofficex")
family("celery/app_missing", "failed", "module_missing other bad_option", "celery -A @cause@ worker", b_cmd="celery -A @cause@ worker -c @n@", cause="storefrontx", twin="backofficex")
family("fastapi/response_model", "failed", "other invalid_input", "python3 @file@.py", files={"@file@.py": "@pad@from pydantic import TypeAdapter\nTypeAdapter(@cause@).validate_python('@word@')\n"}, cause="int", twin="float")
family("conan/no_recipe", "failed", "missing_file other", "conan install @project@/@dir@", setup="mkdir -p @dir@; conan profile detect >/dev/null 2>&1", twins=[Twin(cmd="conan instal .")])
family("zizmor/no_input", "failed check_failed", "missing_file bad_path other lint_failed", "zizmor --offline ./@dir@/@word@.yml", twins=[Twin(cmd="zizmor --frob x")])
family("basedpyright/undefined", "check_failed", "type_failed", f"basedpyright --level error {PY}", files={PY: "@hash@print(@cause@)\n"}, cause="totalz", twin="ratez")

JS = "@dir@/@file@.js"
PKG = '{"name": "@word@", "version": "1.0.0"}'
family("sass/undefined_variable", "check_failed failed", "build_failed syntax_error other", "sass @file@.scss", files={"@file@.scss": "@pad@a { color: $@cause@; }\n"}, cause="brand", twins=[Twin(files={"app.scss": "a { color: red\n"})])
family("sass/import_missing", "check_failed failed", "build_failed missing_file module_missing", "sass @file@.scss", files={"@file@.scss": "@pad@@use '@cause@';\n"}, cause="theme", twins=[Twin(files={"app.scss": "@use 'theme' as;\n"})])
family("ava/assertion", "check_failed", "test_failed", f"ava {JS}", files={"package.json": '{"type": "module"}', JS: "@pad@import test from 'ava'\ntest('@cause@', t => t.is(@n@, 0))\n"}, cause="total with tax", twin="discount limit")
family("oxlint/several", "check_failed", "lint_failed", "oxlint --deny-warnings @dir@", multi=True, files={JS: "@pad@debugger;\nconst a = 1;\nif (a = 2) {}\n"}, twins=[Twin(files={JS: "for (;;) { let z; }\n[1, 1].sort; delete x\n"})])
family("htmlvalidate/finding", "check_failed", "lint_failed", "html-validate @file@.html", files={"@file@.html": "@pad@<p><div></p>\n", ".htmlvalidate.json": '{"extends": ["html-validate:recommended"]}'},
       twins=[Twin(files={"app.html": "<img src=x>\n", ".htmlvalidate.json": '{"extends": ["html-validate:recommended"]}'})])
family("svgo/no_file", "failed", "missing_file bad_path", "svgo @dir@/@word@.svg", twins=[Twin(cmd="svgo --frob x.svg")])
family("lerna/no_config", "failed", "missing_file other environment", "lerna run build", b_cmd="lerna run build --concurrency @n@", files={"package.json": PKG}, twins=[Twin(cmd="lerna bild")])
family("wrangler/no_config", "failed", "build_failed missing_file other invalid_input", "wrangler deploy --dry-run", env={"WRANGLER_SEND_METRICS": "false"}, twins=[Twin(cmd="wrangler deply")])
family("terser/syntax", "check_failed failed", "syntax_error build_failed", f"terser {JS}", files={JS: "@pad@const @word@ = {\n"}, twins=[Twin(files={JS: "let a = 1 2\n"})])
family("handlebars/parse", "check_failed failed", "syntax_error build_failed other", "handlebars @file@.hbs", files={"@file@.hbs": "@pad@{{#if x}}\n"}, twins=[Twin(cmd="handlebars none.hbs")])
family("jsyaml/parse", "failed check_failed", "syntax_error invalid_input other", "js-yaml @file@.yaml", files={"@file@.yaml": "@hash@a: b: @n@\n"}, twins=[Twin(files={"app.yaml": "a: [1\n"})])
family("tsup/import_missing", "check_failed failed", "build_failed module_missing", "tsup @file@.ts", files={"package.json": PKG, "@file@.ts": "@pad@import './@cause@'\n"}, cause="pricing", twins=[Twin(files={"package.json": PKG, "app.ts": "const {\n"})])
family("redocly/file_missing", "failed", "missing_file bad_path", "redocly lint @dir@/@word@.yaml", env={"REDOCLY_SUPPRESS_UPDATE_NOTICE": "true", "REDOCLY_TELEMETRY": "off"}, twins=[Twin(cmd="redocly lintt x.yaml")])

family("busybox/applet_missing", "failed", "command_not_found bad_option", "busybox @cause@ @word@", cause="gitt", twin="curll")
family("zip/nothing", "failed", "missing_file bad_path other", "zip @word@.zip @dir@/none.txt", twins=[Twin(cmd="zip --frob a.zip b")])
family("patch/failed_hunk", "failed", "conflict other", "patch -p1 -i @word@.diff", files={"@file@.txt": "x\n", "@word@.diff": "--- a/@file@.txt\n+++ b/@file@.txt\n@@ -1,1 +1,1 @@\n-absent\n+new\n"}, twins=[Twin(cmd="patch -p1 -i none.diff")])
family("openssl/no_file", "failed", "missing_file bad_path other", "openssl x509 -in @dir@/@word@.pem -noout", twins=[Twin(cmd="openssl x510")])
family("gpg/no_key", "failed", "missing_file auth other", "gpg --list-keys @word@@example.org", twins=[Twin(cmd="gpg --frob")])
family("gdb/bad_option", "failed", "bad_option", "gdb --batch --@cause@", cause="frob", twin="widget")
family("date/invalid", "failed", "invalid_input other bad_option", "date -d @word@-yesterday", twins=[Twin(cmd="date --frob")])
