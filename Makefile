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
# A browser sees each page in one state. `make test-all` empties this list.
EXHAUSTIVE   ?= -m "not exhaustive"
# Only files with the mark are collected: what never touches SQL is the same on every database.
ON_SERVERS   ?= -m "every_database and not browser" $$(grep -rl --include='test_*.py' 'mark\.every_database' tests)
# Where another Django or Python may differ: rows, pages, forms, settings, commands, and the doors to them.
ON_VERSIONS  ?= -m "(not browser or newest_django) and not exhaustive" $(addprefix tests/,admin api conf contrib doctor models \
	payments queries templatetags web test_checks.py test_gateways.py test_return_tokens.py test_signals.py \
	management/commands testing operations/settlement/test_db_transactions.py \
	$(addprefix sandbox/,console control hosted pages api/test_views.py test_json_calls.py \
	wallet/test_embedding.py wallet/test_sheet_views.py wallet/test_views.py))
# As `PROOF_ARGS='--only soak --scale 0.1'`: single parts of the proof, and how large they are.
PROOF_ARGS   ?=
# `make mutation-changed` looks at what was changed since the branch left this one; empty: the upstream or main
# branch, or else the last commit.
MUTATION_BASE    ?=
MUTATION_SECONDS ?= 60
# As `BENCH_ARGS='checkout --rounds 3'`: single parts of the bench, and how many rounds.
BENCH_ARGS   ?=
# A load generator and a gateway that take next to nothing of the cores. What needs them is left out without them.
QUICK_PARTIES = command -v wrk >/dev/null || scripts/system-packages wrk || true; \
	PATH=$$PATH:/usr/sbin command -v nginx >/dev/null || scripts/system-packages nginx-light || true
# For every save: nothing that opens a socket or a browser, or starts a process.
FAST         ?= --offline $(addprefix tests/,client conf domain models protocol queries templatetags \
	$(addprefix sandbox/,models pages console/test_formatting.py hosted/test_checkout_summary.py wallet/test_embedding.py) \
	api/test_parsers.py api/test_problems.py web/test_stylesheets.py web/test_templates.py \
	test_return_tokens.py test_signals.py test_tables.py test_catalogues.py)

# Hundreds of processes are started: each would compile the sources anew where Python may not keep what it compiled.
unexport PYTHONDONTWRITEBYTECODE

BIN := $(VENV)/bin
PIP := $(BIN)/pip install --quiet --disable-pip-version-check
SOURCES := wallet_gateway example_project tests bench proof docs manage.py

.PHONY: help ready demo test test-lowest test-fast test-all test-python test-versions test-js test-postgres test-mariadb test-pooled proof mutation-changed coverage lint audit format package sbom docs bench bench-peers images messages clean
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

demo: $(VENV)/.installed-demo  ## Start the example shop and the sandbox gateway
	@exec $(BIN)/python manage.py demo $(if $(PORT),--port $(PORT)) $(if $(GATEWAY_PORT),--gateway-port $(GATEWAY_PORT))

# The scripts' tests first: they fetch axe, by which the browser tests look at pages.
test: test-js test-python  ## Run the tests: Python, JavaScript, browser, three databases
	@$(MAKE) --no-print-directory --jobs=2 $(if $(CI),--output-sync=target) WORKERS=2 test-postgres test-mariadb

test-fast: $(VENV)/.installed-test  ## What needs no socket and no browser, a few minutes on two cores: before a commit
	$(BIN)/pytest $(PYTEST_ARGS) $(FAST)

test-all:  ## Every test: pages in all states in a browser, all of Python on every database
	@$(MAKE) --no-print-directory test EXHAUSTIVE= ON_SERVERS='-m "not browser"'
	@$(MAKE) --no-print-directory test-pooled

test-python: $(VENV)/.installed-test  ## Python and browser tests on SQLite
	@scripts/find-browser $(BIN)/python
	$(BIN)/pytest $(PYTEST_ARGS) $(EXHAUSTIVE)

test-versions: $(VENV)/.installed-test  ## The Python tests that another Python or Django can change
	$(BIN)/pytest $(PYTEST_ARGS) $(ON_VERSIONS)

# Not part of the gate: shops get the newest versions, unless something else of theirs holds one back.
test-lowest:  ## The fast tests with the lowest versions that pyproject.toml admits
	@$(PYTHON) scripts/lowest-versions > .venv-lowest.txt
	@PIP_CONSTRAINT=$(CURDIR)/.venv-lowest.txt $(MAKE) --no-print-directory VENV=.venv-lowest test-fast

proof: $(VENV)/.installed-test  ## Try to lose money and to move it twice, for more than an hour; one table
	@# What cannot be installed is named in the table.
	@for group in postgres mariadb; do $(PIP) --group $$group || true; done
	$(BIN)/python -m proof $(PROOF_ARGS)

# What a change may have left untested: for a minute, and nothing where no file that moves money was changed.
mutation-changed: $(VENV)/.installed-test  ## Plant faults in the files that move money and were changed
	@$(BIN)/python -m proof.mutation --changed-since $(MUTATION_BASE) --seconds $(MUTATION_SECONDS)

coverage: $(VENV)/.installed-test  ## Lines and branches that the tests on SQLite reach; half as slow again
	@scripts/find-browser $(BIN)/python
	$(BIN)/pytest $(PYTEST_ARGS) --cov --cov-report=term:skip-covered

