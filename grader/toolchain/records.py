"""What goes into a compiler and what comes out."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from grader.verdict import Diagnostic, State

_NAME = re.compile(r"(?!.*(^|/)\.\.?(/|$))[\w.+-]+(/[\w.+-]+)*")


def check_names(names) -> None:
    """``ValueError`` for a file name that is not plainly relative."""
    for name in names:
        if not _NAME.fullmatch(name):
            raise ValueError(f"{name!r} is no plain relative file name")


@dataclass(frozen=True)
class Source:
    """A learner's files. ``files`` maps relative names to contents: all that the compiler may include
    besides the toolchain's headers. ``main`` is compiled; where it is missing in ``files``, compiling fails
    with a sentence."""

    files: Mapping[str, bytes]
    main: str

    def __post_init__(self):
        check_names([*self.files, self.main])


@dataclass(frozen=True, kw_only=True)
class Compilation:
    """``PASS``; ``FAIL`` (the source is wrong); a child's state; ``UNSUPPORTED_HERE`` (no compiler)."""

    state: State
    ptx: str | None = None
    diagnostics: tuple[Diagnostic, ...] = ()
    log: str = ""
    message: str = ""  # one plain sentence when it did not pass
    cached: bool = False


@dataclass(frozen=True, kw_only=True)
class HostProgram:
    """Like ``Compilation``; ``path`` is an executable in the cache, made and owned by the grader."""

    state: State
    path: Path | None = None
    diagnostics: tuple[Diagnostic, ...] = ()
    log: str = ""
    message: str = ""
    cached: bool = False


@dataclass(frozen=True, kw_only=True)
class Library:
    """Like ``HostProgram``; ``path`` is a shared library (``.so``) in the cache."""

    state: State
    path: Path | None = None
    diagnostics: tuple[Diagnostic, ...] = ()
    log: str = ""
    message: str = ""
    cached: bool = False


@dataclass(frozen=True, kw_only=True)
class CompilerFacts:
    """A compiler that was tried and works."""

    name: str  # "NVRTC", "g++"
    version: str  # "13.0"
    path: Path
    include: Path | None = None  # the CUDA headers that go with it
