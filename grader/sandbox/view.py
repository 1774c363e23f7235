"""What a confined child sees of the machine's files: the same in every kind of confinement.

An allow list. Of this package a child gets the rooms that children run, and of ``exercises`` the module of the run
child and its adapters: no exercise, no case, no solution, nothing that knows of classes and submissions.
"""

from __future__ import annotations

import functools
import os
import stat
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import grader

PACKAGE = Path(grader.__file__).resolve().parent
_ROOMS = ("sandbox", "verdict", "simulator", "gpu", "toolchain", "plugin")
_BESIDE = ("solutions", "tests", "authoring", ".git")  # of a clone, which may lie in a folder that all children see
_MODULES = ("__init__.py", "exercises/__init__.py", "exercises/python_child.py", "exercises/adapters")

# Programs, libraries, and of the configuration what names no user and no secret.
_SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
_SETTINGS = ("ld.so.cache", "ld.so.conf", "ld.so.conf.d", "alternatives", "localtime", "os-release", "debian_version")
_PROCESSORS = ("/sys/devices/system/cpu", "/sys/devices/system/node")  # how many there are, for thread pools
DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom")


@dataclass(frozen=True)
class View:
    """Absolute paths; those that do not exist are passed over."""

    read: tuple[str, ...]  # to read and execute
    hidden: tuple[str, ...]  # what is not seen although it lies in one of ``read``
    again: tuple[str, ...]  # what is seen although it lies in one of ``hidden``
    devices: tuple[str, ...]  # beside DEVICES


def view(reads: Iterable[str | Path] = ()) -> View:
    """For a child that needs ``reads``."""
    wanted = [os.path.abspath(path) for path in reads]
    devices = tuple(path for path in wanted if path.startswith("/dev/"))
    # A path is seen under its own name, and where it really is: symbolic links elsewhere may lead to either.
    files = [path for path in wanted if path not in devices]
    files += [real for path in files if (real := os.path.realpath(path)) != path]
    hidden = (str(PACKAGE), *(str(PACKAGE.parent / name) for name in _BESIDE if (PACKAGE.parent / name).exists()))
    again = [path for path in files if path.startswith(tuple(f"{one}/" for one in hidden))]
    return View(_outermost([*system(), *files]), hidden, (*_package(), *again), devices)


def around(view: View) -> list[str]:
    """``read`` without ``hidden``, for rules that can only allow: a folder that holds something hidden gives way to
    what is beside it. With ``again``."""
    real = dict.fromkeys(map(os.path.realpath, view.read))
    return [part for path in real for part in _without(path, view.hidden)] + list(view.again)


def is_open(path: str, *, parents: bool) -> bool:
    """Whether every user may read it, through its parents too. One that does not exist keeps nobody out."""
    try:
        mode = os.stat(path).st_mode
        if mode & 0o005 != 0o005 if stat.S_ISDIR(mode) else not mode & 0o004:
            return False
        return not parents or all(os.stat(folder).st_mode & 0o001 for folder in Path(os.path.realpath(path)).parents)
    except FileNotFoundError:
        return True
    except OSError:
        return False


def _without(path: str, hidden: tuple[str, ...]) -> Iterator[str]:
    """``path`` has no symbolic link in it. Those beside something hidden are left out: what they lead to is seen, or
    not, by its own name."""
    inside = [one for one in hidden if one == path or one.startswith(path.rstrip("/") + "/")]
    if not inside:
        yield path
    elif path not in inside and os.path.isdir(path):
        with os.scandir(path) as entries:
            for entry in entries:
                if not entry.is_symlink():
                    yield from _without(entry.path, tuple(inside))


@functools.cache
def system() -> tuple[str, ...]:
    """The system's folders, Python's and its environment's."""
    python = [sys.prefix, sys.exec_prefix, sys.base_prefix, sys.base_exec_prefix, os.path.dirname(sys.executable)]
    python += [path for path in sys.path if os.path.basename(path) in ("site-packages", "dist-packages")]
    python += [os.path.realpath(path) for path in python]
    # The interpreter's own symbolic links, as those of a virtual environment.
    link = sys.executable
    while os.path.islink(link):
        link = os.path.join(os.path.dirname(link), os.readlink(link))
        python.append(os.path.dirname(os.path.dirname(os.path.normpath(link))))
    settings = [f"/etc/{name}" for name in _SETTINGS]
    found = [path for path in (*_SYSTEM, *settings, *_PROCESSORS, *python) if os.path.exists(path)]
    return tuple(path for path in dict.fromkeys(map(os.path.abspath, found)) if path != "/")


@functools.cache
def _package() -> tuple[str, ...]:
    return tuple(str(PACKAGE / name) for name in (*_ROOMS, *_MODULES))


def _outermost(paths: Iterable[str]) -> tuple[str, ...]:
    """Without those that lie in another one."""
    kept: list[str] = []
    for path in sorted(set(paths)):
        if not any(path.startswith(f"{other}/") for other in kept):
            kept.append(path)
    return tuple(kept)
