"""The one writer: a result into nbgrader's gradebook and the `autograded` folder.

Scores are written explicitly from the verdict. nbgrader's own rule (full points unless an output looks like
an error) is never asked.
"""

from __future__ import annotations

import json
from contextlib import ExitStack

from nbgrader.api import Comment, Grade, SubmittedNotebook
from nbgrader.preprocessors import AssignLatePenalties
from nbgrader.utils import parse_utc
from sqlalchemy.exc import DBAPIError

from grader.classroom import database, decided, durable, folder, graft, rows, scores
from grader.classroom.errors import ClassroomError
from grader.classroom.result import Result
from grader.classroom.scores import Score
from grader.classroom.submission import Submission
from grader.classroom.tree import ClassTree
from grader.course import Chapter


class GradebookWriter:
    """Writes results of one class; a context manager that holds the gradebook open for a whole batch.

    `parent` is the nbgrader object whose configuration holds (late penalties).
    """

    def __init__(self, tree: ClassTree, database: str, course: str, parent=None):
        self.tree, self.database, self.course, self.parent = tree, database, course, parent

    def __enter__(self) -> GradebookWriter:
        with ExitStack() as opened:
            self._book = database.open_book(self.database, self.course)
            opened.callback(self._book.close)
            opened.enter_context(database.only_writer(self._book.engine, self.database))
            self._opened = opened.pop_all()
        self._late = AssignLatePenalties(parent=self.parent)
        self._late.init_plugin()
        return self

    def __exit__(self, *_) -> None:
        with self._opened:
            durable.settle(self.tree.root)  # the autograded folders; all else is on the disk already

    def is_written(self, chapter: Chapter, submission: Submission, result: Result) -> bool:
        """This very result was written before. The autograded folder is the last thing that `write` makes. It is read
        whole: what was written just before a power failure may be there in part."""
        place = self.tree.autograded(result.student, chapter.name)
        try:
            notebook = json.loads((place / f"{chapter.name}.ipynb").read_text(encoding="utf-8"))
            beside = self._beside_notebook(chapter, submission, result)
            return notebook["metadata"][graft.FINGERPRINT] == result.fingerprint and all(
                (place / name).read_bytes() == data for name, data in beside.items()
            )
        except (OSError, ValueError, KeyError, TypeError):
            return False

    def write(self, chapter: Chapter, release, submission: Submission, result: Result, *, same_answers: bool) -> None:
        """Scores, then the autograded notebook. Doing it twice changes nothing.

        `same_answers`: the gradebook's automatic scores are of these very answers, so they may stand where
        this run could not judge.
        """
        with database.plain_errors(self.database):
            self._save_scores_at_once(chapter, submission, result, same_answers)
        self._save_notebook(chapter, submission, result, graft.graft(release, chapter, submission, result))

    def _save_scores_at_once(
        self, chapter: Chapter, submission: Submission, result: Result, same_answers: bool
    ) -> None:
        """All scores of a submission or none."""
        if len(result.student) > database.LONGEST_NAME and self._book.engine.dialect.name != "sqlite":
            raise ClassroomError(
                f"the folder's name is longer than the {database.LONGEST_NAME} characters that this gradebook takes; "
                "rename the folder"
            )
        for again in (False, True):
            try:
                return self._save_scores(chapter, submission, result, same_answers)
            except BaseException as problem:
                self._book.db.rollback()  # nothing half-written, and the next submission finds it clean
                hung_up = isinstance(problem, DBAPIError) and problem.connection_invalidated
                if again or not hung_up:  # a server may have done so since the last submission, and be back
                    raise

    def _save_scores(self, chapter: Chapter, submission: Submission, result: Result, same_answers: bool) -> None:
        db, exercises = self._book.db, {exercise.slug: exercise for exercise in chapter.exercises}
        submitted = rows.find_or_add(db, chapter.name, result.student, self._timestamp(result))
        seen = decided.Graded(self.tree.autograded(result.student, chapter.name), chapter.name)
        grades, reviewed, why = [], [], {}
        for grade in rows.grades(db, submitted.notebook):
            if grade.name in exercises:
                before = grade.auto_score if same_answers else None
                score = scores.exercise_score(exercises[grade.name], result, before, grade.max_score)
            elif grade.cell_type == "markdown":
                score = scores.written_score(grade.name, result)
            else:  # an instructor's own test cell: it is never run, so a person must grade it
                score = Score(None, True)
            why[grade.name] = score.why
            if grade.manual_score is None:
                grades.append({"id": grade.id, "auto_score": score.auto, "needs_manual_grade": score.needs_manual})
                continue
            # A score given by hand stays, and is for review only if what it was given for is no longer the same. Else
            # the mark is left as it is: a person may be changing it at this moment.
            parts = scores.answer_parts(exercises[grade.name]) if grade.name in exercises else (grade.name,)
            same = all(seen.same(part, submission) for part in parts) if seen.known else same_answers
            mark = {} if same and _equal(grade.auto_score, score.auto) else {"needs_manual_grade": True}
            reviewed.append({"id": grade.id, "auto_score": score.auto, **mark})
        rows.change(db, Grade, grades)
        for row in reviewed:
            rows.change(db, Grade, [row])
        comments = [
            {"id": comment.id, "auto_comment": why.get(comment.name) or self._no_response(comment.name, result)}
            for comment in rows.comments(db, submitted.notebook)
        ]
        rows.change(db, Comment, comments)
        penalty = self._late_penalty(submitted, result)
        rows.change(db, SubmittedNotebook, [{"id": submitted.notebook, "late_submission_penalty": penalty}])
        db.commit()

    def _late_penalty(self, submitted: rows.Submitted, result: Result) -> float | None:
        """What nbgrader's (or the class's own) plugin takes off for being late, as its preprocessor does."""
        if submitted.seconds_late <= 0:
            return None
        score = rows.score(self._book.db, submitted.notebook)
        penalty = self._late.plugin_inst.late_submission_penalty(result.student, score, submitted.seconds_late)
        return None if penalty is None else min(max(penalty, 0.0), score)

    @staticmethod
    def _no_response(cell: str, result: Result) -> str | None:
        return "No response." if cell in result.unanswered else None

    def _timestamp(self, result: Result):
        """When it was handed in, as a naive UTC time, if nbgrader's `timestamp.txt` says so."""
        path = self.tree.submitted(result.student, result.assignment) / "timestamp.txt"
        try:
            return parse_utc(folder.read_file(path, 1000).decode("ascii").strip())
        except (folder.Unreadable, ValueError, OverflowError):
            return None

    def _save_notebook(self, chapter: Chapter, submission: Submission, result: Result, notebook) -> None:
        """Replace the autograded folder as a whole."""
        files = self._beside_notebook(chapter, submission, result)
        files[f"{chapter.name}.ipynb"] = json.dumps(notebook, ensure_ascii=False).encode()
        durable.write_folder(self.tree.autograded(result.student, chapter.name), files, 0o444)  # as nbgrader does

    def _beside_notebook(self, chapter: Chapter, submission: Submission, result: Result) -> dict[str, bytes]:
        """The other files of the autograded folder."""
        stamp = self.tree.submitted(result.student, chapter.name) / "timestamp.txt"
        try:  # nbgrader's pages compare it with the submission's
            return submission.files | {"timestamp.txt": folder.read_file(stamp, 1000)}
        except folder.Unreadable:
            return dict(submission.files)


def _equal(one: float | None, other: float | None) -> bool:
    return one == other if one is None or other is None else abs(one - other) < 1e-6
