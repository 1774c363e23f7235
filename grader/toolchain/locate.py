"""Finds the compilers and the CUDA headers: this environment's wheels first, then CUDA or conda."""

from __future__ import annotations

import functools
import os
import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Nvrtc:
    library: Path
    builtins: Path | None  # loaded first: NVRTC looks for it by name alone
    include: Path

    def fingerprint(self) -> str:
        """Changes when the compiler does; cheap, since the library itself is not opened."""
        return "|".join(map(_stamp, filter(None, (self.library, self.builtins))))


def nvrtc() -> Nvrtc | None:
    for library_folder, include in _cuda_places():
        libraries = sorted(library_folder.glob("libnvrtc.so*"), key=lambda path: len(path.name))
        if libraries and (include / "cuda_fp16.h").is_file():
            builtins = next(iter(sorted(library_folder.glob("libnvrtc-builtins.so*"))), None)
            return Nvrtc(libraries[0], builtins, include)
    return None


def cuda_include() -> Path | None:
    """The folder with ``cuda_fp16.h``; None where there are no CUDA headers."""
    return next((include for _, include in _cuda_places() if (include / "cuda_fp16.h").is_file()), None)


def supplied_include() -> Path:
    """The folder with the headers that come with the grader: ``kernel_types.cuh``, ``grader_channel.hpp``."""
    return Path(__file__).parent / "include"


def gxx() -> Path | None:
    """The host C++ compiler: ``$CXX`` where it names one program, else g++, else clang++."""
    names = [os.environ.get("CXX", ""), "g++", "clang++"]
    found = next((path for name in names if name and (path := shutil.which(name))), None)
    return Path(found) if found else None


@functools.cache
def gxx_fingerprint(path: Path) -> str:
    return _stamp(path.resolve())


def _cuda_places() -> Iterator[tuple[Path, Path]]:
    """(library folder, include folder), best first."""
    for entry in map(Path, sys.path):
        root = entry / "nvidia" / "cu13"
        # Installed packages only: the working folder, which may be on the path, is the learner's.
        if entry.name in ("site-packages", "dist-packages") and root.is_dir():
            yield root / "lib", root / "include"
    for variable in ("CUDA_HOME", "CUDA_PATH"):
        if root := os.environ.get(variable):
            yield Path(root) / "lib64", Path(root) / "include"
    if prefix := os.environ.get("CONDA_PREFIX"):
        for machine in ("x86_64-linux", "sbsa-linux"):
            yield Path(prefix) / "lib", Path(prefix) / "targets" / machine / "include"
    yield Path("/usr/local/cuda/lib64"), Path("/usr/local/cuda/include")


def _stamp(path: Path) -> str:
    facts = path.stat()
    return f"{path.name}:{facts.st_size}:{facts.st_mtime_ns}"
