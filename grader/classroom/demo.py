"""`make demo`: a class in a minute, without a browser.

Makes an instructor's tree and the class release of chapter 10, hands in three answers that the clone holds
(right, wrong, unfinished), grades them and writes their feedback. The folder is kept, to look at.

Exit status 0 only if the grades are what they must be: all points for the right answer that this machine
can judge, fewer for the wrong one, fewest for the unfinished one.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from pathlib import Path

from rich.console import Console

from grader.classroom import material, scores
from grader.classroom.batch import Graded
from grader.classroom.create import create, start_files
from grader.classroom.errors import ClassroomError
from grader.classroom.tree import ClassTree
from grader.course import Chapter

CHAPTER = 10


def main() -> int:
    console = Console()
    began = time.monotonic()
    try:
        chapter = material.chapter(CHAPTER)
        answers = bundled(chapter)
        root = Path(tempfile.mkdtemp(prefix="course-demo-"))
        ok = run(console, chapter, answers, root)
    except ClassroomError as problem:
        print(f"The demo stopped: {problem}", file=sys.stderr)
        return 2
    console.print(
        f"Done in {time.monotonic() - began:.0f} s. Look around, then:  rm -r {root}",
        highlight=False,
        soft_wrap=True,
    )
    return 0 if ok else 1


def run(console: Console, chapter: Chapter, answers: dict[str, dict[str, bytes]], root: Path) -> bool:
    """The whole path in `root`; whether the grades are what they must be."""
    from grader.classroom.release import release
    from grader.classroom.report import print_grades
    from grader.classroom.session import Session

    def say(text: str) -> None:
        console.print(text, markup=False, highlight=False, soft_wrap=True)

    tree, _ = create(root / "class")
    say(f"1. An instructor's tree: {tree.root}")
    session = Session(tree)
    session.release(chapter.name)
    place = release(tree, [chapter])
    session.mark_released(chapter.name)
    say(f"2. The class release of chapter {chapter.number}: {place}")
    for student, files in answers.items():
        hand_in(tree, student, chapter, files)
    say(f"3. Three submissions: {', '.join(answers)}")
    graded = session.autograde(chapter.name, trust=True)  # they are the course's own
    print_grades(console, chapter, graded, session.booked(chapter))
    session.feedback(chapter.name)
    session.export(tree.root / "grades.csv")
    say("4. Feedback for each student:")
    for student in answers:
        say(f"   {tree.feedback(student, chapter.name) / chapter.name}.html")
    say(f"5. The table for the registrar: {tree.root / 'grades.csv'}")
    if problem := wrong_grades(graded):
        say(f"These grades are not what they must be: {problem}.")
        return False
    return True


def wrong_grades(graded: list[Graded]) -> str:
    """What is wrong with the grades of the three answers, "" if nothing is: the right one must have all
    that could be judged here, and something must have been; the wrong one less, the unfinished one
    least."""
    results = {g.student: g.result for g in graded if g.result}
    if set(results) != {"right", "wrong", "unfinished"}:
        return "a submission was not graded"
    if any(scores.faulty(verdict) for result in results.values() for verdict in result.verdicts.values()):
        return "the grader failed on one of them"
    right, wrong, unfinished = (
        sum(verdict.earned for verdict in results[student].verdicts.values())
        for student in ("right", "wrong", "unfinished")
    )
    judged = sum(verdict.possible for verdict in results["right"].verdicts.values())
    if not judged:
        return "nothing could be judged on this machine"
    if right < judged:
        return f"the right answer has {right:g} of {judged:g} points"
    if not right > wrong > unfinished:
        return f"right, wrong and unfinished have {right:g}, {wrong:g} and {unfinished:g} points"
    return ""


def hand_in(tree: ClassTree, student: str, chapter: Chapter, files: dict[str, bytes]) -> None:
    """Put a submission where nbgrader's collect would."""
    place = tree.submitted(student, chapter.name)
    place.mkdir(parents=True)
    for name, data in files.items():
        (place / name).write_bytes(data)


def bundled(chapter: Chapter) -> dict[str, dict[str, bytes]]:
    """Three answers to the chapter that the clone holds, by student: the solutions; the solutions with a
    wrong variant of the first exercise; the skeletons. `ClassroomError` where the package is not in a
    clone."""
    data = material.tree()
    solutions = data.solutions(chapter)
    if solutions is None:
        raise ClassroomError("the demo needs a clone of the course: a class release holds no solutions to hand in")
    unfinished = start_files(chapter)
    right = dict(unfinished)
    for path in sorted(solutions.iterdir()):
        if path.is_file() and (path.name in unfinished or path.suffix == ".ipynb"):
            right[path.name] = path.read_bytes()
    right[f"{chapter.name}.ipynb"] = in_own_words(chapter, right[f"{chapter.name}.ipynb"])
    return {"right": right, "wrong": with_wrong_variant(chapter, right), "unfinished": unfinished}


def in_own_words(chapter: Chapter, notebook: bytes) -> bytes:
    """The notebook with something in the cell that a person grades; a solved notebook leaves it as it is."""
    data = json.loads(notebook)
    for cell in data["cells"]:
        if chapter.explain and cell["metadata"].get("nbgrader", {}).get("grade_id") == chapter.explain.id:
            cell["source"] = "An answer in the student's own words, which a person reads and grades."
    return json.dumps(data).encode()


def with_wrong_variant(chapter: Chapter, right: dict[str, bytes]) -> dict[str, bytes]:
    """The right answer with the first wrong variant of the chapter's first exercise."""
    from grader.proof.patch import PatchError, read_variant

    folder = material.tree().root / "tests" / "variants" / chapter.exercises[0].slug
    for path in sorted(folder.glob("*.patch")):
        try:
            variant = read_variant(path)
            if not variant.alternative:
                return variant.apply(right)
        except PatchError as problem:
            raise ClassroomError(str(problem)) from None
    raise ClassroomError(f"{folder} holds no wrong variant to hand in")


if __name__ == "__main__":
    raise SystemExit(main())
