"""What taking in noticed about a submission, told again where it is graded: to the student, and in the flags.

A file that was handed in and could not be read is not "missing", although nothing of it lies in `submitted/`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from grader.classroom.folder import Note
from grader.classroom.intake.choose import ARCHIVES
from grader.classroom.intake.place import Origin, origin_path
from grader.classroom.submission import Submission
from grader.classroom.tree import ClassTree

_LOST = ("unreadable", "refused")


def with_origin(submission: Submission, tree: ClassTree, student: str, assignment: str) -> Submission:
    """The submission with the notes of its hand-in, if it came in by `take_in`."""
    origin = Origin.read(origin_path(tree, student, assignment))
    return with_notes(submission, origin.notes) if origin and origin.notes else submission


def with_notes(submission: Submission, notes: Iterable[Note]) -> Submission:
    notes = [note for note in notes if note not in submission.notes]
    lost = {note.what for note in notes if note.kind in _LOST} & submission.missing
    if any(note.kind in _LOST and note.what.casefold().endswith(ARCHIVES) for note in notes):
        lost = set(submission.missing)  # whatever is missing may be in the archive that was not opened
    if any(name.endswith(".ipynb") for name in lost):
        lost |= submission.missing & submission.cells.keys()
    kept = [note for note in submission.notes if not (note.kind == "missing" and note.what in lost)]
    return replace(submission, notes=(*kept, *notes), lost=submission.lost | lost, missing=submission.missing - lost)
