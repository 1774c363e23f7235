"""The autograded notebook: the release, with the student's answers grafted in and the verdicts as static
outputs.

Nothing is executed and no submitted output, metadata, attachment or extra cell survives. The instructor's browser
shows this notebook in the formgrader and in JupyterLab, so no submitted Markdown is left in it (`answer_text.py`).
"""

from __future__ import annotations

from typing import Any

from nbformat import NotebookNode

from grader.classroom import answer_text, page
from grader.classroom.notebook_text import Cell
from grader.classroom.public import public_result
from grader.classroom.result import Result
from grader.classroom.submission import Submission
from grader.course import Chapter, Exercise

FINGERPRINT = "grader_fingerprint"  # in the notebook's metadata: which result it shows
AS_TYPED = "grader_answer"  # in a cell's metadata: the student's Markdown


def answer_cells(release: NotebookNode) -> list[Cell]:
    """The cells of the release that a student fills in."""
    found = []
    for cell in release.cells:
        marks = cell.metadata.get("nbgrader", {})
        if marks.get("solution"):
            found.append(Cell(marks["grade_id"], cell.get("id", ""), cell.cell_type, cell.source))
    return found


def graft(release: NotebookNode, chapter: Chapter, submission: Submission, result: Result) -> dict[str, Any]:
    """A new notebook, as its file's JSON holds it; `release` is left as it is, and what did not change is its own.

    Plain data, because nbformat's own functions copy the whole and hold each cell against the schema, which takes
    longer than all else that is done with a submission.
    """
    exercises = {exercise.slug: exercise for exercise in chapter.exercises}
    cells: list[dict[str, Any]] = []
    if result.notes:
        cells.append(_ours("grader-notes", page.notes_html([note.sentence for note in result.notes])))
    for released in release["cells"]:
        cell = dict(released)
        marks = cell["metadata"].get("nbgrader", {})
        name = marks.get("grade_id")
        if chapter.explain and name == chapter.explain.id:
            cells.append(_ours("grader-rubric", page.rubric_html(chapter.explain.points, chapter.explain.rubric)))
        if marks.get("solution") and name in submission.cells:
            cell["source"] = submission.cells[name]
            if cell["cell_type"] == "markdown":
                cell["metadata"] = cell["metadata"] | {AS_TYPED: cell["source"]}  # nothing shows it
                cell["source"] = answer_text.to_html(cell["source"])
        if cell["cell_type"] == "code":
            cell["outputs"], cell["execution_count"] = [], None
            if marks.get("grade") and name in exercises:
                cell["outputs"] = [_output(exercises[name], submission, result)]
        cells.append(cell)
    return release | {"cells": cells, "metadata": release["metadata"] | {FINGERPRINT: result.fingerprint}}


def _ours(name: str, html: str) -> dict[str, Any]:
    return {"cell_type": "markdown", "id": name, "metadata": {}, "source": answer_text.inert(html)}


def _output(exercise: Exercise, submission: Submission, result: Result) -> dict[str, Any]:
    verdict = public_result(exercise, result)
    files = {name: submission.files[name] for name in exercise.files if name in submission.files}
    data = {"text/plain": page.verdict_text(verdict), "text/html": page.verdict_html(verdict, files)}
    return {"output_type": "display_data", "metadata": {}, "data": data}
