"""A course of two chapters with skeletons and notebooks that tests may spoil, and an empty workspace."""

import json

import pytest

from grader import course
from grader.workspace import Workspace

KERNEL = '// fill in\nextern "C" __global__ void k(float *x, long long n)\n{\n    // your code\n}\n\n// end\n'

EXERCISE = """
[[exercise]]
slug = "{slug}"
alias = "{alias}"
title = "{alias} title"
kind = "{kind}"
track = "{track}"
points = 4
revision = {revision}
{answer}
needs = []
wall_seconds = 5
summary = "Do <it>."
contract = [{{ row = "domain", text = "all" }}]
group = [{{ id = "all", title = "All", points = 4 }}]
hint = [{{ text = "one" }}, {{ text = "two" }}, {{ text = "three" }}, {{ text = "four" }}]
misconception = [{{ id = "none", text = "None." }}]
"""


def chapter_toml(number, name, slug, prerequisites, exercises):
    head = f'''number = {number}
name = "{name}"
slug = "{slug}"
title = "Chapter {slug} & more"
stage = "foundations"
prerequisites = {prerequisites}
core_minutes = 5
full_minutes = 9
summary = "About {slug}."
'''
    return head + "".join(exercises)


def exercise_toml(slug, alias, kind="kernel", track="core", revision=1):
    answer = f'cell = "{slug}"' if kind == "python" else f'files = ["{alias}.cu"]'
    return EXERCISE.format(slug=slug, alias=alias, kind=kind, track=track, revision=revision, answer=answer)


def cell(id_, text, kind="code", grade_id=None, solution=False):
    metadata = {}
    if grade_id:
        metadata["nbgrader"] = {
            "grade_id": grade_id,
            "solution": solution,
            "locked": not solution,
            "grade": False,
        }
    made = {"id": id_, "cell_type": kind, "metadata": metadata, "source": text}
    if kind == "code":
        made |= {"outputs": [], "execution_count": None}
    return made


def notebook_bytes(*cells):
    return json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": list(cells)}).encode()


def plain_cells():
    return [
        cell("intro", "# Warm-up", "markdown"),
        cell("example", "x = 1"),
        cell("answer", "# your answer", grade_id="cases-answer", solution=True),
        cell("end", "The end.", "markdown"),
    ]


@pytest.fixture
def tree(tmp_path):
    root = tmp_path / "clone"
    for folder in (
        "course/00_warm_up",
        "course/10_gelu",
        "plugin_skeletons/00_warm_up",
        "plugin_skeletons/10_gelu",
    ):
        (root / folder).mkdir(parents=True)
    (root / "course/00_warm_up/chapter.toml").write_text(
        chapter_toml(
            0,
            "00_warm_up",
            "warm-up",
            [],
            [exercise_toml("index", "index"), exercise_toml("cases", "cases", "python", "full")],
        )  # fmt: skip
    )
    (root / "course/10_gelu/chapter.toml").write_text(
        chapter_toml(10, "10_gelu", "gelu", [0], [exercise_toml("gelu", "gelu")])
    )
    (root / "course/00_warm_up/00_warm_up.ipynb").write_bytes(notebook_bytes(*plain_cells()))
    (root / "course/10_gelu/10_gelu.ipynb").write_bytes(notebook_bytes(cell("one", "# GELU", "markdown")))
    (root / "plugin_skeletons/00_warm_up/index.cu").write_text(KERNEL)
    (root / "plugin_skeletons/10_gelu/gelu.cu").write_text(KERNEL)
    return course.Tree(root)


@pytest.fixture
def warm_up(tree):
    return course.chapter(0, tree)


@pytest.fixture
def workspace(tree):
    return Workspace(tree.root / "my")


@pytest.fixture
def nb():
    """The makers of notebooks: nb.cell, nb.bytes, nb.plain."""

    class Makers:
        pass

    makers = Makers()
    makers.cell, makers.bytes, makers.plain = cell, notebook_bytes, plain_cells
    return makers


@pytest.fixture
def kernel():
    return KERNEL
