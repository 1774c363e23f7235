"""A small course tree that tests may spoil."""

import pytest

CHAPTER = """number = {number}
name = "{name}"
slug = "{slug}"
title = "Masked GELU"
stage = "development"
prerequisites = {prerequisites}
core_minutes = 25
full_minutes = 70
summary = "One sentence."

[explain]
id = "{slug}-explain"
points = 3
prompt = "Why select and not multiply?"
rubric = ["names NaN", "names infinity"]

[[exercise]]
slug = "{slug}-forward"
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

[[exercise.contract]]
row = "special values"
text = "NaN passes through where the mask is on."

[[exercise.group]]
id = "values"
title = "Values"
points = 6

[[exercise.group]]
id = "bounds"
title = "Bounds"
points = 4

[[exercise.hint]]
text = "Look at the mask."

[[exercise.hint]]
text = "NaN times zero is NaN."

[[exercise.hint]]
text = "Take a mask of one byte."

[[exercise.hint]]
text = "The line that stores."

[[exercise.misconception]]
id = "mask-multiply"
text = "Multiplying by the mask is the same as choosing."
"""


@pytest.fixture
def make_tree(tmp_path):
    """make_tree({"10_masked_gelu": text, ...}) -> Tree"""
    from grader.course import Tree

    def make(files):
        for folder in ("course", "plugin_skeletons"):
            (tmp_path / folder).mkdir(exist_ok=True)
        for name, text in files.items():
            (tmp_path / "course" / name).mkdir(exist_ok=True)
            (tmp_path / "course" / name / "chapter.toml").write_text(text)
        return Tree(tmp_path)

    return make


@pytest.fixture
def chapter_text():
    """chapter_text(number=..., name=..., slug=..., prerequisites=...) -> the text of a right chapter.toml"""

    def text(number=10, name="10_masked_gelu", slug="masked-gelu", prerequisites="[]"):
        return CHAPTER.format(number=number, name=name, slug=slug, prerequisites=prerequisites)

    return text
