"""Grades an assignment: every submission on its own, results first, then one writer.

`nbgrader autograde`, the formgrader's Autograde button and `grader class autograde` all come here (see
`nbgrader_setup.py`), so they give the same result.
"""

from __future__ import annotations

import fcntl
import logging
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import nbformat

from grader.classroom import graft, judge, material, secret
from grader.classroom.errors import ClassroomError
from grader.classroom.folder import printable
from grader.classroom.gradebook import GradebookWriter
from grader.classroom.result import Result
from grader.classroom.submission import collect
from grader.classroom.tree import ClassTree
from grader.course import Chapter

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Graded:
    """How one submission went. `result` is None where `problem` says why it was not graded."""

    student: str
    result: Result | None = None
    problem: str = ""
    unchanged: bool = False


def autograde(
    tree: ClassTree,
    assignment: str,
    students: Iterable[str],
    writer: GradebookWriter,
    *,
    force: bool = False,
    report: Callable[[Graded], None] = lambda graded: None,
) -> list[Graded]:
    """Grade the submissions of `students`, skipping what is unchanged unless `force`.

    `report` hears of each as it is done. `ClassroomError` only for what stops all of them: no such chapter,
    not released, no secret, or another run at work. One bad submission never stops the rest.
    """
    chapter = material.chapter(assignment)
    release = read_release(tree, chapter)
    key = secret.read(tree.secret)
    done = []
    with only_one(tree), writer:
        for student in students:
            try:
                graded = _grade(tree, chapter, release, student, key, writer, force)
            except Exception as problem:  # whatever it was, the others must still be graded
                log.exception("submission of %s", printable(student))
                kind = "" if isinstance(problem, ClassroomError) else f"{type(problem).__name__}: "
                graded = Graded(student, problem=kind + printable(str(problem), 300))
            done.append(graded)
            report(graded)
    return done


def _grade(
    tree: ClassTree, chapter: Chapter, release, student: str, key: bytes, writer: GradebookWriter, force: bool
) -> Graded:
    if set(student) & set("*?["):
        raise ClassroomError("nbgrader takes * ? and [ in a folder's name for a pattern; rename the folder")
    if not student.isprintable():
        raise ClassroomError("the folder's name holds a sign that cannot be printed; rename the folder")
    if tree.is_linked(student, chapter.name):
        raise ClassroomError("a link stands in place of the folder and is not followed; put the files there")
    submission = collect(tree.submitted(student, chapter.name), chapter, graft.answer_cells(release))
    path = tree.result(student, chapter.name)
    before = Result.read(path)
    fingerprint = judge.fingerprint(submission, chapter)
    if before and before.fingerprint == fingerprint and not force:
        result = before
        if writer.is_written(chapter, student, fingerprint):
            return Graded(student, result, unchanged=True)
    else:
        result = judge.judge(student, chapter, submission, key)
        result.write(path)
    same = before is not None and before.answers == result.answers
    writer.write(chapter, release, submission, result, same_answers=same)
    return Graded(student, result)


def read_release(tree: ClassTree, chapter: Chapter):
    """The released notebook, which submissions are rebuilt on."""
    path = tree.released(chapter.name) / f"{chapter.name}.ipynb"
    try:
        return nbformat.read(path, as_version=4)
    except OSError:
        raise ClassroomError(
            f"{chapter.name} was not released in this class: run  grader class release {chapter.number}"
        ) from None


@contextmanager
def only_one(tree: ClassTree) -> Iterator[None]:
    """Hold the class's grading lock; a second run is refused rather than left to write at the same time."""
    folder = tree.root / "results"
    folder.mkdir(exist_ok=True, mode=0o700)
    with (folder / ".lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise ClassroomError(
                "another grading run of this class is at work; wait until it is done"
            ) from None
        yield
