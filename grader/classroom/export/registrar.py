"""The gradebook as CSV: nbgrader's columns, then what is pending, then one column an exercise."""

from __future__ import annotations

from pathlib import Path

from nbgrader.api import MissingEntry

from grader.classroom import material, scores
from grader.classroom.database import open_book
from grader.classroom.errors import ClassroomError
from grader.classroom.export.table import write_table
from grader.classroom.result import Result
from grader.classroom.tree import ClassTree

COLUMNS = (
    "assignment", "duedate", "timestamp", "student_id", "last_name", "first_name", "email", "raw_score",
    "late_submission_penalty", "score", "max_score", "pending", "flags",
)  # fmt: skip

ABSENT = "nothing handed in"


def export_csv(tree: ClassTree, database: str, course: str, path: Path) -> int:
    """Write one row for every student and assignment, handed in or not; returns how many. Written whole or
    not at all.

    `pending` are the points that still need a person's grade; `flags` names the answers that were unreadable or missing
    in a submission, and the scores that a person must look at again, or says that nothing was handed in; an exercise's
    column is empty then.
    """
    rows = []
    names: dict[str, None] = {}  # in order of appearance
    with open_book(database, course) as book:
        for assignment in book.assignments:
            for student in book.students:
                row = {
                    "assignment": assignment.name, "duedate": assignment.duedate, "student_id": student.id,
                    "last_name": student.last_name, "first_name": student.first_name, "email": student.email,
                    "raw_score": 0.0, "late_submission_penalty": 0.0, "score": 0.0, "pending": 0.0,
                    "max_score": assignment.max_score,
                }  # fmt: skip
                names.update(dict.fromkeys(cell.name for nb in assignment.notebooks for cell in nb.grade_cells))
                try:
                    row |= _submission(book.find_submission(assignment.name, student.id))
                    row["flags"] = "; ".join(filter(None, [row["flags"], _flags(tree, assignment.name, student.id)]))
                except MissingEntry:
                    row["flags"] = ABSENT
                rows.append(row)
    columns = [*COLUMNS, *names]
    write_table(path, [columns, *([row.get(column, "") for column in columns] for row in rows)])
    return len(rows)


def _submission(submission) -> dict:
    penalty = submission.late_submission_penalty
    grades = [grade for notebook in submission.notebooks for grade in notebook.grades]
    return {
        "timestamp": submission.timestamp,
        "raw_score": submission.score,
        "late_submission_penalty": penalty,
        "score": max(0.0, submission.score - penalty),
        "pending": sum(max(g.max_score - g.score, 0.0) for g in grades if scores.waits(g)),
        "flags": "; ".join(f"{grade.name}: review" for grade in grades if scores.to_review(grade)),
        **{grade.name: grade.score for grade in grades},
    }


def _flags(tree: ClassTree, assignment: str, student: str) -> str:
    result = Result.read(tree.result(student, assignment))
    try:
        found = scores.flags(material.chapter(assignment), result) if result else {}
    except ClassroomError:  # an assignment of the instructor's own
        found = {}
    return "; ".join(f"{name}: {flag}" for name, flag in found.items())
