"""How far a plugin library gets on a machine without a GPU, told from the file alone, and how to get further.

L1: its kernels run on the simulated GPU, which needs the CUDA runtime as a shared library (a stand-in takes its
place) and PTX. L0: everything but ``enqueue`` can be checked, if it loads.
"""

from __future__ import annotations

import platform
import re
from dataclasses import dataclass
from pathlib import Path

from grader.toolchain import fatbin
from grader.toolchain.elf import Elf, ElfError, plain_name, read_elf
from grader.toolchain.tensorrt import exported_functions, tensorrt_include

SHARED_RUNTIME = "nvcc -cudart shared, in CMake the value Shared of the target's property CUDA_RUNTIME_LIBRARY"

_CUDART = re.compile(r"libcudart\.so\.(\d+)(?:\..*)?")
_CUDA_RELEASES = ("12", "13")  # whose runtime has a stand-in
_TENSORRT = re.compile(r"libnv(?:infer|onnxparser)(?:_\w+)?\.so\.(\d+)(?:\..*)?")
_TENSORRT_RELEASE = "10"
_CUDA_SYMBOL = re.compile(r"cuda[A-Z]|__cuda[A-Z]")  # a library that is linked with no CUDA runtime leaves these open
_ORDINARY = re.compile(r"lib(?:c|m|dl|rt|pthread|stdc\+\+|gcc_s|c\+\+|c\+\+abi|unwind|gomp|omp|cudart)\.so|ld-linux")
_OWN_KERNEL = "write that step as a kernel of the plugin's own"


@dataclass(frozen=True)
class Foreign:
    """A library of NVIDIA's that does nothing without a GPU."""

    file: re.Pattern
    name: str
    symbols: re.Pattern
    advice: str


FOREIGN = (
    Foreign(re.compile(r"libcublas(?:Lt)?\.so.*"), "cuBLAS", re.compile(r"cublas"), _OWN_KERNEL),
    Foreign(re.compile(r"libcudnn.*\.so.*"), "cuDNN", re.compile(r"cudnn"), _OWN_KERNEL),
    Foreign(re.compile(r"lib(?:nvrtc.*|nvJitLink)\.so.*"), "NVRTC", re.compile(r"nvrtc|nvJitLink"),
            "compile the kernels when the library is built"),
    Foreign(re.compile(r"libcuda\.so.*"), "the CUDA driver", re.compile(r"cu[A-Z]"),
            "call the CUDA runtime (cuda...) in place of the driver (cu...)"),
    *(Foreign(re.compile(rf"lib{name}\w*\.so.*"), name, re.compile(name), _OWN_KERNEL)
      for name in ("cufft", "curand", "cusolver", "cusparse", "npp", "nccl", "cutensor", "cufile", "nvjpeg")),
)  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Reach:
    """``level`` "L1" or "L0"; where it is L0, ``reason`` is a sentence and ``rebuild`` another that says how to build
    the library so that it gets further (or "" where nobody knows). ``loads``: whether it loads at all, as far as the
    file tells. ``elf``: what the file holds, if it can be read."""

    level: str
    loads: bool = True
    reason: str = ""
    rebuild: str = ""
    elf: Elf | None = None


def reach(library: Path) -> Reach:
    """Judge a library without loading it. Never raises for what is in the file."""
    try:
        elf = read_elf(library)
    except ElfError as error:
        return Reach(level="L0", loads=False, reason=str(error))
    if why := _unloadable(elf):
        return Reach(level="L0", loads=False, reason=why[0], rebuild=why[1], elf=elf)
    if why := _without_kernels(elf):
        return Reach(level="L0", reason=why[0], rebuild=why[1], elf=elf)
    return Reach(level="L1", elf=elf)


def foreign(name: str) -> Foreign | None:
    """The library of NVIDIA's that a file's name belongs to: "libcublas.so.13"."""
    return next((one for one in FOREIGN if one.file.fullmatch(name)), None)


def functions_of(elf: Elf, name: str) -> list[str]:
    """The functions that a library takes from one of NVIDIA's, sorted; empty for another's name."""
    library = foreign(name)
    mine = (
        one.name for one in elf.undefined
        if library and (one.library == name or (not one.library and library.symbols.match(one.name)))
    )  # fmt: skip
    return sorted(name for name in mine if not _CUDA_SYMBOL.match(name))


