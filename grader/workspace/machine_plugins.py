"""Probes of the plugin lane: each part is tried, in a child where it is a library of somebody else's."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date

from grader.toolchain import lane, locate, tensorrt

_KERNEL = "__global__ void twice(float *x) { x[threadIdx.x] *= 2; }\n"
_HOST = '#include "NvInfer.h"\nint version() { return NV_TENSORRT_MAJOR; }\n'
_REGISTRY = """import ctypes
library = ctypes.CDLL({library!r})
library.getPluginRegistry.restype = ctypes.c_void_p
library.getInferLibVersion.restype = ctypes.c_int32
assert library.getPluginRegistry(), "it has no registry"
version = library.getInferLibVersion()
print("{{}}.{{}}.{{}}".format(version // 10000, version // 100 % 100, version % 100))"""
_RTX = """import tensorrt_rtx_bindings as rtx
assert rtx.Builder(rtx.Logger(rtx.Logger.ERROR)), "it makes no builder"
print("TensorRT-RTX", rtx.__version__, "made a builder")"""
_ONNX = """import onnx, onnxruntime, onnx_graphsurgeon
print("onnx", onnx.__version__ + ", ONNX Runtime", onnxruntime.__version__ + ", GraphSurgeon",
      onnx_graphsurgeon.__version__, "load")"""


class NotThere(Exception):
    """A part is not there; the text says so in a few words."""


def whole() -> str:
    """How far the lane is. The sentence itself says what to do."""
    now = lane.state()
    if not now.ready:
        raise NotThere(now.sentence.removesuffix("."))
    return f"{now.total} packages are installed"


def nvcc() -> str:
    """Compiles a kernel to a library."""
    toolkit = locate.toolkit()
    if toolkit is None or toolkit.nvcc is None:
        raise NotThere("nvcc was not found")
    _compile("probe.cu", _KERNEL)
    return f"{toolkit.nvcc} compiled a library"


def headers() -> str:
    """Compiles a file that includes ``NvInfer.h``; tells where it is from and what was passed over."""
    found, refused = tensorrt.find_headers()
    notes = [f"; not used: {line}" for line in refused]
    if found is None:
        raise NotThere("TensorRT's headers were not found" + "".join(notes))
    _compile("probe.cpp", _HOST)
    if found.remark:
        notes.insert(0, f"; {found.remark.rstrip('.')}")
    return f"a file with NvInfer.h of {found.version} compiled; they are from {found.source}, {found.folder}" + "".join(
        notes
    )


def registry(in_child: Callable[[str], str]) -> str:
    """Asks both lean runtimes for their registries, each in a child of its own."""
    library = tensorrt.lean_library()
    if library is None:
        raise NotThere("libnvinfer_lean.so.10 is not installed")
    text = f"the registry of TensorRT {in_child(_REGISTRY.format(library=str(library)))} answers"
    second = tensorrt.lean_library(11)
    return f"{text}, and so does that of {in_child(_REGISTRY.format(library=str(second)))}" if second else text


def rtx(in_child: Callable[[str], str]) -> str:
    return in_child(_RTX)


def onnx(in_child: Callable[[str], str]) -> str:
    return in_child(_ONNX)


def _compile(name: str, text: str) -> None:
    from grader.toolchain import Source, compile_library
    from grader.verdict import State

    # New once a day: what the cache kept proves nothing of today's compiler.
    built = compile_library(Source({name: f"// {date.today().isoformat()}\n{text}".encode()}, name))
    if built.state is not State.PASS:
        raise NotThere(built.message or f"compiling ended in {built.state}")
