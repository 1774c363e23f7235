"""Finds out that a source is of another chapter, before anything of it is taken: platforms call all alike."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from grader.classroom import folder
from grader.classroom.errors import ClassroomError
from grader.classroom.folder import Unreadable
from grader.classroom.foreign import Others, called
from grader.classroom.intake.choose import files_of
from grader.classroom.intake.handin import File, HandIn
from grader.course import Chapter


def refuse_another_chapters(path: Path, hand_ins: list[HandIn], chapter: Chapter) -> None:
    """`ClassroomError` if nothing that was handed in there is `chapter`'s, and something is another one's.

    It looks until it finds a file of `chapter`'s, which mostly is the first. In the exchange the folder's name says
    which assignment it is.
    """
    others, found = Others(chapter), Counter()
    for hand_in in hand_ins:
        if hand_in.sender.platform == "exchange":
            return
        for file in files_of(hand_in):
            other, own = _whose(file, others)
            if own:
                return
            if other:
                found[called(other)] += 1
    if found:
        which = found.most_common(1)[0][0]
        raise ClassroomError(
            f"{path} was not taken in: what it holds belongs to {which}, and nothing of it to {called(chapter)}. "
            "Nothing was changed. Is it the archive of another assignment?"
        )


def _whose(file: File, others: Others) -> tuple[Chapter | None, bool]:
    """The other chapter whose file it is, and whether it is our own; neither where that cannot be told."""
    name = file.parts[-1]
    if not name.casefold().endswith(".ipynb"):
        return others.named(name), others.is_own(name)
    try:
        data = file.read(folder.LARGEST_NOTEBOOK)
    except Unreadable:
        return None, others.is_own(name)
    other = others.notebook_data(data, name)
    return other, other is None and (others.is_own(name) or others.has_own_cells(data))

