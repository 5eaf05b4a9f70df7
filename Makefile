# `make run` and `make test` are all that a fresh machine needs. ARGS passes options on:
#   make run ARGS="--port 8765"    make test ARGS="tests/search -x"

.DEFAULT_GOAL := help
.PHONY: help run test lint fmt types openapi sample chromium \
	bench-quality bench-speed bench-operational

BIN := .venv/bin
VENV := .venv/.made
RUN := .venv/.run
DEV := .venv/.dev
BENCH := .venv/.bench
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check

help: ## Show these targets
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 20

run: $(RUN) ## Serve the hub on this machine until Ctrl-C
	@exec $(BIN)/python manage.py hub $(ARGS)

test: $(DEV) chromium ## Run the tests
	@$(BIN)/python -m pytest -n auto $(ARGS)

lint: $(DEV) ## Check style, templates and the direction of imports
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/djlint --quiet --check --lint templates
	$(BIN)/lint-imports

fmt: $(DEV) ## Rewrite code and templates in the project's style
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/djlint --quiet --reformat templates

types: $(DEV) ## Check types
	$(BIN)/mypy .

openapi: $(RUN) ## Write the OpenAPI description
	$(BIN)/python manage.py spectacular --validate --file docs/openapi.yaml

sample: $(RUN) ## Load the sample into the library
	$(BIN)/python manage.py load_sample

bench-quality: $(BENCH) ## Measure retrieval quality beside peers
	$(BIN)/python -m bench.quality $(ARGS)

bench-speed: $(BENCH) ## Measure speed beside peers
	$(BIN)/python -m bench.speed $(ARGS)

bench-operational: $(BENCH) ## Measure operational search beside peers
	$(BIN)/python -m bench.operational $(ARGS)

$(VENV):
	@sh .ci/venv .venv
	@touch $@

$(RUN): $(VENV) requirements.txt
	@echo "Installing requirements.txt …"
	@$(INSTALL) -r requirements.txt
	@touch $@

$(DEV): $(RUN) requirements-dev.txt
	@echo "Installing requirements-dev.txt …"
	@$(INSTALL) -r requirements-dev.txt
	@touch $@

$(BENCH): $(DEV) requirements-bench.txt
	@echo "Installing requirements-bench.txt …"
	@$(INSTALL) -r requirements-bench.txt
	@touch $@

# The browser tests skip, with the reason, where there is no Chromium.
chromium:
	@sh .ci/chromium
