"""One source, whatever it is: which platform's it is, and what was handed in there."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

from grader.classroom.errors import ClassroomError
from grader.classroom.folder import printable, some
from grader.classroom.intake import canvas, exchange, folders, moodle
from grader.classroom.intake.handin import File, HandIn
from grader.classroom.intake.listing import Listing, hidden, opened, without_wrapper, wrapper
from grader.classroom.intake.roster import Roster
from grader.classroom.release import MARK
from grader.classroom.tree import ClassTree
from grader.course import Chapter

_MOST_TOLD = 20  # refused entries of a source that are named one by one


@dataclass
class Source:
    """What a source holds. `told` are sentences for the instructor; `nobodys` counts files that are no student's."""

    hand_ins: list[HandIn] = field(default_factory=list)
    told: list[str] = field(default_factory=list)
    nobodys: int = 0


def read_source(stack: ExitStack, tree: ClassTree, chapter: Chapter, path: Path, roster: Roster | None) -> Source:
    """The hand-ins of one source, whose files can be read until `stack` is closed. `ClassroomError` if it is none,
    or a class release."""
    if not path.exists():
        raise ClassroomError(f"there is no {path} to take submissions from")
    path = path.resolve()
    if path == (tree.root / "submitted").resolve():
        raise ClassroomError(f"{path} is where submissions are put; leave --from out to grade what lies there")
    path = exchange.inbound(path) if path.is_dir() else path
    listing = stack.enter_context(opened(path))
    source = Source(nobodys=len(listing.odd))
    source.told += [f"{path.name}, {name}: {why}." for name, why in listing.odd[:_MOST_TOLD]]
    if len(listing.odd) > _MOST_TOLD:
        source.told.append(f"{path.name}: {len(listing.odd) - _MOST_TOLD} more entries were refused.")
    strays = _sort(source, listing, tree, chapter, roster)
    source.nobodys += len(strays)
    others = set(tree.assignments()) - {chapter.name}
    strays = [file for file in strays if not hidden(file) and not others & set(file.parts[1:2])]
    if strays:
        names = some([printable(file.name) for file in strays])
        source.told.append(f"{path.name}: {len(strays)} files are no student's {chapter.name}: {names}.")
    if not source.hand_ins:
        source.told.append(f"{path.name} holds nothing that was handed in for {chapter.name}.")
    return source


def _sort(source: Source, listing: Listing, tree: ClassTree, chapter: Chapter, roster: Roster | None) -> list[File]:
    """Find out whose the files are, and return those that are nobody's."""
    files = listing.files
    for _ in range(2):  # as it is, then without the one folder that holds everything
        if moodle.matches(files):
            source.hand_ins, strays = moodle.read(listing, files)
            return strays
        if canvas.matches(files):
            source.hand_ins, strays = canvas.read(listing, files)
            return strays
        if exchange.matches(files) or any(exchange.is_name(name) for name in listing.owners):
            students = {person.id for person in roster.people} if roster else set()
            students |= set(tree.students(chapter.name))
            source.hand_ins, told = exchange.read(listing, files, chapter.name, students)
            source.told += told
            return []
        if (top := wrapper(files)) is None:
            break
        files = without_wrapper(files, top)
    if any(file.name == MARK for file in files):
        raise ClassroomError(
            f"{listing.path} is a class release, which students get: name what they handed in, with a folder for each"
        )
    source.hand_ins, strays = folders.read(listing, listing.files, chapter.name, set(tree.assignments()))
    return strays
