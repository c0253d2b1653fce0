# Every command sets up what it needs: a virtual environment in .venv with the
# versions of constraints.txt; `make demo` a small one of its own.

PYTHON ?= python3
BIN := .venv/bin
STAMP := .venv/.installed

.PHONY: setup demo test coverage test-lowest slow fuzz lint format bench bench-check learning partial-graphs networks graph-checks reproduction screenshots worth-figure ladder-figure cars scale docs release-constraints clean

setup: $(STAMP)

$(STAMP): pyproject.toml constraints.txt
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e ".[dev]"
	touch $(STAMP)

DEMO := .venv-demo/.installed

# Only what the command line needs: the tools of developers are several times as large.
$(DEMO): pyproject.toml constraints.txt
	$(PYTHON) -m venv .venv-demo
	.venv-demo/bin/python -m pip install --quiet --no-compile --disable-pip-version-check -c constraints.txt -e ".[cli]"
	touch $(DEMO)

demo: $(DEMO)  ## the main job on an embedded example, and a report in build/demo.html
	mkdir -p build
	.venv-demo/bin/causalaug demo --report build/demo.html

test: $(STAMP)  ## doctests, unit tests and laws
	$(BIN)/python -m pytest -q -n auto --dist worksteal -m "not slow"

coverage: $(STAMP)  ## the same, and which lines and branches they miss
	$(BIN)/python -m pytest -q -n auto --dist worksteal -m "not slow" --cov --cov-report=term

LOWEST := .venv-lowest/.installed

$(LOWEST): pyproject.toml constraints-lowest.txt
	$(PYTHON) -m venv .venv-lowest
	.venv-lowest/bin/python -m pip install --quiet --disable-pip-version-check -c constraints-lowest.txt -e ".[test]"
	touch $(LOWEST)

# What the documentation shows is shown with the newest versions, and laws of numbers hold or fail
# with any: here a few examples of each do.
test-lowest: $(LOWEST)  ## the same tests, but for those of the documentation, with the oldest versions
	HYPOTHESIS_PROFILE=few .venv-lowest/bin/python -m pytest -q -n auto --dist worksteal -m "not slow" \
		--ignore=tests/docs --ignore=tests/properties

slow: $(STAMP)  ## long simulations
	$(BIN)/python -m pytest -q -m slow

MINUTES ?= 20
SEED ?= 0
JOBS ?= 2

fuzz: $(STAMP)  ## random graphs, frames and kills: MINUTES=20 SEED=0; CASE=dot:17 for one case again, KINDS=flips CASES=1000 for so many
	OMP_NUM_THREADS=1 PYTHONPATH=src:.:tests $(BIN)/python -m fuzz --minutes $(MINUTES) --seed $(SEED) --jobs $(JOBS) $(if $(CASE),--case $(CASE)) $(if $(KINDS),--kinds $(KINDS)) $(if $(CASES),--cases $(CASES))

lint: $(STAMP)  ## style, types, spelling and workflow files
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/codespell README.md CHANGELOG.md CONTRIBUTING.md CODE_OF_CONDUCT.md SECURITY.md src reproduction tests docs benchmarks examples tools
	$(BIN)/check-jsonschema --builtin-schema vendor.github-workflows .github/workflows/*.yml

format: $(STAMP)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(STAMP) scale  ## prints the tables of speed and scale: docs/results/speed.md, scale.md, evaluating.md, growth.md
	$(BIN)/python benchmarks/speed.py
	$(BIN)/python benchmarks/evaluate_speed.py
	$(BIN)/python benchmarks/growth.py

bench-check: $(STAMP)  ## fails if the speed fell behind docs/results/speed.md; some minutes
	OMP_NUM_THREADS=1 $(BIN)/python benchmarks/bench_check.py

learning: $(STAMP)  ## what the graph brings on simulated truth: docs/results/learning.md
	OMP_NUM_THREADS=1 $(BIN)/python benchmarks/learning.py

partial-graphs: $(STAMP)  ## what graphs bring that are partly wrong: docs/results/partial_graphs.md; stop it and go on as you like
	OMP_NUM_THREADS=1 $(BIN)/python benchmarks/partial_graphs.py

networks: $(STAMP)  ## expert networks, beside the network itself: docs/results/networks.md; stop it and go on as you like
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e ".[networks]"
	OMP_NUM_THREADS=1 $(BIN)/python benchmarks/networks.py

graph-checks: $(STAMP)  ## false alarms and power of check_graph: docs/results/graph_checks.md
	$(BIN)/python benchmarks/graph_checks.py

reproduction: $(STAMP)  ## the paper's experiment: docs/results/reproduction.md; stop it and go on as you like
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/python -m reproduction page $(if $(RECORDS),--reference $(RECORDS))

screenshots: $(STAMP)  ## pictures of the demo's report: docs/images; needs a Chromium
	OMP_NUM_THREADS=1 PYTHONPATH=tests $(BIN)/python tools/screenshot_report.py

worth-figure: $(STAMP)  ## docs/images/rows_worth.svg and .png, from docs/results/learning.md
	$(BIN)/python tools/draw_worth.py

ladder-figure: $(STAMP)  ## docs/images/ladder.svg and .png, from docs/results/ladder.md
	$(BIN)/python tools/draw_ladder.py

cars: $(STAMP)  ## a real table in its own units against tuned rivals: docs/results/cars.md
	OMP_NUM_THREADS=1 $(BIN)/python benchmarks/cars.py

release-constraints:  ## constraints-release.txt: what a release is built with, each file by its hash; some minutes
	$(PYTHON) -m venv .venv-release
	.venv-release/bin/python -m pip install --quiet --disable-pip-version-check pip-tools
	.venv-release/bin/pip-compile --quiet --generate-hashes --build-deps-for wheel --constraint constraints.txt \
		--no-emit-index-url --no-emit-trusted-host --no-emit-find-links --strip-extras \
		--output-file constraints-release.txt pyproject.toml

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
	rm -rf .venv .venv-demo .venv-lowest .venv-release .pytest_cache .mypy_cache .ruff_cache .hypothesis .coverage build dist docs/_build docs/_extra docs/gallery docs/api/generated
