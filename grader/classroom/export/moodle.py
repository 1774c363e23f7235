"""Grades for Moodle: the assignment's grading worksheet filled in, or a file for the gradebook's import.

The worksheet, by Moodle's own `mod/assign/feedback/offline`: a row is found by `Identifier`; `Grade` and
`Feedback comments` are taken; an empty grade, one above the maximum or one of a locked row is skipped; a row that was
changed in Moodle since (`Last modified (grade)`) too. The other way, https://docs.moodle.org/en/Grade_import: any
column that says who it is, one with the grade and one with feedback, which must go together. Both are UTF-8.
"""

from __future__ import annotations

from pathlib import Path

from grader.classroom.errors import ClassroomError
from grader.classroom.export.canvas import tell_left_out
from grader.classroom.export.grades import Grade, Grades
from grader.classroom.export.table import Outcome, cell, refuse_empty, write_table
from grader.classroom.folder import printable, some
from grader.classroom.intake.roster import Person, Roster
from grader.classroom.page import number

MARK = "Graded by the course's checks: "  # a comment that begins so is ours and may be replaced
_WHO = ("first name", "last name", "surname", "id number", "username", "email address", "id", "name", "email")


def export_moodle(grades: Grades, roster: Roster, path: Path, *, pending_as_zero: bool = False) -> Outcome:
    """Write the settled grades of one chapter: a worksheet if the roster is one, else a file for the grade import."""
    if roster.kind == "canvas":
        raise ClassroomError(
            f"{roster.path} is from Canvas. For Moodle give as --roster the assignment's grading worksheet (Download "
            "grading worksheet), the gradebook's export as plain text, or a roster of your own"
        )
    outcome, waiting, known, going = Outcome(0), [], set(), []
    for person in roster.people:
        if grade := grades.person(person, "moodle"):
            known.add(grade.student)
            if not grade.settled:
                waiting.append(grade.waiting())
            if grade.settled or pending_as_zero:
                going.append((person, grade))
    rows = (
        _worksheet(grades, roster, going, outcome)
        if roster.kind == "worksheet"
        else _import(grades, roster, going, outcome)
    )
    outcome.rows = len(rows) - 1
    tell_left_out(outcome, [grades], known, waiting, pending_as_zero)
    refuse_empty(outcome, path)
    write_table(path, rows)
    return outcome


def _worksheet(grades: Grades, roster: Roster, going: list[tuple[Person, Grade]], outcome: Outcome) -> list[list]:
    places = {name.strip().casefold(): place for place, name in enumerate(roster.header)}
    if "last modified (grade)" not in places:
        raise ClassroomError(
            f"{roster.path}, line 1: no column 'Last modified (grade)', without which Moodle refuses the file"
        )
    if "feedback comments" not in places:
        outcome.told.append(
            "The worksheet has no column for comments: switch on 'Feedback comments' in the assignment for it."
        )
    rows, above, locked, own = [list(roster.header)], [], [], []
    other = set()
    for person, grade in going:
        row = list(person.row[: len(roster.header)])
        maximum = row[places["maximum grade"]] if "maximum grade" in places else ""
        if "grade can be changed" in places and row[places["grade can be changed"]].strip().casefold() == "no":
            locked.append(person.id)
            continue
        if (limit := _number(maximum)) is not None:
            if limit != grade.points:
                other.add(limit)
            if grade.score > limit:
                above.append(person.id)
                continue
        score = number(grade.score)
        row[places["grade"]] = score.replace(".", ",") if "," in maximum else score
        if "feedback comments" in places:
            if (comment := row[places["feedback comments"]].strip()) and not comment.startswith(MARK):
                own.append(person.id)
            else:
                row[places["feedback comments"]] = MARK + grade.sentence()
        rows.append(row)
    if other:
        theirs = ", ".join(map(number, sorted(other)))
        outcome.told.append(
            f"The maximum in Moodle is {theirs}, and {number(grades.points)} here: scores go as they are."
        )
    for people, why in ((above, "their score is above Moodle's maximum"), (locked, "Moodle has their grades locked")):
        if people:
            outcome.told.append(f"Left out, because {why}: {some(people)}.")
    if own:
        outcome.told.append(f"The comments that a person wrote in Moodle stay: {some(own)}.")
    return rows


def _import(grades: Grades, roster: Roster, going: list[tuple[Person, Grade]], outcome: Outcome) -> list[list]:
    who = [place for place, name in enumerate(roster.header) if name.strip().casefold() in _WHO]
    outcome.told.append(
        "In Moodle: Grades, Import, CSV file; map the column that says who it is, the grade's and the feedback's."
    )
    title = grades.chapter.title
    rows = [[*(roster.header[place] for place in who), title, f"{title} (feedback)"]]
    for person, grade in going:
        cells = [person.row[place] for place in who]
        if changed := [text for text in cells if cell(text) != text]:
            outcome.told.append(f"Written as text, so Moodle may not know who it is: {printable(', '.join(changed))}.")
        rows.append([*cells, number(grade.score), MARK + grade.sentence()])
    return rows


def _number(text: str) -> float | None:
    try:
        return float(text.strip().replace(",", "."))
    except ValueError:
        return None
