"""A submission's rows in nbgrader's tables, found or added in the transaction of a session; nothing is committed here.

nbgrader's own methods commit after each step, and load with each object all that the database computes from it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from nbgrader.api import (
    Assignment,
    BaseCell,
    Comment,
    Grade,
    GradeCell,
    Notebook,
    Student,
    SubmittedAssignment,
    SubmittedNotebook,
    new_uuid,
)
from sqlalchemy import Row, bindparam, insert, select, update
from sqlalchemy.orm import Session

from grader.classroom.errors import ClassroomError

_GRADE_CELLS = GradeCell.__table__  # not the class, which would bring its parent's table along
# Made once: to make a statement takes SQLAlchemy longer than to execute it.
_STUDENT = select(Student.first_name, Student.last_name).where(Student.id == bindparam("student"))
_ASSIGNMENT = select(Assignment.id).where(Assignment.name == bindparam("assignment"))
_CELLS = (
    select(Notebook.id, BaseCell.id, BaseCell.type)
    .outerjoin(BaseCell, BaseCell.notebook_id == Notebook.id)
    .where(Notebook.assignment_id == bindparam("assignment"))
)
_SUBMISSION = (
    select(
        SubmittedAssignment.id, SubmittedNotebook.id, SubmittedAssignment.timestamp, SubmittedAssignment.extension,
        Assignment.duedate,
    )
    .join(SubmittedNotebook, SubmittedNotebook.assignment_id == SubmittedAssignment.id)
    .join(Notebook, Notebook.id == SubmittedNotebook.notebook_id)
    .join(Assignment, Assignment.id == SubmittedAssignment.assignment_id)
    .where(Assignment.name == bindparam("assignment"), Notebook.name == Assignment.name)
    .where(SubmittedAssignment.student_id == bindparam("student"))
)  # fmt: skip
_GRADES = (
    select(Grade.id, BaseCell.name, Grade.cell_type, Grade.auto_score, Grade.manual_score, _GRADE_CELLS.c.max_score)
    .join(BaseCell, BaseCell.id == Grade.cell_id)
    .outerjoin(_GRADE_CELLS, _GRADE_CELLS.c.id == Grade.cell_id)
    .where(Grade.notebook_id == bindparam("notebook"))
)
_COMMENTS = (
    select(Comment.id, BaseCell.name)
    .join(BaseCell, BaseCell.id == Comment.cell_id)
    .where(Comment.notebook_id == bindparam("notebook"))
)
_BOOKED = (
    select(
        SubmittedAssignment.student_id, SubmittedNotebook.late_submission_penalty, BaseCell.name, Grade.score,
        Grade.manual_score, Grade.extra_credit, Grade.needs_manual_grade,
    )
    .join(SubmittedNotebook, SubmittedNotebook.assignment_id == SubmittedAssignment.id)
    .join(Grade, Grade.notebook_id == SubmittedNotebook.id)
    .join(BaseCell, BaseCell.id == Grade.cell_id)
    .join(Assignment, Assignment.id == SubmittedAssignment.assignment_id)
    .where(Assignment.name == bindparam("assignment"))
)  # fmt: skip


@dataclass
class Booked:
    """What the gradebook holds of one submission. `score` has the late `penalty` not taken off; `by_hand` are the
    scores that a person gave, by grade id, and whether they are to be looked at again."""

    penalty: float
    score: float = 0.0
    by_hand: dict[str, tuple[float, bool]] = field(default_factory=dict)


@dataclass(frozen=True)
class Submitted:
    """Where the scores of one submission go."""

    notebook: str  # id of its row
    seconds_late: float  # after the day it was due and an extension, as nbgrader counts; never negative


def find_or_add(db: Session, assignment: str, student: str, handed_in: datetime | None) -> Submitted:
    """The rows of a submission whose one notebook is named like its assignment. `handed_in` is a naive UTC time; None
    leaves what is there."""
    _find_or_add_student(db, student)
    which = {"assignment": assignment, "student": student}
    if (row := db.execute(_SUBMISSION, which).one_or_none()) is None:
        _add(db, assignment, student)
        row = db.execute(_SUBMISSION, which).one()
    submission, notebook, before, extension, due = row
    if handed_in and handed_in != before:
        change(db, SubmittedAssignment, [{"id": submission, "timestamp": handed_in}])
    at = handed_in or before
    late = (at - due - (extension or timedelta())).total_seconds() if at and due else 0.0
    return Submitted(notebook, max(0.0, late))


def _find_or_add_student(db: Session, student: str) -> None:
    row = db.execute(_STUDENT, {"student": student}).one_or_none()
    name = {"id": student, "last_name": student, "first_name": ""}
    if row is None:
        db.execute(insert(Student.__table__), [name])
    elif row == (None, None):  # nbgrader's pages show "None, None"
        change(db, Student, [name])


def _add(db: Session, assignment: str, student: str) -> None:
    """The same rows as nbgrader's `add_submission`: one for each notebook, and for each cell that is graded or that a
    student fills in."""
    known = db.scalar(_ASSIGNMENT, {"assignment": assignment})
    if known is None:
        raise ClassroomError(f"{assignment} is not in the gradebook; release it again: grader class release")
    submission = new_uuid()
    found = db.execute(_CELLS, {"assignment": known}).all()
    notebooks = {notebook: new_uuid() for notebook, _, _ in found}
    rows = [(type, {"cell_id": cell, "notebook_id": notebooks[notebook]}) for notebook, cell, type in found]
    added = {
        SubmittedAssignment: [{"id": submission, "assignment_id": known, "student_id": student}],
        SubmittedNotebook: [
            {"id": new, "notebook_id": notebook, "assignment_id": submission} for notebook, new in notebooks.items()
        ],
        Grade: [row for type, row in rows if type in ("GradeCell", "TaskCell")],
        Comment: [row for type, row in rows if type in ("SolutionCell", "TaskCell")],
    }
    for table, values in added.items():
        if values:
            db.execute(insert(table.__table__), values)  # past the object mapper, which takes twice as long


def grades(db: Session, notebook: str) -> Sequence[Row]:
    """With `id`, `name` and `cell_type` of the cell, `auto_score`, `manual_score`, and the cell's `max_score`."""
    return db.execute(_GRADES, {"notebook": notebook}).all()


def comments(db: Session, notebook: str) -> Sequence[Row]:
    """With `id` and the cell's `name`."""
    return db.execute(_COMMENTS, {"notebook": notebook}).all()


def score(db: Session, notebook: str) -> float:
    """The sum of its grades, as nbgrader has the database compute it."""
    return db.scalar(select(SubmittedNotebook.score).where(SubmittedNotebook.id == notebook))


def booked(db: Session, assignment: str) -> dict[str, Booked]:
    """By student, of everybody who was graded."""
    found: dict[str, Booked] = {}
    for student, penalty, cell, score, manual, extra, again in db.execute(_BOOKED, {"assignment": assignment}):
        of = found.setdefault(student, Booked(penalty or 0.0))
        of.score += score
        if manual is not None or extra:
            of.by_hand[cell] = score, bool(again)
    return found


def change(db: Session, table: type, rows: list[dict]) -> None:
    """Change the rows with these ids. (An empty list would else change all there are.)"""
    if rows:
        db.execute(update(table), rows)
