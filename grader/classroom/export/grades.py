"""Each student's grade of one chapter, read from nbgrader's gradebook, as all formats need it."""

from __future__ import annotations

from dataclasses import dataclass

from nbgrader.api import MissingEntry

from grader.classroom import scores
from grader.classroom.database import open_book
from grader.classroom.errors import ClassroomError
from grader.classroom.folder import printable
from grader.classroom.intake.handin import Sender
from grader.classroom.intake.place import Origin, origin_path
from grader.classroom.intake.roster import Person
from grader.classroom.page import number
from grader.classroom.result import Result
from grader.classroom.tree import ClassTree
from grader.course import Chapter


@dataclass(frozen=True)
class Grade:
    """What one student got for one chapter. `score` has the late penalty taken off. `waits` are the points that a
    person must still grade; `review` are the titles of what a person gave a score and must look at again. With either
    it is not `settled`.
    """

    student: str
    score: float
    points: float
    waits: float
    settled: bool
    penalty: float
    rows: tuple[tuple[str, float, float, bool], ...]  # title, score, points, whether it waits
    flags: dict[str, str]  # title -> "missing" or "unreadable"
    review: tuple[str, ...] = ()

    def waiting(self) -> str:
        """Who it is and what it waits for."""
        why = [number(self.waits)] if self.waits or not self.review else []
        return f"{printable(self.student)} ({', '.join([*why, *['review'] * bool(self.review)])})"

    def sentence(self) -> str:
        """All of it in one line of plain text, for a comment. It holds titles and points only."""
        parts = [f"{number(self.score)} of {number(self.points)} points."]
        for title, score, points, waiting in self.rows:
            note = "is looked at again" if title in self.review else self.flags.get(title)
            note = note or ("waits for a grade" if waiting else "")
            parts.append(f"{title}: {number(score)} of {number(points)}{f' ({note})' if note else ''}.")
        if self.penalty:
            parts.append(f"Late: -{number(self.penalty)}.")
        return " ".join(parts)


@dataclass(frozen=True)
class Grades:
    """Everybody's of one chapter. `senders` tell under which name and number a platform knows a student, `addresses`
    whom an email address in the gradebook (in lower case) belongs to."""

    chapter: Chapter
    points: float
    of: dict[str, Grade]
    senders: dict[str, Sender]
    addresses: dict[str, str]

    def person(self, person: Person, platform: str) -> Grade | None:
        """The grade of somebody in a roster: by id, else as the hand-in was named, else by login or address."""
        address = self.addresses.get(person.email.casefold(), "")
        for student in (person.id, self._sent(person, platform), person.login, person.email, address):
            if student and (grade := self.of.get(student)):
                return grade
        return None

    def _sent(self, person: Person, platform: str) -> str:
        wanted = person.canvas if platform == "canvas" else person.moodle
        if not wanted:
            return ""
        found = (s for s, sender in self.senders.items() if (sender.platform, sender.number) == (platform, wanted))
        return next(found, "")


def read_grades(tree: ClassTree, database: str, course: str, chapter: Chapter) -> Grades:
    """`ClassroomError` if the chapter is not in the gradebook, or the gradebook cannot be read."""
    titles = {exercise.slug: exercise.title for exercise in chapter.exercises}
    if chapter.explain:
        titles[chapter.explain.id] = "In your own words"
    places = {name: place for place, name in enumerate(titles)}
    found, senders, addresses = {}, {}, {}
    with open_book(database, course) as book:
        try:
            points = book.find_assignment(chapter.name).max_score
        except MissingEntry:
            raise ClassroomError(
                f"{chapter.name} was not released in this class: run  grader class release {chapter.number}"
            ) from None
        for student, email in [(student.id, student.email) for student in book.students]:
            try:
                submission = book.find_submission(chapter.name, student)
            except MissingEntry:
                continue
            grades = [grade for notebook in submission.notebooks for grade in notebook.grades]
            grades.sort(key=lambda grade: places.get(grade.name, len(places)))  # a database keeps no order
            penalty = submission.late_submission_penalty or 0.0
            result = Result.read(tree.result(student, chapter.name))
            flags = scores.flags(chapter, result) if result else {}
            found[student] = Grade(
                student=student,
                score=max(0.0, submission.score - penalty),
                points=points,
                waits=sum(max(grade.max_score - grade.score, 0.0) for grade in grades if scores.waits(grade)),
                settled=not any(grade.needs_manual_grade for grade in grades),
                penalty=penalty,
                rows=tuple(
                    (titles.get(g.name, g.name), g.score, g.max_score, bool(g.needs_manual_grade)) for g in grades
                ),
                flags={titles.get(name, name): flag for name, flag in flags.items()},
                review=tuple(titles.get(grade.name, grade.name) for grade in grades if scores.to_review(grade)),
            )
            if origin := Origin.read(origin_path(tree, student, chapter.name)):
                senders[student] = origin.sender
            if email:
                # Of two with one address it says nothing.
                addresses[email.casefold()] = "" if email.casefold() in addresses else student
    return Grades(chapter, points, found, senders, addresses)
