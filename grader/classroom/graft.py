"""The autograded notebook: the release, with the student's answers grafted in and the verdicts as static
outputs.

Nothing is executed and no submitted output, metadata, attachment or extra cell survives. The instructor's browser
shows this notebook in the formgrader and in JupyterLab, so no submitted Markdown is left in it (`answer_text.py`).
"""

from __future__ import annotations

import nbformat
from nbformat import NotebookNode

from grader.classroom import answer_text, page
from grader.classroom.notebook_text import Cell
from grader.classroom.public import public_result
from grader.classroom.result import Result
from grader.classroom.submission import Submission
from grader.course import Chapter

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


def graft(release: NotebookNode, chapter: Chapter, submission: Submission, result: Result) -> NotebookNode:
    """A new notebook; `release` is left as it is."""
    notebook = nbformat.from_dict(release)
    notebook.metadata[FINGERPRINT] = result.fingerprint
    exercises = {exercise.slug: exercise for exercise in chapter.exercises}
    for cell in notebook.cells:
        marks = cell.metadata.get("nbgrader", {})
        name = marks.get("grade_id")
        if marks.get("solution") and name in submission.cells:
            text = submission.cells[name]
            if cell.cell_type == "markdown":
                cell.metadata[AS_TYPED] = text  # nothing shows it
                text = answer_text.to_html(text)
            cell.source = text
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
            if marks.get("grade") and name in exercises:
                verdict = public_result(exercises[name], result)
                files = {f: submission.files[f] for f in exercises[name].files if f in submission.files}
                data = {
                    "text/plain": page.verdict_text(verdict),
                    "text/html": page.verdict_html(verdict, files),
                }
                cell.outputs = [nbformat.v4.new_output("display_data", data)]
    place = [cell.metadata.get("nbgrader", {}).get("grade_id") for cell in notebook.cells]
    if chapter.explain and chapter.explain.id in place:
        rubric = nbformat.v4.new_markdown_cell(
            answer_text.inert(page.rubric_html(chapter.explain.points, chapter.explain.rubric))
        )
        rubric.id = "grader-rubric"
        notebook.cells.insert(place.index(chapter.explain.id), rubric)
    if result.notes:
        note = nbformat.v4.new_markdown_cell(answer_text.inert(page.notes_html([n.sentence for n in result.notes])))
        note.id = "grader-notes"
        notebook.cells.insert(0, note)
    return notebook
