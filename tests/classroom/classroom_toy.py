"""A small course and a fake runner, for tests: `patch()` puts them in place of the real ones in any
process."""

import json
import os
import signal
import sys
import tempfile
import time
from collections import deque
from pathlib import Path

from grader.classroom import crew, material, task, worker
from grader.course import Tree
from grader.sandbox import confinement
from grader.verdict import CheckResult, State, Verdict

NAME = "10_toy"
CHAPTER = """number = 10
name = "10_toy"
slug = "toy"
title = "A toy <chapter>"
stage = "development"
prerequisites = []
kit = ["given.h"]
core_minutes = 5
full_minutes = 9
summary = "One sentence."

[explain]
id = "toy-explain"
points = 3
prompt = "Why select and not multiply?"
rubric = ["names NaN"]
"""
EXERCISE = """
[[exercise]]
slug = "{slug}"
alias = "{alias}"
title = "{title}"
kind = "{kind}"
track = "core"
points = 10
revision = 1
{answer}
needs = []
wall_seconds = 5
summary = "Write it."
[[exercise.contract]]
row = "r"
text = "t"
[[exercise.group]]
id = "values"
title = "Values"
points = 6
[[exercise.group]]
id = "bounds"
title = "Bounds"
points = 4
[[exercise.hint]]
text = "1"
[[exercise.hint]]
text = "2"
[[exercise.hint]]
text = "3"
[[exercise.hint]]
text = "4"
[[exercise.misconception]]
id = "mask-multiply"
text = "Multiplying by the mask is not the same as choosing."
"""
SKELETON = "// write the toy kernel here\n"
STARTER = "def answer():\n    ..."
QUESTION = "Write your answer here."
SECRET_EXPECTATION = "4242.4242"  # what a hidden case expects: must never be seen by a student


def cell(kind, name, source, **marks):
    base = {
        "schema_version": 3,
        "grade_id": name,
        "grade": False,
        "solution": False,
        "locked": False,
        "task": False,
        "cell_type": kind,
    }
    found = {"cell_type": kind, "id": name, "metadata": {"nbgrader": base | marks}, "source": source}
    return found | ({"execution_count": None, "outputs": []} if kind == "code" else {})


def notebook():
    """The learner's notebook, as plain data."""
    cells = [
        {"cell_type": "markdown", "id": "intro", "metadata": {}, "source": "# A toy"},
        cell("code", "example-1", "1 + 1", locked=True),
        cell("code", "toy-kernel", 'exercise("toy-kernel").check()', grade=True, locked=True, points=10),
        cell("code", "toy-cell-answer", STARTER, solution=True),
        cell("code", "toy-cell", 'exercise("toy-cell").check()', grade=True, locked=True, points=10),
        cell("markdown", "toy-explain", QUESTION, grade=True, solution=True, points=3),
    ]
    metadata = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}
    return {"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}


def answered(python="return 'right'", words="Because NaN times zero is NaN."):
    """The learner's notebook with both cells filled in."""
    book = notebook()
    book["cells"][3]["source"] = f"def answer():\n    {python}"
    book["cells"][5]["source"] = words
    return book


def make_course(root: Path) -> Tree:
    """A clone in small: public and private trees and the set-up files."""
    exercises = EXERCISE.format(
        slug="toy-kernel", alias="kernel", title="The kernel", kind="kernel", answer='files = ["toy.cu"]'
    ) + EXERCISE.format(slug="toy-cell", alias="cell", title="The cell", kind="python", answer='cell = "toy-cell"')
    files = {
        f"course/{NAME}/chapter.toml": CHAPTER + exercises,
        f"course/{NAME}/{NAME}.ipynb": json.dumps(notebook()),
        f"plugin_skeletons/{NAME}/toy.cu": SKELETON,
        f"plugin_skeletons/{NAME}/supplied.h": "// given\n",
        "plugin_skeletons/common/given.h": "// of the kit\n",
        "plugin_skeletons/common/later.h": "// of the kit, for another chapter\n",
        f"solutions/{NAME}/toy.cu": "// the right kernel of the toy chapter, which nobody may see\n",
        f"authoring/{NAME}.md": "The master of the toy chapter has a sentence of its own.\n",
        "tests/variants/toy-kernel/wrong.patch": "# title: a wrong way that must not get about either\n",
        "Makefile": "course:\n\t@echo toy\n",
        "requirements.lock": "# nothing\n",
        "setup/environment.sh": "true\n",
    }
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return Tree(root)


def die(text):
    """End the worker; if the answer says "once", only the first that comes here."""
    mark = Path(tempfile.gettempdir()) / "died"
    if "once" not in text or not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)


