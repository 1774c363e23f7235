"""How much a confined child has put into its home, and removing all of it, whatever it is.

A stranger's tree may be deeper than a path may be long, hold a million files, folders that its owner may not list, and
links to elsewhere, and may change meanwhile. None of that is an error here, and no link is followed.
"""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import time
from collections.abc import Iterable

from grader.sandbox.processes import memory_of
from grader.sandbox.records import Limits

ENDLESS = 1 << 62  # of a tree that cannot be counted


def of_file_system(folder: int) -> tuple[int, int]:
    """Bytes and files of the file system that holds the open ``folder`` and nothing else."""
    found = os.fstatvfs(folder)
    return (found.f_blocks - found.f_bfree) * found.f_frsize, found.f_files - found.f_ffree


def of_folder(folder: str, limits: Limits, members: Iterable[int]) -> tuple[int, int]:
    """Bytes and files beneath ``folder``, and of files that the processes ``members`` hold there though they are
    removed. It stops to count where a limit is passed."""
    top = 1 << 60 if limits.home_bytes is None else limits.home_bytes
    most = 1 << 60 if limits.home_files is None else limits.home_files
    size, count, left = 0, 0, [folder]
    try:
        while left and size <= top and count <= most:
            for entry in _entries(left.pop()):
                try:
                    found = entry.stat(follow_symlinks=False)
                except FileNotFoundError:
                    continue
                size, count = size + found.st_blocks * 512, count + 1
                if stat.S_ISDIR(found.st_mode):
                    left.append(entry.path)
    except OSError:  # a path too long, a folder that stays shut
        return ENDLESS, ENDLESS
    for pid in members:
        held = _removed(pid, folder, limits.file_bytes or 0)
        size, count = size + sum(held.values()), count + len(held)
    return size, count


def remove(folder: str) -> None:
    """Remove it with everything in it, as far as that can be done at all."""
    try:
        shutil.rmtree(folder)
    except FileNotFoundError:
        pass
    except (OSError, RecursionError):  # shut folders, or deeper ones than Python's recursion goes
        for command in (["chmod", "-R", "u+rwx", "--", folder], ["rm", "-rf", "--", folder]):
            subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True)


def _entries(folder: str) -> list[os.DirEntry]:
    try:
        with os.scandir(folder) as entries:
            return list(entries)
    except (FileNotFoundError, NotADirectoryError):  # it is gone by now, or another
        return []
    except PermissionError:
        if not _unlocked(folder):
            raise
        with os.scandir(folder) as entries:
            return list(entries)


def _unlocked(folder: str) -> bool:
    """Have its owner, which we are, list a folder."""
    try:
        descriptor = os.open(folder, os.O_PATH | os.O_NOFOLLOW | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            os.chmod(f"/proc/self/fd/{descriptor}", 0o700)
            return True
        finally:
            os.close(descriptor)
    except OSError:
        return False


def _removed(pid: int, folder: str, each: int) -> dict[tuple[int, int], int]:
    """Files removed from the folder that a process still has, open or mapped, with their sizes."""
    for pause in (0.001, 0):
        try:
            return _held(pid, f"{folder}/", each)
        except (FileNotFoundError, ProcessLookupError):
            return {}
        except PermissionError:
            if not memory_of(pid):  # it is about to end
                return {}
            time.sleep(pause)
    return {(0, 0): ENDLESS}  # it keeps itself from being looked at, by a program that nobody may read


def _held(pid: int, gone: str, each: int) -> dict[tuple[int, int], int]:
    """The size of a file that is only mapped is not to be found out: it is taken for ``each``, the largest that a file
    may be."""
    found: dict[tuple[int, int], int] = {}
    for name in os.listdir(f"/proc/{pid}/fd"):
        path = f"/proc/{pid}/fd/{name}"
        try:
            if os.readlink(path).startswith(gone) and not (held := os.stat(path)).st_nlink:
                found[held.st_dev, held.st_ino] = held.st_blocks * 512
        except FileNotFoundError:
            continue
    with open(f"/proc/{pid}/maps", encoding="utf-8", errors="replace") as maps:
        for line in maps:
            if " (deleted)" in line and gone in line:
                device, number = line.split()[3:5]
                major, minor = device.split(":")
                found.setdefault((os.makedev(int(major, 16), int(minor, 16)), int(number)), each)
    return found
