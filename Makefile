# The commands of the course; `make` alone lists them.

# With an empty environment there is no PATH to add to.
PATH := $(or $(PATH),/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin)
export PATH := $(CURDIR)/.venv/bin:$(PATH)
PYTEST_ARGS ?=
CLONE := $(wildcard pyproject.toml)

.PHONY: help course setup clean
.DEFAULT_GOAL := help

# "##" says what a command does; "#:" the same for those that only a clone has, not what a class hands out.
help:  ## this list
	@awk -F ':.*#[#:] ' '/^[a-z]+:.*## / || ("$(CLONE)" && /^[a-z]+:.*#: /) { printf "  make %-8s %s\n", $$1, $$2 }' Makefile

course: setup  ## set up, bring the chapters into my/, open JupyterLab
	@grader start --all
	@python -m grader.workspace.serve

setup:  ## make .venv and install everything into it
	@setup/environment.sh
	@$(if $(filter setup,$(MAKECMDGOALS)),echo "Set up. Next: make course",:)

ifdef CLONE
.PHONY: test prove attack demo
FUZZ ?= 100000

test: setup  #: all tests; PYTEST_ARGS="tests/course -x" for some
	@echo "==> Running the tests"
	@python -m pytest $(PYTEST_ARGS)

prove: setup  #: for authors: every wrong answer is caught, every right one passes
	@grader prove
	@$(MAKE) --no-print-directory attack

attack: setup  #: for authors: damaged modules, sanitizers and other processors against the simulated GPU (15 minutes)
	@python tests/simulator/fuzz.py --count $(FUZZ) --jobs 2
	@python tests/simulator/fuzz.py --count $(FUZZ) --jobs 2 --sanitize
	@python tests/simulator/sanitized.py
	@python tests/simulator/replay/run.py

demo: setup  #: for instructors: a class release, three submissions, their grades
	@python -m grader.classroom.demo
endif

clean:  ## remove .venv and what was built; my/ stays
	@rm -rf .venv build dist *.egg-info .pytest_cache .ruff_cache
	@find . -name __pycache__ -type d -not -path './my/*' -prune -exec rm -rf {} +
