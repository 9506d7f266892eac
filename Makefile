# Every target sets itself up: Python 3.11 and make are all it needs.
.DELETE_ON_ERROR:
.PHONY: demo test lint bench campaign fuzz lab setup clean

PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
DEMO ?= demo
SEED ?= 1
PART ?= all

# The lock names all there is to install. Code is compiled when it is first run, and
# what is compiled is kept, whatever the environment says: most of it is never run.
QUIETLY := --quiet --disable-pip-version-check --no-deps
export PYTHONDONTWRITEBYTECODE :=

setup: $(READY)

$(READY): requirements.lock pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install $(QUIETLY) --no-compile --require-hashes -r requirements.lock
	$(BIN)/python -m pip install $(QUIETLY) --no-build-isolation -e .
	$(BIN)/python -m pip check
	touch $(READY)

demo: $(READY)
	$(BIN)/recon demo $(DEMO)

# To plan a query takes very many small blocks: to keep more of them at hand makes the
# tests some 6 % cheaper. Only glibc reads it.
test: export GLIBC_TUNABLES := glibc.malloc.tcache_count=65000
test: $(READY)
	$(BIN)/python -m pytest -n auto --dist loadfile --no-loadscope-reorder

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: $(READY)
	$(BIN)/python -m tests.bench

campaign: $(READY)
	$(BIN)/python -m tests.campaign $(PART) --seed $(SEED) --count $(or $(N),3)

fuzz: $(READY)
	$(BIN)/python -m tests.fuzz --seed $(SEED) --count $(or $(N),10000)

lab: $(READY)
	$(BIN)/recon lab

clean:
	rm -rf $(VENV) demo
