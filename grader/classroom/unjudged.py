"""Verdicts on what could not be judged: the answer is not there, or the grader failed. No points, and why."""

from __future__ import annotations

from grader.classroom.scores import answer_parts
from grader.classroom.submission import Submission
from grader.course import Exercise
from grader.verdict import CheckResult, State, Verdict


def fault(exercise: Exercise, seed: int, message: str) -> Verdict:
    """The grader failed: no points are lost, and a person must look."""
    return _verdict(
        exercise, seed, "grader", State.GRADER_FAULT, "The grader could judge this exercise.", message[:500]
    )


def absent(exercise: Exercise, submission: Submission, seed: int) -> Verdict:
    """The answer was not handed in, or could not be read. It is not run: what stands in a cell's place is the released
    text, which may well earn points for form."""
    parts = answer_parts(exercise)
    read = "could not be read" if submission.lost.intersection(parts) else "was not handed in"
    message = f"{', '.join(parts)} {read}."
    return _verdict(exercise, seed, "handed-in", State.ERROR, "The answer was handed in.", message)


def _verdict(exercise: Exercise, seed: int, check: str, state: State, sentence: str, message: str) -> Verdict:
    return Verdict(
        exercise=exercise.slug,
        revision=exercise.revision,
        state=state,
        checks=(CheckResult(check=check, state=state, sentence=sentence, message=message),),
        earned=0.0,
        possible=exercise.points,
        pending=0.0,
        seed=seed,
    )
