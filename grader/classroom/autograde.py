"""Grades an assignment: what `nbgrader autograde`, the formgrader's Autograde button and `grader autograde` all do.

They come here by `nbgrader_setup.py`, so they grade with the same confinement, the same crew and the same results.
"""

from __future__ import annotations

import fcntl
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import nbformat

from grader.classroom import crew, durable, material, secret, workers
from grader.classroom.batch import Batch, Graded
from grader.classroom.errors import ClassroomError, Stopped
from grader.classroom.gradebook import GradebookWriter
from grader.classroom.run import Run
from grader.classroom.tree import ClassTree
from grader.course import Chapter
from grader.sandbox import confinement

# Short lines, and the way out first: the formgrader shows them in a narrow box that does not wrap.
REFUSAL = """Not graded: nothing on this machine can confine what
students handed in.

{found}

To grade without it, if you trust the submissions, set in
nbgrader_config.py

    c.GraderCourse.trust_submissions = True

(for the Autograde button too), or add to the command

    --trust-submissions

Their code then has your rights: it can read and change your
files, and limits on time and memory do not prevent that. If
you do not trust it, grade on a machine or account that holds
nothing of value. `grader doctor` tells what this one lacks."""


@dataclass(frozen=True, kw_only=True)
class Options:
    """How to grade, whoever asks for it."""

    trust: bool = False  # students' code may run with the user's own rights
    confine: str = "auto"  # or a kind of grader.sandbox.confinement
    jobs: int = 0  # worker processes; 0: one for each processor
    dask: str = ""  # address of a scheduler; "": the workers are of this machine
    judge_again: bool = False
    write_again: bool = False
    run: Run | None = None  # kept until the run is whole, so that it can be resumed


class Report:
    """Hears how it goes; this one does nothing with it."""

    def begin(self, chapter: Chapter, students: int) -> None:
        """A chapter begins, with so many submissions."""

    def graded(self, graded: Graded) -> None:
        """One of them is done."""

    def said(self, sentence: str) -> None:
        """Something about the workers that a person should know now, a few times a run at most."""


def autograde(
    tree: ClassTree, assignment: str, students: Sequence[str], writer: GradebookWriter, options: Options, report: Report
) -> list[Graded]:  # fmt: skip
    """Grade the submissions of `students`; the answer is in their order.

    `ClassroomError` for what stops all of them before they begin: no such chapter, not released, no secret, no
    confinement, no workers, another run at work. `Stopped` for what ends a run: a full disk, Ctrl-C, a lost scheduler.
    """
    chapter = material.chapter(assignment)
    release = read_release(tree, chapter)
    key = secret.read(tree.secret)
    done: list[Graded] = []

    def hear(graded: Graded) -> None:
        done.append(graded)
        report.graded(graded)

    try:
        with only_one(tree):
            kind = choose_confinement(tree, options)
            if options.run:
                options.run.write(tree)
            report.begin(chapter, len(students))
            for sentence in other_points(release, chapter):
                report.said(sentence)
            with writer, hire(options, report) as hired:
                Batch(
                    tree=tree, chapter=chapter, release=release, secret=key, writer=writer, crew=hired,
                    confinement=kind, run=options.run.id if options.run else "", judge_again=options.judge_again,
                    write_again=options.write_again or options.judge_again, report=hear,
                ).grade(students)  # fmt: skip
    except KeyboardInterrupt:
        raise Stopped(f"Grading was stopped. {_kept(done, students)}", status=130) from None
    except Exception as problem:
        if not durable.disk_is_full(problem, tree.root):
            raise
        told = f"A disk is full, so grading stopped: {str(problem).rstrip('.')}."
        raise Stopped(f"{told} {_kept(done, students)}") from problem
    order = {student: place for place, student in enumerate(students)}
    return sorted(done, key=lambda graded: order[graded.student])


def _kept(done: list[Graded], students: Sequence[str]) -> str:
    count = sum(not graded.problem for graded in done)
    return f"{count} of {len(students)} submissions are graded, and that is kept."


def choose_confinement(tree: ClassTree, options: Options) -> str | None:
    """The kind to confine students' code by; None where it is trusted. `ClassroomError`: it is refused."""
    if options.trust:
        return None
    if folder := confinement.exposed(tree.root):
        raise ClassroomError(
            f"Not graded: this class lies in {folder}, which confined code can read, so students could read it: move "
            f"{tree.root} out of it, and grade there"
        )
    if options.dask:  # each worker confines on its own machine, and is asked there
        return confinement.KINDS[0] if options.confine == "auto" else options.confine
    probe = confinement.best() if options.confine == "auto" else confinement.probe(options.confine)
    if not probe.works:
        raise ClassroomError(REFUSAL.format(found=f"{probe.kind}: {probe.found}\n{probe.how}".strip()))
    return probe.kind


def hire(options: Options, report: Report) -> crew.Crew:
    """The workers of a run."""
    if options.dask:
        workers.need_dask()
        from grader.classroom.dask_crew import DaskCrew

        return DaskCrew(options.dask, confine=None if options.trust else options.confine, say=report.said)
    return crew.local(options.jobs or crew.default_jobs())


def read_release(tree: ClassTree, chapter: Chapter) -> nbformat.NotebookNode:
    """The released notebook, which submissions are rebuilt on."""
    path = tree.released(chapter.name) / f"{chapter.name}.ipynb"
    try:
        return nbformat.read(path, as_version=4)
    except OSError:
        raise ClassroomError(
            f"{chapter.name} was not released in this class: run  grader class release {chapter.number}"
        ) from None


def other_points(release: nbformat.NotebookNode, chapter: Chapter) -> Iterator[str]:
    """What a person should know where the class gives an exercise other points than the course does: an instructor
    changed them, or a newer course did. The release stands, and scores are in proportion."""
    course = {exercise.slug: exercise.points for exercise in chapter.exercises}
    for cell in release.cells:
        marks = cell.metadata.get("nbgrader", {})
        name, points = marks.get("grade_id"), marks.get("points")
        if name in course and points is not None and points != course[name]:
            yield (
                f"{name} counts {points:g} points in this class, as its release says, and {course[name]:g} in the "
                "course: scores are in proportion."
            )


@contextmanager
def only_one(tree: ClassTree) -> Iterator[None]:
    """Hold the class's grading lock; a second run is refused rather than left to write at the same time."""
    folder = tree.root / "results"
    folder.mkdir(exist_ok=True, mode=0o700)
    with (folder / ".lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise ClassroomError("another grading run of this class is at work; wait until it is done") from None
        yield
