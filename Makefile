# Everything a newcomer needs: `make run` and `make test`, each alone on a fresh clone.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
# What runs it, and the tools that check and test it besides.
TOOLS := $(VENV)/.tools
PIP_INSTALL := $(BIN)/pip install --quiet --disable-pip-version-check
ARGS ?=
# What measures the tests and hooks into git; only those who ask for it get it.
EXTRAS := $(VENV)/.extras
# More than there are cores here: about half of a test's time is spent waiting.
WORKERS ?= 5
UNIT := $(addprefix tests/,core golden rules odds reports client/games test_imports.py)
# Tests start hundreds of processes; each would compile the whole project again.
unexport PYTHONDONTWRITEBYTECODE
PYTEST = $(BIN)/pytest -n $(WORKERS) --dist worksteal

.PHONY: run test collect pytest unit coverage mutants check check-style check-types check-proto check-docs breaking hooks browser screenshots format proto reference slow bench clauses dist clean

run: $(READY)
	@$(BIN)/jackpot demo $(ARGS)

# The types are checked beside the tests, which leave some of two cores idle.
test: $(TOOLS)
	@+$(MAKE) --no-print-directory -j 2 check-style check-proto check-docs browser collect
	@+$(MAKE) --no-print-directory -j 2 check-types pytest

# pytest compiles every test module anew, once: else each of its workers would, all at once.
collect: $(TOOLS)
	@$(BIN)/pytest --collect-only -qq > $(VENV)/.collected || { cat $(VENV)/.collected; exit 1; }

pytest: $(TOOLS)
	$(PYTEST) -m "not slow" $(ARGS)

# Core, rules, odds and the rest that is pure logic: no process, browser or PostgreSQL, no waiting.
unit: WORKERS = 2
unit: $(TOOLS)
	$(PYTEST) -m "not (slow or exhaustive or process or browser or postgres)" $(UNIT) $(ARGS)

# The tests with the lines and branches that they run counted, also in the processes that they
# start. Not part of `make test`: on Python 3.11 counting more than doubles the processor time.
coverage: browser
	$(PYTEST) -m "not (slow or exhaustive)" --cov $(ARGS)

# Change the core in one place at a time and see whether a test notices; docs/internals/mutants.md.
mutants: $(EXTRAS)
	@$(BIN)/python tools/mutants.py $(ARGS)

# The browser tests need Chromium: this installs Debian's package where it may, and says so.
browser: $(TOOLS)
	@$(BIN)/python tools/browser.py

# Take the pictures in docs/screenshots again.
screenshots: browser
	@$(BIN)/python tools/screenshots.py

slow: $(TOOLS)
	$(BIN)/pytest -m slow $(ARGS)

# Whole rounds and attacks, then the micro-benchmark of wagers; keep the results, and show those of
# the last in docs/internals/performance.md. Takes half an hour (a third of it with ARGS=--quick) on
# an idle machine.
bench: $(TOOLS)
	$(BIN)/jackpot-emulator bench rounds --report docs/internals/bench
	$(BIN)/jackpot-emulator bench hostile --report docs/internals/bench
	$(BIN)/jackpot-emulator bench wagers --report docs/internals/bench \
	  --page docs/internals/performance.md $(ARGS)

check: check-style check-proto check-docs check-types

check-style: $(TOOLS)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

check-types: $(TOOLS)
	$(BIN)/mypy

check-proto: $(TOOLS)
	$(BIN)/buf lint proto
	$(BIN)/python tools/breaking.py
	$(BIN)/python tools/generate.py --check

check-docs: $(TOOLS)
	$(BIN)/python tools/reference.py --check

# What the protocol breaks since the last release; ARGS=--accept lists it as accepted.
breaking: $(TOOLS)
	@$(BIN)/python tools/breaking.py $(ARGS)

# Run the quick checks before every commit.
hooks: $(EXTRAS)
	$(BIN)/pre-commit install

format: $(TOOLS)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# Where each clause of the regulations stands; fails when the trace does not hold.
clauses: $(TOOLS)
	@$(BIN)/python tools/clauses.py -n $(WORKERS) --dist worksteal $(ARGS)

# Two wheels and their sdists in dist/, the table client and the whole project, with a descriptor
# image, the release manifest and its bill of materials; KEY=FILE signs the release.
dist: $(TOOLS)
	@$(BIN)/python tools/dist.py $(if $(KEY),--key $(KEY))

# Rebuild the committed gRPC code from proto/.
proto: $(TOOLS)
	$(BIN)/python tools/generate.py

# Rewrite the pages of docs/reference that come from the code.
reference: $(TOOLS)
	$(BIN)/python tools/reference.py

$(READY): requirements.txt pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "Python 3.11 or newer is needed; try make PYTHON=python3.11"; exit 1; }
	@echo "Setting up $(VENV) (once, about a minute) ..."
	@$(PYTHON) -m venv $(VENV)
	@# Python compiles what it imports; a demo imports little of what is here.
	@$(PIP_INSTALL) --no-compile -r requirements.txt
	@$(PIP_INSTALL) --no-deps --no-build-isolation -e .
	@touch $@

$(EXTRAS): $(TOOLS) requirements-extras.txt
	@$(PIP_INSTALL) -r requirements-extras.txt
	@touch $@

$(TOOLS): $(READY) requirements-dev.txt
	@echo "Adding the tools that check and test it (once, about a minute) ..."
	@$(PIP_INSTALL) --no-compile -r requirements-dev.txt
	@# What compiling warns of must not come up in a test, where a warning is an error. Left out:
	@# what no test imports.
	@$(BIN)/python -m compileall -qq -j 0 -x '/(tests|pip|mypy|mypyc|pygments|setuptools|f2py|sync_api)/' \
	  $(VENV)/lib || true
	@touch $@

clean:
	rm -rf $(VENV) build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis mutants .coverage*
