"""Reads a zip file that a stranger made. Nothing is ever extracted: a member is read into memory, up to a size.

Whatever is wrong with the archive or with a member becomes a clause for a sentence ("it is encrypted").
"""

from __future__ import annotations

import re
import stat
import struct
import zipfile
import zlib
from datetime import datetime
from typing import BinaryIO

from grader.classroom.folder import Unreadable, printable
from grader.classroom.intake.handin import File

MOST_MEMBERS = 100_000
LARGEST_TABLE = 32 << 20  # bytes of an archive's table of contents, which is read at once
LONGEST_NAME = 1000
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)  # the others can ask for gigabytes to unpack a few bytes
_BROKEN = (
    zipfile.BadZipFile, zipfile.LargeZipFile, zlib.error, struct.error, EOFError, OSError, ValueError, RuntimeError,
    NotImplementedError, OverflowError, IndexError, KeyError,
)  # fmt: skip


class BadArchive(Exception):
    """The whole of it cannot be read. The text is a clause."""


class _Guard:
    """A file that gives out no more than `most` bytes at once: zipfile reads a table of contents in one piece."""

    def __init__(self, file: BinaryIO, most: int | None):
        self.file, self.most = file, most

    def read(self, size: int = -1) -> bytes:
        if self.most is None:
            return self.file.read(size)
        data = self.file.read(min(size, self.most + 1) if size >= 0 else self.most + 1)
        if len(data) > self.most:
            raise zipfile.BadZipFile("its table of contents is too long")
        return data

    def __getattr__(self, name: str):
        return getattr(self.file, name)


class Archive:
    """The members of a zip file as `files`; `odd` holds (name, clause) for those that are no files or are refused.

    `file` is closed by whoever opened it. `BadArchive` if it is no zip file or cannot be read.
    """

    def __init__(self, file: BinaryIO, *, most: int = MOST_MEMBERS, table: int = LARGEST_TABLE):
        guard = _Guard(file, table)
        try:
            self._zip = zipfile.ZipFile(guard)
            members = self._zip.infolist()
        except _BROKEN as problem:
            told = "its table of contents is too long" if "too long" in str(problem) else ""
            raise BadArchive(told or "it is not a zip file, or it is damaged or cut off") from None
        if len(members) > most:
            raise BadArchive(f"it has more than {most} entries")
        guard.most = None
        found: dict[str, File] = {}
        self.odd: list[tuple[str, str]] = []
        for member in members:
            name = _name(member)
            if why := _refusal(member, name):
                self.odd.append((printable(name), why))
            elif not (member.is_dir() or name.endswith("/")):
                name = "/".join(part for part in name.split("/") if part not in ("", "."))
                if name in found:
                    self.odd.append((printable(name), "it is there more than once; the last one was taken"))
                found[name] = File(name, lambda most, member=member: self._read(member, most), _time(member))
        self.files = list(found.values())

    def _read(self, member: zipfile.ZipInfo, most: int) -> bytes:
        """At most `most` bytes of a member; its own claim of its size is not believed. `Unreadable` says why not."""
        if member.flag_bits & 0x41:
            raise Unreadable("it is encrypted")
        if member.compress_type not in _METHODS:
            raise Unreadable("it is packed in a way that is not read; plain zip files are")
        if member.file_size > most:
            raise Unreadable(f"it has more than {most >> 20} MiB")
        try:
            with self._zip.open(member) as file:
                data = file.read(most + 1)
        except _BROKEN:
            raise Unreadable("it is damaged") from None
        if len(data) > most:
            raise Unreadable(f"it has more than {most >> 20} MiB")
        return data


def _name(member: zipfile.ZipInfo) -> str:
    """The name that was meant. Without the mark for UTF-8, zipfile reads it as code page 437; macOS leaves the mark
    out, and so do older programs."""
    name = member.orig_filename
    if not member.flag_bits & 0x800:
        try:
            name = name.encode("cp437").decode("utf-8")
        except UnicodeError:
            pass
    return name.replace("\\", "/")  # some programs for Windows write it so


def _refusal(member: zipfile.ZipInfo, name: str) -> str:
    if len(name) > LONGEST_NAME:
        return "its name is too long"
    if not name.isprintable():
        return "its name holds a sign that cannot be printed"
    if name.startswith("/") or re.match(r"[A-Za-z]:", name):
        return "its name is an absolute path"
    if ".." in name.split("/"):
        return "its name points out of the archive"
    kind = stat.S_IFMT(member.external_attr >> 16)
    if kind == stat.S_IFLNK:
        return "it is a link, and links are not followed"
    if kind not in (0, stat.S_IFREG, stat.S_IFDIR):
        return "it is not a regular file"
    return ""


def _time(member: zipfile.ZipInfo) -> datetime | None:
    try:
        return datetime(*member.date_time)
    except ValueError:
        return None
