"""`grader class reproduce`: see why an answer was graded as it was, hidden cases included."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from grader.classroom.commands import Course
from grader.classroom.folder import printable
from grader.classroom.scores import nothing_to_judge
from grader.classroom.tree import ClassTree
from grader.cli.guard import FAULT, NOT_PASSED, OK, keep_log
from grader.cli.verdict_view import show
from grader.verdict import State

if TYPE_CHECKING:
    from grader.classroom.reproduce import Reproduced


def command(
    student: Annotated[str, typer.Argument(metavar="STUDENT", help="The student's folder in submitted/.")],
    name: Annotated[str, typer.Argument(metavar="CHAPTER|EXERCISE", help="Such as 10, or 10.forward for one.")],
    trust_submissions: Annotated[
        bool, typer.Option("--trust-submissions", metavar="", help="Do not confine: it runs with your own rights.")
    ] = False,
    course: Course = None,
) -> None:
    """Judge an answer again with the seed of its grade, and show everything, hidden cases too. Not for students' eyes.

    Exit status: 0 it comes to the same as the grade, 1 it does not, 2 wrong use or refused, 3 the grader failed.
    """
    from grader.classroom.nbgrader_setup import options_of  # nbgrader takes two seconds to import
    from grader.classroom.reproduce import find, reproduce
    from grader.classroom.session import Session

    tree, console = ClassTree.find(course), Console(highlight=False)
    keep_log()
    chapter, exercises = find(name)
    options = options_of(Session(tree).config)
    options = replace(options, trust=options.trust or trust_submissions, jobs=1, dask="")
    found = reproduce(tree, student, chapter, exercises, options)
    told = f"{student}, {chapter.name}: judged again with the hidden cases of the grade. Not for students' eyes."
    console.print(printable(told, 500), style="bold", markup=False, soft_wrap=True)
    for each in found:
        _show(each, console)
    if any(each.now.state is State.GRADER_FAULT for each in found):
        raise typer.Exit(FAULT)
    raise typer.Exit(OK if all(each.same for each in found) else NOT_PASSED)


def _show(each: Reproduced, console: Console) -> None:
    ran = not nothing_to_judge(each.exercise, each.submission)
    with tempfile.TemporaryDirectory() as folder:
        for name, data in each.submission.files.items():
            Path(folder, name).write_bytes(data)
        show(each.now, each.exercise, Path(folder), console, full=True, learner=False, ran=ran)
    told = "It comes to the same as the grade." if each.same else "It does NOT come to the same as the grade."
    seed = f"Seed of the hidden cases: {each.now.seed}."
    if each.now.seed is None or not ran:
        seed = "No hidden case was run."
    console.print(f"{told} {seed} {each.changed}", markup=False, soft_wrap=True)
    console.print()
