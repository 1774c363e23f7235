"""What lies in a source: the files of a zip file or of a folder, under the same kind of names, not yet read."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path

from grader.classroom import folder
from grader.classroom.errors import ClassroomError
from grader.classroom.folder import Unreadable, printable
from grader.classroom.intake import times
from grader.classroom.intake.archive import Archive, BadArchive
from grader.classroom.intake.handin import File

MOST_FOLDERS = 50_000


@dataclass
class Listing:
    """`odd` holds (name, clause) of what was refused. `owners` are the users whose the top folders are, by name;
    empty for an archive, which keeps none."""

    path: Path
    files: list[File]
    odd: list[tuple[str, str]] = field(default_factory=list)
    owners: dict[str, int] = field(default_factory=dict)
    changed: dict[str, datetime] = field(default_factory=dict)  # top folder -> when the machine last changed it

    @property
    def as_of(self) -> datetime:
        """The newest time in it, but not in the future, which would make everything later look old."""
        found = [file.time for file in self.files if file.time and file.time.year > 1980]
        newest = max(found, default=None) or times.of_file(self.path.stat().st_mtime) or times.now()
        return min(newest, times.now())


@contextmanager
def opened(path: Path) -> Iterator[Listing]:
    """The listing of `path`, whose files can be read while this lasts. `ClassroomError` if it is neither a folder nor
    a zip file."""
    if path.is_dir():
        yield of_folder(path)
        return
    try:
        file = path.open("rb")
    except OSError as problem:
        raise ClassroomError(f"{path} cannot be opened: {problem.strerror}") from None
    with file:
        try:
            archive = Archive(file)
        except BadArchive as problem:
            raise ClassroomError(f"{path} cannot be taken in: {problem}") from None
        yield Listing(path, archive.files, archive.odd)


def of_folder(path: Path) -> Listing:
    """Of a folder whose own folders may belong to strangers: links are not followed, and much is not too much."""
    listing = Listing(path, [])
    try:
        with os.scandir(path) as entries:
            top = sorted(entries, key=lambda entry: entry.name)
    except OSError as problem:
        raise ClassroomError(f"{path} cannot be opened: {problem.strerror}") from None
    if len(top) > MOST_FOLDERS:
        raise ClassroomError(f"{path} holds more than {MOST_FOLDERS} entries, which cannot be a class")
    for entry in top:
        if entry.name.startswith("."):
            continue
        try:
            facts = entry.stat(follow_symlinks=False)
        except OSError:
            continue
        if stat.S_ISLNK(facts.st_mode):
            listing.odd.append((printable(entry.name), "it is a link, and links are not followed"))
        elif stat.S_ISDIR(facts.st_mode):
            listing.owners[entry.name] = facts.st_uid
            if changed := times.of_file(facts.st_ctime):
                listing.changed[entry.name] = changed
            inside = folder.list_files(path / entry.name)
            listing.files += [_file(path, f"{entry.name}/{name}") for name in inside[: folder.MOST_ENTRIES]]
            if len(inside) >= folder.MOST_ENTRIES:
                listing.odd.append((printable(entry.name), f"of its files only {folder.MOST_ENTRIES} were looked at"))
        else:
            listing.files.append(_file(path, entry.name))
    return listing


def _file(root: Path, name: str) -> File:
    try:
        time = times.of_file(os.lstat(root / name).st_mtime)
    except OSError:
        time = None
    return File(name, lambda most: read_inside(root, name, most), time)


def read_inside(root: Path, name: str, most: int) -> bytes:
    """A regular file below `root`, no part of whose name is a link: its owner may put one there at any moment.
    `Unreadable` for anything else, or more than `most` bytes."""
    *folders, last = name.split("/")
    held = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        for part in folders:
            flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
            inner = os.open(part, flags, dir_fd=held)
            os.close(held)
            held = inner
        return folder.read_file(Path(f"/proc/self/fd/{held}") / last, most)
    except OSError as problem:
        raise Unreadable(f"it cannot be opened ({problem.strerror})") from None
    finally:
        os.close(held)


def without_wrapper(files: list[File], wrapper: str) -> list[File]:
    """The files inside the one folder that holds all of them."""
    return [replace(file, name=file.name.removeprefix(f"{wrapper}/")) for file in files]


def wrapper(files: list[File]) -> str | None:
    """The name of the one folder that holds everything, as a zip file made by hand often has it."""
    tops = {file.parts[0] for file in files if not hidden(file)}
    return tops.pop() if len(tops) == 1 and all(len(file.parts) > 1 for file in files if not hidden(file)) else None


def hidden(file: File) -> bool:
    """What a system leaves behind (`__MACOSX`, `.DS_Store`, `.ipynb_checkpoints`) or hides."""
    return any(part.startswith((".", "__")) for part in file.parts) or file.parts[-1] in ("Thumbs.db", "desktop.ini")
