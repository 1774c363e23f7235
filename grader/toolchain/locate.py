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
        return "|".join(map(stamp, filter(None, (self.library, self.builtins))))


@dataclass(frozen=True)
class Toolkit:
    """What a library is built with: headers, ``nvcc`` and the shared CUDA runtime, all of one CUDA."""

    include: Path
    nvcc: Path | None
    runtime: Path | None  # libcudart.so.13

    @property
    def folders(self) -> list[Path]:
        """The include folders: CUDA's, and that of CUB, Thrust and libcu++ (apart from it since CUDA 13.0)."""
        return [self.include, *filter(Path.is_dir, [self.include / "cccl"])]

    @property
    def reads(self) -> list[Path]:
        """What a confined child needs to compile and link with it."""
        return [*self.folders, *installation(self.nvcc), *([self.runtime.parent] if self.runtime else [])]

    def fingerprint(self) -> str:
        """Changes when a part of it does."""
        parts = [self.include / "cuda_runtime_api.h", self.runtime]
        if self.nvcc:
            root = self.nvcc.resolve().parent
            parts += [root / "nvcc", root / "cudafe++", root / "ptxas", root.parent / "nvvm" / "bin" / "cicc"]
        return "|".join(stamp(part) for part in parts if part and part.is_file())


def nvrtc() -> Nvrtc | None:
    for _, library_folder, include in _cuda_places():
        libraries = sorted(library_folder.glob("libnvrtc.so*"), key=lambda path: len(path.name))
        if libraries and (include / "cuda_fp16.h").is_file():
            builtins = next(iter(sorted(library_folder.glob("libnvrtc-builtins.so*"))), None)
            return Nvrtc(libraries[0], builtins, include)
    return None


def cmake() -> Path | None:
    """CMake: of this environment's wheel, else the machine's."""
    for entry in map(Path, sys.path):
        program = entry / "cmake" / "data" / "bin" / "cmake"
        if entry.name in ("site-packages", "dist-packages") and os.access(program, os.X_OK):
            return program
    found = shutil.which("cmake")
    return Path(found) if found else None


def ninja() -> Path | None:
    """Ninja: of this environment, else the machine's; None where CMake has to do with make."""
    own = Path(sys.prefix) / "bin" / "ninja"
    found = str(own) if os.access(own, os.X_OK) else shutil.which("ninja")
    return Path(found) if found else None


def cuda_include() -> Path | None:
    """The folder with CUDA's headers; None where there are none.

    Those of the wheel ``nvidia-cuda-runtime`` alone, as PyTorch brings them, lack ``crt/`` and are of no use to g++.
    """
    needed = ("cuda_fp16.h", "crt/host_defines.h")
    return next((each for *_, each in _cuda_places() if all((each / name).is_file() for name in needed)), None)


def toolkit() -> Toolkit | None:
    """The best CUDA that has ``nvcc``, else the best with headers; None where there are no CUDA headers."""
    found = None
    for nvcc, library_folder, include in _cuda_places():
        if not (include / "cuda_fp16.h").is_file():
            continue
        runtimes = sorted(library_folder.glob("libcudart.so.*"), key=lambda path: len(path.name))
        here = Toolkit(include, nvcc if os.access(nvcc, os.X_OK) else None, next(iter(runtimes), None))
        if here.nvcc:
            return here
        found = found or here
    return found


def nvcc() -> Path | None:
    """CUDA's compiler for whole libraries; it need not be on the search path."""
    found = toolkit()
    return found.nvcc if found else None


def runtime_library() -> Path | None:
    """NVIDIA's own ``libcudart.so.13`` or ``.12``; None where there is none."""
    return next((each for _, lib, _ in _cuda_places() for each in sorted(lib.glob("libcudart.so.1?"))[::-1]), None)


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
    return stamp(path.resolve())


def _cuda_places() -> Iterator[tuple[Path, Path, Path]]:
    """(nvcc, library folder, include folder), best first; any of them may not exist."""
    for entry in map(Path, sys.path):
        root = entry / "nvidia" / "cu13"
        # Installed packages only: the working folder, which may be on the path, is the learner's.
        if entry.name in ("site-packages", "dist-packages") and root.is_dir():
            yield root / "bin" / "nvcc", root / "lib", root / "include"
    for variable in ("CUDA_HOME", "CUDA_PATH"):
        if root := os.environ.get(variable):
            yield Path(root) / "bin" / "nvcc", Path(root) / "lib64", Path(root) / "include"
    if prefix := os.environ.get("CONDA_PREFIX"):
        for machine in ("x86_64-linux", "sbsa-linux"):
            root = Path(prefix)
            yield root / "bin" / "nvcc", root / "lib", root / "targets" / machine / "include"
    usual = Path("/usr/local/cuda")
    yield usual / "bin" / "nvcc", usual / "lib64", usual / "include"


def installation(*programs: Path | None) -> list[Path]:
    """The programs, and the folder that each is installed in with what belongs to it, where that is a folder of its
    own: what a confined child needs to run them."""
    shared = {Path("/"), Path("/usr"), Path("/usr/local"), Path.home(), Path.home() / ".local"}
    found: list[Path] = []
    for program in filter(None, programs):
        real = program.resolve()
        root = real.parent.parent
        found += [program, real, *([root] if real.parent.name == "bin" and root not in shared else [])]
    return found


def stamp(path: Path) -> str:
    """Changes when the file does; cheap, since it is not read."""
    facts = path.stat()
    return f"{path.name}:{facts.st_size}:{facts.st_mtime_ns}"
