"""``exercise(...)``: check an answer where it lies, show a hint, the contract, the files."""

from __future__ import annotations

import secrets
from pathlib import Path

from grader import course
from grader.course import CourseError, Exercise
from grader.notebook import answer, pages, words
from grader.notebook.display import show
from grader.notebook.panel import Panel
from grader.verdict import State, Verdict


class NotPassed(Exception):
    """The answer has not passed; ``verdict`` says why. In a notebook it is one line under the panel."""

    def __init__(self, verdict: Verdict):
        self.verdict = verdict
        passed = sum(check.state is State.PASS for check in verdict.checks)
        super().__init__(
            f"{verdict.exercise}: {passed} of {len(verdict.checks)} checks passed, "
            f"{words.points(verdict.earned, verdict.possible)}. The panel above says what to do."
        )

    def _render_traceback_(self) -> list[str]:
        return [f"NotPassed: {self}"]


class UnknownExercise(CourseError):
    """There is no exercise of this name; the message has the nearest one."""

    def _render_traceback_(self) -> list[str]:
        return [f"UnknownExercise: {self}"]


def exercise(name: str) -> ExerciseHandle:
    """The exercise of this slug (``"masked-gelu-forward"``) or alias (``"10.forward"``)."""
    try:
        return ExerciseHandle(course.find(name))
    except CourseError as error:
        raise UnknownExercise(str(error)) from None


class ExerciseHandle:
    """One exercise and the learner's answer to it in the notebook's folder."""

    def __init__(self, record: Exercise, directory: Path | str | None = None):
        self.record = record
        self.directory = Path(directory) if directory is not None else answer.directory_of(record)

    def check(self, *, seed: int | None = None) -> None:
        """Check the answer, show the panel, and raise ``NotPassed`` unless everything that could run passed.

        The visible cases come first, the same for everybody. Once they pass, the same rules are tried with
        fresh random cases; ``seed`` makes those of an earlier run again.
        """
        with show(pages.checking(self.record)) as shown:
            if "plugin-lane" in self.record.needs:
                _install_plugin_lane(shown)
            panel = self._judge(seed, shown)
            shown.replace(panel)
        if not succeeded(panel.verdict):
            raise NotPassed(panel.verdict)

    def _judge(self, seed: int | None, shown) -> Panel:
        from grader import exercises

        cells, note = answer.live_cells(self.record, self.directory)
        sources = answer.sources(self.record, self.directory, cells)

        def preview(visible: Verdict) -> None:
            if succeeded(visible) and _draws_cases(self.record):
                shown.preview(Panel(visible, self.record, sources, note=words.MORE_CASES))

        verdict = exercises.check(
            self.record.slug, self.directory, cells=cells, hidden=True, reveal=True, on_visible=preview,
            seed=secrets.randbits(31) if seed is None else seed,
        )  # fmt: skip
        notices = [note, answer.record(verdict, self.directory)]
        return Panel(verdict, self.record, sources, note=" ".join(notice for notice in notices if notice))

    def hint(self) -> pages.Page:
        """The next hint. Each call goes one rung further; the rungs already seen stay in sight."""
        taken, notice = answer.take_hint(self.record, self.directory)
        return pages.hints(self.record, taken, notice)

    def contract(self) -> pages.Page:
        """What the answer must do, row by row."""
        return pages.contract(self.record)

    def files(self) -> pages.Page:
        """The files (or the cell) that are the answer, and whether they are there."""
        return pages.files(self.record, self.directory)

    def __repr__(self) -> str:
        r = self.record
        return f"{r.slug}: {r.title} ({words.number(r.points)} points). .check() .hint() .contract() .files()"


def _draws_cases(record: Exercise) -> bool:
    """Whether there are fresh random cases to try once the visible checks pass."""
    from grader.exercises.runner import plan_of

    return any(check.seeded for check in plan_of(record).all_checks())


def _install_plugin_lane(shown) -> None:
    """On first use, with a bar; where it fails, the verdict says so."""
    from grader.toolchain import lane

    if not lane.state().ready:
        lane.install(lambda at: shown.preview(pages.Installing(at.done, at.total, at.sentence)))


def succeeded(verdict: Verdict) -> bool:
    """Everything that could run passed, and something did: nothing at all is no success."""
    return verdict.state in (State.PASS, State.UNSUPPORTED_HERE) and any(
        check.state is State.PASS for check in verdict.checks
    )
