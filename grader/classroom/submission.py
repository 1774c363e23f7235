"""What is taken from a submission: the named files and the answer cells, nothing else.

The rest of the notebook, its check cells, outputs and metadata, is the release's own, so editing, deleting or
copying cells changes nothing about how an answer is judged.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path

from grader.classroom import folder
from grader.classroom.folder import Note, Unreadable, printable
from grader.classroom.foreign import Others, called
from grader.classroom.notebook_text import Cell, read_cells
from grader.course import Chapter


@dataclass(frozen=True)
class Submission:
    """One student's answers to one chapter.

    `cells` has every answer cell of the release by its grade id; a missing one keeps the release's text.
    `unanswered` names those whose text is the release's; `lost` the files and cells that were handed in, or
    may have been, but could not be read; `missing` those that were not there. A person should look before
    they count as nothing.
    """

    files: dict[str, bytes]
    cells: dict[str, str]
    notes: tuple[Note, ...]
    unanswered: frozenset[str]
    lost: frozenset[str]
    missing: frozenset[str]

    def fingerprint(self) -> str:
        """A hash of everything that was taken."""
        digest = hashlib.sha256(json.dumps([sorted(self.cells.items())]).encode())
        for name, data in sorted(self.files.items()):
            digest.update(json.dumps([name, len(data)]).encode() + data)
        digest.update(json.dumps([[n.kind, n.what, n.sentence] for n in self.notes]).encode())
        return digest.hexdigest()


def collect(path: Path, chapter: Chapter, release: list[Cell]) -> Submission:
    """Read the folder of one submission. `release` holds the answer cells of the released notebook. Never
    raises for anything that a submission can contain."""
    names = folder.list_files(path)
    notes: list[Note] = []
    lost: set[str] = set()
    files: dict[str, bytes] = {}
    for wanted in dict.fromkeys(name for exercise in chapter.exercises for name in exercise.files):
        data = _read(path, names, wanted, folder.LARGEST_FILE, notes, lost)
        if data is not None:
            files[wanted] = data
    cells = {cell.grade_id: cell.source for cell in release}
    if release:
        notebook = f"{chapter.name}.ipynb"
        found = _notebook(path, names, chapter, {cell.grade_id for cell in release}, notes, lost)
        if found is not None:
            for wanted in release:
                cells[wanted.grade_id] = _answer(found, wanted, notes)
        elif notebook in lost:
            lost.update(cells)
    missing = {note.what for note in notes if note.kind == "missing"}
    if gone := missing - cells.keys():
        notes += _others(names, gone, [*files, *lost])
    if f"{chapter.name}.ipynb" in missing:
        missing.update(cells)
    unanswered = frozenset(c.grade_id for c in release if same_text(cells[c.grade_id], c.source))
    return Submission(
        files=files, cells=cells, notes=tuple(notes), unanswered=unanswered, lost=frozenset(lost),
        missing=frozenset(missing),
    )  # fmt: skip


def _others(names: list[str], gone: set[str], taken: list[str]) -> list[Note]:
    """Where the files `gone` are missing: which others they may be."""
    books = any(name.endswith(".ipynb") for name in gone)
    others = [name for name in names if not any(folder.find_file([name], wanted)[0] for wanted in taken)]
    others = [name for name in others if books or not name.casefold().endswith(".ipynb")]
    others = [name for name in others if name != "timestamp.txt" and not name.startswith(".")]
    if not others:
        return []
    shown = ", ".join(map(printable, others[:5])) + (f" and {len(others) - 5} more" if len(others) > 5 else "")
    return [Note("other", others[0], f"Files under other names, which were not looked into: {shown}.")]


def same_text(one: str, other: str) -> bool:
    """Equal but for white space at line ends and around the text."""
    return [line.rstrip() for line in one.strip().splitlines()] == [
        line.rstrip() for line in other.strip().splitlines()
    ]


def _read(path: Path, names: list[str], wanted: str, largest: int, notes: list[Note], lost: set[str]) -> bytes | None:
    name, found = folder.find_file(names, wanted)
    if name is None:
        notes.append(Note("missing", wanted, f"{wanted} was not handed in."))
        return None
    notes += found
    try:
        return folder.read_file(path / name, largest)
    except Unreadable as problem:
        notes.append(Note(problem.kind, wanted, f"{wanted} was not taken: {problem}."))
        lost.add(wanted)
        return None


def _notebook(
    path: Path, names: list[str], chapter: Chapter, ids: set[str], notes: list[Note], lost: set[str]
) -> list[Cell] | None:
    """The cells of the submitted notebook, under its own name, that of a copy, or any name at all. Another chapter's
    is none of them."""
    wanted = f"{chapter.name}.ipynb"
    named, found = folder.find_file(names, wanted)
    strange = [name for name in names if name.casefold().endswith(".ipynb") and name != named][:10]
    name = named or _most_answers(path, strange, ids)
    if name is not None and named is None:
        found = [Note("renamed", wanted, f"{wanted} was taken from {printable(name)}.")]
    if name is None:
        told = "".join(_of_another_chapter(path, other, chapter) for other in strange[:3])
        notes.append(Note("missing", wanted, f"{wanted} was not handed in.{told}"))
        return None
    try:
        cells = read_cells(folder.read_file(path / name, folder.LARGEST_NOTEBOOK))
        if ids.isdisjoint(cell.grade_id or cell.cell_id for cell in cells):
            if told := _of_another_chapter(path, name, chapter):
                if other := _most_answers(path, strange, ids):
                    notes.append(Note("renamed", wanted, f"{wanted} was taken from {printable(other)}.{told}"))
                    return read_cells(folder.read_file(path / other, folder.LARGEST_NOTEBOOK))
                notes.append(Note("missing", wanted, f"{wanted} was not handed in.{told}"))
                return None
        notes += found
        return cells
    except Unreadable as problem:
        notes += found
        notes.append(Note(problem.kind, wanted, f"{wanted} could not be read: {problem}."))
        lost.add(wanted)
        return None


def _of_another_chapter(path: Path, name: str, chapter: Chapter) -> str:
    """A sentence about a notebook that is another chapter's, else ""."""
    try:
        other = Others(chapter).notebook_data(folder.read_file(path / name, folder.LARGEST_NOTEBOOK), name)
    except Unreadable:
        return ""
    return f" {printable(name)} is the notebook of {called(other)}." if other else ""


