"""A folder like `submitted/`, or a zip file of one: STUDENT/ASSIGNMENT/files, or STUDENT/files."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from grader.classroom.folder import Unreadable
from grader.classroom.intake import times
from grader.classroom.intake.handin import File, HandIn, Sender
from grader.classroom.intake.listing import Listing, hidden, without_wrapper, wrapper

STAMP = "timestamp.txt"


def read(
    listing: Listing, files: list[File], assignment: str, assignments: Collection[str]
) -> tuple[list[HandIn], list[File]]:
    """One hand-in a student, and the files that are nobody's or of other `assignments`."""
    if (top := wrapper(files)) and any(file.parts[2:3] == [assignment] and len(file.parts) > 3 for file in files):
        files = without_wrapper(files, top)
    deep = any(file.parts[1:2] == [assignment] and len(file.parts) > 2 for file in files)
    found: dict[str, list[File]] = {}
    nobodys = []
    for file in files:
        student, *inside = file.parts
        if not inside or hidden(file):
            nobodys.append(file)
        elif len(inside) > 1 and inside[0] == assignment:
            found.setdefault(student, []).append(replace(file, name="/".join(inside[1:])))
        elif deep or (len(inside) > 1 and inside[0] in assignments):
            nobodys.append(file)
        else:
            found.setdefault(student, []).append(replace(file, name="/".join(inside)))
    return [_hand_in(listing, student, inside) for student, inside in found.items()], nobodys


def _hand_in(listing: Listing, student: str, files: list[File]) -> HandIn:
    when = None
    for file in files:
        if file.name == STAMP:
            try:
                when = times.parse(file.read(1000).decode("ascii", "replace"))
            except Unreadable:
                pass
    files = [file for file in files if file.name != STAMP]
    as_of = when or max((file.time for file in files if file.time), default=listing.as_of)
    return HandIn(Sender("folder", student), files, min(as_of, times.now()), when=when, whole=True)
