"""Python frameworks and project tools."""

# fmt: off
# ruff: noqa: E501  (a table: one family, one entry)

from __future__ import annotations

from families.dsl import Twin, family

SETTINGS = (
    "SECRET_KEY = 'x'\nINSTALLED_APPS = [@cause@]\n"
    "DATABASES = {'default': {'ENGINE': 'django.db.backends.sqlite3', 'NAME': 'db.sqlite3'}}\n"
)
MANAGE = (
    "import os, sys\nos.environ.setdefault('DJANGO_SETTINGS_MODULE', 'conf_@word@')\n"
    "from django.core.management import execute_from_command_line\nexecute_from_command_line(sys.argv)\n"
)
DJANGO = {"manage.py": MANAGE, "conf_@word@.py": SETTINGS.replace("@cause@", "'django.contrib.auth', 'django.contrib.contenttypes'")}

family("django/unknown_command", "failed", "bad_option other", "python3 manage.py @cause@", files=DJANGO, cause="migrat_all",
       twin="load_rates")
family("django/app_missing", "failed", "module_missing", "python3 manage.py check", cause="'invoicesx'", twin="'ratesx'",
       files={"manage.py": MANAGE, "conf_@word@.py": "@pad@" + SETTINGS})
family("django/settings_missing", "failed", "module_missing", "python3 manage.py check",
       files={"manage.py": MANAGE.replace("conf_@word@", "@cause@")}, cause="conf_prod", twin="conf_dev")
family("django/no_such_table", "failed", "other", "python3 manage.py createsuperuser --noinput --username @word@ --email a@b.c",
       files=DJANGO, twins=[Twin(cmd="python3 manage.py shell -c 'from django.contrib.contenttypes.models import *; "
                                 "print(list(ContentType.objects.all()))'")])
family("django/migration_missing", "failed", "other invalid_input missing_file bad_option", "python3 manage.py migrate @cause@",
       files=DJANGO, cause="invoices", twin="rates")
family("flask/app_missing", "failed", "module_missing missing_file bad_option other", "flask --app @cause@ run --port @n@",
       cause="storefrontx", twin="backofficex")
family("alembic/no_config", "failed", "missing_file other", "alembic upgrade head",
       twins=[Twin(cmd="alembic upgrad head")])
family("alembic/revision_missing", "failed", "other missing_file", "alembic upgrade @cause@",
       setup="alembic init @word@ -q 2>/dev/null || alembic init @word@ >/dev/null; "
             "sed -i 's|^sqlalchemy.url.*|sqlalchemy.url = sqlite:///@word@.db|' alembic.ini",
       cause="add_invoices", twin="add_rates")
family("sqlalchemy/no_table", "failed", "other", "python3 @file@.py",
       files={"@file@.py": "@pad@import sqlalchemy as sa\nwith sa.create_engine('sqlite://').connect() as c:\n"
                           "    c.execute(sa.text('select * from @cause@ where id = :n'), {'n': @n@})\n"},
       cause="orders", twin="customers")
family("poetry/no_pyproject", "failed", "missing_file", "poetry install", twins=[Twin(cmd="poetry instal")])
family("poetry/lock_outdated", "failed", "conflict other vcs", "poetry install",
       files={"pyproject.toml": "[project]\nname = '@word@'\nversion = '0.@n@'\nrequires-python = '>=3.11'\n",
              "poetry.lock": "package = []\n[metadata]\nlock-version = '2.1'\npython-versions = '*'\n"
                             "content-hash = '0'\n"},
       twins=[Twin(files={"pyproject.toml": "[project]\nname = 'basket'\n"})])
family("poetry/unknown_command", "failed", "bad_option", "poetry @cause@ requests", cause="instal", twin="upgrad",
       files={"pyproject.toml": "[project]\nname = '@word@'\nversion = '1'\n"})
family("uv/no_project", "failed", "missing_file other", "uv sync", twins=[Twin(cmd="uv sink")])
family("uv/command_not_found", "failed", "command_not_found missing_file", "uv run --offline --no-project @cause@ --port @n@",
       cause="granianx", twin="daphnex")
family("uv/bad_option", "failed", "bad_option", "uv pip install --@cause@ requests", cause="upgrade-all", twin="localonly")
family("uv/toml_error", "failed", "syntax_error other", "uv sync --offline",
       files={"pyproject.toml": "@pad@[project\nname = '@word@'\n"},
       twins=[Twin(files={"pyproject.toml": "[project]\nname = 'basket'\n"}), Twin(cmd="uv sync --ofline")])
