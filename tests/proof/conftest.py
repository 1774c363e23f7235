"""A toy exercise with all its files, and a stand-in for the exercise runner that judges it."""

import dataclasses
import difflib
import json
import random
from dataclasses import dataclass
from pathlib import Path

import pytest

from grader import course
from grader.proof.answer import Place
from grader.proof.judge import Judge
from grader.proof.proving import Prover
from grader.verdict import CheckResult, Group, State, Verdict

CHAPTER = """
number = 7
name = "07_toy"
slug = "toy"
title = "A toy"
stage = "development"
prerequisites = []
core_minutes = 20
full_minutes = 45
summary = "A toy."
[[exercise]]
slug = "toy-clamp"
alias = "clamp"
title = "Clamp"
kind = "python"
track = "core"
points = 4
revision = 1
cell = "toy-clamp-answer"
needs = ["compiler"]
wall_seconds = 20
summary = "Do it."
contract = [{ row = "domain", text = "All." }]
group = [{ id = "values", title = "Values", points = 4 }]
hint = [{ text = "a" }, { text = "b" }, { text = "c" }, { text = "d" }]
misconception = [{ id = "no-upper-end", text = "x" }, { id = "changes-inside", text = "x" }]
"""

SKELETON = "def clamp(i, n):\n    ...\n"
SOLUTION = "def clamp(i, n):\n    if i >= n:\n        return n - 1\n    return i + 0\n"
SURVIVORS = """[[survivor]]
id = "toy_clamp.py: arithmetic: + -> - in: return i + 0 #1"
why = "adding and subtracting nothing are the same"
"""
WRONG = {  # name -> what it changes, its misconception, the check that owns it
    "keeps": ("    if i >= n:\n", "    if False:\n", "no-upper-end", "above"),
    "one_more": ("n - 1", "n", "no-upper-end", "above"),
    "late": ("i >= n", "i > n", "no-upper-end", "above"),
    "negates": ("return i + 0", "return -i", "changes-inside", "inside"),
    "adds": ("return i + 0", "return i + 1", "changes-inside", "inside"),
    "zero": ("return i + 0", "return 0", "changes-inside", "inside"),
}


def toy_check(slug, directory, *, seed=None, hidden=False, device=None, cells=None):
    """A stand-in for the exercise runner: three checks of `clamp`, of which one guards the others."""
    rng = random.Random(seed)
    try:
        scope = {}
        exec(cells[slug], scope)
        clamp = scope["clamp"]
    except Exception as problem:
        first = ("defines", State.FAIL, f"The cell does not define clamp(): {problem}", False)
        return verdict([first, ("inside", State.ERROR, "", "defines"), ("above", State.ERROR, "", "defines")])
    found = [("defines", State.PASS, "", False)]
    for name, cases in (("inside", [(2, 5), (4, 5), (0, 1)]), ("above", [(5, 5), (9, 5)])):
        more = [
            (i, i + 3) if name == "inside" else (i + 3, i) for i in (rng.randrange(1, 99) for _ in range(3))
        ]
        state, message = State.PASS, ""
        for i, n in cases + (more if hidden else []):
            if clamp(i, n) != min(i, n - 1):
                state, message = State.FAIL, f"clamp({i}, {n}) gave {clamp(i, n)}, not {min(i, n - 1)}."
                break
        found.append((name, state, message, False))
    return verdict(found)


def verdict(found):
    owns = {"inside": "changes-inside", "above": "no-upper-end", "defines": None}
    checks = [
        CheckResult(
            check=name, state=state, sentence="s", message=message, misconception=owns[name], group="values",
            blocked_by=blocked or None,
        )
        for name, state, message, blocked in found
    ]  # fmt: skip
    return Verdict.of(
        exercise="toy-clamp", revision=1, checks=checks, groups=[Group(id="values", title="V", points=4)]
    )


