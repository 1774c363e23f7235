"""Moodle's "Download all submissions" of one assignment.

By Moodle's own `mod/assign/classes/downloader.php` an entry is called

    FULLNAME_NUMBER_assignsubmission_file/PATH       folders, Moodle 4.1 and later
    FULLNAME_NUMBER_assignsubmission_file_/PATH      folders, before 4.1
    FULLNAME_NUMBER_assignsubmission_file_NAME       "Download submissions in folders" switched off

No `_` is left in FULLNAME. It is "Participant" while identities are hidden, and a group's name where teams hand in.
NUMBER is the participant's (or the group's) in this one assignment, the same as in the grading worksheet; a team of
those without a group has none. Other plugins than `file` (`onlinetext`) hold nothing that is graded here. The times in
the archive are those of the download.
"""

from __future__ import annotations

import re
from dataclasses import replace

from grader.classroom.folder import Note
from grader.classroom.intake.handin import File, HandIn, Sender
from grader.classroom.intake.listing import Listing

_ENTRY = re.compile(r"(?P<name>[^_/]*)(?:_(?P<number>\d+))?_assignsubmission_(?P<plugin>[a-z0-9]+)(?:_(?P<rest>.*))?")


def matches(files: list[File]) -> bool:
    return any(_ENTRY.fullmatch(file.parts[0]) for file in files)


def read(listing: Listing, files: list[File]) -> tuple[list[HandIn], list[File]]:
    """One hand-in a participant, and the files that are nobody's."""
    found: dict[Sender, HandIn] = {}
    nobodys = []
    for file in files:
        match = _ENTRY.fullmatch(file.parts[0])
        if not match or not (match["name"] or match["number"]):
            nobodys.append(file)
            continue
        sender = Sender("moodle", match["name"], match["number"] or "")
        hand_in = found.setdefault(sender, HandIn(sender, [], listing.as_of))
        name = "/".join(part for part in [match["rest"] or "", *file.parts[1:]] if part)
        if match["plugin"] != "file":
            hand_in.notes = [Note("refused", match["plugin"], "")]
        elif name:
            hand_in.files.append(replace(file, name=name))
    for hand_in in found.values():
        beside = "beside files" if hand_in.files else "and no file"
        told = f"Text typed into Moodle was handed in {beside}; it is not read."
        hand_in.notes = [replace(note, sentence=told) for note in hand_in.notes]
    return list(found.values()), nobodys
