# Everything runs in .venv, which is made on first use and brought up to date when pyproject.toml changes.
# Another interpreter: make PYTHON=python3.12 ...    A fresh start: rm -rf .venv

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

.PHONY: setup demo test oracles lint types docs notebooks clean

setup: $(READY)

define CHECK_PYTHON
import sys; v = sys.version_info; sys.exit(None if (3, 11) <= v[:2] <= (3, 14) else "multibody needs Python 3.11 to 3.14, and $(PYTHON) is %d.%d; name another one: make PYTHON=python3.12" % v[:2])
endef

$(READY): pyproject.toml
	@test -x $(BIN)/python || { $(PYTHON) -c '$(CHECK_PYTHON)' && $(PYTHON) -m venv $(VENV); }
	@echo "Installing multibody and its tools into $(VENV); this takes a minute or two."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@

demo: $(READY)
	$(BIN)/multibody check slider-crank
	$(BIN)/multibody kinematics slider-crank --until 0.0418879 --steps 200
	$(BIN)/multibody run four-bar
	$(BIN)/python examples/demo.py

test: $(READY)
	$(BIN)/python -m pytest -q -n 2 --dist loadfile

oracles: $(READY)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev,oracles,notebook]'

lint: $(READY)
	$(BIN)/ruff check
	$(BIN)/lint-imports --no-logo

types: $(READY)
	$(BIN)/mypy --strict src/multibody tests/typed

docs: $(READY)
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet --strict

notebooks: $(READY)  # the tutorials as notebooks, into notebooks/
	@$(BIN)/python docs/hooks/notebooks.py notebooks

clean:
	rm -rf site .cache/docs build dist .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
	find src tests examples -name __pycache__ -type d -prune -exec rm -rf {} +
