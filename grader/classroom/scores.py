"""What a verdict is worth in the gradebook. The one place where points and flags are decided.

A group of checks that passed earns its points, whatever the others did. Nothing is inferred from a notebook's
outputs: no error text is a zero, and the absence of one is not a pass.
"""

from __future__ import annotations

from dataclasses import dataclass

from grader.classroom.result import Result
from grader.classroom.submission import Submission
from grader.course import Chapter, Exercise
from grader.verdict import State, Verdict, worst


@dataclass(frozen=True)
class Score:
    """A row of the gradebook. `auto` is None where there is no automatic score; `why` says why a person
    must look."""

    auto: float | None
    needs_manual: bool
    why: str = ""


def exercise_score(
    exercise: Exercise, result: Result, before: float | None = None, worth: float | None = None
) -> Score:  # fmt: skip
    """The score of one exercise. `before` is the automatic score that the same answers had in an earlier run:
    where this run could not judge, it is kept. `worth`: the points that it has in this class; None: the course's."""
    verdict = result.verdicts[exercise.slug]
    share = 1 if worth is None else worth / exercise.points
    earned, pending = verdict.earned * share, verdict.pending * share
    if why := absent_sentence(exercise, result):
        return Score(earned, True, f"{why[:-1]}: look before it counts as nothing.")
    if faulty(verdict):
        return _unjudged(earned, before, "The grader itself failed on this exercise. No points were taken for it.")
    if pending:
        why = f"{pending:g} points could not be judged on this machine and wait for a grade."
        return _unjudged(earned, before, why)
    return Score(earned, False)


def _unjudged(earned: float, before: float | None, why: str) -> Score:
    known = [points for points in (before, earned or None) if points is not None]
    return Score(max(known, default=None), True, why)


def faulty(verdict: Verdict) -> bool:
    """The grader broke somewhere in it, even if another check's state is shown as the worst."""
    return verdict.state is State.GRADER_FAULT or any(c.state is State.GRADER_FAULT for c in verdict.checks)


def shown_state(verdict: Verdict) -> State:
    """The state to show: of the checks that ran. One that could not run because another failed is an error of
    nobody's, and would make every wrong answer an error."""
    if faulty(verdict):
        return State.GRADER_FAULT
    return worst(check.state for check in verdict.checks if not check.blocked_by)


def answer_parts(exercise: Exercise) -> tuple[str, ...]:
    """What an exercise's answer is made of: its files, or the grade id of its cell."""
    return exercise.files or (f"{exercise.slug}-answer",)


def nothing_to_judge(exercise: Exercise, handed_in: Submission | Result) -> bool:
    """No part of the answer was both handed in and readable."""
    return (handed_in.lost | handed_in.missing).issuperset(answer_parts(exercise))


def absent_flag(parts: tuple[str, ...], result: Result) -> str:
    """One word for a table: "unreadable" or "missing" if that is so of any part of an answer, else ""."""
    if result.lost.intersection(parts):
        return "unreadable"
    return "missing" if result.missing.intersection(parts) else ""


def absent_sentence(exercise: Exercise, result: Result) -> str:
    """Which parts of an answer are unreadable or missing, "" if none is."""
    parts, said = answer_parts(exercise), []
    for names, what in ((result.lost, "could not be read"), (result.missing, "was not handed in")):
        if found := [name for name in parts if name in names]:
            said.append(f"{', '.join(found) if exercise.files else 'The answer'} {what}")
    return f"{' and '.join(said)}." if said else ""


def flags(chapter: Chapter, result: Result) -> dict[str, str]:
    """ "unreadable" or "missing" by grade id, for those answers of which it is true."""
    parts = {exercise.slug: answer_parts(exercise) for exercise in chapter.exercises}
    parts |= {cell: (cell,) for cell in written_cells(chapter)}
    return {name: flag for name, part in parts.items() if (flag := absent_flag(part, result))}


def written_score(cell: str, result: Result) -> Score:
    """The score of an answer in words: an untouched one is a zero, any other is for a person to grade."""
    if cell in result.lost:
        return Score(None, True, "The notebook could not be read, so the answer was not seen.")
    if cell in result.missing:
        return Score(0.0, True, "The answer was not handed in.")
    if cell in result.unanswered:
        return Score(0.0, False, "No response.")
    return Score(None, True)


def written_cells(chapter: Chapter) -> tuple[str, ...]:
    """The grade ids of a chapter's answers in words."""
    return (chapter.explain.id,) if chapter.explain else ()


def waits(grade) -> bool:
    """Points of a row of nbgrader's wait for a person, who gave none yet."""
    return grade.needs_manual_grade and grade.manual_score is None


def to_review(grade) -> bool:
    """A person gave the score, for an answer or a finding that has changed since."""
    return bool(grade.needs_manual_grade) and grade.manual_score is not None
