"""What the instructor put into `submitted/` by hand: it is not replaced by what an archive held before.

A file is the instructor's where it is not what was placed from a source last. What is known by content stays known: an
archive that is downloaded again has a new time and the old files.
"""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from grader.classroom.intake import times
from grader.classroom.intake.folders import STAMP
from grader.classroom.intake.place import Origin


@dataclass
class ByHand:
    """The files that were put there by hand, by name with the time at which each was, and what becomes of them."""

    there: dict[str, bytes]
    since: dict[str, datetime] = field(default_factory=dict)
    kept: list[str] = field(default_factory=list)
    replaced: list[str] = field(default_factory=list)

    @property
    def newest(self) -> datetime | None:
        return max((self.since[name] for name in self.replaced), default=None)

    def defend(self, files: dict[str, bytes], origin: Origin | None, as_of: datetime, *, whole: bool) -> None:
        """Put into `files`, which are to come in their place, what stays: where the newcomer was seen before, or is
        not newer."""
        for name, since in self.since.items():
            new = files.get(name)
            if new == self.there[name]:
                continue
            if new is None:
                seen = not whole or not origin or name not in (origin.placed or {})
            else:
                seen = origin is not None and digest(new) in origin.seen.get(name, {})
            # A time of handing in comes from the exchange or from the instructor's roster, whenever that was written.
            if seen or (name != STAMP and as_of <= since):
                files[name] = self.there[name]
                self.kept.append(name)
            else:
                self.replaced.append(name)


def by_hand(path: Path, there: dict[str, bytes] | None, origin: Origin | None) -> ByHand:
    """What of `there`, the files in the folder `path`, was put there by hand. An empty file is what a power failure
    leaves."""
    found = ByHand(there or {})
    if origin and origin.placed is None:  # recorded before contents were
        return found
    for name, data in found.there.items():
        if data.strip(b"\0") and (origin is None or origin.placed.get(name) != digest(data)):
            found.since[name] = _put_there(path, name)
    return found


def digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:32]


def _put_there(path: Path, name: str) -> datetime:
    """When: a file that is copied or moved keeps its own time, but not that of its entry on the disk."""
    try:
        changed = max(os.lstat(path / name).st_ctime, os.lstat(path).st_ctime)
    except OSError:
        return times.now()
    return min(times.of_file(changed) or times.now(), times.now())
