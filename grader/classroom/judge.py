"""From a submission to its result: what must be judged, the task for it, and what is made of the answer.

Touches no gradebook and no notebook, and runs nothing: workers do that.
"""

from __future__ import annotations

import hashlib
import json
import math
from dataclasses import dataclass, field
from datetime import UTC, datetime

from grader.classroom import unjudged
from grader.classroom.result import Result
from grader.classroom.scores import answer_parts, faulty, nothing_to_judge
from grader.classroom.secret import hidden_seed
from grader.classroom.submission import Submission
from grader.classroom.task import Task
from grader.course import Chapter, Exercise
from grader.verdict import Verdict
from grader.verdict.records import verdict_from_dict


@dataclass
class Work:
    """One submission under way. `todo` are the exercises that must be judged; the others have their verdict."""

    student: str
    chapter: Chapter
    submission: Submission
    seeds: dict[str, int]  # exercise -> seed of its hidden cases
    keys: dict[str, str]  # exercise -> hash of its answer, its seed and what judges it
    before: Result | None
    verdicts: dict[str, Verdict] = field(default_factory=dict)
    judged: bool = False  # some of them by this run

    @property
    def todo(self) -> tuple[str, ...]:
        return tuple(e.slug for e in self.chapter.exercises if e.slug not in self.verdicts)

    @property
    def same_answers(self) -> bool:
        """The result before this one is of the very same answers."""
        return self.before is not None and self.before.answers == self.submission.fingerprint()

    @property
    def rejudged(self) -> bool:
        """The very same answers were judged again, since the checks or what runs them changed."""
        before = self.before
        return self.judged and self.same_answers and before.seeds == self.seeds and before.keys != self.keys

    def task(self, exercises: tuple[str, ...], confinement: str | None, *, tell: bool = False) -> Task:
        wanted = [exercise for exercise in self.chapter.exercises if exercise.slug in exercises]
        parts = {part for exercise in wanted for part in answer_parts(exercise)}
        return Task(
            chapter=self.chapter.name,
            exercises=exercises,
            files={name: data for name, data in self.submission.files.items() if name in parts},
            cells={name: text for name, text in self.submission.cells.items() if name in parts},
            seeds={slug: self.seeds[slug] for slug in exercises},
            confinement=confinement,
            gpu=any("gpu" in exercise.needs for exercise in wanted),
            tell=tell,
        )

    def take(self, exercises: tuple[str, ...], verdicts: dict[str, Verdict] | None, problem: str) -> None:
        """Take what a worker answered; without an answer, or with one that cannot be, a fault in its place."""
        self.judged = True
        for exercise in self.chapter.exercises:
            if exercise.slug in exercises:
                verdict = (verdicts or {}).get(exercise.slug)
                if verdicts is not None:
                    problem = _implausible(verdict, exercise)
                if problem:
                    verdict = unjudged.fault(exercise, self.seeds[exercise.slug], problem)
                self.verdicts[exercise.slug] = verdict

    def result(self, run: str) -> Result:
        """The result: the one from before where nothing is new. `run` names the run that graded."""
        before, answers = self.before, self.submission.fingerprint()
        if before and not self.judged and before.keys == self.keys and before.answers == answers:
            return before
        return Result(
            assignment=self.chapter.name,
            student=self.student,
            graded=datetime.now(UTC).isoformat(timespec="seconds"),
            run=run,
            answers=answers,
            keys=self.keys,
            notes=self.submission.notes,
            seeds=self.seeds,
            verdicts={exercise.slug: self.verdicts[exercise.slug] for exercise in self.chapter.exercises},
            unanswered=self.submission.unanswered,
            lost=self.submission.lost,
            missing=self.submission.missing,
        )


def prepare(
    student: str, chapter: Chapter, submission: Submission, secret: bytes, judging: dict[str, str],
    before: Result | None, *, again: bool = False,
) -> Work:  # fmt: skip
    """What there is to do. A verdict of `before` is taken over where its answer and all that judges it (`judging`,
    by exercise) are the same, unless the grader failed on it, it waits for another machine, or `again`."""
    seeds = {e.slug: hidden_seed(secret, chapter.name, e.slug, student) for e in chapter.exercises}
    keys = {e.slug: _key(e, submission, seeds[e.slug], judging[e.slug]) for e in chapter.exercises}
    work = Work(student, chapter, submission, seeds, keys, before)
    for exercise in chapter.exercises:
        slug = exercise.slug
        kept = before.verdicts.get(slug) if before and before.keys.get(slug) == keys[slug] else None
        if kept and not again and not faulty(kept) and not kept.pending:
            work.verdicts[slug] = kept
        elif nothing_to_judge(exercise, submission):
            work.verdicts[slug] = unjudged.absent(exercise, submission, seeds[slug])
    return work


def _key(exercise: Exercise, submission: Submission, seed: int, judging: str) -> str:
    parts = answer_parts(exercise)
    files = [[part, hashlib.sha256(submission.files[part]).hexdigest()] for part in parts if part in submission.files]
    cells = [[part, submission.cells[part]] for part in parts if part in submission.cells]
    absent = sorted((submission.lost | submission.missing).intersection(parts))
    return hashlib.sha256(json.dumps([judging, seed, files, cells, absent]).encode()).hexdigest()


def _implausible(verdict: Verdict, exercise: Exercise) -> str:
    """Why a verdict cannot be a grade of this exercise, or "". The last gate before the gradebook."""
    if not isinstance(verdict, Verdict):
        return f"the runner returned {type(verdict).__name__}, not a verdict"
    try:
        verdict_from_dict(json.loads(json.dumps(verdict.to_dict(), allow_nan=False)))
    except ValueError as problem:  # a field of the wrong type, or a number that is none
        return f"the verdict is none: {problem}"
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
    return ""
