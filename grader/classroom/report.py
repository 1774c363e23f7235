"""The table of grades that the command and the demo print."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table
from rich.text import Text

from grader.classroom import scores
from grader.classroom.autograde import Graded
from grader.classroom.folder import printable
from grader.classroom.page import number
from grader.classroom.public import WORDS
from grader.course import Chapter
from grader.verdict import State


def print_grades(console: Console, chapter: Chapter, graded: list[Graded]) -> bool:
    """Print one row a submission and what was odd about it. False if one was not graded, or the grader failed on it."""
    table = Table(title=f"{chapter.name}: {chapter.title}", title_justify="left")
    table.add_column("student")
    for exercise in chapter.exercises:
        table.add_column(Text(f"{exercise.alias} /{number(exercise.points)}"), justify="right")
    if chapter.explain:
        table.add_column(Text(f"in words /{number(chapter.explain.points)}"), justify="right")
    table.add_column("remarks")
    for row in graded:
        table.add_row(*_cells(chapter, row))
    console.print(table)
    return not any(g.problem or any(scores.faulty(v) for v in g.result.verdicts.values()) for g in graded)


def _cells(chapter: Chapter, graded: Graded) -> list[Text]:
    student = Text(printable(graded.student, 30))
    if graded.result is None:
        blank = [Text("-") for _ in range(len(chapter.exercises) + bool(chapter.explain))]
        return [student, *blank, Text(f"not graded: {graded.problem}", style="red")]
    cells, remarks = [student], []
    for exercise in chapter.exercises:
        verdict = graded.result.verdicts[exercise.slug]
        state = State.GRADER_FAULT if scores.faulty(verdict) else verdict.state
        style = "green" if verdict.passed else "red"
        cells.append(Text(f"{number(verdict.earned)} {WORDS[state]}", style=style))
        if why := scores.exercise_score(exercise, graded.result, None).why:
            remarks.append(f"{exercise.alias}: {why}")
    if chapter.explain:
        score = scores.written_score(chapter.explain.id, graded.result)
        cells.append(Text("for you to grade" if score.needs_manual else number(score.auto or 0)))
    remarks += [note.sentence for note in graded.result.notes]
    if graded.unchanged:
        remarks.append("unchanged since the last grading")
    return [*cells, Text("\n".join(remarks))]
