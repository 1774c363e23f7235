"""Builds the stand-in CUDA runtime, once for this machine."""

from __future__ import annotations

from pathlib import Path

from grader.simulator import compiled
from grader.simulator.records import DeviceError
from grader.toolchain.locate import cuda_include
from grader.verdict.records import State

SOURCES = Path(__file__).parent / "cudart"
FLAGS = ("-std=c++17", "-O2", "-fPIC", "-fvisibility=hidden", "-pthread", "-Wall", "-Wextra")
LINK = (
    "-Wl,-soname,libcudart.so.13", "-Wl,-z,nodelete", "-Wl,--no-undefined", "-static-libgcc",
    f"-Wl,--version-script={SOURCES / 'versions.map'}",
)  # fmt: skip
LIBRARIES = ("libcudart.so.13", "libcudart.so.12")
_WHAT = "the stand-in CUDA runtime"


def runtime_folder() -> Path:
    """The folder with ``LIBRARIES``, for ``LD_LIBRARY_PATH``: kept in the user's cache, built in some 6 seconds.

    Both names are one file, which the dynamic linker loads once, whichever a library asks for.

    ``DeviceError``: ``UNSUPPORTED_HERE`` where g++ or CUDA's headers are missing, ``GRADER_FAULT`` where g++ fails.
    """
    compiler = compiled.gxx(_WHAT)
    headers = cuda_include()
    if headers is None or not (headers / "cuda_runtime_api.h").is_file():
        raise DeviceError(
            State.UNSUPPORTED_HERE, f"{_WHAT} needs CUDA's headers, which are not here; install them with: make course"
        )
    flags = (*FLAGS, "-isystem", str(headers))
    version = (headers / "cuda_runtime_api.h").stat()
    name = f"cudart-{compiled.key(compiler, SOURCES, flags, LINK, version.st_size, version.st_mtime_ns)}"

    def make(folder: Path) -> None:
        folder.mkdir()
        first, *others = LIBRARIES
        compiled.build(compiler, SOURCES.glob("*.cpp"), flags, LINK, folder / first, _WHAT)
        for other in others:
            (folder / other).symlink_to(first)

    return compiled.kept("runtime", name, _WHAT, make)
