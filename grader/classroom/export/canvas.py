"""Grades for Canvas: the file that its "Import" of the gradebook takes.

By Canvas' own `lib/gradebook_importer.rb`: the columns up to `Section` say who it is, then one column an assignment,
`TITLE (ID)`; a row `Points Possible` sets an assignment's points, so it repeats what Canvas itself exported; students
who are not in the file stay as they are, but an empty cell clears a score that Canvas has. Hence the roster must be the
gradebook that Canvas exported, and whoever has no settled grade keeps the value that stands there. No byte order mark:
Canvas takes it for a part of the first column's name.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from grader.classroom.errors import ClassroomError
from grader.classroom.export.grades import Grade, Grades
from grader.classroom.export.table import Outcome, refuse_empty, write_table
from grader.classroom.folder import printable, some
from grader.classroom.intake.names import comparable
from grader.classroom.intake.roster import Roster
from grader.classroom.page import number

_PEOPLE = ("student", "lastname", "firstname", "id", "sis user id", "sis login id", "integration id", "root account",
           "section")  # fmt: skip
_KEPT = ("ex", "n/a")  # excused; not assigned to this student


def export_canvas(
    chapters: Sequence[Grades], roster: Roster, path: Path, *, pending_as_zero: bool = False, column: str = ""
) -> Outcome:
    """Write the settled grades. `column` names the assignment in Canvas where its title does not tell."""
    if roster.kind != "canvas":
        raise ClassroomError(
            f"{roster.path} is not Canvas' gradebook: in Canvas choose Grades, Export, Export Entire Gradebook, and "
            "give that file as --roster"
        )
    if column and len(chapters) != 1:
        raise ClassroomError("--column names the assignment of one chapter: name the chapter with --chapter too")
    people = [place for place, name in enumerate(roster.header) if name.strip().casefold() in _PEOPLE]
    places = [_column(roster, grades, column) for grades in chapters]
    outcome = Outcome(0)
    header = [roster.header[place] for place in people]
    header += [g.chapter.title if p is None else roster.header[p] for g, p in zip(chapters, places, strict=True)]
    rows = [header, ["    Points Possible", *[""] * (len(people) - 1), *_points(chapters, places, roster, outcome)]]
    known: set[str] = set()
    waiting: list[str] = []
    kept: list[str] = []
    for person in roster.people:
        cells, changed = [], False
        for grades, place in zip(chapters, places, strict=True):
            grade = grades.person(person, "canvas")
            before = person.row[place] if place is not None else ""
            if grade:
                known.add(grade.student)
            if grade and before.strip().casefold() in _KEPT:
                kept.append(person.id)
            elif grade and _goes_out(grade, pending_as_zero, waiting):
                before, changed = number(grade.score), True
            cells.append(before)
        if changed:
            rows.append([*(person.row[place] for place in people), *cells])
    outcome.rows = len(rows) - 2
    tell_left_out(outcome, chapters, known, waiting, pending_as_zero)
    if kept:
        outcome.told.append(f"Excused in Canvas, or not assigned there, and left so: {some(kept)}.")
    refuse_empty(outcome, path)
    write_table(path, rows)
    return outcome


def _goes_out(grade: Grade, pending_as_zero: bool, waiting: list[str]) -> bool:
    if not grade.settled:
        waiting.append(grade.waiting())
    return grade.settled or pending_as_zero


def tell_left_out(
    outcome: Outcome, chapters: Sequence[Grades], known: set[str], waiting: list[str], pending_as_zero: bool
) -> None:
    """Say whose grades are not in the file, and which points count as zero."""
    if waiting and pending_as_zero:
        outcome.told.append(f"Points that wait for a grade went out as zeros, as you asked: {some(waiting)}.")
    elif waiting:
        outcome.told.append(f"Left out, because points wait for a grade: {some(waiting)}.")
    if any("review)" in who for who in waiting):
        outcome.told.append(
            "review: the answer changed after a person gave the score; the formgrader's button Resolve keeps it."
        )
    strangers = sorted({student for grades in chapters for student in grades.of} - known)
    if strangers:
        outcome.told.append(f"Left out, because the roster does not name them: {some(map(printable, strangers))}.")
    outcome.told.append("Whoever handed in nothing is not in the file; the platform keeps what it has.")


def _column(roster: Roster, grades: Grades, wanted: str) -> int | None:
    """Which of Canvas' columns is the chapter's; None for a new one."""
    section = max(place for place, name in enumerate(roster.header) if name.strip().casefold() == "section")
    titles = {
        place: re.sub(r"\s*\(\d+\)$", "", name).strip() for place, name in enumerate(roster.header) if place > section
    }
    if wanted:
        found = [place for place, title in titles.items() if wanted in (roster.header[place].strip(), title)]
        if len(found) != 1:
            some = "; ".join(roster.header[place] for place in titles if re.search(r"\(\d+\)$", roster.header[place]))
            raise ClassroomError(f"Canvas' gradebook has no one assignment {wanted!r}. It has: {printable(some, 400)}")
        return found[0]
    chapter = grades.chapter
    names = (chapter.name, chapter.slug, chapter.title, f"{chapter.number} {chapter.title}")
    own = {comparable(f"{before}{name}") for name in (*names, str(chapter.number)) for before in ("", "chapter ")}
    own.discard(str(chapter.number))
    found = [place for place, title in titles.items() if comparable(title) in own]
    if len(found) > 1:
        some = "; ".join(roster.header[place] for place in found)
        raise ClassroomError(
            f"{chapter.name} may be any of these in Canvas: {printable(some, 300)}. Name it with --column"
        )
    return found[0] if found else None


def _points(chapters: Sequence[Grades], places: list[int | None], roster: Roster, outcome: Outcome) -> list[str]:
    """The cells of the row `Points Possible`."""
    row = next((row for row in roster.rows if row and row[0].strip() == "Points Possible"), None)
    cells = []
    for grades, place in zip(chapters, places, strict=True):
        ours = number(grades.points)
        if place is None:
            outcome.told.append(
                f"Canvas has no assignment called {grades.chapter.title!r}; importing makes one of {ours} points. If "
                "there is one under another name, say it with --column."
            )
            cells.append(ours)
            continue
        theirs = row[place].strip() if row else ""
        if theirs and theirs.replace(",", ".").rstrip("0").rstrip(".") != ours.rstrip("0").rstrip("."):
            outcome.told.append(
                f"{roster.header[place]} has {theirs} points in Canvas, and {ours} here: scores go as they are."
            )
        cells.append(theirs or ours)
    return cells
