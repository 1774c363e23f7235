"""What a class is graded with: the pristine course data and the exercise runner.

Everything in this room reaches them through this module, so that a test can put a small course in their
place. Nothing here looks at `GRADER_COURSE`: an environment variable must not change a grade.
"""

from __future__ import annotations

import functools
import hashlib
from pathlib import Path

import grader
from grader import course
from grader.classroom.errors import ClassroomError
from grader.course import Chapter, CourseError, Exercise, Tree
from grader.verdict import Verdict


def tree() -> Tree:
    """The course data that grades; `ClassroomError` if the package has none."""
    try:
        return course.pristine()
    except CourseError as problem:
        raise ClassroomError(str(problem)) from None


def chapter(name: str | int) -> Chapter:
    """A chapter by number, folder name or slug; `ClassroomError` with the nearest name if there is none."""
    try:
        return course.chapter(name, tree())
    except CourseError as problem:
        raise ClassroomError(str(problem)) from None


def chapters() -> list[Chapter]:
    """The chapters that can be handed out: those whose learner's notebook is built."""
    try:
        return [c for c in course.chapters(tree()) if tree().notebook(c).is_file()]
    except CourseError as problem:
        raise ClassroomError(str(problem)) from None


def check(exercise: Exercise, directory: Path, *, seed: int, cells: dict[str, str], tell: bool = False) -> Verdict:
    """Judge one exercise with its hidden cases, on the simulated GPU even where there is a real one, so that a
    grade is the same everywhere; an exercise that needs a real one is judged on that. `tell`: the verdict says what
    hidden cases found, which no student may see.

    Raises whatever the runner raises: the caller turns it into a fault.
    """
    from grader.exercises import check as run

    device = "cuda" if "gpu" in exercise.needs else "simulated"
    return run(exercise.slug, directory, seed=seed, hidden=True, tell=tell, cells=cells, device=device)


def patience(exercise: Exercise) -> float:
    """Seconds that judging it cannot exceed unless something hangs: each check has visible and hidden cases, and
    each child that it asks ends after the exercise's own limit."""
    from grader.exercises.runner import plan_of

    return 120 + 2 * exercise.wall_seconds * len(plan_of(exercise).all_checks())


def judging(exercise: Exercise) -> str:
    """A hash of what judges an exercise, and so decides about its verdict beside the answer: its table in
    `chapter.toml`, its checks, compilers, engine and host side. Without a clone: of the whole package."""
    from grader.proof import keys
    from grader.proof.answer import Place

    root = tree().root
    if (root / "grader").is_dir():
        return keys.judging(Place(root, exercise))
    return _whole_package()


@functools.cache
def _whole_package() -> str:
    package = Path(grader.__file__).parent
    digest = hashlib.sha256()
    for path in sorted(package.rglob("*")):
        if path.is_file() and "__pycache__" not in path.parts:
            digest.update(f"{path.relative_to(package)} {hashlib.sha256(path.read_bytes()).hexdigest()}\n".encode())
    return digest.hexdigest()
