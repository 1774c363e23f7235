"""Everything that can be read in one file: its bytes, members of archives, cells of databases, base64.

The leak search looks into what these yield. What cannot be opened is yielded too, as such: a file that nobody
could look into is no proof of anything.
"""

from __future__ import annotations

import base64
import bz2
import gzip
import io
import lzma
import re
import sqlite3
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass

DEEPEST = 6  # archives within archives
_BASE64 = re.compile(rb"[A-Za-z0-9+/_-]{40,}(?:(?:\\n|\s)+[A-Za-z0-9+/_-]+)*={0,2}")


@dataclass(frozen=True)
class Piece:
    """`member` is the way into the file ("" for the file itself, "a.zip/b.py"); `problem` says why not."""

    member: str
    data: bytes
    problem: str = ""


def pieces(data: bytes, member: str = "", depth: int = 0) -> Iterator[Piece]:
    """The content itself, then everything inside it, at any depth up to `DEEPEST`."""
    yield Piece(member, data)
    readers = [reader for is_one, reader in _READERS if is_one(data)]
    if depth >= DEEPEST:
        if readers:
            yield Piece(member, b"", f"archives lie more than {DEEPEST} deep")
        return
    for reader in readers or [_base64]:
        try:
            for name, content in reader(data):
                yield from pieces(content, f"{member}/{name}" if member else name, depth + 1)
        except _BROKEN as problem:
            yield Piece(member, b"", f"cannot be opened: {problem}")


def _zip(data: bytes) -> Iterator[tuple[str, bytes]]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        if archive.comment:
            yield "(comment)", archive.comment
        for info in archive.infolist():
            if not info.is_dir():
                yield info.filename, archive.read(info)


def _tar(data: bytes) -> Iterator[tuple[str, bytes]]:
    with tarfile.open(fileobj=io.BytesIO(data), mode="r:") as archive:
        for info in archive:
            file = archive.extractfile(info) if info.isfile() else None
            yield info.name, file.read() if file else b""


def _sqlite(data: bytes) -> Iterator[tuple[str, bytes]]:
    """Every value of every table: the file itself splits long text over pages, so its bytes do not do."""
    plain = data[:18] + b"\1\1" + data[20:]  # without the mark of a write-ahead log, which memory cannot have
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.text_factory = bytes
        connection.deserialize(plain)
        tables = connection.execute("select name from sqlite_master where type = 'table'").fetchall()
        for name in (row[0].decode() for row in tables):
            quoted = name.replace('"', '""')
            for number, row in enumerate(connection.execute(f'select * from "{quoted}"')):
                for value in row:
                    if isinstance(value, bytes):
                        yield f"{name}[{number}]", value


def _base64(data: bytes) -> Iterator[tuple[str, bytes]]:
    """Runs of base64, as images and attachments lie in notebooks. A run that is none does no harm."""
    for match in _BASE64.finditer(data):
        letters = re.sub(rb"\\n|\s", b"", match.group()).rstrip(b"=").translate(_FROM_URL)
        if len(letters) % 4 == 1:
            letters = letters[:-1]  # a word of the text around it was taken for its end
        yield f"(base64 at {match.start()})", base64.b64decode(letters + b"=" * (-len(letters) % 4))


def _one(unpack: Callable[[bytes], bytes]) -> Callable[[bytes], Iterator[tuple[str, bytes]]]:
    return lambda data: iter([("(unpacked)", unpack(data))])


_BROKEN = (
    OSError, EOFError, RuntimeError, ValueError,
    zipfile.BadZipFile, tarfile.TarError, zlib.error, lzma.LZMAError, sqlite3.Error,
)  # fmt: skip
_FROM_URL = bytes.maketrans(b"-_", b"+/")
_READERS = (
    (lambda data: data[:2] == b"PK" or zipfile.is_zipfile(io.BytesIO(data)), _zip),
    (lambda data: data[257:262] == b"ustar", _tar),
    (lambda data: data[:16] == b"SQLite format 3\0", _sqlite),
    (lambda data: data[:2] == b"\x1f\x8b", _one(gzip.decompress)),
    (lambda data: data[:3] == b"BZh", _one(bz2.decompress)),
    (lambda data: data[:6] == b"\xfd7zXZ\0", _one(lzma.decompress)),
)
