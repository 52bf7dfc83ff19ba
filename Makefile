# Every target does the set-up itself; a second run of it is instant.
#   make demo    a whole table on this machine, with simulated devices, to watch (Ctrl-C ends it)
#   make test    checks and tests: what must pass before a change goes in
#   make check   format, lint, types, import contracts
#   make soak    the long runs
#   make bench   speed as ratios; writes build/bench.json
#   make schemas writes docs/integrators/schemas from the program's own types
#   make lock    pins the dependencies of pyproject.toml again, with hashes
#   make clean   removes everything that these made

PYTHON ?= python3
JOBS ?= 2
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check
CODE := tablectl drivers hwsim tests

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help setup demo test soak check bench schemas lock clean debian

help:
	@sed -n 's/^#   //p' Makefile

setup: $(VENV)/.installed

# The locked packages. A changed lock begins a new environment: nothing stale stays behind.
$(VENV)/.locked: requirements.lock
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || .ci/debian python3 python3-venv
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "tablectl needs Python 3.11 or newer. Name one: make setup PYTHON=python3.12" >&2; exit 1; }
	@echo "setup: a new environment in $(VENV)"
	@$(PYTHON) -m venv --clear $(VENV)
	@$(PIP) install --require-hashes -r requirements.lock
	@touch $@

# The project itself. setuptools comes from the lock, so nothing unpinned is fetched to build it.
$(VENV)/.installed: $(VENV)/.locked pyproject.toml
	@echo "setup: tablectl into $(VENV)"
	@$(PIP) install --quiet --no-deps --no-build-isolation --editable .
	@touch $@

check: setup
	$(BIN)/ruff format --check $(CODE)
	$(BIN)/ruff check $(CODE)
	$(BIN)/mypy
	$(BIN)/lint-imports

# GAME, ROUNDS, SEED, SPEED, FAULTS: as the command's options of the same names.
demo: setup
	@$(BIN)/tablectl demo $(if $(GAME),--game $(GAME)) $(if $(ROUNDS),--rounds $(ROUNDS)) \
	  $(if $(SEED),--seed $(SEED)) $(if $(SPEED),--speed $(SPEED)) $(if $(FAULTS),--faults $(FAULTS))

# What the tests need beside Python: a broker to talk to, a port server before a serial line, a
# kernel that shows USB devices, and systemd's and udev's judgement of their files.
debian:
	@command -v mosquitto >/dev/null || test -x /usr/sbin/mosquitto || .ci/debian mosquitto
	@command -v ser2net >/dev/null || test -x /usr/sbin/ser2net || .ci/debian ser2net
	@command -v umockdev-wrapper >/dev/null && \
	  /usr/bin/python3 -c 'import gi; gi.require_version("UMockdev", "1.0")' 2>/dev/null || \
	  .ci/debian umockdev python3-gi gir1.2-umockdev-1.0
	@command -v systemd-analyze >/dev/null || .ci/debian systemd
	@command -v udevadm >/dev/null || .ci/debian udev

test: check debian
	$(BIN)/pytest -n $(JOBS) --dist worksteal -m "not soak"

soak: setup debian
	$(BIN)/pytest -n $(JOBS) --dist worksteal -m soak --timeout 7200 -v

bench: setup debian
	@mkdir -p build
	$(BIN)/python -m tests.bench

schemas: setup
	$(BIN)/python -m tests.interface.documents

# uv is needed only here, so it has an environment of its own.
lock:
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || .ci/debian python3 python3-venv
	@test -x build/lock/bin/uv || { $(PYTHON) -m venv build/lock && build/lock/bin/python -m pip install uv; }
	build/lock/bin/uv pip compile --universal --python-version 3.11 --all-extras --upgrade \
	  --generate-hashes --no-header --no-emit-index-url --no-emit-find-links --system-certs \
	  --quiet --output-file requirements.lock pyproject.toml

clean:
	rm -rf $(VENV) build dist *.egg-info .hypothesis .mypy_cache .ruff_cache .pytest_cache .import_linter_cache
	find tablectl drivers hwsim tests -name __pycache__ -type d -prune -exec rm -rf {} +
