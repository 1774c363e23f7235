"""A folder with the sources of a small plugin, in which the chapter builds libraries with the real commands."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from importlib import resources
from pathlib import Path

from grader import course
from grader.toolchain import fatbin, lane, locate
from grader.toolchain.elf import read_elf
from grader.toolchain.tensorrt import tensorrt_include
from grader.toolchain.view import arrange, is_complete

_LONGEST = 40  # lines of a command's output that are shown
_WIDTH = 76  # of the names in a line of a description


class Workshop:
    """``path`` holds the files of Halve and the kit. ``run`` is a shell in which nvcc, g++ and CMake are found, and
    ``TENSORRT_ROOT`` has TensorRT's headers, as on a machine where all of it is installed."""

    def __init__(self):
        if not lane.state().ready:
            lane.install()
        self._folder = tempfile.TemporaryDirectory(prefix="grader-workshop-")
        home = Path(self._folder.name)
        self.path = home / "halve"
        shutil.copytree(str(resources.files(__package__) / "halve"), self.path)
        shutil.copytree(course.pristine().root / "plugin_skeletons" / course.KIT, self.path / course.KIT)
        cuda, headers = locate.toolkit(), tensorrt_include()
        if cuda is None or cuda.nvcc is None or cuda.runtime is None or headers is None:
            raise RuntimeError(lane.state().sentence)
        nvcc = cuda.nvcc
        if not is_complete(cuda.runtime):  # CUDA from wheels
            nvcc = arrange(home / "cuda", cuda.nvcc, cuda.include, cuda.runtime)
        (home / "tensorrt").mkdir()
        (home / "tensorrt" / "include").symlink_to(headers)
        tools = [nvcc, *filter(None, (locate.cmake(), locate.ninja()))]
        self._environment = {
            **os.environ,
            "PATH": os.pathsep.join([*dict.fromkeys(str(tool.parent) for tool in tools), os.environ.get("PATH", "")]),
            "CUDACXX": str(nvcc), "CUDAToolkit_ROOT": str(nvcc.parents[1]), "CMAKE_GENERATOR": "Ninja",
            "TENSORRT_ROOT": str(home / "tensorrt"),
            # TensorRT's headers use what they deprecate: a page of warnings for each file
            "CXXFLAGS": "-Wno-deprecated-declarations", "NVCC_APPEND_FLAGS": "-Xcompiler -Wno-deprecated-declarations",
        }  # fmt: skip
        if locate.ninja() is None:
            del self._environment["CMAKE_GENERATOR"]
        for name in ("CUDAARCHS", "CUDAFLAGS"):
            self._environment.pop(name, None)

    def run(self, command: str) -> None:
        """Print the command and what it says; ``RuntimeError`` where it fails."""
        print(f"$ {command}")
        done = subprocess.run(
            ["bash", "-c", command], cwd=self.path, env=self._environment, text=True, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )  # fmt: skip
        said = done.stdout.replace(f"{self.path}/", "").splitlines()
        cut = len(said) - _LONGEST
        for line in said if cut <= 0 else [f"… {cut} lines", *said[-_LONGEST:]]:
            print(f"  {line}")
        if done.returncode:
            raise RuntimeError(f"the command ended with {done.returncode}")


def describe(library: Path) -> None:
    """Print what a library's file says: exports, needs, device code."""
    elf = read_elf(library)
    held = [each.target for image in fatbin.images(elf.fatbins) for each in fatbin.entries(image)]
    rows = {
        "exports": sorted(elf.exports), "needs": elf.needed, "looks in": elf.search,
        "device code": list(dict.fromkeys(held)),
        "CUDA's runtime": ["inside the library" if elf.static_cudart else "a library of its own"],
        "size": [f"{library.stat().st_size >> 10} KB"],
    }  # fmt: skip
    for name, values in rows.items():
        names = [each if len(each) <= 24 else f"{each[:23]}…" for each in values]
        shown = [name for place, name in enumerate(names) if len(", ".join(names[: place + 1])) <= _WIDTH]
        shown += [f"and {len(names) - len(shown)} more"] if len(names) > len(shown) else []
        print(f"{name:>15}: {', '.join(shown) or '-'}")
