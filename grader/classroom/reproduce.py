"""A grade once more, with all that its hidden cases found: what an instructor looks at, and no student."""

from __future__ import annotations

from dataclasses import dataclass

from grader import course
from grader.classroom import graft, judge, material, secret
from grader.classroom.autograde import Options, Report, choose_confinement, hire, read_release
from grader.classroom.errors import ClassroomError
from grader.classroom.intake.told import with_origin
from grader.classroom.result import Result
from grader.classroom.scores import nothing_to_judge
from grader.classroom.submission import Submission, collect
from grader.classroom.tree import ClassTree
from grader.course import Chapter, CourseError, Exercise
from grader.verdict import Verdict


@dataclass(frozen=True)
class Reproduced:
    """One exercise, judged again with the seed of its grade."""

    exercise: Exercise
    submission: Submission
    graded: Verdict  # as it is in the result
    now: Verdict
    changed: str  # why the two may differ, "" if answer, checks and seed are those of the grade

    @property
    def same(self) -> bool:
        """Every check came to the same, and the points are those of the grade."""
        one, other = ([(c.check, c.state) for c in v.checks] + [v.earned] for v in (self.graded, self.now))
        return one == other


def find(name: str) -> tuple[Chapter, list[Exercise]]:
    """An exercise by its id or short name, or all of a chapter. `ClassroomError` if there is neither."""
    try:
        exercise = course.find(name, material.tree())
        return material.chapter(exercise.chapter), [exercise]
    except CourseError:
        chapter = material.chapter(name)
        return chapter, list(chapter.exercises)


def reproduce(
    tree: ClassTree, student: str, chapter: Chapter, exercises: list[Exercise], options: Options
) -> list[Reproduced]:
    """Judge what lies in `submitted/` as the grading does, but with every hidden case told. Writes nothing.

    `ClassroomError`: not graded yet, nothing handed in, or nothing that confines.
    """
    result = Result.read(tree.result(student, chapter.name))
    if result is None or not tree.submitted(student, chapter.name).is_dir():
        raise ClassroomError(f"{student} has no grade of {chapter.name} in this class, or no submission any more")
    cells = graft.answer_cells(read_release(tree, chapter))
    submission = collect(tree.submitted(student, chapter.name), chapter, cells)
    submission = with_origin(submission, tree, student, chapter.name)
    judging = {exercise.slug: material.judging(exercise) for exercise in chapter.exercises}
    work = judge.prepare(student, chapter, submission, secret.read(tree.secret), judging, None)
    absent = [exercise.slug for exercise in exercises if nothing_to_judge(exercise, submission)]
    wanted = tuple(exercise.slug for exercise in exercises if exercise.slug not in absent)
    if wanted:
        kind = choose_confinement(tree, options)
        with hire(options, Report()) as crew:
            crew.submit("again", work.task(wanted, kind, tell=True))
            done = crew.wait()
        work.take(wanted, done.answer.verdicts if done.answer else None, done.problem)
    return [
        Reproduced(
            exercise, submission, result.verdicts[exercise.slug], work.verdicts[exercise.slug],
            "" if work.keys[exercise.slug] == result.keys.get(exercise.slug)
            else "The answer, or what judges it, has changed since.",
        )
        for exercise in exercises
    ]  # fmt: skip
