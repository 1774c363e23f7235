"""Writing so that a kill or a full disk leaves the old file or the new one, never a part of one. So does a power
failure, of what is on the disk already."""

from __future__ import annotations

import ctypes
import errno
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_FULL = {errno.ENOSPC, errno.EDQUOT}
_TOLD = ("disk is full", "No space left on device")  # by SQLite and PostgreSQL
_LITTLE = 256 << 10  # bytes; SQLite has other words, too, for what comes of it


def write(path: Path, data: bytes, mode: int = 0o600) -> None:
    """Put `data` in a file, in one step, and on the disk before this returns."""
    part = path.with_name(f".{path.name}.part")
    try:
        _fill(part, data, mode, wait=True)
        part.replace(path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
    sync(path.parent)


def write_folder(place: Path, files: dict[str, bytes], mode: int) -> None:
    """Put a folder with these files in the place of what was there before. For a moment nothing is there, and a kill
    may leave folders beside it: `tidy` removes them. Does not wait for the disk: `settle` does, for many at once."""
    tidy(place)
    part, old = _beside(place)
    part.mkdir(parents=True)
    try:
        for name, data in files.items():
            _fill(part / name, data, mode)
        if place.exists():
            place.replace(old)
        part.replace(place)
    finally:
        tidy(place)


def tidy(place: Path) -> None:
    """Remove what a kill in `write_folder` has left."""
    for left in _beside(place):
        shutil.rmtree(left, ignore_errors=True)


def _beside(place: Path) -> tuple[Path, Path]:
    return place.with_name(f".{place.name}.part"), place.with_name(f".{place.name}.old")


def _fill(path: Path, data: bytes, mode: int, *, wait: bool = False) -> None:
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode), "wb") as file:
        file.write(data)
        if wait:
            file.flush()
            os.fsync(file.fileno())


def settle(place: Path) -> None:
    """Have all that was written to the file system of a folder on the disk. `OSError`: some of it is not."""
    with _opened(place) as descriptor:
        if ctypes.CDLL(None, use_errno=True).syncfs(descriptor):
            number = ctypes.get_errno()
            raise OSError(number, os.strerror(number), str(place))


def sync(path: Path) -> None:
    """Have a folder's names on the disk."""
    with _opened(path) as descriptor:
        os.fsync(descriptor)


@contextmanager
def _opened(place: Path) -> Iterator[int]:
    descriptor = os.open(place, os.O_RDONLY | os.O_CLOEXEC)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def disk_is_full(problem: BaseException | None, folder: Path) -> bool:
    """Whether that is why something could not be written below `folder`."""
    while problem is not None:
        if isinstance(problem, OSError) and problem.errno in _FULL or any(words in str(problem) for words in _TOLD):
            return True
        problem = problem.__cause__ or problem.__context__
    return shutil.disk_usage(folder).free < _LITTLE
