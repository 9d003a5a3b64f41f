# The jobs of every day, each runnable on a fresh machine; `make help` lists them. Rarer ones are in docs/contributing.md.
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
# A browser sees each page in one state. `make test-all` empties this list.
EXHAUSTIVE   ?= -m "not exhaustive"
# Only files with the mark are collected: what never touches SQL is the same on every database.
ON_SERVERS   ?= -m "every_database and not browser" $$(grep -rl --include='test_*.py' 'mark\.every_database' tests)
# Where another Django or Python may differ: rows, pages, forms, settings, commands, and the doors to them.
ON_VERSIONS  ?= -m "(not browser or newest_django) and not exhaustive" $(addprefix tests/,admin api conf contrib doctor models \
	payments reports templatetags web test_checks.py test_gateways.py test_tokens.py test_signals.py \
	management/commands testing money/test_conflicts.py \
	$(addprefix sandbox/,pages api/test_requests.py test_control.py wallet/test_files.py))
# As `PROOF_ARGS='--only soak --scale 0.1'`: single parts of the proof, and how large they are.
PROOF_ARGS   ?=
# As `BENCH_ARGS='order --rounds 3'`: single parts of the bench, and how many rounds.
BENCH_ARGS   ?=
# For every save: what opens no socket, and needs no more than the group `fast`.
FAST         ?= --offline $(EXHAUSTIVE) $(addprefix tests/,client conf domain models payments protocol templatetags wrong_use \
	money/checkout money/approvals)

# Hundreds of processes are started: each would compile the sources anew where Python may not keep what it compiled.
unexport PYTHONDONTWRITEBYTECODE

# What a machine lacks is written here by the job that misses it, and told in the last lines of `make test`.
export LEFT_OUT := $(CURDIR)/build/left-out

BIN := $(VENV)/bin
PIP := $(BIN)/pip install --quiet --disable-pip-version-check
SOURCES := wallet_gateway example_project tests bench proof docs manage.py

.PHONY: help demo test test-fast test-all test-python test-js test-postgres test-mariadb test-versions test-lowest proof lint package docs bench
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

# --- jobs ------------------------------------------------------------------------------------------------------

demo: $(VENV)/.installed-demo  ## Start the example shop and the sandbox gateway
	@exec $(BIN)/python manage.py demo $(if $(PORT),--port $(PORT)) $(if $(GATEWAY_PORT),--gateway-port $(GATEWAY_PORT))

# The packages of the scripts' tests first: axe is among them, by which the browser tests look at pages.
test:  ## Run the tests: Python, JavaScript, browser, three databases
	@mkdir -p build && : > $(LEFT_OUT)
	@! command -v node >/dev/null || $(MAKE) --no-print-directory tests/js/node_modules/.installed
	@$(MAKE) --no-print-directory --jobs=2 test-js test-python
	@$(MAKE) --no-print-directory --jobs=2 $(if $(CI),--output-sync=target) WORKERS=2 test-postgres test-mariadb
	@if test -s $(LEFT_OUT); then echo "Passed. Left out, because this machine lacks them:"; cat $(LEFT_OUT); fi

test-fast: WORKERS = 2
test-fast: $(VENV)/.installed-fast  ## What needs no socket and no browser, within a minute: before a commit
	$(BIN)/pytest $(PYTEST_ARGS) $(FAST)

test-all:  ## Every test: pages in all states in a browser, all of Python on every database
	@$(MAKE) --no-print-directory test EXHAUSTIVE= ON_SERVERS='-m "not browser"'

# Parts of `make test`, and those that only .ci/run and the workflows call.

test-python: $(VENV)/.installed-test
	@scripts/find-browser $(BIN)/python
	$(BIN)/pytest $(PYTEST_ARGS) $(EXHAUSTIVE)

# What another Python or Django can change.
test-versions: $(VENV)/.installed-test
	$(BIN)/pytest $(PYTEST_ARGS) $(ON_VERSIONS)

# Not part of the gate: shops get the newest versions, unless something else of theirs holds one back.
test-lowest:
	@$(PYTHON) scripts/lowest-versions > .venv-lowest.txt
	@PIP_CONSTRAINT=$(CURDIR)/.venv-lowest.txt $(MAKE) --no-print-directory VENV=.venv-lowest test-fast

proof: $(VENV)/.installed-test  ## Try to lose money and to move it twice, for more than an hour; one table
	@# What cannot be installed is named in the table.
	@for group in postgres mariadb; do $(PIP) --group $$group || true; done
	$(BIN)/python -m proof $(PROOF_ARGS)

tests/js/node_modules/.installed: tests/js/package-lock.json
	@npm ci --prefix tests/js --silent --no-audit --no-fund
	@touch $@

test-js:
	@if ! command -v node >/dev/null; then scripts/left-out "the tests of the scripts, and axe on the pages: there is no Node"; \
	else $(MAKE) --no-print-directory tests/js/node_modules/.installed && tests/js/node_modules/.bin/tsc --project tests/js \
	&& mkdir -p build && if node --test --test-timeout=300000 $$(find tests -name '*.test.js' -not -path '*/node_modules/*') \
	> build/test-js.log; then echo; tail -n 8 build/test-js.log; else cat build/test-js.log; exit 1; fi; fi

test-postgres: $(VENV)/.installed-test
	@scripts/test-database $(VENV) postgres PostgreSQL "$(POSTGRES_URL)" $(PYTEST_ARGS) $(ON_SERVERS)

test-mariadb: $(VENV)/.installed-test
	@scripts/test-database $(VENV) mariadb MariaDB "$(MARIADB_URL)" $(PYTEST_ARGS) $(ON_SERVERS)

lint: $(VENV)/.installed-test $(VENV)/.installed-lint  ## Style, types, arrows between the rooms, missing migrations
	$(BIN)/ruff check $(SOURCES)
	$(BIN)/ruff format --check $(SOURCES)
	$(BIN)/mypy wallet_gateway example_project tests bench proof manage.py
	$(BIN)/lint-imports
	$(BIN)/python -m django makemigrations --check --dry-run --settings=tests.settings
	$(BIN)/python -m django makemigrations --check --dry-run --settings=wallet_gateway.sandbox.settings
	$(BIN)/python manage.py makemigrations --check --dry-run

package: $(VENV)/.installed-release  ## Build what a release uploads into dist, and check it
	@rm -rf dist
	$(BIN)/validate-pyproject pyproject.toml
	$(BIN)/python -m build --outdir dist .
	$(BIN)/twine check --strict dist/*
	$(BIN)/check-wheel-contents dist/*.whl
	$(BIN)/python scripts/rate-package

docs: $(VENV)/.installed-docs  ## Build the documentation into docs/_build/html; a warning is an error
	$(BIN)/sphinx-build -W --keep-going -q -b html docs docs/_build/html
	@echo "Open docs/_build/html/index.html"

bench: $(VENV)/.installed-postgres  ## Measure a whole order, the start of a worker and a sweep
	$(BIN)/python -m bench $(BENCH_ARGS)
