"""From a submission to its result: answers in, verdicts out. Touches no gradebook and no notebook."""

from __future__ import annotations

import logging
import math
import tempfile
from datetime import UTC, datetime
from pathlib import Path

from grader import __version__
from grader.classroom import material
from grader.classroom.result import Result
from grader.classroom.scores import answer_parts, nothing_to_judge
from grader.classroom.secret import hidden_seed
from grader.classroom.submission import Submission
from grader.course import Chapter, Exercise
from grader.verdict import CheckResult, State, Verdict

log = logging.getLogger(__name__)


def fingerprint(submission: Submission, chapter: Chapter) -> str:
    """A hash of the answers and of what judges them: equal fingerprints need no second grading."""
    revisions = [f"{exercise.slug}={exercise.revision}" for exercise in chapter.exercises]
    return submission.fingerprint(__version__, chapter.name, *revisions)


def judge(student: str, chapter: Chapter, submission: Submission, secret: bytes) -> Result:
    """Judge every exercise of the chapter, each on its own: one that breaks the grader costs the others
    nothing."""
    seeds = {e.slug: hidden_seed(secret, chapter.name, e.slug, student) for e in chapter.exercises}
    verdicts = {}
    with tempfile.TemporaryDirectory(prefix="grader-") as folder:
        stage(Path(folder), chapter, submission)
        for exercise in chapter.exercises:
            verdicts[exercise.slug] = _judge(exercise, Path(folder), submission, seeds[exercise.slug])
    return Result(
        assignment=chapter.name,
        student=student,
        graded=datetime.now(UTC).isoformat(timespec="seconds"),
        answers=submission.fingerprint(),
        fingerprint=fingerprint(submission, chapter),
        notes=submission.notes,
        seeds=seeds,
        verdicts=verdicts,
        unanswered=submission.unanswered,
        lost=submission.lost,
        missing=submission.missing,
    )


def stage(folder: Path, chapter: Chapter, submission: Submission) -> None:
    """Lay out what is judged: the release's own files, and the handed-in ones over them. A file that was to
    be handed in and was not is absent: the skeleton never stands in for it."""
    wanted = {name for exercise in chapter.exercises for name in exercise.files}
    skeletons = material.tree().skeletons(chapter)
    for path in sorted(skeletons.iterdir()) if skeletons.is_dir() else ():
        if path.is_file() and path.name not in wanted:
            (folder / path.name).write_bytes(path.read_bytes())
    for name, data in submission.files.items():
        (folder / name).write_bytes(data)


def _judge(exercise: Exercise, folder: Path, submission: Submission, seed: int) -> Verdict:
    """One verdict. Whatever goes wrong in the grader becomes a `grader_fault`, never a lost point or a
    pass."""
    if nothing_to_judge(exercise, submission):
        return _nothing(exercise, submission, seed)
    cells = (
        {exercise.slug: submission.cells.get(f"{exercise.slug}-answer", "")}
        if exercise.kind == "python"
        else {}
    )
    try:
        verdict = material.check(exercise, folder, seed=seed, cells=cells)
        if problem := _implausible(verdict, exercise):
            raise ValueError(problem)
        return verdict
    except Exception as problem:
        log.exception("grading %s", exercise.slug)
        fault = CheckResult(
            check="grader",
            state=State.GRADER_FAULT,
            sentence="The grader could judge this exercise.",
            message=f"{type(problem).__name__}: {problem}"[:500],
        )
        return Verdict(
            exercise=exercise.slug,
            revision=exercise.revision,
            state=State.GRADER_FAULT,
            checks=(fault,),
            earned=0.0,
            possible=exercise.points,
            pending=0.0,
            seed=seed,
        )


def _nothing(exercise: Exercise, submission: Submission, seed: int) -> Verdict:
    """The verdict on an answer that is not there: no points. It is not run: what stands in a cell's place is
    the released text, which may well earn points for form."""
    parts = answer_parts(exercise)
    read = "could not be read" if submission.lost.intersection(parts) else "was not handed in"
    check = CheckResult(
        check="handed-in",
        state=State.ERROR,
        sentence="The answer was handed in.",
        message=f"{', '.join(parts)} {read}.",
    )
    return Verdict(
        exercise=exercise.slug,
        revision=exercise.revision,
        state=State.ERROR,
        checks=(check,),
        earned=0.0,
        possible=exercise.points,
        pending=0.0,
        seed=seed,
    )


def _implausible(verdict: Verdict, exercise: Exercise) -> str | None:
    """Why a verdict cannot be a grade of this exercise, or None. The last gate before the gradebook."""
    if not isinstance(verdict, Verdict):
        return f"the runner returned {type(verdict).__name__}, not a verdict"
    Verdict.from_json(verdict.to_json())  # ValueError: a field of the wrong type, or a number that is none
    if verdict.exercise != exercise.slug:
        return f"the verdict is of {verdict.exercise}"
    if not verdict.checks:
        return "the verdict holds no check"
    numbers = (verdict.earned, verdict.possible, verdict.pending)
    if not all(math.isfinite(n) and n >= 0 for n in numbers) or verdict.earned > verdict.possible:
        return f"the points are out of range: earned, possible, pending = {numbers}"
    if abs(verdict.possible + verdict.pending - exercise.points) > 1e-6:
        return f"{verdict.possible} + {verdict.pending} points are not the exercise's {exercise.points}"
    if verdict.passed and verdict.earned < exercise.points - 1e-6:
        return "the verdict is a pass without all of the points"
    return None
