"""The command in a small course of its own; verdicts are made to order."""

import re

import pytest
from typer.testing import CliRunner

from grader.cli.main import app
from grader.course import Tree
from grader.verdict import CheckResult, Group, State, Verdict

CHAPTER = """number = 10
name = "10_masked_gelu"
slug = "masked-gelu"
title = "Masked GELU"
stage = "development"
prerequisites = []
core_minutes = 25
full_minutes = 70
summary = "One sentence."

[[exercise]]
slug = "masked-gelu-forward"
alias = "forward"
title = "Forward"
kind = "kernel"
track = "core"
points = 10
revision = 2
files = ["masked_gelu.cu"]
needs = ["compiler", "simulated-gpu"]
wall_seconds = 20
summary = "Write it."
contract = [{ row = "special values", text = "NaN." }]
group = [{ id = "values", title = "Values", points = 6 }, { id = "bounds", title = "Bounds", points = 4 }]
hint = [{ text = "rung one" }, { text = "rung two" }, { text = "rung three" }, { text = "rung four" }]
misconception = [{ id = "mask-multiply", text = "Multiplying is choosing." }]
"""
SOURCE = 'extern "C" __global__ void k(float *x)\n{\n    x[threadIdx.x] = y;\n}\n'


@pytest.fixture
def clone(tmp_path, monkeypatch):
    """A course tree that is both the pristine one and the author's, with the working folder in it."""
    root = tmp_path / "clone"
    chapter = root / "course" / "10_masked_gelu"
    skeletons = root / "plugin_skeletons" / "10_masked_gelu"
    chapter.mkdir(parents=True)
    skeletons.mkdir(parents=True)
    (chapter / "chapter.toml").write_text(CHAPTER)
    (chapter / "10_masked_gelu.ipynb").write_text(
        '{"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}'
    )
    (skeletons / "masked_gelu.cu").write_text(SOURCE)
    monkeypatch.setattr("grader.course.pristine", lambda: Tree(root))
    monkeypatch.setattr("grader.course.authors_tree", lambda: Tree(root))
    monkeypatch.setattr("grader.course.catalogue.pristine", lambda: Tree(root))
    monkeypatch.setattr("grader.workspace.course_map.abilities", lambda keys: [])
    monkeypatch.setenv("GRADER_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("JUPYTER_DATA_DIR", str(tmp_path / "jupyter"))
    monkeypatch.setenv("COLUMNS", "160")
    monkeypatch.chdir(root)
    return root


@pytest.fixture
def run(clone):
    """run("check", "x") -> result with .exit_code, .stdout, .stderr; colours taken out"""

    def call(*arguments):
        result = CliRunner().invoke(app, list(arguments))
        assert not isinstance(result.exception, Exception) or isinstance(result.exception, SystemExit)
        return result

    return call


@pytest.fixture
def started(run, clone):
    assert run("start", "10").exit_code == 0
    return clone / "my" / "10_masked_gelu"


def make_verdict(values=State.PASS, bounds=State.PASS, *, hidden=False, seed=None, **detail):
    """A verdict of two checks; `detail` goes to the first."""
    checks = [
        CheckResult(check="values", state=values, sentence="Values agree.", group="values", hidden=hidden,
                    message="" if values is State.PASS else "y[3] is 0.5, expected 0.25.",
                    misconception="mask-multiply", source="contract: special values", detail=detail),
        CheckResult(check="bounds", state=bounds, sentence="Nothing is read past the end.", group="bounds",
                    message="" if bounds is State.PASS else "No GPU here."),
    ]  # fmt: skip
    groups = [Group(id="values", title="Values", points=6), Group(id="bounds", title="Bounds", points=4)]
    return Verdict.of(
        exercise="masked-gelu-forward", revision=2, checks=checks, groups=groups, seed=seed, seconds=0.5
    )


@pytest.fixture
def judged(monkeypatch):
    """judged(verdict, ...) makes the runner return these in turn, the last for ever; returns its calls."""

    def arrange(*verdicts):
        calls = []

        def check(slug, directory, **rest):
            calls.append((slug, directory, rest))
            return verdicts[min(len(calls), len(verdicts)) - 1]

        monkeypatch.setattr("grader.exercises.check", check)
        return calls

    return arrange


@pytest.fixture
def verdict():
    return make_verdict


@pytest.fixture
def squeeze():
    """Text with every run of white space as one space: what it says, however it is folded."""
    return lambda text: re.sub(r"\s+", " ", text)
