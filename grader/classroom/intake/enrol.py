"""Puts the names and addresses of a roster into nbgrader's gradebook, so that its pages and tables show them.

It also makes students of those who have handed in nothing, so that they are in the table of grades. A name that the
instructor gave a student there stays.
"""

from __future__ import annotations

from nbgrader.api import Student

from grader.classroom.database import open_book
from grader.classroom.intake.roster import Roster


def enrol(database: str, course: str, roster: Roster) -> int:
    """Returns how many students are new in the gradebook."""
    new = 0
    with open_book(database, course) as book:
        known = {student.id: student for student in book.students}
        for person in roster.people:
            student = known.get(person.id)
            if student is None:
                student, new = Student(id=person.id), new + 1
                book.db.add(student)
            if person.name and student.last_name in (None, "", person.id) and not student.first_name:
                student.last_name, student.first_name = person.last_and_first
            student.email = student.email or person.email or None
        book.db.commit()
    return new
