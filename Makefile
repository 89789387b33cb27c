# `make play` and `make test` set up everything they need: a virtual environment in .venv, this package and
# its dependencies. All that they ask of the machine is Python 3.11 or newer, with venv, and make.

PYTHON ?= python3
BIN := .venv/bin
GAME ?= connect_four

.PHONY: play test test-slow test-bounds lint format bench clean

play: .venv/installed
	@$(BIN)/branchwise play $(GAME)

test: .venv/developing
	$(BIN)/python -m pytest -n 2 --dist loadfile -m "not slow"

test-slow: .venv/developing
	$(BIN)/python -m pytest -n 2 --dist loadfile -m slow

# Compiled rules and kernels with every array index checked.
test-bounds: .venv/developing
	NUMBA_BOUNDSCHECK=1 $(BIN)/python -m pytest -n 2 --dist loadfile -m "not slow" tests/search tests/bots \
	  --ignore tests/search/test_processes.py

lint: .venv/developing
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports

format: .venv/developing
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

bench: .venv/comparing
	$(BIN)/python benchmarks/speed.py

clean:
	rm -rf .venv .pytest_cache .mypy_cache .ruff_cache .hypothesis

.venv/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed: make PYTHON=python3.12")'
	@echo "Setting up .venv, once (about a minute)"
	@$(PYTHON) -m venv .venv

.venv/installed: pyproject.toml constraints.txt | .venv/bin/python
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e .
	@touch $@

.venv/developing: pyproject.toml constraints.txt | .venv/bin/python
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e ".[dev,interop]"
	@touch $@ .venv/installed

.venv/comparing: pyproject.toml constraints.txt | .venv/bin/python
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e ".[dev,bench]"
	@touch $@ .venv/installed
