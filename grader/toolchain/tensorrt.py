"""Finds TensorRT's headers and NVIDIA's lean runtime, whose plugin registry works without a GPU."""

from __future__ import annotations

import functools
import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path

from grader.toolchain.cache import cache_folder

HEADERS = "10.14.1.48"  # the version that the course compiles against


def tensorrt_include() -> Path | None:
    """The folder with ``NvInferRuntime.h`` of TensorRT 10 or later; None where there are no such headers."""
    return next((folder for folder in _header_places() if headers_version(folder)), None)


def headers_version(folder: Path) -> str | None:
    """ "10.14.1" from ``NvInferVersion.h``; None where the folder holds no TensorRT 10 or later."""
    try:
        text = (folder / "NvInferVersion.h").read_text(errors="replace")
    except OSError:
        return None
    found = dict(re.findall(r"#define (?:NV|TRT)_(?:TENSORRT_)?(MAJOR|MINOR|PATCH)(?:_ENTERPRISE)? (\d+)", text))
    major = int(found.get("MAJOR", 0))
    return ".".join(found[part] for part in ("MAJOR", "MINOR", "PATCH")) if major >= 10 and len(found) == 3 else None


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


def lean_library() -> Path | None:
    """``libnvinfer_lean.so.10`` of this environment."""
    for entry in map(Path, sys.path):
        library = entry / "tensorrt_lean_libs" / "libnvinfer_lean.so.10"
        if library.is_file():
            return library
    return None


def _header_places() -> Iterator[Path]:
    if root := os.environ.get("TENSORRT_ROOT"):
        yield Path(root) / "include"
    yield from (Path("/usr/include/x86_64-linux-gnu"), Path("/usr/include/aarch64-linux-gnu"), Path("/usr/include"))
    if prefix := os.environ.get("CONDA_PREFIX"):
        yield Path(prefix) / "include"
    yield cache_folder() / "tensorrt" / f"headers-{HEADERS}"
