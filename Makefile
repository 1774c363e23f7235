# The commands of the course; `make` alone lists them.

# With an empty environment there is no PATH to add to.
PATH := $(or $(PATH),/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin)
export PATH := $(CURDIR)/.venv/bin:$(PATH)
PYTEST_ARGS ?=
CLONE := $(wildcard pyproject.toml)

.PHONY: help course setup plugin-lane clean
.DEFAULT_GOAL := help

# "##" says what a command does; "#:" the same for those that only a clone has, not what a class hands out.
help:  ## this list
	@awk -F ':.*#[#:] ' '/^[a-z-]+:.*## / || ("$(CLONE)" && /^[a-z-]+:.*#: /) { printf "  make %-11s %s\n", $$1, $$2 }' Makefile

course: setup  ## set up, bring the chapters into my/, open JupyterLab
	@grader plugin-lane --background
	@grader start --all
	@python -m grader.workspace.serve

setup:  ## make .venv and install everything into it
	@bash setup/environment.sh  # by name: a zip file may have lost that it is a program
	@$(if $(filter setup,$(MAKECMDGOALS)),echo "Set up. Next: make course"$(if $(CLONE), && \
	  echo "To teach a class: .venv/bin/grader class init DIR"),:)

plugin-lane: setup  ## what plugins need beyond kernels; `make course` installs it in the background
	@grader plugin-lane

ifdef CLONE
.PHONY: test prove attack demo lock
FUZZ ?= 100000

test: setup  #: all tests; PYTEST_ARGS="tests/course -x" for some
	@grader plugin-lane
	@cmp -s tests/requirements.lock .venv/.test-packages || { echo "==> Installing what tests alone need" && \
	  python -m pip install --quiet --require-hashes -r tests/requirements.lock && \
	  cp tests/requirements.lock .venv/.test-packages; } || echo "==> It could not be installed: some tests are left out"
	@echo "==> Running the tests"
	@python $(if $(PYTEST_ARGS),-m pytest $(PYTEST_ARGS),tests/side_by_side.py)

prove: setup  #: for authors: every wrong answer is caught, every right one passes
	@grader plugin-lane
	@grader prove
	@python tests/authoring/run_notebooks.py
	@python tests/exercises/test_lifecycle_defects.py
	@python tests/plugin/prove_defects.py --jobs 2
	@$(MAKE) --no-print-directory attack

attack: setup  #: for authors: damaged modules, hostile plugins and submissions, kills, sanitizers, other processors
	@python tests/simulator/fuzz.py --count $(FUZZ) --jobs 2
	@python tests/simulator/fuzz.py --count $(FUZZ) --jobs 2 --sanitize
	@python tests/simulator/sanitized.py
	@python tests/simulator/replay/run.py
	@python tests/simulator/runtime/sanitized_cudart.py
	@python tests/simulator/runtime/cub.py
	@python tests/plugin/hostile_libraries.py
	@python tests/classroom/hostile/grade_hostile.py
	@python tests/plugin/fuzz_plugins.py --count $(FUZZ) --jobs 2
	@python tests/plugin/sanitized_host.py
	@python tests/classroom/grading_kills.py --moments 20 --steps 0
	@python tests/classroom/leaks.py

demo: setup  #: for instructors: a class release, three submissions, their grades
	@python -m grader.classroom.demo

LOCKS := grader/toolchain/locks
COMPILE := uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header --annotation-style line
EXTRA := import sys, tomllib; p = tomllib.load(open("pyproject.toml", "rb"))["project"]; \
  print(*p["optional-dependencies"][sys.argv[1]], sep="\n")

lock:  #: for authors: write all locks anew from pyproject.toml; versions stay where they can (needs uv)
	@$(COMPILE) --extra class pyproject.toml -o requirements.lock
	@python -c '$(EXTRA)' plugin | $(COMPILE) - -c requirements.lock -o $(LOCKS)/requirements-plugin.lock
	@python -c '$(EXTRA)' test | $(COMPILE) - -c requirements.lock -o tests/requirements.lock
endif

clean:  ## remove .venv and what was built; my/ stays
	@rm -rf .venv build dist *.egg-info .pytest_cache .ruff_cache
	@find . -name __pycache__ -type d -not -path './my/*' -prune -exec rm -rf {} +
