"""The progress bar of a grading run: how many are done, how fast, how many have a problem."""

from __future__ import annotations

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, ProgressColumn, TextColumn, TimeRemainingColumn
from rich.text import Text

from grader.classroom.autograde import Report
from grader.classroom.batch import Graded
from grader.course import Chapter


class Bar(Report):
    """A bar for each chapter, on a terminal; elsewhere nothing. A context manager."""

    def __init__(self, console: Console):
        self._progress = Progress(
            TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(), _Rate(),
            TextColumn("{task.fields[problems]}", style="red", markup=False), TimeRemainingColumn(),
            console=console, disable=not console.is_terminal, transient=True,
        )  # fmt: skip
        self._problems = 0

    def __enter__(self) -> Bar:
        self._progress.start()
        return self

    def __exit__(self, *_) -> None:
        self._progress.stop()

    def begin(self, chapter: Chapter, students: int) -> None:
        self._problems = 0
        self._bar = self._progress.add_task(chapter.name, total=students, problems="")

    def said(self, sentence: str) -> None:
        self._progress.console.print(sentence, style="yellow", markup=False, highlight=False, soft_wrap=True)

    def graded(self, graded: Graded) -> None:
        self._problems += bool(graded.problem)
        told = f"{self._problems} with a problem" if self._problems else ""
        self._progress.update(self._bar, advance=1, problems=told)


class _Rate(ProgressColumn):
    def render(self, task) -> Text:
        speed = task.finished_speed or task.speed
        return Text(f"{speed:.1f}/s" if speed else "")
