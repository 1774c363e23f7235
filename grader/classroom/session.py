"""nbgrader, set up for one class, for the commands: the same configuration that its own programs read."""

from __future__ import annotations

import logging
from contextlib import contextmanager

from nbgrader.apps.api import NbGraderAPI
from nbgrader.converters import Autograde, GenerateFeedback
from nbgrader.converters.base import NbGraderException
from nbgrader.coursedir import CourseDirectory
from traitlets.config import Config, PyFileConfigLoader

from grader.classroom import database, rows
from grader.classroom.autograde import Report
from grader.classroom.batch import Graded
from grader.classroom.errors import ClassroomError
from grader.classroom.export.grades import Grades, read_grades
from grader.classroom.export.registrar import export_csv
from grader.classroom.intake.enrol import enrol
from grader.classroom.intake.roster import Roster
from grader.classroom.run import Run
from grader.classroom.tree import ClassTree
from grader.course import Chapter


class Session:
    """One class. Every method raises `ClassroomError` with what to do."""

    def __init__(self, tree: ClassTree):
        self.tree = tree
        self.config = _load(tree)
        self.course = CourseDirectory(config=self.config)

    def autograde(
        self, assignment: str, student: str = "*", *, trust: bool = False, force: bool = False, run: Run | None = None,
        listener: Report | None = None, **settings,
    ) -> list[Graded]:  # fmt: skip
        """Grade submissions as `nbgrader autograde` does. `trust` is the command's `--trust-submissions`; `settings`
        stand before those of the configuration: `confine`, `jobs`, `dask`. `Stopped`: it ended before its end."""
        config = Config(self.config)
        for name, value in {**settings, **({"trust_submissions": True} if trust else {})}.items():
            config.GraderCourse[name] = value
        self.course.assignment_id, self.course.student_id = assignment, student
        converter = Autograde(coursedir=self.course, config=config)
        converter.force, converter.run, converter.listener = force, run, listener or Report()
        try:
            converter.start()
        except NbGraderException as problem:
            if isinstance(problem.__cause__, ClassroomError):
                raise problem.__cause__ from None
            if not converter.graded:
                raise ClassroomError(str(problem)) from None
        return converter.graded

    def release(self, assignment: str) -> None:
        """nbgrader's own release: `source/ASSIGNMENT` to `release/ASSIGNMENT`, and its cells into the
        gradebook."""
        database.check(self.course.db_url, self.course.course_id)
        api = NbGraderAPI(self.course, config=self.config)
        _succeed(api.generate_assignment(assignment, force=True), f"releasing {assignment}")

    def mark_released(self, assignment: str) -> None:
        """Let nbgrader's pages show the assignment as released: for them that is what lies in the exchange."""
        config = Config(self.config)
        config.ExchangeReleaseAssignment.force = True  # it may have been released before
        api = NbGraderAPI(self.course, config=config)
        _succeed(api.release_assignment(assignment), f"marking {assignment} as released")

    def feedback(self, assignment: str, student: str = "*") -> None:
        """Write `feedback/STUDENT/ASSIGNMENT/*.html` for whoever was graded."""
        if not any(self.tree.root.glob(f"autograded/{student}/{assignment}")):
            who = "nobody's" if student == "*" else f"no {student}'s"
            raise ClassroomError(f"{who} {assignment} was graded yet: run  grader autograde  first")
        self.course.assignment_id, self.course.student_id = assignment, student
        converter = GenerateFeedback(coursedir=self.course, config=self.config)
        converter.force = True
        try:
            with _quiet(converter.log):
                converter.start()
        except NbGraderException as problem:
            raise ClassroomError(f"feedback for {assignment}: {problem}") from None

    def export(self, path) -> int:
        return export_csv(self.tree, self.course.db_url, self.course.course_id, path)

    def enrol(self, roster: Roster) -> int:
        return enrol(self.course.db_url, self.course.course_id, roster)

    def booked(self, chapter: Chapter) -> dict[str, rows.Booked]:
        """What the gradebook holds of a chapter, by student."""
        with database.open_book(self.course.db_url, self.course.course_id) as book:
            return rows.booked(book.db, chapter.name)

    def grades(self, chapter: Chapter) -> Grades:
        return read_grades(self.tree, self.course.db_url, self.course.course_id, chapter)


def _load(tree: ClassTree) -> Config:
    """The class's `nbgrader_config.py`, as nbgrader itself would read it."""
    try:
        config = PyFileConfigLoader(tree.config.name, path=str(tree.root)).load_config()
    except Exception as problem:  # it is a program, and anything can be wrong with it
        raise ClassroomError(f"{tree.config}: {type(problem).__name__}: {problem}") from None
    if config.get("GraderCourse", {}).get("root") != str(tree.root):
        raise ClassroomError(
            f"{tree.config} does not call configure(c, Path(__file__).parent), so nbgrader would grade in "
            "its own way, which runs the notebooks and gives full marks where it sees no error"
        )
    return config


def _succeed(outcome: dict, what: str) -> None:
    if not outcome["success"]:
        raise ClassroomError(f"{what} failed: {outcome.get('log') or outcome.get('error')}")


@contextmanager
def _quiet(log: logging.Logger):
    level = log.level
    log.setLevel(logging.ERROR)
    try:
        yield
    finally:
        log.setLevel(level)
