"""CUDA from Python wheels, arranged as build systems expect a CUDA installation.

The wheels have one folder ``lib``, in which ``nvcc`` does not look (it looks in ``lib64``), and no ``libcudart.so`` to
link with, only ``libcudart.so.13``. A folder of links mends both: ``nvcc`` takes the folder in which it is called for
its own (measured with 13.0.88), so it and CMake find headers and libraries in the links beside it.
"""

from __future__ import annotations

from pathlib import Path


def is_complete(runtime: Path) -> bool:
    """Whether the CUDA that this runtime belongs to can be linked with as it is."""
    return (runtime.parent / "libcudart.so").exists() and runtime.parent.name in ("lib64", "lib")


def arrange(folder: Path, nvcc: Path, include: Path, runtime: Path) -> Path:
    """Make ``folder`` a CUDA installation of links to one that came in wheels; its ``nvcc``."""
    for part in ("bin", "lib64"):
        (folder / part).mkdir(parents=True)
    for tool in nvcc.parent.iterdir():
        (folder / "bin" / tool.name).symlink_to(tool)
    for library in runtime.parent.iterdir():
        (folder / "lib64" / library.name).symlink_to(library)
    (folder / "lib64" / "libcudart.so").symlink_to(runtime.name)
    (folder / "include").symlink_to(include)
    (folder / "nvvm").symlink_to(nvcc.parent.parent / "nvvm")
    return folder / "bin" / "nvcc"