def patch(old, new):
    after = SOLUTION.replace(old, new)
    assert after != SOLUTION
    name = "toy_clamp.py"
    lines = difflib.unified_diff(
        SOLUTION.split("\n"), after.split("\n"), f"a/{name}", f"b/{name}", lineterm=""
    )
    return "\n".join(lines) + "\n"


def changed_verdict(change):
    """The toy check with `change` applied to every check that did not pass."""

    def check(*args, **rest):
        honest = toy_check(*args, **rest)
        checks = [c if c.state is State.PASS else change(c) for c in honest.checks]
        return dataclasses.replace(honest, checks=tuple(checks))

    return check


@dataclass(frozen=True)
class Toy:
    """The toy exercise in a clone at `root`."""

    root: Path
    slug: str = "toy-clamp"
    variants: str = "tests/variants/toy-clamp"
    solution: str = SOLUTION
    survivors: str = SURVIVORS
    check = staticmethod(toy_check)
    changed = staticmethod(changed_verdict)

    def place(self):
        return Place(self.root, course.find(self.slug, course.Tree(self.root)))

    def judge(self, check=toy_check, code_of=lambda slug, kind, files: None, **rest):
        """A judge in this process."""
        return Judge(check, code_of, jobs=0, **rest)

    def proof(self, judge=None, **rest):
        """Prove the exercise as it is now; nothing is recalled or kept unless `judge` does."""
        with judge or self.judge(keep=False) as judges:
            return Prover(self.place(), judges, log=lambda text: None, **rest).prove()

    def edit(self, path, old, new):
        file = self.root / path
        text = file.read_text()
        assert old in text
        file.write_text(text.replace(old, new))


@pytest.fixture
def toy(tmp_path, monkeypatch):
    monkeypatch.setenv("GRADER_CACHE", str(tmp_path / "cache"))
    cell = {
        "cell_type": "code",
        "metadata": {"nbgrader": {"grade_id": "toy-clamp-answer"}},
        "source": SKELETON.splitlines(True),
    }
    files = {
        "course/07_toy/chapter.toml": CHAPTER,
        "course/07_toy/07_toy.ipynb": json.dumps({"cells": [cell]}),
        "plugin_skeletons/README": "",
        "solutions/07_toy/toy_clamp.py": SOLUTION,
        "tests/variants/toy-clamp/survivors.toml": SURVIVORS,
        "tests/variants/toy-clamp/other.patch": "# title: min\n# alternative: true\n"
        + patch("    if i >= n:\n        return n - 1\n    return i + 0\n", "    return min(i, n - 1)\n"),
        "grader/exercises/ch07_toy/__init__.py": "",
        "grader/exercises/ch07_toy/toy_clamp.py": "from grader.checks import compare\n"
        "from grader.exercises.ch07_toy import shared\n",
        "grader/exercises/ch07_toy/shared.py": "HARNESS = 'toy.cpp'\n",
        "grader/exercises/ch07_toy/toy_other.py": "",
        "grader/exercises/ch07_toy/harness/toy.cpp": '#include "toy.h"\n',
        "grader/exercises/ch07_toy/harness/toy.h": "",
        "grader/exercises/ch07_toy/harness/other.h": "",
        "grader/exercises/runner.py": "",
        "grader/checks/__init__.py": "from grader.checks.values import compare\n"
        "from grader.checks.cases import Case\n",
        "grader/checks/values.py": "from grader.checks.base import Finding\n",
        "grader/checks/base.py": "",
        "grader/checks/cases.py": "",
        "grader/simulator/engine.cpp": "",
        "requirements.lock": "numpy==2\nnvidia-cuda-nvrtc==13.0.88 \\\n    --hash=sha256:00\nzlib==1\n",
    }
    for name, (old, new, misconception, owner) in WRONG.items():
        header = f"# title: {name}\n# misconception: {misconception}\n# owner: {owner}\n"
        files[f"tests/variants/toy-clamp/{name}.patch"] = header + patch(old, new)
    for path, text in files.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    return Toy(tmp_path)
