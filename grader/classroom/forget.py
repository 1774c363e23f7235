"""Deletes all that a class keeps of one student: `grader class forget STUDENT`."""

from __future__ import annotations

import shutil
from pathlib import Path

from nbgrader.api import Gradebook, MissingEntry
from sqlalchemy import text

from grader.classroom.autograde import only_one
from grader.classroom.database import open_book, plain_errors
from grader.classroom.errors import ClassroomError
from grader.classroom.session import Session
from grader.classroom.tree import ClassTree

FOLDERS = ("submitted", "submitted_before", "autograded", "feedback", "results")


def find(tree: ClassTree, student: str) -> list[str]:
    """What there is of a student: one line each. `ClassroomError` if there is nothing, or for what is no name."""
    if not student or Path(student).name != student or student.startswith("."):
        raise ClassroomError(f"{student!r} is no student's id: it is the name of one folder in submitted/")
    found = [str(path.relative_to(tree.root)) for path in _paths(tree, student)]
    with _book(tree) as book:
        try:
            count = len(book.student_submissions(book.find_student(student).id))
            found.append(f"the gradebook's entry: name, scores and comments; assignments: {count}")
        except MissingEntry:
            pass
    if not found:
        raise ClassroomError(f"nothing is kept of {student!r}; is the id right? It is the folder's name in submitted/")
    return found


def forget(tree: ClassTree, student: str) -> None:
    """Delete what `find` found, the gradebook's entry last: a run that was interrupted can be repeated.

    `ClassroomError` while a grading run is at work.
    """
    find(tree, student)
    with only_one(tree):
        for path in _paths(tree, student):
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            else:
                path.unlink()
        with _book(tree) as book, plain_errors(Session(tree).course.db_url):
            try:
                book.remove_student(student)
            except MissingEntry:
                return
            if book.engine.dialect.name == "sqlite":  # deleted rows stay in the file until it is written anew
                with book.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
                    connection.execute(text("VACUUM"))


def _paths(tree: ClassTree, student: str) -> list[Path]:
    found = [tree.root / folder / student for folder in FOLDERS]
    # What nbgrader's exchange took in, NAME+ASSIGNMENT+TIME, and what an interrupted intake left.
    for place in (*tree.exchange.glob("*/inbound"), tree.root / "submitted_before" / ".ready"):
        found += [path for path in place.glob("*") if path.name.partition("+")[0] == student]
    found = [path for path in found if path.is_symlink() or path.exists()]
    summary = tree.root / "summary.html"  # it holds names, and can be made again
    return [*found, summary] if found and summary.exists() else found


def _book(tree: ClassTree) -> Gradebook:
    course = Session(tree).course
    return open_book(course.db_url, course.course_id)
