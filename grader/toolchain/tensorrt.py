"""Finds TensorRT's headers and NVIDIA's lean runtime, whose plugin registry works without a GPU."""

from __future__ import annotations

import functools
import os
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from grader.toolchain.cache import cache_folder
from grader.toolchain.fetch import fetch, pinned

HEADERS = "10.14.1.48"  # the version that the course compiles against
OLDEST, TOO_NEW = (10, 3), (11,)
SECOND_LEAN = "requirements-lean-11.lock"
SYSTEM_FOLDERS = (
    Path("/usr/include/x86_64-linux-gnu"), Path("/usr/include/aarch64-linux-gnu"), Path("/usr/include"),
    Path("/usr/local/include"),
)  # fmt: skip
RELEASE_FOLDERS = (Path("/opt/tensorrt"), Path("/usr/local/tensorrt"))
_NAMED = "TENSORRT_ROOT"
_WHOLE: set[tuple[Path, str, int]] = set()  # folders that were read through and lack nothing


@dataclass(frozen=True)
class Headers:
    """TensorRT's headers as they were found."""

    folder: Path
    version: str  # "10.14.1"
    source: str  # where from, in words: "TENSORRT_ROOT", "the system", ...

    @property
    def remark(self) -> str:
        """What to know of a version that is not the course's own; else empty."""
        if numbers(self.version)[:2] == numbers(HEADERS)[:2]:
            return ""
        older = numbers(self.version) < numbers(HEADERS)
        lacks = " Interfaces that are newer are missing from it." if older else ""
        return f"The course is tested with {HEADERS}; plugins are built with {self.version} from {self.source}.{lacks}"


def tensorrt_include() -> Path | None:
    """The folder with the headers that plugins are built with; None where there are none."""
    headers, _ = find_headers()
    return headers.folder if headers else None


def find_headers() -> tuple[Headers | None, tuple[str, ...]]:
    """The first usable headers, and a sentence for each place before them that holds some that cannot be used.

    The order: ``TENSORRT_ROOT`` (a release as unpacked, its ``include`` or NVIDIA's public repository), the system's
    include folders, conda's, NVIDIA's release under /opt or /usr/local, last the user's cache (``fetch_headers``).
    """
    refused = []
    for folder, source in _header_places():
        version, problem = judge_headers(folder)
        if version and not problem:
            return Headers(folder, version, source), tuple(refused)
        if version or (problem and source == _NAMED):
            refused.append(f"{source} ({folder}): {problem}")
    return None, tuple(refused)


def headers_of(major: int) -> Path | None:
    """The first headers of a major version, for code that a TensorRT of that version loads; None without any."""
    for folder, _ in _header_places():
        version = headers_version(folder)
        if version and numbers(version)[0] == major and not _missing_headers(folder):
            return folder
    return None


def judge_headers(folder: Path) -> tuple[str | None, str]:
    """The version in ``folder``, and why its headers cannot be used; "" where they can.

    Too old: before 10.3 there is no ``IPluginV3OneBuildV2``. Too new: 11.0 took four methods out of
    ``IPluginRegistry`` and made ``ILogger`` a versioned interface, so that code built with its headers calls other
    entries of NVIDIA's 10.16 registry than it means (public headers of 10.16 and 11.0).
    """
    version = headers_version(folder)
    if version is None:
        return None, "there is no NvInferVersion.h in it"
    if numbers(version) < OLDEST:
        return version, f"TensorRT {version} is older than {OLDEST[0]}.{OLDEST[1]}, which plugins need here"
    if numbers(version) >= TOO_NEW:
        return version, f"headers of TensorRT {version} do not fit NVIDIA's registry of 10.16, which plugins meet here"
    stamp = folder, version, os.stat(folder / "NvInferVersion.h").st_mtime_ns
    if stamp not in _WHOLE:
        if missing := _missing_headers(folder):
            return version, f"{missing} is missing, so it was not unpacked to the end"
        _WHOLE.add(stamp)
    return version, ""


def headers_version(folder: Path) -> str | None:
    """ "10.14.1" from ``NvInferVersion.h``; None where the folder holds no headers of TensorRT."""
    try:
        text = (folder / "NvInferVersion.h").read_text(errors="replace")
    except OSError:
        return None
    found = dict(re.findall(r"#define (?:NV|TRT)_(?:TENSORRT_)?(MAJOR|MINOR|PATCH)(?:_ENTERPRISE)? (\d+)", text))
    return ".".join(found[part] for part in ("MAJOR", "MINOR", "PATCH")) if len(found) == 3 else None


