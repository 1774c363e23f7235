"""How nbgrader is made to grade our way. An instructor's `nbgrader_config.py` calls `configure(c, root)`.

nbgrader's converter looks for notebooks, and stops or skips where one is missing, renamed or damaged,
before any of its configurable steps runs. So its `start` is replaced as a whole, for classes configured
here only; and its steps are set to `Refuse`, so that no submitted notebook is ever executed even if the
replacement were not in effect.
"""

from __future__ import annotations

import fnmatch
import os
import sys
import textwrap
from pathlib import Path

from nbgrader.apps import api
from nbgrader.apps.api import NbGraderAPI
from nbgrader.converters import Autograde, NbGraderException
from nbgrader.preprocessors import ClearSolutions, NbGraderPreprocessor
from nbgrader.utils import is_solution
from traitlets import Bool, Enum, Int, Unicode
from traitlets.config import Config, LoggingConfigurable

from grader.classroom import database, formgrader
from grader.classroom.autograde import Options, Report, autograde
from grader.classroom.batch import Graded
from grader.classroom.errors import ClassroomError
from grader.classroom.folder import printable
from grader.classroom.gradebook import GradebookWriter
from grader.classroom.tree import ClassTree
from grader.sandbox import confinement

BOX = 62  # columns of the box in which the formgrader shows a log


class GraderCourse(LoggingConfigurable):
    """Settings of a class, `c.GraderCourse.*` in its `nbgrader_config.py`."""

    root = Unicode("", help="The instructor's tree. Set by configure(); empty: nbgrader grades in its own way.").tag(
        config=True
    )
    trust_submissions = Bool(
        False, help="Whether students' code may run unconfined, with your own rights on this machine."
    ).tag(config=True)
    confine = Enum(
        ("auto", *confinement.KINDS), "auto", help="How students' code is confined; auto: the first that works here."
    ).tag(config=True)
    jobs = Int(0, min=0, help="How many submissions to judge at a time; 0: one for each processor.").tag(config=True)
    dask = Unicode("", help="Address of a Dask scheduler whose workers judge; empty: this machine.").tag(config=True)


def configure(c: Config, root: str | Path) -> None:
    """Set up nbgrader for the class in `root`. Called by `nbgrader_config.py`, often more than once a
    process."""
    root = Path(root).resolve()
    c.GraderCourse.root = str(root)
    c.CourseDirectory.root = str(root)
    c.CourseDirectory.db_url = f"sqlite:///{ClassTree(root).database}"
    here = "grader.classroom.nbgrader_setup"
    # Private like the rest of the tree: nbgrader's pages tell what was released by what lies there.
    c.Exchange.root = str(ClassTree(root).exchange)
    c.GenerateAssignment.preprocessors = [
        "nbgrader.preprocessors.IncludeHeaderFooter",
        "nbgrader.preprocessors.LockCells",
        f"{here}.ClearMarkedSolutions",
        "nbgrader.preprocessors.ClearOutput",
        "nbgrader.preprocessors.CheckCellMetadata",
        "nbgrader.preprocessors.ComputeChecksums",
        "nbgrader.preprocessors.SaveCells",
        "nbgrader.preprocessors.ClearHiddenTests",
        "nbgrader.preprocessors.ClearMarkScheme",
        "nbgrader.preprocessors.ComputeChecksums",
        "nbgrader.preprocessors.CheckCellMetadata",
    ]
    c.Autograde.sanitize_preprocessors = [f"{here}.Refuse"]
    c.Autograde.autograde_preprocessors = [f"{here}.Refuse"]
    c.GenerateFeedback.preprocessors = []
    c.GenerateFeedback.exporter_class = "grader.classroom.feedback.FeedbackExporter"
    c.FormgradeExtension.debug = False  # its first page would show all settings, a database's password among them
    install()


def install() -> None:
    """Put our grading in place of nbgrader's, and the programs of this environment on PATH (nbgrader calls
    alembic)."""
    programs = str(Path(sys.executable).parent)
    if programs not in os.environ.get("PATH", "").split(os.pathsep):
        os.environ["PATH"] = os.pathsep.join(filter(None, [programs, os.environ.get("PATH")]))
    database.install()
    if getattr(Autograde.start, "of_the_course", False):
        return
    formgrader.install()
    stock = Autograde.start

    def start(self) -> None:
        if GraderCourse(parent=self, config=self.config).root:
            grade(self)
        else:
            stock(self)

    start.of_the_course = True
    Autograde.start = start
    stock_capture = api.capture_log

    def capture_log(app, *args, **options) -> dict:
        answer = stock_capture(app, *args, **options)
        if told := getattr(app, "told", ""):  # for a person to read, so no traceback beside it
            answer = {"success": False, "log": told}
        return answer

    api.capture_log = capture_log


