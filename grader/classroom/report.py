"""The table of grades that the command and the demo print."""

from __future__ import annotations

from collections.abc import Mapping

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from grader.classroom import scores
from grader.classroom.batch import Graded
from grader.classroom.folder import printable
from grader.classroom.page import number
from grader.classroom.result import Result
from grader.classroom.rows import Booked
from grader.classroom.tree import ClassTree
from grader.course import Chapter, Exercise
from grader.verdict import State

# Beside the points of an exercise; a chapter has up to six columns in 80 signs.
_SHORT = {
    State.PASS: "✓",
    State.FAIL: "✗",
    State.ERROR: "error",
    State.CRASH: "crash",
    State.TIMEOUT: "time",
    State.OUT_OF_MEMORY: "memory",
    State.UNSUPPORTED_HERE: "waits",
    State.GRADER_FAULT: "fault",
}
_LEGEND = {  # of the marks that do not speak for themselves
    "error": "it could not be checked as it is",
    "time": "it took too long",
    "memory": "it needed too much memory",
    "waits": "for a machine that can check it, or for your grade",
    "fault": "the grader failed; no points are taken",
    "by hand": "you gave the score",
    "review": "what you gave the score for has changed since; Resolve in the formgrader keeps it",
}
_LONGEST_NAME = 24
_MOST_ROWS = 60


def print_grades(console: Console, chapter: Chapter, graded: list[Graded], booked: Mapping[str, Booked]) -> bool:
    """Print one row a submission with the points that the gradebook holds (`booked`, by student), and below what an
    instructor must know; of a large class only what needs attention. False if one was not graded, or the grader failed
    on it."""
    console.print(Text(f"{chapter.name}: {chapter.title}", style="bold"), soft_wrap=True)
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1))
    table.add_column("student", no_wrap=True)
    for exercise in chapter.exercises:
        heading = Text(f"{exercise.alias}\n/ {number(exercise.points)}")
        table.add_column(heading, justify="right", overflow="fold")
    if chapter.explain:
        table.add_column(Text(f"in words\n/ {number(chapter.explain.points)}"), justify="right")
    table.add_column(Text("sum"), justify="right")
    told, whole, marks, silent = [], True, {}, 0
    fresh = not all(row.unchanged for row in graded)
    for row in graded:
        result, book = row.result, booked.get(row.student)
        failed = result is None or any(scores.faulty(verdict) for verdict in result.verdicts.values())
        whole &= not failed
        if failed or len(graded) <= _MOST_ROWS:
            cells = _cells(chapter, result, book)
            table.add_row(Text(printable(row.student, _LONGEST_NAME)), *cells)
            marks |= {mark: words for mark, words in _LEGEND.items() if any(mark in cell.plain for cell in cells)}
            remarks = [(row.student, remark) for remark in _remarks(chapter, row, result, book)]
            again = fresh and row.unchanged and not failed  # what is new would be lost among what was told before
            told, silent = told + remarks * (not again), silent + len(remarks) * again
    if table.row_count:
        console.print(table)
    if marks:
        said = "; ".join(f"{mark}: {words}" for mark, words in marks.items())
        console.print(f"  {said}.", soft_wrap=True, highlight=False)
    for student, remark in told:
        console.print(Text(f"  {printable(student, _LONGEST_NAME)}: {remark}"), soft_wrap=True)
    unchanged = sum(row.unchanged for row in graded)
    if unchanged or len(graded) > _MOST_ROWS:
        before = " What is odd about those was told then." if silent else ""
        console.print(f"  {len(graded)} submissions, {unchanged} of them unchanged since the last grading.{before}")
    if again := sum(row.rejudged for row in graded):
        many = "Its one submission was" if len(graded) == 1 else f"All {len(graded)} submissions were"
        if again < len(graded):
            many = f"{again} of {len(graded)} submissions {'was' if again == 1 else 'were'}"
        console.print(f"  {many} judged again: the checks or the simulated GPU changed since.")
    if len(graded) > _MOST_ROWS:
        console.print("  Every grade:  grader class export grades.csv")
    return whole


def told_of_all(tree: ClassTree, chapter: Chapter, student: str) -> bool:
    """Whether the table of a grading of `student` (a pattern) tells what is odd about each submission."""
    return student == "*" and len(tree.students(chapter.name)) <= _MOST_ROWS


def _cells(chapter: Chapter, result: Result | None, book: Booked | None) -> list[Text]:
    if result is None or book is None:
        return [Text("-") for _ in range(len(chapter.exercises) + bool(chapter.explain) + 1)]
    cells = [_exercise_cell(chapter, exercise, result, book) for exercise in chapter.exercises]
    if chapter.explain:
        score = scores.written_score(chapter.explain.id, result)
        flag = scores.flags(chapter, result).get(chapter.explain.id)
        waits = flag or ("to grade" if score.needs_manual else number(score.auto or 0))
        cells.append(_by_hand(chapter.explain.id, book) or Text(waits))
    return [*cells, Text(number(max(0.0, book.score - book.penalty)))]


def _by_hand(cell: str, book: Booked) -> Text | None:
    """The score that a person gave; after a new grading of a changed answer, it is to be looked at again."""
    if cell not in book.by_hand:
        return None
    score, again = book.by_hand[cell]
    return Text(f"{number(score)} {'review' if again else 'by hand'}")


def _exercise_cell(chapter: Chapter, exercise: Exercise, result: Result, book: Booked) -> Text:
    if given := _by_hand(exercise.slug, book):
        return given
    verdict = result.verdicts[exercise.slug]
    flag = scores.flags(chapter, result).get(exercise.slug)
    if flag and not verdict.earned:
        return Text(flag, style="red")
    short = flag or _SHORT[scores.shown_state(verdict)]
    return Text(f"{number(verdict.earned)} {short}", style="green" if verdict.passed else "red")


def _remarks(chapter: Chapter, graded: Graded, result: Result | None, book: Booked | None) -> list[str]:
    if result is None:
        return [f"not graded: {graded.problem}"]
    found = [note.sentence for note in result.notes]
    if book and book.penalty:
        found.append(f"late: {number(book.penalty)} points are taken off the sum.")
    # The table and the notes tell of these.
    flagged = scores.flags(chapter, result).keys() | (book.by_hand.keys() if book else set())
    for exercise in chapter.exercises:
        if exercise.slug in flagged:
            continue
        if why := scores.exercise_score(exercise, result).why:
            found.append(f"{exercise.alias}: {why}")
    return found