def numbers(version: str) -> tuple[int, ...]:
    """(10, 14, 1) of "10.14.1"."""
    return tuple(map(int, version.split(".")))


def _missing_headers(folder: Path) -> str | None:
    """A header that ``NvInfer.h`` includes, directly or not, and that is not there or has no end."""
    waiting, seen = ["NvInfer.h"], set()
    while waiting:
        name = waiting.pop()
        seen.add(name)
        try:
            text = (folder / name).read_text(errors="replace")
        except OSError:
            return name
        if "#endif" not in text[-400:]:
            return f"the end of {name}"
        waiting += set(re.findall(r'^\s*#\s*include "(NvInfer\w*\.h)"', text, re.M)) - seen
    return None


@functools.cache
def exported_functions(folder: Path) -> frozenset[str]:
    """What TensorRT's own libraries define for others, such as ``getPluginRegistry``: the headers' ``TENSORRTAPI``."""
    texts = (path.read_text(errors="replace") for path in folder.glob("NvInfer*.h"))
    return frozenset(name for text in texts for name in re.findall(r"\bTENSORRTAPI\b[^;({#]*?(\w+)\(", text))


@functools.cache
def declaration(folder: Path, interface: str, method: str) -> str | None:
    """A method as the headers declare it: "int32_t onShapeChange(PluginTensorDesc const* in, ...) noexcept"."""
    for path in sorted(folder.glob("NvInfer*.h")):
        text = re.sub(r"//[^\n]*", "", path.read_text(errors="replace"))
        for block in re.findall(rf"^class (?:\w+ )?{re.escape(interface)}\b[^;{{]*\{{(.*?)^\}};", text, re.M | re.S):
            if found := re.search(rf"(?:virtual|^) ([^;{{}}=]*?\b{re.escape(method)}\([^;{{}}=]*)", block, re.M):
                return " ".join(found[1].split()).removeprefix("virtual ").replace("( ", "(")
    return None


def lean_library(major: int = 10) -> Path | None:
    """NVIDIA's lean runtime: ``libnvinfer_lean.so.10`` of this environment, or ``.11`` from the user's cache.

    10.16 is the registry that plugins meet. 11.4 is for a child process of its own: one process holds one of them.
    """
    if major == 11:
        library = second_lean_folder() / "libnvinfer_lean.so.11"
        return library if library.is_file() else None
    for entry in map(Path, sys.path):
        library = entry / "tensorrt_lean_libs" / "libnvinfer_lean.so.10"
        if library.is_file():
            return library
    return None


def headers_folder() -> Path:
    """Where the headers of the pinned wheel are unpacked."""
    return cache_folder() / "tensorrt" / f"headers-{HEADERS}"


def second_lean_folder() -> Path:
    """Where the lean runtime of TensorRT 11 is unpacked."""
    return cache_folder() / "tensorrt" / f"lean-{pinned(SECOND_LEAN)}"


def fetch_headers(**how) -> None:
    """Fetch the headers by hash into ``headers_folder()``; ``how`` as for ``fetch``."""
    members = {"kernel_lens/include/tensorrt/NvInfer*.h": "", "*.dist-info/licenses/LICENSE": "LICENSE-kernel-lens"}
    fetch("requirements-headers.lock", members, headers_folder(), **how)


def fetch_second_lean(**how) -> None:
    """Fetch the lean runtime of TensorRT 11 by hash into ``second_lean_folder()``; ``how`` as for ``fetch``."""
    members = {"tensorrt_lean_libs/libnvinfer_lean.so.11": "", "*.dist-info/licenses/LICENSE.txt": ""}
    fetch(SECOND_LEAN, members, second_lean_folder(), **how)


def _header_places() -> Iterator[tuple[Path, str]]:
    if root := os.environ.get("TENSORRT_ROOT"):
        yield from ((folder, _NAMED) for folder in _inside(Path(root)))
    for folder in SYSTEM_FOLDERS:
        yield folder, "the system"
    if prefix := os.environ.get("CONDA_PREFIX"):
        yield Path(prefix) / "include", "the conda environment"
    for root in RELEASE_FOLDERS:
        yield from ((folder, "NVIDIA's release") for folder in _inside(root) if folder.is_dir())
    yield headers_folder(), "the course's cache"


def _inside(root: Path) -> Iterator[Path]:
    """The folder of a release, a clone of the public repository, or the include folder itself; the last one named
    is the one that a sentence shows where none fits."""
    found = [folder for folder in (root, root / "include") if (folder / "NvInferVersion.h").is_file()]
    yield from found or [root / "include"]
