"""What of a hand-in is taken: the files that the chapter asks for and its notebook, by name, and no other.

Students often upload one zip file with everything inside. It is looked into, one level deep and never unpacked.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from grader.classroom import folder
from grader.classroom.folder import Note, Unreadable, printable, some
from grader.classroom.foreign import Others, called
from grader.classroom.intake.archive import Archive, BadArchive
from grader.classroom.intake.folders import STAMP
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
    """`files` by the names that the chapter gives them. `ignored` counts what else was handed in, and `foreign` names
    what of it is another chapter's."""

    files: dict[str, bytes] = field(default_factory=dict)
    notes: list[Note] = field(default_factory=list)
    ignored: int = 0
    foreign: dict[str, Chapter] = field(default_factory=dict)  # name -> whose it is


def wanted_names(chapter: Chapter) -> list[str]:
    return list(dict.fromkeys(name for exercise in chapter.exercises for name in exercise.files))


def choose(hand_in: HandIn, chapter: Chapter) -> Chosen:
    """Read what the chapter asks for. Never raises for anything that a hand-in can hold."""
    chosen = Chosen(notes=list(hand_in.notes))
    files, others = _files(hand_in, chosen), Others(chapter)
    taken = {_take(files, name, folder.LARGEST_FILE, chosen) for name in wanted_names(chapter)}
    notebook = f"{chapter.name}.ipynb"
    taken.add(_take(files, notebook, folder.LARGEST_NOTEBOOK, chosen, others))
    if not any(file and file.name.casefold().endswith(".ipynb") for file in taken):
        taken |= _any_notebooks(files, notebook, chosen, others)
    left = [file for file in files if file not in taken]
    chosen.ignored += len(left)
    chosen.foreign |= {file.name: other for file in left if (other := others.named(file.name))}
    _name_the_others(left, {*wanted_names(chapter), notebook} - chosen.files.keys(), chosen)
    return chosen


def files_of(hand_in: HandIn) -> list[File]:
    """All that may be taken, those in zip files as well."""
    return _files(hand_in, Chosen())


def _files(hand_in: HandIn, chosen: Chosen) -> list[File]:
    """The same, in the order in which they count; `chosen` is told of what is not looked at."""
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
    return files[:MOST_INSIDE]


def _name_the_others(left: list[File], gone: set[str], chosen: Chosen) -> None:
    """Where a file is missing: which others it may be. Those of its kind first, for there may be a whole folder."""
    gone -= {note.what for note in chosen.notes if note.kind in ("unreadable", "refused")}
    gone -= {name for name in gone if name.endswith(".ipynb") and any(n.endswith(".ipynb") for n in chosen.files)}
    kinds = {name.rpartition(".")[2] for name in gone}
    taken = {folder.tidy(name) for name in chosen.files}
    others = [file.name for file in left if file.name not in chosen.foreign and file.parts[-1] != STAMP]
    others = [name for name in others if folder.tidy(name) not in taken]
    others = [name for name in others if name.casefold().rpartition(".")[2] in kinds] or others
    if gone and (strange := [name for name in chosen.foreign if not name.casefold().endswith(".ipynb")]):
        told = f"Of {called(chosen.foreign[strange[0]])}, and left out: {some(map(printable, strange), 5)}."
        chosen.notes.append(Note("other", strange[0], told))
    if gone and others:
        told = f"Files under other names, which were left out: {some(map(printable, others), 5)}."
        chosen.notes.append(Note("other", others[0], told))


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


def _take(
    files: list[File], wanted: str, most: int, chosen: Chosen, others: Others | None = None
) -> File | None:
    """Put the file `wanted` into `chosen` and return it; of copies the newest, then the one with the right name, but
    no notebook of `others`."""
    for newness in sorted({file.newness for file in files}, reverse=True):
        group = {file.name: file for file in reversed(files) if file.newness == newness}
        names = list(dict.fromkeys(file.name for file in files if file.newness == newness))
        same = [name for name in names if name.rpartition("/")[2] == wanted]
        found, notes = folder.find_file(same[:1] or names, same[0] if same else wanted)
        if found is None:
            continue
        if len(same) > 1:
            more = ", ".join(map(printable, same[1:4]))
            notes = [Note("duplicate", wanted, f"{wanted}: there are more copies, which were not taken: {more}.")]
        try:
            data = group[found].read(most)
            if others and _is_foreign(group[found], data, wanted, chosen, others):
                continue
            chosen.notes += [replace(note, what=wanted) for note in notes if not _usual(note, found, wanted)]
            chosen.files[wanted] = data
        except Unreadable as problem:
            chosen.notes += [replace(note, what=wanted) for note in notes if not _usual(note, found, wanted)]
            chosen.notes.append(Note(problem.kind, wanted, f"{wanted} was not taken: {problem}."))
        return group[found]
    return None


def _is_foreign(file: File, data: bytes, wanted: str, chosen: Chosen, others: Others) -> bool:
    """It is another chapter's notebook, which is noted."""
    if other := others.notebook_data(data, file.parts[-1]):
        chosen.foreign[file.name] = other
        told = f"{printable(file.name)} is the notebook of {called(other)}, and was not taken."
        chosen.notes.append(Note("other", wanted, told))
    return other is not None


def _usual(note: Note, found: str, wanted: str) -> bool:
    """Canvas itself calls a file that is handed in again NAME-1: nothing to tell anybody."""
    return note.kind == "renamed" and re.sub(r"-\d{1,2}(?=\.[^.]*$)", "", found) == wanted


def _any_notebooks(files: Iterable[File], wanted: str, chosen: Chosen, others: Others) -> set[File | None]:
    """Notebooks with names of their own, all but those of `others`: grading finds out which holds the answers."""
    taken: set[File | None] = set()
    for file in files:
        if len(taken) < MOST_NOTEBOOKS and file.name.casefold().endswith(".ipynb"):
            name = f"{safe(file.parts[-1][:-6])}.ipynb"
            try:
                if name not in chosen.files and file.name not in chosen.foreign:
                    data = file.read(folder.LARGEST_NOTEBOOK)
                    if not _is_foreign(file, data, wanted, chosen, others):
                        chosen.files[name] = data
                        taken.add(file)
            except Unreadable as problem:
                chosen.notes.append(Note(problem.kind, wanted, f"{printable(file.name)} was not taken: {problem}."))
    return taken


def _note(kind: str, name: str, why: str) -> Note:
    return Note(kind, printable(name, 60), f"{printable(name)} was not opened: {why}." if kind == "unreadable"
                else f"{printable(name)} was not taken: {why}.")  # fmt: skip
