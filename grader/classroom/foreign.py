"""Which chapter's a file or a notebook is, where it is another one than was asked for.

A notebook is known by the ids of its cells, and by its name where these say nothing; a file by a name that one chapter
alone asks for.
"""

from __future__ import annotations

from collections.abc import Iterable

from grader.classroom import folder, material
from grader.classroom.errors import ClassroomError
from grader.classroom.folder import Unreadable
from grader.classroom.notebook_text import Cell, read_cells
from grader.course import Chapter


class Others:
    """The chapters of the course beside `own`."""

    def __init__(self, own: Chapter):
        self.own = own
        try:
            others = [chapter for chapter in material.chapters() if chapter.name != own.name]
        except ClassroomError:  # a chapter that is being written must not stop another one's grading
            others = []
        self._own_ids, self._own_names = set(_ids(own)), set(_names(own))
        self._ids = {id: chapter for chapter in others for id in _ids(chapter)}
        self._names = {name: chapter for chapter in others for name in _names(chapter)}

    def notebook(self, cells: Iterable[Cell], name: str = "") -> Chapter | None:
        """The other chapter whose notebook this is, by its cells, or else by its name; None if it may be our own."""
        ids = {id for cell in cells for id in (cell.grade_id, cell.cell_id)}
        if ids & self._own_ids:
            return None
        known = [chapter for id, chapter in self._ids.items() if id in ids]
        return known[0] if known else self.named(name)

    def notebook_data(self, data: bytes, name: str = "") -> Chapter | None:
        """The same of a notebook's bytes, whatever they hold."""
        try:
            return self.notebook(read_cells(data), name)
        except Unreadable:
            return None

    def has_own_cells(self, data: bytes) -> bool:
        """A notebook holds a cell of our own chapter's."""
        try:
            return any({cell.grade_id, cell.cell_id} & self._own_ids for cell in read_cells(data))
        except Unreadable:
            return False

    def named(self, name: str) -> Chapter | None:
        """The other chapter that asks for a file of this name, None if ours does too or none does."""
        tidy = folder.tidy(name)
        return None if tidy in self._own_names else self._names.get(tidy)

    def is_own(self, name: str) -> bool:
        """Our chapter asks for a file of this name, and no other does."""
        tidy = folder.tidy(name)
        return tidy in self._own_names and tidy not in self._names


def called(chapter: Chapter) -> str:
    """A chapter as sentences name it."""
    return f"chapter {chapter.number} ({chapter.name})"


def _ids(chapter: Chapter) -> list[str]:
    found = [id for exercise in chapter.exercises for id in (exercise.slug, f"{exercise.slug}-answer")]
    return [*found, chapter.explain.id] if chapter.explain else found


def _names(chapter: Chapter) -> list[str]:
    names = [name for exercise in chapter.exercises for name in exercise.files]
    return [folder.tidy(name) for name in (*names, f"{chapter.name}.ipynb")]
