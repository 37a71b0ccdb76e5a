# Everything runs in a private environment below .venv; the system's Python is only used to make it.
# The system's Python where it will do: it is built with optimizations, which one from source often
# is not, and runs the tests in two thirds of the time.
WILL_DO = import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 11))
PYTHON ?= $(shell /usr/bin/python3 -c "$(WILL_DO)" 2>/dev/null && echo /usr/bin/python3 || echo python3)
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check install --quiet --constraint constraints.txt
# Tests of whole programs wait for them: one worker more for each two cores fills that time.
CORES = getattr(os, 'sched_getaffinity', lambda _: range(os.cpu_count() or 1))(0)
WORKERS = $(shell $(BIN)/python -c "import os; n = len($(CORES)); print(n + n // 2)")

.PHONY: run test long fuzz check lint types layers docs pictures looks bench durability killing cutting monkey linear browser oldest mutants drift
.PHONY: words wheel manual release constraints generate clean

run: $(VENV)/.run            ## open copydesk on the embedded desk
	@$(BIN)/copydesk $(ARGS)

# One test in twelve takes half of the time: they run whole programs, open every screen, or try every
# bound. `make test` leaves these to `make long`, but for one or two of each kind; CI runs both.
# Compiled once, and not by every worker and every program that a test starts. Plain assertions take
# ten seconds less to load; what fails is run again to say more.
define tests
	@$(BIN)/python -m compileall -q -j 0 src tests
	$(BIN)/python -m pytest -n $(WORKERS) --dist worksteal --assert=plain $(1) \
	  || { $(BIN)/python -m pytest -n auto --last-failed --last-failed-no-failures none; exit 1; }
endef

test: $(VENV)/.test          ## run the tests on every core; they also prove what each action sends
	$(call tests,$(or $(ARGS),-m "not long" --reach))

long: $(VENV)/.test          ## run the tests that take long: whole programs, every screen, hostile megabytes
	$(call tests,-m long $(ARGS))

fuzz: $(VENV)/.test          ## a generic tool drives the API for long; EXAMPLES=100 of each kind
	COPYDESK_FUZZ=$(or $(EXAMPLES),100) $(BIN)/python -m pytest -n auto --timeout 1800 \
	  tests/server/test_schemathesis.py $(ARGS)

check: lint types layers docs test long   ## everything that must hold before a change lands

lint: $(VENV)/.test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/.test
	$(BIN)/mypy

layers: $(VENV)/.test
	$(BIN)/lint-imports --no-logo

docs: $(VENV)/.test          ## are the generated pages of docs/ what the code says?
	$(BIN)/copydesk keys --markdown | diff -u docs/keys.md -
	$(BIN)/copydesk ops --markdown | diff -u docs/operations.md -
	$(BIN)/copydesk help --markdown | diff -u docs/commands.md -
	$(BIN)/copydesk settings --markdown | diff -u docs/settings.md -

generate: $(VENV)/.test      ## write the tables of screens and their actions, and the generated docs
	$(BIN)/python -c "from copydesk.tui.system.reference import write_tables; write_tables()"
	$(BIN)/python -c "from pathlib import Path; from copydesk.tui.system import reference; \
	  reference.write_screens(Path('docs/places.md'))"
	$(BIN)/copydesk keys --markdown > docs/keys.md
	$(BIN)/copydesk ops --markdown > docs/operations.md
	$(BIN)/copydesk help --markdown > docs/commands.md
	$(BIN)/copydesk settings --markdown > docs/settings.md

pictures: $(VENV)/.test      ## make the README's pictures from the real program
	$(BIN)/python docs/pictures.py

looks: $(VENV)/.test         ## pictures of the main screens in each theme and three sizes, or in THEMES="light …"
	$(BIN)/python docs/pictures.py looks $(THEMES)

bench: $(VENV)/.test         ## the real program on a terminal, as ratios to a bare one, against its targets
	$(BIN)/python -m benchmarks $(ARGS)

durability: $(VENV)/.test    ## kill a desk 200 times while it is written; nothing acknowledged may be lost
	DURABILITY_ROUNDS=$${ROUNDS:-200} $(BIN)/python -m pytest -q -s -p no:xdist tests/server/test_durability.py

killing: $(VENV)/.test       ## end copydesk at every moment of rearranging, editing, settling, waiting merges and pushing; each change once, or none
	$(BIN)/python -m tests.tui.killing_arrangements
	$(BIN)/python -m tests.tui.killing_edits
	$(BIN)/python -m tests.tui.killing_settling

monkey: $(VENV)/.test        ## KEYS=20000 keys by chance, from SEED=1, over a desk and over a faulty one
	COPYDESK_MONKEY_KEYS=$(or $(KEYS),20000) COPYDESK_MONKEY_SEED=$(or $(SEED),1) \
	  $(BIN)/python -m pytest -n auto --timeout 36000 tests/tui/test_monkey.py $(ARGS)

linear: $(VENV)/.test        ## walk every golden scenario in linear mode too; what is told goes below build/linear
	$(BIN)/python -m pytest -n $(WORKERS) --linear tests/tui $(ARGS)

browser: $(VENV)/.test       ## the screens in the Chromium of this machine: link, origin, merge, reload
	@$(PIP) --group browser
	$(BIN)/python -m tests.cli.web.chromium $(ARGS)

oldest: $(VENV)/.test        ## run the tests with the oldest releases that the ranges of pyproject.toml allow
	@$(PIP) --group oldest
	$(BIN)/uv venv --quiet --clear --python $(BIN)/python build/oldest
	VIRTUAL_ENV=build/oldest $(BIN)/uv pip install --quiet --resolution lowest-direct --editable . --group dev
	build/oldest/bin/python -m pytest -n $(WORKERS) --dist worksteal --assert=plain $(or $(ARGS),-m "not long")

cutting: $(VENV)/.test       ## cut the network at every step of every write; each arrives exactly once
	$(BIN)/python -m tests.tui.cutting $(KINDS)

mutants: $(VENV)/.test       ## change COUNT=200 places of PACKAGE=domain, by SEED=1: some test has to notice each
	nice $(BIN)/python -m benchmarks.mutants $(or $(PACKAGE),domain) --count $(or $(COUNT),200) \
	  --seed $(or $(SEED),1) $(ARGS)

drift: $(VENV)/.test         ## hold the contract against SPEC=FILE, a service's description: gone, new, changed
	@$(BIN)/python -m benchmarks.drift $(SPEC)

words: $(VENV)/.test         ## list every text that reaches a person, with file and line
	@$(BIN)/python -m tests.strings

wheel: $(VENV)/.test         ## build the wheel
	$(BIN)/python -m build --wheel --outdir dist .

release: $(VENV)/.test       ## all files of a release into dist/, each tried; URL=where they will be
	bash .ci/release $(URL)

manual: $(VENV)/.test        ## build the manual as a site below build/manual, without a network
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet --strict

constraints: $(VENV)/.test   ## pin the tested set of dependencies again
	$(BIN)/python -m pip --disable-pip-version-check freeze --exclude-editable \
	  | grep -E '^[A-Za-z0-9._-]+==' > constraints.txt

clean:
	rm -rf $(VENV) dist build

$(VENV)/.run: pyproject.toml constraints.txt
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "Installing copydesk into $(VENV) (once)…"
	@$(PIP) --upgrade "pip>=25.1"
	@$(PIP) --editable .
	@$(BIN)/python -m compileall -q src
	@touch $@

$(VENV)/.test: $(VENV)/.run
	@echo "Installing what the tests need (once)…"
	@$(PIP) --group dev
	@touch $@
