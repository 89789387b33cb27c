# `make play` and `make test` set up everything they need: a virtual environment in .venv, this package and
# its dependencies. All that they ask of the machine is Python 3.11 or newer, with venv, and make.

PYTHON ?= python3
BIN := .venv/bin
GAME ?= connect_four
# Processes that run tests. Tests of engines, matches and processes wait for each other: with two cores a third
# one uses them meanwhile. A file goes to one process, in the order that tests/conftest.py gives.
WORKERS ?= 3
TESTS := -m "not slow and not browser"
PYTEST := $(BIN)/python -m pytest -n $(WORKERS) --dist loadfile --no-loadscope-reorder
# Python compiles a module when it is first read; here pip would do so for all of them, most of which nobody reads.
INSTALL := -m pip install --quiet --disable-pip-version-check --no-compile

# Tests start hundreds of processes, which read all of the package; they find it compiled.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: play check test test-failed test-browser test-slow test-bounds lint format page page-build page-check page-unchanged pictures protocol bench clean

# In the browser where there is one, else in the terminal.
play: .venv/installed
	@if $(BIN)/python -m branchwise.web.app.browser; then \
	  $(BIN)/branchwise serve $(GAME); else $(BIN)/branchwise play $(GAME); fi

# Before a commit, in about a minute: linters, types, and the tests nearest to what differs from `main`, or from
# another commit: make check SINCE=HEAD. It names what it has left out.
check: .venv/developing
	$(BIN)/python tests/check.py $(SINCE)

test: .venv/developing
	$(PYTEST) $(TESTS)

# Those that failed when they ran last; it fails where none did.
FAILED := --last-failed --last-failed-no-failures none
test-failed: .venv/developing
	$(BIN)/python -m pytest $(TESTS) $(FAILED)

# The page in Debian's Chromium, which .ci/browser installs; test-slow plays all games there.
# On a busy machine a page may answer later than a test waits: what fails is tried once more.
BROWSER_TESTS = $(BIN)/python -m pytest -m "browser and not slow" -o cache_dir=.pytest_cache/browser tests/browser
test-browser: .venv/developing
	$(BROWSER_TESTS) || $(BROWSER_TESTS) $(FAILED)

test-slow: .venv/clustered
	$(PYTEST) --timeout 5400 -m slow

# Kernels with every array index checked: the tests that run each of them, marked `bounds`. Other files need
# not be read. Without LLVM's optimisation they take a seventh less time, with the same checks.
test-bounds: .venv/developing
	NUMBA_BOUNDSCHECK=1 NUMBA_OPT=0 $(PYTEST) -m "bounds and not slow" -o cache_dir=.pytest_cache/bounds \
	  $$(grep -rlE "mark\.bounds|bounded\(" tests --include="test_*.py")

lint: .venv/developing
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports

format: .venv/developing
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

# The web page: from frontend/ to src/branchwise/web/static, which is committed. Needs Node.js 20.19 or newer.
page: protocol
	$(MAKE) page-build

page-build: frontend/node_modules
	cd frontend && npm run check && npm run test && npm run build

protocol: .venv/installed
	$(BIN)/python -m branchwise.web.protocol.typescript > frontend/src/protocol.ts

# That what is committed is what the source gives.
page-check: page
	$(MAKE) page-unchanged

page-unchanged: protocol
	git diff --exit-code --stat src/branchwise/web/static frontend/src/protocol.ts
	@test -z "$$(git status --porcelain src/branchwise/web/static)" || (echo "make page, and commit it"; exit 1)

# The list of games on the page, and what README and docs show of the page.
pictures: .venv/developing
	$(BIN)/python frontend/cards.py
	$(BIN)/python docs/pictures/board_and_tree.py
	$(BIN)/python frontend/pictures.py

frontend/node_modules: frontend/package-lock.json
	cd frontend && npm ci --no-audit --no-fund
	@touch $@

bench: .venv/comparing
	$(BIN)/python benchmarks/speed.py

clean:
	rm -rf .venv frontend/node_modules .pytest_cache .mypy_cache .ruff_cache .hypothesis

.venv/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed: make PYTHON=python3.12")'
	@echo "Setting up .venv, once (about a minute)"
	@$(PYTHON) -m venv .venv

.venv/installed: pyproject.toml constraints.txt | .venv/bin/python
	@$(BIN)/python $(INSTALL) -c constraints.txt -e .
	@touch $@

.venv/developing: pyproject.toml constraints.txt | .venv/bin/python
	@$(BIN)/python $(INSTALL) -c constraints.txt -e ".[dev,interop]"
	@touch $@ .venv/installed

# Ray, of 240 MB, is needed by slow tests alone.
.venv/clustered: pyproject.toml constraints.txt | .venv/bin/python
	@$(BIN)/python $(INSTALL) -c constraints.txt -e ".[dev,interop,cluster]"
	@touch $@ .venv/developing .venv/installed

.venv/comparing: pyproject.toml constraints.txt | .venv/bin/python
	@$(BIN)/python $(INSTALL) -c constraints.txt -e ".[dev,bench]"
	@touch $@ .venv/installed
