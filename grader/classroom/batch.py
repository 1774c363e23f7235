"""Grades many submissions: feeds the crew, and writes each result as it arrives.

This process alone reads submissions and writes results, gradebook and notebooks. A result's file comes first, then the
gradebook, then the autograded notebook; each step is whole or not there, and doing it again changes nothing. So a run
that ended anywhere is mended by the next, which finds out by content what is still to do.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

import nbformat

from grader.classroom import durable, graft, judge, material
from grader.classroom.crew import Crew, Done
from grader.classroom.errors import ClassroomError
from grader.classroom.folder import printable
from grader.classroom.gradebook import GradebookWriter
from grader.classroom.intake.told import with_origin
from grader.classroom.judge import Work
from grader.classroom.result import Result
from grader.classroom.submission import collect
from grader.classroom.tree import ClassTree
from grader.course import Chapter

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Graded:
    """How one submission went. `problem` says why where it was not graded."""

    student: str
    path: Path | None = None  # of its result: a class has more of them than should be in memory
    problem: str = ""
    unchanged: bool = False
    rejudged: bool = False  # the same answers as before, judged again since what judges them is another

    @property
    def result(self) -> Result | None:
        """Read from its file each time."""
        return Result.read(self.path) if self.path else None


@dataclass(kw_only=True)
class Batch:
    """One grading of one assignment."""

    tree: ClassTree
    chapter: Chapter
    release: nbformat.NotebookNode  # the released notebook, which submissions are rebuilt on
    secret: bytes
    writer: GradebookWriter  # entered
    crew: Crew
    confinement: str | None
    run: str = ""  # names this run, and those that it continues, in the results
    judge_again: bool = False  # what has not changed, too, unless this run did already
    write_again: bool = False  # the gradebook's row and the notebook, even where they are there
    report: Callable[[Graded], None] = lambda graded: None
    _under_way: dict[str, tuple[Work, tuple[str, ...]]] = field(default_factory=dict)  # by the task's name
    _done: list[Graded] = field(default_factory=list)

    def grade(self, students: Iterable[str]) -> list[Graded]:
        """Grade these, in the order in which they get done. One bad submission never stops the rest; what
        a full disk makes of a write is raised. Holds no more submissions in memory than the crew has room for."""
        self._cells = graft.answer_cells(self.release)
        self._judging = {exercise.slug: material.judging(exercise) for exercise in self.chapter.exercises}
        waiting = iter(students)
        while True:
            while self.crew.room > 0 and (student := next(waiting, None)) is not None:
                self._attempt(student, self._begin, student)
            if not self.crew.pending:
                return self._done
            done = self.crew.wait()
            work, exercises = self._under_way.pop(done.name)
            self._attempt(work.student, self._go_on, work, exercises, done)

    def _attempt(self, student: str, step: Callable, *arguments) -> None:
        try:
            step(*arguments)
        except Exception as problem:  # whatever it was, the others must still be graded
            if durable.disk_is_full(problem, self.tree.root):
                raise
            log.exception("submission of %s", printable(student))
            kind = "" if isinstance(problem, ClassroomError) else f"{type(problem).__name__}: "
            self._finish(Graded(student, problem=kind + printable(str(problem), 300)))

    def _begin(self, student: str) -> None:
        if set(student) & set("*?["):
            raise ClassroomError("nbgrader takes * ? and [ in a folder's name for a pattern; rename the folder")
        if not student.isprintable():
            raise ClassroomError("the folder's name holds a sign that cannot be printed; rename the folder")
        if self.tree.is_linked(student, self.chapter.name):
            raise ClassroomError("a link stands in place of the folder and is not followed; put the files there")
        submission = collect(self.tree.submitted(student, self.chapter.name), self.chapter, self._cells)
        submission = with_origin(submission, self.tree, student, self.chapter.name)
        before = Result.read(self.tree.result(student, self.chapter.name))
        done = before is not None and self.run != "" and before.run == self.run  # by this run, before it was resumed
        work = judge.prepare(
            student, self.chapter, submission, self.secret, self._judging, before, again=self.judge_again and not done
        )
        if work.todo:
            self._submit(work, work.todo)
        else:
            self._write(work)

    def _submit(self, work: Work, exercises: tuple[str, ...]) -> None:
        name = f"{work.student}/{','.join(exercises)}"
        self._under_way[name] = work, exercises
        self.crew.submit(name, work.task(exercises, self.confinement))

    def _go_on(self, work: Work, exercises: tuple[str, ...], done: Done) -> None:
        if done.answer is None and len(exercises) > 1:  # one by one, so that only the one at fault has a fault
            for exercise in exercises:
                self._submit(work, (exercise,))
            return
        if done.answer and done.answer.log:
            log.warning("submission of %s: %s", printable(work.student), done.answer.log)
        work.take(exercises, done.answer.verdicts if done.answer else None, done.problem)
        if not work.todo:
            self._write(work)

    def _write(self, work: Work) -> None:
        path = self.tree.result(work.student, self.chapter.name)
        result = work.result(self.run)
        if result is not work.before:
            result.write(path)
        elif not self.write_again and self.writer.is_written(self.chapter, work.submission, result):
            durable.tidy(self.tree.autograded(work.student, self.chapter.name))
            self._finish(Graded(work.student, path, unchanged=True))
            return
        self.writer.write(self.chapter, self.release, work.submission, result, same_answers=work.same_answers)
        self._finish(Graded(work.student, path, rejudged=work.rejudged))

    def _finish(self, graded: Graded) -> None:
        self._done.append(graded)
        self.report(graded)