def _most_answers(path: Path, names: list[str], ids: set[str]) -> str | None:
    """Of notebooks with strange names, the one that holds most of the wanted cells; one that holds none is
    not it."""
    best, most = None, 0
    for name in names:
        try:
            cells = read_cells(folder.read_file(path / name, folder.LARGEST_NOTEBOOK))
        except Unreadable:
            continue
        count = len(ids & {cell.grade_id or cell.cell_id for cell in cells})
        if count > most:
            best, most = name, count
    return best


def _answer(cells: list[Cell], wanted: Cell, notes: list[Note]) -> str:
    """The text of one answer cell: the first copy that was changed, since copying a cell to try things is
    common."""
    name = wanted.grade_id
    copies = [cell for cell in cells if cell.grade_id == name]
    if not copies and wanted.cell_id:
        copies = [cell for cell in cells if cell.cell_id == wanted.cell_id and not cell.grade_id]
        if copies:
            notes.append(Note("changed", name, f"Cell {name} had lost its grade id; it was found by its cell id."))
    if not copies:
        notes.append(Note("missing", name, f"Cell {name} is missing; the released text stands in its place."))
        return wanted.source
    changed = [cell for cell in copies if not same_text(cell.source, wanted.source)]
    chosen = (changed or copies)[0]
    if len(copies) > 1:
        which = "the first one that was changed" if changed else "the first one"
        notes.append(Note("duplicate", name, f"Cell {name} is there {len(copies)} times; {which} was taken."))
    if chosen.cell_type != wanted.cell_type:
        was = printable(chosen.cell_type, 20) or "untyped"
        notes.append(
            Note(
                "changed",
                name,
                f"Cell {name} was a {was} cell; it was read as the {wanted.cell_type} cell it was.",
            )
        )
    return chosen.source
