"""Canvas' "Download Submissions" of one assignment.

By Canvas' own `lib/content_zipper.rb` an entry is called

    NAME_USER_ATTACHMENT_FILE          NAME_LATE_USER_ATTACHMENT_FILE
    NAME_USER_text.html                NAME_USER_link.html

NAME is the sortable name in lower case without anything but letters, digits and `_` ("lovelaceada"), or a group's; for
a group USER is one of its members. An anonymous assignment has `anon_XXXXX` for NAME_USER. Canvas calls a file that
was handed in again `FILE-1`; only the newest attempt is in the archive, and of two attachments the one with the larger
number is the newer. The times in the archive are those of the download.
"""

from __future__ import annotations

import re
from dataclasses import replace

from grader.classroom.folder import Note
from grader.classroom.intake.handin import File, HandIn, Sender
from grader.classroom.intake.listing import Listing, hidden

_START = r"(?:(?P<name>[^/]*?)_)??(?:(?P<late>LATE|late)_)?(?P<user>\d+|anon_[0-9A-Za-z]+)_"
_FILE = re.compile(_START + r"(?P<attachment>\d+)_(?P<file>[^/]+)")
_TYPED = re.compile(_START + r"(?:text|link)\.html")


def matches(files: list[File]) -> bool:
    """Most of what is there is called so, and nothing lies in folders."""
    files = [file for file in files if not hidden(file)]
    called = [file for file in files if _FILE.fullmatch(file.name) or _TYPED.fullmatch(file.name)]
    return 2 * len(called) > len(files) and all(len(file.parts) == 1 for file in files)


def read(listing: Listing, files: list[File]) -> tuple[list[HandIn], list[File]]:
    """One hand-in a user (for a group: one in all), and the files that are nobody's."""
    found: dict[str, HandIn] = {}
    nobodys = []
    for file in files:
        match = _FILE.fullmatch(file.name) or _TYPED.fullmatch(file.name)
        if not match or hidden(file):
            nobodys.append(file)
            continue
        sender = Sender("canvas", match["name"] or "", match["user"])
        hand_in = found.setdefault(match["user"], HandIn(sender, [], listing.as_of))
        hand_in.late |= bool(match["late"])
        if "attachment" in match.groupdict():
            hand_in.files.append(replace(file, name=match["file"], newness=int(match["attachment"])))
        else:
            hand_in.notes = [Note("refused", "text", "")]
    for hand_in in found.values():
        beside = "beside files" if hand_in.files else "and no file"
        told = f"Text or a link typed into Canvas was handed in {beside}; it is not read."
        hand_in.notes = [replace(note, sentence=told) for note in hand_in.notes]
    return list(found.values()), nobodys
