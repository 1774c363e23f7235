"""A student's feedback page. nbgrader's `generate_feedback` (and the formgrader's button) calls
`FeedbackExporter`.

A page is made from public text only (`public.py`), the student's own answers and a person's scores and
comments.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from html import escape
from pathlib import Path

from nbconvert.exporters import Exporter
from traitlets import default

from grader.classroom import graft, material
from grader.classroom.answer_text import to_html
from grader.classroom.database import open_book
from grader.classroom.errors import ClassroomError
from grader.classroom.page import notes_html, number, prose, verdict_html, when, whole_page
from grader.classroom.public import public_result
from grader.classroom.result import Result
from grader.classroom.tree import ClassTree
from grader.course import Chapter

REVIEW = "is looked at again"  # of a score that a person gave


@dataclass(frozen=True)
class Row:
    """One line of the table of scores."""

    title: str
    score: float
    points: float
    waiting: bool
    comment: str
    by_hand: bool = False

    @property
    def review(self) -> bool:
        """A person gave the score, for an answer that was another one then."""
        return self.waiting and self.by_hand


class FeedbackExporter(Exporter):
    """An autograded notebook in, a page that stands alone out."""

    @default("file_extension")
    def _file_extension_default(self) -> str:
        return ".html"

    def from_notebook_node(self, nb, resources=None, **kwargs):
        names = (resources or {})["nbgrader"]
        nb, resources = super().from_notebook_node(nb, resources, **kwargs)
        chapter = material.chapter(names["assignment"])
        tree = ClassTree(Path(self.parent.coursedir.root))
        result = Result.read(tree.result(names["student"], chapter.name))
        if result is None or result.fingerprint != nb.metadata.get(graft.FINGERPRINT):
            raise ClassroomError(f"{names['student']}: the grading is not complete; run  grader autograde  again")
        rows, penalty = read_scores(names["db_url"], self.parent.coursedir.course_id, chapter, names["student"])
        answers = {
            cell.metadata.nbgrader.grade_id: cell.metadata.get(graft.AS_TYPED, cell.source)
            for cell in nb.cells
            if cell.metadata.get("nbgrader", {}).get("solution")
        }
        files = {
            path.name: path.read_bytes()
            for path in tree.autograded(names["student"], chapter.name).iterdir()
            if path.name in {name for exercise in chapter.exercises for name in exercise.files}
        }
        text = feedback_page(chapter, result, rows, penalty, answers, files)
        return text.encode("utf-8", "replace").decode(), resources


def read_scores(database: str, course: str, chapter: Chapter, student: str) -> tuple[dict[str, Row], float]:
    """The rows of the gradebook by grade id, and the late penalty in points."""
    titles = {exercise.slug: exercise.title for exercise in chapter.exercises}
    if chapter.explain:
        titles[chapter.explain.id] = "In your own words"
    with open_book(database, course) as book:
        submitted = book.find_submission_notebook(chapter.name, chapter.name, student)
        comments = {comment.name: comment.comment or "" for comment in submitted.comments}
        rows = {
            grade.name: Row(
                titles.get(grade.name, grade.name),
                grade.score,
                grade.max_score,
                grade.needs_manual_grade,
                comments.get(grade.name, ""),
                grade.manual_score is not None,
            )
            for grade in submitted.grades
        }
        return rows, submitted.late_submission_penalty or 0.0


def feedback_page(
    chapter: Chapter,
    result: Result,
    rows: dict[str, Row],
    penalty: float,
    answers: dict[str, str],
    files: dict[str, bytes],
) -> str:
    """The whole page. `answers` are the texts of the answer cells by grade id, `files` what was handed in."""
    order = [e.slug for e in chapter.exercises if e.slug in rows]
    order += [name for name in rows if name not in order]
    total = sum(row.score for row in rows.values()) - penalty
    points = sum(row.points for row in rows.values())
    absent = result.lost | result.missing  # in the notebook the released text stands in their place
    handed_in = {name: text for name, text in answers.items() if name not in absent}
    body = [
        f"<h1>Chapter {chapter.number}: {escape(chapter.title)}</h1>",
        f'<p class="muted">Feedback for {escape(result.student)}, graded {when(result.graded)}</p>',
        f"<p><b>{number(total)} of {number(points)} points{_waiting(rows)}</b></p>",
        '<table class="sum"><tr><th>Exercise</th><th class="n">Points</th><th></th></tr>',
        *(_row_html(rows[name]) for name in order),
        f'<tr><td>Late penalty</td><td class="n">-{number(penalty)}</td><td></td></tr>' if penalty else "",
        "</table>",
        notes_html([note.sentence for note in result.notes]),
    ]
    for exercise in chapter.exercises:
        own = {name: files[name] for name in exercise.files if name in files}
        if exercise.kind == "python" and (text := handed_in.get(f"{exercise.slug}-answer")):
            own = {"Your cell": text.encode("utf-8", "replace")}
        body.append(f"<h2>{escape(exercise.title)}</h2>")
        row, verdict = rows.get(exercise.slug), public_result(exercise, result)
        if row and row.by_hand:
            again = f" The score {REVIEW}, since the answer or what the checks found has changed." if row.review else ""
            body.append(
                f"<p><b>{number(row.score)} of {number(row.points)} points</b>, given by a person.{again} "
                "What the checks found:</p>"
            )
            verdict = replace(verdict, pending=0.0)
        body.append(verdict_html(verdict, own))
        body.append(_comment_html(row))
    if chapter.explain:
        body.append("<h2>In your own words</h2>")
        body.append(f"<p>{prose(chapter.explain.prompt)}</p>")
        body.append(to_html(handed_in.get(chapter.explain.id, "")))
        body.append(_comment_html(rows.get(chapter.explain.id)))
    return whole_page(f"{chapter.title}: feedback", "\n".join(filter(None, body)))


def _waiting(rows: dict[str, Row]) -> str:
    waiting = sum(row.points - row.score for row in rows.values() if row.waiting and not row.by_hand)
    told = f", {number(waiting)} waiting for a grade" if waiting else ""
    return told + (f"; a score {REVIEW}" if any(row.review for row in rows.values()) else "")


def _row_html(row: Row) -> str:
    state = f"given by a person, {REVIEW}" if row.review else "waits for a grade" if row.waiting else ""
    return (
        f'<tr><td>{escape(row.title)}</td><td class="n">{number(row.score)} / {number(row.points)}</td>'
        f"<td>{state}</td></tr>"
    )


def _comment_html(row: Row | None) -> str:
    """What a person wrote, in Markdown as nbgrader's page invites to."""
    return f"<p><b>Comment:</b></p>{to_html(row.comment)}" if row and row.comment else ""
