# make report: audit a sample log and say where the PDF is.   make test: the whole suite.
# Both set up .venv from the lock file and, as root, install system libraries that are missing.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
SOURCES := $(shell find audit rules reports -type f -not -name '*.pyc') pyproject.toml README.md
SAMPLE := sample_logs/three_dice_football

.PHONY: report test lint lock samples setup bench bench-nightly fuzz

report: setup
	@$(BIN)/throwaudit check $(SAMPLE)/errors.csv --out audit-out --fail-on never
	@echo "The report: $(CURDIR)/audit-out/report.pdf"

test: lint
	@.ci/system test
	$(BIN)/python -m pytest

lint: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

setup: $(VENV)/.installed

$(VENV)/.locked: requirements.lock
	@.ci/system report
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Python 3.11 or newer is needed: make PYTHON=python3.12 …"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	@touch $@

$(VENV)/.installed: $(VENV)/.locked $(SOURCES)
	$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --force-reinstall .
	@touch $@

# Needs uv (pip install uv), on the machine of whoever changes the dependencies.
lock:
	uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header \
		--extra dev pyproject.toml --output-file requirements.lock

# Speed and memory, against their bounds: some minutes, and 4 GB of logs under build/.
bench: setup
	$(BIN)/python benchmarks/bench.py; kept=$$?; $(BIN)/python benchmarks/nights.py && exit $$kept

# Broken logs of every format under broken profiles: so many seconds, from another seed each day.
fuzz: setup
	$(BIN)/python tests/fuzz.py --seconds 120 --seed $$(date +%Y%m%d)000000

# The nightly job by itself. NIGHTS=365: with a year in the archive (a quarter of an hour and 20 GB the first time).
bench-nightly: setup
	$(BIN)/python benchmarks/nights.py

samples: setup
	$(BIN)/throwaudit sample three-dice-football --events 160 --seed 7 --out $(SAMPLE)/clean.csv
	$(BIN)/throwaudit sample three-dice-football --events 240 --seed 11 --error-rate 0.2 --gap-rate 0.05 \
		--out $(SAMPLE)/errors.csv --answers $(SAMPLE)/errors.answers.csv
	$(BIN)/python $(SAMPLE)/houses/make.py
	$(BIN)/throwaudit sample die --events 160 --seed 3 --out sample_logs/die/clean.csv
	$(BIN)/throwaudit sample die --events 260 --seed 6 --error-rate 0.12 --gap-rate 0.03 \
		--out sample_logs/die/errors.csv --answers sample_logs/die/errors.answers.csv
	$(BIN)/throwaudit sample bunco --events 760 --seed 4 --out sample_logs/bunco/clean.csv
	$(BIN)/throwaudit sample bunco --events 820 --seed 12 --error-rate 0.012 --gap-rate 0.01 \
		--out sample_logs/bunco/errors.csv --answers sample_logs/bunco/errors.answers.csv
	$(BIN)/throwaudit sample bunco --events 60 --seed 5 --error-rate 0.012 --profile sample_logs/bunco/results.toml \
		--out sample_logs/bunco/results.csv
