# Two commands are enough: `make demo` and `make test`.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMPS := .stamps

.PHONY: demo test lint bench attack gpu paper docs clean

demo: $(STAMPS)/demo
	$(BIN)/lsec demo

test: $(STAMPS)/test
	$(BIN)/pytest -n auto

lint: $(STAMPS)/lint
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(STAMPS)/test
	$(BIN)/python -m benchmarks run --small

gpu: $(STAMPS)/gpu
	LSEC_TEST_GPU=1 $(BIN)/pytest tests/kernels/test_cuda.py tests/laws/test_device.py
	$(BIN)/python -m benchmarks run gpu

attack: $(STAMPS)/test
	$(BIN)/python -m benchmarks attack

paper: $(STAMPS)/test
	$(BIN)/python -m benchmarks paper --group smoke

docs: $(STAMPS)/docs
	$(BIN)/sphinx-build --fail-on-warning --keep-going docs docs/_build/html
	$(BIN)/python docs/check_links.py docs/_build/html

clean:
	rm -rf $(VENV) $(STAMPS) docs/_build docs/api/examples_of docs/api/generated docs/gallery docs/repository

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

$(STAMPS)/demo: pyproject.toml | $(BIN)/python
	$(BIN)/pip install --quiet --editable '.[cli,plot]'
	@mkdir -p $(STAMPS) && touch $@

$(STAMPS)/test: pyproject.toml | $(BIN)/python
	$(BIN)/pip install --quiet --editable '.[plot,test]'
	@mkdir -p $(STAMPS) && touch $@

$(STAMPS)/gpu: pyproject.toml | $(BIN)/python
	$(BIN)/pip install --quiet --editable '.[gpu,test]'
	@mkdir -p $(STAMPS) && touch $@

$(STAMPS)/lint: pyproject.toml | $(BIN)/python
	$(BIN)/pip install --quiet --editable '.[lint]'
	@mkdir -p $(STAMPS) && touch $@

$(STAMPS)/docs: pyproject.toml | $(BIN)/python
	$(BIN)/pip install --quiet --editable '.[docs]'
	@mkdir -p $(STAMPS) && touch $@