def check(exercise, directory, *, seed, cells, tell=False):
    """The fake runner: a word in the answer says how it goes."""
    if exercise.kind == "python":
        text = cells[exercise.slug]
    else:
        path = directory / exercise.files[0]
        text = path.read_bytes().decode("latin-1") if path.exists() else "missing"
    if "slow" in text:
        time.sleep(0.1)
    if "die" in text:
        die(text)
    if "hang" in text:
        time.sleep(1000)
    if "boom" in text:
        raise RuntimeError(f"the runner broke; the hidden case expects {SECRET_EXPECTATION}")
    if "forge" in text:
        return Verdict(
            exercise=exercise.slug,
            revision=1,
            state=State.PASS,
            checks=(),
            earned=200.0,
            possible=10.0,
            pending=0.0,
        )
    values, bounds, hidden, detail = State.FAIL, State.FAIL, False, {}
    if "right" in text:
        values = bounds = State.PASS
    if "half" in text:
        values = State.PASS
    if "pending" in text:
        values, bounds = State.PASS, State.UNSUPPORTED_HERE
    if "all-elsewhere" in text:
        values = bounds = State.UNSUPPORTED_HERE
    if "hidden" in text:
        values, bounds, hidden = State.PASS, State.FAIL, True
        detail = {"case": {"shape": [77], "got": 1, "expected": SECRET_EXPECTATION}}
        if tell:
            detail["case"]["index"] = [76]
    if values is State.FAIL:
        detail = {"case": {"shape": [33], "index": [32], "got": 0, "expected": 1.5}}
    blocked = "values-check" if "blocks" in text else None
    if blocked:
        bounds = State.ERROR
    told = f"at 77 it expects {SECRET_EXPECTATION}" if hidden else "Past."
    checks = (
        CheckResult(
            check="values-check",
            state=values,
            sentence="Values are right.",
            group="values",
            detail=detail,
            message="" if values is State.PASS else "Element 32 <is> wrong.",
            misconception="mask-multiply",
        ),
        CheckResult(
            check="bounds-check",
            state=bounds,
            sentence="Nothing past the end is touched.",
            group="bounds",
            message="" if bounds is State.PASS else told,
            misconception="mask-multiply",
            blocked_by=blocked,
            hidden=hidden,
            detail=detail,
        ),
    )
    return Verdict.of(exercise=exercise.slug, revision=1, checks=checks, groups=exercise.groups, seed=seed)


class InlineCrew(crew.Crew):
    """Does each task in this process, one after the other."""

    def __init__(self):
        self._waiting: deque[tuple[str, task.Task]] = deque()

    @property
    def room(self) -> int:
        return 1 - len(self._waiting)

    @property
    def pending(self) -> int:
        return len(self._waiting)

    def submit(self, name: str, wanted: task.Task) -> None:
        self._waiting.append((name, wanted))

    def wait(self) -> crew.Done:
        name, wanted = self._waiting.popleft()
        before = confinement.current()
        try:
            return crew.Done(name, task.Answer.from_bytes(worker.perform(wanted.to_bytes())))
        except Exception as problem:
            return crew.Done(name, None, f"{type(problem).__name__}: {problem}")
        finally:
            confinement.use(before)

    def close(self) -> None:
        self._waiting.clear()


def worker_command(root: Path, before: str = "") -> list[str]:
    """A worker process with the toy course; `before` is Python that it runs first."""
    here = str(Path(__file__).parent)
    start = (
        f"import sys; sys.path.insert(0, {here!r})\nimport pathlib, classroom_toy as toy\n"
        f"toy.patch(pathlib.Path({str(root)!r}))\n{before}\n"
        "from grader.classroom.worker import main; main()"
    )
    return [sys.executable, "-c", start]


def patch(root: Path, setattr=setattr, *, workers=False):
    """Put the course in `root` and the fake runner in place of the real ones. Tasks are done in this process, or,
    with `workers`, by processes as in life. Nothing confines, so that grading is refused without trust."""
    tree = Tree(root)
    setattr(material, "tree", lambda: tree)
    setattr(material, "check", check)
    setattr(material, "patience", lambda exercise: 5.0)
    setattr(material, "judging", lambda exercise: f"{exercise.slug} {exercise.revision}")
    setattr(confinement, "best", lambda: confinement.Probe("bubblewrap", False, "a test says so"))
    if workers:
        setattr(crew, "COMMAND", worker_command(root))
    else:
        setattr(crew, "local", lambda jobs: InlineCrew())


class Classroom:
    """An instructor's tree of the toy course, and short ways to fill and read it."""

    def __init__(self, tree):
        self.tree = tree

    def hand_in(self, student, cu="right", book=None, **files):
        """A submission; `book` is notebook data, bytes, or None for one that is answered."""
        folder = self.tree.submitted(student, NAME)
        folder.mkdir(parents=True)
        if cu is not None:
            (folder / "toy.cu").write_text(cu)
        if book is not False:
            book = answered() if book is None else book
            data = book if isinstance(book, bytes) else json.dumps(book).encode()
            (folder / f"{NAME}.ipynb").write_bytes(data)
        for name, data in files.items():
            (folder / name).write_bytes(data)
        return folder

    def grade(self, student="*", **options):
        from grader.classroom.session import Session

        options.setdefault("trust", True)
        return {g.student: g for g in Session(self.tree).autograde(NAME, student, **options)}

    def book(self):
        """nbgrader's gradebook, wherever the class keeps it."""
        from nbgrader.api import Gradebook

        from grader.classroom.session import Session

        course = Session(self.tree).course
        return Gradebook(course.db_url, course.course_id)

    def scores(self, student):
        """grade id -> (auto score, needs a manual grade), from nbgrader's gradebook."""
        with self.book() as book:
            submitted = book.find_submission_notebook(NAME, NAME, student)
            return {grade.name: (grade.auto_score, grade.needs_manual_grade) for grade in submitted.grades}

    def autograded(self, student):
        return json.loads((self.tree.autograded(student, NAME) / f"{NAME}.ipynb").read_text())

    def feedback(self, student):
        from grader.classroom.session import Session

        Session(self.tree).feedback(NAME, student)
        return (self.tree.feedback(student, NAME) / f"{NAME}.html").read_text()
