# Every job of the project, each runnable on a fresh machine. `make help` lists them.
# Nothing is installed twice: the stamps in .venv are older than pyproject.toml only when it has changed.

VENV    ?= .venv
PYTHON  ?= $(shell scripts/find-python 3.11)
DJANGO  ?=
# Where the database tests look; Django makes and drops databases called test_<name> there.
POSTGRES_URL ?= postgres://postgres@127.0.0.1:5432/test
MARIADB_URL  ?= mysql://root@127.0.0.1:3306/test
# The tests need no order and share nothing. They often wait for a server or a browser: three workers fill two cores.
# Files come in the order of tests/conftest.py, the long ones first.
WORKERS      ?= 3
PYTEST_ARGS  ?= -q -n $(WORKERS) --dist loadfile --no-loadscope-reorder
# Measuring makes the tests half as slow again.
COVERAGE     ?= --cov --cov-report=term:skip-covered
# What never touches the database under test is not run again on each of them. The sandbox has always its own.
WITHOUT_ROWS := architecture client contrib/prometheus/test_calls.py docs/test_fresh.py docs/test_pages.py domain \
	example_project/test_demo.py management/commands/test_wallet_sweep_process.py packaging protocol sandbox testing
ON_SERVERS   := -m "not browser" $(WITHOUT_ROWS:%=--ignore=tests/%)
# What reads sources only, or brings a Python and a Django of its own, is the same on every other.
WITHOUT_DJANGO := architecture docs/test_fresh.py docs/test_pages.py packaging
ON_VERSIONS    := -m "not browser" $(WITHOUT_DJANGO:%=--ignore=tests/%)

BIN := $(VENV)/bin
PIP := $(BIN)/pip install --quiet --disable-pip-version-check
SOURCES := wallet_gateway example_project tests bench docs manage.py

.PHONY: help ready demo test test-python test-versions test-js test-postgres test-mariadb lint format docs bench images messages clean
.DEFAULT_GOAL := help

help:  ## Show this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## (.*)/  make \1\t\2/' | expand -t 24

# --- what the jobs need ----------------------------------------------------------------------------------------

$(VENV)/.made:
	@test -n "$(PYTHON)"
	@$(PYTHON) -m venv $(VENV)
	@$(PIP) --upgrade "pip>=25.1"
	@touch $@

$(VENV)/.installed: pyproject.toml $(VENV)/.made
	@echo "Installing into $(VENV)"
	@$(PIP) --editable . $(if $(DJANGO),"$(DJANGO)")
	@touch $@

$(VENV)/.installed-%: pyproject.toml $(VENV)/.installed
	@$(PIP) --group $*
	@touch $@

ready: $(foreach group,test lint docs bench,$(VENV)/.installed-$(group))  ## Install what the other jobs need

# --- jobs ------------------------------------------------------------------------------------------------------

demo: $(VENV)/.installed  ## Start the example shop and the sandbox gateway
	@exec $(BIN)/python manage.py demo

# The scripts' tests first: they fetch axe, by which the browser tests look at pages.
test: test-js test-python test-postgres test-mariadb  ## Run every test: Python, JavaScript, browser, three databases

test-python: $(VENV)/.installed-test  ## Python and browser tests on SQLite, with branch coverage
	@scripts/find-browser $(BIN)/python
	$(BIN)/pytest $(PYTEST_ARGS) $(COVERAGE)

test-versions: $(VENV)/.installed-test  ## The Python tests without a browser, for another Python or Django
	$(BIN)/pytest $(PYTEST_ARGS) $(COVERAGE) $(ON_VERSIONS)

tests/js/node_modules/.installed: tests/js/package-lock.json
	@npm ci --prefix tests/js --silent --no-audit --no-fund
	@touch $@

test-js:  ## Types and tests of the browser scripts, where Node is there
	@if ! command -v node >/dev/null; then echo "*** Node is missing: JAVASCRIPT TESTS SKIPPED ***"; test "$$CI" != true; \
	else $(MAKE) --no-print-directory tests/js/node_modules/.installed && tests/js/node_modules/.bin/tsc --project tests/js \
	&& node --test --test-timeout=60000 $$(find tests -name '*.test.js' -not -path '*/node_modules/*'); fi

test-postgres: $(VENV)/.installed-test  ## The Python tests on PostgreSQL, when it answers; in CI it must
	@scripts/test-database $(VENV) postgres PostgreSQL "$(POSTGRES_URL)" $(PYTEST_ARGS) $(ON_SERVERS)

test-mariadb: $(VENV)/.installed-test  ## The Python tests on MariaDB, when it answers; in CI it must
	@scripts/test-database $(VENV) mariadb MariaDB "$(MARIADB_URL)" $(PYTEST_ARGS) $(ON_SERVERS)

lint: $(VENV)/.installed-test $(VENV)/.installed-lint $(VENV)/.installed-docs $(VENV)/.installed-bench  ## Style, types, arrows between the rooms, missing migrations
	$(BIN)/ruff check $(SOURCES)
	$(BIN)/ruff format --check $(SOURCES)
	$(BIN)/mypy wallet_gateway example_project tests bench manage.py
	$(BIN)/lint-imports
	$(BIN)/python -m django makemigrations --check --dry-run --settings=tests.settings
	$(BIN)/python -m django makemigrations --check --dry-run --settings=wallet_gateway.sandbox.settings
	$(BIN)/python manage.py makemigrations --check --dry-run

format: $(VENV)/.installed-lint  ## Format the code and mend what can be mended
	$(BIN)/ruff check --fix-only --quiet $(SOURCES)
	$(BIN)/ruff format $(SOURCES)

docs: $(VENV)/.installed-docs  ## Build the documentation into docs/_build/html; a warning is an error
	$(BIN)/sphinx-build -W --keep-going -q -b html docs docs/_build/html
	@echo "Open docs/_build/html/index.html"

bench: $(VENV)/.installed-bench  ## Measure what the project promises about speed, as ratios
	$(BIN)/python -m bench

images: $(VENV)/.installed-test  ## Take the pictures of the README anew
	$(BIN)/python docs/images/take.py "$$(scripts/find-browser $(BIN)/python)"

messages: $(VENV)/.installed-test  ## Update and compile the translations of all pages
	@$(BIN)/python scripts/update-messages

clean:  ## Remove what the jobs made, the virtual environments too
	rm -rf .venv .venv-* build dist docs/_build htmlcov .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis .coverage*
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
