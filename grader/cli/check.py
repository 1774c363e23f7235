"""`grader check`: judge an answer, show the verdict, remember it."""

from __future__ import annotations

import secrets
import sys
from pathlib import Path

from grader import course
from grader.cli.guard import FAULT, NOT_PASSED, OK, WrongUse, complain, keep_log
from grader.course import Exercise
from grader.verdict import State, Verdict
from grader.workspace import locate, record


def run(name: str, directory: Path | None, seed: int | None, as_json: bool, full: bool = False) -> int:
    """Check, print, record. Returns the exit status."""
    exercise = course.find(name)
    folder = _folder(exercise, directory)
    log = keep_log()
    if "plugin-lane" in exercise.needs:
        from rich.console import Console

        from grader.cli.lane import ensure

        ensure(Console(highlight=False, stderr=True))  # where it fails, the verdict says so
    verdict = judge(exercise, folder, seed)
    if notice := record(verdict, folder):
        complain(notice)
    if as_json:
        sys.stdout.write(verdict.to_json() + "\n")
    else:
        from rich.console import Console

        from grader.cli.verdict_view import show

        show(verdict, exercise, folder, Console(highlight=False), full=full)
    if verdict.state is State.GRADER_FAULT:
        complain(f"the details are in {log}")
    elif verdict.pending and as_json:
        complain(f"{verdict.pending:g} points are pending: they need a grade on another machine")
    return exit_status(verdict)


def judge(exercise: Exercise, folder: Path, seed: int | None) -> Verdict:
    """The visible cases, and once they pass the same rules with fresh random cases."""
    from grader.exercises import check

    if exercise.kind == "kernel":
        from grader.gpu import device_kind

        device_kind()  # a device that is asked for and not there is told before any work
    fresh = secrets.randbits(31) if seed is None else seed
    return check(exercise.slug, folder, seed=fresh, hidden=True, reveal=True)


def exit_status(verdict: Verdict) -> int:
    """0 if all that could run passed and something did run; nothing at all is no pass."""
    if verdict.state is State.GRADER_FAULT:
        return FAULT
    could_run = [check.state for check in verdict.checks if check.state is not State.UNSUPPORTED_HERE]
    passed = verdict.state in (State.PASS, State.UNSUPPORTED_HERE) and could_run
    return OK if passed and all(state is State.PASS for state in could_run) else NOT_PASSED


def _folder(exercise: Exercise, directory: Path | None) -> Path:
    if directory is not None:
        if not directory.is_dir():
            raise WrongUse(f"--dir {directory} is no folder")
        return directory.resolve()
    here = Path.cwd()
    if exercise.files and all((here / name).is_file() for name in exercise.files):
        return here
    folder = locate(course.pristine(), here).root / exercise.chapter
    if not folder.is_dir():
        raise WrongUse(
            f"chapter {exercise.number} is not started: `grader start {exercise.number}` brings its files; "
            "or name the folder that holds yours with --dir"
        )
    return folder
