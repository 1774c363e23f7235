"""`python -m grader.authoring build|lint [CHAPTER...]`: exit status 0 done, 1 something to put right."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path

from grader.authoring.build import notebooks, write
from grader.authoring.clone import HERE, AuthoringError, Clone
from grader.authoring.examples import examples
from grader.authoring.lint import lint


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m grader.authoring", description=__doc__)
    parser.add_argument("action", choices=["build", "lint"])
    parser.add_argument("chapter", nargs="*", help="name, number or slug; all masters without one")
    parser.add_argument("--root", type=Path, default=HERE, help="the clone")
    options = parser.parse_args(arguments)
    clone = Clone(options.root.resolve())
    try:
        names = clone.chapters(options.chapter)
    except AuthoringError as problem:
        print(problem, file=sys.stderr)
        return 1
    status = max(_ACTIONS[options.action](clone, name) for name in names)
    if options.action == "build" and not options.chapter:  # the examples go with "everything"
        status = max(status, _write(clone, lambda: examples(clone.root)))
    return status


def _build(clone: Clone, name: str) -> int:
    return _write(clone, lambda: notebooks(clone, name))


def _write(clone: Clone, make: Callable[[], dict[Path, bytes]]) -> int:
    try:
        files = make()
    except AuthoringError as problem:
        print(problem, file=sys.stderr)
        return 1
    changed = write(files)
    for path in files:
        print(f"{clone.shown(path)}: {'written' if path in changed else 'unchanged'}")
    return 0


def _lint(clone: Clone, name: str) -> int:
    problems = lint(clone, name)
    for problem in problems:
        print(problem, file=sys.stderr)
    if not problems:
        print(f"{clone.shown(clone.master(name))}: nothing to put right")
    return 1 if problems else 0


_ACTIONS = {"build": _build, "lint": _lint}

if __name__ == "__main__":
    sys.exit(main())