tests/js/node_modules/.installed: tests/js/package-lock.json
	@npm ci --prefix tests/js --silent --no-audit --no-fund
	@touch $@

test-js:  ## Types and tests of the browser scripts, where Node is there
	@if ! command -v node >/dev/null; then echo "*** Node is missing: JAVASCRIPT TESTS SKIPPED ***"; test "$$CI" != true; \
	else $(MAKE) --no-print-directory tests/js/node_modules/.installed && tests/js/node_modules/.bin/tsc --project tests/js \
	&& node --test --test-timeout=300000 $$(find tests -name '*.test.js' -not -path '*/node_modules/*'); fi

test-postgres: $(VENV)/.installed-test  ## What touches SQL on PostgreSQL, when it answers; in CI it must
	@scripts/test-database $(VENV) postgres PostgreSQL "$(POSTGRES_URL)" $(PYTEST_ARGS) $(ON_SERVERS)

test-mariadb: $(VENV)/.installed-test  ## What touches SQL on MariaDB, when it answers; in CI it must
	@scripts/test-database $(VENV) mariadb MariaDB "$(MARIADB_URL)" $(PYTEST_ARGS) $(ON_SERVERS)

# One after the other: the first two make databases of the same names. The third starts servers of its own.
test-pooled: $(VENV)/.installed-test  ## What touches SQL through psycopg's pool, bound by the server, and behind PgBouncer
	@for options in '{"pool": {"min_size": 1, "max_size": 16}}' '{"server_side_binding": true}'; do \
	DATABASE_OPTIONS="$$options" scripts/test-database $(VENV) postgres "PostgreSQL, with $$options," "$(POSTGRES_URL)" \
	$(PYTEST_ARGS) $(ON_SERVERS) || exit 1; done
	$(BIN)/python -m tests.behind_pgbouncer $(PYTEST_ARGS) $(ON_SERVERS)

lint: $(VENV)/.installed-test $(VENV)/.installed-lint $(VENV)/.installed-bench  ## Style, types, arrows between the rooms, missing migrations
	$(BIN)/ruff check $(SOURCES)
	$(BIN)/ruff format --check $(SOURCES)
	$(BIN)/mypy wallet_gateway example_project tests bench proof manage.py
	$(BIN)/lint-imports
	$(BIN)/bandit --quiet --recursive wallet_gateway example_project --configfile pyproject.toml
	$(BIN)/python -m django makemigrations --check --dry-run --settings=tests.settings
	$(BIN)/python -m django makemigrations --check --dry-run --settings=wallet_gateway.sandbox.settings
	$(BIN)/python manage.py makemigrations --check --dry-run

audit: $(VENV)/.installed $(VENV)/.installed-audit  ## Ask PyPI for known vulnerabilities of what is installed; says so without a network
	@$(BIN)/python scripts/audit $(BIN)/pip-audit

format: $(VENV)/.installed-lint  ## Format the code and mend what can be mended
	$(BIN)/ruff check --fix-only --quiet $(SOURCES)
	$(BIN)/ruff format $(SOURCES)

package: $(VENV)/.installed-release  ## Build what a release uploads into dist, and check it
	@rm -rf dist
	$(BIN)/validate-pyproject pyproject.toml
	$(BIN)/python -m build --outdir dist .
	$(BIN)/twine check --strict dist/*
	$(BIN)/check-wheel-contents dist/*.whl
	$(BIN)/python scripts/rate-package

sbom: package  ## List what a shop installs with the plugin, as CycloneDX, in build/sbom.json
	@rm -rf build/installed && mkdir -p build && $(PYTHON) -m venv build/installed
	@build/installed/bin/pip install --quiet --disable-pip-version-check dist/*.whl
	$(BIN)/cyclonedx-py environment build/installed --output-file build/sbom.json

docs: $(VENV)/.installed-docs  ## Build the documentation into docs/_build/html; a warning is an error
	$(BIN)/sphinx-build -W --keep-going -q -b html docs docs/_build/html
	@echo "Open docs/_build/html/index.html"

bench: $(VENV)/.installed-bench  ## Measure what the project promises about speed, as ratios
	@$(QUICK_PARTIES)
	$(BIN)/python -m bench $(BENCH_ARGS)

# In an environment of their own. django-getpaid 2.3.0 wants a typing-extensions that pydantic has long left behind, and
# runs with today's: so it is installed without what it asks for, and the group has what it uses of that.
bench-peers:  ## Measure the same checkout by other packages for payments, in the same server
	@$(MAKE) --no-print-directory VENV=.venv-peers .venv-peers/.installed-bench .venv-peers/.installed-bench-peers
	@.venv-peers/bin/pip install --quiet --disable-pip-version-check --no-deps django-getpaid==2.3.0
	@$(QUICK_PARTIES)
	.venv-peers/bin/python -m bench peers --result build/bench/peers.json $(BENCH_ARGS)

images: $(VENV)/.installed-test  ## Take the pictures of the README and of the gallery anew
	$(BIN)/python docs/images/take.py "$$(scripts/find-browser $(BIN)/python)"

messages: $(VENV)/.installed-test  ## Update and compile the translations of all pages
	@$(BIN)/python scripts/update-messages

clean:  ## Remove what the jobs made, the virtual environments too
	rm -rf .venv .venv-* build dist docs/_build htmlcov .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis .coverage*
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
