# make demo: set up and run the main job.   make test: set up, check style and types, run the tests.
PYTHON ?= $(shell command -v python3.11 || command -v python3)
EXTRAS ?= dev
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

unexport PYTHONDONTWRITEBYTECODE  # a hundred commands that the tests start would translate all sources anew

.PHONY: demo test fix meshes docs clean

demo: $(READY)
	$(BIN)/sim3d demo

test: $(READY)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/python -m pytest -q -n 2 --dist worksteal -m "not slow"

fix: $(READY)  ## tidy the style where that is safe
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

meshes: $(READY)  ## write the sample meshes again
	$(BIN)/python -m sim3d.forge

docs: $(READY)  ## write the generated pages and pictures again
	$(BIN)/python -m sim3d.report.pages
	$(BIN)/sim3d show scenarios/board.toml --png docs/board.png
	$(BIN)/sim3d show scenarios/stand/ledge.toml --png docs/step.png --step 1 --size 1000x640
	$(BIN)/sim3d show scenarios/stand/flight.toml --png docs/lean.png --step 1 --size 1000x640
	$(BIN)/sim3d atlas meshes/gallery/stairs.stl --base 27 --pitch 0.9 --audit 0 -o docs/map.png
	$(BIN)/sim3d show scenarios/stand/ledge.toml --gif docs/settle.gif --step 1
	$(BIN)/sim3d show meshes/pack --png docs/pack.png
	$(BIN)/sim3d show meshes/pack/ruin.stl --pitch 2.5 --levels --html out/ruin.html
	$(BIN)/python -m tests.portrait out/ruin.html docs/page.png -12,34,60
	$(BIN)/sim3d bake scenarios/hexes/terrain/hx13-under-the-bridge.toml --png docs/hexes.png --pixels 1000x750 --reach Mara

$(READY): pyproject.toml constraints.txt
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "sim3d needs Python 3.11 or newer; set PYTHON=")'
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[$(EXTRAS)]'
	touch $(READY)

clean:
	rm -rf $(VENV) out .mypy_cache .ruff_cache
