# make demo   what keeps failing in your own agent sessions (or in sample sessions, when this machine has none)
# make test   the tests
# make check  everything the build checks
# make docs   the generated pages, written anew
# make e2e    the loop with the genuine agents (needs node and npm; installs 1.5 GB once into a cache folder)
# make bench  reading transcripts, beside other programs (needs the package index)
# make corpus the tests on real sessions (needs a corpus of them in ../shared/corpus)
# make clean  the environment and all caches away
# CONTRIBUTING.md has the rest: lint, types, floors, docs-check, contract, sisters, requirements.
# The environment is made by Python's own venv module in $(VENV), from the pinned and hashed requirement files.

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
RUNS := $(VENV)/.runs
TESTS := $(VENV)/.tests

.DEFAULT_GOAL := help
.PHONY: help demo test e2e lint types floors docs docs-check check contract corpus bench sisters requirements clean

help:
	@sed -n '/^$$/q; s/^# //p' Makefile

demo: $(RUNS)
	@$(BIN)/agent-riggs demo

test: $(TESTS)
	$(BIN)/pytest -q

lint: $(TESTS)
	$(BIN)/ruff check
	$(BIN)/ruff format --check

types: $(TESTS)
	$(BIN)/mypy

floors: $(TESTS)
	$(BIN)/lint-imports

docs: $(TESTS)
	$(BIN)/python -m tools.docs

docs-check: $(TESTS)
	$(BIN)/python -m tools.docs --check

e2e: $(TESTS)
	$(BIN)/pytest -q e2e

check: lint types floors docs-check test

# kibitzer's own conformance test on DuckDB 1.5 and 2.0, and a store of the public 0.2.0; both come from the registry.
contract: $(TESTS)
	$(BIN)/python -m tools.kibitzer
	$(BIN)/pytest -q -m registry tests/contract

# Needs a corpus of real sessions beside the checkout, in ../shared/corpus.
corpus: $(TESTS)
	$(BIN)/pytest -q -m corpus

# Needs the package index: the peers are installed into environments of their own in a temporary folder.
bench: $(TESTS)
	$(BIN)/python -m benchmarks.ingest

# The real kibitzer and blq from the registry, driven in two time zones and across a clock change.
sisters: $(TESTS)
	$(BIN)/pytest -q -m sisters tests/sisters

# Needs uv on the PATH; only for those who change the dependencies.
requirements:
	uv pip compile pyproject.toml --group dev $(COMPILE) -o requirements/dev.txt
	uv pip compile pyproject.toml --group build -c requirements/dev.txt $(COMPILE) -o requirements/run.txt
COMPILE := --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-annotate --no-header

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache dist build

$(BIN)/pip:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "agent-riggs needs Python 3.11 or newer; name one with: make PYTHON=python3.12 ..." >&2; exit 1; }
	@$(PYTHON) -c 'import venv, ensurepip' 2>/dev/null || \
		{ echo "this Python has no venv module; on Debian and Ubuntu: sudo apt install python3-venv" >&2; exit 1; }
	@echo "making the environment in $(VENV) ..." >&2
	@$(PYTHON) -m venv $(VENV)

$(RUNS): requirements/run.txt pyproject.toml | $(BIN)/pip
	@$(PIP) install --require-hashes --only-binary :all: -r requirements/run.txt
	@$(PIP) install --no-deps --no-build-isolation --editable .
	@touch $@

$(TESTS): requirements/dev.txt $(RUNS)
	@$(PIP) install --require-hashes --only-binary :all: -r requirements/dev.txt
	@touch $@
