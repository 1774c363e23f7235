"""What of a hand-in is taken: the files that the chapter asks for and its notebook, by name, and no other.

Students often upload one zip file with everything inside. It is looked into, one level deep and never unpacked.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from grader.classroom import folder
from grader.classroom.folder import Note, Unreadable, printable
from grader.classroom.intake.archive import Archive, BadArchive
from grader.classroom.intake.handin import File, HandIn
from grader.classroom.intake.listing import hidden
from grader.classroom.intake.names import safe
from grader.course import Chapter

LARGEST_ARCHIVE = 128 << 20  # bytes of one zip file inside a hand-in
MOST_ARCHIVES = 3  # of one hand-in
MOST_INSIDE = 20_000  # entries of one such archive
MOST_NOTEBOOKS = 10  # with a name of their own, where none has the chapter's
LARGEST_TABLE = 4 << 20
_OTHER_ARCHIVES = (".rar", ".7z", ".tar", ".gz", ".tgz", ".bz2", ".xz", ".zst")
ARCHIVES = (".zip", *_OTHER_ARCHIVES)


@dataclass
class Chosen:
    """`files` by the names that the chapter gives them. `ignored` counts what else was handed in."""

    files: dict[str, bytes] = field(default_factory=dict)
    notes: list[Note] = field(default_factory=list)
    ignored: int = 0


def wanted_names(chapter: Chapter) -> list[str]:
    return list(dict.fromkeys(name for exercise in chapter.exercises for name in exercise.files))


def choose(hand_in: HandIn, chapter: Chapter) -> Chosen:
    """Read what the chapter asks for. Never raises for anything that a hand-in can hold."""
    chosen = Chosen(notes=list(hand_in.notes))
    files = [file for file in hand_in.files if not hidden(file)]
    chosen.ignored = len(hand_in.files) - len(files)
    archives = [file for file in files if file.name.casefold().endswith(".zip")]
    archives.sort(key=lambda file: -file.newness)
    for file in archives[:MOST_ARCHIVES]:
        files += _inside(file, chosen)
    for file in archives[MOST_ARCHIVES:]:
        chosen.notes.append(_note("refused", file.name, f"only {MOST_ARCHIVES} archives are looked into"))
    for file in files:
        if file.name.casefold().endswith(_OTHER_ARCHIVES):
            chosen.notes.append(_note("refused", file.name, "of archives only zip files are opened"))
    files = [file for file in files if file not in archives and len(file.parts) <= folder.DEEPEST + 2]
    files.sort(key=lambda file: (-file.newness, len(file.parts), file.name))
    files = files[:MOST_INSIDE]
    taken = {_take(files, name, folder.LARGEST_FILE, chosen) for name in wanted_names(chapter)}
    notebook = f"{chapter.name}.ipynb"
    taken.add(_take(files, notebook, folder.LARGEST_NOTEBOOK, chosen))
    if not any(file and file.name.casefold().endswith(".ipynb") for file in taken):
        taken |= _any_notebooks(files, notebook, chosen)
    chosen.ignored += sum(file not in taken for file in files)
    return chosen


def _inside(file: File, chosen: Chosen) -> list[File]:
    """The files in a zip file of the hand-in, named ARCHIVE/NAME."""
    try:
        archive = Archive(io.BytesIO(file.read(LARGEST_ARCHIVE)), most=MOST_INSIDE, table=LARGEST_TABLE)
    except (Unreadable, BadArchive) as problem:
        chosen.notes.append(_note("unreadable", file.name, str(problem)))
        return []
    chosen.notes += [_note("refused", f"{file.name}/{name}", why) for name, why in archive.odd[:5]]
    if len(archive.odd) > 5:
        chosen.notes.append(Note("refused", file.name, f"{len(archive.odd) - 5} more entries of it were refused."))
    chosen.ignored += len(archive.odd)
    found = []
    for member in archive.files:
        if hidden(member):
            chosen.ignored += 1
        elif member.name.casefold().endswith(".zip"):
            chosen.notes.append(_note("refused", f"{file.name}/{member.name}", "it is an archive inside an archive"))
            chosen.ignored += 1
        else:
            found.append(replace(member, name=f"{file.parts[-1]}/{member.name}", newness=file.newness))
    return found


def _take(files: list[File], wanted: str, most: int, chosen: Chosen) -> File | None:
    """Put the file `wanted` into `chosen` and return it; of copies the newest, then the one with the right name."""
    for newness in sorted({file.newness for file in files}, reverse=True):
        group = {file.name: file for file in reversed(files) if file.newness == newness}
        names = list(dict.fromkeys(file.name for file in files if file.newness == newness))
        same = [name for name in names if name.rpartition("/")[2] == wanted]
        found, notes = folder.find_file(same[:1] or names, same[0] if same else wanted)
        if found is None:
            continue
        if len(same) > 1:
            others = ", ".join(map(printable, same[1:4]))
            notes = [Note("duplicate", wanted, f"{wanted}: there are more copies, which were not taken: {others}.")]
        chosen.notes += [replace(note, what=wanted) for note in notes if not _usual(note, found, wanted)]
        try:
            chosen.files[wanted] = group[found].read(most)
        except Unreadable as problem:
            chosen.notes.append(Note(problem.kind, wanted, f"{wanted} was not taken: {problem}."))
        return group[found]
    return None


def _usual(note: Note, found: str, wanted: str) -> bool:
    """Canvas itself calls a file that is handed in again NAME-1: nothing to tell anybody."""
    return note.kind == "renamed" and re.sub(r"-\d{1,2}(?=\.[^.]*$)", "", found) == wanted


def _any_notebooks(files: Iterable[File], wanted: str, chosen: Chosen) -> set[File | None]:
    """Notebooks with names of their own, all of them: grading finds out which holds the answers."""
    taken: set[File | None] = set()
    for file in files:
        if len(taken) < MOST_NOTEBOOKS and file.name.casefold().endswith(".ipynb"):
            name = f"{safe(file.parts[-1][:-6])}.ipynb"
            try:
                if name not in chosen.files:
                    chosen.files[name] = file.read(folder.LARGEST_NOTEBOOK)
                    taken.add(file)
            except Unreadable as problem:
                chosen.notes.append(Note(problem.kind, wanted, f"{printable(file.name)} was not taken: {problem}."))
    return taken


def _note(kind: str, name: str, why: str) -> Note:
    return Note(kind, printable(name, 60), f"{printable(name)} was not opened: {why}." if kind == "unreadable"
                else f"{printable(name)} was not taken: {why}.")  # fmt: skip