def is_tensorrt(name: str) -> bool:
    """Whether it is a library of the TensorRT release whose interfaces are known here: "libnvinfer_plugin.so.10"."""
    found = _TENSORRT.fullmatch(name)
    return bool(found) and found[1] == _TENSORRT_RELEASE


def _unloadable(elf: Elf) -> tuple[str, str] | None:
    here = platform.machine()
    if elf.bits != 64:
        return f"The library is for {elf.bits}-bit programs.", "Build it on this machine, for 64 bits."
    if elf.machine != here:
        return f"The library is for {elf.machine}, and this machine is {here}.", "Build it on this machine."
    if elf.kind != "shared":
        made = {"object": "an object file (.o)", "program": "a program"}.get(elf.kind, "no library")
        return f"The file is {made}.", "Link it with g++ -shared, and compile with -fPIC."
    for name in elf.needed:
        if (found := _CUDART.fullmatch(name)) and found[1] not in _CUDA_RELEASES:
            return f"The library needs the runtime of CUDA {found[1]} ({name}).", "Build it with CUDA 12 or 13."
        if (found := _TENSORRT.fullmatch(name)) and found[1] != _TENSORRT_RELEASE:
            reason = f"The library is linked with TensorRT {found[1]} ({name}), whose interfaces differ."
            return reason, f"Build it with the headers and libraries of TensorRT {_TENSORRT_RELEASE}."
    if any(one.name.startswith("__cudaRegisterLinkedBinary") for one in elf.undefined):
        reason = "The device code is relocatable (nvcc -rdc=true or -dc), and nobody linked it (nvcc -dlink)."
        return reason, f"Build without -rdc, each kernel with what it calls in one file: nvcc {fatbin.REBUILD}."
    if unresolved := unresolved_symbols(elf):
        more = f" and {len(unresolved) - 1} more" if len(unresolved) > 1 else ""
        name = plain_name(unresolved[0])
        reason = f"The library uses {name}{more}, which neither it nor CUDA, TensorRT or the C++ library defines."
        return reason, "Add the file or the library that defines it to the link."
    return None


def _without_kernels(elf: Elf) -> tuple[str, str] | None:
    """Why the simulated GPU cannot run its kernels, though it loads."""
    if elf.static_cudart:
        reason = "The CUDA runtime is linked into the library (nvcc's default), so nothing can take its place."
        return reason, f"Link the shared runtime: {SHARED_RUNTIME}."
    for name in elf.needed:  # one that is linked with and never called does not matter
        if calls := functions_of(elf, name):
            library = foreign(name)
            reason = f"The library calls {library.name} ({calls[0]}), which the simulated GPU does not have."
            return reason, f"{library.advice[0].upper()}{library.advice[1:]}."
    if elf.relocatable_device_code:
        reason = "The device code is relocatable (nvcc -rdc=true or -dc), so its parts are linked as machine code only."
        return reason, f"Build without -rdc, each kernel with what it calls in one file: nvcc {fatbin.REBUILD}."
    for image in fatbin.images(elf.fatbins):
        try:
            if fatbin.entries(image):  # nvcc's link step adds one without any
                fatbin.ptx_of(image)
        except fatbin.FatbinError as error:
            reason, _, rebuild = str(error).partition(fatbin.REBUILD_BEGINS)
            return reason.strip(), (fatbin.REBUILD_BEGINS + rebuild) if rebuild else ""
    return None


def unresolved_symbols(elf: Elf) -> list[str]:
    """Symbols that nothing defines, as far as can be told: those of versioned libraries (the C and C++ libraries,
    CUDA's runtime) are taken to be there, and a library that needs unknown others may find them in those."""
    if any(not (_ORDINARY.match(name) or foreign(name) or is_tensorrt(name)) for name in elf.needed):
        return []
    include = tensorrt_include()
    known = exported_functions(include) if include else frozenset()
    theirs = [library.symbols for name in elf.needed if (library := foreign(name))]
    return [
        one.name for one in elf.undefined
        if not one.version and not one.weak and one.name not in known and not _CUDA_SYMBOL.match(one.name)
        and not any(symbols.match(one.name) for symbols in theirs)
    ]  # fmt: skip
