"""`grader class export`: which format, which chapters, which roster."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from grader.classroom import material
from grader.classroom.errors import ClassroomError
from grader.classroom.export.canvas import export_canvas
from grader.classroom.export.moodle import export_moodle
from grader.classroom.export.pages import export_pages
from grader.classroom.export.table import Outcome
from grader.classroom.intake.roster import read_roster

if TYPE_CHECKING:
    from grader.classroom.session import Session

FORMATS = ("csv", "canvas", "moodle", "moodle-feedback")


def export_as(
    session: Session, format: str, file: Path, names: list[str], roster: Path | None, column: str, pending_as_zero: bool
) -> Outcome:
    """Write `file`. `ClassroomError` for wrong use, before anything is written."""
    if format not in FORMATS:
        raise ClassroomError(f"no format {format!r}; there are {', '.join(FORMATS)}")
    if not file.absolute().parent.is_dir():
        raise ClassroomError(f"there is no folder {file.absolute().parent} to write {file.name} into")
    if format == "csv":
        if names or roster or column or pending_as_zero:
            raise ClassroomError(
                "the table has every chapter and a column for the points that wait; --chapter, --roster, --column and "
                "--pending-as-zero are for --format canvas and moodle"
            )
        return Outcome(session.export(file))
    if column and format != "canvas":
        raise ClassroomError("--column is for --format canvas")
    if roster is None and format != "moodle-feedback":
        raise ClassroomError(
            f"--format {format} needs --roster FILE: what {format.capitalize()} itself exports, so that grades find "
            "their students"
        )
    people = read_roster(roster) if roster else None
    known = {chapter.name for chapter in material.chapters()}
    chapters = [material.chapter(name) for name in names]
    chapters = chapters or [material.chapter(name) for name in session.tree.assignments() if name in known]
    if not chapters:
        raise ClassroomError("no chapter was released in this class yet")
    if format == "canvas":
        grades = [session.grades(chapter) for chapter in chapters]
        if not names:  # of a chapter that nobody handed in yet Canvas would make an empty assignment
            grades = [each for each in grades if each.of] or grades
        return export_canvas(grades, people, file, pending_as_zero=pending_as_zero, column=column)
    if len(chapters) > 1:
        raise ClassroomError("Moodle takes one assignment a file: name the chapter with --chapter")
    if format == "moodle":
        return export_moodle(session.grades(chapters[0]), people, file, pending_as_zero=pending_as_zero)
    return export_pages(session.tree, session.grades(chapters[0]), people, file)
