"""What one person handed in, before any of it is read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime

from grader.classroom.folder import Note


@dataclass(frozen=True)
class File:
    """One file of a source.

    `name` has "/" between its parts; it serves to recognise the file and is never a path that is written. `read(most)`
    gives the bytes or raises `folder.Unreadable`. `newness` tells copies in one hand-in apart: the larger is the newer.
    """

    name: str
    read: Callable[[int], bytes]
    time: datetime | None = None  # of the file or of its entry, naive UTC
    newness: int = 0

    @property
    def parts(self) -> list[str]:
        return self.name.split("/")


@dataclass(frozen=True)
class Sender:
    """Who handed in, as the source names them. `platform`: "moodle", "canvas", "exchange" or "folder".

    `number` is Canvas' user id, or the number that Moodle gives to a participant (or a group) of one assignment.
    """

    platform: str
    name: str
    number: str = ""


@dataclass
class HandIn:
    """The files of one sender.

    `as_of` (naive UTC) tells which of two hand-ins is the newer; `when` is the time at which it was handed in, None
    where the source does not know it. A `whole` one replaces an earlier one altogether; otherwise a file that it lacks
    is still the earlier one's.
    """

    sender: Sender
    files: list[File]
    as_of: datetime
    when: datetime | None = None
    late: bool = False  # by the platform's own mark
    whole: bool = False
    source: int = 0  # in which of the sources of a run it is
    notes: list[Note] = field(default_factory=list)
