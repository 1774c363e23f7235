"""Feedback pages for Moodle: the zip file that its "Upload multiple feedback files in a zip" takes.

By Moodle's own `mod/assign/feedback/file/importziplib.php`, what stands in a folder NAME_NUMBER_assignsubmission_file_
goes to the participant with that number, whatever NAME is; it must hold no `_`.
"""

from __future__ import annotations

import re
import zipfile
from pathlib import Path

from grader.classroom import folder
from grader.classroom.errors import ClassroomError
from grader.classroom.export.grades import Grades
from grader.classroom.export.table import Outcome
from grader.classroom.folder import Unreadable, printable, some
from grader.classroom.intake.roster import Roster
from grader.classroom.tree import ClassTree

LARGEST_PAGE = 32 << 20


def export_pages(tree: ClassTree, grades: Grades, roster: Roster | None, path: Path) -> Outcome:
    """Write the pages that `grader class feedback` made for the students whose numbers in Moodle are known: from a
    grading worksheet, else from the archive that their work came in."""
    numbers = {s: (sender.name, sender.number) for s, sender in grades.senders.items() if sender.platform == "moodle"}
    for person in roster.people if roster else ():
        if person.moodle and (grade := grades.person(person, "moodle")):
            numbers[grade.student] = (person.name, person.moodle)
    outcome, nowhere, none = Outcome(0), [], []
    part = path.with_name(f"{path.name}.part")
    with zipfile.ZipFile(part, "w", zipfile.ZIP_DEFLATED) as archive:
        for student in grades.of:
            name, number = numbers.get(student, ("", ""))
            try:
                page = tree.feedback(student, grades.chapter.name) / f"{grades.chapter.name}.html"
                data = folder.read_file(page, LARGEST_PAGE)
            except Unreadable:
                none.append(printable(student))
                continue
            if not number:
                nowhere.append(printable(student))
                continue
            called = re.sub(r"[^\w .-]|_", " ", name).strip() or "Participant"
            archive.writestr(f"{called}_{number}_assignsubmission_file_/{page.name}", data)
            outcome.rows += 1
    if not outcome.rows:
        part.unlink()
        raise ClassroomError(
            "no page can go to Moodle: "
            + (f"run  grader class feedback {grades.chapter.number}  first" if none and not nowhere else
               f"{roster.path} has no participant's number for any of: {some(nowhere)}" if roster else
               "give the assignment's grading worksheet as --roster, which has the participants' numbers")
        )  # fmt: skip
    part.replace(path)
    if none:
        outcome.told.append(f"No page was made yet for: {some(none)}.")
    if nowhere:
        outcome.told.append(f"Left out, because their numbers in Moodle are not known: {some(nowhere)}.")
    return outcome
