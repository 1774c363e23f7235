"""How a class did in one chapter: counted from `results/`, with no other file opened and nothing run.

Of hidden cases it knows only that a check failed in one, which its student is told too.
"""

from __future__ import annotations

import os
import random
from collections import Counter
from dataclasses import dataclass
from enum import StrEnum

from grader.classroom.result import Result
from grader.classroom.scores import absent_flag, answer_parts, faulty, nothing_to_judge
from grader.classroom.tree import ClassTree
from grader.course import Chapter, Exercise
from grader.verdict import CheckResult, State


class How(StrEnum):
    """How an exercise went for a student."""

    PASSED = "passed"
    FAILED = "not passed"
    WAITING = "waiting for a grade"
    FAULT = "the grader failed"
    ABSENT = "not handed in"


class Mark(StrEnum):
    """How a check went for a student, as a sign that needs no colour."""

    PASSED = "✓"
    FAILED = "✗"
    HIDDEN = "½"  # passed with the cases that the student can see, failed with a hidden one
    NOT_RUN = "–"  # another check had to pass first
    WAITING = "…"
    FAULT = "!"
    ABSENT = " "


@dataclass(frozen=True)
class Check:
    """One check, the belief that fails it, and how many students met it."""

    sentence: str
    belief: str  # the misconception's text, "" if the check owns none
    answer: str  # the row of the contract that it cites, as text
    failed: int
    hidden: int  # of them, in a hidden case only
    seen: int  # students of whom it could be said: it ran


@dataclass(frozen=True)
class ExerciseSummary:
    exercise: Exercise
    counts: Counter  # How -> students
    checks: tuple[Check, ...]  # in the order in which they run
    marks: tuple[tuple[Mark, ...], ...]  # one row a student, one column a check

    @property
    def troubles(self) -> list[tuple[int, Check]]:
        """The checks that somebody failed with their numbers, from the most frequent to the rarest."""
        found = [(number, check) for number, check in enumerate(self.checks, 1) if check.failed]
        return sorted(found, key=lambda pair: -pair[1].failed)


@dataclass(frozen=True)
class Summary:
    chapter: Chapter
    students: tuple[str, ...]  # of the rows of marks; empty texts in an anonymous summary
    handed_in: int
    latest: str  # when the last of them was graded: UTC, ISO 8601; "" if none was
    exercises: tuple[ExerciseSummary, ...]


class Reader:
    """Reads the results of a class, each file again only when it has changed (for a page that is alive)."""

    def __init__(self, tree: ClassTree):
        self.tree = tree
        self._known: dict[str, tuple[tuple, Result | None]] = {}

    def read(self, chapter: Chapter, *, anonymous: bool = False) -> Summary:
        students = self.tree.students(chapter.name)
        results = [result for student in students if (result := self._result(student, chapter))]
        if anonymous:  # in an order that tells nothing, the same each time
            random.Random(len(results)).shuffle(results)
            results.sort(key=lambda result: -sum(verdict.earned for verdict in result.verdicts.values()))
        return Summary(
            chapter,
            tuple("" if anonymous else result.student for result in results),
            len(students),
            max((result.graded for result in results), default=""),
            tuple(_exercise(exercise, results) for exercise in chapter.exercises),
        )

    def _result(self, student: str, chapter: Chapter) -> Result | None:
        path = self.tree.result(student, chapter.name)
        try:
            status = os.stat(path)
        except OSError:
            return None
        stamp = (status.st_mtime_ns, status.st_size, status.st_ino)
        if (known := self._known.get(str(path))) and known[0] == stamp:
            return known[1]
        result = Result.read(path)
        if result and not {exercise.slug for exercise in chapter.exercises} <= result.verdicts.keys():
            result = None  # of another version of the chapter, to be graded again
        self._known[str(path)] = (stamp, result)
        return result


def how(exercise: Exercise, result: Result) -> How:
    """The most telling of what can be said of one exercise of one submission."""
    verdict = result.verdicts[exercise.slug]
    if nothing_to_judge(exercise, result):
        return How.WAITING if absent_flag(answer_parts(exercise), result) == "unreadable" else How.ABSENT
    if faulty(verdict):
        return How.FAULT
    if verdict.passed:
        return How.PASSED
    failed = any(check.state not in (State.PASS, State.UNSUPPORTED_HERE) for check in verdict.checks)
    return How.WAITING if verdict.pending and not failed else How.FAILED


def _exercise(exercise: Exercise, results: list[Result]) -> ExerciseSummary:
    found: dict[str, CheckResult] = {}  # the checks by id, in the order in which they run
    by_student: list[dict[str, CheckResult]] = []
    for result in results:
        checks = {} if nothing_to_judge(exercise, result) else {
            check.check: check for check in result.verdicts[exercise.slug].checks
        }  # fmt: skip
        by_student.append(checks)
        for id, check in checks.items():
            if id not in found or not found[id].misconception:
                found[id] = check
    marks = tuple(tuple(_mark(checks.get(id)) for id in found) for checks in by_student)
    columns = zip(*marks, strict=True) if marks else ()
    return ExerciseSummary(
        exercise,
        Counter(how(exercise, result) for result in results),
        tuple(_check(exercise, check, column) for check, column in zip(found.values(), columns, strict=True)),
        marks,
    )


def _mark(check: CheckResult | None) -> Mark:
    if check is None:
        return Mark.ABSENT
    if check.state is State.PASS:
        return Mark.PASSED
    if check.state is State.GRADER_FAULT:
        return Mark.FAULT
    if check.blocked_by:
        return Mark.NOT_RUN
    if check.state is State.UNSUPPORTED_HERE:
        return Mark.WAITING
    return Mark.HIDDEN if check.hidden else Mark.FAILED


def _check(exercise: Exercise, check: CheckResult, column: tuple[Mark, ...]) -> Check:
    beliefs = {misconception.id: misconception.text for misconception in exercise.misconceptions}
    rows = {row.row: row.text for row in exercise.contract}
    count = Counter(column)
    return Check(
        sentence=check.sentence,
        belief=beliefs.get(check.misconception or "", ""),
        answer=rows.get(check.source.removeprefix("contract:").strip(), ""),
        failed=count[Mark.FAILED] + count[Mark.HIDDEN],
        hidden=count[Mark.HIDDEN],
        seen=count[Mark.PASSED] + count[Mark.FAILED] + count[Mark.HIDDEN],
    )
