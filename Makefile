# Self-explaining: `make` lists the targets.
VENV := .venv
PY := $(VENV)/bin/python
RUN := $(PY) -m datacheck run
# Tests start datacheck hundreds of times: what is compiled is kept, whatever the machine says.
export PYTHONDONTWRITEBYTECODE :=
# One more than cores: tests wait for processes and files of theirs.
JOBS ?= 3

.DEFAULT_GOAL := help
.PHONY: help demo quick test slow failed sabotage mutants trainers lint types docs docs-check site catalogues guard lock clean

help: ## list the targets
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-12s %s\n", $$1, $$2}'

$(VENV)/.installed: requirements/dev.txt pyproject.toml
	python3 -m venv $(VENV)
	$(PY) -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/dev.txt
	$(PY) -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	touch $@

$(VENV)/.ready: $(VENV)/.installed hatch_build.py $(wildcard datacheck/i18n/locale/*/LC_MESSAGES/*.po datacheck/text/*.py datacheck/text/native/*.[ch] datacheck/pii/*.py datacheck/pii/matching/*.py datacheck/pii/redact/*.py datacheck/pii/recognizers/*)
	$(PY) hatch_build.py
	touch $@

demo: $(VENV)/.ready ## check a good and a bad dataset of sample_data; reports in out/demo-*
	@echo "== a dataset that passes"; $(RUN) sample_data/good.yaml --out out/demo-good
	@echo "== a dataset that fails (exit code 1 is the point)"; \
	$(RUN) sample_data/bad.yaml --out out/demo-bad; code=$$?; \
	test $$code -eq 1 || { echo "expected exit code 1, got $$code"; exit 1; }
	@echo; echo "Open out/demo-good/report.html and out/demo-bad/report.html"

quick: $(VENV)/.ready ## the tests that notice a broken promise, and the layers (under a minute on 2 cores)
	$(PY) tests/sabotage/run.py --tests | xargs -0 $(PY) -m pytest -n $(JOBS) -m "not slow" tests/test_layers.py

# A file is one worker's: what its tests share is made once. In their order: files of few, long tests must not be last.
test: $(VENV)/.ready ## the tests that take seconds (under 8 minutes on 2 cores)
	$(PY) -m pytest -n $(JOBS) --dist loadfile --no-loadscope-reorder -m "not slow"

slow: $(VENV)/.ready ## the tests that take longer: servers, fuzz, memory (under 30 minutes on 2 cores)
	$(PY) -m pytest -n $(JOBS) --dist loadfile --no-loadscope-reorder -m slow --durations=10

failed: $(VENV)/.ready ## the tests that failed in the last run once more, one at a time
	$(PY) -m pytest --last-failed --last-failed-no-failures none

sabotage: $(VENV)/.ready ## break every promise once: does the test that is named for it notice?
	$(PY) tests/sabotage/run.py

mutants: $(VENV)/.ready ## faults of all kinds in the rooms that decide: which share do their fast tests notice?
	$(PY) tests/sabotage/mutants.py

trainers: $(VENV)/.ready ## by hand: twins beside an installed trainer (TRAINER_PYTHON=ENV/bin/python TOKENIZER=DIR TRAINERS_ARGS=)
	$(PY) benchmarks/installed_trainers.py --python $(TRAINER_PYTHON) --tokenizer $(TOKENIZER) $(TRAINERS_ARGS)

lint: $(VENV)/.ready ## ruff, rules and format
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .

types: $(VENV)/.ready ## mypy --strict
	$(VENV)/bin/mypy

seeds: $(VENV)/.ready ## run the failing inputs of docs/failures.md again, record what is found, and write the page
	PYTHONPATH=tests $(PY) tests/seeds/seed_runs.py
	$(PY) docs/generate.py

docs: $(VENV)/.ready ## write docs/checks, docs/codes.md, the schemas and the settings tables from the code
	$(PY) docs/generate.py

docs-check: $(VENV)/.ready ## fail when docs/ is not what the code says
	$(PY) docs/generate.py --check

site: $(VENV)/.ready ## the documentation as pages: site/index.html; a broken link ends it
	NO_MKDOCS_2_WARNING=1 $(VENV)/bin/mkdocs build --quiet

catalogues: $(VENV)/.ready ## add new sentences to the catalogues of languages, drop dead ones, list what lacks words
	$(PY) docs/catalogues.py
	$(PY) hatch_build.py

guard: $(VENV)/.installed ## the guard alone, for training images: dist/datacheck_guard-*.whl
	$(PY) -m pip wheel --quiet --disable-pip-version-check --no-deps --no-build-isolation --wheel-dir dist ./guard

lock: ## resolve dependencies again (needs uv on PATH or in the venv)
	uv pip compile --quiet --generate-hashes --no-emit-index-url --no-strip-extras --python-version 3.11 pyproject.toml -o requirements/base.txt
	uv pip compile --quiet --generate-hashes --no-emit-index-url --no-strip-extras --python-version 3.11 pyproject.toml --group dev -o requirements/dev.txt
	python3 requirements/order.py requirements/base.txt requirements/dev.txt

clean: ## remove what the targets made
	rm -rf $(VENV) out build dist site
