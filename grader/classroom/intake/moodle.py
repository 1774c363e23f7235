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
            told = "Text typed into Moodle was handed in beside files; it is not read."
            note = Note("refused", match["plugin"], told)
            hand_in.notes += [] if note in hand_in.notes else [note]
        elif name:
            hand_in.files.append(replace(file, name=name))
    return list(found.values()), nobodys