family("uv/no_python", "failed", "missing_file environment other network", "uv venv --offline --python @cause@ .venv-@word@",
       cause="3.99", twins=[Twin(cmd="uv venv --offline --python pypy9.9 .venv")])
family("tox/env_missing", "failed check_failed", "missing_file other bad_option invalid_input", "tox -e @cause@ -c tox.ini",
       files={"tox.ini": "[tox]\nenv_list = py\nskipsdist = true\n[testenv:py]\ncommands = true\n"}, cause="lintx",
       twin="docsx")
family("nox/session_missing", "failed check_failed", "missing_file other bad_option invalid_input", "nox -s @cause@",
       files={"noxfile.py": "@pad@import nox\n\n@nox.session\ndef @word@(session):\n    pass\n"}, cause="lintx",
       twin="docsx")
family("nox/no_file", "failed", "missing_file", "nox -s tests", twins=[Twin(cmd="nox --sesion tests")])
family("precommit/no_config", "failed", "missing_file", "pre-commit run --all-files", setup="git init -q",
       twins=[Twin(setup="")])
family("precommit/hook_failed", "check_failed failed", "lint_failed vcs other", "pre-commit run --all-files",
       files={".pre-commit-config.yaml": "repos:\n- repo: local\n  hooks:\n  - id: @cause@\n    name: @cause@\n"
                                         "    entry: sh -c 'echo @word@.py needs work; exit 1'\n    language: system\n",
              "a.py": ""}, setup="git init -q; git add .", cause="check-licenses",
       twin="check-imports")
family("sqlfluff/lint", "check_failed", "lint_failed syntax_error", "sqlfluff lint --dialect postgres @word@.sql",
       files={"@word@.sql": "@dash@SELECT a from t;\nSELECT b  FROM u;\n"}, multi=True,
       twins=[Twin(files={"basket.sql": "SELECT a FROM t WHERE a = NULL;\n"})])
family("ansible/module_missing", "failed check_failed", "module_missing bad_option other syntax_error",
       "ansible-playbook @word@.yml",
       files={"@word@.yml": "---@pad@\n- hosts: localhost\n  gather_facts: false\n  tasks:\n  - @cause@:\n      name: x\n"},
       cause="aptx", twin="yumx")
family("ansible/task_failed", "failed", "other", "ansible-playbook @word@.yml",
       files={"@word@.yml": "---@pad@\n- hosts: localhost\n  connection: local\n  gather_facts: false\n  tasks:\n"
                            "  - name: say\n    ansible.builtin.debug:\n      msg: '{{ @cause@ }}'\n"},
       cause="shop_region", twin="shop_bucket")
family("ansible/playbook_missing", "failed", "missing_file bad_path", "ansible-playbook @dir@/@word@.yml",
       twins=[Twin(cmd="ansible-playbook --chek a.yml")])
family("meson/no_build_file", "failed", "missing_file bad_path", "meson setup build-@word@",
       twins=[Twin(cmd="meson stup build")])
family("meson/dependency_missing", "failed check_failed", "build_failed module_missing other", "meson setup build",
       files={"meson.build": "@pad@project('@word@', 'c')\ndependency('@cause@')\n"}, cause="libinvoice",
       twin="librates")
family("ninja/no_file", "failed", "missing_file bad_path", "ninja -C @dir@", setup="mkdir -p @dir@",
       twins=[Twin(cmd="ninja -C nowhere/src")])
family("ninja/unknown_target", "failed", "bad_option other missing_file build_failed", "ninja @cause@",
       files={"build.ninja": "rule t\n  command = touch $out\nbuild @word@: t\n"}, cause="deploy",
       twin="package")
family("sphinx/no_conf", "failed", "missing_file bad_path other", "sphinx-build -b html @dir@ out", setup="mkdir -p @dir@",
       twins=[Twin(cmd="sphinx-build -b htlm docs out", files={"docs/conf.py": "", "docs/index.rst": "A\n=\n"})])
family("mkdocs/no_config", "failed", "missing_file", "mkdocs build", twins=[Twin(cmd="mkdocs buidl")])
family("pydantic/missing_field", "failed", "invalid_input other", "python3 @file@.py",
       files={"@file@.py": "@pad@from pydantic import BaseModel\n\nclass Order(BaseModel):\n    @cause@: int\n\n"
                           "Order(name='@word@')\n"}, cause="amount", twin="owner", twins=[Twin(files={"app.py": "from pydantic import BaseModel\n\nclass Order(BaseModel):\n    amount: int\n\nOrder(amount='x')\n"})])
