"""nbgrader's exchange: the folder `inbound`, where `nbgrader submit` puts STUDENT+ASSIGNMENT+TIME+RANDOM.

By nbgrader's own `exchange/default/submit.py`; RANDOM may be switched off, and a student's name may hold a `+`. The
student makes that folder and so could write anybody's name: nbgrader's `collect` compares it with the folder's owner
and warns. Here what is somebody else's is not taken, where owners can tell (see `impostors`).
"""

from __future__ import annotations

import os
import pwd
import re
from collections.abc import Collection
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

from grader.classroom.errors import ClassroomError
from grader.classroom.folder import printable
from grader.classroom.intake import times
from grader.classroom.intake.handin import File, HandIn, Sender
from grader.classroom.intake.listing import Listing

_ENTRY = re.compile(
    r"(?P<student>.+)\+(?P<assignment>[^+]+)"
    r"\+(?P<time>\d{4}-\d\d-\d\d \d\d:\d\d:\d\d[^+]*(?:\+\d{4})?)(?:\+[\w-]+)?"
)
_CLOCK = timedelta(minutes=10)  # by which a folder may be older than the time in its name


def matches(files: list[File]) -> bool:
    return any(_ENTRY.fullmatch(file.parts[0]) for file in files)


def is_name(folder: str) -> bool:
    return bool(_ENTRY.fullmatch(folder))


def inbound(path: Path) -> Path:
    """`path` itself, or the `inbound` in it: the folder of a course, or the exchange of one course."""
    if (path / "inbound").is_dir():
        return path / "inbound"
    if path.is_dir() and path.name != "inbound":
        inside = [folder / "inbound" for folder in path.iterdir() if (folder / "inbound").is_dir()]
        if len(inside) > 1:
            names = ", ".join(sorted(folder.parent.name for folder in inside))
            raise ClassroomError(
                f"{path} is the exchange of several courses: name one of them, {path}/COURSE ({names})"
            )
        if inside:
            return inside[0]
    return path


def read(
    listing: Listing, files: list[File], assignment: str, students: Collection[str]
) -> tuple[list[HandIn], list[str]]:
    """The newest hand-in of each student, and what to tell. `students` are the names that this class knows."""
    entries: dict[str, list[File]] = {name: [] for name in listing.owners}
    for file in files:
        top, _, rest = file.name.partition("/")
        if rest:
            entries.setdefault(top, []).append(replace(file, name=rest))
    told, newest, older, others = [], {}, 0, 0
    names = {}
    for folder, inside in entries.items():
        match = _ENTRY.fullmatch(folder)
        time = match and times.parse(match["time"])
        if not match or time is None:
            told.append(f"{printable(folder)}: not a name that nbgrader gives; not taken.")
        elif match["assignment"] != assignment:
            others += 1
        else:
            names[folder] = match["student"]
            newest.setdefault(folder, (time, inside))
    refused, about = impostors(names, listing.owners, students)
    told += about
    best: dict[str, HandIn] = {}
    for folder, (time, inside) in sorted(newest.items(), key=lambda item: (item[1][0], item[0])):
        if folder in refused:
            told.append(refused[folder])
            continue
        student = names[folder]
        older += student in best
        best[student] = HandIn(Sender("exchange", student), inside, time, when=time, whole=True)
        made = listing.changed.get(folder)
        if made and made - time > _CLOCK:
            said, changed = f"{time:%Y-%m-%d %H:%M} UTC", f"{made:%Y-%m-%d %H:%M} UTC"
            told.append(f"{printable(student)}: the folder says {said}, and was changed at {changed}.")
    if older:
        told.append(f"{older} earlier submissions of the same students stay in the exchange.")
    if others:
        told.append(f"{others} submissions of other assignments stay in the exchange.")
    return list(best.values()), told


def impostors(
    names: dict[str, str], owners: dict[str, int], students: Collection[str]
) -> tuple[dict[str, str], list[str]]:
    """The folders that belong to somebody else than the student in their name, with a sentence each, and what to tell.

    `names` are the students by folder. Owners tell something where any folder belongs to the student it names; where
    none does, as on a hub whose users all run as one, only a folder that another student owns is refused.
    """
    whose = {folder: user(owners[folder]) for folder in names if folder in owners}
    matching = any(whose[folder] == names[folder] for folder in whose)
    known = {*students, *names.values()}
    refused, unchecked = {}, []
    for folder, owner in whose.items():
        if owner == names[folder]:
            continue
        if owner in known or (matching and owners[folder] != os.getuid()):
            refused[folder] = (
                f"{printable(names[folder])}: NOT TAKEN, the folder belongs to {printable(owner)}: {printable(folder)}."
            )
        else:
            unchecked.append(owner)
    if unchecked or (names and not whose):
        owner = f" (they belong to {', '.join(sorted(set(unchecked))[:3])})" if unchecked else ""
        count = len(unchecked) or len(names)
        return refused, [f"Whether {count} submissions come from whom they name could not be checked{owner}."]
    return refused, []


def user(uid: int) -> str:
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return f"user {uid}"
