"""Builds the stand-in CUDA runtime, once for this machine.

Libraries ask for functions of a version, "libcudart.so.13" or "libcudart.so.12", in a library of the same name. The
dynamic linker looks that this library defines the version; the functions themselves have none, which satisfies
either. So one copy of the runtime, with one connection and one set of streams, serves whatever a process loads:
``libcudart.so.13``. ``libcudart.so.12`` beside it is an empty library that leads there.
"""

from __future__ import annotations

from pathlib import Path

from grader.simulator import compiled
from grader.simulator.records import DeviceError
from grader.toolchain.locate import cuda_include
from grader.verdict.records import State

SOURCES = Path(__file__).parent / "cudart"
FLAGS = ("-std=c++17", "-O2", "-fPIC", "-fvisibility=hidden", "-pthread", "-Wall", "-Wextra")
SANITIZED = (*FLAGS, "-O1", "-g", "-fno-omit-frame-pointer", "-fsanitize=address,undefined")
_LINK = ("-Wl,-z,nodelete", "-Wl,--no-as-needed", "-Wl,-rpath,$ORIGIN")  # nodelete: threads and exit may still call
_WHAT = "the stand-in CUDA runtime"


def build_cudart(flags: tuple[str, ...] = FLAGS) -> Path:
    """``libcudart.so.13``; from the user's cache, or built now (some 6 seconds, once).

    A process loads it by its path before it loads a plugin library, or has its folder in ``LD_LIBRARY_PATH``. With
    ``SANITIZED`` it needs ``grader.simulator.build.sanitizer_environment``.

    ``DeviceError``: ``UNSUPPORTED_HERE`` where g++ or CUDA's headers are missing, ``GRADER_FAULT`` where g++ fails.
    """
    compiler = compiled.gxx(_WHAT)
    headers = cuda_include()
    if headers is None or not (headers / "cuda_runtime_api.h").is_file():
        raise DeviceError(
            State.UNSUPPORTED_HERE, f"{_WHAT} needs CUDA's headers, which are not here; install them with: make course"
        )
    flags = (*flags, "-isystem", str(headers))
    version = (headers / "cuda_runtime_api.h").stat()
    name = f"cudart-{compiled.key(compiler, SOURCES, flags, _LINK, version.st_size, version.st_mtime_ns)}"

    def make(folder: Path) -> None:
        folder.mkdir()
        _link(compiler, flags, folder, 13, SOURCES.glob("*.cpp"), ("-ldl",))
        _link(compiler, flags, folder, 12, (), (f"-L{folder}", "-l:libcudart.so.13"))

    return compiled.kept("runtime", name, _WHAT, make) / "libcudart.so.13"


def _link(compiler: str, flags, folder: Path, version: int, sources, libraries) -> None:
    name = f"libcudart.so.{version}"
    script = folder / f"{name}.map"
    script.write_text(f"{name} {{ }};\n")
    link = (*_LINK, f"-Wl,-soname,{name}", f"-Wl,--version-script={script}", *libraries)
    compiled.build(compiler, sources, flags, link, folder / name, _WHAT)
    script.unlink()
