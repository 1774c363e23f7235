"""Whether the children of this process are confined, and by what.

A process that grades strangers calls ``use`` once, before its first child; from then on every child that it starts, by
``run`` or ``Child``, sees nothing but the system's programs and libraries, Python's environment, the parts of this
package that a child needs (no exercise, no case), what its caller names in ``reads``, and an empty home of its own; it
has no network and no rights. Learners on their own machine are not confined: their code is their own.
"""

from __future__ import annotations

import atexit
import contextvars
import functools
import os
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path

KINDS = ("bubblewrap", "landlock")  # in the order in which they are preferred
_used: str | None = None
_tried: contextvars.ContextVar[str | None] = contextvars.ContextVar("tried", default=None)


@dataclass(frozen=True)
class Probe:
    """What came of starting a child in one kind of confinement on this machine."""

    kind: str
    works: bool
    found: str  # in a few words: what works, or which setting of the machine blocks it
    how: str = ""  # what makes it work, where it does not


def use(kind: str | None) -> None:
    """Confine every child from now on; ``None``: no longer. ``ValueError`` for a kind that there is not."""
    global _used
    if kind is not None and kind not in KINDS:
        raise ValueError(f"no such confinement: {kind!r}; there are {', '.join(KINDS)}")
    _used = kind


def current() -> str | None:
    """The kind in use in this process."""
    return _tried.get() or _used


def exposed(path: str | Path) -> str | None:
    """The folder of the system or of Python's environment that ``path`` lies in, so that every confined child sees it.
    None: it lies in none, and a child sees it only if its caller names it."""
    from grader.sandbox.view import system

    real = os.path.realpath(path)
    return next((folder for folder in system() if f"{real}/".startswith(f"{os.path.realpath(folder)}/")), None)


@functools.cache
def probe(kind: str) -> Probe:
    """Start a real child in it and look what it can reach. ``ValueError`` for a kind that there is not."""
    from grader.sandbox.probing import attempt

    if kind not in KINDS:
        raise ValueError(f"no such confinement: {kind!r}; there are {', '.join(KINDS)}")
    token = _tried.set(kind)
    try:
        return attempt(kind)
    finally:
        _tried.reset(token)


def best() -> Probe:
    """The first kind that works here, else the probe of the first, which says what blocks it."""
    probes = [probe(kind) for kind in KINDS]
    return next((found for found in probes if found.works), probes[0])


@functools.cache
def roof() -> str:
    """A folder of this process in which this package lies, as a link, and nothing else."""
    from grader.sandbox.view import PACKAGE

    folder, owner = tempfile.mkdtemp(prefix="grader-roof-"), os.getpid()
    os.chmod(folder, 0o755)
    os.symlink(PACKAGE, os.path.join(folder, "grader"))
    atexit.register(lambda: os.getpid() == owner and shutil.rmtree(folder, ignore_errors=True))
    return folder
