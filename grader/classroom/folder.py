"""Reads a submission's folder without trusting anything in it.

Links are never followed, only regular files are opened, sizes and counts are capped, and a wanted file is
found under the names that browsers, Jupyter and learning platforms give to copies.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

LARGEST_FILE = 1 << 20  # bytes of a handed-in source file
LARGEST_NOTEBOOK = 64 << 20  # a notebook carries its outputs, which are dropped
MOST_ENTRIES = 2000  # after so many files, folders are looked into no further
DEEPEST = 3  # folders below the submission's own

# "masked_gelu (1)", "masked_gelu-Copy2", "masked_gelu - Copy", "masked_gelu-1": the same file, saved again.
_COPY = re.compile(r"[\s_-]*(\(\d+\)|copy\s*(\(\d+\)|\d*)|-\d{1,2})$")


@dataclass(frozen=True)
class Note:
    """One thing about a submission that its grader should know. `kind` is one of `KINDS`; `what` a file or
    cell."""

    kind: str
    what: str
    sentence: str


KINDS = ("missing", "renamed", "duplicate", "unreadable", "changed", "refused", "other")


class Unreadable(Exception):
    """A file of a submission was not taken. The text is a clause ("it is empty"); `kind` is that of the
    note to make: "refused" for what is no file at all."""

    def __init__(self, text: str, kind: str = "unreadable"):
        super().__init__(text)
        self.kind = kind


def list_files(folder: Path) -> list[str]:
    """Relative names of what may be files, shallow ones first, then by name. Links are listed, never
    entered."""
    found: list[str] = []
    waiting = [("", 0)]
    while waiting:
        prefix, depth = waiting.pop(0)
        try:
            with os.scandir(folder / prefix) as entries:
                here = sorted(entries, key=lambda entry: entry.name)
        except OSError:
            continue  # a folder that cannot be opened holds nothing for us
        for entry in here:
            name = f"{prefix}{entry.name}"
            if entry.is_dir(follow_symlinks=False):
                if depth < DEEPEST and not entry.name.startswith((".", "__")):
                    waiting.append((f"{name}/", depth + 1))
            else:
                found.append(name)
            if depth and len(found) >= MOST_ENTRIES:
                return found
    return found


def read_file(path: Path, largest: int = LARGEST_FILE) -> bytes:
    """The bytes of a regular file. `Unreadable` for a link, a device, a pipe, or more than `largest`
    bytes."""
    try:
        # O_NONBLOCK: opening a pipe must not wait for somebody to write to it.
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as problem:
        if path.is_symlink():
            raise Unreadable("it is a link, and links are not followed", "refused") from None
        raise Unreadable(f"it cannot be opened ({problem.strerror})") from None
    with os.fdopen(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise Unreadable("it is not a regular file", "refused")
        data = file.read(largest + 1)
    if len(data) > largest:
        raise Unreadable(f"it has more than {largest >> 20} MiB")
    return data


def find_file(names: list[str], wanted: str) -> tuple[str | None, list[Note]]:
    """Which of `names` (from `list_files`) is the file `wanted`, and what was odd about it."""
    if wanted in names:
        return wanted, []
    candidates = [name for name in names if tidy(name) == tidy(wanted)]
    if not candidates:
        return None, []
    chosen = candidates[0]
    notes = [Note("renamed", wanted, f"{wanted} was taken from {printable(chosen)}.")]
    if len(candidates) > 1:
        others = ", ".join(printable(name) for name in candidates[1:4])
        notes.append(Note("duplicate", wanted, f"{wanted}: there are more copies, which were not taken: {others}."))
    return chosen, notes


def tidy(name: str) -> str:
    """A file's name without its folder, letter case and the marks of a copy."""
    stem, dot, suffix = name.rsplit("/", 1)[-1].casefold().removesuffix(".txt").rpartition(".")
    return _COPY.sub("", stem).strip() + dot + suffix


def printable(text: str, most: int = 80) -> str:
    """Text of a stranger for a message: no control characters, no lone surrogates, not endless."""
    text = text.encode("utf-8", "replace").decode()
    text = "".join(c if c.isprintable() else "?" for c in text)
    return text if len(text) <= most else text[: most - 1] + "…"


def some(names: Iterable[str], most: int = 10) -> str:
    """Names for a message: the first of them, and how many more there are."""
    names = list(names)
    shown = ", ".join(names[:most])
    return f"{shown} and {len(names) - most} more" if len(names) > most else shown
