# Two commands matter: `make up` and `make test`. Both make what they need.
VENV ?= .venv
PYTHON ?= $(shell for p in python3.13 python3.12 python3.11 python3; do \
	$$p -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))' 2>/dev/null \
	&& { echo $$p; exit; }; done)
BIN = $(VENV)/bin
STAMP = $(VENV)/.made-from
WORKERS ?= 2

.PHONY: up test test-long env server-env lint types docs

up: env ## start Argilla and JupyterLab, load the sample; Ctrl-C stops
	@$(BIN)/gates up || test $$? -eq 130

test: env server-env lint types ## everything that takes less than 15 minutes
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadgroup -m "not long"

test-long: env server-env ## kills, coverage runs and other tests of minutes
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadfile -m long

env: $(STAMP) ## the environment of notebooks and commands (VENV= moves it)

$(STAMP): pyproject.toml constraints.txt
	@test -n "$(PYTHON)" || { echo "Python 3.11, 3.12 or 3.13 is needed and none was found" >&2; exit 1; }
	@rm -f $(STAMP)
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV) || { \
		echo "a virtual environment could not be made; on Debian: apt-get install python3-venv" >&2; exit 1; }
	@echo "making $(VENV) with $(PYTHON) (some minutes the first time)"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[test]' --constraint constraints.txt
	@touch $(STAMP)

server-env: env ## Argilla's own environment (VENV_SERVER= moves it)
	@$(BIN)/python -c 'from pathlib import Path; from labelling.server.environment import ensure; ensure(Path.cwd())'

lint: env
	@$(BIN)/ruff check . && $(BIN)/ruff format --check --quiet .

types: env server-env
	@$(BIN)/mypy

docs: env ## rewrite environment.yml, the data dictionary and the README's command table
	@$(BIN)/python -m tests.documents