def options_of(config: Config, **others) -> Options:
    """How a class is graded by its configuration; `others` are the rest of the options."""
    settings = GraderCourse(config=config)
    return Options(
        trust=settings.trust_submissions, confine=settings.confine, jobs=settings.jobs, dask=settings.dask, **others
    )  # fmt: skip


class _Log(Report):
    """Tells nbgrader's log of each submission, and a command that asked for more what it wants to hear."""

    def __init__(self, converter: Autograde, listener: Report):
        self._converter, self._listener = converter, listener

    def begin(self, chapter, students) -> None:
        self._listener.begin(chapter, students)

    def graded(self, graded: Graded) -> None:
        how = graded.problem or ("unchanged" if graded.unchanged else "graded")
        assignment = self._converter.coursedir.assignment_id
        self._converter.log.info("%s, %s: %s", assignment, printable(graded.student), how)
        self._converter.graded.append(graded)
        self._listener.graded(graded)

    def said(self, sentence: str) -> None:
        self._converter.log.info("%s", sentence)
        self._listener.said(sentence)


def grade(converter: Autograde) -> None:
    """What `Autograde.start` does in a class of the course. Leaves `converter.graded`, a list of `Graded`.

    A command may have put `run` and `listener` on the converter. Raises `NbGraderException` where nothing could be
    graded or some submissions could not; the button shows its text, which is left in `converter.told`.
    """
    course = converter.coursedir
    tree = ClassTree(Path(course.root))
    converter.graded, converter.told = [], ""
    # nbgrader's API, and so the button, forces by default: the grade is written anew, and what has not changed is not
    # judged again, since it would come to the same.
    by_api = isinstance(converter.parent, NbGraderAPI)
    options = options_of(
        converter.config, judge_again=converter.force and not by_api, write_again=converter.force,
        run=getattr(converter, "run", None),
    )  # fmt: skip
    report = _Log(converter, getattr(converter, "listener", Report()))
    try:
        excluded = course.student_id_exclude.split(",") if course.student_id_exclude else []
        students = [
            student
            for student in tree.students(course.assignment_id)
            if (student == course.student_id or fnmatch.fnmatchcase(student, course.student_id))
            and student not in excluded
        ]
        if not students:
            raise ClassroomError(
                f"nothing to grade: no folder {tree.submitted(course.student_id, course.assignment_id)}"
            )
        writer = GradebookWriter(tree, course.db_url, course.course_id, parent=converter)
        converter.graded = autograde(tree, course.assignment_id, students, writer, options, report)
    except ClassroomError as problem:
        converter.log.error("%s", problem)
        converter.told = in_lines(str(problem))
        raise NbGraderException(str(problem)) from problem
    if failed := [graded for graded in converter.graded if graded.problem]:
        text = "; ".join(f"{printable(graded.student)}: {graded.problem}" for graded in failed)
        converter.log.error("Not graded: %s", text)
        text = f"{len(failed)} of {len(converter.graded)} submissions were not graded: {text}"
        converter.told = in_lines(text)
        raise NbGraderException(text)


def in_lines(text: str) -> str:
    """Text for the formgrader's box: no line longer than it is wide, but for a path or a name that is."""
    return "\n".join(
        textwrap.fill(line, BOX, break_long_words=False, break_on_hyphens=False) if len(line) > BOX else line
        for line in text.splitlines()
    )


class Refuse(NbGraderPreprocessor):
    """Stands where nbgrader would execute a notebook. It runs only if our grading is not in effect."""

    def preprocess(self, nb, resources):
        raise NbGraderException(
            "The course's grading is not in effect, so nothing was graded: call configure(c, root) of "
            "grader.classroom.nbgrader_setup in nbgrader_config.py"
        )


class ClearMarkedSolutions(ClearSolutions):
    """Removes what stands between BEGIN SOLUTION and END SOLUTION. The course's notebooks hold no
    solutions, only what learners start from, which nbgrader's own step would blank out."""

    def preprocess_cell(self, cell, resources, cell_index):
        replaced = self._replace_solution_region(cell, resources["language"])
        if replaced and not is_solution(cell):
            raise RuntimeError("a solution is marked in a cell that is not a solution cell")
        return cell, resources
