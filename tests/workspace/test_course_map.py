"""The index notebook."""

import dataclasses

import nbformat
import pytest

from grader import course
from grader.verdict import CheckResult, Group, State, Verdict
from grader.workspace import index as index_function
from grader.workspace import load, record, start, write_index
from grader.workspace.chapter_graph import _places, draw
from grader.workspace.course_map import next_step, render
from grader.workspace.examples import bring_examples
from grader.workspace.machine import Ability

MACHINE = [
    Ability("simulated-gpu", "Simulated GPU", True, "a kernel ran", "kernels", "…", True),
    Ability("gpu", "NVIDIA GPU", False, "CuPy is not installed", "the same kernels", "…", False),
]


@pytest.fixture
def both(tree, workspace):
    for chapter in course.chapters(tree):
        start(chapter, workspace, tree)
    return workspace


def passed(exercise):
    check = CheckResult(check="c", state=State.PASS, sentence="", group="g")
    groups = [Group(id="g", title="", points=4)]
    return Verdict.of(exercise=exercise.slug, revision=exercise.revision, checks=[check], groups=groups)


def test_it_shows_the_map(tree, both):
    page = render(tree, both, MACHINE)
    assert '<a href="00_warm_up/00_warm_up.ipynb">Chapter warm-up &amp; more</a>' in page
    assert "after <a" in page and "About gelu." in page
    assert "5 min core, 9 min in full" in page
    assert "Simulated GPU" in page and "CuPy is not installed" in page
    assert "0 of 3 exercises passed" in page
    assert "Do &lt;it&gt;." in page


def test_it_draws_what_comes_after_what(tree, both, warm_up):
    page = render(tree, both, MACHINE)
    assert 'aria-label="Order of the chapters. 10 comes after 0"' in page
    assert page.count("<rect") == 2 and page.count('class="head"') == 1
    assert '<g class="done">' not in page
    record(passed(warm_up.exercises[0]), both.chapter(warm_up))
    page = render(tree, both, MACHINE)
    assert page.count('<g class="done">') == 1 and 'class="done full"' not in page
    assert "Core done, 1 more exercise if you want it in full: <a" in page  # beside the next step
    record(passed(warm_up.exercises[1]), both.chapter(warm_up))
    page = render(tree, both, MACHINE)
    assert page.count('<g class="done full">') == 1 and "Done in full" in page and "Core done" not in page


def test_a_long_course_is_drawn_in_columns(tree, warm_up):
    def chapter(number, *needs):
        return dataclasses.replace(warm_up, number=number, prerequisites=needs)

    place = _places([chapter(0), chapter(1, 0), chapter(2, 0), chapter(3, 1, 2), chapter(4)])
    assert place == {0: (0, 0), 4: (0, 1), 1: (1, 0), 2: (1, 1), 3: (2, 0)}
    assert draw([], ()) == ""


def test_a_chapter_that_is_not_started_has_no_dead_link(tree, workspace):
    page = render(tree, workspace, MACHINE)
    assert "href" not in page and "Chapter gelu" in page


def test_the_next_step_goes_by_prerequisites(tree, both, warm_up):
    chapters = course.chapters(tree)
    warm, gelu = chapters
    assert next_step(chapters, load(both)) == (warm, warm.exercises[0])
    record(passed(warm.exercises[0]), both.chapter(warm))
    assert next_step(chapters, load(both)) == (gelu, gelu.exercises[0])
    record(passed(gelu.exercises[0]), both.chapter(gelu))
    assert next_step(chapters, load(both)) == (warm, warm.exercises[1])
    record(passed(warm.exercises[1]), both.chapter(warm))
    assert next_step(chapters, load(both)) is None
    assert "All exercises passed" in render(tree, both, MACHINE)


def test_the_notebook_is_valid_and_shows_before_it_runs(tree, both, monkeypatch, tmp_path):
    monkeypatch.setenv("JUPYTER_DATA_DIR", str(tmp_path / "jupyter"))
    monkeypatch.setattr("grader.workspace.course_map.abilities", lambda keys: MACHINE)
    path = write_index(both, tree)
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    code = notebook.cells[1]
    assert code.metadata.jupyter.source_hidden is True
    assert "Chapter warm-up" in code.outputs[0].data["text/html"]
    from nbformat.sign import NotebookNotary

    assert NotebookNotary().check_signature(notebook)


def test_the_examples_lie_beside_the_map_and_a_learners_stay(tree, both, monkeypatch):
    assert "Looking into a kernel" not in render(tree, both, MACHINE)  # a tree without docs, as a class release's
    source = tree.root / "docs" / "examples" / "simulated_gpu.ipynb"
    source.parent.mkdir(parents=True)
    source.write_text('{"cells": [], "metadata": {}}')
    bring_examples(both, tree)
    mine = both.root / source.name
    assert '<a href="simulated_gpu.ipynb">Looking into a kernel</a>' in render(tree, both, MACHINE)
    source.write_text('{"cells": [], "metadata": {"newer": 1}}')
    bring_examples(both, tree)
    assert "newer" in mine.read_text()
    mine.write_text("a learner's own")
    source.write_text('{"cells": [], "metadata": {"newer": 2}}')
    bring_examples(both, tree)
    assert mine.read_text() == "a learner's own"


def test_its_cell_draws_the_same_map(tree, both, monkeypatch):
    shown = []
    monkeypatch.setenv("GRADER_COURSE", str(tree.root))
    monkeypatch.chdir(both.root)
    monkeypatch.setattr("grader.workspace.course_map.abilities", lambda keys: MACHINE)
    monkeypatch.setattr("IPython.display.display", shown.append)
    index_function()
    assert "Chapter warm-up" in shown[0].data


def test_a_corrupt_record_is_told(tree, both):
    both.progress_file.write_text("{")
    assert "could not be read" in render(tree, both, MACHINE)
    assert not both.progress_file.exists()
