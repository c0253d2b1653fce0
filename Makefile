# Every command sets up what it needs: a virtual environment in .venv with the
# versions of constraints.txt.

PYTHON ?= python3
BIN := .venv/bin
STAMP := .venv/.installed

.PHONY: setup demo test coverage test-lowest slow fuzz lint format bench bench-check learning graph-checks reproduction screenshots worth-figure scale docs clean

setup: $(STAMP)

$(STAMP): pyproject.toml constraints.txt
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e ".[dev]"
	touch $(STAMP)

demo: $(STAMP)  ## the main job on an embedded example, and a report in build/demo.html
	mkdir -p build
	$(BIN)/causalaug demo --report build/demo.html

test: $(STAMP)  ## doctests, unit tests and laws
	$(BIN)/python -m pytest -q -n auto -m "not slow"

coverage: $(STAMP)  ## the same, and which lines and branches they miss
	$(BIN)/python -m pytest -q -n auto -m "not slow" --cov --cov-report=term

LOWEST := .venv-lowest/.installed

$(LOWEST): pyproject.toml constraints-lowest.txt
	$(PYTHON) -m venv .venv-lowest
	.venv-lowest/bin/python -m pip install --quiet --disable-pip-version-check -c constraints-lowest.txt -e ".[test]"
	touch $(LOWEST)

test-lowest: $(LOWEST)  ## the same tests with the oldest versions that are supported
	NUMBA_CACHE_DIR=$(CURDIR)/.venv-lowest/numba .venv-lowest/bin/python -m pytest -q -n auto -m "not slow"

slow: $(STAMP)  ## long simulations
	$(BIN)/python -m pytest -q -m slow

MINUTES ?= 20
SEED ?= 0
JOBS ?= 2

fuzz: $(STAMP)  ## random graphs, frames and kills: MINUTES=20 SEED=0; CASE=dot:17 for one case again, KINDS=flips CASES=1000 for so many
	OMP_NUM_THREADS=1 PYTHONPATH=src:tests $(BIN)/python -m fuzz --minutes $(MINUTES) --seed $(SEED) --jobs $(JOBS) $(if $(CASE),--case $(CASE)) $(if $(KINDS),--kinds $(KINDS)) $(if $(CASES),--cases $(CASES))

lint: $(STAMP)  ## style, types, spelling and workflow files
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/codespell README.md CHANGELOG.md CONTRIBUTING.md CODE_OF_CONDUCT.md SECURITY.md src tests docs benchmarks examples tools
	$(BIN)/check-jsonschema --builtin-schema vendor.github-workflows .github/workflows/*.yml

format: $(STAMP)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(STAMP) scale  ## prints the tables of speed and scale: docs/results/speed.md, scale.md, evaluating.md
	$(BIN)/python benchmarks/speed.py
	$(BIN)/python benchmarks/evaluate_speed.py

bench-check: $(STAMP)  ## fails if the speed fell behind docs/results/speed.md; some minutes
	OMP_NUM_THREADS=1 $(BIN)/python benchmarks/bench_check.py

learning: $(STAMP)  ## what the graph brings on simulated truth: docs/results/learning.md
	OMP_NUM_THREADS=1 $(BIN)/python benchmarks/learning.py

graph-checks: $(STAMP)  ## false alarms and power of check_graph: docs/results/graph_checks.md
	$(BIN)/python benchmarks/graph_checks.py

reproduction: $(STAMP)  ## the paper's experiment: docs/results/reproduction.md; stop it and go on as you like
	$(BIN)/python benchmarks/reproduction.py $(if $(RECORDS),--reference $(RECORDS))

screenshots: $(STAMP)  ## pictures of the demo's report: docs/images; needs a Chromium
	OMP_NUM_THREADS=1 PYTHONPATH=tests $(BIN)/python tools/screenshot_report.py

worth-figure: $(STAMP)  ## docs/images/rows_worth.svg and .png, from docs/results/learning.md
	$(BIN)/python tools/draw_worth.py

DOCS := .venv/.installed-docs

$(DOCS): $(STAMP)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e ".[docs]"
	touch $(DOCS)

docs: $(DOCS)  ## the documentation: docs/_build/html; a warning is an error
	mkdir -p docs/_extra
	OMP_NUM_THREADS=1 $(BIN)/causalaug demo --quiet --report docs/_extra/demo-report.html > /dev/null
	OMP_NUM_THREADS=1 $(BIN)/sphinx-build -E -W --keep-going -q -b html docs docs/_build/html
	@echo "Open docs/_build/html/index.html"

scale: $(STAMP)  ## more rows than memory, more work than one core: docs/results/scale.md
	OMP_NUM_THREADS=1 $(BIN)/python benchmarks/scale.py

clean:
	rm -rf .venv .venv-lowest .pytest_cache .mypy_cache .ruff_cache .hypothesis .coverage build dist docs/_build docs/_extra docs/gallery docs/api/generated
